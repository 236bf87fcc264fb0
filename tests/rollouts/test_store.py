"""A run's folder: rollouts come back as they were stored, and what is no run is refused in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from evalsuite.errors import RequestError
from evalsuite.rollouts import jsonl, store
from evalsuite.rollouts.record import FinishReason, Rollout


def rollout(sample: int = 0, text: str = "\\boxed{7}", reason: FinishReason = FinishReason.STOP) -> Rollout:
    return Rollout("c" * 16, "gsm8k", "i" * 16, sample, 2**31 - 1, 12, text, (1, 2, 3), reason, "</answer>")


def save(folder: Path, *rollouts: Rollout) -> None:
    with jsonl.Appender(folder / store.ROLLOUTS) as file:
        for one in rollouts:
            file.append(store.as_record(one))


@pytest.mark.parametrize("reason", FinishReason)
def test_a_rollout_comes_back_as_it_was(tmp_path: Path, reason: FinishReason) -> None:
    one = rollout(text="a\u2028b\0\ud83d", reason=reason)
    save(tmp_path, one)
    assert store.rollouts(tmp_path) == {one.key: one}


def test_the_later_of_two_tries_stands(tmp_path: Path) -> None:
    failed = rollout(text="", reason=FinishReason.ERROR)
    save(tmp_path, failed, rollout(1), rollout(0))
    found = store.rollouts(tmp_path)
    assert len(found) == 2
    assert found[failed.key] == rollout(0)


@pytest.mark.parametrize(
    "record", [{}, {"token_ids": 3}, store.as_record(rollout()) | {"finish_reason": "bored"}, {"token_ids": []}]
)
def test_a_record_that_is_no_rollout_is_refused(tmp_path: Path, record: dict[str, object]) -> None:
    with jsonl.Appender(tmp_path / store.ROLLOUTS) as file:
        file.append(record)
    with pytest.raises(RequestError, match=r"rollouts\.jsonl: a record that is not a rollout"):
        store.rollouts(tmp_path)


def test_a_manifest_comes_back(tmp_path: Path) -> None:
    manifest = {"identity": "abc", "name": "é"}
    store.write_manifest(tmp_path / "run", manifest)
    assert store.read_manifest(tmp_path / "run") == manifest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, r"no run here \(no run\.json\)"),
        (b'{\n"identity": ', r"run\.json: line 2: not valid JSON"),
        (b"\xff", r"run\.json: not a text file"),
        (b"[]", r"run\.json: not written by evalsuite"),
        (b'{"id": "of another program"}', r"run\.json: not written by evalsuite"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / store.MANIFEST).write_bytes(content)
    with pytest.raises(RequestError, match=said):
        store.read_manifest(tmp_path)


def test_a_lock_keeps_other_processes_out_and_ends_with_its_holder(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from evalsuite.rollouts import store\n"
        f"with store.lock(Path({str(tmp_path)!r})): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RequestError, match="another process is writing this run"), store.lock(tmp_path):
            pytest.fail("two at once")
        other.kill()
        other.wait()
    for _ in range(2):
        with store.lock(tmp_path):
            pass


@pytest.mark.parametrize("place", ["/proc/no-such-process/run", "file/run", "file"])
def test_a_place_that_cannot_hold_a_run_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError, match="name a writable folder with --out"), store.lock(tmp_path / place):
        pytest.fail("nothing can be written there")


def test_what_fails_inside_the_lock_is_not_blamed_on_the_folder(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), store.lock(tmp_path):
        raise PermissionError("of another file")
    with store.lock(tmp_path):
        pass

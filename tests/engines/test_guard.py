"""What a killed process had started does not go on without it."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

pytestmark = pytest.mark.slow

OWNER = """
import subprocess, sys, time
from evalsuite.engines.guard import guard_this_process
guard_this_process()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(300)
"""


def gone(process: psutil.Process, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


def test_children_of_a_killed_process_are_ended_and_the_guard_with_them() -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        child = psutil.Process(int(owner.stdout.readline()))
        [watcher] = [p for p in psutil.Process(owner.pid).children() if "evalsuite.engines.guard" in p.cmdline()]
        time.sleep(3)  # the guard looks every two seconds
        assert child.is_running()
        os.kill(owner.pid, signal.SIGKILL)
    assert gone(child, 15)
    assert gone(watcher, 15)

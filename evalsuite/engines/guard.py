"""An engine must not outlive its harness: after a `kill -9` of ours, vLLM's processes would go on and hold the GPU.

    python -m evalsuite.engines.guard PID

watches a process and, when it is gone, ends what it had started.
"""

import atexit
import contextlib
import os
import subprocess
import sys
import time
from functools import cache

import psutil

SECONDS = 2.0


@cache
def guard_this_process() -> None:
    """Start a guard over this process, once. An orderly exit ends it too."""
    command = [sys.executable, "-m", "evalsuite.engines.guard", str(os.getpid())]
    quiet = subprocess.DEVNULL
    watcher = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    atexit.register(_end, watcher)


def _end(watcher: subprocess.Popen[bytes]) -> None:
    watcher.kill()
    watcher.wait()


def guard(pid: int) -> None:
    """Wait for the end of a process, then kill those of its descendants that are left."""
    me, started = psutil.Process(), set[psutil.Process]()
    with contextlib.suppress(psutil.NoSuchProcess):
        owner = psutil.Process(pid)
        while owner.is_running() and owner.status() != psutil.STATUS_ZOMBIE:
            started |= set(owner.children(recursive=True)) - {me}
            time.sleep(SECONDS)
    for process in started:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()  # checks that the number was not given to another process meanwhile


if __name__ == "__main__":
    guard(int(sys.argv[1]))

"""What workers know about their own threads."""

import subprocess
import sys

RENAMED = """
import sys, threading
from temper.worker.processes import threads_that_outlive_a_fork

done = threading.Event()
thread = threading.Thread(target=done.wait)
assert threads_that_outlive_a_fork() == 0
thread.start()
with open(f"/proc/self/task/{thread.native_id}/comm", "w") as file:
    file.write(sys.argv[1])
print(threads_that_outlive_a_fork())
done.set()
"""


def outlive(name):
    """How many threads outlive a fork of a process with one thread of this name."""
    run = subprocess.run([sys.executable, "-c", RENAMED, name], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


def test_a_thread_of_an_allocator_is_no_loss_in_a_fork_and_others_are():
    assert outlive("jemalloc_bg_thd") == 0
    assert outlive("pool") == 1

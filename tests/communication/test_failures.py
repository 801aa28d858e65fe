"""A process that dies, fails, or leaves while others wait ends all of them within seconds, with words."""

from __future__ import annotations

import re
import time

import pytest
from ranks import run, start, told

PROGRAM = """
import os, signal, sys, threading, time
import anfora.dataset as ds
from anfora import Tensor, communication, ops

communication.init()
what, meanwhile = sys.argv[1:3]
ops.Barrier()()


def thread():
    def fail():
        raise ValueError("the thread is sad")

    threading.Thread(target=fail).start()
    time.sleep(60)


def sad(x):
    if x == 3:
        raise ValueError("the worker is sad")
    return x


def dies(x):
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def worker(function):
    for _ in ds.GeneratorDataset(list(range(8)), ["x"], shuffle=False).map(function, num_parallel_workers=2):
        pass


def fail():
    raise ValueError("process one is sad")


def caught():
    try:
        sys.exit(4)
    except SystemExit:
        pass
    ops.Barrier()()


OF_ONE = {
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "raise": fail,
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
    "thread": thread,
    "worker": lambda: worker(sad),
    "worker dies": lambda: worker(dies),
    "exit 3": lambda: sys.exit(3),
    "exit": lambda: sys.exit(),
    "_exit": lambda: os._exit(0),
    "other shape": lambda: ops.AllReduce()(Tensor([1.0, 2.0, 3.0])),
    "other operator": lambda: ops.AllGather()(Tensor([1.0, 2.0])),
    "nothing": lambda: time.sleep(60),
    "caught": caught,
}
if communication.get_rank() == 1:
    OF_ONE[what]()
elif meanwhile == "waits":
    ops.AllReduce()(Tensor([1.0, 2.0]))
elif meanwhile == "meets":
    ops.Barrier()()
elif meanwhile == "computes":
    until = time.monotonic() + 60
    while time.monotonic() < until:
        sum(range(1000))
print("[[through]]", flush=True)
"""


@pytest.mark.parametrize(
    "what, meanwhile, words",
    [
        ("kill", "waits", r"(signal 9|Killed)"),
        ("kill", "computes", r"(signal 9|Killed)"),
        ("raise", "waits", r"(?s)Traceback.*process one is sad.*process 1 \(pid \d+\) has failed: ValueError: process one"),
        ("raise", "computes", r"process 1 \(pid \d+\) has failed: ValueError: process one is sad"),
        ("interrupt", "waits", r"process 1 \(pid \d+\) has failed: KeyboardInterrupt"),
        ("thread", "waits", r"(?s)Traceback.*process 1 \(pid \d+\) has failed: ValueError: the thread is sad"),
        ("worker", "waits", r"(?s)failed at sample 3 of epoch 0.*ValueError: the worker is sad.*process 1 .* has failed"),
        ("worker dies", "computes", r"(?s)ended by signal SIGKILL at sample 3.*process 1 .* has failed"),
        ("exit 3", "waits", r"process 1 \(pid \d+\) has ended with the exit code 3"),
        ("exit 3", "computes", r"process 1 \(pid \d+\) has ended with the exit code 3"),
        ("exit", "waits", r"(?s)process 0 waits, but process 1 .* come to the end of its program.*program\.py:\d+"),
        ("_exit", "computes", r"process 1 \(pid \d+\) has called os._exit\(0\)"),
        (
            "other shape", "waits",
            r"(?s)process 0: all_reduce\(float32\[2\], sum\) at program.py:\d+\n *process 1: all_reduce\(float32\[3\]",
        ),
        ("other operator", "waits", r"(?s)process 0: all_reduce\(.*process 1: all_gather\(float32\[2\]\) at program"),
    ],
)  # fmt: skip
def test_all_end(what, meanwhile, words, tmp_path):
    before = time.monotonic()
    code, out, err = start(2, PROGRAM, what, meanwhile, folder=tmp_path, timeout=40)
    assert time.monotonic() - before < 30  # starting included, on a machine that does other things
    assert code != 0 and "through" not in out
    assert re.search(words, err + out), err + out


def test_who_waits_too_long_tells_where_the_others_are(tmp_path):
    code, _, err = start(2, PROGRAM, "nothing", "waits", folder=tmp_path, timeout=40, ANFORA_COMM_TIMEOUT="0.5")
    assert code != 0
    assert re.search(
        r"all_reduce: process 0 has waited 0.5 s for the others: process 1 is at program.py:\d+, in <lambda>", err
    )


def test_an_exit_that_is_caught_is_none(tmp_path):
    assert told(run(2, PROGRAM, "caught", "meets", folder=tmp_path)) == {"through"}


def test_who_has_done_its_part_may_leave(tmp_path):
    """A program may end in one process while another one still works, as when one of them writes a checkpoint."""
    program = """
    import time
    from anfora import communication, ops
    communication.init()
    ops.Barrier()()
    if communication.get_rank() == 0:
        time.sleep(1.5)
    print(f"[[end {communication.get_rank()}]]")
    """
    assert told(run(2, program, folder=tmp_path)) == {"end 0", "end 1"}


def test_a_forked_process_speaks_for_nobody(tmp_path):
    program = """
    import os, warnings
    from anfora import Tensor, communication, ops
    warnings.simplefilter("ignore", DeprecationWarning)  # of forks while threads run
    communication.init()
    ops.Barrier()()
    child = os.fork()
    if child == 0:
        try:
            ops.AllReduce()(Tensor(1.0))
        except RuntimeError as error:
            os._exit("cannot speak for process" in str(error))
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert ops.AllReduce()(Tensor(1.0)).item() == 2
    print(f"[[fine {communication.get_rank()}]]")
    """
    assert told(run(2, program, folder=tmp_path)) == {"fine 0", "fine 1"}

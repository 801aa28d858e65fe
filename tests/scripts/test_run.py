"""`python -m anfora run`: a program that says `import mindspore` finds what it finds under `python` with MindSpore."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import zipfile

import pytest

RUN = [sys.executable, "-m", "anfora", "run"]


def start(*arguments: object, folder: pathlib.Path, command: list[str] = RUN, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*command, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def write(folder: pathlib.Path, name: str, text: str) -> pathlib.Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(text))
    return file


TELLS = """
    import sys
    print(sys.argv, __name__, __file__, sys.path[0], __spec__ and __spec__.name, sorted(globals()))
    print(type(sys.modules["__main__"]), sys.modules["__main__"].__dict__ is globals(), type(__builtins__), __doc__)
    print(type(__loader__).__name__, __package__)
"""


@pytest.mark.parametrize("given", [("sub/tells.py", "a", "--b"), ("-m", "sub.tells", "-c"), ("sub",), ("all.zip", "x")])
def test_a_program_finds_what_python_gives_it(given, tmp_path):
    write(tmp_path, "sub/tells.py", TELLS)
    write(tmp_path, "sub/__main__.py", TELLS)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("__main__.py", textwrap.dedent(TELLS))
    ours, pythons = (start(*given, folder=tmp_path, command=command) for command in (RUN, [sys.executable]))
    assert pythons.returncode == 0, pythons.stderr
    assert (ours.stdout, ours.stderr, ours.returncode) == (pythons.stdout, "", 0)


#: How programs end, and what is told of it: the same as under `python`.
ENDS = {
    "well": "",
    "exit code": "import sys; sys.exit(7)",
    "exit with a text": "raise SystemExit('that was it')",
    "exit without a reason": "import sys; sys.exit()",
    "an error": "def f(x):\n    return 1 / x\nf(0)",
    "an error of an error": "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('no') from e",
    "a name": "import math\nmath.sine",
    "an import": "from math import sine",
    "a module": "import no_such_module_anywhere",
    "syntax": "x = (1,\n",
    "a hook of its own": "import sys, traceback\nsys.excepthook = lambda *e: print(*traceback.extract_tb(e[2]))\n1/0",
    "control-c": "raise KeyboardInterrupt",
    "at exit": "import atexit, sys\natexit.register(print, 'bye', sys.modules['__main__'].__name__)\nraise SystemExit(3)",
    "a thread": "import threading, time\nx = 3\nthreading.Thread(target=lambda: (time.sleep(0.05), print(x))).start()",
}


@pytest.mark.parametrize("how", ENDS)
def test_a_program_ends_as_it_does_under_python(how, tmp_path):
    file = write(tmp_path, "ends.py", ENDS[how])
    ours, pythons = (start(file.name, folder=tmp_path, command=command) for command in (RUN, [sys.executable]))
    assert (ours.stdout, ours.stderr, ours.returncode) == (pythons.stdout, pythons.stderr, pythons.returncode)


def test_control_c_ends_it_by_the_signal(tmp_path):
    file = write(tmp_path, "waits.py", "import time, mindspore\nprint('up', flush=True)\ntime.sleep(60)")
    ignored = signal.signal(signal.SIGINT, signal.default_int_handler)  # children inherit that it is ignored
    try:
        child = subprocess.Popen([*RUN, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, ignored)
    assert child.stdout is not None and child.stdout.readline() == "up\n"
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGINT
    assert errors.splitlines()[1].startswith(f'  File "{file}", line ') and "run.py" not in errors


def test_python_goes_on_after_it(tmp_path):
    file = write(tmp_path, "names.py", "x = 41")
    done = start(
        file.name, folder=tmp_path, command=[sys.executable, "-i", "-m", "anfora", "run"], input="print(x + 1)"
    )
    assert done.stdout == "42\n" and "Traceback" not in done.stderr


def test_mindspore_is_this_package(tmp_path):
    """Also where another one is installed, which is not loaded."""
    write(tmp_path, "mindspore/__init__.py", "raise RuntimeError('the other one')")
    write(tmp_path, "mindspore/nn.py", "raise RuntimeError('the other one')")
    write(
        tmp_path,
        "program.py",
        """
        import importlib.metadata
        import importlib.util
        import sys
        import mindspore as ms
        import mindspore.nn as nn
        import mindspore.nn.layer.conv
        import mindspore.common.dtype as mstype
        import mindspore.ops.operations as P
        from mindspore import Tensor, context, dataset, ops
        from mindspore.common.initializer import Normal, initializer
        from mindspore.dataset.transforms import c_transforms
        from mindspore.ops import composite as C, functional as F
        from mindspore.train.serialization import load_checkpoint
        from mindspore.utils.runtime_execution_order_check import RankFolderParser
        import anfora
        assert repr([ms.float32]) == "[mindspore.float32]" and str(ms.float32) == "Float32"

        assert ms.__version__ == importlib.metadata.version("mindspore") == "2.10.0"
        assert nn is anfora.nn and ms.nn is nn and ms.Tensor is anfora.Tensor is Tensor
        assert nn.__spec__.name == "anfora.nn" and nn.__name__ == "anfora.nn"
        assert mindspore.nn.layer.conv.Conv2d is nn.Conv2d and P.Add is ops.Add and mstype.float32 is ms.float32
        assert importlib.util.find_spec("mindspore").name == "mindspore" and "relu" in dir(ms.ops) and "Tensor" in dir(ms)
        assert not hasattr(ms, "no_such_name")
        assert callable(ms.utils.runtime_execution_order_check)  # a function, in a module of its name

        @ms.jit(fullgraph=True)  # names below it are known to the compiler
        def f(x):
            return P.Add()(x, 1.0) + ms.ops.relu(F.cast(x, mstype.float32)) + ms.mint.abs(x)

        print(f(Tensor([1.0, -2.0])).tolist(), f(Tensor([1.0, -2.0])).tolist())
        """,
    )
    done = start("program.py", folder=tmp_path)
    assert (done.stdout, done.stderr) == ("[4.0, 1.0] [4.0, 1.0]\n", "")


#: What programs ask for, the name that they are told is missing, and what is offered.
MISSING = {
    "ms.nn.Dens": ("nn.Dens", "nn.Dense"),
    "from mindspore.nn import batchnorm2d": ("nn.batchnorm2d", "nn.BatchNorm2d"),
    "from mindspore import Dense": ("Dense", "nn.Dense"),
    "from mindspore.ops.operations import Relu": ("ops.operations.Relu", "ops.operations.ReLU"),
    "import mindspore.dataset.transfoms": ("dataset.transfoms", "dataset.transforms"),
    "ms.dataset.vision.Resise": ("dataset.vision.Resise", "dataset.vision.Resize"),
    "ms.common.initializer.Norml": ("common.initializer.Norml", "common.initializer.Normal"),
    "ms.qqqqqq": ("qqqqqq", ""),
    "import mindspore.qqqqqq.zzz": ("qqqqqq", ""),
}


@pytest.mark.parametrize("statement", MISSING)
def test_a_missing_name_is_one_line(statement, tmp_path):
    file = write(tmp_path, "asks.py", f"import mindspore as ms\ndef f():\n    {statement}\nf()\n")
    done = start(file.name, folder=tmp_path)
    name, better = MISSING[statement]
    offer = f"; did you mean 'mindspore.{better}'?" if better else ""
    assert (done.stderr, done.returncode) == (f"asks.py:3: anfora has no 'mindspore.{name}'{offer}\n", 1)


def test_a_missing_name_with_all_that_led_to_it(tmp_path):
    file = write(tmp_path, "asks.py", "import mindspore as ms\nms.nn.Dens")
    done = start(file.name, folder=tmp_path, env={**os.environ, "ANFORA_TRACEBACK": "full"})
    assert "Traceback" in done.stderr and done.stderr.endswith("has no attribute 'Dens'; did you mean 'Dense'?\n")


@pytest.mark.parametrize("how", ["spawn", "forkserver", "fork"])
def test_other_processes_have_it_too(how, tmp_path):
    file = write(
        tmp_path,
        "parallel.py",
        """
        import multiprocessing, sys
        import mindspore as ms

        def work(x):
            return float((ms.Tensor([float(x)]) * 2).sum().asnumpy())

        if __name__ == "__main__":
            with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
                print(pool.map(work, range(4)))
        """,
    )
    for given in ((file.name,), ("-m", "parallel")):
        done = start(*given, how, folder=tmp_path)
        assert (done.stdout, done.stderr) == ("[0.0, 2.0, 4.0, 6.0]\n", "")


def test_what_cannot_be_run(tmp_path):
    for given, text in (
        (["nowhere.py"], "can't open file 'nowhere.py'"),
        (["-m"], "-m needs the name of a module"),
        (["-m", "nowhere"], "No module named nowhere"),
    ):
        done = start(*given, folder=tmp_path)
        [line] = done.stderr.splitlines()
        assert text in line and done.returncode

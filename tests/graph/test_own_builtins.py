"""What a program puts into Python's builtins is seen by the program alone: what the compiler does around it asks nobody."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops
from anfora.graph.run import ledger

#: How a program uses each of them, once.
USES = {
    "all": lambda items, k: all(items), "any": lambda items, k: any(items),
    "getattr": lambda items, k: getattr(items, "q", k),
    "hasattr": lambda items, k: hasattr(items, "q"), "hash": lambda items, k: hash("a") == hash("a"),
    "id": lambda items, k: id(items) == id(items), "isinstance": lambda items, k: isinstance(k, int),
    "issubclass": lambda items, k: issubclass(bool, int), "iter": lambda items, k: next(iter(items)),
    "len": lambda items, k: len(items), "max": lambda items, k: max(items), "min": lambda items, k: min(items),
    "repr": lambda items, k: repr(items), "round": lambda items, k: round(k + 0.5),
    "sorted": lambda items, k: sorted(items), "sum": lambda items, k: sum(items) + k, "vars": lambda items, k: k,
}  # fmt: skip


def program(name, use):
    def f(x, items, k):
        asked = []
        real, thread = getattr(builtins, name), threading.get_ident()

        def counted(*args):
            if threading.get_ident() == thread:  # the one that tells how tests go asks too
                asked.append(len(args) if name != "len" else 1)
            return real(*args)

        setattr(builtins, name, counted)
        try:
            y = x * 2
            found = use(items, k)
            y = y + ops.relu(x) + k
        finally:
            setattr(builtins, name, real)
        return y, found, len(asked)

    return f


@pytest.mark.parametrize("name", USES)
def test_who_asks_is_the_program_alone(name):
    f = program(name, USES[name])
    x = Tensor(np.ones(3, np.float32))
    f(x, [3, 1, 2], 1)
    compiled = ms.jit(f)
    for k in (1, 2, 1, 3) * 3:
        compiled(x, [3, 1, 2], k)  # what is needed for the first time, of Python's own library too, is loaded by now
    for k in (2, 1, 3, 2):
        want, got = f(x, [3, 1, 2], k), compiled(x, [3, 1, 2], k)
        assert got[0].asnumpy().tolist() == want[0].asnumpy().tolist()
        assert got[1:] == want[1:]


@pytest.mark.parametrize(
    "name", ["isinstance", "len", "getattr", "tuple", "dict", "list", "any", "sum", "zip", "range"]
)
def test_a_call_does_not_go_wrong_by_them(name, monkeypatch):
    def fails(*_):
        raise RuntimeError(name)

    x = Tensor(np.ones(3, np.float32))
    compiled = ms.jit(lambda v, k: (ops.tanh(v) * k).sum())
    want = [float(compiled(x, k)) for k in (2, 3, 2, 3)]
    with monkeypatch.context() as patched:
        patched.setattr(builtins, name, fails)
        got = [compiled(x, k) for k in (2, 3)]
    assert [*map(float, got)] == want[:2]


#: Python's `weakref` asks for `super` when the memory of a call is noted.
NAMES = [name for name in vars(builtins) if name[0].islower() and callable(getattr(builtins, name)) and name != "super"]


def test_what_is_recorded_does_not_go_wrong_by_them(monkeypatch):
    for limit, value in (("_CALLS", 1 << 60), ("_MOST_HOPS", 1 << 60), ("_FREE", 1 << 60), ("_LEAST", -(1 << 60))):
        monkeypatch.setattr(ledger, limit, value)  # each call is compiled

    def f(x, k):
        return (ops.tanh(x) * k).sum(), (k, "a"), [k], {"k": k}

    x, real, failed = Tensor(np.ones(3, np.float32)), setattr, []
    want = str(f(x, 2.5))
    for name in NAMES:
        compiled, before = ms.jit(f), getattr(builtins, name)
        compiled(x, 2)

        def fails(*_, name=name, **__):
            raise RuntimeError(name)

        real(builtins, name, fails)
        try:
            got = compiled(x, 2.5)
        except RuntimeError as error:
            got = error
        finally:
            real(builtins, name, before)
        if str(got) != want:
            failed.append((name, got))
    assert not failed


FIRST = """
import builtins, itertools
import numpy as np
import anfora as ms
from anfora import Tensor, ops
from anfora.core.abstract import TensorType
from anfora.core.op import registry

def takes(op):
    try:
        return op.infer_rule(TensorType(ms.float32, (3,))) == TensorType(ms.float32, (3,))
    except (TypeError, ValueError):  # complex numbers alone, another rank
        return False

x = Tensor(np.full(3, 0.5, np.float32))
plain = [op for op in registry.values() if list(op.signature.parameters) in (["x"], ["input"]) and takes(op)]
failed = []
names = [name for name in vars(builtins) if name[0].islower() and callable(getattr(builtins, name)) and name != "super"]
there = builtins.__dict__
for name, op in zip(names, itertools.cycle(plain)):
    method = getattr(Tensor, op.name, op)
    calls = op, method, ms.jit(lambda v: ops.tanh(op(v)) * 2), ms.grad(lambda v: op(v).sum())

    def fails(*_, name=name, **__):
        raise LookupError(name)

    for call in calls:
        before, there[name] = there[name], fails
        error = None
        try:
            call(x)
        except LookupError as told:
            error = told
        except Exception:
            pass
        finally:
            there[name] = before
        if error is not None:
            failed.append((name, op.name))
print(failed)
"""


def test_what_is_made_at_its_first_use_does_not_go_wrong_by_them(tmp_path):
    environment = {**os.environ, "ANFORA_CACHE": str(tmp_path)}  # without a kernel
    said = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True)
    assert (said.stdout, said.returncode) == ("[]\n", 0), said.stderr


@pytest.mark.parametrize("name", ["__import__", "__build_class__"])
def test_what_statements_call_is_asked_for_in_each_call(name, monkeypatch):
    asked = []
    real = getattr(builtins, name)

    def f(x, k):
        import math

        class Made:
            floor = math.floor(2.5)

        return x * Made.floor, k

    def counted(first, *args, **names):
        asked.append(first if type(first) is str else args[0])
        return real(first, *args, **names)

    compiled, x = ms.jit(f), Tensor([1.0])
    compiled(x, 0)
    for is_patched in (False, True, True, False, True):
        told = []
        for function in (f, compiled):
            with monkeypatch.context() as patched:
                if is_patched:
                    patched.setattr(builtins, name, counted)
                asked.clear()
                result, _ = function(x, 1)
            told.append((result.tolist(), [each for each in asked if each in ("math", "Made")]))
        assert told[0] == told[1]
    for function in (f, compiled):
        said = None
        with monkeypatch.context() as patched:
            patched.delattr(builtins, name)
            try:
                function(x, 1)
            except (ImportError, NameError) as error:
                said = error
        assert str(said) == f"{name} not found"


@pytest.mark.parametrize("compiled", [False, True])
def test_functions_that_an_operator_of_the_program_asks_see_them(compiled, monkeypatch):
    told = []

    def shape(x):
        print("shape")
        return x

    def dtype(x):
        print("dtype")
        return x

    custom = ops.Custom(lambda x: x * 2, shape, dtype, "pyfunc", lambda x, out, dout: (dout * 2,))
    function = ms.jit(lambda x: custom(x)) if compiled else custom
    with monkeypatch.context() as patched:
        patched.setattr(builtins, "print", told.append)
        assert function(Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert told == ["shape", "dtype"]


@pytest.mark.parametrize("name", ["isinstance", "len", "getattr", "range", "zip", "sorted", "tuple", "any", "map"])
def test_nobody_asks_them_around_a_first_call(name, monkeypatch):
    def f(x, y):
        pair = {(1, 2)} if x.shape == (2, 3) else None
        return (x @ y.swapaxes(-1, -2) * x.sum() + 1).tanh(), pair, [k * 2 for k in "ab"]

    def fails(*_, **__):
        raise LookupError(name)

    x = Tensor(np.ones((2, 3), np.float32))
    want = f(x, x)
    for function in (ms.jit(f), f):
        for _ in range(3):
            with monkeypatch.context() as patched:
                patched.setattr(builtins, name, fails)
                found = function(x, x)
            assert found[0].tolist() == want[0].tolist() and found[1:] == want[1:]

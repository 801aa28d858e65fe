"""Numbers that programs take from tensors: outputs of a piece and inputs of the next, with nothing for the interpreter."""

from __future__ import annotations

import traceback

import pytest
from outcomes import bits

from anfora import (
    Parameter,
    Tensor,
    bfloat16,
    bool_,
    explain,
    float16,
    float64,
    grad,
    int8,
    int32,
    jit,
    ops,
    set_seed,
    value_and_grad,
)
from anfora.graph.run.compiled import RecordedProgram


def outcome(function, *args):
    """The bits of what a call gives; or its error, with its text, where it came from and how."""
    try:
        return bits(function(*args))
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
        places = [(f.name, f.lineno, getattr(f, "colno", 0), getattr(f, "end_colno", 0)) for f in frames[1:]]
        return type(error), str(error), places, repr(error.__context__)


def scales(x):
    return x * float(x.max()) + x.sum().item()


def is_logged(x):
    losses = []
    for _ in range(3):
        x = x * 0.5
        losses.append(float(x.sum()))
    return x, losses, sum(losses)


def decides(x):
    if float(x.sum()) > 0.5:
        return x * 2
    return x - float(x.min())


def chooses(x):
    return ["a", "b", "c"][int(x.argmax())], x * [1.0, 2.0, 3.0][x.argmin().item()]


def is_an_int(x):
    return int(x.max()), x * int(x.sum()), float(x.max()) == x.max().item()


def is_a_truth(x):
    return bool(x.sum() > 0), bool(x.max()), not x.min(), (x.sum() > 0).item()


def goes_round(x):
    count = 0
    while float(abs(x).sum()) > 1 and count < 9:
        x = x * 0.5
        count += 1
    return x, count


def is_caught(x):
    try:
        return x * int(x.sum())
    except (ValueError, OverflowError) as error:
        return x, str(error), type(error).__name__


def is_handled(x):
    try:
        raise KeyError(1)
    except KeyError:
        return x * float(x.sum())


def is_written(x):
    STORE["loss"] = float(x.sum())
    STORE.setdefault("all", []).append((x.max().item(), 1))
    return x + STORE["loss"]


def has_several(x):
    return x * float(x)


def has_several_items(x):
    return x * x.item()


def has_an_index(x):
    return x * x.item(1) + x.item(-1)


def is_too_far(x):
    return x * x.item(7)


def of_a_gradient(x):
    slope = grad(lambda v: (v * v).sum())(x)
    return slope * float(slope.sum())


STORE: dict = {}

PROGRAMS = [
    scales, is_logged, decides, chooses, is_an_int, is_a_truth, goes_round, is_caught, is_handled, is_written, has_several,
    has_several_items, has_an_index, is_too_far, of_a_gradient,
]  # fmt: skip
VALUES = [
    [1.0, 2.0, 3.0], [0.5, -4.0, 2.5], [3.0, 2.0, 1.0], [-0.0, 0.0, -0.0], [float("nan"), 1.0, 2.0],
    [float("inf"), 0.0, 1.0], [1e30, 1.0, 1.0], [2.0, 1.0, 7.0], [0.25, 0.25, -1.0],
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_numbers_of_tensors(function):
    compiled = jit(function)
    for _ in range(3):
        for values in VALUES:
            x = Tensor(values)
            STORE.clear()
            got = outcome(compiled, x), bits(STORE)
            STORE.clear()
            assert got == (outcome(function, x), bits(STORE))
    assert compiled.program.native is None


@pytest.mark.parametrize("function", [scales, is_logged, of_a_gradient])
def test_one_recording(function):
    compiled = jit(function)
    for i in range(30):
        x = Tensor([0.1 * i, 1.0, -0.3 * i])
        assert bits(compiled(x)) == bits(function(x))
    assert compiled.program.recordings == 1


@pytest.mark.parametrize("dtype", [float16, bfloat16, float64, int8, int32, bool_])
def test_types(dtype):
    def function(x):
        return float(x.max()), int(x.max()), x.max().item(), bool(x.max())

    compiled = jit(function)
    for values in ([1, 0, 1], [0, 0, 0], [1, 1, 0]):
        x = Tensor(values, dtype)
        assert bits(compiled(x)) == bits(function(x))


def test_the_interpreter_does_nothing(monkeypatch):
    compiled = jit(is_logged)
    compiled(Tensor([1.0, 2.0, 3.0]))
    report = explain(compiled)(Tensor([1.0, 2.0, 3.0]))
    assert not report.hops and len(report.reads) == 1 and report.reads[0].outcomes == {"3.0": 1, "1.5": 1, "0.75": 1}

    def refuse(*args):
        raise AssertionError("the interpreter is asked")

    monkeypatch.setattr(RecordedProgram, "_interpret", refuse)
    assert bits(compiled(Tensor([3.0, 2.0, 4.0]))) == bits(is_logged(Tensor([3.0, 2.0, 4.0])))


@pytest.mark.parametrize("function", [scales, is_logged, decides, goes_round, of_a_gradient])
def test_under_a_tape(function):
    compiled = jit(function)

    def loss(of, x, w):
        result = of(x * w)
        return (result[0] if isinstance(result, tuple) else result).sum()

    for values in VALUES:
        x, w = Tensor(values), Tensor([0.5, 1.5, 2.0])
        got = bits(value_and_grad(lambda x, w: loss(compiled, x, w), (0, 1))(x, w))
        assert got == bits(value_and_grad(lambda x, w: loss(function, x, w), (0, 1))(x, w))
        p = Parameter(x, name="p")
        assert bits(compiled(p)) == bits(function(p))
    assert compiled.program.native is None


def test_complex_numbers_of_the_interpreter():
    """Zeros of a complex number are told apart."""
    given = []
    take = given.pop

    def function(x):
        return x * 2, take()

    compiled = jit(function)
    for value in (complex(0.0, 0.0), complex(0.0, -0.0), complex(-0.0, 0.0), complex(0.0, 0.0)):
        given.append(value)
        assert bits(compiled(Tensor([1.0]))) == bits((Tensor([2.0]), value))


def test_random_numbers():
    def function(x):
        scale = ops.rand(1).item()
        return x * scale, float(ops.randn(2).sum())

    compiled = jit(function)
    for seed in range(5):
        set_seed(seed)
        got = bits([compiled(Tensor([1.0, 2.0])) for _ in range(3)])
        set_seed(seed)
        assert got == bits([function(Tensor([1.0, 2.0])) for _ in range(3)])

"""The entry points of graph mode: what they accept, what they refuse, and that they change no result."""

from __future__ import annotations

import logging

import pytest

import anfora
from anfora import JitConfig, Parameter, Tensor, constexpr, grad, jit, jit_class, lazy_inline, mutable, nn, no_inline
from anfora.core.errors import OpTypeError, OpValueError
from anfora.modes import _primexpr


def halve_until_small(x, n=2, *, floor=1.0):
    """Control flow that depends on values."""
    steps = []
    while x.sum() > floor:
        x = x / n
        steps.append(x)
    return x, steps


@pytest.mark.parametrize(
    "mark",
    [
        jit, jit(), jit(capture_mode="bytecode"), jit(jit_level="O0", fullgraph=True), jit(backend="ms_backend"), no_inline,
        anfora.ms_function, lambda f: jit(fn=f), lambda f: jit(function=f, dynamic=1), jit(jit_config=JitConfig("O1")),
    ],
)  # fmt: skip
def test_a_marked_function_does_what_it_did(mark):
    marked = mark(halve_until_small)
    value, steps = marked(Tensor([8.0, 2.0]), n=4, floor=1.5)
    assert value.tolist() == [0.5, 0.125] and [s.tolist() for s in steps] == [[2.0, 0.5], [0.5, 0.125]]
    assert grad(lambda x: marked(x)[0])(Tensor([8.0, 2.0])).tolist() == [0.0625, 0.0625]
    assert marked.__name__ == "halve_until_small" and "Control flow" in marked.__doc__


def test_methods_and_cells_are_marked():
    class Net(nn.Cell):
        @lazy_inline
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(3.0), name="w")
            self.calls = []

        @jit
        def construct(self, x, **names):
            self.calls.append(names)
            return self.w * x

    net = Net()
    assert jit(net) is net and jit(Net) is Net
    assert net(Tensor(2.0), scale=1).item() == 6 and net.calls == [{"scale": 1}]
    assert grad(net, None, net.trainable_params())(Tensor(2.0))[0].item() == 2


@pytest.mark.parametrize(
    "mark, error, match",
    [
        (lambda: jit(abs, jit_levle="O1"), OpTypeError, "no option `jit_levle`"),
        (lambda: jit(abs, jit_level="O9"), OpValueError, "must be one of"),
        (lambda: jit(3), OpTypeError, "function or a Cell"),
        (lambda: JitConfig("O7"), OpValueError, "jit_level"),
        (lambda: JitConfig(exec_mode="auto"), OpTypeError, "no option"),
        (lambda: jit_class(nn.Cell), OpTypeError, "cannot be used for nn.Cell"),
        (lambda: jit_class(3), OpTypeError, "class type"),
        (lambda: mutable("text"), OpTypeError, "mutable"),
        (lambda: mutable([1, None]), OpTypeError, "mutable"),
        (lambda: mutable(Tensor(1), True), OpTypeError, "list or tuple"),
        (lambda: mutable([1], 1), OpTypeError, "bool"),
        (lambda: constexpr(lambda x: x)([Tensor(1)]), OpTypeError, "must be constants"),
    ],
)
def test_what_cannot_be_is_refused(mark, error, match):
    with pytest.raises(error, match=match):
        mark()


def test_mutable_gives_the_data():
    x = Tensor([1.0, 2.0], const_arg=True)
    data = [(1, 2.5), {"x": x}, True]
    assert mutable(data) is data and not x.const_arg
    assert mutable((1, 2), dynamic_len=True) == (1, 2)
    first, second = grad(lambda pair: pair[0] * pair[1])(mutable((x, Tensor([3.0, 4.0]))))
    assert first.tolist() == [3, 4] and second.tolist() == [1, 2]


def test_functions_of_constants():
    assert constexpr(lambda n: 2 * n)(4) == 8 and constexpr(check=False)(lambda x: x.shape)(Tensor([1, 2])) == (2,)
    assert _primexpr(lambda x: x.shape)(Tensor([1, 2])) == (2,)


def test_messages_have_mindspores_names_and_levels(caplog):
    from anfora import log as logger

    with caplog.at_level(logging.INFO, "anfora"):
        assert logger.get_level() == "1"
        logger.info("loss %.1f", 0.25)
        logger.debug("not kept")
    assert [(r.levelname, r.message) for r in caplog.records] == [("INFO", "loss 0.2")]

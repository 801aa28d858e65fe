"""The entry points of graph mode: what they accept, what they refuse, and that they change no result."""

from __future__ import annotations

import copy
import functools
import inspect
import logging
import os
import pickle
import subprocess
import sys

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
        jit, jit(), jit(capture_mode="bytecode"), jit(jit_level="O0"), jit(backend="ms_backend"), no_inline,
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


def test_a_cell_with_a_call_of_its_own_is_called_once():
    """In GRAPH_MODE what its call did was done twice."""

    class Net(nn.Cell):
        called = 0

        def __call__(self, x):
            self.called += 1
            return super().__call__(x) + 1

        def construct(self, x):
            return x * 2

    net = Net()
    with anfora.context(mode=anfora.GRAPH_MODE):
        assert [net(Tensor(float(k))).item() for k in range(3)] == [1.0, 3.0, 5.0]
        assert anfora.explain(net)(Tensor(1.0)).result.item() == 3.0
    assert net.called == 4


def test_jitted_functions_are_copied_and_pickled():
    marked = jit(halve_until_small, check=True, jit_level="O1")
    assert copy.deepcopy(marked) is marked and pickle.loads(pickle.dumps(_module_level)).options == {"fullgraph": True}
    assert jit(marked) is marked and marked.options == {"check": True, "jit_level": "O1"}


@jit(fullgraph=True)
def _module_level(x):
    return x + 1


def test_a_compiled_function_is_known_by_what_it_is():
    """What `inspect` and the like look at is that of the function; and who changes its defaults changes what is called."""

    async def waits(x):
        return x

    def goes_on(x):
        yield x

    def takes(x, n=2, *, floor=1.0):
        return x * n + floor + len(waits.__name__)

    for function in (waits, goes_on, takes, halve_until_small):
        compiled = jit(function)
        for name in ("__code__", "__defaults__", "__kwdefaults__", "__closure__", "__globals__", "__annotations__"):
            assert getattr(compiled, name) is getattr(function, name)
        for ask in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.signature):
            assert ask(compiled) == ask(function)
    compiled, x = jit(takes), Tensor(1.0)
    for change in ({}, {"__defaults__": (5,)}, {"__kwdefaults__": {"floor": 0.5}}, {"__defaults__": (7,)}):
        for name, value in change.items():
            setattr(compiled, name, value)
        for _ in range(2):
            assert compiled(x).item() == takes(x).item()
    assert takes.__defaults__ == (7,)
    with pytest.raises(AttributeError):
        compiled.__closure__ = ()


def test_a_cell_is_checked_for_inputs_without_a_change():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(4, 2)
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            return self.dense(x)

    net = Net()
    net.set_inputs(Tensor([[0.0] * 4]))
    assert net.compile(Tensor([[0.0] * 4])) is None and net.calls == 0
    with pytest.raises(OpValueError, match="dense"):
        net.compile(Tensor([[0.0] * 5]))
    assert net.set_jit_config(JitConfig(jit_level="O1")) is net and net(Tensor([[0.0] * 4])).shape == (1, 2)


def test_jit_is_turned_off_by_the_environment():
    program = "import anfora as ms; f = lambda x: x; print(ms.jit(f) is f)"
    found = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "MS_JIT": "0"}, capture_output=True, text=True, check=True
    )
    assert found.stdout == "True\n"


def test_methods_lambdas_and_callables_are_compiled():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @jit
        def method(self, x):
            return x * self.factor

        def __call__(self, x):
            return x + self.factor

    one, other, x = Scale(2), Scale(3), Tensor([1.0])
    assert [s.method(x).item() for s in (one, other, one)] == [2, 3, 2]
    assert [jit(s)(x).item() for s in (one, other)] == [3, 4] and jit(one.method)(x).item() == 2
    assert jit(lambda x: jit(lambda y: y * 2)(x) + 1)(x).item() == 3
    assert jit(functools.partial(lambda k, x: k * x, 5))(x).item() == 5


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

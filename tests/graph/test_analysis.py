"""Programs before any run: what `lower` finds is what runs show, and nothing is done for it."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, grad, ir, jit, nn, ops, value_and_grad
from anfora.core.errors import AnforaError
from anfora.core.random import get_rng_state
from anfora.eager import dispatch
from anfora.graph.tell.typed import typed
from anfora.graph.tell.watched import FallbackError, Watched
from anfora.kernel import build


def told(places):
    return [(place.span.text.strip() if place.span else None, place.reason) for place in places]


# -- the graph is that of the runs ------------------------------------------------------------------------------------


def plain(x):
    return ops.relu(x * 2 + 1).sum()


def branches(x):
    y = x * 2
    if y.sum() > 3:
        y = 4 - y
    else:
        y = y - 1
    if y.mean() > 0:
        return y * y
    return -y


def loop(x):
    while x.sum() > 0:
        x = x - 1
    return x * 3


def fibonacci(n):
    if n < 2:
        return n * 1
    return fibonacci(n - 1) + fibonacci(n - 2)


def read(x):
    scale = float(x.sum())
    return x * scale


def nested(x):
    def inner(y):
        if y.sum() > 0:
            return y + 1
        return y - 1

    return inner(x) * inner(x * x - 4)


PROGRAMS = [
    (plain, [Tensor([1.0, -2.0])]),
    (branches, [Tensor([a, b]) for a, b in ((1.0, 1.0), (9.0, 1.0), (-3.0, 1.0), (0.6, 0.7))]),
    (loop, [Tensor([2.5, 1.0]), Tensor([-1.0, 0.0])]),
    (fibonacci, [Tensor(16)]),
    (read, [Tensor([2.5, 1.0])]),
    (nested, [Tensor([a]) for a in (1.0, 3.0, -1.0, -3.0)]),
]


@pytest.mark.parametrize(("function", "inputs"), PROGRAMS, ids=[function.__name__ for function, _ in PROGRAMS])
def test_the_graph_is_that_of_runs_that_go_all_ways(function, inputs, monkeypatch):
    """Functions are compared by what they hold: they are made in another order."""
    before, after = jit(function), jit(function)
    monkeypatch.setitem(globals(), function.__name__, before)  # which calls itself
    lowered = ir.lower(before, inputs[0])
    monkeypatch.setattr(Watched, "is_patient", lambda program: False)  # each way is compiled when it comes
    assert not lowered.unsupported and not lowered.unknown and lowered.error is None
    monkeypatch.setitem(globals(), function.__name__, after)
    for _ in range(2):
        for x in inputs:
            after(x)
    [ran] = typed(after.program, lifted=True)
    assert bodies(lowered.graph) == bodies(ran.graph)


@pytest.mark.parametrize(("function", "inputs"), PROGRAMS, ids=[function.__name__ for function, _ in PROGRAMS])
def test_the_graph_computes_what_a_call_gives(function, inputs):
    lowered = ir.lower(function, inputs[0])
    for x in inputs:
        assert lowered.graph(x, *lowered.weights.values()).tolist() == function(x).tolist()


class Steps(nn.Cell):
    """A Cell whose calls go on in several pieces, with weights."""

    def __init__(self):
        super().__init__()
        self.first, self.last, self.scale = nn.Dense(3, 3), nn.Dense(3, 2), 0.5

    def construct(self, x):
        y = self.first(x)
        while y.sum() < 4:
            y = y + self.scale
        return self.last(y) if y.max() > 2 else -self.last(y)


def test_the_graph_of_a_network_has_its_weights():
    net = Steps()
    x = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))
    lowered = ir.lower(net, Tensor(shape=(2, 3), dtype=x.dtype))
    assert set(lowered.weights) == {"first.weight", "first.bias", "last.weight", "last.bias"}
    for scaled in (x, x * 10, x * -10):
        assert nn.GraphCell(lowered.graph)(scaled).tolist() == net(scaled).tolist()


class Remembering(nn.Cell):
    """Puts tensors and numbers into itself, and reads them behind a branch."""

    def __init__(self):
        super().__init__()
        self.last, self.count = Tensor([0.0, 0.0]), 1

    def construct(self, x):
        self.last = self.last + x
        self.fresh = x * 2
        self.count += 1
        if x.sum() > 0:
            return self.last * self.count + self.fresh
        return self.last - self.fresh


def test_what_a_call_changes_is_no_weight():
    lowered = ir.lower(Remembering(), Tensor([1.0, 2.0]))
    assert lowered.weights == {}
    for make in (lambda: Tensor([1.0, 2.0]), lambda: Tensor([-1.0, 0.5])):
        one, other = Remembering(), Remembering()
        graph = ir.lower(one, make())
        assert graph.graph(make(), *graph.weights.values()).tolist() == other(make()).tolist()
        assert one.last.tolist() == other.last.tolist() and one.count == other.count
    with pytest.raises(FallbackError, match="a change of an attribute"):
        ms.export(Remembering(), Tensor([1.0, 2.0]), file_name="net")


def bodies(graph):
    """The calls of each function of a text, without the names of values and functions."""
    text = re.sub(r"object\([^)]*\)", "object", ir.complete(graph))
    text = re.sub(r"[%@][^\s,():]+", "·", re.sub(r"#[^\n]*", "", text))
    return sorted(re.sub(r"\s+", " ", part) for part in text.split("subgraph")[1:])


# -- nothing is done --------------------------------------------------------------------------------------------------


class Everything(nn.Cell):
    """Changes all that a program can change."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        self.count, self.seen, self.table, self.names = 0, [], {}, {"a"}

    def construct(self, x):
        global changed
        changed = 1
        self.count += 1
        self.seen.append(self.count)
        self.table["x"] = x
        self.names.add("b")
        self.made = x + 1
        self.weight += 1
        ops.assign(self.weight, x)
        if x.sum() > 0:
            self.count += 10
            self.seen.extend([1, 2])
            print("positive")
        else:
            del self.table["x"]
            self.seen.clear()
        x[0] = 5.0
        return x * self.count + ops.standard_normal((2,))


changed = 0


def test_nothing_changes(capfd):
    net, x = Everything(), Tensor([1.0, 2.0])
    stream = get_rng_state().asnumpy().tolist()
    lowered = ir.lower(net, x)
    assert told(lowered.unsupported) == [('print("positive")', "a call of print, which the compiler cannot look into")]
    assert net.count == 0 and net.seen == [] and net.table == {} and net.names == {"a"} and not hasattr(net, "made")
    assert x.tolist() == [1.0, 2.0] and net.weight.tolist() == [1.0, 2.0] and changed == 0
    assert get_rng_state().asnumpy().tolist() == stream
    assert capfd.readouterr() == ("", "")


def test_what_one_way_has_written_is_not_there_on_the_other():
    class Box:
        mode = "start"

    box = Box()

    @jit
    def f(x):
        if x.sum() > 0:
            box.mode = "positive"
        if box.mode == "start":
            return x + 1
        return x + 2

    text = ir.lower(f, Tensor([1.0])).text
    assert len(re.findall(r"ops\.add\(%\w+, 1\)", text)) == 1 and len(re.findall(r"ops\.add\(%\w+, 2\)", text)) == 1
    assert "mode" not in vars(box)


def requires_none(x, w):
    w.requires_grad = False


def has_a_gradient(x, w):
    w.grad = x


def makes_a_leaf(x, w):
    x.requires_grad = True


def puts_a_hook(x, w):
    x.register_hook(ops.relu)


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        (requires_none, lambda x, w: not w.requires_grad),
        (has_a_gradient, lambda x, w: w.grad is not None),
        (makes_a_leaf, lambda x, w: x.requires_grad),
        (puts_a_hook, lambda x, w: False),
    ],
)
def test_what_one_way_has_done_to_a_tensor_is_not_there_on_the_other(change, asked):
    weight = Parameter(Tensor([1.0, 2.0]), name="w")

    def f(x):
        y = x * 1
        if x.sum() > 0:
            change(y, weight)
        return x + 1 if asked(y, weight) else x + 2

    lowered = ir.lower(f, Tensor([1.0, 2.0]))
    assert lowered.error is None
    for x in ([1.0, 2.0], [-1.0, -2.0]):
        weight.requires_grad, weight.grad = True, None
        wanted = f(Tensor(x)).tolist()
        weight.requires_grad, weight.grad = True, None
        assert lowered.graph(Tensor(x), *lowered.weights.values()).tolist() == wanted


def test_a_step_of_training_has_its_weights_by_name():
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3))
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    loss = nn.CrossEntropyLoss()
    gradient = value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

    @jit(fullgraph=True)
    def step(x, y):
        value, gradients = gradient(x, y)
        optimizer(gradients)
        return value

    before = [weight.asnumpy().copy() for weight in net.get_parameters()]
    lowered = step.lower(Tensor(np.zeros((5, 4), np.float32)), Tensor(np.zeros(5, np.int32)))
    names = [parameter.name for parameter in lowered.graph.parameters]
    assert names[:4] == ["x", "y", "0.weight", "0.bias"] and not lowered.unsupported and not lowered.unknown
    assert all((a == b.asnumpy()).all() for a, b in zip(before, net.get_parameters()))


def test_no_kernel_runs_on_the_way():
    x = Tensor([1.0, 2.0])
    with dispatch.without_kernels():
        y = x + 1
        x.add_(1)
        x[0] = 5.0
        assert y.shape == (2,) and y.asnumpy().tolist() == [0.0, 0.0] and x.asnumpy().tolist() == [1.0, 2.0]
    assert (x + 1).tolist() == [2.0, 3.0]


def test_the_first_call_finds_its_kernels():
    @jit
    def f(x):
        return ops.tanh(x * 3 - 7) * ops.sigmoid(x + 11) - ops.erf(x * 13)

    x = Tensor(np.ones((3, 5), np.float32))
    ir.lower(f, x)
    count = build.progress._count
    f(x), f(x)
    assert build.progress._count == count


# -- what is found ----------------------------------------------------------------------------------------------------


def hidden(x):
    if x.sum() > 1e6:
        os.getcwd()
    n = int(x.max())
    if n > 3:
        if n > 100:
            __import__("math")
        return x
    if n < 0:
        compile("1", "", "eval")
    return x * 2


def test_what_is_unsupported_is_found_in_ways_that_no_run_has_taken():
    found = told(ir.lower(jit(hidden), Tensor([1.0])).unsupported)
    assert sorted(line for line, _ in found) == ['__import__("math")', 'compile("1", "", "eval")', "os.getcwd()"]


def test_inside_of_a_gradient_too():
    def loss(x):
        if x.sum() > 0:
            print("positive")
            return (x * x).sum()
        return x.sum() * float(x.max())

    lowered = ir.lower(jit(grad(loss)), Tensor([1.0, 2.0]))
    assert [line for line, _ in told(lowered.unsupported)] == ['print("positive")']


def test_a_loop_in_which_something_grows_is_followed_for_a_while():
    @jit
    def f(x):
        found = []
        while x.sum() > 0:
            found.append(x)
            x = x - 1
        return found

    lowered = ir.lower(f, Tensor([3.0]))
    assert {place.reason for place in lowered.unknown} == {"it has gone on in too many ways"}
    assert not lowered.unsupported


def test_there_is_no_graph_of_what_python_runs_as_it_is():
    lowered = ir.lower(lambda x: x * len(locals()), Tensor([1.0]))
    assert [place.span for place in lowered.unsupported] == [None]
    with pytest.raises(ir.GraphError, match=r"there is no graph: .*locals"):
        assert lowered.graph


def test_behind_what_is_not_known_it_says_so():
    @jit
    def f(x):
        a = x.asnumpy().tolist()
        return x * a[0]

    lowered = ir.lower(f, Tensor([1.0]))
    assert [line for line, _ in told(lowered.unknown)] == ["a = x.asnumpy().tolist()"]
    assert "not known beyond" in str(lowered)


def test_errors_are_those_of_the_call():
    net = nn.Dense(4, 3)
    x = Tensor(np.ones((2, 5), np.float32))
    with pytest.raises(AnforaError) as raised:
        net(x)
    with pytest.raises(AnforaError) as compiled:
        net.compile(x)
    assert str(compiled.value).split("\n")[0] == str(raised.value).split("\n")[0]


def test_an_exception_on_one_way_is_no_error():
    @jit
    def f(x):
        if x.sum() > 0:
            raise ValueError(f"of shape {x.shape}")
        return x

    lowered = ir.lower(f, Tensor([1.0]))
    assert lowered.error is None and not lowered.unsupported


@pytest.mark.parametrize("options", [{"fullgraph": True}, {"jit_syntax_level": "STRICT"}])
def test_strict_programs_are_refused_before_anything_is_done(options):
    seen = []

    @jit(**options)
    def f(x, weight):
        ops.assign(weight, x)
        if x.sum() > 100:
            seen.append(os.getcwd())
        return x

    weight = Parameter(Tensor([0.0]), name="weight")
    with pytest.raises(FallbackError, match="getcwd"):
        f(Tensor([1.0]), weight)
    assert weight.tolist() == [0.0] and seen == []

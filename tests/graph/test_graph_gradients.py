"""The gradient of a graph as a graph: bits of PyNative mode in every order, finite differences, text, refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_graph_files import NETWORKS

import anfora as ms
from anfora import Tensor, ir, nn, ops
from anfora.core.abstract import TensorType
from anfora.graph.ir import PRIMITIVES, FuncGraph


def higher_order(x):
    def f(x):
        return ops.sin(x) + 3

    def g(function, x):
        return function(x) * function(function(x))

    return g(f, x)


def closures(x):
    def outer(a, b):
        def inner(c):
            return a * b + c * a

        return inner

    inner = outer(x, x * 0.3)
    return inner(x) * inner(ops.exp(x))


def branch(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = ops.exp(x) - 1
    return y * x + y


def loop(x, n):
    y = x
    while n > 0:
        y = ops.sin(y) * x + y
        n = n - 1
    return y


def branch_in_loop(x, n):
    y, total = x, x * 0
    while n > 0:
        if y.sum() > 0.5:
            y = ops.sin(y) * x
        else:
            y = y + x * x
        total = total + y
        n = n - 1
    return total * y


def recursion(x, n):
    if n < 1:
        return x
    return ops.sin(x) * recursion(x + 0.1, n - 1) + x


def ladder(x):
    """So many uses of one tensor that the order of their sum shows."""
    y = x * 0.1
    for k in range(7):
        y = y * x + x / (k + 3)
    return y


def two(x, y):
    return ops.exp(x * y) + x / y, y * 3


X = Tensor([0.31, 1.7, -0.93])
PROGRAMS = {
    "higher order": (higher_order, (X,)),
    "closures": (closures, (X,)),
    "branch taken": (branch, (X,)),
    "branch not taken": (branch, (-X,)),
    "loop": (loop, (X, Tensor(4))),
    "loop that ends at once": (loop, (X, Tensor(0))),
    "branch in a loop": (branch_in_loop, (X, Tensor(5))),
    "recursion": (recursion, (X, Tensor(3))),
    "ladder": (ladder, (X,)),
}


def bits(value):
    return (
        tuple(map(bits, value)) if isinstance(value, tuple) else (value.dtype, value.shape, value.asnumpy().tobytes())
    )


def typed(function, arguments):
    return ir.lower(function, *arguments).graph


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_are_those_of_the_tape_in_every_order(name):
    function, arguments = PROGRAMS[name]
    graph = typed(function, arguments)
    for _ in range(3):
        graph, function = ir.grad(graph), ms.grad(function)
        ir.verify(graph)
        wanted = bits(function(*arguments))
        assert bits(graph(*arguments)) == wanted
        assert bits(ir.evaluate(graph, *arguments)) == wanted
        assert ir.complete(ir.read(ir.complete(graph))) == ir.complete(graph)


@pytest.mark.parametrize("name", ["higher order", "branch taken", "branch in a loop", "recursion"])
def test_compiled_gradients_are_the_same(name):
    function, arguments = PROGRAMS[name]
    graph = ir.value_and_grad(typed(function, arguments))
    compiled, wanted = ms.jit(graph), bits(ms.value_and_grad(function)(*arguments))
    for _ in range(3):
        assert bits(compiled(*arguments)) == wanted
    assert ms.explain(compiled)(*arguments).hops == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_finite_differences(name):
    function, (x, *others) = PROGRAMS[name]
    x = Tensor(x.asnumpy().astype(np.float64))
    graph = typed(function, (x, *others))
    found = ir.grad(graph)(x, *others).asnumpy()
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = 1e-6
        ends = [graph(Tensor(x.asnumpy() + s * step), *others).asnumpy().sum() for s in (1, -1)]
        np.testing.assert_allclose(found[i], (ends[0] - ends[1]) / 2e-6, rtol=1e-7)


def test_the_loop_of_a_long_gradient_needs_no_stack():
    x, n = Tensor([0.5]), Tensor(20_000)
    graph = typed(lambda x, n: loop(x, n), (x, n))
    assert bits(ir.grad(graph)(x, n)) == bits(ms.grad(loop)(x, n))


def test_several_parameters_and_results():
    x, y = Tensor([0.5, 2.0]), Tensor([1.5, -0.4])
    graph = typed(two, (x, y))
    value, gradients = ir.value_and_grad(graph, ("y", 0))(x, y)
    assert bits(value) == bits(two(x, y))
    by_x, by_y = ms.grad(lambda x, y: two(x, y)[0] + two(x, y)[1], (0, 1))(x, y)
    np.testing.assert_allclose(gradients[0].asnumpy(), by_y.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(gradients[1].asnumpy(), by_x.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [lambda x, y: x + y, lambda x, y: x, lambda x, y: x if y.sum() > 0 else x * y],
    ids=["sum", "one", "branch"],
)
def test_gradients_have_memory_of_their_own(function):
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    first, second = ir.grad(typed(function, (x, y)), (0, 1))(x, y)
    before = second.asnumpy().copy()
    first += 100
    assert second.asnumpy().tolist() == before.tolist()
    assert x.asnumpy().tolist() == [1, 2]


def test_one_tensor_for_two_parameters():
    def function(x, y):
        return x * x * y if x.sum() > 0 else x

    graph = ir.grad(typed(function, (X, -X)), (0, 1))
    assert bits(graph(X, X)) == bits(ms.grad(function, (0, 1))(X, X))


# -- graphs that are built: functions as values, closures, tensors under several names ---------------------------------

KIND = TensorType(ms.float32, (3,))


def node(graph, function, *arguments):
    return graph.apply(function, *arguments, abstract=KIND)


def built_higher_order() -> FuncGraph:
    """def f(a): return sin(a) * x;  def twice(h, a): return h(h(a));  return twice(f, x) * x"""
    root, f, twice = FuncGraph("root"), FuncGraph("f"), FuncGraph("twice")
    x = root.parameter("x", abstract=KIND)
    f.output = node(f, ops.mul, node(f, ops.sin, f.parameter("a", abstract=KIND)), x)
    h, a = twice.parameter("h"), twice.parameter("a", abstract=KIND)
    twice.output = node(twice, h, node(twice, h, a))
    root.output = node(root, ops.mul, node(root, twice, f, x), x)
    return root


def higher_order_in_python(x):
    def f(a):
        return ops.sin(a) * x

    def twice(h, a):
        return h(h(a))

    return twice(f, x) * x


def built_of_two_names(condition: bool) -> FuncGraph:
    """y = x if condition else sin(x): where it is x itself, both names have one sum, in the order of all their uses."""
    root, same, other = FuncGraph("root"), FuncGraph("same"), FuncGraph("other")
    x = root.parameter("x", abstract=KIND)
    same.output = x
    other.output = node(other, ops.sin, x)
    y = node(root, root.apply(PRIMITIVES["switch"], condition, same, other))
    total = node(root, ops.mul, y, 0.1)
    for k, operand in enumerate([x, y, x, y, x]):
        total = node(root, ops.add, total, node(root, ops.mul, operand, 1 / (k + 3)))
    root.output = total
    return root


def two_names_in_python(condition: bool):
    def function(x):
        y = x if condition else ops.sin(x)
        total = y * 0.1
        for k, operand in enumerate([x, y, x, y, x]):
            total = total + operand * (1 / (k + 3))
        return total

    return function


def built_of_a_tuple() -> FuncGraph:
    """def pair(a): return (a * x, (a,));  p = pair(sin(x));  return p[0] * p[1][0]"""
    root, pair = FuncGraph("root"), FuncGraph("pair")
    x = root.parameter("x", abstract=KIND)
    a = pair.parameter("a", abstract=KIND)
    make, item = PRIMITIVES["make_tuple"], PRIMITIVES["getitem"]
    pair.output = pair.apply(make, node(pair, ops.mul, a, x), pair.apply(make, a))
    p = root.apply(pair, node(root, ops.sin, x))
    root.output = node(root, ops.mul, node(root, item, p, 0), node(root, item, root.apply(item, p, 1), 0))
    return root


BUILT = {
    "a function as argument": (built_higher_order(), higher_order_in_python),
    "one tensor, two names": (built_of_two_names(True), two_names_in_python(True)),
    "two tensors": (built_of_two_names(False), two_names_in_python(False)),
    "a tuple": (built_of_a_tuple(), lambda x: ops.sin(x) * x * ops.sin(x)),
}


@pytest.mark.parametrize("name", BUILT)
def test_graphs_that_are_built(name):
    graph, function = BUILT[name]
    for _ in range(2):
        graph, function = ir.grad(graph), ms.grad(function)
        wanted = function(X)
        for found in (graph(X), ir.evaluate(graph, X)):
            if name == "a tuple":  # Python computes sin twice
                np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
            else:
                assert bits(found) == bits(wanted)


def test_weights_by_name():
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))
    x = Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))
    graph = typed(net, (x,))
    names = [p.name for p in net.trainable_params()]
    found = nn.GraphCell(ir.grad(graph, names))(x)
    assert bits(found) == bits(ms.grad(net, None, net.trainable_params())(x))


#: ResNet-18 has a single value for each channel at its end: it cannot be trained on this input.
CASES = [(name, mode) for name in NETWORKS for mode in (True, False) if (name, mode) != ("resnet18", True)]


@pytest.mark.parametrize(("name", "is_training"), CASES)
def test_networks(name, is_training):
    """The gradient by all weights at once, and what the network writes to itself while it is trained."""
    net, x = NETWORKS[name]()
    net.set_train(is_training)
    weights = net.trainable_params()
    graph = typed(net, (x,))
    gradient = nn.GraphCell(ir.value_and_grad(graph, [p.name for p in weights]))
    before = {name: value.asnumpy().copy() for name, value in net.parameters_dict().items()}
    outcomes = []
    for run in (gradient, ms.value_and_grad(net, None, weights)):
        for key, value in net.parameters_dict().items():
            value.set_data(Tensor(before[key]))
        ms.set_seed(3)
        outcomes.append((bits(run(x)), bits(tuple(net.parameters_dict().values()))))
    assert outcomes[0] == outcomes[1]
    if is_training and name in ("resnet20", "vgg"):
        assert any((net.parameters_dict()[key].asnumpy() != value).any() for key, value in before.items())


def test_effects_stay_where_only_the_gradient_is_wanted():
    net = nn.BatchNorm1d(3)
    x = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3))
    gradient = nn.GraphCell(ir.grad(typed(net.set_train(), (x,))))
    gradient(x)
    assert net.moving_mean.asnumpy().any()


def test_random_numbers_are_drawn_once():
    def function(x):
        return ops.dropout(x * 2, 0.5) * x

    x = Tensor(np.arange(1, 9, dtype=np.float32))
    graph = ir.value_and_grad(typed(function, (x,)))
    for _ in range(2):
        state = ms.get_rng_state()
        found = graph(x)
        ms.set_rng_state(state)
        assert bits(found) == bits(ms.value_and_grad(function)(x))


def test_numbers_that_vary():
    graph = ir.grad(typed(lambda x, rate: x * rate * x, (X, 0.5)))
    assert bits(graph(X, 0.25)) == bits(ms.grad(lambda x: x * 0.25 * x)(X))


def test_a_graph_is_not_changed():
    graph = typed(branch, (X,))
    before = ir.complete(graph)
    ir.grad(graph)
    assert ir.complete(graph) == before


def unknown_types() -> FuncGraph:
    graph = FuncGraph("f")
    graph.output = graph.apply(ops.mul, graph.parameter("x"), 2)
    return graph


def python_in_it(function) -> FuncGraph:
    graph = FuncGraph("f")
    graph.output = graph.apply(function, graph.parameter("x", abstract=KIND), 2)
    return graph


@pytest.mark.parametrize(
    ("graph", "position", "message"),
    [
        (unknown_types(), 0, "needs its type"),
        (python_in_it(PRIMITIVES["mul"]), 0, "mul computes with what is differentiated by, and is no operator"),
        (python_in_it(lambda x, y: x * y), 0, "is no operator of known types"),
        (python_in_it(PRIMITIVES["getitem"]), 0, "is no operator of known types"),
        (python_in_it(ops.mul), 3, "has no parameter 3"),
        (python_in_it(ops.mul), "w", "has no parameter 'w'"),
    ],
)
def test_what_has_no_gradient_is_refused(graph, position, message):
    with pytest.raises(ir.GraphError, match=message):
        ir.grad(graph, position)


@pytest.mark.parametrize("is_view", [True, False])
def test_what_is_written_in_place_on_the_way_is_refused(is_view):
    def function(x):
        y = x * 2
        (y[:2] if is_view else y)[0] = 5.0
        return y * x

    with pytest.raises(ir.GraphError, match="is written in place, and a gradient goes through it"):
        ir.grad(typed(function, (X,)))


def test_an_item_of_what_turns_out_to_be_a_tensor_is_refused():
    root, f = FuncGraph("root"), FuncGraph("f")
    x = root.parameter("x", abstract=KIND)
    f.output = f.parameter("a")
    root.output = root.apply(PRIMITIVES["getitem"], root.apply(f, x), 0)
    with pytest.raises(ir.GraphError, match="an item of a tensor"):
        ir.grad(root)(X)


def test_threads_change_no_bit():
    graph = ir.grad(typed(branch_in_loop, (X, Tensor(5))))
    wanted = bits(graph(X, Tensor(5)))
    for threads in itertools.chain((1, 3), (2,)):
        ms.set_context(runtime_num_threads=threads)
        assert bits(graph(X, Tensor(5))) == wanted

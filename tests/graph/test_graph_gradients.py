"""The gradient of a graph as a graph: bits of PyNative mode in every order, finite differences, text, refusals."""

from __future__ import annotations

import contextlib
import itertools

import numpy as np
import pytest
from test_graph_files import NETWORKS

import anfora as ms
from anfora import Tensor, ir, nn, ops
from anfora.core.abstract import TensorType
from anfora.core.errors import OpRuntimeError
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


class Doubling(nn.Cell):
    """A gradient of its own: not that of what it computes."""

    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 5,)


class Hooked(nn.Cell):
    def construct(self, x):
        y = x * x
        y.register_hook(lambda gradient: gradient * 3)
        return y * x


doubling, hooked = Doubling(), Hooked()


def tries(x):
    try:
        y = x * x
        int("no number")
    except ValueError:
        y = ops.exp(x) * y
    finally:
        y = y + x
    return y


def takes_with(x):
    with contextlib.suppress(KeyError):
        x = x * x
        {}[0]
    return x * x


def matches(x):
    match x.shape:
        case (1,):
            return x
        case _:
            return x * x * x


def generates(x):
    def parts():
        yield x * x
        yield ops.exp(x)

    return sum(parts())


def puts_into_an_object(x):
    class Box:
        pass

    box = Box()
    box.value = x * x
    return box.value * x


def fills_a_list(x):
    kept = []
    try:
        kept.append(x * x)
    finally:
        kept.append(x)
    return kept[0] * kept[1]


def writes_in_place(x):
    y = x * 2
    y[0] = 5.0
    return y * x


def writes_to_a_view(x):
    y = x * 2
    y[:2][0] = 5.0
    return y * x


def looks_at_data(x):
    return x * x if x.sum().item() > 0 else x


def has_rules_of_its_own(x):
    return doubling(x) * x + hooked(x)


def needs_examples(x):
    return ops.sort(x * x)[0] * x


#: With whether all of them is known before a run.
_ONLY_A_RUN_CAN_TELL = {
    tries: True, takes_with: True, matches: True, generates: True, fills_a_list: True, writes_in_place: True,
    writes_to_a_view: True, needs_examples: True, puts_into_an_object: False, looks_at_data: False,
    has_rules_of_its_own: False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("function", "made"),
    [
        *(pytest.param(each, ir.parse, id=f"{each.__name__}, parsed") for each in _ONLY_A_RUN_CAN_TELL),
        *(
            pytest.param(each, lambda function: typed(function, (X,)), id=f"{each.__name__}, typed")
            for each, is_known in _ONLY_A_RUN_CAN_TELL.items()
            if is_known
        ),
    ],
)
def test_what_only_a_run_can_tell_is_left_to_the_tape(function, made):
    """Bits of PyNative mode in the first three orders: called, evaluated, compiled, and read back."""
    graph, plain = made(function), function
    for _ in range(3):
        graph, plain = ir.grad(graph), ms.grad(plain)
        wanted = bits(plain(X))
        assert bits(graph(X)) == bits(ir.evaluate(graph, X)) == wanted
        compiled = ms.jit(graph)
        assert [bits(compiled(X)) for _ in range(3)] == [wanted] * 3
        names: dict = {}
        text = ir.complete(graph, names)
        assert bits(ir.read(text, names=names)(X)) == wanted
    value, gradient = ir.value_and_grad(made(function))(X)
    assert bits(value) == bits(function(X)) and bits(gradient) == bits(ms.grad(function)(X))


def silent_product(x):
    with ms.no_grad():
        y = ops.exp(x * 2)
        z = y * x
    return y * x + z


def silent_in_a_loop(x):
    total = x
    for _ in range(3):
        with ms.no_grad():
            total = total * x
        total = total + x * x
    return total


def silent_gradient(x):
    with ms.no_grad():
        g = ms.grad(lambda w: w * w * x)(x)
    return g * x


def silent_choice(x):
    with ms.no_grad():
        y = x * 2
        if y.sum() > 1:
            y = y * x
    return y * x


def gradient_of_what_is_silent(x):
    """The gradient that is taken inside computes with what was computed without a tape."""
    return ms.grad(silent_product)(x) * x


def value_and_gradient_of_what_is_silent(x):
    value, gradient = ms.value_and_grad(silent_product)(x)
    return value * gradient + ms.grad(ms.grad(silent_product))(x)


def gradients_inside_and_outside(x):
    with ms.no_grad():
        g = ms.grad(silent_product)(x)
        with ms.no_grad():
            g = g * x
        g = g + x
    return ms.grad(lambda w: silent_product(w) * g * w)(x) * g


@ms.no_grad()
def silent_function(x):
    return x * x + ms.grad(lambda w: w * w * x)(x)


def calls_a_silent_function(x):
    return ms.grad(lambda w: silent_function(w) * w)(x) * x


def silent_result(x):
    y = x * 3
    with ms.no_grad():
        return y * x


@pytest.mark.parametrize("made", [ir.parse, lambda function: typed(function, (X,))], ids=["parsed", "typed"])
@pytest.mark.parametrize(
    "function",
    [
        silent_product, silent_in_a_loop, silent_gradient, silent_choice, silent_result, gradient_of_what_is_silent,
        value_and_gradient_of_what_is_silent, gradients_inside_and_outside, calls_a_silent_function,
    ],
    ids=lambda each: each.__name__,
)  # fmt: skip
def test_what_is_computed_without_a_tape_is_a_constant(function, made):
    graph, plain = made(function), function
    for _ in range(2):
        graph, plain = ir.grad(graph), ms.grad(plain)
        wanted = bits(plain(X))
        assert bits(graph(X)) == bits(ir.evaluate(graph, X)) == bits(ms.jit(graph)(X)) == wanted


class Squares(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 2,)


squares = Squares()


def forward_mode(x):
    return ms.jvp(lambda q: q * q * q, (x,), (x,))[1] * x


def rules_in_a_gradient(x):
    return ms.grad(lambda y: squares(y) * y)(x) * x


@pytest.mark.parametrize("function", [forward_mode, rules_in_a_gradient])
def test_where_this_library_turns_the_tape_off_gradients_pass(function):
    found, wanted = ir.grad(typed(function, (X,)))(X), ms.grad(function)(X)
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-6)


class HasRulesOfItsOwn(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 3,)


own_rules = HasRulesOfItsOwn()


def goes_by_rules_of_its_own(x):
    return own_rules(x * 2) * x


def asks_for_a_history(x):
    y = x * 3
    return y * y if y.requires_grad else y


def is_followed(x):
    x = ops.stop_gradient(x)
    x.requires_grad = True
    return x


@pytest.mark.parametrize("function", [goes_by_rules_of_its_own, asks_for_a_history])
def test_what_depends_on_a_history_is_said_by_the_graph(function):
    """A graph is of the case that it was made for, which no gradient passes by."""
    with pytest.raises(OpRuntimeError, match="the program asks whether a tape follows this value"):
        ir.grad(typed(function, (X,)))(X)
    wanted = bits(ms.grad(function)(X))
    followed = typed(function, (is_followed(X),))
    assert bits(ir.grad(followed)(X)) == bits(ms.grad(followed)(X)) == bits(ir.grad(ir.parse(function))(X)) == wanted


def doubled(gradient):
    return gradient * 2


def puts_a_hook(x):
    y = x * 3
    y.register_hook(doubled)
    return y * x


def test_hooks_on_tensors_stand_in_the_graph():
    assert bits(ir.grad(typed(puts_a_hook, (X,)))(X)) == bits(ms.grad(puts_a_hook)(X))


@pytest.mark.parametrize(
    "graph",
    [unknown_types(), *map(python_in_it, (PRIMITIVES["mul"], lambda x, y: x * y, PRIMITIVES["getitem"]))],
    ids=["unknown types", "a primitive", "a function", "an item"],
)
def test_graphs_by_hand_of_which_only_a_run_can_tell(graph):
    assert bits(ir.grad(graph)(X)) == bits(ms.grad(graph)(X))


def test_effects_of_what_is_left_to_the_tape_happen_once(capsys):
    def function(x, y):
        try:
            print("here")
        finally:
            z = x * y
        return z, x

    by_both = ir.grad(ir.parse(function), ("y", "x"))
    by_y, by_x = by_both(X, X * 3)
    assert capsys.readouterr().out == "here\n"
    assert bits(by_y) == bits(X) and bits(by_x) == bits(X * 3 + 1)


@pytest.mark.parametrize("made_for", [X, is_followed(X)], ids=["a value", "what a tape follows"])
@pytest.mark.parametrize("function", [each for each, is_known in _ONLY_A_RUN_CAN_TELL.items() if not is_known])
def test_a_gradient_of_what_is_not_known_is_no_zero(function, made_for):
    """A part of a program that nobody has been to may use everything; that no tape followed is another case."""
    told = "has not been recorded here|only its name came along|asks whether a tape follows"
    with pytest.raises((ir.GraphError, OpRuntimeError), match=told):
        ir.grad(typed(function, (made_for,)))(X)


@pytest.mark.parametrize(
    "applied", [ops.sin, doubling, lambda x: x * x * x], ids=["an operator", "a Cell", "a function"]
)
def test_functions_of_which_no_graph_is_there(applied):
    """They come as constants, as arguments, from a container, and by a choice."""

    def apply(function, x):
        return function(x) * x

    def by_choice(x, flag):
        f = applied if flag else ops.exp
        return apply(f, x) + apply(applied, x)

    table = [applied]

    def by_item(x):
        def chosen():
            return table[0]

        return chosen()(x) * x

    assert bits(ir.grad(ir.parse(by_choice))(X, True)) == bits(ms.grad(by_choice)(X, True))
    assert bits(ir.grad(ir.parse(by_item))(X)) == bits(ms.grad(by_item)(X))
    assert bits(ir.grad(ir.parse(apply), "x")(applied, X)) == bits(ms.grad(apply, 1)(applied, X))


def test_containers_of_unknown_types_come_to_the_tape_as_they_are():
    def through(pair):
        def given(pair):
            return pair

        return given(pair)

    assert bits(ir.grad(ir.parse(through))((X, X * 2))) == bits(ms.grad(through)((X, X * 2)))
    assert isinstance(ir.grad(ir.parse(through))((X, X * 2)), tuple)


@pytest.mark.parametrize("position", [3, "w"])
def test_a_parameter_that_there_is_not_is_refused(position):
    with pytest.raises(ir.GraphError, match=f"has no parameter {position!r}"):
        ir.grad(python_in_it(ops.mul), position)


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

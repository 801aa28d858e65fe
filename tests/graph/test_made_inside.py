"""Objects of the library that are made inside of compiled functions: parameters, layers that hold them, tuples of them.

Each program is run by Python and compiled, call after call from one seed; results, what was kept outside, errors and the
state of the random numbers must be equal, and all that differs from call to call must do so too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from outcomes import bits

import anfora as ms
from anfora import Parameter, ParameterTuple, Tensor, nn, ops

PROGRAMS: dict[str, tuple[Callable[[], Callable], tuple[str, ...]]] = {}


def program(*hops: str) -> Callable:
    """Enter a program: what makes a function of a tensor; and the reasons why the interpreter is needed in it."""

    def enter(make: Callable[[], Callable]) -> Callable[[], Callable]:
        PROGRAMS[make.__name__] = make, hops
        return make

    return enter


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return Tensor(np.random.default_rng(seed).uniform(-2, 2, shape).astype(np.float32))


def shown(value: Any) -> Any:
    """All that can be seen of a value, layers and parameters included."""
    if isinstance(value, Parameter):
        state = value.name if value.is_named else None, value.requires_grad, value.is_leaf, type(value)
        return state, value.parallel_optimizer, bits(value.value()), shown(value.grad)
    if isinstance(value, nn.Cell):
        return type(value), [(name, shown(held)) for name, held in vars(value).items() if not name.startswith("_")]
    if isinstance(value, (tuple, list)):
        return type(value), [shown(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(name, shown(item)) for name, item in value.items()]
    if isinstance(value, Tensor):
        return bits(value), value.requires_grad
    return bits(value)


# -- parameters -------------------------------------------------------------------------------------------------------


@program()
def parameter_of_a_constant() -> Callable:
    return lambda x: x * Parameter(Tensor([1.0, 2.0, 3.0]), name="w")


@program()
def parameter_of_known_values() -> Callable:
    return lambda x: [Parameter([1, 2], name="n"), Parameter(2.5, requires_grad=False), Parameter((True, False)), x]


@program()
def parameter_of_what_was_computed() -> Callable:
    def run(x: Tensor) -> Any:
        w = Parameter(x * 2, name="w")
        y = x * w
        x += 1  # which has nothing to do with w
        return w, y, w.sum()

    return run


@program()
def parameter_of_a_parameter() -> Callable:
    own = Parameter(numbers(3), name="own")
    return lambda x: (Parameter(own), Parameter(own, name="other"), own + x)


@program()
def parameter_of_a_constant_that_was_written_to() -> Callable:
    def run(x: Tensor) -> Any:
        t = Tensor([1.0, 2.0])
        t[0] = x[0, 0]
        return Parameter(t, name="t")

    return run


@program()
def parameter_of_a_number_that_varies() -> Callable:
    scale = [0.5]

    def run(x: Tensor) -> Any:
        scale[0] = scale[0] * 1.5
        return Parameter(scale[0], name="scale") * x

    return run


@program()
def parameter_is_written_to() -> Callable:
    def run(x: Tensor) -> Any:
        w = Parameter(x, name="w")
        w.set_data(w * 2)
        ops.assign_add(w, x)
        return w, w * x

    return run


@program()
def unnamed_parameters() -> Callable:
    def run(x: Tensor) -> Any:
        v, w = Parameter(x), Parameter(x)
        return v is w, v.is_named, v, w

    return run


@program("Parameter.name")
def name_of_an_unnamed_parameter() -> Callable:
    return lambda x: (Parameter(x).name.startswith("Parameter#"), x)


@program()
def gradient_by_a_parameter_that_was_made() -> Callable:
    def run(x: Tensor) -> Any:
        w = Parameter(x * 3, name="w")
        return ms.grad(lambda v: (w * w * v).sum(), 0, w)(x), w

    return run


@program()
def parameter_is_made_in_a_gradient() -> Callable:
    def inside(v: Tensor) -> Tensor:
        return (Parameter(v * 2, name="w") * v + nn.Dense(3, 3)(v)).sum()

    return lambda x: ms.value_and_grad(inside)(x)


@program()
def tuples_of_parameters() -> Callable:
    net = nn.SequentialCell(nn.Dense(3, 3), nn.Dense(3, 2))

    def run(x: Tensor) -> Any:
        weights = ParameterTuple(net.trainable_params())
        more = ParameterTuple(p for p in (weights[0], Parameter(x, name="w")))
        return [w.name for w in more], len(weights), isinstance(more, ParameterTuple), more[1]

    return run


# -- layers -----------------------------------------------------------------------------------------------------------


@program()
def layers_of_ones() -> Callable:
    return lambda x: (nn.LayerNorm((3,))(x), nn.BatchNorm1d(3).set_train()(x), nn.PReLU()(x))


@program()
def layers_with_random_values() -> Callable:
    def run(x: Tensor) -> Any:
        y = nn.Dense(3, 4, activation="relu")(x)
        noise = ops.rand(2, 4)
        image = nn.Conv2d(1, 2, 3)(x.reshape(1, 1, 2, 3))
        return y, noise, image, nn.Embedding(5, 3)(Tensor([1, 2])), nn.LSTM(3, 2)(x.reshape(1, 2, 3))

    return run


INITIAL = (
    "normal",
    "uniform",
    "XavierUniform",
    "xavier_normal",
    "HeUniform",
    "he_normal",
    "VarianceScaling",
    "zeros",
    0.5,
)


@program()
def initial_values_by_name() -> Callable:
    return lambda x: [nn.Dense(3, 2, weight_init=init, bias_init="normal")(x) for init in INITIAL]


@program()
def initial_values_of_other_types() -> Callable:
    return lambda x: (nn.Dense(3, 2, dtype=ms.float16).weight, nn.Dense(3, 2, dtype=ms.float64).bias)


@program("the data of a tensor")
def initial_values_that_need_several_draws() -> Callable:
    return lambda x: (ops.rand(2), nn.Dense(3, 2, weight_init="truncatedNormal")(x), ops.rand(2))


@program()
def initial_values_that_the_program_gives() -> Callable:
    return lambda x: nn.Dense(3, 2, weight_init=x * 2, bias_init=Tensor([1.0, 2.0]))(x)


@program()
def layers_in_layers() -> Callable:
    def run(x: Tensor) -> Any:
        net = nn.SequentialCell(nn.Dense(3, 3), nn.CellList([nn.ReLU(), nn.Tanh()])[1], nn.LayerNorm([3]))
        net.set_train()
        names = [p.name for p in net.trainable_params()]
        return net(x), names, net[1].training, len(net), ms.grad(net)(x)

    return run


@program()
def gradient_by_the_parameters_of_a_layer() -> Callable:
    def run(x: Tensor) -> Any:
        layer = nn.Dense(3, 3)
        return ms.value_and_grad(lambda v: layer(v).sum(), None, layer.trainable_params())(x)

    return run


@program()
def layer_for_each_iteration() -> Callable:
    def run(x: Tensor) -> Any:
        made = []
        for _ in range(3):
            made.append(nn.Dense(3, 3))
            x = made[-1](x)
        return x, [layer.bias for layer in made], made[0] is made[1]

    return run


@program()
def layer_for_each_iteration_of_a_loop_on_data() -> Callable:
    def run(x: Tensor) -> Any:
        count = 0
        while ops.abs(x).sum() < 500:
            x = x * 1.5 + nn.Dense(3, 3)(x) * 0.001
            count += 1
        return x, count

    return run


@program()
def parameter_for_each_iteration_of_a_long_loop() -> Callable:
    def run(x: Tensor) -> Any:
        first = last = Parameter(Tensor([0.5, 1.0, 1.5]), name="w")
        for _ in range(600):
            last = Parameter(Tensor([0.5, 1.0, 1.5]), name="w")
            ops.assign_add(last, x[0] * 0.01)
            x = x + last * 0.001
        count = 0
        while x.sum() < 100000:
            x = x * Parameter(Tensor([1.01, 1.0, 1.02]), name="w")
            count += 1
        return x, first, last, first is last, count

    return run


@program()
def layer_behind_a_branch_on_data() -> Callable:
    def run(x: Tensor) -> Any:
        layer = nn.Dense(3, 3)
        if x.sum() > 0:
            return layer(x), layer.weight
        return layer(x) * 2 + nn.LayerNorm((3,))(x), layer

    return run


@program()
def layer_is_returned() -> Callable:
    return lambda x: (nn.SequentialCell(nn.Dense(3, 2), nn.LayerNorm((2,))), nn.MultiheadAttention(4, 2), x)


@program()
def layer_is_kept_outside() -> Callable:
    class Holder:
        layer: Any = None

    holder, kept, table = Holder(), [], {}

    def run(x: Tensor) -> Any:
        layer = nn.Dense(3, 3)
        holder.layer, table["layer"] = layer, layer
        kept.append(layer.weight)
        y = layer(x)
        return y, holder.layer is layer, kept, table

    return run


@program()
def layer_is_in_a_closure() -> Callable:
    def run(x: Tensor) -> Any:
        layer = nn.Dense(3, 3)

        def inner(v: Tensor) -> Tensor:
            return layer(v) + 1

        return inner(inner(x)), inner

    return lambda x: (lambda y, inner: (y, inner(y)))(*run(x))


@program("print")
def layer_lives_on_behind_a_hop() -> Callable:
    def run(x: Tensor) -> Any:
        layer = nn.Dense(3, 3)
        first = layer(x)
        print("")
        return first, layer(x), layer

    return run


@program("a call of anfora.nn.containers.SequentialCell")
def layer_of_outside_is_put_into_a_new_one() -> Callable:
    inner = nn.Dense(3, 3)

    def run(x: Tensor) -> Any:
        net = nn.SequentialCell(inner, nn.ReLU())
        return net(x), [p.name for p in inner.get_parameters()]

    return run


class Block(nn.Cell):
    def __init__(self, size: int, activation: nn.Cell | None = None) -> None:
        super().__init__()
        self.layer = nn.Dense(size, size)
        self.activation = activation or nn.ReLU()
        self.scale = Parameter(Tensor(2.0))
        self.shift, self.sizes = Tensor([1.0, 2.0, 3.0]), [size, size]

    def construct(self, x: Tensor) -> Tensor:
        return self.activation(self.layer(x)) * self.scale + self.shift


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.CellList([Block(3), Block(3, nn.Tanh())])
        self.head = nn.SequentialCell(nn.Dense(3, 2), nn.Sigmoid())

    def construct(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class OwnDense(nn.Dense):
    def __init__(self) -> None:
        super().__init__(3, 2)
        self.more = Parameter(Tensor([1.0]), name="own")

    def construct(self, x: Tensor) -> Tensor:
        return super().construct(x) + self.more


@program()
def cells_of_the_program() -> Callable:
    def run(x: Tensor) -> Any:
        net = Net().set_train()
        return net(x), [p.name for p in net.trainable_params()], net.head[1].training, OwnDense()(x), net

    return run


@program()
def gradient_by_the_parameters_of_a_cell_of_the_program() -> Callable:
    def run(x: Tensor) -> Any:
        net = Net()
        return ms.value_and_grad(lambda v: net(v).sum(), 0, net.trainable_params())(x)

    return run


@program()
def library_cell_around_a_cell_of_the_program() -> Callable:
    return lambda x: nn.WithLossCell(Block(3), nn.MSELoss())(x, x)


@program()
def parameter_of_a_cell_is_written_to_while_it_is_made() -> Callable:
    class Writes(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0, 3.0]))
            self.w = Tensor([3.0, 4.0, 5.0]) * 2

        def construct(self, x: Tensor) -> Tensor:
            self.w = self.w * 2
            return x * self.w

    return lambda x: Writes()(x)


@program()
def cell_of_the_program_with_a_gradient_of_its_own() -> Callable:
    class Own(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * 2

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple:
            return (dout * 10,)

    return lambda x: ms.grad(lambda v: Own()(v).sum())(x)


@program("a change of an attribute of Holds")
def cell_of_the_program_around_a_layer_from_outside() -> Callable:
    shared = nn.Dense(3, 3)

    class Holds(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = shared

        def construct(self, x: Tensor) -> Tensor:
            return self.inner(x)

    return lambda x: (Holds()(x), [p.name for p in shared.get_parameters()])


@program("a change of an attribute of Outer", "a change of an attribute of Named", "a call of print")
def cell_of_the_program_that_names_its_parameters_itself() -> Callable:
    class Named(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor([1.0]))

        def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
            print("named", end="")
            super().update_parameters_name(prefix + "own.", recurse)

    class Outer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Named()

    return lambda x: [p.name for p in Outer().get_parameters()]


@program("a call of print", "a change of an attribute of Interrupted")
def cell_of_the_program_with_a_hop_while_it_is_made() -> Callable:
    class Interrupted(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            layer = nn.Dense(3, 3)
            print("", end="")
            self.layer = layer

        def construct(self, x: Tensor) -> Tensor:
            return self.layer(x)

    return lambda x: (lambda net: (net(x), [p.name for p in net.trainable_params()]))(Interrupted())


@program()
def dict_of_an_object_that_was_made() -> Callable:
    class Plain:
        def __init__(self, value: Any) -> None:
            self.value = value

    def run(x: Tensor) -> Any:
        plain = Plain(x)
        table = plain.__dict__
        if x.sum() > 0:
            table["more"] = x + 1
        table["value"] = x * 2
        return plain.value, sorted(table), plain.__dict__ is table

    return run


@program("print")
def dict_of_an_object_lives_on_behind_a_hop() -> Callable:
    class Plain:
        value = 1

    def run(x: Tensor) -> Any:
        plain = Plain()
        table = plain.__dict__
        print("")
        table["value"] = x * 2
        return plain.value, plain.__dict__ is table

    return run


# -- errors -----------------------------------------------------------------------------------------------------------


class Uninitialised(nn.Cell):
    def __init__(self) -> None:
        self.layer = nn.Dense(3, 3)


ERRORS: dict[str, Callable] = {
    "lengths that are none": lambda x: nn.Dense(3, 0)(x),
    "a type that does not fit": lambda x: nn.LayerNorm(3)(x),
    "an unknown initializer": lambda x: nn.Dense(3, 2, weight_init="nonsense")(x),
    "a tensor of another shape": lambda x: nn.Dense(3, 2, weight_init=x)(x) if x.shape[0] > 2 else nn.Dense(4, 4)(x),
    "a bool": lambda x: Parameter(True),
    "a name that is none": lambda x: Parameter(x, name=3),
    "an empty name": lambda x: Parameter(x * 2, name=""),
    "a flag that is none": lambda x: Parameter(x, requires_grad=1),
    "no values": lambda x: Parameter("text"),
    "too many arguments": lambda x: nn.Dense(1, 2, 3, 4, 5, 6, 7, 8, 9),
    "what is no parameter": lambda x: ParameterTuple([x]),
    "a Cell that is not initialised": lambda x: Uninitialised(),
    "a Cell with arguments that do not fit": lambda x: Block(0),
    "inputs that do not fit": lambda x: nn.Dense(7, 2)(x),
}


# -- the tests --------------------------------------------------------------------------------------------------------


def run(function: Callable, way: Callable) -> tuple[list, list]:
    """Results of several calls, and how the random numbers stand afterwards."""
    ms.set_seed(5)
    results = []
    for seed in (0, 1, 0, 2):
        try:
            results.append(shown(way(function, numbers(2, 3, seed=seed))))
        except Exception as error:
            results.append((type(error), str(error)))
    return results, ms.get_rng_state().tolist()


def plainly(function: Callable, x: Tensor) -> Any:
    return function(x)


def without_tape(function: Callable, x: Tensor) -> Any:
    with ms.no_grad():
        return function(x)


def followed(function: Callable, x: Tensor) -> Any:
    """With a tape outside, whose walk back comes to what was made."""
    x.requires_grad = True
    result = function(x * 1)
    found = [each for each in leaves(result) if each.requires_grad and not each.is_leaf]
    if found:
        sum((each.astype(ms.float32).sum() for each in found), Tensor(0.0)).backward()
    return result, x.grad


def leaves(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return []


WAYS = {way.__name__: way for way in (plainly, without_tape, followed)}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_program(name: str, way: str) -> None:
    make, hops = PROGRAMS[name]
    ms.set_seed(1)
    expected = run(make(), WAYS[way])
    ms.set_seed(1)
    compiled = ms.jit(make())
    assert run(compiled, WAYS[way]) == expected
    assert compiled.program.native is None
    if way == "followed":
        return  # a gradient inside is left to the interpreter there, whatever is in it
    with ms.no_grad():
        report = ms.explain(compiled)(numbers(2, 3))
    assert [hop.reason for hop in report.hops if not any(each in hop.reason for each in hops)] == []
    assert bool(report.hops) is bool(hops)


@pytest.mark.parametrize("name", list(ERRORS))
def test_error(name: str) -> None:
    function = ERRORS[name]
    assert run(ms.jit(function), plainly) == run(function, plainly)


@pytest.mark.parametrize("name", list(ERRORS))
def test_error_that_the_program_looks_at(name: str) -> None:
    function = ERRORS[name]

    def run_it(x: Tensor) -> Any:
        try:
            return function(x)
        except Exception as error:
            return type(error), str(error)

    assert run(ms.jit(run_it), plainly) == run(run_it, plainly)


def test_each_call_makes_others() -> None:
    @ms.jit
    def make(x: Tensor) -> Any:
        layer = nn.Dense(3, 3)
        return layer, layer.weight, Parameter(x, name="w")

    x = numbers(2, 3)
    calls = [make(x) for _ in range(4)]
    for layer, weight, parameter in calls:
        assert layer.weight is weight and parameter.tolist() == x.tolist()
    for one in range(4):
        for other in range(one):
            assert all(a is not b for a, b in zip(calls[one], calls[other]))
            assert calls[one][1].tolist() != calls[other][1].tolist()
    calls[0][2].set_data(x * 0)
    assert calls[1][2].tolist() == x.tolist()


#: Objects of this library that a call makes, which are no layers, each with what is done with it outside.
OBJECTS: dict[str, tuple[Callable, Callable]] = {
    "gradient operation": (lambda x, r: ops.GradOperation(), lambda made, x: made(lambda v: v * v)(x)),
    "its function": (lambda x, r: ops.GradOperation()(lambda v: v * v * r), lambda made, x: made(x)),
    "gradient": (lambda x, r: ms.grad(lambda v: v * v * r), lambda made, x: made(x)),
    "mapped": (lambda x, r: ops.HyperMap(lambda v: v * r), lambda made, x: made([x, x])),
    "mapped once": (lambda x, r: ops.Map(lambda v: v * r), lambda made, x: made([x, x])),
    "compiled": (lambda x, r: ms.jit(lambda v: v * r), lambda made, x: made(x)),
    "compiled with options": (lambda x, r: ms.jit(fullgraph=True)(lambda v, k=r: v * k), lambda made, x: made(x)),
    "compiled method": (lambda x, r: ms.jit(_Scale(r).scale), lambda made, x: made(x)),
    "chosen by types": (lambda x, r: _chosen(r), lambda made, x: (made(x), made(2.0), len(made.entries))),
    "parameters": (lambda x, r: ms.ParameterTuple(()), lambda made, x: len(made)),
    "callback": (lambda x, r: ms.train.Callback(), lambda made, x: vars(made)),
    "operator": (lambda x, r: ops.Concat(0), lambda made, x: made((x, x))),
}


class _Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: Tensor) -> Tensor:
        return x * self.factor


def _chosen(factor: float) -> Any:
    chosen = ops.MultitypeFuncGraph("chosen")

    @chosen.register("Tensor")
    def of_tensors(x: Tensor) -> Tensor:
        return x * factor

    @chosen.register("Number")
    def of_numbers(x: float) -> float:
        return x + factor

    return chosen


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("has_hop", [False, True])
def test_each_call_makes_another_object(name: str, has_hop: bool) -> None:
    make, use = OBJECTS[name]
    can_be_marked = name not in ("parameters", "compiled method")

    def run(way: Callable) -> list:
        kept: list[Any] = []

        @way
        def program(x: Tensor, rate: float) -> Any:
            made = make(x, rate)
            if can_be_marked:
                made.mark = rate
            if has_hop:
                seen.append(x.sum().item())
            kept.append(made)
            return made, made is kept[-1], use(made, x)

        seen: list[float] = []
        told: list[Any] = []
        for n in range(4):
            x = Tensor([1.0 + n, 2.0])
            made, is_kept, used = program(x, 0.5 + n)
            marks = [each.mark for each in kept] if can_be_marked else []
            told.append((
                shown(used), is_kept, made is kept[-1], [made is each for each in kept], marks,
                [shown(use(each, x)) for each in kept],
            ))  # fmt: skip
        return told

    assert run(ms.jit) == run(lambda function: function)


def described(x: Tensor, n: int, made: Tensor) -> Any:
    return [Tensor(shape=(None, n), dtype=ms.float32), x + 1, made]


def one_alone(x: Tensor, n: int, made: Tensor) -> Any:
    return Tensor(dtype=ms.int32)


def printed_between(x: Tensor, n: int, made: Tensor) -> Any:
    kept = {n: Tensor(shape=(n, None), dtype=ms.float16)}
    print(n, end="")
    return kept, made.shape, x * n


def asked_for_data(x: Tensor, n: int, made: Tensor) -> Any:
    return x.new_tensor(None) if n % 2 else Tensor(shape=(None, 2), dtype=ms.float32) + x


def asked_within_a_try(x: Tensor, n: int, made: Tensor) -> Any:
    made = Tensor(shape=(n, None), dtype=ms.float32)
    try:
        return made * x
    except TypeError as error:
        return str(error), x + n


@pytest.mark.parametrize("function", [described, one_alone, printed_between, asked_for_data, asked_within_a_try])
def test_tensors_without_data(function: Callable) -> None:
    """They describe inputs, and may be made, kept and given back like others."""

    def outline(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [outline(item) for item in value]
        if isinstance(value, dict):
            return {key: outline(item) for key, item in value.items()}
        is_known = isinstance(value, Tensor) and min(value.shape, default=0) >= 0
        return bits(value) if is_known else (value.shape, value.dtype) if isinstance(value, Tensor) else value

    def called(function: Callable, n: int) -> Any:
        given = Tensor(shape=(None, 3), dtype=ms.float32)
        try:
            result = function(Tensor([1.0, 2.0]), n, given)
        except Exception as error:
            return type(error), str(error)
        return outline(result), isinstance(result, list) and result[-1] is given

    compiled = ms.jit(function)
    for n in (1, 2, 3, 3, 4):
        assert called(compiled, n) == called(function, n)


def test_made_parameters_are_trained_outside() -> None:
    def run(jit: Callable) -> Any:
        ms.set_seed(3)
        make = jit(lambda: nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1)))
        nets = [make() for _ in range(3)]
        optimizer = nn.Momentum(nets[-1].trainable_params(), 0.1, 0.9)
        step = ms.value_and_grad(lambda x: (nets[-1](x) ** 2).mean(), None, optimizer.parameters)
        for seed in range(4):
            _, gradients = step(numbers(2, 3, seed=seed))
            optimizer(gradients)
        return [shown(net) for net in nets]

    assert run(ms.jit) == run(lambda function: function)


def test_unnamed_parameters_get_a_name_when_they_are_asked_for_it() -> None:
    one, other = ms.jit(lambda x: (Parameter(x), Parameter(x)))(numbers(2))
    later = Parameter(1.0)
    names = [p.name for p in (later, other, one)]
    found = [int(name.removeprefix("Parameter#")) for name in names]
    assert found == [found[0], found[0] + 1, found[0] + 2] and [p.name for p in (later, other, one)] == names

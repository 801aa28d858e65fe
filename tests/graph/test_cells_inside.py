"""Cells with something around their `construct`, inside of compiled functions: hooks, another computing type, gradients of
their own. Each program is run by Python and compiled in several ways, call after call, with changes in between."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from outcomes import outcome

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.amp import auto_mixed_precision, custom_mixed_precision
from anfora.eager.tape import transforms
from anfora.graph.run.points import Hop
from anfora.nn import Cell


@dataclasses.dataclass
class Case:
    """A program: a function of tensors, what it is differentiated by, what happens between its calls, what it writes to."""

    function: Callable
    weights: Any = None
    changes: tuple[Callable, ...] = ()
    log: list = dataclasses.field(default_factory=list)
    shape: tuple[int, ...] = (2, 3)


#: Where something is left to the interpreter whichever way it is compiled.
EVERYWHERE = "value without_tape gradient_inside outside second_gradient"

PROGRAMS: dict[str, tuple[Callable[[], Case], tuple[str, ...]]] = {}


def program(hops: str = "") -> Callable:
    """Enter a program, with the ways to compile it in which something is left to the interpreter."""

    def enter(make: Callable[[], Case]) -> Callable[[], Case]:
        PROGRAMS[make.__name__] = make, tuple(hops.split())
        return make

    return enter


def numbers(shape: tuple[int, ...], seed: int = 0) -> Tensor:
    return Tensor(np.random.default_rng(seed).uniform(-2, 2, shape).astype(np.float32))


def dense(n: int = 3, m: int = 3, seed: int = 1) -> nn.Dense:
    layer = nn.Dense(n, m)
    layer.weight.set_data(numbers((m, n), seed))
    layer.bias.set_data(numbers((m,), seed + 1))
    return layer


# -- the ways ---------------------------------------------------------------------------------------------------------


def gradient(case: Case) -> Callable:
    return ms.value_and_grad(case.function, 0, case.weights)


def value(case: Case, jit: Callable) -> Callable:
    return jit(case.function)


def without_tape(case: Case, jit: Callable) -> Callable:
    def run(x: Tensor) -> Any:
        with ms.no_grad():
            return case.function(x)

    return jit(run)


def gradient_inside(case: Case, jit: Callable) -> Callable:
    return jit(lambda x: ms.value_and_grad(case.function, 0, case.weights)(x))


def gradient_outside(case: Case, jit: Callable) -> Callable:
    return ms.value_and_grad(jit(case.function), 0, case.weights)


def backward(case: Case, jit: Callable) -> Callable:
    compiled = jit(case.function)

    def run(x: Tensor) -> Any:
        x = x.copy().requires_grad_()
        for weight in case.weights or ():
            weight.grad = None
        total = compiled(x)
        total.backward(ops.ones_like(total))
        return total, x.grad, [weight.grad for weight in case.weights or ()]

    return run


def second_gradient(case: Case, jit: Callable) -> Callable:
    first = ms.grad(case.function)
    return jit(lambda x: ms.grad(lambda v: (first(v) * v).sum())(x))


WAYS = {
    way.__name__: way for way in (value, without_tape, gradient_inside, gradient_outside, backward, second_gradient)
}


def seen(way: Callable, make: Callable[[], Case], jit: Callable) -> list:
    """All that can be seen of the calls of a program."""
    ms.set_seed(1)
    case = make()
    function = way(case, jit)
    found = []
    for number, change in enumerate((lambda: None, *case.changes, lambda: None)):
        change()
        for call in range(2 + (number == 0)):
            found.append((outcome(function, numbers(case.shape, number + call)), [str(item) for item in case.log]))
    return found


def hops(programs: list) -> list[str]:
    """What is left to the interpreter, in some compiled functions."""
    found = []
    for compiled in programs:
        if compiled.native is not None:
            found.append(compiled.native)
        for point in (*compiled.entries.values(), *compiled.points.values()):
            found += [v.end.reason for v in point.variants if isinstance(v.end, Hop) and not v.end.is_native]
    return found


# -- another computing type -------------------------------------------------------------------------------------------


@program()
def layer_in_float16() -> Case:
    layer = dense().to_float(ms.float16)
    return Case(lambda x: layer(x) * 2, layer.trainable_params())


@program()
def net_in_bfloat16() -> Case:
    net = nn.SequentialCell(dense(), nn.ReLU(), nn.LayerNorm((3,)), dense(seed=5)).to_float(ms.bfloat16)
    return Case(lambda x: net(x).astype(ms.float32), net.trainable_params())


@program()
def type_changes_between_calls() -> Case:
    net = nn.SequentialCell(dense(), nn.Tanh(), dense(seed=4))
    changes = (
        lambda: net[0].to_float(ms.float16),
        lambda: net.to_float(ms.float16),
        lambda: net[2].to_float(ms.float32),
    )
    return Case(lambda x: net(x), net.trainable_params(), changes)


@program()
def parameters_freeze_in_a_lowered_cell() -> Case:
    layer = dense().to_float(ms.float16)

    def freeze() -> None:
        layer.bias.requires_grad = False

    def more() -> None:
        layer.scale = Parameter(numbers((3,), 9))

    return Case(lambda x: layer(x), [layer.weight], (freeze, more))


@program()
def running_averages_in_float16() -> Case:
    net = nn.SequentialCell(dense(), nn.BatchNorm1d(3)).to_float(ms.float16).set_train()
    return Case(lambda x: (net(x), net[1].moving_mean * 1)[0].astype(ms.float32), net.trainable_params(), shape=(4, 3))


@program()
def one_cell_twice_in_float16() -> Case:
    layer = dense().to_float(ms.float16)
    return Case(lambda x: layer(layer(x)), layer.trainable_params())


@program()
def lowered_cell_calls_itself() -> Case:
    class Again(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(numbers((3,)))

        def construct(self, x: Tensor, depth: int = 2) -> Tensor:
            return self(x * self.weight, depth - 1) if depth else x + self.weight

    net = Again().to_float(ms.float16)
    return Case(lambda x: net(x).astype(ms.float32), net.trainable_params())


@program()
def tied_weights_in_two_types() -> Case:
    one, other = dense(), dense()
    other.weight = one.weight
    one.to_float(ms.float16)
    return Case(lambda x: other(one(x).astype(ms.float32)), [one.weight, one.bias, other.bias])


@program()
def lowered_cell_reads_its_parameters() -> Case:
    class Reads(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(numbers((3,)))

        def construct(self, x: Tensor) -> Tensor:
            kinds = str(self.weight.dtype), isinstance(self.weight, Parameter), hasattr(self, "bias")
            return x * self.weight * len(kinds[0]) if not kinds[1] and not kinds[2] else x

    net = Reads().to_float(ms.float16)
    return Case(lambda x: net(x).astype(ms.float32), net.trainable_params())


@program()
def effect_inside_of_a_lowered_cell() -> Case:
    case = Case(lambda x: net(x).astype(ms.float32))

    class Notes(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(numbers((3,)))

        def construct(self, x: Tensor) -> Tensor:
            case.log.append(self.weight.dtype)
            return x * self.weight

    net = Notes().to_float(ms.float16)
    case.weights = net.trainable_params()
    return case


@program(EVERYWHERE)
def branch_inside_of_a_lowered_cell() -> Case:
    class Chooses(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * 2 if x.sum() > 0 else x * 3

    net = Chooses().to_float(ms.float16)
    return Case(lambda x: net(x).astype(ms.float32))


@program(EVERYWHERE)
def lowered_cell_looks_at_all_it_has() -> Case:
    class Looks(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(numbers((3,)))

        def construct(self, x: Tensor) -> Tensor:
            return x * len(list(self.get_parameters()))

    net = Looks().to_float(ms.float16)
    return Case(lambda x: net(x).astype(ms.float32))


@program()
def lowered_cell_writes_to_its_parameter() -> Case:
    class Writes(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(numbers((3,)))

        def construct(self, x: Tensor) -> Tensor:
            self.weight = self.weight * 2
            return x * 2

    net = Writes().to_float(ms.float16)
    return Case(lambda x: net(x).astype(ms.float32) + net.weight)


@program()
def refused_writing_to_a_converted_copy() -> Case:
    class Writes(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(numbers((3,)))

        def construct(self, x: Tensor) -> Tensor:
            ops.assign(self.weight, self.weight * 2)
            return x * 2

    net = Writes().to_float(ms.float16)
    return Case(lambda x: net(x))


@program()
def shapes_that_do_not_fit_in_float16() -> Case:
    net = nn.SequentialCell(nn.ReLU(), dense(4, 4)).to_float(ms.float16)
    return Case(lambda x: net(x))


@program()
def error_in_a_lowered_cell_is_caught() -> Case:
    layer = dense(4, 4).to_float(ms.float16)

    def run(x: Tensor) -> Tensor:
        try:
            return layer(x)
        except ValueError:
            return x * 2 + layer.weight.sum()

    return Case(run)


@program()
def numbers_and_nestings_are_given_to_a_lowered_cell() -> Case:
    class Takes(Cell):
        def construct(self, pair: tuple, scale: float, *, more: dict) -> Tensor:
            return pair[0] * scale + pair[1][0] * more["x"]

    net = Takes().to_float(ms.float16)
    scale = [0.5]
    return Case(
        lambda x: net((x, [x, 3]), scale[0], more={"x": x, "n": 2}).astype(ms.float32),
        changes=(lambda: scale.__setitem__(0, 0.25),),
    )


@program()
def automatic_mixed_precision() -> Case:
    net = nn.SequentialCell(dense(), nn.LayerNorm((3,)), nn.Softmax(), dense(seed=7))
    auto_mixed_precision(net, "auto")
    return Case(lambda x: net(x).astype(ms.float32).exp(), net.trainable_params())


@program()
def automatic_mixed_precision_of_a_function() -> Case:
    weight = Parameter(numbers((3, 3)))
    product = auto_mixed_precision(lambda x: (x @ weight, ops.softmax(x @ weight)), "auto")

    def run(x: Tensor) -> Tensor:
        one, other = product(x)
        return one.astype(ms.float32) + other @ weight

    return Case(run, [weight])


@program()
def effects_under_automatic_mixed_precision() -> Case:
    case = Case(lambda x: net(x).astype(ms.float32))

    class Notes(Cell):
        def construct(self, x: Tensor) -> Tensor:
            x = x @ x.T
            case.log.append((x @ x).dtype)
            return x @ x

    net = auto_mixed_precision(nn.SequentialCell(Notes(), nn.ReLU()), "auto")
    return case


@program()
def branches_under_automatic_mixed_precision() -> Case:
    net = auto_mixed_precision(nn.SequentialCell(dense()), "auto")

    def inside(x: Tensor) -> Tensor:
        y = net(x).astype(ms.float32)
        return y @ x.T if y.max() < 100 else y

    lowered = auto_mixed_precision(inside, "auto")
    return Case(lambda x: lowered(x).astype(ms.float32))


@program()
def mixed_precision_by_lists() -> Case:
    net = nn.SequentialCell(dense(), nn.LayerNorm((3,)), dense(seed=3))
    custom_mixed_precision(net, white_list=[nn.Dense])
    return Case(lambda x: net(x), net.trainable_params())


@program()
def level_o2_and_o3_later() -> Case:
    net = nn.SequentialCell(dense(), nn.LayerNorm((3,)), dense(seed=3))
    auto_mixed_precision(net, "O2")
    return Case(lambda x: net(x), net.trainable_params(), (lambda: auto_mixed_precision(net, "O3", ms.bfloat16),))


# -- forward hooks ----------------------------------------------------------------------------------------------------


@program()
def hooks_replace_arguments_and_output() -> Case:
    net = nn.SequentialCell(dense(), nn.ReLU())
    scale = Parameter(numbers((3,)))
    net[0].register_forward_pre_hook(lambda cell, args: (args[0] * scale,))
    net[0].register_forward_pre_hook(lambda cell, args: args[0] + 1)
    net[1].register_forward_hook(lambda cell, args, output: output - args[0])
    net[1].register_forward_hook(lambda cell, args, output: None)
    net.register_forward_hook(lambda cell, args, output: output * cell[0].weight.sum(), prepend=True)
    return Case(lambda x: net(x), [*net.trainable_params(), scale])


@program()
def hooks_come_and_go() -> Case:
    layer = dense()
    handles = []

    def add() -> None:
        handles.append(layer.register_forward_hook(lambda cell, args, output: output * 2))

    def first() -> None:
        handles.append(layer.register_forward_hook(lambda cell, args, output: output + 1, prepend=True))

    return Case(
        lambda x: layer(x), None, (add, first, add, lambda: handles[0].remove(), lambda: [h.remove() for h in handles])
    )


@program()
def one_hook_comes_and_goes_all_the_time() -> Case:
    layer = dense()

    def twice(cell: Cell, args: tuple, output: Tensor) -> Tensor:
        return output * 2

    handles: list = []

    def change() -> None:
        while handles:
            handles.pop().remove()
        handles.append(layer.register_forward_hook(twice))

    return Case(lambda x: layer(x), None, (change,) * 20)


@program()
def hooks_with_keywords() -> Case:
    class Scaled(Cell):
        def construct(self, x: Tensor, scale: float = 1.0, *, shift: Any = 0) -> Tensor:
            return x * scale + shift

    net = Scaled()
    net.register_forward_pre_hook(lambda cell, args, kwargs: (args, {**kwargs, "shift": 1}), with_kwargs=True)
    net.register_forward_hook(
        lambda cell, args, kwargs, output: (output * len(kwargs), kwargs["shift"])[0], with_kwargs=True
    )
    return Case(lambda x: net(x, scale=2.0, shift=x))


@program()
def hook_with_keywords_returns_nonsense() -> Case:
    layer = dense()
    layer.register_forward_pre_hook(lambda cell, args, kwargs: args, with_kwargs=True)
    return Case(lambda x: layer(x))


@program()
def hooks_write_a_log() -> Case:
    net = nn.SequentialCell(dense(), nn.ReLU())
    case = Case(lambda x: net(x))
    for cell in (net[1], net, net[0]):
        cell.register_forward_pre_hook(lambda cell, args: case.log.append(f"before {cell.cls_name} {args[0].shape}"))
        cell.register_forward_hook(lambda cell, args, output: case.log.append(f"after {cell.cls_name}"))
    return case


@program()
def hook_raises() -> Case:
    net = nn.SequentialCell(dense(), nn.ReLU())

    def check(cell: Cell, args: tuple) -> None:
        if args[0].shape[0] == 2:
            raise ValueError("two rows")

    net[1].register_forward_pre_hook(check)
    return Case(lambda x: net(x))


@program()
def operator_in_a_hook_fails() -> Case:
    net = nn.SequentialCell(dense(), nn.ReLU())
    net[1].register_forward_hook(lambda cell, args, output: output @ output)
    return Case(lambda x: net(x))


@program()
def hook_is_always_called() -> Case:
    case = Case(lambda x: outer(x))

    class Fails(Cell):
        def construct(self, x: Tensor) -> Tensor:
            if x.shape[0] == 2:
                raise KeyError("two rows")
            return x

    class Outer(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Fails()

        def construct(self, x: Tensor) -> Tensor:
            try:
                return self.inner(x)
            except KeyError:
                return x * 2

    outer = Outer()
    outer.inner.register_forward_hook(lambda cell, args, output: case.log.append(output), always_call=True)
    return case


@program(EVERYWHERE)
def hook_removes_itself() -> Case:
    layer = dense()
    handles: list = []

    def once(cell: Cell, args: tuple, output: Tensor) -> Tensor:
        handles[0].remove()
        return output * 2

    def add() -> None:
        handles[:] = [layer.register_forward_hook(once)]

    add()
    return Case(lambda x: layer(x), changes=(add, add))


@program(EVERYWHERE)
def construct_adds_a_hook() -> Case:
    class Grows(Cell):
        def construct(self, x: Tensor) -> Tensor:
            if x.shape[0] == 2 and len(self.cell_hooks) < 3:
                self.cell_hooks.append(self.register_forward_hook(lambda cell, args, output: output + 1))
            return x * 2

    net = Grows()
    net.__dict__["cell_hooks"] = []
    net.register_forward_hook(lambda cell, args, output: output * 3)
    return Case(lambda x: net(x))


@program()
def hooks_that_are_no_functions_of_the_program() -> Case:
    net = nn.SequentialCell(dense(), nn.ReLU())
    scale = functools.partial(lambda factor, cell, args, output: output * factor, 2.0)
    net[0].register_forward_hook(scale)
    net[0].weight.register_hook(ops.relu)
    net[0].bias.register_hook(functools.partial(ops.mul, 3.0))
    return Case(lambda x: net(x), net.trainable_params())


@program()
def precision_is_as_before_after_an_error() -> Case:
    net = auto_mixed_precision(nn.SequentialCell(nn.ReLU(), dense(4, 4)), "auto")

    def run(x: Tensor) -> Tensor:
        try:
            net(x)
        except ValueError:
            pass
        return x @ x.T

    return Case(run)


def wrong_index(around: Callable[[Callable], Callable]) -> Case:
    """A net whose errors come from data, in calls that were compiled before."""

    class Takes(Cell):
        def construct(self, x: Tensor, index: Tensor) -> Tensor:
            return ops.gather(x, index, 0)

    class Net(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Takes()

        def construct(self, x: Tensor, index: Tensor) -> Tensor:
            return self.inner(x * 2, index)

    net, index = Net(), [Tensor([0, 1], ms.int32)]
    return Case(
        around(lambda x: net(x, index[0])),
        changes=(
            lambda: index.__setitem__(0, Tensor([1, 7], ms.int32)),
            lambda: index.__setitem__(0, Tensor([1, 0], ms.int32)),
        ),
    )


@program()
def index_is_wrong_inside_of_cells() -> Case:
    return wrong_index(lambda function: function)


@program()
def error_of_an_index_is_caught() -> Case:
    def around(function: Callable) -> Callable:
        def run(x: Tensor) -> Tensor:
            try:
                return function(x)
            except IndexError as error:
                return x * len(str(error))

        return run

    return wrong_index(around)


@program()
def hook_is_always_called_when_an_index_is_wrong() -> Case:
    class Takes(Cell):
        def construct(self, x: Tensor, index: Tensor) -> Tensor:
            return ops.gather(x, index, 0)

    net, index = Takes(), [Tensor([0, 1], ms.int32)]
    case = Case(
        lambda x: net(x, index[0]),
        changes=(
            lambda: index.__setitem__(0, Tensor([1, 7], ms.int32)),
            lambda: index.__setitem__(0, Tensor([1, 0], ms.int32)),
        ),
    )
    net.register_forward_hook(
        lambda cell, args, output: case.log.append("raised") if output is None else None, always_call=True
    )
    return case


@program()
def hooks_are_objects_and_methods() -> Case:
    class Scale:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __call__(self, cell: Cell, args: tuple, output: Tensor) -> Tensor:
            return output * self.factor

        def shift(self, cell: Cell, args: tuple, output: Tensor) -> Tensor:
            return output + self.factor

    scale = Scale(2.5)
    layer = dense()
    layer.register_forward_hook(scale)
    layer.register_forward_hook(scale.shift)
    return Case(lambda x: layer(x), changes=(lambda: setattr(scale, "factor", 0.5),))


@program()
def one_hooked_cell_twice() -> Case:
    layer = dense()
    layer.register_forward_hook(lambda cell, args, output: output + args[0])
    return Case(lambda x: layer(layer(x)), layer.trainable_params())


@program()
def construct_is_replaced() -> Case:
    class Own(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * 2

    net = Own()
    net.register_forward_hook(lambda cell, args, output: output + 1)
    return Case(
        lambda x: net(x),
        changes=(
            lambda: setattr(net, "construct", lambda x: x * 3),
            lambda: setattr(net, "construct", lambda x: x * 4),
            lambda: delattr(net, "construct"),
            lambda: setattr(Own, "construct", lambda self, x: x * 5),
        ),
    )


@program()
def construct_of_a_bare_cell_is_replaced() -> Case:
    net = Cell()
    net.construct = lambda x: x * 2
    return Case(lambda x: net(x), changes=(lambda: setattr(net, "construct", lambda x: x * 3),))


@program()
def hooks_of_a_lowered_cell() -> Case:
    layer = dense().to_float(ms.float16)
    layer.register_forward_pre_hook(lambda cell, args: (args[0] * cell.weight.sum(),))
    layer.register_forward_hook(lambda cell, args, output: output.astype(ms.float32) + cell.bias)
    return Case(lambda x: layer(x), layer.trainable_params())


@program("value gradient_inside second_gradient outside")  # where a tape is on, the interpreter calls the Cell
def recomputed() -> Case:
    net = nn.SequentialCell(dense(), nn.ReLU(), dense(seed=4))
    net[0].recompute()
    net.recompute()
    return Case(lambda x: net(x), net.trainable_params())


@program()
def all_at_once() -> Case:
    class Inner(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.bprop = lambda x, out, dout: (self.layer(dout) * x,)
            self.layer = dense().to_float(ms.float16)

        def construct(self, x: Tensor) -> Tensor:
            return self.layer(x).astype(ms.float32)

    class Early(Cell):
        def __init__(self) -> None:
            self.bprop = lambda x, out, dout: (dout * 5,)
            super().__init__()

        def construct(self, x: Tensor) -> Tensor:
            return x.sin()

    inner, outer = Inner(), nn.SequentialCell(Early(), dense(seed=6))
    inner.register_forward_hook(lambda cell, args, output: outer(output) * args[0])
    inner.layer.register_forward_pre_hook(lambda cell, args: (args[0] + cell.bias,))
    inner.register_backward_hook(lambda cell, inputs, outputs: (outer(inputs[0]) + outputs[0],))
    auto_mixed_precision(outer, "auto")
    outer[1].weight.register_hook(lambda g: outer(g) * 2)
    return Case(
        lambda x: inner(x).astype(ms.float32) + inner(x * 2),
        outer.trainable_params(),
        (lambda: inner.layer.to_float(ms.bfloat16), lambda: outer.set_train(), lambda: inner.set_grad()),
    )


# -- Cells made inside, and called in ways of their own ---------------------------------------------------------------


@program()
def layers_without_parameters_are_made_inside() -> Case:
    def run(x: Tensor) -> Tensor:
        layers = [nn.ReLU(), nn.LeakyReLU(0.1), nn.Dropout(p=0.25).set_train()]
        for layer in layers:
            x = layer(x - 0.5)
        return nn.Softmax(-1)(x) + nn.MSELoss()(x, x * 2) + (layers[1] in layers)

    return Case(run)


@program()
def attributes_of_a_layer_made_inside_vary() -> Case:
    slope = [0.5]
    return Case(
        lambda x: nn.LeakyReLU(slope[0])(x) if x.ndim == 2 else nn.Softmax(0)(x),
        changes=(lambda: slope.__setitem__(0, 0.25), lambda: slope.__setitem__(0, 0.5)),
    )


@program()
def layer_with_parameters_is_made_inside() -> Case:
    return Case(lambda x: nn.LayerNorm((3,))(x) * x)


@program()
def cell_has_its_own_call() -> Case:
    class Twice(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layer = dense()

        def __call__(self, x: Tensor, times: int = 2) -> Tensor:
            for _ in range(times):
                x = super().__call__(x)
            return x

        def construct(self, x: Tensor) -> Tensor:
            return self.layer(x)

    net = Twice()
    net.register_forward_hook(lambda cell, args, output: output + 1)
    return Case(
        lambda x: net(x, times=3),
        net.trainable_params(),
        (lambda: setattr(Twice, "__call__", lambda self, x, times: self.layer(x) * times),),
    )


# -- gradients of the program's own -----------------------------------------------------------------------------------


@program()
def own_bprop() -> Case:
    class Clipped(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * x

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple:
            return (ops.clip(dout * 2 * x, -1.0, 1.0),)

    net, layer = Clipped(), dense()
    return Case(lambda x: net(layer(x)) * 2, layer.trainable_params())


@program()
def bprop_comes_later() -> Case:
    class Square(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * x

    net = Square()
    factor = [3.0]
    return Case(
        lambda x: net(x) + x,
        changes=(
            lambda: setattr(net, "bprop", lambda x, out, dout: (dout * factor[0],)),
            lambda: factor.__setitem__(0, 5.0),
            lambda: delattr(net, "bprop"),
            lambda: setattr(Square, "bprop", lambda self, x, out, dout: (dout * out,)),
        ),
    )


@program()
def bprop_of_several_tensors() -> Case:
    class Product(Cell):
        def construct(self, x: Tensor, y: Tensor, n: int) -> tuple:
            return x * y * n, x + y

        def bprop(self, x: Tensor, y: Tensor, n: int, out: tuple, dout: tuple) -> tuple:
            return dout[0] * y * n + dout[1], dout[0] * x, None

    net = Product()

    def run(x: Tensor) -> Tensor:
        one, other = net(x, x.sin(), 3)
        return one * 2 + other

    return Case(run)


@program()
def result_of_bprop_is_refused() -> Case:
    class Short(Cell):
        def construct(self, x: Tensor, y: Tensor) -> Tensor:
            return x * y

        def bprop(self, x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple:
            return (dout,)

    net = Short()
    return Case(lambda x: net(x, x))


@program()
def operator_in_bprop_fails() -> Case:
    class Wrong(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * 2

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple:
            return (dout @ dout,)

    net = nn.SequentialCell(nn.ReLU(), Wrong())
    return Case(lambda x: net(x))


@program()
def bprop_writes_a_log() -> Case:
    case = Case(lambda x: net(x * 2))

    class Notes(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * x

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple:
            case.log.append(dout.sum())
            return (dout * 2,)

    net = Notes()
    return case


@program()
def bprop_with_a_gradient_inside() -> Case:
    class Inner(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x.sin()

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple:
            return (dout * ms.grad(lambda v: (v**3).sum())(x),)

    net = Inner()
    return Case(lambda x: net(x * 2))


@program()
def input_is_given_back() -> Case:
    class Reverse(Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple:
            return (-dout,)

    reverse, layer = Reverse(), dense()
    return Case(lambda x: reverse(ops.relu(layer(x))) + reverse(x), layer.trainable_params())


@program()
def custom_vjp_function() -> Case:
    @ms.custom_vjp
    def double(x: Tensor) -> Tensor:
        return x * 2

    double.defbwd(lambda x, out, dout: (dout * 10,))
    return Case(lambda x: double(x) * x, changes=(lambda: double.defbwd(lambda x, out, dout: (dout * x,)),))


class Cube(ms.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * x * scale

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple:
        (x,) = ctx.saved_tensors
        return 3 * x * x * dy * ctx.scale * (2 if ctx.needs_input_grad[0] else 1), None


@program("outside")
def function_class() -> Case:
    return Case(lambda x: Cube.apply(x * 2, 0.5) + 1)


@program("outside")
def function_class_with_an_effect() -> Case:
    case = Case(lambda x: Noted.apply(x) + 1)

    class Noted(Cube):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            case.log.append(x.shape)
            return x * 2

        @staticmethod
        def backward(ctx: Any, dy: Tensor) -> Tensor:
            return dy * 3

    return case


# -- hooks on gradients -----------------------------------------------------------------------------------------------


@program()
def backward_hooks_of_a_cell() -> Case:
    layer = dense()
    scale = Parameter(numbers((3,)))
    handles = []

    def output(cell: Cell, gradients: tuple) -> tuple:
        return (gradients[0] * scale,)

    def inputs(cell: Cell, gradients: tuple, of_output: tuple) -> tuple:
        return (gradients[0] * 2 + of_output[0].sum(),)

    def add() -> None:
        handles.append(layer.register_backward_pre_hook(output))
        handles.append(layer.register_backward_hook(inputs))

    add()
    return Case(lambda x: layer(x * 2), layer.trainable_params(), (add, lambda: handles[0].remove()))


@program()
def backward_hook_writes_a_log() -> Case:
    layer = dense()
    case = Case(lambda x: layer(x * 2), layer.trainable_params())
    layer.register_backward_hook(lambda cell, grad_input, grad_output: case.log.append(grad_output[0].sum()))
    return case


@program()
def hook_on_a_tensor_on_the_way() -> Case:
    def run(x: Tensor) -> Tensor:
        y = x * 2
        y.register_hook(lambda g: g * 10)
        y.register_hook(lambda g: g + y)
        return y * y

    return Case(run)


@program()
def hooks_on_parameters() -> Case:
    layer = dense()
    handles = []

    def add() -> None:
        handles.append(layer.weight.register_hook(lambda g: g * 10))

    return Case(
        lambda x: layer(x) * 2,
        layer.trainable_params(),
        (add, add, lambda: handles.pop().remove(), lambda: handles.pop().remove()),
    )


@program("outside")
def hooks_on_what_is_differentiated_by() -> Case:
    own = numbers((2, 3), 8)
    handles: list = []
    return Case(
        lambda x: ms.grad(lambda v, w: (v * w * x).sum(), (0, 1))(own, x)[0] * x,
        changes=(
            lambda: handles.append(own.register_hook(lambda g: g * 10)),
            lambda: handles.append(own.register_hook(lambda g: g + own)),
            lambda: handles[0].remove(),
            lambda: handles[1].remove(),
        ),
    )


@program("value without_tape outside")
def hook_on_the_argument() -> Case:
    def run(x: Tensor) -> Tensor:
        x.register_hook(lambda g: g * 10)
        return x * x

    return Case(run)


@program(EVERYWHERE)
def hook_on_an_argument_that_has_hooks() -> Case:
    own = numbers((2, 3), 8)
    own.register_hook(lambda g: g + 1)

    def inside(v: Tensor) -> Tensor:
        v.register_hook(lambda g: g * 10)
        return v * v

    return Case(lambda x: ms.grad(inside)(own) * x + len(own.hooks()))


@program()
def hook_on_a_parameter_writes_a_log() -> Case:
    layer = dense()
    case = Case(lambda x: layer(x) * 2, layer.trainable_params())
    layer.weight.register_hook(lambda g: case.log.append(g.sum()))
    return case


# -- the tests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_program(name: str, way: str) -> None:
    make, left = PROGRAMS[name]
    compiled = []

    def jit(function: Any) -> Any:
        made = ms.jit(function)
        compiled.append(made.program)
        return made

    expected = seen(WAYS[way], make, lambda function: function)
    assert seen(WAYS[way], make, jit) == expected
    if way in left or (way in ("gradient_outside", "backward") and "outside" in left):
        assert hops(compiled)
    else:
        assert not hops(compiled)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_in_graph_mode(name: str) -> None:
    make, _ = PROGRAMS[name]
    expected = seen(lambda case, _: gradient(case), make, lambda function: function)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert seen(lambda case, _: gradient(case), make, lambda function: function) == expected
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


class Prints(Cell):
    """Needs the interpreter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(numbers((3,)))

    def construct(self, x: Tensor) -> Tensor:
        print("here")
        return x * self.weight


def test_refused_program_leaves_a_lowered_cell_as_it_was() -> None:
    net = Prints().to_float(ms.float16)
    with pytest.raises(RuntimeError, match="must be compiled as a whole"):
        ms.jit(lambda x: net(x), fullgraph=True)(numbers((2, 3)))
    assert net.weight.dtype is ms.float32 and isinstance(net.weight, Parameter)


def test_refused_gradient_ends() -> None:
    net = Prints()
    with pytest.raises(RuntimeError, match="must be compiled as a whole"):
        ms.jit(lambda x: ms.grad(net)(x), fullgraph=True)(numbers((2, 3)))
    assert transforms.depth == 0


def test_refused_bprop_is_shown() -> None:
    class Own(Prints):
        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
            print("here")
            return dout

        def construct(self, x: Tensor) -> Tensor:
            return x * 2

    net = Own()
    with pytest.raises(RuntimeError, match=r"in (test_refused_bprop_is_shown.<locals>.Own.)?bprop: a call of print"):
        ms.jit(lambda x: ms.grad(net)(x), fullgraph=True)(numbers((2, 3)))


def test_hooks_are_called_in_the_middle_of_what_is_compiled(capsys: pytest.CaptureFixture) -> None:
    layer = dense()
    layer.register_forward_hook(lambda cell, args, output: print("hook"))
    compiled = ms.jit(lambda x: ops.relu(layer(ops.sin(x))))
    with ms.no_grad():
        compiled(numbers((2, 3)))
        report = ms.explain(compiled)(numbers((2, 3)))
    assert [hop.text for hop in report.hops] == ['print("hook")']
    assert sorted(name for _, names in report.operators.items() for name in names) == ["dense", "relu", "sin"]
    assert capsys.readouterr().out == "hook\nhook\n"


class Counted(nn.Cell):
    """A Cell that makes up attributes, each time another one."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("made_up"):
            self.__dict__["asked"] += len(name)
            return self.asked
        return super().__getattr__(name)


class Refusing(Counted):
    def __getattr__(self, name: str) -> Any:
        raise KeyError(name)


@pytest.mark.parametrize("kind", [Counted, Refusing])
@pytest.mark.parametrize(
    "ask",
    [
        lambda cell, x: (x * cell.made_up, cell.asked, cell.made_up),
        lambda cell, x: (getattr(cell, "made_up", 5), hasattr(cell, "made_up_too"), cell.asked),
        lambda cell, x: (hasattr(cell, "nothing"), getattr(cell, "nothing", 3), x),
        lambda cell, x: cell.nothing,
        lambda cell, x: (
            cell.made_up,
            setattr(cell, "made_up", 7),
            cell.made_up,
            delattr(cell, "made_up"),
            x + cell.asked,
        ),
    ],
)
def test_attributes_that_a_cell_makes_up(kind: type, ask: Callable) -> None:
    """Also where the class gets the method, or another one, between two calls."""
    ours, pythons, compiled = kind(), kind(), ms.jit(ask)
    x = Tensor([1.0, 2.0])
    for _ in range(6):
        assert outcome(compiled, ours, x) == outcome(ask, pythons, x)
        assert ours.asked == pythons.asked
    method = kind.__getattr__
    kind.__getattr__ = lambda self, name: name
    try:
        for _ in range(2):
            assert outcome(compiled, ours, x) == outcome(ask, pythons, x)
    finally:
        kind.__getattr__ = method

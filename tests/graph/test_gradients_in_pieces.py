"""Gradients that a compiled function takes of functions in which pieces end: by branches, loops and hops.

Each program is run in PyNative mode and compiled, call by call on objects of its own; results, effects, errors and how the
tape stands afterwards must be the same, to the last bit.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import io
import os
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from outcomes import bits, hops, in_threads

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.eager.tape import transforms
from anfora.graph.machine.running import running
from anfora.graph.tell.watched import FallbackError
from anfora.kernel import glue


def t(*values: Any) -> Tensor:
    return Tensor(np.array(values, np.float32))


def s(value: float) -> Tensor:
    return Tensor(np.float32(value))


class Case(NamedTuple):
    """A program.

    Attributes:
        make: from `jit` to the function, with all that it changes as `effects`.
        calls: makes the arguments of the calls.
        hops: the reasons for which the interpreter is needed, each a part of one.
    """

    make: Callable
    calls: Callable[[], list[tuple]]
    hops: tuple[str, ...]


CASES: dict[str, Case] = {}

signs = lambda: [(t(1, 2),), (t(-1, -2),), (t(3, 1),), (t(-2, 1),)]  # noqa: E731
lengths = lambda: [(s(1.0),), (s(3.0),), (s(100.0),), (s(9.0),), (s(0.25),)]  # noqa: E731


def program(calls: Callable[[], list[tuple]] = signs, *hops: str) -> Callable:
    """A function without effects."""

    def add(function: Callable) -> Callable:
        CASES[function.__name__] = Case(lambda jit: (jit(function), None), calls, hops)
        return function

    return add


def factory(calls: Callable[[], list[tuple]] = signs, *hops: str) -> Callable:
    """A function that gives, for `jit`, the compiled function and an object that shows its effects."""

    def add(make: Callable) -> Callable:
        CASES[make.__name__] = Case(make, calls, hops)
        return make

    return add


# -- branches and loops -----------------------------------------------------------------------------------------------


def branching(v):
    if v.sum() > 0:
        return (v * v * v).sum()
    return (ops.sin(v) * 2).sum()


def halved(v):
    while (v * v).sum() > 1:
        v = v * 0.5
    return v.sum()


@program()
def branch(x):
    return ms.grad(branching)(x)


@program(lengths)
def loops_of_several_lengths(x):
    return ms.grad(halved)(x), ms.value_and_grad(halved)(x)


@program(lengths)
def loop_that_is_rolled(x):
    def f(v):
        y = v
        for k in range(300):
            y = y * 0.5 + k * 0.01 if y.sum() > 4 else y + v
        return y.sum()

    return ms.grad(f)(x)


@program(lengths)
def loop_with_break_and_continue(x):
    def f(v):
        total = v * 0
        for k in range(6):
            if total > 20:
                break
            if k == 3:
                continue
            total = total + v * k
        return total * v

    return ms.grad(f)(x)


@program()
def conditions_in_conditions(x):
    def f(v):
        y = v * 2 if v[0] > 0 else v * 3
        if y.sum() > 5 and v[1] > 1:
            y = y * y
        elif not y.max() < 2:
            y = -y
        return y.sum()

    return ms.grad(f)(x), ms.value_and_grad(f)(x * 2)


@program(lambda: [(s(0.5),), (s(2.0),), (s(-1.0),), (s(3.0),)])
def second_and_third_order(x):
    def f(v):
        return v**4 if v > 1 else v**3 + v

    return ms.grad(ms.grad(f))(x), ms.grad(ms.grad(ms.grad(f)))(x)


@program(lambda: [(s(0.5),), (s(2.0),), (s(-1.0),), (s(3.0),)])
def gradient_between_branches(x):
    def inner(v):
        return v**3 if v > 1 else ops.exp(v)

    def outer(v):
        g = ms.grad(inner)(v)
        return g * v if g > 2 else g + v * v

    return ms.value_and_grad(outer)(x)


@program(lengths)
def newton_steps(x):
    def f(v):
        return (v - 2) ** 2 if v > 0 else v * v

    for _ in range(3):
        x = x - ms.grad(f)(x) / ms.grad(ms.grad(f))(x)
    return x


@program(lengths)
def descent_until_it_is_small(x):
    def f(v):
        return (v * v).sum() if v > 0 else (-v).sum()

    steps = 0
    g = ms.grad(f)(x)
    while ops.abs(g) > 0.5:
        x = x - 0.3 * g
        g = ms.grad(f)(x)
        steps += 1
    return x, steps


@program()
def without_a_tape_inside(x):
    def f(v):
        with ms.no_grad():
            w = v * 3 if v.sum() > 0 else v * 5
        return v * w

    return ms.grad(f)(x)


@program()
def stopped_inside(x):
    def f(v):
        w = ops.stop_gradient(v * v)
        return (v * w if w.sum() > 3 else v + w).sum()

    return ms.grad(f)(x)


@program()
def nothing_depends_on_it(x):
    def f(v):
        return x * 2 if v.sum() > 0 else ops.stop_gradient(v)

    return ms.value_and_grad(f)(x)


# -- arguments and results --------------------------------------------------------------------------------------------


@program()
def value_and_what_is_beside_it(x):
    def f(v, scale):
        y = v * scale if v.sum() > 0 else -v
        return y.sum(), {"y": y, "twice": [y, y * 2]}, "text"

    value = ms.value_and_grad(f, has_aux=True)(x, 2.0)
    return value, ms.grad(f, has_aux=True)(x, 3.0)


@program()
def several_positions(x):
    def f(a, b, n, c=None):
        return (a * b * n).sum() if a.sum() > 0 else (a - b).sum() + c.sum()

    y = x + 1
    return ms.grad(f, (0, 1))(x, y, 2, x), ms.grad(f, 1)(x, y, 2, c=y), ms.grad(f, (0, 3))(x, y, 2, c=x)


@program()
def by_name_and_with_ids(x):
    def f(a, *more, scale=1.0):
        return (a * scale).sum() if a.sum() > 0 else sum(m.sum() for m in more) * a.sum()

    return ms.grad(f, (0, 1), return_ids=True)(x, x * 2, scale=3), ms.grad(f)(x, x, x, scale=x)


class Pair(typing.NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Box:
    inside: Any
    name: str


@program(lambda: [({"a": t(1, 2), "b": [t(3), (t(4), 5)]},), ({"a": t(-1, -2), "b": [t(-3), (t(4), 5)]},)] * 2)
def containers(tree):
    def f(v):
        y = v["a"].sum() * v["b"][0]
        return y.sum() if y.sum() > 0 else (y * v["b"][1][0] * v["b"][1][1]).sum()

    return ms.grad(f)(tree), ms.value_and_grad(f)({"b": tree["b"], "a": tree["a"] * 2})


@program()
def records(x):
    def f(pair, box):
        return (pair.a * box.inside).sum() if pair.b.sum() > 0 else (pair.b * pair.b).sum()

    found = ms.grad(f, (0, 1))(Pair(x, x * 2), Box(x + 1, "box"))
    return found[0], type(found[0]).__name__, found[1].inside, found[1].name


boxes = lambda: [(Box(t(1, 2), "a"), t(1)), (Box(t(-1, -2), "a"), t(2)), (Box(t(3, 4), "a"), t(3))]  # noqa: E731


@program(boxes)
def records_from_outside(box, x):
    """Their tensors were those of the first call in each later one."""

    def square(b):
        return (b.inside * b.inside).sum()

    def f(b):
        return square(b) if b.inside.sum() > 0 else b.inside.sum()

    with_aux = ms.value_and_grad(lambda v: (v * v, box), has_aux=True)(x)[0]
    return ms.grad(f)(box).inside, ms.grad(square)(box).inside, with_aux[0], with_aux[1].inside


@dataclasses.dataclass
class Counted:
    inside: Any
    made: typing.ClassVar[int] = 0

    def __post_init__(self) -> None:
        type(self).made += 1


@program(signs, "containers that the compiler cannot look into", "a call of")
def records_that_are_made_with_effects(x):
    """A gradient makes one anew for what is differentiated by, and one for the gradients."""
    before = Counted.made
    found = ms.grad(lambda b: (b.inside * b.inside).sum())(Counted(x))
    return found.inside, Counted.made - before


@program(
    lambda: [(collections.OrderedDict(a=t(1, 2)),), (collections.OrderedDict(a=t(3, 4)),)],
    "look into",
    "getitem of a value",
)
def other_mappings(tree):
    return ms.grad(lambda v: sum(v.values()).sum() if sum(v.values()).sum() > 5 else sum(v["a"] ** 2))(tree)["a"]


@program()
def gradients_of_the_result(x):
    def f(v):
        return v * v if v.sum() > 0 else v * 3

    sens = x * 0.5
    found = ops.GradOperation(sens_param=True)(f)(x, sens)
    return found, ops.GradOperation(get_all=True)(f)(x), ms.value_and_grad(f, sens_param=True)(x, sens=sens)


@program()
def one_tensor_in_many_places(x):
    def f(a, b):
        c = a * b if a.sum() > 0 else a + b
        return c, c, a, x

    return ms.value_and_grad(f, (0, 1))(x, x)


@program(lambda: [(t(1, 2), 0.5), (t(-1, 2), 0.25), (t(-5, 2), 0.75), (t(1, 2), 3.0), (t(-1, -2), 4.5)])
def numbers_that_vary(x, rate):
    def f(v, r):
        return (v * r).sum() if v.sum() > 0 else (v * v).sum() / r

    return ms.grad(f)(x, rate), ms.grad(f)(x, rate * 2)


@program(lambda: [(t(1, 2), n) for n in (1, 4, 2, 3, 0)] + [(t(-1, 2), 2)])
def counts_that_vary(x, n):
    def f(v):
        for _ in range(n):
            v = v * 2 if v.sum() < 20 else v + 1
        return v.sum()

    return ms.grad(f)(x)


# -- what is around ---------------------------------------------------------------------------------------------------


@factory()
def weights_and_inputs(jit):
    w, b = Parameter(t(1, 2), name="w"), Parameter(t(3, -3), name="b")

    def f(v):
        y = v * w
        return (y * y).sum() if y.sum() > 0 else (y + b * w).sum()

    gradient = ms.value_and_grad(f, 0, (w, b))
    lone = ms.grad(f, None, w)
    return jit(lambda x: (gradient(x), lone(x), ms.grad(f, None, [b, w])(x))), (w, b)


@factory()
def training_with_a_condition(jit):
    ms.set_seed(3)
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Tanh(), nn.Dense(3, 1))
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)

    def loss(x):
        y = net(x)
        return (y * y).mean() if y.sum() > 0 else ops.abs(y).mean() * 2

    gradients = ms.value_and_grad(loss, None, optimizer.parameters)

    def step(x):
        value, found = gradients(x)
        optimizer(found)
        return value

    return jit(lambda x: step(x.reshape((1, 2)))), list(net.trainable_params())


@factory()
def cells_with_conditions(jit):
    class Gated(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(t(1, -1), name="w")
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            if (x * self.w).sum() > 0:
                return x * self.w
            return x + self.w

    net = Gated()
    return jit(lambda x: (ms.grad(net, 0, net.trainable_params())(x), net.calls)), net.w


@factory()
def changes_outside(jit):
    seen: list = []
    counts = {"up": 0, "down": 0}
    last = None

    def f(v):
        nonlocal last
        if v.sum() > 0:
            counts["up"] += 1
            seen.append(v * 2)
        else:
            counts["down"] += 1
        last = v.sum()
        return (v * v * counts["up"]).sum()

    def run(x):
        return ms.grad(f)(x), len(seen), dict(counts), last, last.requires_grad

    return jit(run), (seen, counts)


@factory(signs, "print")
def printing(jit):
    def f(v):
        print("called", v.shape)
        return (v * v).sum()

    return jit(lambda x: ms.grad(f)(x)), None


@program(signs, "asnumpy", "Tensor of a value", "mul of a value")
def through_numpy(x):
    return ms.grad(lambda v: (v * Tensor(v.asnumpy() * 2)).sum())(x)


@program(lengths)
def through_a_number(x):
    def f(v):
        n = int(v)
        return v * n if n > 2 else v**3

    return ms.grad(f)(x), ms.grad(ms.grad(f))(x)


class Slotted:
    __slots__ = ("inside",)

    def __init__(self, inside):
        self.inside = inside


@program(signs, "an object of type Slotted")
def objects_that_cannot_be_put_down(x):
    """The gradient alone is done by Python as it is."""

    def f(v):
        box = Slotted(v * 2)
        return (box.inside * v).sum() if box.inside.sum() > 0 else box.inside.sum()

    return ms.grad(f)(x) * 2 if x[1] > 0 else x + 1


@program()
def inner_functions(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + 1
        return v * total

    def f(v):
        while v.sum() < 10:
            v = add(ops.abs(v) + 1)
        return [add(v) for _ in range(2)][1].sum()

    return ms.grad(f)(x), total


@program()
def generators_and_lists(x):
    def f(v):
        parts = [v]
        while parts[-1].sum() < 8 and len(parts) < 5:
            parts.append(parts[-1] + ops.abs(v) * len(parts))
        return sum((part * k).sum() for k, part in enumerate(parts))

    return ms.grad(f)(x)


@program()
def recursion_inside(x):
    def power(v, n):
        if n == 0:
            return v
        return power(v * 2 if v.sum() < 4 else v * 0.5, n - 1) * v

    return ms.grad(power)(x, 4)


@program()
def written_in_place(x):
    def f(v):
        y = v * 2
        if y.sum() > 0:
            y[0] = v[1] * v[1]
        y += v
        return (y * v).sum() if y[1] > 0 else y.sum()

    return ms.grad(f)(x)


@program()
def views(x):
    def f(v):
        first, rest = v[0], v[1:]
        if first > 0:
            return (first * rest).sum()
        return (v.reshape((1, -1))[:, 0] * rest[0]).sum()

    return ms.grad(f)(x), ms.grad(ms.grad(lambda v: f(v) * f(v)))(x)


@program()
def random_numbers(x):
    def f(v):
        y = ops.dropout(v, 0.5) if v.sum() > 0 else v * ops.rand(2)
        return (y * y).sum()

    return ms.grad(f)(x), ops.rand(1)


@factory()
def history_that_leaves(jit):
    kept: list = []

    def f(v):
        kept.append(v * v)
        return kept[-1].sum() if v.sum() > 0 else v.sum()

    def run(x):
        value = ms.value_and_grad(f)(x)
        return value, kept[-1].requires_grad, kept[-1] * 2

    return jit(run), kept


# -- exceptions -------------------------------------------------------------------------------------------------------


@program()
def error_that_comes_out(x):
    def f(v):
        if v.sum() < 0:
            raise ValueError("negative")
        return v.sum()

    return ms.grad(f)(x)


@program()
def error_that_is_caught_around(x):
    def f(v):
        y = v * 2
        if v.sum() < 0:
            raise ValueError("negative", 1)
        return y.sum()

    try:
        found = ms.grad(f)(x)
    except ValueError:
        found = x * 3
    y = x * 2
    return found, y.requires_grad, ms.grad(lambda v: (v * y).sum())(x)


@program()
def error_that_is_caught_inside(x):
    def f(v):
        try:
            if v.sum() < 0:
                raise KeyError("negative")
            return v.sum()
        except KeyError:
            return (v * v).sum()
        finally:
            v = v * 2

    return ms.grad(f)(x)


class Lazy:
    def __init__(self, x):
        self.x = x

    @property
    def slope(self):
        return ms.grad(self.loss)(self.x)

    def loss(self, v):
        if v.sum() < 0:
            raise AttributeError("none for negative ones")
        return (v * v).sum()

    def __iter__(self):
        return self

    def __next__(self):
        self.x = self.x - 2

        def f(v):
            if v.sum() < -3:
                raise StopIteration
            return (v * v).sum()

        return ms.grad(f)(self.x)


@program()
def error_that_python_takes_for_an_answer(x):
    """No handler is to be seen in the program."""
    lazy = Lazy(x)
    y = x * 2
    return getattr(lazy, "slope", y), hasattr(lazy, "slope"), (x * 2).requires_grad


@program()
def error_that_ends_a_loop(x):
    y = x
    for slope in Lazy(x):
        y = y + slope
    return y, (x * 2).requires_grad


@program()
def error_of_an_operator(x):
    def f(v):
        if v.sum() < 0:
            return ops.matmul(v.reshape((2, 1)), v.reshape((2, 1))).sum()
        return v.sum()

    return ms.grad(f)(x)


@program(
    lambda: [
        (t(1, 2), Tensor([0, 1])), (t(-1, 2), Tensor([1, 5])), (t(1, 2), Tensor([7, 0])), (t(3, 2), Tensor([1, 1])),
    ],
    "error of",
)  # fmt: skip
def error_that_depends_on_data(x, index):
    def f(v):
        y = v * 2 if v.sum() > 0 else v
        return (ops.gather(y, index, 0) * v).sum()

    return ms.grad(f)(x)


@program()
def error_on_the_way_back(x):
    def f(v):
        y = v * 1
        z = y * y
        if v.sum() < 0:
            y[0] = 5.0
        return z.sum()

    return ms.grad(f)(x)


@program()
def error_of_the_result(x):
    return ms.value_and_grad(lambda v: v.sum() if v.sum() > 0 else 3.0)(x)


@program()
def error_of_the_form_of_the_result(x):
    return ms.value_and_grad(lambda v: (v.sum(), v) if v.sum() > 0 else v.sum(), has_aux=True)(x)


@program()
def error_inside_of_two_gradients(x):
    def f(v):
        if v.sum() < 0:
            raise ZeroDivisionError("inner")
        return (v * v * v).sum()

    def outer(v):
        try:
            return ms.grad(f)(v).sum()
        except ZeroDivisionError:
            return (v * v).sum()

    return ms.grad(outer)(x), ms.grad(f)(x)


@factory(signs, "print")
def error_behind_a_hop(jit):
    def f(v):
        print("before")
        return v.sum() if v.sum() > 0 else v.nothing

    return jit(lambda x: ms.grad(f)(x)), None


# -- tests ------------------------------------------------------------------------------------------------------------


def observed(function: Callable, effects: Any, args: tuple) -> Any:
    """What a call gives or raises, what it prints, what it has changed, and how the tape stands."""
    printed = io.StringIO()
    result: Any
    with contextlib.redirect_stdout(printed):
        try:
            result = plain(function(*args))
        except Exception as error:
            result = type(error), str(error)
    state = transforms.depth, glue.is_recording(), len(transforms.touched), len(running.gradients)
    return result, printed.getvalue(), plain(effects), plain(args), state


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return bits(value), value.requires_grad
    if isinstance(value, (tuple, list)):
        return type(value), [plain(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(key, plain(item)) for key, item in value.items()]
    return bits(value)


@pytest.mark.parametrize("name", CASES)
def test_as_pynative_mode(name):
    case = CASES[name]
    ms.set_seed(1)
    function, effects = case.make(lambda f: f)
    expected = [observed(function, effects, args) for _ in range(3) for args in case.calls()]
    ms.set_seed(1)
    compiled, effects = case.make(ms.jit)
    found = [observed(compiled, effects, args) for _ in range(3) for args in case.calls()]
    assert found == expected
    assert compiled.program.native is None
    reasons = set(hops(compiled))
    assert len(reasons) == len(case.hops) and all(any(part in reason for reason in reasons) for part in case.hops)


@pytest.mark.parametrize(
    "name", ["descent_until_it_is_small", "newton_steps", "loop_that_is_rolled", "recursion_inside"]
)
def test_beside_automata(name, counts):
    test_as_pynative_mode(name)


def tensors_of(value: Any) -> list[Tensor]:
    return [x for x in ms.core.tree.tensors(value) if x.dtype is ms.float32]


#: With one tensor as argument, and without errors and hops, which `test_as_pynative_mode` looks at. The step of an
#: optimizer makes an error of what is walked back behind it.
PLAIN = [
    name
    for name, case in CASES.items()
    if not case.hops
    and "error" not in name
    and "training" not in name
    and all(len(a) == 1 and isinstance(a[0], Tensor) for a in case.calls())
]


@pytest.mark.parametrize("name", PLAIN)
def test_under_a_tape_outside(name):
    case = CASES[name]

    def results(jit: Callable) -> list:
        ms.set_seed(1)
        function, effects = case.make(jit)

        def total(x):
            return sum((y * y).sum() for y in tensors_of(function(x)))

        def walked(x):
            x = x.copy().requires_grad_()
            y = sum((y * y).sum() for y in tensors_of(function(x)))
            if y.requires_grad:
                y.backward()
            return y, x.grad

        ways = (ms.grad(total), ms.grad(lambda x: ms.grad(total)(x).sum()), walked)
        return [observed(way, effects, args) for _ in range(3) for args in case.calls() for way in ways]

    assert results(ms.jit) == results(lambda f: f)


@pytest.mark.parametrize(
    "name", ["branch", "loops_of_several_lengths", "second_and_third_order", "views", "containers"]
)
def test_what_has_been_seen_is_not_recorded_again(name):
    case = CASES[name]
    compiled, _ = case.make(ms.jit)
    for _ in range(4):
        for args in case.calls():
            compiled(*args)
    before = compiled.program.recordings
    for args in case.calls():
        compiled(*args)
    assert compiled.program.recordings == before


# -- what is told -----------------------------------------------------------------------------------------------------


def all_kinds(x):
    return ms.grad(branching)(x), ms.value_and_grad(halved)(x), ms.grad(lambda v: ms.grad(branching)(v).sum())(x)


def test_fullgraph_takes_them():
    strict = ms.jit(all_kinds, fullgraph=True)
    for _ in range(3):
        for args in signs():
            assert plain(strict(*args)) == plain(all_kinds(*args))
    assert strict.program.native is None


@pytest.mark.parametrize("level", ["fullgraph", "STRICT"])
def test_what_needs_the_interpreter_in_them_is_refused_before_it_is_done(level):
    done = []
    end, pipe = os.pipe()
    os.write(pipe, b"x")  # there is something to read

    def f(v):
        y = v * 2 if v.sum() > 0 else v
        os.write(pipe, b"x") if level == "fullgraph" else done.append(1)
        return y.sum()

    options = {"fullgraph": True} if level == "fullgraph" else {"jit_syntax_level": "STRICT"}
    strict = ms.jit(lambda x: ms.grad(f)(x), **options)
    for _ in range(3):
        for args in signs():
            with contextlib.suppress(FallbackError):
                strict(*args)
            assert transforms.depth == 0 and not running.gradients
    done.clear()
    os.read(end, 100)
    with pytest.raises(FallbackError):
        strict(*signs()[0])
    os.close(pipe)
    written = os.read(end, 100)
    os.close(end)
    assert done == [] and written == b""


def logging(v):
    SEEN.append(1)
    return branching(v)


def dropping(v):
    y = ops.dropout(v, 0.5)
    return (y * v if v.sum() > 0 else y).sum()


def sums_up(x, n):
    return x if n == 0 or x.sum() > 100 else sums_up(x + 1, n - 1) * 1


SEEN: list[int] = []
#: What cannot be written down where it looks at data, so that the first call is not recorded there.
UNKEPT = {
    "a gradient": ms.grad(branching),
    "a second derivative": lambda x: ms.grad(lambda v: ms.grad(branching)(v).sum())(x),
    "a change of a list in front of the branch": ms.grad(logging),
    "random numbers": ms.grad(dropping),
    "all examples at once": lambda x: ms.vmap(branching)(ops.stack([x, -x])),
    "a loop": lambda x: sum(ms.grad(branching)(x * i) for i in range(5)),
    "calls of itself": lambda x: sums_up(x, 40),
}


@pytest.mark.parametrize("name", UNKEPT)
def test_the_first_call_refuses_as_later_ones_do(name, capsys):
    def then_print(x):
        found = UNKEPT[name](x)
        min(x)
        print("done")
        return found

    strict = ms.jit(then_print, fullgraph=True)
    told = []
    for _ in range(3):
        with pytest.raises(FallbackError) as caught:
            strict(t(1, 2))
        told.append(str(caught.value))
    assert capsys.readouterr().out == "" and told == [told[0]] * 3
    assert "2 things need" in told[0] and "min(x)" in told[0] and "print" in told[0]


@pytest.mark.parametrize("name", UNKEPT)
def test_the_first_call_of_a_strict_function_gives_what_later_ones_give(name):
    strict = ms.jit(lambda x: UNKEPT[name](x), fullgraph=True)
    for x in (t(1, 2), t(2, 2), t(-1, -2)):
        ms.set_seed(3)
        want = plain(UNKEPT[name](x))
        ms.set_seed(3)
        assert plain(strict(x)) == want
    assert not transforms.depth and not running.gradients


class Doubling(ms.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2 if x.sum() > 0 else x * 3

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Halves(nn.Cell):
    def construct(self, x):
        return x * 2 if x.sum() > 0 else x * 3


WEIGHT = Tensor(np.array([1.0, 2.0], np.float32))
HALVES = Halves().to_float(ms.float16)
INDIVISIBLE = {
    "vjp": lambda x: ms.vjp(branching, x)[0],
    "jvp": lambda x: ms.jvp(branching, x, x),
    "a Function": lambda x: Doubling.apply(x),
    "a Cell in another type": lambda x: HALVES(x),
    "a vmap that looks at what all examples share": lambda x: ms.vmap(
        lambda row: row * 2 if WEIGHT.sum() > 0 else row
    )(ops.stack([x, x])),
}  # fmt: skip


@pytest.mark.parametrize("name", INDIVISIBLE)
def test_what_cannot_be_taken_in_pieces_is_refused_from_the_first_call_on(name):
    strict = ms.jit(INDIVISIBLE[name], fullgraph=True)
    told = []
    for _ in range(3):
        try:
            strict(t(1, 2))
            told.append("")
        except FallbackError as error:
            told.append(str(error))
    assert told == [told[0]] * 3 and not transforms.depth


def test_a_report_tells_of_them():
    compiled = ms.jit(all_kinds)
    first = ms.explain(compiled)(t(1, 2))
    assert first.is_to_be_continued and "in the next one" in str(first)
    for args in signs() * 2:
        compiled(*args)
    report = ms.explain(compiled)(t(1, 2))
    assert report.hops == [] and len(report.branches) == 2 and not report.is_to_be_continued
    assert {hop.text for hop in report.gradients} == {
        "ms.grad(branching)(x)", "ms.value_and_grad(halved)(x)", "ms.grad(branching)(v)",
        "ms.grad(lambda v: ms.grad(branching)(v).sum())(x)",
    }  # fmt: skip
    assert "gradients in several pieces, walked back on a tape (4):" in str(report)


def test_hooks_on_what_is_differentiated_by_are_a_hop():
    """They are functions of the program that Python calls on the way back."""
    w = Parameter(t(1, 2), name="w")
    seen: list = []
    w.register_hook(lambda g: seen.append(g.tolist()) or g * 2)

    def f(v):
        return (v * w).sum() if v.sum() > 0 else (v * w * w).sum()

    compiled = ms.jit(lambda x: ms.grad(f, 0, w)(x))
    for args in signs() * 3:
        expected = plain(ms.grad(f, 0, w)(*args)), list(seen)
        seen.clear()
        assert (plain(compiled(*args)), seen) == expected
        seen.clear()
    assert set(hops(compiled)) == {"hooks on what a gradient is taken by"}


def test_an_interrupt_ends_them():
    def f(v):
        if v.sum() < 0:
            raise KeyboardInterrupt
        return (v * v).sum()

    compiled = ms.jit(lambda x: ms.grad(f)(x))
    for _ in range(3):
        assert compiled(t(1, 2)).tolist() == [2, 4]
        with pytest.raises(KeyboardInterrupt):
            compiled(t(-1, -2))
        assert transforms.depth == 0 and not running.gradients and not (t(1) * 2).requires_grad


def test_errors_in_recursive_calls_end_those_of_the_calls_that_they_leave():
    """Compiled calls of a function by itself wait in a list, and some of them stand inside of a gradient."""

    def f(x, n):
        if n < 1:
            if x.sum() > 40:
                raise ValueError("far")
            return x * x
        if n == 6 or n == 16:
            try:
                return ms.grad(lambda v: (call(v * 1.5, n - 1) * v).sum())(x)
            except ValueError:
                if n == 6 and x.sum() > 60:
                    raise
                return x * 2
        return call(x * 1.125, n - 1) + x

    call = f
    calls = [(t(*v), s(n)) for v in ((1, 2), (3, 4), (30, 40), (20, 1)) for n in (3, 20, 8, 24)] * 2
    expected = [observed(f, None, args) for args in calls]
    assert {result[0] for result, *_ in expected if result[0] is ValueError}
    call = ms.jit(f)
    assert [observed(call, None, args) for args in calls] == expected
    assert call.program.is_recursive and call.program.native is None


def test_in_threads():
    compiled = ms.jit(all_kinds)
    expected = {k: plain(all_kinds(t(k - 4, k % 3))) for k in range(8)}
    found: dict[int, list] = {}

    def work(k: int) -> None:
        found[k] = [plain(compiled(t(k - 4, k % 3))) for _ in range(6)]

    in_threads(work)
    assert found == {k: [value] * 6 for k, value in expected.items()}


@pytest.mark.parametrize("name", ["branch", "loops_of_several_lengths", "second_and_third_order", "containers"])
def test_outermost_call_in_graph_mode(name):
    """Of the function that `grad` gives."""
    makers = {
        "branch": ms.grad(branching), "loops_of_several_lengths": ms.value_and_grad(halved),
        "second_and_third_order": ms.grad(ms.grad(lambda v: v**4 if v > 1 else v**3 + v)),
        "containers": ms.grad(lambda tree: tree["a"].sum() * (1 if tree["a"].sum() > 0 else tree["b"][0].sum())),
    }  # fmt: skip
    gradient = makers[name]
    for args in CASES[name].calls() * 3:
        expected = plain(gradient(*args))
        with ms.context(mode=ms.GRAPH_MODE):
            assert plain(gradient(*args)) == expected


@pytest.mark.parametrize("view", ["[1:]", "[1]", ".view(12)", ".T", ".reshape(1, 12)", "[:1].T", ""])
@pytest.mark.parametrize("positions", [(0, 1), (0,), (1,)])
def test_writes_into_views_that_a_gradient_is_taken_by(view, positions):
    """Memory that a tape has kept moves, with all views on it."""

    def f(x, v):
        product = v * x.sum()
        v.add_(1)
        return (product * product).sum() + v.sum()

    def calls(function):
        found = []
        for k in range(3):
            base, x = Tensor(np.arange(12.0).reshape(3, 4) + k), Tensor([1.0, 2.0, k])
            v = eval("base" + view)
            found.append(bits([function(x, v), v, base]))
        return found

    gradient = ms.value_and_grad(f, positions)
    assert calls(ms.jit(gradient)) == calls(gradient)

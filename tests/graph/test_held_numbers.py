"""Numbers that change from call to call, wherever a program puts them: one recording serves all values, native code sees no
trace of it, and bits, gradients, effects and errors are those of PyNative mode."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import gc
import json
import math
import types

import numpy as np
import pytest
from chance import Writer, loaded
from outcomes import bits, outcome

import anfora as ms
from anfora import Parameter, Tensor, float64, grad, jit, nn, ops, value_and_grad
from anfora.graph.facts.origins import Number
from anfora.graph.machine import machine
from anfora.graph.record.held import looked_at, stored_from

FLOATS = [0.5, -0.0, 0.0, 2.0, -1.5, math.inf, -math.inf, math.nan, 1e-40, 5e-324, 1e300, 3.0000000000000004, 1.0]
FLOATS += [0.1 * i - 1.7 for i in range(17)]
INTS = [1, 2, 0, -3, 255, -(2**31), 2**31 - 1, *range(4, 27)]


def held(values, found=None):
    """The numbers that vary which can be reached from a value, by the collector of garbage."""
    seen, pending, found = set(), [values], []
    while pending:
        value = pending.pop()
        if type(value) is Number:
            found.append(value)
        elif id(value) not in seen and not isinstance(value, (type, types.ModuleType, Tensor, types.CodeType, nn.Cell)):
            seen.add(id(value))
            if type(value) is types.FunctionType:
                pending += [value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__]
            elif type(value) in (list, tuple, dict, set, types.CellType) or hasattr(value, "__dict__"):
                pending += gc.get_referents(value)
    return found


@pytest.fixture(autouse=True)
def door(monkeypatch):
    """Each call of native code is looked at: there are numbers in what it is given only where it just moves them."""
    do_at = machine.do_at

    def looked(place, outer, operation, args, names, handled=None):
        looked = looked_at(operation, args)
        stored = stored_from(operation, args)
        assert looked is not None or not held(getattr(operation, "__self__", None)), operation
        for i, value in enumerate(args):
            if type(value) is Number:
                assert stored is not None and i >= stored, (operation, args)
            elif looked is None or i in looked:
                assert not held(value), (operation, args)
        for value in names.values():
            assert type(value) is not Number or stored is not None, (operation, names)
        return do_at(place, outer, operation, args, names, handled)

    monkeypatch.setattr(machine, "do_at", looked)


def same(function, *calls, most=1, compiled=None):
    """Compare a compiled function with itself undecorated; it is recorded so many times at most."""
    compiled = compiled or jit(function)
    for args in calls:
        got = outcome(compiled, *args)
        assert got == outcome(function, *args), args
    assert compiled.program.native is None
    assert compiled.program.recordings <= most
    return compiled


# -- where numbers are put --------------------------------------------------------------------------------------------


class Scale:
    def __init__(self, factor, shift=0.0):
        self.factor = factor
        self.shift = shift

    def __call__(self, v):
        return v * self.factor + self.shift

    @property
    def twice(self):
        return self.factor * 2


Pair = collections.namedtuple("Pair", "first second")  # noqa: PYI024


@dataclasses.dataclass
class Settings:
    rate: float
    decay: float = 0.5
    more: list = dataclasses.field(default_factory=list)


def apply(v, *args, **kwargs):
    for factor in args:
        v = v * factor
    for shift in kwargs.values():
        v = v + shift
    return v


def in_a_closure(x, b):
    def inner(v):
        return v * b

    return inner(x)


def in_a_lambda(x, b):
    return (lambda v: v * b + b)(x)


def in_two_closures(x, b):
    def outer(v):
        def inner(w):
            return w * b

        return inner(v) + b

    return outer(x)


def in_a_closure_that_changes(x, b):
    count = b

    def advance():
        nonlocal count
        count = count + 1
        return count

    advance()
    return x * advance() + count


def in_a_comprehension(x, b):
    return sum([x * (b + i) for i in range(3)]), dict.fromkeys(range(2), x - b)


def in_a_generator(x, b):
    def factors():
        for i in range(3):
            yield b + i

    for factor in factors():
        x = x * factor
    return x, sum(x * f for f in factors())


def in_a_tuple(x, b):
    pair = (b, b + 1)
    y = x * pair[0]
    return y + pair[1]


def in_a_tuple_of_tuples(x, b):
    pairs = ((b, 1), (2, (b, b)))
    (one, _), (_, (other, third)) = pairs
    return x * one + other * third


def in_a_list(x, b):
    held = [b]
    held.append(b * 2)
    held.insert(0, b - 1)
    held += [b, 3]
    held[1] = held[0] + 1
    held.extend((b,))
    last = held.pop()
    y = x * held[-2] + last
    for factor in held[::2]:
        y = y - factor
    return y, len(held)


def in_a_dict(x, b):
    held = {"a": b, "b": [b, {"c": b}]}
    held["d"] = b * 2
    held.update(e=b, f=1)
    held.setdefault("g", b)
    y = x * held["a"] + held["b"][1]["c"] + held.get("d") + held.get("z", b) - held.pop("e")
    for key, value in held.items():
        if key in ("a", "d", "g"):
            y = y + value
    return y


def in_attributes(x, b):
    scale = Scale(b)
    scale.shift = b + 1
    return scale(x) + scale.twice


def in_a_default(x, b):
    def inner(v, factor=b, *, shift=b + 1):
        return v * factor + shift

    return inner(x)


def in_a_partial(x, b):
    return functools.partial(apply, x, b, shift=b)(b, other=2)


def in_keywords(x, b):
    return apply(x, b, 2, shift=b, other=b * b)


def in_spread_arguments(x, b):
    args, kwargs = (b, b + 1), {"shift": b}
    return apply(x, *args, **kwargs)


def in_a_named_tuple(x, b):
    pair = Pair(b, second=2)
    return x * pair.first + pair.second + pair._replace(second=b).second


def in_a_dataclass(x, b):
    settings = Settings(b, more=[b])
    settings.decay = b * 2
    return x * settings.rate + settings.decay + settings.more[0]


def in_iterators(x, b):
    for factor, shift in zip([b, 2.0], (3.0, b)):
        x = x * factor + shift
    for i, factor in enumerate((b, 1)):
        x = x + factor * i
    for factor in reversed([b, 2]):
        x = x - factor
    return x


def in_a_bound_method(x, b):
    return (Scale(b).__call__)(x)


def in_sums_of_lists(x, b):
    held = [b] * 2 + [1.0]
    both = (b,) + (2.0, b)  # noqa: RUF005
    return x * held[0] + held[1] - both[2]


def passed_on(x, b):
    def inner(factors):
        return [factor + 1 for factor in factors]

    return x * inner((b, b))[1]


def returned_within(x, b):
    return {"x": x * b, "more": [b, (b, 1), Pair(b, [b])]}


def asked_whether_it_is_there(x, b):
    return x if b is None else x * b


def asked_for_its_type(x, b):
    return x * b if isinstance(b, (float, int)) and type(b) is not bool and callable(x) is False else x


def by_a_gradient(x, b):
    def loss(v):
        return (v * b).sum() + (v**2 * b).sum()

    return grad(loss)(x)


def by_a_gradient_of_a_gradient(x, b):
    def loss(v):
        return (v * v * v * b).sum()

    return grad(lambda v: grad(loss)(v).sum() * b)(x)


def by_values_and_gradients(x, b):
    settings = {"rate": [b]}

    def loss(v, w):
        return (v * w * settings["rate"][0]).sum(), b

    return value_and_grad(loss, (0, 1), has_aux=True)(x, x + 1)


def by_steps(x, b):
    steps = [b, b * 0.5]
    for step in steps:
        x = x - step * grad(lambda v, step=step: (v * v * step).sum())(x)
    return x


def by_examples(x, b):
    return ms.vmap(lambda v: v * b)(x)


def by_a_map(x, b):
    return list(map(lambda factor: x * factor, (b, b + 1)))  # noqa: C417


def by_a_reduction(x, b):
    return functools.reduce(lambda v, factor: v * factor, [b, b + 1], x)


def by_a_loop(x, b):
    seen = []
    for _ in range(4):
        x = x * 0.5 + b
        seen.append(b)
    return x, seen


PUT = [
    in_a_closure, in_a_lambda, in_two_closures, in_a_closure_that_changes, in_a_comprehension, in_a_generator, in_a_tuple,
    in_a_tuple_of_tuples, in_a_list, in_a_dict, in_attributes, in_a_default, in_a_partial, in_keywords, in_spread_arguments,
    in_a_named_tuple, in_a_dataclass, in_iterators, in_a_bound_method, in_sums_of_lists, passed_on, returned_within,
    asked_whether_it_is_there, asked_for_its_type, by_a_gradient, by_a_gradient_of_a_gradient, by_values_and_gradients,
    by_steps, by_examples, by_a_map, by_a_reduction, by_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("function", PUT)
def test_one_recording_for_all_floats(function):
    assert len(FLOATS) == 30
    same(function, *((Tensor([1.0, -2.0, 0.5]), b) for b in FLOATS))


@pytest.mark.parametrize("function", PUT)
def test_ints_vary_once_they_have_changed(function):
    same(function, *((Tensor([1.0, -2.0, 0.5], float64), b) for b in INTS), most=2)


def of_math(x, b):
    return x * math.tanh(b) + math.atan2(b, 2) - (1 if math.isnan(b) else 0)


def of_the_largest(x, b):
    return x * max(b, 1.0) + min(2, b, 0.25) - max([b, 0.5])


def of_a_sum(x, b):
    return x * sum([b, 1.0, b]) + sum((b, 2))


def of_an_operator(x, b):
    return ops.mul(x, b) + ops.maximum(x, other=b)


def of_methods(x, b):
    return x.mul(b) + x.clamp(-1, b).minimum(b)


def of_bounds(x, b):
    return ops.clamp(x, b, 1.5) + ops.clamp(x, max=b) + ops.clamp(x, b, b)


def of_powers(x, b):
    return x.abs() ** b - pow(2.0, max(min(b, 9.0), -9.0))


def of_a_class_pattern(x, b):
    match [b, Pair(b, 1)]:
        case [factor, Pair(shift, 1)]:
            return x * factor + shift


COMPUTED = [
    of_math, of_the_largest, of_a_sum, of_an_operator, of_methods, of_bounds, of_powers, of_a_class_pattern,
]  # fmt: skip


@pytest.mark.parametrize("function", COMPUTED)
def test_functions_of_numbers(function):
    """A few values go another way, which is recorded: nan is larger, and an error is one for some values alone."""
    same(function, *((Tensor([1.0, -2.0, 0.5]), b) for b in FLOATS), most=8)
    compiled = jit(function)
    same(function, *((Tensor([1.0, -2.0, 0.5]), 0.1 * i + 0.05) for i in range(30)), compiled=compiled)


@pytest.mark.parametrize("function", [*PUT, *COMPUTED])
def test_types_are_not_confused(function):
    """1, 1.0 and True are equal, and so are the zeros."""
    values = [1, 1.0, True, 0, 0.0, -0.0, False, 2, 2.0, 1, 1.0, True, 3, 0, -0.0]
    same(function, *((Tensor([1.0, -2.0, 0.5], float64), b) for b in values), most=9)


@pytest.mark.parametrize("function", [*PUT, *COMPUTED])
def test_large_ints(function):
    """Ints of any size: where one does not fit into a tensor, the error is that of PyNative mode."""
    for x in (Tensor([1.0, -2.0, 0.5], float64), Tensor([1, 2])):
        compiled = jit(function)
        for b in (3, 5, 2**40, 2**62, 2**63, 2**70, -(2**70), 10**30, 10**400, 7, 2**63 - 1, 2**40):
            assert outcome(compiled, x, b) == outcome(function, x, b)


@pytest.mark.parametrize("function", [*PUT, *COMPUTED])
def test_under_a_tape(function):
    compiled = jit(function)

    def loss(of):
        def summed(x, w, b):
            results = of(x * w, b)
            return sum(t.sum() for t in tensors_in(results))

        return summed

    for b in FLOATS[-14:]:
        x, w = Tensor([1.0, -2.0, 0.5]), Parameter(Tensor([0.5, 1.5, -1.0]), name="w")
        got = bits(value_and_grad(loss(compiled), (0, 1))(x, Tensor(w), b))
        assert got == bits(value_and_grad(loss(function), (0, 1))(x, Tensor(w), b))
        assert bits(compiled(w, b)) == bits(function(w, b))
    assert compiled.program.recordings <= 6


def tensors_in(value):
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in tensors_in(item)] if isinstance(value, (tuple, list)) else []


# -- containers from outside ------------------------------------------------------------------------------------------


def taken_from_a_tuple(x, pair):
    factor, shift = pair
    return x * factor + shift


def taken_from_a_list(x, pair):
    factor, *rest = pair
    return x * factor + rest[0] + sum(pair)


def taken_by_a_loop(x, pair):
    for factor in tuple(pair):
        x = x * factor
    for i, shift in enumerate((*pair,)):
        x = x + shift * i
    return x


def taken_as_arguments(x, pair):
    return apply(x, *pair)


@pytest.mark.parametrize("function", [taken_from_a_tuple, taken_from_a_list, taken_as_arguments])
def test_items_from_outside(function):
    for kind in (tuple, list):
        same(function, *((Tensor([1.0, -2.0]), kind((b, b + 1))) for b in FLOATS))


def test_keywords_from_outside():
    def function(x, settings):
        return apply(x, **settings) + {**settings, "b": 1}["a"]

    same(function, *((Tensor([1.0, -2.0]), {"a": b, "b": b + 1}) for b in FLOATS))


def taken_one_by_one(x, items):
    for item in items:
        if item is not None:
            x = x * item
    return x, [item * 2 for item in items if isinstance(item, float)]


def test_loops_over_lists_from_outside():
    same(taken_one_by_one, *((Tensor([1.0, -2.0]), [b, 2.0, None, b * 0.5]) for b in FLOATS))
    same(taken_one_by_one, *((Tensor([1.0]), [0.5 * b] * (b % 4)) for b in range(12)), most=4)


def changed_on_the_way(x, items):
    seen = []
    for item in items:
        seen.append(item)
        if item > 2.0 and len(items) < 6:
            items.append(item - 1.0)
        if item < 0.0:
            items.pop()
        if item == 0.5:
            items[:] = [7.0]
        x = x * item
    return x, seen, items


def changed_by_the_interpreter(x, items):
    for item in items:
        keep(items)
        SEEN[-1].append(item) if len(items) < 5 else None
        x = x + item
    return x, items


@pytest.mark.parametrize("function", [changed_on_the_way, changed_by_the_interpreter])
def test_lists_that_change_while_they_are_gone_over(function):
    compiled = jit(function)
    for _ in range(2):
        for items in ([3.5, 1.0], [1.0, -1.0, 2.0, 4.0], [0.5, 3.0, 1.0], [], [2.5, 2.5, -1.0]):
            got = outcome(compiled, Tensor([1.0, -2.0]), list(items))
            assert got == outcome(function, Tensor([1.0, -2.0]), list(items))


# -- operators of the program's own -----------------------------------------------------------------------------------


class Weighted:
    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        return Weighted(self.value * other) if type(other) is float else NotImplemented

    def __rsub__(self, other):
        return Weighted(other - self.value)

    def __getitem__(self, key):
        return self.value * key

    def __setitem__(self, key, value):
        self.value = self.value + key * value

    def __lt__(self, other):
        return other is None

    def __eq__(self, other):
        return isinstance(other, float)

    __hash__ = None

    def __contains__(self, item):
        return item is not None

    @property
    def weight(self):
        return self.value

    @weight.setter
    def weight(self, weight):
        self.value = self.value * weight

    def __call__(self, *args, **kwargs):
        return self.value * args[0] + kwargs["shift"]


def in_special_methods(x, b):
    held = b - Weighted(x) * b
    held.weight = b
    held[b] = b
    found = held[b] + held(b, shift=b)
    return found, held < b, held == b, b == held, held != b, b in held, b > held


def test_special_methods():
    same(in_special_methods, *((Tensor([1.0, -2.0]), b) for b in FLOATS))
    compiled = jit(in_special_methods)
    for b in (1, 1.0, True, "a", None, 2.0, 2):
        assert outcome(compiled, Tensor([1.0]), b) == outcome(in_special_methods, Tensor([1.0]), b)


# -- what must know the value -----------------------------------------------------------------------------------------
# Each value is another program: what Python does with it cannot be told from the outside.


def is_a_key(x, b):
    table = {b: 1, 2.0: 3}
    return x * table[b], b in table, {b}, list(table)


def is_a_key_within(x, b):
    pair = (b, 1)
    table = {pair: 2, (2.0, 1): 3}
    return x * table[pair], table.get((b, 1)), pair in table, hash(pair)


def is_sought(x, b):
    held = [b, 1.0, 2, b]
    return x, held.index(b), held.count(1.0), 2.0 in held, [b] == [1.0], (b, 1) < (1.0, 2), held == [1.0] * 4


def is_sorted(x, b):
    held = [b, 1.5, -b]
    held.sort()
    return x * held[0], sorted((b, 0.5)), sorted([b, 1.0], reverse=True)


def is_shown(x, b):
    braces = "{} {a}".format
    percent = "%s %r" % (b, [b])  # noqa: UP031
    return x, str([b]), f"{(b, 1)} {b:.3}", repr({"a": b}), percent, braces(b, a=[b]), Settings(b)


def is_an_index(x, b):
    return x * [1, 2, 3][int(b) % 3], x[int(b) % 2 :], range(int(b) % 4), "abc"[: int(b) % 3]


def is_true(x, b):
    return x + 1 if b else x - 1, any([b, 0]), all((b, 1)), not b


KNOWN = [is_a_key, is_a_key_within, is_sought, is_sorted, is_shown, is_an_index, is_true]


@pytest.mark.parametrize("function", KNOWN)
def test_what_depends_on_the_value(function):
    compiled = jit(function)
    for b in (1.0, 2.0, 1.0, -0.0, 0.0, 2.0, 0.5, 1.0, -1.5):
        x = Tensor([1.0, -2.0, 0.5])
        assert outcome(compiled, x, b) == outcome(function, x, b)


# -- what leaves the machine ------------------------------------------------------------------------------------------

SEEN: collections.deque = collections.deque()
keep = SEEN.append  #: of which nothing is known


class Sink:
    pass


def to_the_interpreter(x, b):
    held = [b, (b, {"a": b})]
    scale = Scale(b)
    print(held, b, end="")
    json.dumps(held)
    np.array([b, 1.0])
    keep((held, (b, [b]), b, scale))
    y = x * held[0]
    held.append(b)
    keep((lambda v: v * b, held))
    return y * held[-1] + scale.factor


def to_lists_outside(x, b):
    log = LOG
    log.append(b)
    log.append((b, 1))
    inner = [b]
    log.append(inner)
    inner.append(b * 2)
    inner.append([b])
    inner[2].append((b, b))
    y = x * inner[0] + log[-1][1]
    log.append({"a": b, "b": [b]})
    return y


def to_objects_outside(x, b):
    STORE.value = b
    STORE.pair = (b, [b])
    scale = STORE.scale = Scale(b)
    scale.factor = b * 3
    scale.more = [b]
    return x * STORE.scale.factor + STORE.pair[0]


def to_functions_outside(x, b):
    count = b

    def shown(v):
        nonlocal count
        count = count + 1
        return v * b * count

    STORE.function = shown
    count = b * 2
    STORE.method = Scale(b).__call__
    STORE.partial = functools.partial(apply, x, b, shift=b)
    return shown(x)


def to_variables_outside(x, b):
    global GLOBAL
    GLOBAL = (b, b)
    return x * GLOBAL[0]


def to_exceptions(x, b):
    try:
        raise ValueError(b, [b])
    except ValueError as error:
        keep(error)
        y = x * error.args[0]
    if b > 100:
        raise KeyError([b])
    return y


def to_generators_of_python(x, b):
    def factors():
        held = [b]
        for _ in range(3):
            held.append(held[-1] * 2)
            yield held[-1]

    waiting = factors()
    first = next(waiting)
    return x * first, math.fsum(waiting), dict.fromkeys(factors(), 0), factors()


def to_classes(x, b):
    class Inner:
        factor = b
        pair = (b, b)

        def scaled(self, v):
            return v * self.factor * b

    return Inner().scaled(x) + Inner.pair[0]


def to_classes_made_at_once(x, b):
    made = type("Made", (), {"factor": b, "pair": (b, [b])})
    return x * made.factor + made.pair[1][0]


class Looking(type):
    def __instancecheck__(cls, value):
        SEEN.append(value.factor)
        return value.factor > 1


class Large(metaclass=Looking):
    pass


def to_checks_of_classes(x, b):
    if isinstance(Scale(b), Large):
        x = x * 2
    if not isinstance(Large(), Large) or isinstance(Scale(-b), (int, Large)):
        x = x + 1
    return x - b


@dataclasses.dataclass
class Checked:
    value: Tensor
    weight: float

    def __post_init__(self):
        SEEN.append(self.weight)


def to_nests_of_gradients(x, b):
    def loss(v, checked):
        return (v * checked.value * checked.weight).sum(), Checked(v, b), Pair(b, v)

    return value_and_grad(loss, (0, 1), has_aux=True)(x, Checked(x, b))[0][1].weight


def to_gradients_by_numbers(x, b):
    return grad(lambda v, w: (v * w).sum(), 1)(x, b)


def to_gradients_of_numbers(x, b):
    return grad(lambda v: b)(x)


def to_copies(x, b):
    held = [b, Scale(b), (b, [b])]
    again = copy.deepcopy(held)
    return x * again[0] + again[1].factor + copy.copy(held)[2][1][0]


def to_results(x, b):
    def later(v):
        return v * b

    return x, later, Scale(b), functools.partial(later, b), iter([b, b]), zip((b,), [b]), Settings(b), {b: 1}.items()


def to_knots(x, b):
    held = [b]
    pair = (held, b)
    held.append(pair)
    scale = Scale(b)
    scale.self = scale
    scale.held = held
    keep([pair, scale])
    return x * pair[1] + scale.held[1][0][0], held[0]


LEAVING = [
    to_the_interpreter, to_lists_outside, to_objects_outside, to_functions_outside, to_variables_outside, to_exceptions,
    to_generators_of_python, to_classes, to_classes_made_at_once, to_checks_of_classes, to_nests_of_gradients,
    to_gradients_by_numbers, to_gradients_of_numbers, to_copies, to_results, to_knots,
]  # fmt: skip


def plainly(value, depth=0):
    """Something of which the bits can be compared, with what functions and objects in it give."""
    if depth > 6:
        return "deep"
    if isinstance(value, (Scale, Sink, Settings, Checked, Row)) or type(value).__name__ == "Box":
        return type(value).__name__, plainly(vars(value), depth + 1)
    if isinstance(value, functools.partial):
        return "partial", plainly((value.func, value.args, value.keywords), depth + 1)
    if isinstance(value, types.MethodType):
        return "method", plainly(value.__self__, depth + 1)
    if isinstance(value, types.FunctionType):
        return "function", plainly([cell.cell_contents for cell in value.__closure__ or ()], depth + 1)
    if isinstance(value, BaseException):
        return type(value).__name__, plainly(value.args, depth + 1)
    if type(value) in (tuple, list, Pair):
        return type(value).__name__, [plainly(item, depth + 1) for item in value]
    if type(value) is dict:
        return [(plainly(k, depth + 1), plainly(v, depth + 1)) for k, v in value.items()]
    if hasattr(type(value), "__next__") or type(value) is type({}.items()):
        return "items", [plainly(item, depth + 1) for item in value]
    return bits(value)


def watched(function, x, b, capsys):
    """What a call gives and leaves behind, with no number that varies among it."""
    global LOG, STORE, GLOBAL
    LOG, STORE, GLOBAL = [], Sink(), None
    SEEN.clear()
    try:
        result = function(x, b)
    except Exception as error:
        result = error
    left = (result, LOG, STORE, GLOBAL, list(SEEN))
    assert not held(left)
    return plainly(left), capsys.readouterr().out


@pytest.mark.parametrize("function", LEAVING)
def test_what_leaves_the_machine(function, capsys):
    compiled = jit(function)
    for b in (0.5, 1.5, -0.0, 2.0, 1e300, 0.5, 101.0):
        x = Tensor([1.0, -2.0, 0.5])
        assert watched(compiled, x, b, capsys) == watched(function, x, b, capsys)


@pytest.mark.parametrize("function", [to_the_interpreter, to_variables_outside, to_copies])
def test_one_recording_also_where_it_leaves(function, capsys):
    compiled = jit(function)
    for i in range(30):
        watched(compiled, Tensor([1.0, -2.0]), 0.1 * i + 0.01, capsys)
    assert compiled.program.native is None
    assert compiled.program.recordings <= 8


# -- what the outside sees as well ------------------------------------------------------------------------------------


@dataclasses.dataclass
class Row:
    step: float
    loss: Tensor
    more: list = dataclasses.field(default_factory=list)


class Log:
    """What is outside, made anew for each run."""

    def __init__(self):
        self.rows, self.table, self.last = [], {}, None


def logged(log, x, n):
    loss = (x * x).sum()
    log.rows.append({"step": n, "loss": loss.item()})
    return loss * n


def logged_deep(log, x, n):
    row = {"step": n, "more": [n * 2, (n, [n])], "loss": x.sum()}
    log.rows.append(row)
    log.last = row
    return row["loss"] * n, len(row["more"])


def logged_object(log, x, n):
    row = Row(n, x.sum(), [n])
    log.rows.append(row)
    return row.loss * n


def logged_and_printed(log, x, n):
    row = {"step": n}
    log.rows.append(row)
    x = x * 2
    print(row)
    return x * n, row


def logged_between(log, x, n):
    row = [n, n + 1]
    log.table["row"] = row
    if x.sum() > 20:
        log.rows.append(row)
    return x * n, row


KEPT = [logged, logged_deep, logged_object, logged_and_printed, logged_between]


def read_back(log, x, n):
    row = {"step": n, "more": [n]}
    log.rows.append(row)
    return x * row["step"], row["more"][-1], dict(row), [v * 2 for v in row.values()]


def changed_behind(log, x, n):
    row = [n, n + 1]
    log.last = row
    row[0] = n + 10
    row.append(n * n)
    log.table["again"] = {"row": row}
    return x * row[-1], sum(row), row == [1.0]


def read_from_an_object(log, x, n):
    row = Row(n, x.sum(), [n])
    log.last = row
    return x * row.step, row == Row(n, 1), vars(row)["step"], f"{row.more}"


def read_from_outside(log, x, n):
    log.rows.append([n])
    log.table["k"] = {"n": n}
    return x * log.rows[-1][0], log.table["k"]["n"], max(log.table["k"].values())


def searched(log, x, n):
    row = [n]
    if row in log.rows:
        log.rows.remove(row)
    else:
        log.rows.append(row)
    return x, len(log.rows), log.rows.index(row) if row in log.rows else -1


def put_in_badly(log, x, n):
    row = [n]
    try:
        log.rows.insert("a", row)
    except TypeError:
        log.rows.append(row)
    return x, row[0] + 1


def called_back(log, x, n):
    log.last = [lambda: n, functools.partial(max, n)]
    return x * log.last[0](), log.last[1](2)


def walked_over(log, x, n):
    row = [n, n * 2]
    walk = iter(row)
    first = next(walk)
    log.rows.append(row)
    return x * first, next(walk), [v * 2 for v in row]


READ = [
    read_back, changed_behind, read_from_an_object, read_from_outside, searched, put_in_badly, called_back, walked_over,
]  # fmt: skip


@pytest.mark.parametrize("kind", [float, int])
@pytest.mark.parametrize("function", KEPT + READ, ids=lambda function: function.__name__)
def test_what_the_outside_sees_as_well(function, kind, capsys):
    """Objects with numbers in them are put outside, and the program goes on to hold them: it is compiled once, unless it
    looks into them."""
    compiled = jit(function)
    logs = Log(), Log()
    for i in range(40):
        x, n = Tensor([0.5 * i, 1.0]), kind(i if i < 25 else i % 7) + (0.25 if kind is float else 0)
        found = []
        for run, log in zip((function, compiled), logs):
            result = outcome(run, log, x, n)
            assert not held(vars(log))
            found.append((result, plainly((log.rows, log.table, log.last)), capsys.readouterr().out))
        assert found[0] == found[1], i
    assert function in READ or compiled.program.recordings <= 4


# -- what the interpreter gives ---------------------------------------------------------------------------------------

GIVEN: collections.deque = collections.deque()
take = GIVEN.popleft  #: of which nothing is known


def floats_of_the_interpreter(x, b):
    pair = take()
    factor, (shift, _) = pair
    return x * factor + shift, pair


def a_nest_of_the_interpreter(x, b):
    return x * 2, take()


def test_floats_in_tuples_that_the_interpreter_gives():
    compiled = jit(floats_of_the_interpreter)
    for b in FLOATS:
        GIVEN.append((b, (b + 1, "text")))
        got = bits(compiled(Tensor([1.0, -2.0]), b))
        GIVEN.append((b, (b + 1, "text")))
        assert got == bits(floats_of_the_interpreter(Tensor([1.0, -2.0]), b))
    assert compiled.program.recordings <= 3  # and one for nothing but nan, which differs from itself


@pytest.mark.parametrize("leaf", [lambda i: i, lambda i: float(i), lambda i: str(i), lambda i: (i, [i])])
def test_deep_tuples_that_the_interpreter_gives(leaf):
    """The leaves are looked at, however deep they are."""
    compiled = jit(a_nest_of_the_interpreter)
    for i in (1, 2, 3, 2, 1):
        nest = leaf(i)
        for _ in range(9):
            nest = (nest,)
        GIVEN.append(nest)
        assert bits(compiled(Tensor([1.0, -2.0]), i)) == bits((Tensor([2.0, -4.0]), nest))


# -- calls of itself --------------------------------------------------------------------------------------------------


@jit
def descends(x, held, table):
    if x.sum() < held[0]:
        return x * held[-1], held
    more = [*held, table["b"] + 1]
    y, kept = descends(x - 1, more, {"b": table["b"] * 0.5, "c": (held[0],)})
    return y + table["b"], kept


def descends_by_python(x, held, table):
    if x.sum() < held[0]:
        return x * held[-1], held
    more = [*held, table["b"] + 1]
    y, kept = descends_by_python(x - 1, more, {"b": table["b"] * 0.5, "c": (held[0],)})
    return y + table["b"], kept


def test_recursion():
    for b in (0.5, 1.5, -2.0, 0.25, 3.0, 0.5):
        for start in (3.0, 30.0, 60.0):
            x, table = Tensor([start, 1.0]), {"b": b}
            got = descends(x, [b, 1.0], table)
            assert not held(got)
            assert bits(got) == bits(descends_by_python(x, [b, 1.0], table))


# -- programs made by chance ------------------------------------------------------------------------------------------


class Holding(Writer):
    """Functions of a tensor and numbers that put these into all kinds of things, and take them out again."""

    PLACES = ("a", "b", "c", "items[-1]", "items[0]", "table['k']", "table.get('m', a)", "box.v", "pair[0]", "pair[1]")

    def number(self):
        one, other = self.pick(*self.PLACES), self.pick(*self.PLACES)
        return self.pick(
            one, one, f"{one} * 0.5", f"{one} + {other}", f"{one} - 1", f"-{other}", f"max({one}, {other})", f"{one} / 2",
            f"min({one}, 3)", f"abs({other})", f"float({one})", "sum(items)", "len(items)", f"{one} * {other} % 7",
        )  # fmt: skip

    def condition(self):
        one, other = self.number(), self.number()
        return self.pick(
            f"{one} > {other}", "x.sum() > 0", f"{one} == {other}", f"{one} is None", f"isinstance({one}, float)",
            f"{one} in items", f"type({one}) is int", f"{one}", "x[0] > x[1]",
        )  # fmt: skip

    def tensor(self, x="x"):
        number = self.number()
        return self.pick(
            f"{x} * 0.5 + {number}", f"{x} - {number}", f"ops.tanh({x} * {number})", f"ops.maximum({x}, {number})",
            f"{x}.clamp(-9, 9) * {number}", f"ops.clip_by_value({x}, -2, {number})", f"{x}.add({number})",
            f"ops.addcmul({x}, {x}, {x}, {number})", f"{x}.masked_fill({x} > 1, {number})", f"({x} * 1).mul_({number})",
        )  # fmt: skip

    def statement(self, depth, budget):
        name = f"inner{len(self.lines)}"
        kind = self.pick(*self.KINDS, *(["if", "for", "over", "try"] if budget else []))
        if kind == "function":
            self.write(depth, f"def {name}(v, w={self.number()}, *more, **named):")
            if self.rng.integers(2):
                self.write(depth + 1, "nonlocal c")
                self.write(depth + 1, f"c = {self.number()}")
            self.write(depth + 1, f"return v * w + {self.number()} + sum(more) - sum(named.values())")
            self.write(depth, f"x = {name}(x, {self.pick('', self.number() + ', ')}k={self.number()})")
        elif kind == "if":
            self.write(depth, f"if {self.condition()}:")
            self.block(depth + 1, budget - 1)
            self.write(depth, "else:")
            self.block(depth + 1, budget - 1)
        elif kind == "for":
            self.write(depth, f"for i in range({self.pick(2, 3)}):")
            self.block(depth + 1, budget - 1)
        elif kind == "over":
            over = self.pick("items", "(a, b)", "list(table.values())", "zip(items, pair)", "enumerate(pair)")
            self.write(depth, f"for item in {over}:")
            self.write(depth + 1, f"c = item[{self.pick(0, 1)}] if type(item) is tuple else item")
            self.write(depth + 1, f"x = {self.tensor()}")
        elif kind == "try":
            self.write(depth, "try:")
            self.write(depth + 1, f"c = {self.number()} / {self.number()}")
            self.write(depth, "except ZeroDivisionError as error:")
            self.write(depth + 1, "c = len(error.args)")
        else:
            self.write(depth, getattr(self, kind)())

    KINDS = (
        "to_a_list", "to_a_list", "to_a_dict", "to_an_object", "to_a_pair", "to_a_variable", "function", "to_a_tensor",
        "to_a_tensor", "by_a_lambda", "by_a_gradient", "seen", "outside",
    )  # fmt: skip

    def to_a_list(self):
        number = self.number()
        return self.pick(
            f"items.append({number})", f"items[{self.pick(0, -1)}] = {number}", f"items = [*items[-3:], {number}]",
            f"items += ({number}, {self.number()})", f"items.insert(0, {number})", "items = [i + 1 for i in items]",
        )  # fmt: skip

    def to_a_dict(self):
        return self.pick(
            f"table['{self.pick('k', 'm')}'] = {self.number()}", f"table.update(m={self.number()})",
            f"table = {{**table, 'n': {self.number()}}}", f"table = dict(table, k={self.number()})",
        )  # fmt: skip

    def to_an_object(self):
        return self.pick(f"box.v = {self.number()}", f"box = Box({self.number()})", "box.held = items, pair")

    def to_a_pair(self):
        return self.pick(
            f"pair = ({self.number()}, {self.number()})", f"pair = pair[::-1][:1] + ({self.number()},)", "pair = c, a"
        )

    def to_a_variable(self):
        return self.pick(f"c = {self.number()}", "c, _ = pair", "c, *_ = items", f"a, c = c, {self.number()}")

    def to_a_tensor(self):
        return f"x = {self.tensor()}"

    def by_a_lambda(self):
        return f"x = (lambda v, w={self.number()}: {self.tensor('v')} + w)(x)"

    def by_a_gradient(self):
        return f"x = x - grad(lambda v: ({self.tensor('v')}).sum())(x)"

    def seen(self):
        return self.pick(
            "c = len(str(items))", "c = sorted([*pair, 1])[0]", "c = items.count(a)", "print(pair, end='')",
            "c = len({a: 1, b: 2})", "c = float(x.sum())", "c = hash(pair) % 5", "note((pair, items[0]))",
        )  # fmt: skip

    def outside(self):
        return self.pick(
            "LOG.append(c)", "LOG.append((c, pair))", "LOG.append([c])", "STORE.v = c", "STORE.items = items",
            "LOG.append(table)", "STORE.last = {'box': box, 'table': table}", "LOG.extend([box, items])",
            "STORE.rows = [items, (c, [pair])]", "LOG.append(lambda: c)",
        )  # fmt: skip

    def block(self, depth, budget):
        for _ in range(1 + self.rng.integers(4)):
            self.statement(depth, budget)

    def function(self):
        self.write(0, "class Box:")
        self.write(1, "def __init__(self, v):")
        self.write(2, "self.v = v")
        self.write(0, "def f(x, a, b):")
        self.write(1, "items, table, box, pair, c = [a], {'k': b}, Box(a), (b, 1), 2")
        self.block(1, 2)
        self.block(1, 2)
        self.write(1, "return x, items, table, vars(box), pair, c, a")
        return "\n".join(self.lines)


#: Programs that tell numbers apart, those that vary by what they are; addresses do from the first call on.
TOLD_APART = [
    lambda x, k: len({id(x), id(x)}),
    lambda x, k: len({id(x): 1, id(x): 2}),
    lambda x, k: (id(x), id(x)).count(id(x)),
    lambda x, k: len({id(v) for v in (x, k, x)}),
    lambda x, k: {k, k + 0, k * 1},
    lambda x, k: ({k: 1, k + 0: 2}, {k} | {k + 0}, frozenset((k, k * 1))),
    lambda x, k: {(k, 1), (k + 0, 1)},
    lambda x, k: {*[k, k + 0], k},
    lambda x, k: {v + k for v in (0, 0, 1)},
]


@pytest.mark.parametrize("program", TOLD_APART)
def test_items_of_sets_and_keys(program):
    compiled, x = jit(program), Tensor([1.0])
    for value in (1, 2, 0, 3, 2.5, 1.0, True, 3):
        assert outcome(compiled, x, value) == outcome(program, x, value)


def put(index, make):
    """A program that puts what is made of a number into a tensor."""

    def program(x, v):
        y = x * 2
        y[index(y)] = make(v)
        return y, v

    return program


#: Parts of a tensor of two rows and three columns, and what is put there.
PUT = [
    (lambda y: 1, lambda v: [1, 2, v]),
    (lambda y: 1, lambda v: (v, 2.5, v * 2)),
    (lambda y: (0, slice(None)), lambda v: [v] * 3),
    (lambda y: slice(None), lambda v: [[v, 1, 2], (3, v, -v)]),
    (lambda y: (..., 0), lambda v: [v, 1]),
    (lambda y: y > 1, lambda v: [v]),
    (lambda y: [0, 1], lambda v: [[v, v + 1, 2]]),
    (lambda y: Tensor([1, 0]), lambda v: (0, v, 1)),
]


@pytest.mark.parametrize(("index", "make"), PUT)
def test_what_is_put_into_a_tensor(index, make):
    """A tensor reads the numbers of a list; it does not keep the list."""
    program = put(index, make)
    compiled, x = jit(program), Tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    for value in (1, 2, 0, 3, 3, 0.5, -0.0, 1.5, 2, True):
        assert outcome(compiled, x, value) == outcome(program, x, value)
        wanted = [ms.value_and_grad(lambda x: f(x, value)[0].sum())(x) for f in (compiled, program)]  # noqa: B023
        assert bits(wanted[0]) == bits(wanted[1])


@pytest.mark.parametrize("seed", range(60))
def test_programs_made_by_chance(seed, tmp_path, capsys):
    text = Holding(seed).function()
    module = loaded(text, tmp_path)
    module.grad, module.note = grad, SEEN.append
    compiled = jit(module.f)
    couples = [(0.5, 2.0), (1.5, -1.0), (0.25, 3.0), (1, 2), (-0.0, 0.0), (3, 0.5), (0.75, 1.25), (2, 2), (1e30, 0.1)]
    for a, b in couples:
        found = []
        for function in (compiled, module.f):
            module.LOG, module.STORE = [], Sink()
            SEEN.clear()
            try:
                result = function(Tensor([1.0, -2.0, 0.5]), a, b)
            except Exception as error:
                result = error
            left = (result, module.LOG, module.STORE, list(SEEN))
            assert not held(left)
            found.append((plainly(left), capsys.readouterr().out))
        assert found[0] == found[1], text

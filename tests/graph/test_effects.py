"""What a program does to the outside is seen by all that stands behind it, from the first call on; and what code outside
has put in the place of a method between two calls is called.

Each case is a function that makes a program, with a decorator for its function, and gives what one call of it shows. The
same program without the decorator, run by Python, says what is right.
"""

from __future__ import annotations

import builtins
import functools
import math
import types
import weakref

import pytest
from outcomes import bits

import anfora as ms
from anfora import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])


class Finished:
    """Counts the objects that are gone."""

    def __init__(self, seen):
        self.seen = seen

    def __del__(self):
        self.seen["n"] = self.seen.get("n", 0) + 1


class Watched:
    """An object to which there may be weak references."""


def finished_by_method(seen):
    return Finished(seen)


def finished_by_callback(seen):
    value = Watched()
    weakref.finalize(value, lambda: seen.__setitem__("n", seen.get("n", 0) + 1))
    return value


def finished_by_reference(seen):
    value = Watched()
    seen["reference"] = weakref.ref(value, lambda _: seen.__setitem__("n", seen.get("n", 0) + 1))
    return value


def finished_by_generator(seen):
    def steps():
        try:
            yield 1
        finally:
            seen["n"] = seen.get("n", 0) + 1

    made = steps()
    next(made)
    return made


def finished_tensor(seen):
    value = Tensor([1.0])
    seen["reference"] = weakref.ref(value, lambda _: seen.__setitem__("n", seen.get("n", 0) + 1))
    return value


def finished_in_a_list(seen):
    return [1, (Finished(seen), 2)]


def finished_in_an_object(seen):
    value = types.SimpleNamespace()
    value.held = Finished(seen)
    return value


def nothing_finished(seen):
    return Tensor([2.0])


FINISHED = [
    finished_by_method, finished_by_callback, finished_by_reference, finished_by_generator, finished_tensor,
    finished_in_a_list, finished_in_an_object, nothing_finished,
]  # fmt: skip

OUTSIDE: object = None


def of_a_global(box, put):
    global OUTSIDE
    OUTSIDE = put


def delete_a_global(box, put):
    global OUTSIDE
    del OUTSIDE


def of_an_attribute(box, put):
    box.held = put


def of_an_attribute_by_name(box, put):
    box.held = put


def delete_an_attribute(box, put):
    del box.held


def of_an_item(box, put):
    box.table["held"] = put


def delete_an_item(box, put):
    del box.table["held"]


def of_a_dict_cleared(box, put):
    box.table.clear()


def of_a_dict_updated(box, put):
    box.table.update(held=put)


def taken_from_a_dict(box, put):
    box.table.pop("held")


def of_an_index(box, put):
    box.items[0] = put


def of_a_slice(box, put):
    box.items[:1] = [put]


def delete_an_index(box, put):
    del box.items[0]


def delete_a_slice(box, put):
    del box.items[:]


def of_a_list_cleared(box, put):
    box.items.clear()


def taken_from_a_list(box, put):
    box.items.pop()


def of_a_variable(box, put):
    box.rebind(put)


WRITES = [
    (of_a_global, "global"), (delete_a_global, "global"), (of_an_attribute, "held"), (of_an_attribute_by_name, "held"),
    (delete_an_attribute, "held"), (of_an_item, "table"), (delete_an_item, "table"), (of_a_dict_cleared, "table"),
    (of_a_dict_updated, "table"), (taken_from_a_dict, "table"), (of_an_index, "items"), (of_a_slice, "items"),
    (delete_an_index, "items"), (delete_a_slice, "items"), (of_a_list_cleared, "items"), (taken_from_a_list, "items"),
    (of_a_variable, "variable"),
]  # fmt: skip


def filled(place, value):
    """Something outside with a value at a place."""
    global OUTSIDE
    box = types.SimpleNamespace(held=None, table={}, items=[])
    variable = value if place == "variable" else None

    def rebind(put):
        nonlocal variable
        variable = put

    box.rebind = rebind
    if place == "global":
        OUTSIDE = value
    elif place == "held":
        box.held = value
    elif place == "table":
        box.table = {"held": value}
    elif place == "items":
        box.items = [value]
    return box


def run_write(compile_it, write, place, made):
    def f(x, box, seen):
        y = x * 2
        write(box, None)
        return y + seen.get("n", 0)

    function = compile_it(f)
    shown = []
    for call in range(6):
        seen = {}
        value = (made if call != 3 else nothing_finished)(seen)
        box = filled(place, value)
        del value
        shown.append(bits(function(X, box, seen)))
        shown.append(seen.get("n", 0))
    return shown


@pytest.mark.parametrize("made", FINISHED, ids=lambda made: made.__name__)
@pytest.mark.parametrize(("write", "place"), WRITES, ids=lambda case: getattr(case, "__name__", case))
def test_what_a_write_drops_is_dropped_before_what_follows(write, place, made):
    assert run_write(ms.jit, write, place, made) == run_write(lambda f: f, write, place, made)


def test_a_write_that_drops_a_tensor_waits_for_the_end_of_its_piece():
    def f(x, box):
        box.last = x * 2
        return box.last + 1

    compiled, box = ms.jit(f), types.SimpleNamespace(last=None)
    for _ in range(3):
        compiled(X, box)
    [entry] = compiled.program.entries.values()
    assert not compiled.program.points and all(variant.written is not None for variant in entry.variants)


# -- hooks ------------------------------------------------------------------------------------------------------------


def forward_hook(compile_it):
    cell = nn.ReLU()

    @compile_it
    def f(x, k):
        handle = cell.register_forward_hook(lambda c, a, o: o * k)
        y = cell(x)
        handle.remove()
        return y, cell(x)

    return lambda k: f(X, k)


def forward_hook_in_a_with(compile_it):
    cell = nn.ReLU()

    @compile_it
    def f(x, k):
        with cell.register_forward_hook(lambda c, a, o: o + k):
            y = cell(x)
        return y, cell(x)

    return lambda k: f(X, k)


def forward_pre_hook(compile_it):
    cell = nn.ReLU()

    @compile_it
    def f(x, k):
        handle = cell.register_forward_pre_hook(lambda c, a: (a[0] + k,))
        y = cell(x)
        handle.remove()
        return y

    return lambda k: f(X, k)


def backward_hook(compile_it):
    cell = nn.ReLU()

    @compile_it
    def f(x, k):
        handle = cell.register_backward_hook(lambda c, given, out: (given[0] * k,))
        y = ms.grad(lambda v: cell(v).sum())(x)
        handle.remove()
        return y, ms.grad(lambda v: cell(v).sum())(x)

    return lambda k: f(X, k)


def hook_that_stays(compile_it):
    cell = nn.ReLU()

    @compile_it
    def f(x, k):
        y = cell(x)
        cell.register_forward_hook(lambda c, a, o: o + k)
        return y, cell(x)

    return lambda k: f(X, k)


def hook_taken_off_inside(compile_it):
    cell = nn.ReLU()

    @compile_it
    def f(x, handle):
        y = cell(x)
        handle.remove()
        return y, cell(x)

    return lambda k: f(X, cell.register_forward_hook(lambda c, a, o: o + k))


def attribute_of_itself(compile_it):
    @compile_it
    def f(x):
        f.calls = getattr(f, "calls", 0) + 1
        return x * f.calls

    return lambda k: f(X)


def attribute_of_a_function(compile_it):
    def helper():
        helper.calls = getattr(helper, "calls", 0) + 1
        return helper.calls

    @compile_it
    def f(x):
        return x * helper() + helper.calls

    return lambda k: f(X)


def counter_of_a_compiled_function(compile_it):
    @compile_it
    def inner(x):
        return x * inner.factor

    @compile_it
    def f(x, k):
        inner.factor = k
        return inner(x)

    return lambda k: f(X, k)


# -- methods in the place of others -------------------------------------------------------------------------------------


def patched(kind, name, makes, use):
    """A method that is another one in each call, and goes back to what it was."""

    def case(compile_it):
        function = compile_it(use)

        def call(k):
            before = kind.__dict__.get(name)
            setattr(kind, name, makes(k))
            try:
                return function(X)
            finally:
                delattr(kind, name) if before is None else setattr(kind, name, before)

        return lambda k: (call(k), tried(function, X))

    return case


def tried(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


RELU, WEIGHT = nn.ReLU(), Parameter(Tensor([3.0, 4.0]), name="w")


class Line(nn.Cell):
    def construct(self, x):
        return x * self.slope() if hasattr(self, "slope") else x


LINE = Line()


class Scaled(Tensor):
    factor = 2

    def __mul__(self, other):
        return ("mul", self.sum() * 1, other)

    def __rsub__(self, other):
        return ("rsub", other)

    def __getitem__(self, key):
        return ("item", key)

    def __len__(self):
        return 77

    def __bool__(self):
        return False

    def __eq__(self, other):
        return "eq"

    __hash__ = None

    def __neg__(self):
        return "neg"

    def __call__(self, x):
        return x + 1

    @property
    def twice(self):
        return self.factor * 2

    def double(self):
        return ops.add(self, self)


def of_subclass(use):
    def case(compile_it):
        function, value = compile_it(use), Scaled([1.0, 2.0])

        def call(k):
            Scaled.factor = k
            return function(value)

        return call

    return case


def parameter_of_subclass(compile_it):
    class Strange(Parameter):
        calls = 0

        def __add__(self, other):
            Strange.calls += 1
            return Strange.calls

    value = Strange(Tensor([1.0]), name="s")
    function = compile_it(lambda x: value + x)
    return lambda k: function(X)


def globals_of_its_own(compile_it):
    @compile_it
    def f(x, k):
        return types.FunctionType((lambda v: v * K).__code__, {"K": k})(x)

    return lambda k: f(X, k)


K = 1000


def builtins_of_its_own(compile_it):
    @compile_it
    def f(x, k):
        made = types.FunctionType((lambda v: v * len(v)).__code__, {"__builtins__": {"len": lambda v: k}})
        return made(x)

    return lambda k: f(X, k)


def class_of_a_module(compile_it):
    module = types.ModuleType("made")
    module.k = 1

    class Fixed(types.ModuleType):
        k = property(lambda self: 9)

    class Asked(types.ModuleType):
        def __getattribute__(self, name):
            return 11 if name == "k" else super().__getattribute__(name)

    @compile_it
    def f(x):
        return x * module.k

    def call(k):
        module.__class__ = (types.ModuleType, Fixed, Asked)[k % 3]
        return f(X)

    return call


def class_of_an_object(compile_it):
    class One:
        def get(self):
            return 1

    class Two:
        def get(self):
            return 2

    value = One()
    f = compile_it(lambda x: x * value.get())

    def call(k):
        value.__class__ = (One, Two)[k % 2]
        return f(X)

    return call


def bases_of_a_class(compile_it):
    class One:
        def get(self):
            return 1

    class Two:
        def get(self):
            return 2

    class Owner(One):
        pass

    value = Owner()
    f = compile_it(lambda x: x * value.get())

    def call(k):
        Owner.__bases__ = ((One,), (Two,))[k % 2]
        return f(X)

    return call


def builtin(compile_it):
    f = compile_it(lambda x, v: x * len(v) + max(1, 2))

    def call(k):
        before = builtins.len
        builtins.len = lambda v: k
        try:
            return f(X, [1]), before([1])
        finally:
            builtins.len = before

    return lambda k: (call(k), f(X, [1]))


def function_of_a_module(compile_it):
    f = compile_it(lambda x: x * math.floor(2.5))

    def call(k):
        before = math.floor
        math.floor = lambda v: k
        try:
            return f(X)
        finally:
            math.floor = before

    return lambda k: (call(k), f(X))


EFFECTS = [
    forward_hook, forward_hook_in_a_with, forward_pre_hook, backward_hook, hook_that_stays, hook_taken_off_inside,
    attribute_of_itself, attribute_of_a_function, counter_of_a_compiled_function, parameter_of_subclass,
    globals_of_its_own, builtins_of_its_own, class_of_a_module, class_of_an_object, bases_of_a_class, builtin,
    function_of_a_module,
]  # fmt: skip
PATCHED = {
    "a new method of Tensor": patched(Tensor, "doubled", lambda k: lambda self: self * k, lambda x: x.doubled()),
    "one on a made tensor": patched(Tensor, "doubled", lambda k: lambda self: self * k, lambda x: (x + 1).doubled()),
    "hasattr": patched(Tensor, "doubled", lambda k: lambda self: self * k, lambda x: hasattr(x, "doubled")),
    "hasattr of a made one": patched(Tensor, "doubled", lambda k: k, lambda x: hasattr(x + 1, "doubled")),
    "a number in Tensor": patched(Tensor, "rate", lambda k: k, lambda x: x + x.rate),
    "an operator of Tensor": patched(Tensor, "__matmul__", lambda k: lambda self, other: k, lambda x: x @ x),
    "a method of Tensor": patched(Tensor, "sum", lambda k: lambda self: k, lambda x: (x.sum(), (x * 2).sum())),
    "a property of Tensor": patched(Tensor, "T", lambda k: property(lambda self: k), lambda x: x.T),
    "a method of Parameter": patched(Parameter, "doubled", lambda k: lambda self: self * k, lambda x: WEIGHT.doubled()),
    "an operator of Parameter": patched(Parameter, "__mul__", lambda k: lambda self, other: k, lambda x: WEIGHT * x),
    "a method of Cell": patched(nn.Cell, "slope", lambda k: lambda self: k, lambda x: LINE(x)),
    "construct": patched(nn.ReLU, "construct", lambda k: lambda self, x: x * k, lambda x: RELU(x)),
    "the call of a Cell": patched(nn.ReLU, "__call__", lambda k: lambda self, x: x * k, lambda x: RELU(x)),
}
OF_SUBCLASS = {
    "mul": lambda c: c * 2, "rsub": lambda c: 1 - c, "item": lambda c: c[1], "len": lambda c: len(c),
    "truth": lambda c: 1 if c else 2, "not": lambda c: not c, "eq": lambda c: c == 1, "neg": lambda c: -c,
    "call": lambda c: c(2), "property": lambda c: c.twice, "attribute": lambda c: c.factor, "method": lambda c: c.double(),
    "add": lambda c: c + 1, "op": lambda c: ops.relu(c), "sum": lambda c: c.sum(), "in": lambda c: c in [1],
    "partial": lambda c: functools.partial(lambda a, b: a * b, c)(3), "unpacked": lambda c: tuple(c)[:1],
}  # fmt: skip


@pytest.mark.parametrize("case", EFFECTS, ids=lambda case: case.__name__)
def test_an_effect_is_seen(case):
    compiled, by_python = case(ms.jit), case(lambda function: function)
    for k in (2, 2, 3, 3, 2, 4):
        assert bits(tried(compiled, k)) == bits(tried(by_python, k)), k


@pytest.mark.parametrize("name", PATCHED)
def test_a_method_in_the_place_of_another_is_called(name):
    compiled, by_python = PATCHED[name](ms.jit), PATCHED[name](lambda function: function)
    for k in (2, 2, 3, 3, 2, 4):
        assert bits(tried(compiled, k)) == bits(tried(by_python, k)), k


@pytest.mark.parametrize("name", OF_SUBCLASS)
def test_special_methods_of_a_subclass_of_tensor_are_called(name):
    compiled, by_python = of_subclass(OF_SUBCLASS[name])(ms.jit), of_subclass(OF_SUBCLASS[name])(lambda f: f)
    for k in (2, 2, 3, 3, 2, 4):
        assert bits(tried(compiled, k)) == bits(tried(by_python, k)), k

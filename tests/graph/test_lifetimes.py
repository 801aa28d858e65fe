"""What a compiled call was given, has made or has raised is freed when Python frees it, without the garbage collector."""

from __future__ import annotations

import collections
import contextlib
import functools
import gc
import io
import itertools
import linecache
import re
import sys
import textwrap
import threading
import tracemalloc
import types
import weakref

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn, ops

pytestmark = pytest.mark.usefixtures("small_heap")


class Thing:
    pass


def make():
    thing = Thing()
    thing.tensor, thing.number, thing.items, thing.table = (
        Tensor([1.0, 2.0]),
        2.5,
        [Thing(), Tensor(3.0)],
        {"k": Thing()},
    )
    thing.items[0].tensor = Tensor(2.0)
    return thing


def watched(thing):
    parts = (thing, thing.tensor, *thing.items, thing.table["k"], thing.items[0].tensor)
    return [weakref.ref(part) for part in parts]


def attribute(thing):
    return thing.tensor + 1


def comes_back(thing):
    return thing


def items(thing):
    return thing.items[0].tensor + thing.items[1]


def key(thing):
    return {thing: 1}[thing], thing.table["k"] is None, thing.tensor * thing.number


def identity(thing):
    return thing.items[0] is thing.table["k"], thing in [thing.items[0], thing]


def with_a_hop(thing):
    print(end="")
    y = thing.tensor + 1
    print(end="")
    return y


def hop_of_it(thing):
    return str(id(thing)), thing.tensor


def is_written(thing):
    thing.result = thing.tensor + 1
    thing.items.append(thing.result)
    return thing.result


def branch(thing):
    if thing.tensor.sum() > 0:
        return thing.tensor
    return thing.tensor - 1


def loop(thing):
    x = thing.tensor
    while x.sum() < 100:
        x = x * 2
    return x


def raises(thing):
    raise ValueError(str(thing.tensor.shape))


def raises_inside(thing):
    def inner():
        with ops_that_fail():
            return thing.tensor.reshape(7)

    return inner()


class ops_that_fail:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def catches(thing):
    try:
        return thing.missing
    except AttributeError:
        return thing.tensor


def keeps_an_exception(thing):
    try:
        thing.items[9]
    except IndexError as error:
        kept = error
    return thing.tensor, str(kept)


def closure(thing):
    def add(x):
        return x + thing.tensor

    return add(thing.tensor)


def generator(thing):
    return sum((x for x in [thing.tensor, thing.tensor]), Tensor(0.0))


def comprehension(thing):
    [found] = [part for part in thing.items if isinstance(part, Thing)]
    return found.tensor


def by_next(thing):
    return next(part for part in thing.items if isinstance(part, Tensor))


def gradient(thing):
    return ms.grad(lambda t: (t * thing.tensor).sum())(thing.tensor)


def gradient_in_pieces(thing):
    def f(t):
        return (t * thing.tensor).sum() if t.sum() > 0 else t.sum()

    return ms.grad(f)(thing.tensor)


def number(thing):
    return float(thing.tensor.sum()) * thing.tensor


class Box:
    def __init__(self, thing):
        self.__dict__["thing"] = thing

    def __setattr__(self, name, value):
        self.__dict__[name] = value

    def __getattr__(self, name):
        return getattr(self.thing, name)

    def __add__(self, other):
        return self.thing.tensor + other

    def __lt__(self, other):
        return self.thing.number < other

    def __contains__(self, value):
        return value in self.thing.table

    def __getitem__(self, index):
        return self.thing.items[index]

    def __setitem__(self, index, value):
        self.thing.items[index] = value

    def __len__(self):
        return len(self.thing.items)

    def __bool__(self):
        return bool(self.thing.items)

    def __iter__(self):
        return iter(self.thing.items)


def set_attribute(box):
    box.other = box.tensor


def set_item(box):
    box[0] = box.tensor


def of_methods(use):
    def program(thing):
        box = Box(thing)
        found = use(box)
        return found, thing.tensor * 2

    program.__name__ = f"method_{use.__name__}"
    return program


METHODS = [
    set_attribute, set_item, lambda box: box + 1, lambda box: box < 3, lambda box: "k" in box, lambda box: box[1],
    lambda box: len(box), lambda box: not box, lambda box: [*box][1], lambda box: [x for x in box if isinstance(x, Tensor)],
    lambda box: tuple(x for x in box if isinstance(x, Tensor)), lambda box: box.tensor, lambda box: isinstance(box, Thing),
]  # fmt: skip

PROGRAMS = [
    attribute, comes_back, items, key, identity, with_a_hop, hop_of_it, is_written, branch, loop, raises, raises_inside,
    catches, keeps_an_exception, closure, generator, comprehension, by_next, gradient, gradient_in_pieces, number,
    *map(of_methods, METHODS),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _without_the_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def call(function):
    thing = make()
    references = watched(thing)
    try:
        function(thing)
    except ValueError:
        pass
    return references


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_of_a_call_stays(program):
    compiled = ms.jit(program)
    stay = [reference() is not None for reference in call(program)]  # a variable that holds an exception is a cycle
    assert any(stay) is (program is keeps_an_exception)
    for _ in range(5):
        for reference, stays in zip(call(compiled), stay, strict=True):
            assert reference() is None or stays


def test_an_exception_keeps_what_pythons_would():
    """The frames of the program are there, with their variables; when the exception goes, they go."""
    compiled = ms.jit(raises)
    for _ in range(4):
        thing = make()
        references = watched(thing)
        with pytest.raises(ValueError) as caught:
            compiled(thing)
        del thing
        assert caught.traceback[-1].name == "raises"
        del caught
        assert not any(reference() for reference in references)


def ends(said, items):
    """A generator that says when it is ended."""
    try:
        yield from items
    finally:
        said.append("ended")


def refuses(item):
    if item > 2:
        raise ValueError("refused")
    return item


OUT_OF_LOOPS = [
    "[refuses(a) for a in ends(said, items)]", "{refuses(a) for a in ends(said, items)}",
    "{a: refuses(a) for a in ends(said, items)}", "sum(refuses(a) for a in ends(said, items))",
    "[[refuses(b) for b in ends(said, [a])] for a in ends(said, items)]", "list(map(refuses, ends(said, items)))",
    "[refuses(a) for a in itertools.islice(ends(said, items), 4) if a]", "[a for a in ends(said, map(refuses, items))]",
    "made = ends(said, items); next(made); [refuses(a) for a in made]", "[made(a) for made in [refuses] for a in items]",
    "made = ends(said, items); kept = [next(made)]; [refuses(a) for a in items]",
    "for a in ends(said, items): refuses(a)", "made = ends(said, items)\nfor a in made: refuses(a)",
    "for a in items:\n    for b in ends(said, [a]): refuses(b)",
]  # fmt: skip


@pytest.mark.parametrize("caught", ["", "try: ", "with contextlib.suppress(ValueError): "])
@pytest.mark.parametrize("loop", OUT_OF_LOOPS)
def test_what_a_loop_goes_over_ends_with_the_exception_that_leaves_it(loop, caught):
    """The exception may live on, without the lines that it has passed."""
    body = f"{caught}\n{textwrap.indent(loop, '    ')}" if caught else loop
    text = f"def program(t, said, items):\n{textwrap.indent(body, '    ')}\n"
    text += "    except ValueError: said.append('caught')\n" * (caught == "try: ") + "    return t * len(said)\n"
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"ends": ends, "refuses": refuses, "itertools": itertools, "contextlib": contextlib}
    exec(compile(text, name, "exec"), scope)
    program = scope["program"]

    def left(function):
        said = []
        try:
            result = function(Tensor([1.0, 2.0]), said, [1, 2, 3, 4]).tolist()
        except ValueError as error:
            result = error.with_traceback(None)
        return said, str(result)

    compiled = ms.jit(program)
    for _ in range(4):
        assert left(compiled) == left(program)


def test_a_call_frees_its_arguments_when_a_signal_ends_it():
    import signal

    def late(*_):
        raise ValueError

    before = signal.signal(signal.SIGUSR1, late)
    try:

        def f(thing):
            signal.raise_signal(signal.SIGUSR1)
            return thing.tensor

        compiled = ms.jit(f)
        for _ in range(3):
            assert not any(reference() for reference in call(compiled))
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_the_first_step_of_a_network_leaves_no_arrays():
    domain = tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)

    def allocated():
        return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([domain]).traces)

    tracemalloc.start()
    try:
        layers = [layer for width in (3, 8, 8) for layer in (nn.Conv2d(width, 8, 3), nn.BatchNorm2d(8), nn.ReLU())]
        net = nn.SequentialCell(*layers, nn.Flatten(), nn.Dense(8 * 16 * 16, 10))
        net.set_train()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = ms.value_and_grad(lambda x: ops.reduce_mean(net(x) ** 2), None, optimizer.parameters)

        @ms.jit
        def train(x):
            loss, gradients = step(x)
            optimizer(gradients)
            return loss

        x = ops.randn(16, 3, 16, 16)
        gc.collect()
        before = allocated()
        train(x)
        assert allocated() - before < 10_000  # one activation has 131,072 bytes
    finally:
        tracemalloc.stop()


def dropped_by_name(x):
    thing = Thing()
    seen = weakref.ref(thing)
    thing = None
    gc.collect()
    return seen() is None, x + 1


def dropped_in_a_cycle(x):
    thing = Thing()
    thing.part = slice(thing)
    seen = weakref.ref(thing)
    del thing
    gc.collect()
    return seen() is None, x + 1


def dropped_in_a_slice(x):
    class Inside:
        pass

    thing = Inside()
    thing.part = slice(thing)
    seen = weakref.ref(thing)
    thing = None
    gc.collect()
    return seen() is None, x + 1


def dropped_by_a_method(x):
    class Made:
        def fail(self):
            if not self:
                return lambda: self
            try:
                raise ValueError
            except ValueError as error:
                self.error = error
            self = None

    made = Made()
    made.fail()
    seen = weakref.ref(made)
    del made
    gc.collect()
    return seen() is None, x + 1


def dropped_class(x):
    class Made:
        pass

    seen = weakref.ref(Made)
    del Made
    gc.collect()
    return seen() is None, x + 1


@contextlib.contextmanager
def dropping(first, second):
    first, second = weakref.ref(first), weakref.ref(second)
    gc.collect()
    yield first() is None, second() is None


def dropped_by_a_manager(x):
    with dropping(Thing(), second=Thing()) as seen:
        return seen, x + 1


def dropped_behind_a_way_not_seen(x):
    thing = Thing()
    seen = weakref.ref(thing)
    kind = next(WAYS)
    thing = None
    gc.collect()
    return seen() is None, type(kind).__name__, x + 1


def proxied(x):
    thing = Thing()
    thing.x = 3
    proxy = weakref.proxy(thing)
    found = [proxy.x]
    thing = None
    gc.collect()
    try:
        found.append(proxy.x)
    except ReferenceError:
        found.append("gone")
    return found, x + 1


WAYS = iter([1, "a", None, 2.5, 1, "a", None, 2.5, (), []])
DROPPING = [
    dropped_by_name, dropped_in_a_cycle, dropped_in_a_slice, dropped_by_a_method, dropped_class, dropped_by_a_manager,
    dropped_behind_a_way_not_seen, proxied,
]  # fmt: skip


@pytest.mark.parametrize("program", DROPPING, ids=lambda program: program.__name__)
def test_what_the_program_drops_inside_is_freed_there(program):
    compiled = ms.jit(program)
    for _ in range(5):
        found, *_, y = compiled(Tensor(1.0))
        assert found in (True, (True, True), [3, "gone"])
        assert float(y) == 2.0


class Noted:
    """Notes when it goes."""

    def __init__(self, name, log):
        self.name, self.log = name, log

    def __del__(self):
        self.log.append(self.name)


def fails(log):
    held = Noted("inner", log)  # noqa: F841
    raise ValueError


def fails_further_in(log):
    held, another = Noted("outer", log), Noted("another", log)  # noqa: F841
    fails(log)


def fails_between_items(log):
    held = Noted("generator", log)  # noqa: F841
    yield 1
    fails(log)


def caught(log):
    with contextlib.suppress(ValueError):
        fails_further_in(log)


def caught_by_name(log):
    try:
        fails_further_in(log)
    except ValueError as error:
        log.append(type(error).__name__)


def caught_and_kept(log):
    kept = None
    try:
        fails_further_in(log)
    except ValueError as error:
        kept = error
    log.append("kept")
    del kept


def caught_behind_another(log):
    try:
        try:
            fails(log)
        except ValueError:
            raise KeyError(1) from None
    except KeyError as error:
        log.append(type(error.__context__).__name__)
    log.append("next")
    for _ in range(2):
        try:
            fails(log)
        except ValueError:
            continue


def caught_around_a_generator(log):
    try:
        for item in fails_between_items(log):
            log.append(item)
    except ValueError:
        log.append("caught")


def rebound_in_a_loop(log):
    held = Noted("before", log)
    for i in range(50):
        log.append("next")
        held = Noted(i, log)
    log.append(held.name)


def rebound_by_the_walk(log):
    for each in map(functools.partial(Noted, log=log), range(5)):  # nothing tells how many come
        log.append(-each.name)
    log.append("end")


def deleted_in_a_loop(log):
    held = [Noted("before", log)]
    for i in range(50):
        if i == 3:
            del held
        log.append("next")


def handed_on_in_a_loop(log):
    new, i = Noted("before", log), 0
    while i < 50:
        old, new = new, Noted(i, log)
        log.append(old.name)
        del old
        i += 1


def kept_by_a_handler(log):
    held = Noted("before", log)
    try:
        for i in range(50):
            log.append("next")
            held = Noted(i, log)
            if i == 40:
                raise ValueError
    except ValueError:
        log.append(held.name)


def rebound_behind_a_handler(log):
    try:
        for i in range(50):
            held = Noted(i, log) if i > 35 else None
            if i == 40:
                raise ValueError
    except ValueError as error:
        log.append((held.name, type(error).__name__))
    held = None
    log.append("rebound")


def rebound_in_a_comprehension(log):
    return [log.append("next") or each.name for each in map(functools.partial(Noted, log=log), range(5))]


def rebound_in_an_inner_comprehension(log):
    return {each.name: log.append("next") for i in range(5) for each in [Noted(i, log)]}


def rebound_in_an_outer_comprehension(log):
    return [log.append(each.name) for each in map(functools.partial(Noted, log=log), range(3)) for _ in range(50)]


# What a function drops of its arguments is gone at once, where who calls holds them no longer.


def drops(noted, log):
    log.append("in")
    del noted
    log.append("out")


def drops_in_a_method(log):
    class Own(Noted):
        def go(self, noted):
            del self
            log.append("self")
            noted = None
            log.append(noted)

    Own("own", log).go(Noted("given", log))


def drops_several(log):
    def go(*noted, log):
        del noted
        log.append("out")

    go(Noted("first", log), Noted("second", log), log=log)


def drops_by_name(log):
    def go(log, **noted):
        noted.clear()
        log.append("out")

    go(log, a=Noted("a", log))


def drops_what_a_closure_has(log):
    def go(noted):
        def inner():
            return noted  # noqa: F821

        del noted
        log.append("out")

    go(Noted("a", log))


def drops_further_in(log):
    def go(noted, log):
        made = [noted]
        del noted
        drops(made.pop(), log)
        log.append("back")

    go(Noted("a", log), log)


def drops_what_is_seen_weakly(log):
    thing = Thing()
    seen, held = weakref.ref(thing), [thing]
    del thing

    def go(thing):
        log.append(seen() is None)
        del thing
        log.append(seen() is None)

    go(held.pop())


def drops_and_raises(log):
    def go(noted):
        del noted
        raise ValueError

    try:
        go(Noted("a", log))
    except ValueError:
        log.append("caught")


GIVEN = [
    lambda log: drops(Noted("a", log), log), lambda log: drops(*[Noted("a", log)], log), drops_in_a_method, drops_several,
    drops_by_name, drops_what_a_closure_has, drops_further_in, drops_what_is_seen_weakly, drops_and_raises,
]  # fmt: skip
LOOPING = [
    rebound_in_a_loop, rebound_by_the_walk, deleted_in_a_loop, handed_on_in_a_loop, kept_by_a_handler,
    rebound_behind_a_handler,
    rebound_in_a_comprehension, rebound_in_an_inner_comprehension, rebound_in_an_outer_comprehension,
]  # fmt: skip
if sys.version_info < (3, 11):  # there it lives until the call ends
    LOOPING.remove(rebound_behind_a_handler)
CATCHING = [caught, caught_by_name, caught_and_kept, caught_behind_another, caught_around_a_generator]


@pytest.mark.parametrize("program", [*CATCHING, *LOOPING, *GIVEN], ids=lambda program: program.__name__)
def test_what_is_let_go_is_freed_then(program):
    """Tracebacks, and variables of loops that are left to Python: without the collector, which would free what holds
    itself too."""

    def seen(wrap):
        log, calls = [], []

        def run(x):
            program(log)
            log.append("after")
            return x + 1

        function = wrap(run)
        for _ in range(4):
            log.clear()
            function(Tensor(1.0))
            calls.append(list(log))
        return calls

    assert seen(ms.jit) == seen(lambda function: function)


def a_deque(n):
    made = collections.deque("abc")
    reference = weakref.ref(made)
    made = None
    return reference() is None


def a_function(n):
    made = lambda: n  # noqa: E731
    reference = weakref.ref(made)
    made = None
    return reference() is None


def a_bound_method(n):
    made = [n].append
    reference = weakref.ref(made)
    made = None
    return reference() is None


def a_closure_and_its_cell(n):
    thing = Thing()
    made = lambda: thing  # noqa: E731
    references = weakref.ref(thing), weakref.ref(made)
    thing = made = None
    return [reference() is None for reference in references]


@pytest.mark.parametrize("function", [a_deque, a_function, a_bound_method, a_closure_and_its_cell])
def test_what_the_run_has_made_is_dropped_in_the_first_call(function):
    compiled = ms.jit(function)
    assert [compiled(n) for n in range(3)] == [function(n) for n in range(3)]


def test_iterators_have_pythons_types_behind_a_recording():
    def types_of(*values, **named):
        return [type(value).__name__ for value in (*values, *named.values())]

    def numbers(n):
        yield from range(n)

    def program(n):
        a, b, c, d = map(abs, [1, 2]), zip("ab", "c"), numbers(3), filter(None, [0, 1, 2])
        e = [numbers(4)]
        next(d), next(e[0])
        thing = Thing()
        reference = weakref.ref(thing)
        thing = None  # somebody sees it: Python goes on from here
        told = types_of(a, b, c, d=d), type(d).__name__, types_of(*e), reference() is None
        return told, list(a), list(b), list(c), list(d), e.index(e[0]), [next(e[0]), *e[0]]

    compiled = ms.jit(program)
    assert [compiled(n) for n in range(3)] == [program(n) for n in range(3)]


def test_guards_hold_the_functions_of_methods_alone():
    class Other:
        def method(self):
            return 2

        made = classmethod(lambda cls: cls)

    def program(other, x):
        print(end="")
        return other.method() * x, other.made()

    compiled = ms.jit(program)
    assert [compiled(Other(), Tensor(n))[0].item() for n in range(3)] == [0, 2, 4]
    points = [*compiled.program.entries.values(), *compiled.program.points.values()]
    guards = [guard for point in points for variant in point.variants for guard in variant.piece.guards]
    assert [kind for kind, _, _ in guards].count("method") >= 2
    assert not any(isinstance(payload, types.MethodType) for _, _, payload in guards)


@pytest.mark.parametrize(
    "make, given",
    [
        (types.FunctionType, (make.__code__, {})), (types.ModuleType, ("made",)), (type, ("Made", (), {})),
        (threading.Event, ()), (io.StringIO, ("a",)), (np.arange, (3,)), (re.compile, ("a.b",)), (Thing, ()),
        (re.sub, ("a", "b", "c")), (itertools.cycle, ((1, 2),)), (weakref.WeakSet, ()), (types.SimpleNamespace, ()),
    ],
    ids=lambda value: getattr(value, "__qualname__", "given"),
)  # fmt: skip
def test_what_a_hop_gave_is_freed_where_python_frees_it(make, given):
    def freed(n):
        made = make(*given)
        try:
            reference = weakref.ref(made)
        except TypeError as error:
            return str(error)
        is_there = reference() is made
        del made
        re.purge()
        gc.collect()
        return is_there, reference() is None

    compiled = ms.jit(freed)
    for n in (1, 2, 3, 2):
        assert compiled(n) == freed(n)


class Logged:
    def __init__(self, log):
        self.log = log

    def __del__(self):
        self.log.append("gone")


def noted_items(log):
    try:
        yield from (1, 2)
    finally:
        log.append("gone")


def refuse(_):
    raise ValueError


def in_a_variable(log):
    held = Logged(log)
    refuse(held)


def in_an_argument(log, held=None):
    refuse(log) if held else in_an_argument(log, Logged(log))


def in_a_cell(log):
    held = Logged(log)
    (lambda: refuse(held))()


def on_the_stack(log):
    return [Logged(log), refuse(log)]


def in_a_loop(log):
    for item in noted_items(log):
        refuse(item)


def in_a_generator(log):
    return sum(refuse(item) for item in noted_items(log))


def in_a_waiting_generator(log):
    held = noted_items(log)
    next(held)
    refuse(held)


@pytest.mark.parametrize("is_caught", [True, False])
@pytest.mark.parametrize("is_behind", [True, False])
@pytest.mark.parametrize(
    "left",
    [
        in_a_variable, in_an_argument, in_a_cell, on_the_stack, in_a_loop, in_a_generator, in_a_waiting_generator,
    ],
)  # fmt: skip
def test_a_frame_that_an_exception_has_left_holds_its_variables_alone(left, is_behind, is_caught):
    """As long as somebody has the traceback; what stands on its stack is let go at once."""

    kind = ValueError if is_caught else KeyError

    def program(log, x):
        if is_behind:  # of a recording, which ends here
            ended = noted_items([])
            next(ended)
            del ended
        try:
            left(log)
        except kind:
            log.append("caught")
        finally:
            log.append("finally")
        return x * 2

    compiled = ms.jit(program)
    for number in range(4):
        logs = []
        for function in (program, compiled):
            log = []
            try:
                function(log, Tensor([number + 1.0]))
            except ValueError:
                log.append("raised")
            logs.append(log)
        assert logs[1] == logs[0]

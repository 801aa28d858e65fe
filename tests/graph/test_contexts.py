"""Context managers of `contextlib` in compiled functions: no hops where nothing is asked of Python, and blocks that are
left in every way as Python leaves them; tracebacks show the same lines."""

from __future__ import annotations

import contextlib
import gc
import pathlib
import sys
import traceback

import pytest
from chance import Writer, loaded
from worlds import Box, check, hops, shape, x_of

import anfora as ms
from anfora import Tensor, jit, ops
from anfora.graph.machine.switches import switches
from anfora.graph.run import ledger
from anfora.kernel.glue import is_recording, set_recording

SETTINGS = {"scale": 1}
LIBRARY = str(pathlib.Path(ms.__file__).parent)

#: Python 3.10 does not see to it that a generator ends with its block, so there the machine goes into none.
IS_GONE_INTO = sys.version_info >= (3, 11)


@contextlib.contextmanager
def scale(value):
    """Sets the scale for a while."""
    old, SETTINGS["scale"] = SETTINGS["scale"], value
    try:
        yield old
    finally:
        SETTINGS["scale"] = old


@contextlib.contextmanager
def noting(log, name, after=None):
    log.append(f"open {name}")
    try:
        yield name
        log.append(f"went well {name}")
    except ValueError as error:
        log.append(f"{name}: {error}, {error.__context__}")
        if after == "swallow":
            return
        if after == "other":
            raise KeyError(name) from error
        if after == "again":
            yield "again"
        raise
    finally:
        log.append(f"close {name}")


class Opened:
    def __init__(self, log):
        self.log = log

    def close(self):
        self.log.append("closed")

    @contextlib.contextmanager
    def part(self, n=1, *, name="p"):
        self.n = n
        yield self.log
        self.n = name


# -- what goes well ---------------------------------------------------------------------------------------------------


def sets_for_a_while(box, x):
    with scale(10) as before:
        y = x * SETTINGS["scale"]
        with scale(3):
            y = y + SETTINGS["scale"]
    return y, before, x * SETTINGS["scale"]


def notes(box, x):
    with noting(box.log, "a") as a, noting(box.log, "b") as b:
        y = x * len(a + b)
    return y, list(box.log)


def returns_from_the_block(box, x):
    for k in range(3):
        with noting(box.log, k):
            if k == 0:
                continue
            if k == 1:
                return x * k
    return x


def closes(box, x):
    opened = Opened(box.log)
    with contextlib.closing(opened) as same, contextlib.nullcontext(x) as y:
        y = y * 2
    with opened.part(4, name="q") as log, contextlib.nullcontext():
        n = opened.n
    return y, same is opened, log is box.log, n, opened.n


def is_made_inside(box, x):
    log = []

    @contextlib.contextmanager
    def inner(name):
        """Says so."""
        log.append(name)
        yield log
        log.append(x * 2)

    with inner("a") as same, inner(name="b"):
        same.append(inner.__name__)
    return log, inner.__doc__, inner.__wrapped__.__name__, inner.__module__


def suppresses(box, x):
    with contextlib.suppress(KeyError, ValueError):
        box.log.append(1)
        raise ValueError("gone")
    with contextlib.suppress(KeyError):
        x = x * {}["no"]
    return x


PROGRAMS = [sets_for_a_while, notes, returns_from_the_block, closes, is_made_inside, suppresses]


@pytest.mark.parametrize("function", PROGRAMS)
def test_no_hops(function):
    make, calls = lambda: Box(log=[]), [lambda box: (box, x_of())] * 4
    compiled = check(function, make, calls, None if not IS_GONE_INTO else ())
    assert compiled.program.recordings <= 8 and SETTINGS == {"scale": 1}


# -- what does not ----------------------------------------------------------------------------------------------------


def raises(box, x, after):
    with noting(box.log, "a"), noting(box.log, "b", after) as name:
        box.log.append(name)
        if after is not None:
            raise ValueError("wrong")
    return x


def raises_an_error_of_its_own(box, x, after):
    try:
        with noting(box.log, "a", after):
            try:
                raise ValueError("first")
            finally:
                box.log.append("on the way")
    except KeyError as error:
        return x, str(error), str(error.__cause__), error.__context__ is error.__cause__
    return x


def raises_stop_iteration(box, x, after):
    with noting(box.log, "a"):
        if after:
            raise StopIteration("here")
        raise RuntimeError("there")


def does_not_yield(box, x, after):
    @contextlib.contextmanager
    def wrong():
        box.log.append("wrong")
        if after == "other":
            yield 1
            yield 2
        if after == "again":
            raise ValueError("before")

    with contextlib.suppress(LookupError), wrong():
        x = x * 2
    return x


def does_not_fit(box, x, after):
    with noting(box.log, "n", other=3):
        return x


FAILING = [raises, raises_an_error_of_its_own, raises_stop_iteration, does_not_yield, does_not_fit]
#: What is asked of an exception that came from outside of the piece.
OF_AN_ERROR = {"an attribute of a RuntimeError", "a change of an attribute of RuntimeError"}
AFTERS = [None, "swallow", "other", *(["again"] if IS_GONE_INTO else []), "swallow", None]


@pytest.mark.parametrize("function", FAILING)
def test_errors(function):
    calls = [lambda box, after=after: (box, x_of(), after) for after in AFTERS]
    check(function, lambda: Box(log=[]), calls, OF_AN_ERROR if IS_GONE_INTO else None)


def lines(error):
    """The lines that are told of an exception, and of those behind it; this library's own left out."""
    found = []
    while error is not None:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(LIBRARY)]
        found.append((type(error).__name__, [(f.name, f.lineno, f.line) for f in frames]))
        error = error.__cause__ or error.__context__
    return found


@pytest.mark.parametrize("function", [raises, raises_an_error_of_its_own, raises_stop_iteration, does_not_yield])
@pytest.mark.parametrize("after", ["swallow", "other", "again", "none of these"])
def test_tracebacks(function, after):
    told = []
    for each in (function, jit(function)):
        for _ in range(3):
            try:
                each(Box(log=[]), x_of(), after)
                told.append([])
            except Exception as error:
                told.append(lines(error)[:1] if after == "again" else lines(error))
    for own in told[3:]:
        if IS_GONE_INTO:
            assert own == told[0]
        else:  # where a `with` puts the traceback back, which the machine does not
            assert [(kind, frames[-1:]) for kind, frames in own] == [(kind, frames[-1:]) for kind, frames in told[0]]


def test_the_interpreter_is_needed_inside(capsys):
    def f(box, x, fails):
        with noting(box.log, "a"), scale(x.shape[0] + 3):
            print("inside", SETTINGS["scale"])
            if fails:
                open("/not/there").close()
            y = x * SETTINGS["scale"]
        print("outside", SETTINGS["scale"])
        return y

    def g(box, x, fails):
        @contextlib.contextmanager
        def loud():
            print("open")
            try:
                yield
            except ValueError as error:
                print(error)
                raise
            finally:
                print("close")

        with loud():
            if fails:
                raise ValueError("failed")
            y = x * 2
        return y

    for function in (f, g):
        told = []
        for each in (function, jit(function)):
            box = Box(log=[])
            for fails in (False, False, True, True, False, True):
                try:
                    told.append(shape(each(box, x_of(), fails)))
                except (OSError, ValueError) as error:
                    told.append(str(error))
                told.append((capsys.readouterr().out, list(box.log)))
        assert told[:12] == told[12:]
        assert each.program.native is None


def test_an_error_of_an_operator_inside():
    def f(box, x, index):
        with noting(box.log, "a", "swallow"):
            y = x * 2
            box.log.append(1)
            x = ops.gather(y, index, 0)
        return x

    from anfora import Tensor

    indices = [Tensor([0, 1]), Tensor([1, 0]), Tensor([0, 9]), Tensor([1, 1])]
    told = []
    for function in (f, jit(f)):
        box = Box(log=[])
        for index in indices:
            try:
                told.append(shape(function(box, x_of(), index)))
            except Exception as error:
                told.append(type(error).__name__)
            told.append([str(each).partition("\n")[0] for each in box.log])
    assert told[:8] == told[8:]


def test_a_manager_that_is_not_entered_where_it_is_made():
    """When it is dropped its generator is closed, and only Python knows when that is."""

    def f(box, x, enters):
        manager = noting(box.log, "a")
        box.log.append("made")
        if enters:
            with manager as name:
                box.log.append(name)
        else:
            box.kept = manager
        return x * 2

    def g(box, x, enters):
        with contextlib.ExitStack() as stack:
            stack.enter_context(noting(box.log, "a"))
            stack.callback(box.log.append, "last")
            if enters:
                stack.enter_context(scale(4))
            box.log.append(SETTINGS["scale"])
        return x

    @noting([], "decorated")
    def h(box, x, enters):
        return x * 3

    for function in (f, g, h):
        told = []
        for each in (function, jit(lambda *args, function=function: function(*args))):
            box = Box(log=[], kept=None)
            for enters in (True, False, True, True, False):
                told.append(shape(each(box, x_of(), enters)))
                if box.kept is not None:
                    with box.kept as name:
                        box.log.append(name)
                    box.kept = None
                told.append(list(box.log))
        assert told[:10] == told[10:]


def test_nothing_of_it_is_alive_afterwards():
    @jit
    def f(box, x):
        with noting(box.log, "a"):
            return x * 2

    gc.collect()
    before = [each for each in gc.get_objects() if type(each) is contextlib._GeneratorContextManager]
    for _ in range(3):
        f(Box(log=[]), x_of())
    gc.collect()
    after = [each for each in gc.get_objects() if type(each) is contextlib._GeneratorContextManager]
    assert len(after) <= len(before) and not (IS_GONE_INTO and hops(f))


# -- programs made by chance ------------------------------------------------------------------------------------------


class Blocks(Writer):
    """A function of `with` statements, loops and handlers, which are left in all ways."""

    MANAGERS = (
        'noting(box.log, "a")', 'noting(box.log, "b", "swallow")', 'noting(box.log, "c", "other")', "scale(n + 2)",
        "contextlib.suppress(ValueError, KeyError)", "contextlib.suppress(LookupError)", "contextlib.nullcontext(n)",
        'noting(box.log, "d", "other") as d, scale(5)', "contextlib.closing(Opened(box.log))",
    )  # fmt: skip
    LINES = (
        "y = y + SETTINGS['scale']", "y = y * 2", "box.log.append(n)", "raise ValueError('v')", "raise KeyError('k')",
        "return y", "print('out', n)", "open('/not/there')", "box.n += 1", "y = y * box.n", "box.log.append(y)",
    )  # fmt: skip

    def function(self) -> str:
        names = "import contextlib\nfrom test_contexts import Opened, SETTINGS, noting, scale\n"
        self.write(0, "def f(box, n, x):")
        self.write(1, "y = x")
        self.block(1)
        self.write(1, "return y")
        return f"{names}\n\n" + "\n".join(self.lines)

    def block(self, depth: int) -> None:
        for _ in range(self.rng.integers(1, 4)):
            kind = self.rng.random() if depth < 4 else 1.0
            if kind < 0.45:
                self.write(depth, f"with {self.pick(*self.MANAGERS)} as w:")
                self.block(depth + 1)
            elif kind < 0.55:
                self.write(depth, f"for i in range({self.pick(1, 2, 3)}):")
                self.block(depth + 1)
                self.write(depth + 1, self.pick("break", "continue", "pass"))
            elif kind < 0.65:
                self.write(depth, "try:")
                self.block(depth + 1)
                self.write(depth, f"except {self.pick('ValueError', 'KeyError', 'Exception')} as e:")
                told = "type(e).__name__, type(e.__context__).__name__, type(e.__cause__).__name__"
                self.write(depth + 1, f"box.log.append(({told}))")
            elif kind < 0.75:
                self.write(depth, f"if n == {self.pick(0, 1, 2)}:")
                self.block(depth + 1)
            else:
                self.write(depth, self.pick(*self.LINES))


@pytest.mark.parametrize("seed", range(40))
def test_programs_made_by_chance(seed, tmp_path, capsys):
    text, told = Blocks(seed).function(), []
    module = loaded(text, tmp_path)
    for function in (module.f, jit(module.f)):
        box = Box(log=[], n=1)
        for n in (0, 1, 1, 2, 0, 2, 1):
            try:
                result = shape(function(box, n, x_of()))
            except Exception as error:
                result = type(error), str(error), lines(error) if IS_GONE_INTO else None
            told.append((result, capsys.readouterr().out, shape(box), dict(SETTINGS)))
            box.log.clear()
    for number, (own, expected) in enumerate(zip(told[7:], told)):
        assert own == expected, (number, text)


def turned_off(x, n):
    ms.no_grad().__enter__()
    return x * n


def turned_off_for_an_error(x, n):
    ms.no_grad().__enter__()
    y = x * n
    if y.sum() > 0:
        raise ValueError(n)
    return y


def turned_off_in_a_branch(x, n):
    if x.sum() > 1.5:
        ms.no_grad().__enter__()
    return x * n


def turned_off_in_a_loop(x, n):
    for i in range(6):
        if i == 4:
            ms.no_grad().__enter__()
        x = x * 0.5 + 1
        if x.sum() < 0:
            break
    return x


def turned_off_deep_inside(x, n):
    if n > 4:
        ms.no_grad().__enter__()
        return x
    return turned_off_deep_inside(x * 2, n + 1) + x


def never_left(x, n):
    with NeverLeft():
        y = x * n
    return y


class NeverLeft:
    def __enter__(self):
        ms.no_grad().__enter__()

    def __exit__(self, *args):
        raise KeyError("left")


TURNING = [
    turned_off, turned_off_for_an_error, turned_off_in_a_branch, turned_off_in_a_loop, turned_off_deep_inside, never_left,
]  # fmt: skip


@pytest.mark.parametrize("program", TURNING, ids=lambda program: program.__name__)
def test_the_tape_is_left_as_the_program_leaves_it(program, monkeypatch):
    monkeypatch.setattr(ledger, "_FREE", 1 << 60)

    def left(function, number, n):
        before = switches()
        set_recording(True)
        try:
            try:
                function(Tensor([number]), n)
                return "returned", is_recording()
            except (ValueError, KeyError) as error:
                return str(error), is_recording()
        finally:
            before.turn()

    compiled = ms.jit(program)
    for number in (1.0, 1.0, 2.0, 2.0, 1.0, 2.0):
        assert left(compiled, number, 2) == left(program, number, 2)

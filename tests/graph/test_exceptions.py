"""What an exception says of where it comes from, in a compiled function as in Python: its context, what has no such
attribute; and what is let go of when it leaves a function."""

from __future__ import annotations

import contextlib
import functools
import traceback
import types

import pytest

import anfora as ms
from anfora import Tensor, jit, nn
from anfora.core.errors import OpValueError
from anfora.graph.run import ledger
from anfora.graph.source.tracebacks import BRINGS_BACK

LOG: list[str] = []


def chain(error):
    found = []
    while error is not None and len(found) < 9:
        found.append(type(error).__name__)
        error = error.__context__
    return found


def fails_while_failing():
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError:
        raise KeyError("a") from None


def of_a_call_that_handles(x):
    try:
        try:
            [][0]
        except IndexError:
            fails_while_failing()
    except KeyError as error:
        return chain(error)


def taken_away(x):
    def fails():
        try:
            raise ValueError
        except ValueError:
            error = KeyError()
            try:
                raise error
            finally:
                error.__context__ = None

    try:
        try:
            [][0]
        except IndexError:
            fails()
    except KeyError as error:
        return chain(error)


@contextlib.contextmanager
def replacing():
    try:
        yield
    except BaseException:
        error = KeyError()
        try:
            raise error
        finally:
            error.__context__ = None


def taken_away_by_a_manager(x):
    try:
        with replacing():
            raise IndexError
    except KeyError as error:
        return chain(error)


def no_such_global(x):
    try:
        try:
            raise ValueError
        except ValueError:
            no_such_name  # noqa: B018
    except NameError as error:
        return chain(error), error.name


def no_value(x):
    try:
        try:
            raise ValueError
        except ValueError:
            y  # noqa: B018
            y = 1  # noqa: F841
    except NameError as error:
        return chain(error)


def raised_again(x):
    try:
        try:
            raise ValueError
        except ValueError:
            try:
                raise KeyError
            except KeyError:
                try:
                    raise
                finally:
                    LOG.append("again")
    except KeyError as error:
        return chain(error)


def without_a_cycle(x):
    class First(Exception):
        pass

    try:
        try:
            raise First
        except First as error:
            first = error
            try:
                raise KeyError
            except KeyError as error:
                assert isinstance(first, First)
                raise first  # noqa: B904
    except First as error:
        return chain(error), error is first


class Asked:
    def __getattr__(self, name):
        raise AttributeError("no " + name)


class Owner:
    @property
    def inner(self):
        return self.missing

    @property
    def refused(self):
        raise AttributeError("refused")

    @property
    def said(self):
        raise AttributeError("said", name="other", obj=3)


def of_a_fallback(x):
    thing = Asked()
    try:
        thing.attribute  # noqa: B018
    except AttributeError as error:
        return error.name, error.obj is thing, str(error)


def by_getattr(x):
    thing = Asked()
    try:
        getattr(thing, "attribute")  # noqa: B009
    except AttributeError as error:
        return error.name, error.obj is thing, getattr(thing, "attribute", 3), hasattr(thing, "attribute")


def of_properties(x):
    thing, found = Owner(), []
    for name in ("inner", "refused", "said"):
        try:
            getattr(thing, name)
        except AttributeError as error:
            found.append((error.name, error.obj is thing, str(error)))
    return found


def of_a_cell(x):
    cell = nn.ReLU()
    try:
        cell.no_such_thing  # noqa: B018
    except AttributeError as error:
        return error.name, error.obj is cell


def of_a_group(x):
    error = OSError(2, "no such file", "name")
    print(end="")
    return error.errno, error.filename, error.args


def items():
    try:
        yield 1
        yield 2
    finally:
        LOG.append("closed")


def left_by_an_exception(x):
    def walks():
        for _ in items():
            raise KeyError

    try:
        walks()
    except KeyError:
        pass
    LOG.append("after")


def left_in_the_same_function(x):
    try:
        for _ in items():
            raise KeyError
    except KeyError:
        LOG.append("caught")
    LOG.append("after")


def left_by_a_return(x):
    def walks():
        for item in items():
            return item

    walks()
    LOG.append("after")


def left_through_finally(x):
    def walks():
        try:
            for _ in items():
                raise KeyError
        finally:
            LOG.append("finally")

    try:
        walks()
    except KeyError:
        LOG.append("caught")
    LOG.append("after")


class Odd:
    __match_args__ = (None,)


def of_a_pattern(x):
    try:
        match Odd():
            case Odd(y):
                return y
    except TypeError as error:
        return str(error)


def of_a_module_that_is_not_made(x):
    module = types.ModuleType.__new__(types.ModuleType)
    try:
        return module.__name__
    except AttributeError as error:
        return type(error).__name__, error.name


PROGRAMS = [
    of_a_pattern, of_a_module_that_is_not_made, of_a_call_that_handles, taken_away, taken_away_by_a_manager,
    no_such_global, no_value, raised_again, without_a_cycle, of_a_fallback, by_getattr, of_properties, of_a_cell,
    of_a_group, left_by_an_exception, left_in_the_same_function, left_by_a_return, left_through_finally,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_exceptions_say_and_leave_what_they_do_in_python(program):
    def outcome(function):
        LOG.clear()
        return function(Tensor(1.0)), LOG[:]

    wanted = outcome(program)
    compiled = ms.jit(program)
    for _ in range(4):
        assert outcome(compiled) == wanted


def test_a_list_that_is_nested_to_any_depth_is_left_to_python():
    def program(x):
        deep = []
        for _ in range(5000):
            deep = [deep]
        try:
            found = len(repr(deep))
        except RecursionError:
            found = "too deep"
        return found, x

    compiled = ms.jit(program)
    for _ in range(3):
        assert compiled(Tensor(1.0))[0] == program(Tensor(1.0))[0]


def two(a, b):
    return a


class Holder:
    def __init__(self, a):
        self.a = a

    def get(self, b):
        return b


def one_item(a):
    yield a


def raised_again(x):
    raise


#: What is wrong before any function of Python's is called: the interpreter says so by itself, and shows the line.
WRONG = {
    "an argument is missing": lambda x: two(x),
    "there are too many": lambda x: two(x, 1, 2),
    "one is unknown": lambda x: two(x, 1, z=2),
    "one is given twice": lambda x: two(x, 1, a=2),
    "of a class": lambda x: Holder(),
    "of a method": lambda x: Holder(1).get(),
    "of a generator": lambda x: list(one_item()),
    "of a function in a map": lambda x: list(map(two, [x])),
    "deeper": lambda x: (lambda y: two(y))(x),
    "a name is unknown": lambda x: unknown_name,  # noqa: F821
    "nothing to raise again": raised_again,
}


@pytest.mark.parametrize("name", WRONG)
def test_what_the_interpreter_finds_wrong_shows_its_line(name):
    def lines(function):
        with pytest.raises((TypeError, NameError, RuntimeError)) as raised:
            function(Tensor([1.0]))
        shown = traceback.extract_tb(raised.value.__traceback__)
        return str(raised.value), [(each.name, each.lineno) for each in shown if each.filename == __file__]

    compiled = ms.jit(WRONG[name])
    for _ in range(3):
        assert lines(compiled) == lines(WRONG[name])


def kept(x, n, log):
    try:
        x.reshape(5 + n % 2)
    except ValueError as error:
        log.append(error)
    return x * n


def kept_with_attributes(x, n, log):
    try:
        x[0, 0] if n % 2 else x[0, 0, n]
    except IndexError as error:
        error.number = n
        log.append(error)
        return error.number, error is log[-1]


def kept_within(x, n, log):
    try:
        raise KeyError(n) if n % 2 else OpValueError("none of these")
    except (KeyError, ValueError) as error:
        found = error
    log.append({"error": (found, n)})
    return found, x * 2


def read_again(x, n, log):
    last = None if not log else (str(log[-1]), log[-1].args, type(log[-1]).__name__, log[-1].number)
    kept_with_attributes(x, n, log)
    return last


def raised_once_more(x, n, log):
    try:
        if n % 2 and log:
            raise log[-1]
        x.reshape(5)
    except ValueError as error:
        log.append(error)
        return error is log[0]


@pytest.mark.parametrize("program", [kept, kept_with_attributes, kept_within, read_again, raised_once_more])
def test_each_call_has_exceptions_of_its_own(program):
    def told(function):
        log: list = []
        results = [str(function(Tensor([1.0, 2.0, 3.0]), n, log)) for n in range(7)]
        errors = [each["error"][0] if type(each) is dict else each for each in log]
        numbers = [errors.index(each) for each in errors]
        return results, numbers, [str(each) for each in errors], [getattr(each, "number", None) for each in errors]

    assert told(ms.jit(program)) == told(program)


class Refused(Exception):
    """What only Python makes, since nothing is known of it."""


def through_finally(error):
    try:
        raise error
    finally:
        PASSED.append("finally")


def through_other_handlers(error):
    try:
        raise error
    except KeyError:
        pass


def through_a_bare_raise(error):
    try:
        raise error
    except Refused:
        PASSED.append("raise")
        raise


def through_a_manager(error):
    with noting():
        raise error


@contextlib.contextmanager
def noting():
    try:
        yield
    finally:
        PASSED.append("left")


class Noting:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        PASSED.append(args[0].__name__)


def through_a_manager_of_a_class(error):
    with Noting():
        raise error


def through_a_generator(error):
    return list(failing(error))


def failing(error):
    try:
        yield 1
        raise error
    finally:
        PASSED.append("ended")


def through_a_handler_that_fails(error):
    try:
        raise error
    except Refused:
        raise Refused("again") from None


PASSED: list[str] = []
WAYS = [
    through_finally, through_other_handlers, through_a_bare_raise, through_a_manager_of_a_class, through_a_generator,
    through_a_handler_that_fails,
]  # fmt: skip
if not BRINGS_BACK:  # there the lines of the manager's generator are gone again, which the machine does not know yet
    WAYS.append(through_a_manager)


def between(way, error):
    try:
        return way(error)
    except ValueError:
        return None


def caught_from(way, x):
    error = Refused("no")
    y = x * 2
    try:
        between(way, error)
    except Refused as caught:
        PASSED.append("caught")  # a piece ends, while the exception is handled
        error = caught
    return y, error


@pytest.mark.parametrize("is_nested", [False, True])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_an_exception_from_outside_shows_each_call_that_it_comes_out_of(way, is_nested, monkeypatch):
    monkeypatch.setattr(ledger, "_FREE", 1 << 60)

    def program(x):
        return caught_from(functools.partial(between, way) if is_nested else way, x)

    def shown(function, n):
        PASSED.clear()
        _, error = function(Tensor([1.0, n]))
        places = [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__)]
        return [place for place in places if place[0] not in ("program", "shown")], [*PASSED], repr(error.__context__)

    compiled = jit(program)
    for n in (1.0, 1.0, 2.0, 2.0, 3.0):
        assert shown(compiled, n) == shown(program, n)

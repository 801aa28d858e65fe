"""What compiling does does not grow with what it has no need of: counted in instructions, looks and calls of ours."""

from __future__ import annotations

import io
import random
import sys
import textwrap

import numpy as np
import pytest
from outcomes import bits
from plain_machine import Machine as PlainMachine

import anfora as ms
from anfora import Tensor, jit
from anfora.graph.machine import machine as machines
from anfora.graph.record.notebook import Notebook
from anfora.graph.run import ledger, recordings
from anfora.graph.source import sources, tracebacks
from anfora.graph.source.sources import code_of

NOWHERE = io.StringIO()


def x_of(*shape):
    return Tensor(np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape))


def made(monkeypatch, text, **scope):
    """The function `f` of a text, whose source is found."""
    lines = textwrap.dedent(text).splitlines(keepends=True)
    file = f"<made {random.random()}>"
    monkeypatch.setitem(__import__("linecache").cache, file, (len(text), None, lines, file))
    scope["__name__"] = "made"
    exec(compile("".join(lines), file, "exec"), scope)
    return scope["f"]


@pytest.fixture
def looked(monkeypatch):
    """Values that were read from outside."""
    found = []
    register = Notebook.register
    monkeypatch.setattr(Notebook, "register", lambda *args: found.append(args[1]) or register(*args))
    return found


# -- reading -----------------------------------------------------------------------------------------------------------

DISPLAYS = {
    "numbers": ("[" + "1000, 2.5, 'a', None, " * 100 + "]", 10),
    "names": ("[" + "a, b, a + b, " * 100 + "]", 1500),
    "stars": ("[" + "a, *c, " * 100 + "]", 1500),
    "a tuple": ("(" + "a, b, " * 100 + ")", 1500),
    "a set": ("{" + ", ".join(f"a + {i}" for i in range(100)) + "}", 1500),
    "a dict": ("{" + ", ".join(f"{i}: a" for i in range(1000)) + ", **{'x': b}, 'y': a}", 2500),
    "keywords": ("dict(" + ", ".join(f"k{i}=a" for i in range(300)) + ", **{'x': b})", 2000),
    "a list in a list": ("[" + "[a], (1, b), " * 100 + "]", 1500),
}


@pytest.mark.parametrize("name", DISPLAYS)
def test_what_is_written_down_at_length_leaves_the_stack_low(monkeypatch, name):
    text, most = DISPLAYS[name]
    f = made(monkeypatch, f"def f(a, b, c): return {text}\n")
    code = code_of(f)
    assert len(code.opcodes) < most
    heights = []
    go = machines.INSTRUCTIONS

    def watched(opcode):
        def op(machine, frame, argument):
            heights.append(len(frame.stack))
            go[opcode](machine, frame, argument)

        return op

    monkeypatch.setattr(machines, "INSTRUCTIONS", {opcode: watched(opcode) for opcode in go})
    wanted, got = f(3, 4, (5, 6)), jit(f)(3, 4, (5, 6))
    assert got == wanted and repr(got) == repr(wanted) and type(got) is type(wanted)
    assert heights and max(heights) < 300
    assert PlainMachine(f.__globals__, False).call(f, (3, 4, (5, 6)), {}) == wanted


def test_a_long_list_holds_the_constants_of_pythons_own_code(monkeypatch):
    f = made(monkeypatch, "def f(): return [" + ", ".join(f"{10**9 + i}" for i in range(50)) + "]\n")
    wanted, got = f(), jit(f)()
    assert got == wanted and all(one is other for one, other in zip(got, wanted))
    got.append(1)
    assert jit(f)() == wanted  # a new one in each call


def test_keys_of_a_long_dict_are_hashed_in_their_order(monkeypatch):
    told = []

    class Key:
        def __init__(self, k):
            self.k = k

        def __hash__(self):
            told.append(self.k)
            return self.k

    f = made(monkeypatch, "def f(keys): return {" + ", ".join(f"keys[{i}]: {i}" for i in range(300)) + "}\n")
    keys = [Key(k) for k in range(300)]
    wanted = f(keys)
    assert told == [*range(300)]
    compiled = jit(f)
    for _ in range(3):
        told.clear()
        assert compiled(keys) == wanted
        assert told[:300] == [*range(300)]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no such table")
def test_a_table_of_positions_says_what_python_writes():
    chance = random.Random(3)
    code = test_a_table_of_positions_says_what_python_writes.__code__
    for _ in range(500):
        first = chance.choice([1, 5, 70, 5000])
        line = chance.choice([1, first, first + 1, first + chance.randrange(9000)])
        column = chance.choice([0, 3, 63, 64, 5000])
        position = (
            line,
            line + chance.choice([0, 0, 1, 77, 5000]),
            column,
            column + chance.choice([1, 63, 64, 4095, 5000]),
        )
        ours = tracebacks._calling("f", position, first)
        pythons = tracebacks._placed(tracebacks._call(tracebacks._where(position, first)), "f", position, first)
        assert list(ours.co_positions()) == list(pythons.co_positions())
        assert next(iter(ours.co_lines())) == next(iter(pythons.co_lines()))
        for name in ("co_code", "co_firstlineno", "co_filename", "co_names", "co_consts", "co_name", "co_flags"):
            assert getattr(ours, name) == getattr(pythons, name)
    assert tracebacks.stub(code, (9, 9, 1, 2)) is tracebacks.stub(code, (9, 9, 1, 2))


def test_to_make_a_stub_does_not_hash_the_code(monkeypatch):
    f = made(monkeypatch, "def f(x):\n" + "".join(f"    x = x * 0.5 + {i}\n" for i in range(60)) + "    return x\n")
    hashed = []
    one_of = tracebacks._one_of
    monkeypatch.setattr(tracebacks, "_one_of", lambda *args: hashed.append(args) or one_of(*args))
    assert bits(jit(f)(x_of(2))) == bits(f(x_of(2)))
    assert sum(code is f.__code__ for code, _ in hashed) == 1


def test_numbers_are_computed_without_a_frame_for_each(monkeypatch):
    f = made(
        monkeypatch,
        "def f(x):\n    a, b, s = 1, 2.5, 'a'\n"
        + "".join(f"    a = (a * 3 + {i}) % 1009; b = b * 0.5 + a; s = s + 'b' if a > b else s\n" for i in range(100))
        + "    return x + a + b + len(s)\n",
    )
    stubs = []
    natively = machines.Machine.natively
    monkeypatch.setattr(machines.Machine, "natively", lambda *args: stubs.append(args[1]) or natively(*args))
    assert bits(jit(f)(x_of(2))) == bits(f(x_of(2)))
    assert len(stubs) < 20


@pytest.mark.parametrize(
    "text", ["1 // zero", "'a' + zero", "2 << -one", "one % zero", "'a' * 1.5", "(-8) ** 0.5 < zero"]
)
def test_what_fails_there_fails_as_in_python(monkeypatch, text):
    f = made(monkeypatch, f"def f(x):\n    zero, one = 0, 1\n    y = x + 1\n    return y, (\n        {text})\n")
    errors = []
    for g in (f, jit(f)):
        with pytest.raises(Exception) as caught:
            g(x_of(2))
        errors.append((caught.type, str(caught.value), caught.traceback[-1].lineno, caught.traceback[-1].name))
    assert errors[0] == errors[1]


# -- what is looked at -------------------------------------------------------------------------------------------------


def test_an_item_is_read_without_what_lies_beside_it(looked):
    def f(x, t):
        return x + sum(len(row) for row in t) + t[3][4][1]

    t = [[(i, j) for j in range(100)] for i in range(100)]
    compiled = jit(f)
    assert bits(compiled(x_of(2), t)) == bits(f(x_of(2), t))
    assert len(looked) < 1_500
    for change in (lambda: t[3].__setitem__(4, (7, 8)), lambda: t[5].append(1), lambda: t[0].__setitem__(0, (9, 9))):
        change()
        for _ in range(2):
            assert bits(compiled(x_of(2), t)) == bits(f(x_of(2), t))


def puts(x, n):
    held = {}
    for i in range(n):
        held[i] = x
    return held


def looks_for(x, n):
    held, count = dict.fromkeys(range(n), x), 0
    for i in range(n):
        count += i in held
    return count


def reads(x, n):
    held, count = dict.fromkeys(range(n), x), 0
    for i in range(n):
        count += held[i] is x
    return count


@pytest.mark.parametrize("function", [puts, looks_for, reads])
def test_an_item_of_a_dict_of_the_programs_is_none_of_the_others(monkeypatch, function):
    """Values that are asked whether anything is known of them: so many for each item, however many there are."""
    asked = []
    opaque = Notebook.opaque
    monkeypatch.setattr(Notebook, "opaque", lambda *args: asked.append(1) or opaque(*args))
    counts = []
    for n in (20, 200):
        asked.clear()
        jit(function)(x_of(3), n)
        counts.append(len(asked))
    assert counts[1] < 12 * counts[0]


@pytest.mark.parametrize("way", [iter, reversed])
@pytest.mark.parametrize("kind", [list, tuple])
def test_a_turn_of_a_loop_asks_for_its_own_item(looked, kind, way):
    def f(x, items):
        for item in way(items):
            NOWHERE.write("a")
            x = x * 0.5 + item
        return x

    counts = []
    for n in (40, 80):
        items = kind(Tensor(float(k)) for k in range(n))
        looked.clear()
        compiled = jit(f)
        assert bits(compiled(x_of(2), items)) == bits(f(x_of(2), items))
        counts.append(len(looked))
        for other in (items, items[:-1], kind(reversed(items)), (*items, Tensor(3.0)), items):
            for _ in range(3):
                assert bits(compiled(x_of(2), kind(other))) == bits(f(x_of(2), kind(other)))
    assert counts[1] < 2.5 * counts[0]  # and not four times


def test_a_loop_that_changes_what_it_goes_over():
    def f(x, items):
        for k, item in enumerate(items):
            x = x * 0.5 + item
            if k == 2:
                items.append(7.5)
            if k == 4:
                del items[0]
            if k == 6:
                items[-1] = x
        return x

    compiled = jit(f)
    for n in (5, 5, 5, 9, 9, 3):
        ours, pythons = [float(k) for k in range(n)], [float(k) for k in range(n)]
        for _ in range(2):
            assert bits(compiled(x_of(2), ours)) == bits(f(x_of(2), pythons))
            assert len(ours) == len(pythons) and all(map(lambda a, b: bits(a) == bits(b), ours, pythons))


def test_a_piece_does_not_go_through_a_container_in_a_slot(monkeypatch):
    def f(x, functions):
        for function in functions:
            NOWHERE.write("a")
            x = function(x)
        return x

    asked = []
    opaque = Notebook.opaque
    monkeypatch.setattr(Notebook, "opaque", lambda *args: asked.append(1) or opaque(*args))
    counts = []
    for n in (30, 60):
        functions = [eval(f"lambda v: v * 0.5 + {k}") for k in range(n)]
        asked.clear()
        compiled = jit(f)
        for _ in range(2):
            assert bits(compiled(x_of(2), functions)) == bits(f(x_of(2), functions))
        counts.append(len(asked))
    assert counts[1] < 2.5 * counts[0]


# -- what calls must pay for -------------------------------------------------------------------------------------------


def long_one(monkeypatch, lines=200):
    text = "def f(x):\n" + "".join(f"    x = x * 0.5 + {i}\n" for i in range(lines)) + "    return x\n"
    return made(monkeypatch, text)


def test_what_is_too_long_to_be_read_waits_until_calls_have_paid(monkeypatch):
    monkeypatch.setattr(ledger, "_START", 100_000)
    f = long_one(monkeypatch)
    compiled = jit(f)
    for _ in range(20):
        assert bits(compiled(x_of(2))) == bits(f(x_of(2)))
    assert compiled.program.native == ledger.UNREAD and not compiled.program.recordings
    assert sources.length_to_read(f) > 1_000
    assert compiled.__call__ is f  # there is nothing of ours between
    report = ms.explain(compiled)(x_of(2))
    assert report.fallback == ledger.UNREAD and ledger.UNREAD in str(report)
    while compiled.program.resting:
        compiled(x_of(2))
    assert bits(compiled(x_of(2))) == bits(f(x_of(2)))
    assert compiled.program.native is None and compiled.program.recordings == 1
    assert not sources.length_to_read(f)


def test_a_tensor_of_unknown_lengths_tells_nothing_of_what_a_call_is_worth(monkeypatch):
    monkeypatch.setattr(ledger, "_START", 100_000)
    f = long_one(monkeypatch)
    g = made(monkeypatch, "def f(x, given):\n    return h(x), given.shape\n", h=f)
    given = Tensor(shape=(None, 3), dtype=ms.float32)
    for _ in range(3):
        result, shape = jit(g)(x_of(2), given)
        assert bits(result) == bits(f(x_of(2))) and shape == given.shape


@pytest.mark.parametrize("way", ["large", "fullgraph", "explain", "short"])
def test_what_pays_at_once_is_read_at_once(monkeypatch, way):
    monkeypatch.setattr(ledger, "_START", 100_000)
    f, x = long_one(monkeypatch, 10 if way == "short" else 200), x_of(*((300, 400) if way == "large" else (2,)))
    compiled = jit(f, fullgraph=way == "fullgraph")
    if way == "explain":
        assert ms.explain(compiled)(x).fallback is None
    assert bits(compiled(x)) == bits(f(x))
    assert compiled.program.recordings == 1 and compiled.program.native is None


def test_what_is_read_on_the_way_is_paid_for(monkeypatch):
    f = made(
        monkeypatch,
        "".join(f"def g{k}(x): return x + {k}\n" for k in range(20))
        + "def f(x):\n"
        + "".join(f"    x = g{k}(x)\n" for k in range(20))
        + "    return x\n",
    )
    spent = []
    for _ in range(2):  # the second program finds all functions read
        compiled = jit(f)
        assert bits(compiled(x_of(2))) == bits(f(x_of(2)))
        spent.append(compiled.program.ledger.spent)
    assert spent[0] - spent[1] > 20 * ledger._READ * 40


def test_calls_that_wait_are_counted_once_each(monkeypatch):
    monkeypatch.setattr(ledger, "_FREE", 14_000)  # as it is outside of tests
    monkeypatch.setattr(recordings, "shows_frames", lambda code: True)  # then each call asks anew whether it waits

    def f(x, n):
        for i in range(n):
            y = x * i - 4
            x = x + y if y.sum() > 0 else x * 0.5 if (y + 3).sum() > 0 else x - 1
        return x

    compiled = jit(f)
    for _ in range(20):
        assert bits(compiled(x_of(2), 9)) == bits(f(x_of(2), 9))
    account = compiled.program.ledger
    assert compiled.program.recordings == 1 and not compiled.program.resting
    assert 0 < account._waited <= 20 * account._each


def test_a_few_calls_with_many_hops_show_that_these_do_not_pay(monkeypatch):
    monkeypatch.setattr(ledger, "_CALLS", 16)
    monkeypatch.setattr(ledger, "_MOST_HOPS", 60)
    monkeypatch.setattr(ledger, "_FREE", 1 << 60)

    def f(x):
        for i in range(40):
            NOWHERE.write(str(i))
            x = x + NOWHERE.tell() % 2
        return x

    compiled = jit(f)
    for _ in range(8):
        NOWHERE.seek(0)
        got = bits(compiled(x_of(2)))
        NOWHERE.seek(0)
        assert got == bits(f(x_of(2)))
    assert compiled.program.native == ledger.LOSS

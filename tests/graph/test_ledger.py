"""What compiling may cost: recordings that would overdraw the account, and pieces that do not pay, are Python's."""

from __future__ import annotations

import collections
import io
import unittest
from fractions import Fraction

import numpy as np
import pytest
from outcomes import bits

import anfora as ms
from anfora import Tensor, jit, ops
from anfora.graph.record.notebook import Notebook
from anfora.graph.run import ledger, pieces
from anfora.graph.state.moments import OVERDRAWN

NOWHERE = io.StringIO()
LEAST, MOST_HOPS = ledger._LEAST, ledger._MOST_HOPS  #: as they are outside of tests


def x_of(*shape):
    return Tensor(np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape))


def told(x):
    NOWHERE.write("a")
    x = x + 1
    NOWHERE.write("b")
    return x * 2


def unrolled(x, box, n):
    out = []
    for i in range(n):
        x = x * box["rate"] if i % 3 else x + len(out)
        out.append(x)
        box["seen"] = i
    return out[-1], len(out)


def of_many_forms(x, text):
    for word in text.split():
        if word.startswith("a"):
            x = x * 0.5
        elif len(word) > 2:
            x = x + len(word)
    return x


def with_hops(x, k):
    for i in range(4):
        NOWHERE.write(str(i))
        x = x + NOWHERE.tell() % 3 * k
    return x


def texts(k):
    return " ".join("abcd"[(k * 7 + i) % 4] * (1 + (i + k) % 3) for i in range(5))


@pytest.fixture
def looks(monkeypatch):
    """Calls are looked at as they are outside of tests."""
    monkeypatch.setattr(ledger, "_CALLS", 16)
    monkeypatch.setattr(ledger, "_LEAST", LEAST)
    monkeypatch.setattr(ledger, "_MOST_HOPS", MOST_HOPS)


def test_pieces_that_do_not_pay_for_their_hops_are_given_back(looks):
    compiled = jit(told)
    for _ in range(40):
        assert bits(compiled(x_of(2))) == bits(told(x_of(2)))
    report = ms.explain(compiled)(x_of(2))
    assert report.fallback == ledger.LOSS and ledger.LOSS in str(report)


def test_pieces_that_pay_are_kept(looks):
    compiled = jit(told)
    for _ in range(40):
        assert bits(compiled(x_of(300, 200))) == bits(told(x_of(300, 200)))
    assert ms.explain(compiled)(x_of(300, 200)).fallback is None


def noting(x, seen, n):
    for i in range(n):
        x = x * 0.5
        seen.append(i)
    return x


def test_a_call_that_gains_nothing_is_pythons(looks):
    compiled, seen, expected = jit(noting), [], []
    for _ in range(40):
        assert bits(compiled(x_of(2), seen, 20)) == bits(noting(x_of(2), expected, 20)) and seen == expected
    assert compiled.__call__ is noting  # there is nothing of ours between
    report = ms.explain(compiled)(x_of(2), seen, 20)
    assert report.fallback == ledger.RESTING and ledger.RESTING in str(report)
    assert compiled.program.recordings == 1


def chain(x):
    return (x + 1) * 2 - x


def negative(x):
    return -x


def test_it_is_looked_again_whether_calls_still_gain_nothing(looks):
    compiled, large = jit(chain), x_of(300, 200)
    for _ in range(40):
        assert bits(compiled(x_of(2))) == bits(chain(x_of(2)))
    assert compiled.__call__ is chain
    for _ in range(ledger.LOOK_AGAIN + 1):
        assert bits(compiled(large)) == bits(chain(large))
    report = ms.explain(compiled)(large)
    assert report.fallback is None and report.pieces == 1 and compiled.program.recordings == 2
    compiled(large)
    assert compiled.__call__ is not chain


def test_it_is_looked_again_inside_of_another_call_too(looks):
    inner, large, held = jit(chain), x_of(300, 200), []
    outer = jit(lambda x: held.append(left(inner, x)) or held.pop())
    for _ in range(40):
        inner(x_of(2))
    assert inner.program.native is ledger.RESTING
    for _ in range(ledger.LOOK_AGAIN + 2):
        assert bits(outer(large)) == bits(chain(large))
    assert inner.program.native is None and inner.program.recordings == 2


def left(function, x):
    """A call that Python does."""
    return eval("function(x)", {"function": function, "x": x})


def test_one_operator_is_pythons_at_every_size(looks):
    compiled = jit(negative)
    for _ in range(40):
        for shape in ((1,), (600, 500)):
            assert bits(compiled(x_of(*shape))) == bits(negative(x_of(*shape)))
    assert compiled.__call__ is negative


def test_where_one_form_gains_nothing_another_one_is_compiled(looks):
    compiled, seen, expected = jit(noting), [], []
    for k in range(40):
        x = x_of(2) if k < 10 or k % 8 == 0 else x_of(300, 200)
        assert bits(compiled(x, seen, 3)) == bits(noting(x, expected, 3)) and seen == expected
    report = ms.explain(compiled)(x_of(300, 200), seen, 3)
    assert report.fallback is None and report.pieces and compiled.program.recordings == 2


def test_what_gains_nothing_is_run_where_somebody_wants_to_see_it(looks):
    compiled, seen, expected = jit(noting), [], []
    for _ in range(3):
        assert bits(compiled(x_of(2), seen, 4)) == bits(noting(x_of(2), expected, 4))
    report = ms.explain(compiled)(x_of(2), seen, 4)
    assert bits(report.result) == bits(noting(x_of(2), expected, 4)) and seen == expected and report.pieces == 1


def test_a_loop_that_is_unrolled_for_too_long_goes_to_python(monkeypatch):
    monkeypatch.setattr(ledger, "_START", 100_000)
    compiled = jit(unrolled)
    for n in (700, 700, 900):
        one, other = {"rate": 0.5}, {"rate": 0.5}
        assert bits(compiled(x_of(2), one, n)) == bits(unrolled(x_of(2), other, n))
        assert one == other
    assert compiled.program.native == OVERDRAWN
    assert ms.explain(compiled)(x_of(2), {"rate": 1.0}, 9).fallback == OVERDRAWN


@pytest.mark.parametrize("start", [0, 2_000, 20_000])
@pytest.mark.parametrize("program", [of_many_forms, with_hops], ids=lambda program: program.__name__)
def test_ever_new_forms_are_recorded_only_as_far_as_calls_have_paid(monkeypatch, program, start):
    monkeypatch.setattr(ledger, "_START", start)
    compiled = jit(program)
    for k in range(120):
        argument = texts(k) if program is of_many_forms else k * 0.25
        NOWHERE.seek(0)
        one = bits(compiled(x_of(2), argument))
        NOWHERE.seek(0)
        assert one == bits(program(x_of(2), argument))
    account = compiled.program.ledger
    assert compiled.program.native is not None or not account.is_overdrawn(-100_000)


def test_gradients_too(monkeypatch):
    monkeypatch.setattr(ledger, "_START", 0)

    def step(x, k):
        return ms.value_and_grad(lambda x: with_hops(x, k).sum())(x)

    compiled = jit(step)
    for k in range(30):
        NOWHERE.seek(0)
        one = bits(compiled(x_of(2), k * 0.5))
        NOWHERE.seek(0)
        assert one == bits(step(x_of(2), k * 0.5))


def test_what_must_be_compiled_is(monkeypatch):
    monkeypatch.setattr(ledger, "_START", 0)
    compiled = jit(of_many_forms, fullgraph=True)
    for k in range(8):
        assert bits(compiled(x_of(2), texts(k))) == bits(of_many_forms(x_of(2), texts(k)))
    assert compiled.program.native is None and compiled.program.recordings > 1


@pytest.fixture
def lowered(monkeypatch):
    """What calls may spend is as it is outside of tests; gives the pieces that have been lowered."""
    monkeypatch.setattr(ledger, "_FREE", 14_000)
    found, lower = [], pieces.Runner._compile

    def compile(runner):
        found.append(runner.piece)
        return lower(runner)

    monkeypatch.setattr(pieces.Runner, "_compile", compile)
    return found


def branching(x, n):
    total = x * 0
    for i in range(n):
        y = x * i - 4
        if y.sum() > 0:
            total = total + y
        elif (y + 3).sum() > 0:
            total = total - 1
        else:
            NOWHERE.write("c")
            total = total * 0.5
    return total


def test_calls_are_pythons_until_they_have_paid_for_what_they_would_lower(lowered):
    compiled = jit(branching)
    for k in range(60):
        NOWHERE.seek(0)
        assert bits(compiled(x_of(2, 2) + k % 3, 9)) == bits(branching(x_of(2, 2) + k % 3, 9))
    assert not lowered and compiled.program.recordings == 1
    account = compiled.program.ledger
    account._waited = 10_000_000  # as if there had been thousands of them
    for k in range(10):
        assert bits(compiled(x_of(2, 2) + k % 3, 9)) == bits(branching(x_of(2, 2) + k % 3, 9))
    assert len(lowered) > 10


def test_in_python_a_call_costs_nothing_more(lowered, monkeypatch):
    compiled = jit(branching)
    compiled(x_of(2), 9)
    for name in ("_record", "_redo", "_run"):
        monkeypatch.setattr(type(compiled.program), name, None)
    for _ in range(20):
        assert bits(compiled(x_of(2), 9)) == bits(branching(x_of(2), 9))


@pytest.mark.parametrize("size", [2, 64])
def test_what_is_worth_it_is_lowered_at_once(lowered, size):
    w = ms.Parameter(x_of(size), name="w")
    gradient = ms.value_and_grad(lambda x: ops.tanh(ops.exp(x * w) * x).sum(), None, w)
    for function in (lambda x: gradient(x), lambda x: x * 2 + 1):
        lowered.clear()
        compiled = jit(function)
        for _ in range(2):
            assert bits(compiled(x_of(size))) == bits(function(x_of(size)))
        assert len(lowered) == 1


def test_so_is_what_goes_round_for_long(lowered):
    def long(x, y):
        for _ in range(5_000):
            x = x * 0.999 + 0.5
        return x if y.sum() > 0 else -x

    compiled = jit(long)
    for sign in (1, 1, -1):
        assert bits(compiled(x_of(2), Tensor(sign))) == bits(long(x_of(2), Tensor(sign)))
    assert compiled.program.recordings > 1 and len(lowered) > 2


def test_where_nothing_may_be_left_to_python_nothing_waits(lowered):
    def function(x, k):
        for i in range(30):
            x = x * k if x.sum() > i else x + 1
        return x

    compiled = jit(function, fullgraph=True)
    for k in (0.5, 0.5, 0.25):
        assert bits(compiled(x_of(2), k)) == bits(function(x_of(2), k))
    assert len(lowered) > 2


def test_one_more_form_is_recorded_when_calls_have_paid_for_it(lowered):
    compiled = jit(of_many_forms)
    for k in range(40):
        assert bits(compiled(x_of(2), texts(k))) == bits(of_many_forms(x_of(2), texts(k)))
    assert compiled.program.recordings == 1
    compiled.program.ledger._waited = 10_000_000
    for k in range(40):
        assert bits(compiled(x_of(2), texts(k))) == bits(of_many_forms(x_of(2), texts(k)))
    assert compiled.program.recordings > 3


def test_who_wants_to_see_a_call_sees_it_compiled(lowered):
    compiled = jit(branching)
    compiled(x_of(2), 9), compiled(x_of(2), 9)
    report = ms.explain(compiled)(x_of(2), 9)
    assert report.pieces > 3 and report.fallback is None and lowered


class Record:
    def __init__(self, k):
        self.k, self.more = k, [k]

    def __eq__(self, other):
        return self.k == other.k

    def __hash__(self):
        return self.k % 8


def keeping(x, n):
    known = {}
    for k in range(n):
        known[Record(k % 5)] = k
        x = x + k
    return x + len(known)


def of_many_instructions(x, n):
    total = 0
    for k in range(n):
        for j in range(9):
            total = (total + j * k) % 101
        x = x + total
    return x


@pytest.mark.parametrize("program", [keeping, of_many_instructions], ids=lambda program: program.__name__)
def test_whatever_costs_too_much_to_record_goes_to_python(monkeypatch, program):
    monkeypatch.setattr(ledger, "_START", 100_000)
    compiled = jit(program)
    for n in (200, 200, 190):
        assert bits(compiled(x_of(2), n)) == bits(program(x_of(2), n))
    assert compiled.program.native == OVERDRAWN


def test_a_long_loop_that_does_not_pay_for_its_hops_goes_to_python_within_the_call(looks, monkeypatch):
    def looped(x, held, n):
        for k in range(n):
            held.put(Fraction(k, 3).limit_denominator(5), x.shape)
        return k

    class Held:
        def put(self, *values):
            self.values = [*values, None]

    compiled = jit(looped)
    hops, held = [], Held()
    done = compiled.program._interpret
    monkeypatch.setattr(compiled.program, "_interpret", lambda *args: hops.append(1) or done(*args))
    assert compiled(x_of(2), held, 20_000) == 19_999
    assert held.values == [Fraction(19_999, 3).limit_denominator(5), (2,), None]
    assert compiled.program.native == ledger.LOSS and len(hops) < 3_000


def test_containers_that_are_read_as_a_whole_are_paid_for_by_their_items(monkeypatch):
    def compared(names):
        row = collections.namedtuple("Row", names)(*range(len(names)))  # noqa: PYI024
        case = unittest.TestCase()
        for place, name in enumerate(names):
            case.assertEqual(getattr(row, name), place)
        return place

    looked = []
    look = Notebook._look_item
    monkeypatch.setattr(Notebook, "_look_item", lambda *args: looked.append(1) or look(*args))
    names = [f"n{k}" for k in range(5_000)]
    compiled = jit(compared)
    assert compiled(names) == compiled(names) == 4_999
    assert len(looked) < 400_000

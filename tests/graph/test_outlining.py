"""Loops and calls on plain values that go on for long: Python does them, and the program means what it did."""

from __future__ import annotations

import _thread
import collections
import contextlib
import functools
import inspect
import itertools
import linecache
import signal
import sys
import traceback
import warnings

import numpy as np
import pytest
from outcomes import bits
from test_transforms_inside import hops

import anfora as ms
from anfora import Tensor, jit
from anfora.graph.facts.plain import Plainness
from anfora.graph.machine.outline import Outlined
from anfora.graph.run.points import Hop
from anfora.graph.source.outline import RAISED
from anfora.graph.source.sources import code_of

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"]
LIMIT = 1000
told: list = []


def endless():
    raise ValueError("no end")


# How a loop ends.


def at_its_end(x, n):
    s = 0
    for i in range(n):
        s += i % 7
    return x + s, i


def by_break(x, n):
    for i in range(n):
        if i * i > 5000:
            break
    else:
        return x * 2, i
    return x + i


def by_return(x, n):
    for i in range(n):
        if i > 300:
            return x + i, "early"
    return x, "late"


def by_return_of_nothing(x, n):
    for i in range(n):
        if i > 300:
            return
    return x


def by_else(x, n):
    for i in range(n):
        if i < 0:
            break
    else:
        i = -1
    return x + i


def by_error(x, n):
    d = dict.fromkeys(range(n - 1))
    for i in range(n):
        d.pop(i)
    return x


def by_error_that_is_caught(x, n):
    done = []
    try:
        for i in range(n):
            done.append(100 // (60 - i))
    except ZeroDivisionError as error:
        return x + i, done, str(error)
    return x, done


def by_error_caught_outside(x, n):
    def inner(d):
        k = 0
        while True:
            k += d[k]

    try:
        inner(dict.fromkeys(range(n), 1))
    except KeyError as error:
        return x + error.args[0]


def by_error_in_a_finally(x, n):
    k = 0
    try:
        while k < n:
            k += 1
            if k == 70:
                raise ValueError(k)
    finally:
        told.append(k)
    return x + k


def by_return_through_finally(x, n):
    try:
        for i in range(n):
            if i == 99:
                return x + i
    finally:
        told.append(i)
    return x


def by_return_out_of_two_loops(x, n):
    for i in range(3):
        for j in range(n):
            if i * j == 140:
                return x + i, j
    return x, i, j


def by_return_out_of_a_with(x, n):
    with contextlib.suppress(KeyError):
        for i in range(n):
            if i > 200:
                return x + i
    return x


def by_an_error_without_end(x, n):
    for i in range(n):
        if i == 120:
            endless()
    return x


def by_while(x, n):
    i = s = 0
    while i < n:
        s += i * i % 7
        i += 1
    return x + s


def by_while_true(x, n):
    k, steps = n, 0
    while True:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        steps += 1
        if k == 1:
            break
    return x + steps


def by_while_with_else(x, n):
    k = n
    while k > 0:
        k -= 1
    else:
        k = 5
    return x + k


def by_continue(x, n):
    s = 0
    for i in range(n):
        if i % 3:
            continue
        s += i
    return x + s


# What it goes over, and what it uses.


def over_a_list(x, n):
    return over_something(x, [i * 3 % 11 for i in range(n)])


def over_something(x, values):
    best = place = None
    for i, value in enumerate(values):
        if best is None or value > best:
            best, place = value, i
    return x + best, place


def over_an_iterator_in_hand(x, n):
    items = iter(range(n))
    first = next(items)
    s = 0
    for i in items:
        s += i
        if s > 3000:
            break
    return x + s, first, list(items)[:5]


def over_zip_and_reversed(x, n):
    a, b = list(range(n)), list(range(n, 0, -1))
    s = 0
    for p, q in zip(a, reversed(b)):
        s += p * q
    return x + s


def over_a_dict(x, n):
    d = {str(i): i for i in range(n)}
    text, s = "", 0
    for key, value in d.items():
        text += key[-1]
        s += value
    for key in d:
        s += len(key)
    return x + s, text


def over_text(x, n):
    counts = {}
    for letter in "abracadabra" * n:
        counts[letter] = counts.get(letter, 0) + 1
    return x + counts["a"], sorted(counts.items())


def over_a_generator(x, n):
    def squares(limit):
        for i in range(limit):
            yield i * i

    s = 0
    for square in squares(n):
        s += square % 10
    return x + s


def over_an_expression(x, n):
    return x + sum(i % 5 for i in range(n)), max(i % 17 for i in range(n))


def over_itertools(x, n):
    s = 0
    for a, b in itertools.product(range(20), range(n // 10)):
        s += a ^ b
    return x + s


def into_a_comprehension_with_functions(x, n):
    made = [(lambda: i + n)() for i in range(n)]
    found = {i: any(i == j for j in range(4)) for i in range(n)}
    return x + sum(made), {(lambda j=i: j % 41)() for i in range(n)}, sum(found.values())


def into_a_comprehension(x, n):
    k = 3
    return (
        x + sum([i * k for i in range(n) if i % 2]),
        len({i % 41 for i in range(n)}),
        {i: -i for i in range(n)}[n - 1],
    )


def into_two_loops(x, n):
    pairs = [(a, b) for a in range(3) for b in range(n) if a != b]
    return x + len(pairs), pairs[-1]


def with_a_walrus(x, n):
    values = [last := i * 2 for i in range(n)]
    return x + last, values[5]


def in_a_comprehension_of_few(x, n):
    rows = [[j * i for j in range(n)] for i in range(3)]
    return x + rows[2][n - 1]


def with_a_queue(x, n):
    seen, queue = {0: 0}, collections.deque([0])
    while queue:
        v = queue.popleft()
        for w in ((2 * v + 1) % n, (3 * v + 2) % n):
            if w not in seen:
                seen[w] = seen[v] + 1
                queue.append(w)
    return x + max(seen.values())


def with_variables_around(x, n):
    s = 0

    def add(k):
        nonlocal s
        for i in range(k):
            s += i

    add(n)
    return x + s


def with_a_variable_of_an_inner_function(x, n):
    hits = 0

    def hit(i):
        return i % (hits + 3) == 0

    for i in range(n):
        if hit(i):
            hits += 1
    return x + hits


def with_functions_made_inside(x, n):
    functions = []
    for i in range(n):
        functions.append(lambda k, i=i: i + k)
    return x + functions[-1](3) + functions[0](3)


def with_sort_in_it(x, n):
    s = 0
    for i in range(n):
        a, b = sorted([i % 5, i % 3], key=lambda v: -v)
        s += a - b
    return x + s


def with_a_global(x, n):
    global LIMIT
    before = LIMIT
    for _ in range(n):
        LIMIT -= 1
    LIMIT, now = before, LIMIT
    return x + now


def with_an_import(x, n):
    for i in range(n):
        import math

        s = math.gcd(i, 12)
    return x + s


def with_variables_deleted(x, n):
    kept = 1
    for i in range(n):
        kept = i
        spare = i
        del spare
    del kept
    try:
        return x + spare  # noqa: F821
    except UnboundLocalError as error:
        told.append(str(error))
    try:
        return x + kept  # noqa: F821
    except UnboundLocalError as error:
        return x, str(error), i


def with_try_inside(x, n):
    bad = 0
    for i in range(n):
        try:
            int("9" if i % 3 else "x")
        except ValueError as error:
            bad += len(str(error)) > 3
    return x + bad


def with_no_iteration(x, n):
    for i in range(n, 0):  # noqa: B007
        pass
    for j in range(n):
        last = j
    try:
        return x + i
    except UnboundLocalError:
        return x + last


def with_private_names(x, n):
    class Net:
        __step = 2

        def run(self, k):
            __s = 0
            for i in range(k):
                __s += i
            return __s

    return x + Net().run(n)


def with_defaults(x, n, step=3, *rest, **names):
    for _ in range(n):
        step += len(rest)
    return x + step


def handled(x, n):
    try:
        raise KeyError("first")
    except KeyError:
        found = []
        for _ in range(n):
            found.append(sys.exc_info()[0] is KeyError)
        try:
            for i in range(n):
                if i == 77:
                    raise ValueError(i)
        except ValueError as error:
            return x + all(found), repr(error.__context__), error.args


def handled_and_raised_again(x, n):
    try:
        raise KeyError("first")
    except KeyError:
        for i in range(n):
            if i == 77:
                raise


# Around tensors.


def between_tensors(x, n):
    y = x * 2
    s = 0
    for i in range(n):
        s += i
    z = y + s
    t = 1.0
    while t < s:
        t *= 1.01
    return z * t, y


def shared_lists(x, n):
    out, other = [], {}
    held = {"out": out}
    for i in range(n):
        out.append(i)
        other[i] = out
    return x + len(held["out"]), other[3] is out, held["out"] is out


def numbers_go_in(x, n):
    k = n * 0.5
    values = [k, k + 1]
    for i in range(int(n)):
        values[i % 2] += k
    return x + values[0] * values[1]


def then_a_loop_on_tensors(x, n):
    s = 0
    for i in range(n):
        s += i % 3
    for _ in range(20):
        x = x * 0.5 + s
    return x


def in_a_helper(x, n):
    def helper(k):
        for i in range(k):
            if i * i > 900:
                return i
        return k

    return x * helper(n) + helper(n + 1)


def recursion(x, n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return x + fib(n % 10 + 5)


def recursion_with_an_error(x, n):
    def down(k):
        return down(k - 1) if k else {}[n]

    return x + down(9)


def sorted_by_a_key(x, n):
    rows = [(i, i * 7919 % 1009) for i in range(n)]
    return x + sorted(rows, key=lambda r: (r[1], -r[0]))[0][0], min(rows, key=lambda r: -r[1])


def joined(x, n):
    return x + len(",".join(str(i) for i in range(n)))


def a_large_list_is_read_and_written(x, n):
    p = [True] * n
    for i in range(2, int(n**0.5) + 1):
        if p[i]:
            for j in range(i * i, n, i):
                p[j] = False
    p[3] = 7
    return x * sum(p[2:]), p[3], len(p), p[-1]


def a_tuple_is_given_back(x, n):
    t = ()
    for i in range(n):
        t = (*t[-60:], i)
    return x + t[-1], t


class Account:
    def __init__(self, owned):
        self._owned = owned

    @property
    def owned(self):
        return self._owned

    @owned.setter
    def owned(self, value):
        if value < 0:
            raise ValueError("broke")
        self._owned = value


def objects_of_the_program_in_a_list(x, n):
    accounts, bad = [Account(k % 90) for k in range(n)], 0
    for k, one in enumerate(accounts):
        other = accounts[k * 31 % n]
        try:
            one.owned -= 30
            other.owned += 30
        except ValueError:
            bad += 1
    return x + bad, [account.owned for account in accounts[:9]]


def a_deep_tree(x, n):
    tree = None
    for k in range(40 + n % 50):
        tree = (tree, None if k % 2 else (k,))

    def depth(node):
        return 0 if node is None or len(node) == 1 else 1 + max(depth(node[0]), depth(node[1]))

    return x + depth(tree)


def shown(error):
    """The functions and lines of a traceback."""
    return [(e.name, e.lineno, getattr(e, "colno", 0)) for e in traceback.extract_tb(error.__traceback__)]


def by_error_in_a_comprehension(x, n):
    return x, [1 // (80 - i) for i in range(n)]


def by_error_in_comprehensions_that_is_caught(x, n):
    try:
        return x, [{j: [1 // (80 - j) for _ in range(2)] for j in range(n)} for i in range(3)]
    except ZeroDivisionError as error:
        return x, shown(error)


def by_error_in_an_inner_comprehension(x, n):
    try:
        return x, [[1 // (80 - j) for j in range(n)] for i in range(3)]
    except ZeroDivisionError as error:
        return x, shown(error)


def by_error_in_the_second_loop_of_a_comprehension(x, n):
    try:
        return x, {i * j // (80 - j) for i in (1, 2) if i for j in range(n)}
    except ZeroDivisionError as error:
        return x, shown(error)


def by_error_of_what_a_comprehension_goes_over(x, n):
    try:
        return x, [i + 1 for i in map(int, [*map(str, range(n)), "a"])]
    except ValueError as error:
        return x, shown(error)


PROGRAMS = [
    value for name, value in list(globals().items())
    if getattr(value, "__module__", "") == __name__ and getattr(value, "__code__", None) is not None
    and value.__code__.co_varnames[:2] == ("x", "n")
]  # fmt: skip
NUMBERS = (100, 100, 500, 731, 90, 90, 1200, 300, 301, 302)


def run(function, *args):
    """What a call gives or raises, the lines of the program in its traceback, and what was told."""
    told.clear()
    try:
        result = bits(function(*args))
    except Exception as error:
        lines = [
            (e.name, e.lineno, e.line, getattr(e, "colno", 0)) for e in traceback.extract_tb(error.__traceback__)
            if e.filename == __file__ and e.name != "run"
        ]  # fmt: skip
        result = type(error), str(error), lines, repr(error.__context__), repr(error.__cause__)
    return result, list(told), LIMIT


def outlined(compiled):
    points = [*compiled.program.entries.values(), *compiled.program.points.values()]
    return [v.end for p in points for v in p.variants if isinstance(v.end, Hop) and v.end.is_outlined]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_means_what_python_says(program):
    compiled = jit(program)
    for i, n in enumerate(NUMBERS):
        x = Tensor(np.array([1.0 + i, 2.0], np.float32))
        assert run(compiled, x, n) == run(program, x, n), n
    assert compiled.program.native is None
    assert bool(outlined(compiled)) is (program not in ON_TENSORS)


#: Programs whose loops name tensors, or that are Python's altogether.
ON_TENSORS = {
    by_return,
    by_return_through_finally,
    by_return_out_of_two_loops,
    by_return_out_of_a_with,
    with_private_names,
}
REFUSED = {
    by_error_in_a_finally, by_return_through_finally, with_functions_made_inside, with_a_global,
    handled, handled_and_raised_again, by_error_that_is_caught, by_error_caught_outside, with_private_names,
    by_return_out_of_a_with, with_an_import, with_variables_deleted, a_deep_tree,
    by_error_in_comprehensions_that_is_caught, by_error_in_an_inner_comprehension,
    by_error_in_the_second_loop_of_a_comprehension, by_error_of_what_a_comprehension_goes_over,
}  # fmt: skip  # these do something else that only the interpreter can do


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p not in REFUSED], ids=lambda program: program.__name__)
def test_it_is_no_hop_under_fullgraph(program):
    compiled = jit(program, fullgraph=True)
    x = Tensor([1.0, 2.0])
    for n in (100, 700, 300):
        assert run(compiled, x, n) == run(program, x, n)


@pytest.mark.parametrize("program", [at_its_end, by_break, by_error_that_is_caught, between_tensors, in_a_helper, recursion,
                                     into_a_comprehension, shared_lists, numbers_go_in],
                         ids=lambda program: program.__name__)  # fmt: skip
def test_within_a_gradient(program):
    def loss(x, n):
        result = program(x, n)
        return ((result[0] if isinstance(result, tuple) else result) ** 2).sum()

    def step(x, n):
        return ms.value_and_grad(loss)(x, n)

    compiled = jit(step)
    for n in (100, 100, 800, 1500, 801, 802):
        x = Tensor([1.0, 2.0])
        assert bits(compiled(x, n)) == bits(step(x, n))


def test_a_loop_on_tensors_is_none():
    def f(x, n):
        out = []
        for i in range(n):
            x = x * 0.5 + i
            out.append(x)
        return out[-1]

    compiled = jit(f)
    x = Tensor([1.0, 2.0])
    assert bits(compiled(x, 60)) == bits(f(x, 60))
    assert not outlined(compiled) and not hops(compiled)


def test_a_loop_that_is_over_soon_is_none():
    def f(x, n):
        s = 0
        for i in range(n):
            s += i
        return x + s

    compiled = jit(f)
    x = Tensor([1.0, 2.0])
    assert bits(compiled(x, 12)) == bits(f(x, 12))
    assert not outlined(compiled)


@functools.cache
def remembered(n):
    return n % 7


@functools.cache
def remembered_of_its_caller(n):
    return sys._getframe(1).f_code.co_name, n % 7


def warned(n):
    warnings.warn("seen", stacklevel=2)
    return n % 7


@pytest.mark.parametrize(("called", "may_look"), [(remembered, False), (remembered_of_its_caller, True), (warned, True),
                                                  (inspect.cleandoc, True)])  # fmt: skip
def test_frames_are_made_for_what_may_look_at_them(called, may_look):
    """What a cache keeps beside a function tells how it was made, and calls nothing."""
    is_plain = Plainness()
    assert is_plain(called)
    assert is_plain.may_look is may_look


def test_the_report_says_what_was_given_back():
    report = ms.explain(jit(by_while))(Tensor([1.0]), 200)
    assert [hop.reason for hop in report.given_back] == ["a loop on plain values, which is Python's"]
    assert not report.hops and "given back to Python (1)" in str(report)


def through_itertools(x, n):
    data = itertools.chain.from_iterable(itertools.repeat(range(6), n))
    marks = itertools.chain.from_iterable(itertools.repeat((0, 1)))
    return x, list(itertools.compress(data, marks))[-4:]


def of_an_iterator_from_outside(x, n):
    first, second = itertools.tee(itertools.repeat(None, n))
    return x, any(first), all(second), next(second, "end")


def of_an_iterator_that_has_started(x, n):
    sums = itertools.accumulate(range(n))
    first = next(sums)
    return x, first, sum(sums)


@pytest.mark.parametrize(
    "program", [through_itertools, of_an_iterator_from_outside, of_an_iterator_that_has_started],
    ids=lambda program: program.__name__,
)  # fmt: skip
def test_many_items_are_no_many_steps(program):
    compiled = jit(program)
    for n in (5000, 5000, 4000):
        assert run(compiled, Tensor(1.0), n) == run(program, Tensor(1.0), n)
    assert compiled.program.native is None
    assert compiled.program.ledger.hops <= 30


def with_a_cell_deleted(x, n):
    v, seen = n, []
    for i in range(n):
        try:
            seen.append(v)
            if i == 70:
                del v
        except NameError as error:
            seen.append((type(error), str(error)))
            v = i
    return x + len(seen), seen, (lambda: v).__name__


def with_a_cell_that_a_handler_takes_away(x, n):
    v, seen = n, []
    for i in range(n):
        try:
            seen.append(v)
            if i % 70 == 69:
                raise KeyError(i)
        except KeyError as v:
            seen.append(v.args)
        except NameError as error:
            seen.append((type(error), str(error)))
            v = i
    return x + len(seen), seen, (lambda: v).__name__


def with_a_cell_that_is_set_late(x, n):
    seen = []
    for i in range(n):
        try:
            seen.append(v)
        except NameError as error:
            seen.append((type(error), str(error)))
        if i == 70:
            v = i
    return x + len(seen), seen, (lambda: v).__name__


def with_a_cell_that_is_never_set(x, n):
    seen = 0
    if n < 0:
        v = 0
    while True:
        seen += 1
        if seen == n:
            v += 1
    return x, (lambda: v).__name__


def with_a_cell_that_is_set_first(x, n):
    seen = []
    for i in range(n):
        v = i
        seen.append(v)
    return x + len(seen), seen, (lambda: v)()


@pytest.mark.parametrize(("program", "is_outlined"), [
    (with_a_cell_deleted, False), (with_a_cell_that_a_handler_takes_away, False), (with_a_cell_that_is_set_late, True),
    (with_a_cell_that_is_never_set, False), (with_a_cell_that_is_set_first, True),
], ids=lambda value: getattr(value, "__name__", ""))  # fmt: skip
def test_a_cell_without_a_value_is_one_of_the_function(program, is_outlined):
    compiled = jit(program)
    x = Tensor([1.0, 2.0])
    for n in (100, 150, 150):
        assert run(compiled, x, n) == run(program, x, n)
    assert bool(outlined(compiled)) is is_outlined


class Interrupting:
    """Has a signal come, without a call in the program that Python would look behind."""

    __neg__ = staticmethod(functools.partial(_thread.interrupt_main, signal.SIGUSR1))


#: In one line: where the loop has one of its own, Python 3.11 has an instruction for it.
WITHOUT_END = """def program(count, interrupts):
    try:
        while True: count += 1; -interrupts
    finally:
        print(count)
"""


def test_an_exception_between_two_iterations_finds_the_variables():
    """Of a signal, which Python looks for at the end of each."""

    def refuse(*_):
        raise KeyboardInterrupt

    linecache.cache["<without end>"] = len(WITHOUT_END), None, WITHOUT_END.splitlines(True), "<without end>"
    scope = {}
    exec(compile(WITHOUT_END, "<without end>", "exec"), scope)
    [loop] = code_of(scope["program"]).loops.values()
    code = loop.code(frozenset(), True)
    given = {"count": 3, "interrupts": Interrupting()}
    before = signal.signal(signal.SIGUSR1, refuse)
    try:
        how, error, count = Outlined(loop, code, {}).done([None, None, *[given[name] for name in loop.locals]])
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (how.partition(" ")[0], type(error), count) == (RAISED, KeyboardInterrupt, 4)

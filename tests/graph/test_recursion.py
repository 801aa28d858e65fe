"""Recursion of functions that are not marked to be compiled: helpers of compiled functions, and inner functions."""

from __future__ import annotations

import inspect
import sys
import traceback

import pytest
from engines import pairs, same
from outcomes import bits, in_threads, outcome

from anfora import Tensor, float32, int64, jit, ops, value_and_grad


@pytest.fixture(autouse=True)
def always(counts):
    """Engines are made at the first opportunity."""


# -- programs: each is compiled, what it calls is not -------------------------------------------------------------------


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def of_a_helper(n):
    return fib(n) * 2 + fib(n - 3)


def of_an_inner_function(n):
    def inner(k):
        return k if k < 2 else inner(k - 1) + inner(k - 2)

    return inner(n) * 2


def with_free_variables(n):
    scale, offset = n * 0 + 3, Tensor(7)

    def inner(k):
        return k * scale if k < 2 else inner(k - 1) + inner(k - 2) + offset

    return inner(n), inner(n - 1)


def of_shared_variables(n):
    base, step = n * 0 + 2, n * 0 + 3

    def inner(k):
        return step * k

    def outer(k):
        return base + step if k < 1 else inner(k) + outer(k - 1)

    return outer(n) + inner(n)


def two_inner_functions(n):
    made = []
    for factor in (1, 2):

        def inner(k, factor=factor):
            return k * factor if k < 2 else inner(k - 1, factor) + inner(k - 2, factor)

        made.append(inner)
    return made[0](n) + made[1](n)


def is_even(n):
    return Tensor(1) if n == 0 else is_odd(n - 1)


def is_odd(n):
    return Tensor(0) if n == 0 else is_even(n - 1)


def of_each_other(n):
    return is_even(n) * 10 + is_odd(n)


def of_inner_functions_of_each_other(n):
    def even(k):
        return Tensor(1) if k == 0 else odd(k - 1)

    def odd(k):
        return Tensor(0) if k == 0 else even(k - 1)

    return even(n) * 10 + odd(n)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, Tensor(1))
    return ackermann(m - 1, ackermann(m, n=n - 1))


def of_names(m, n):
    return ackermann(m, n=n)


class Tree:
    def __init__(self, factor):
        self.factor = factor

    def grow(self, x, n):
        return x if n < 1 else self.grow(x * self.factor, n - 1) + self.grow(x, n - 2)


def of_a_method(x, n):
    return Tree(3).grow(x, n)


def in_a_loop(n):
    total, i = Tensor(0), Tensor(0)
    while i < n:
        total = total + fib(i)
        i = i + 1
    return total


def with_a_loop(n):
    def walk(n):
        if n < 2:
            return n
        total, i = Tensor(0), Tensor(0)
        while i < n:
            total = total + (walk(n - i - 1) if i % 5 == 0 else 1)
            i = i + 1
        return total

    return walk(n)


def of_tuples(a, b):
    def gcd(a, b):
        if b == 0:
            return a, Tensor(1), Tensor(0)
        divisor, x, y = gcd(b, a % b)
        return divisor, y, x - a // b * y

    return gcd(a, b)


def power(x, n):
    if n == 0:
        return ops.ones_like(x)
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def of_arrays(x, n):
    return power(x, n)


PROGRAMS = {
    "helper": (of_a_helper, pairs((14,), (1,), (4,), (15,))),
    "inner": (of_an_inner_function, pairs((14,), (1,), (4,), (15,))),
    "inner, floats": (of_an_inner_function, pairs((14,), (1,), (4,), dtype=float32)),
    "free variables": (with_free_variables, pairs((14,), (1,), (4,), (15,))),
    "shared variables": (of_shared_variables, pairs((80,), (1,), (4,), (90,))),
    "two of one code": (two_inner_functions, pairs((13,), (1,), (4,))),
    "of each other": (of_each_other, pairs((40,), (1,), (0,), (101,))),
    "inner, of each other": (of_inner_functions_of_each_other, pairs((40,), (1,), (0,), (101,))),
    "names": (of_names, pairs((2, 4), (0, 0), (1, 3), (2, 5))),
    "method": (of_a_method, pairs((2, 14), (1, 0), (5, 9))),
    "in a loop": (in_a_loop, pairs((16,), (0,), (5,))),
    "with a loop": (with_a_loop, pairs((18,), (1,), (0,), (8,))),
    "tuples": (of_tuples, pairs((240, 46), (7, 0), (832040, 514229), (46368, 28657))),
    "arrays": (of_arrays, [(Tensor([1.01, -0.5]), Tensor(n)) for n in (1 << 40, 0, 1, 511, (1 << 40) - 1)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, counts):
    function, calls = PROGRAMS[name]
    compiled = same(function, *calls)
    assert compiled.program.recursive
    assert len(compiled.program.points) < 60
    assert counts.steps > 100


def test_it_is_native(counts):
    for function in (of_a_helper, of_an_inner_function):
        compiled = same(function, *pairs((14,), (15,)))
        counts.steps = 0
        compiled(Tensor(15))
        assert counts.steps > 1000


def test_a_function_that_is_compiled_and_calls_itself_as_it_is(counts):
    compiled = same(fib, *pairs((14,), (1,), (15,)))
    assert counts.steps > 1000
    assert compiled.program.recursive


def test_what_is_free_may_change(counts):
    factor = 1

    def scaled(n):
        return n * factor if n < 2 else scaled(n - 1) + scaled(n - 2)

    @jit
    def program(n):
        return scaled(n)

    for value in (1, 1, 1, 5, 1, Tensor(3)):
        factor = value
        assert bits(program(Tensor(14))) == bits(scaled(Tensor(14)))
    assert counts.steps > 100


def test_what_is_free_may_be_changed_on_the_way():
    def program(n):
        calls = 0

        def inner(k):
            nonlocal calls
            calls += 1
            return k if k < 2 else inner(k - 1) + inner(k - 2)

        first = inner(n)
        return first, calls, inner(n - 1), calls

    same(program, *pairs((9,), (1,), (4,), (9,)), times=2)


def test_lists_are_changed_in_order():
    def program(n):
        seen = []

        def inner(k):
            if k % 3 == 0:
                seen.append(k)
            return k if k < 2 else inner(k - 1) + inner(k - 2)

        return inner(n), seen

    same(program, *pairs((9,), (1,), (4,), (9,)), times=2)


def test_effects(capsys):
    def program(n):
        def walk(k):
            if k % 5 == 3:
                print("at", k.item())
            return k if k < 1 else walk(k - 2) + walk(k - 3)

        return walk(n)

    compiled = jit(program)
    for n in (16, 5, 14, 16):
        got = bits(compiled(Tensor(n)))
        said = capsys.readouterr().out
        assert got == bits(program(Tensor(n)))
        assert said == capsys.readouterr().out


def test_errors():
    def program(n):
        def divides(k):
            return k if k < -4 else 100 // k + divides(k - 1)

        return divides(n)

    same(program, *pairs((60,), (-1,), (-5,), (7,)))


def test_an_error_that_is_caught_on_the_way():
    def program(n):
        def careful(k):
            if k < 0:
                return 100 // (k + 1)
            try:
                return careful(k - 1) + 1
            except ArithmeticError:
                if k < 7:
                    raise
                return k * 1000

        return careful(n)

    same(program, *pairs((20,), (7,), (3,), (25,)))


def depth(n):
    return n if n == 0 else depth(n - 1) + 1


@pytest.fixture
def room():
    """As many frames as a program of its own has: those of the test runner, more with several workers, do not count."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + sum(1 for _ in traceback.walk_stack(None)))
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("first", [3, 900, 20_000])
def test_as_deep_as_python_goes(first, room):
    @jit
    def program(n):
        return depth(n)

    @jit
    def of_inner(n):
        def inner(n):
            return n if n == 0 else inner(n - 1) + 1

        return inner(n)

    for compiled in (program, of_inner):
        for n in (first, 20, 3, 300, 900, 5000, 900, 20_000, 1):
            if n < 950:
                assert compiled(Tensor(n)).item() == n
            else:
                with pytest.raises(RecursionError):
                    compiled(Tensor(n))
    sys.setrecursionlimit(50_000)
    assert program(Tensor(30_000)).item() == 30_000


def test_gradients():
    def program(x, n):
        def grow(x, n):
            return x if n < 1 else grow(ops.sin(x), n - 1) * 1.3

        return grow(x, n).sum()

    compiled = jit(program)
    for n in (14, 0, 1, 20):
        x = ops.randn(4)
        assert bits(compiled(x, Tensor(n))) == bits(program(x, Tensor(n)))
        got = value_and_grad(lambda x, n=n: compiled(x, Tensor(n)), 0)(x)
        assert bits(got) == bits(value_and_grad(lambda x, n=n: program(x, Tensor(n)), 0)(x))


def test_a_recursive_data_structure():
    def program(x, tree):
        def total(node):
            left, value, right = node
            found = x * value
            if x.sum() > 0:
                found = found + 1
            if left is not None:
                found = found + total(left)
            if right is not None:
                found = found - total(right)
            return found

        return total(tree)

    def tree(depth):
        return None if depth == 0 else (tree(depth - 1), depth, tree(depth - 1))

    compiled = jit(program)
    for levels in (4, 2, 4):
        for x in (Tensor([1.0, 2.0]), Tensor([-1.0])):
            want = outcome(program, x, tree(levels))
            assert outcome(compiled, x, tree(levels)) == want


def test_a_chain_that_is_long():
    def program(x, chain):
        def total(node):
            return x if node is None else total(node[1]) * 0.5 + node[0] if x.sum() > 0 else x

        return total(chain)

    def chain(length):
        return None if length == 0 else (length, chain(length - 1))

    compiled = jit(program)
    for length in (30, 3, 30, 25):
        assert bits(compiled(Tensor([1.0, 2.0]), chain(length))) == bits(program(Tensor([1.0, 2.0]), chain(length)))


def test_inner_functions_are_compiled_whole():
    @jit(fullgraph=True)
    def program(n):
        def inner(k):
            return k if k < 2 else inner(k - 1) + inner(k - 2)

        return inner(n) + fib(n)

    assert [program(Tensor(n)).item() for n in (15, 20, 1, 2, 20)] == [1220, 13530, 2, 2, 13530]


def test_threads():
    compiled = jit(with_free_variables)
    want = [bits(with_free_variables(Tensor(n, int64))) for n in range(16)]
    wrong = []

    def work(first):
        for turn in range(40):
            n = (first + turn * 3) % 16
            if bits(compiled(Tensor(n, int64))) != want[n]:
                wrong.append(n)

    in_threads(work)
    assert not wrong


def closures_around_each_other(count):
    def nest(k):
        if k == 0:
            return lambda value: value + 1
        inner = nest(k - 1)
        return lambda value: inner(value) + 1

    return nest(count)


@pytest.mark.parametrize("count", [20, 300, 600])
def test_functions_around_each_other_take_no_more_of_the_stack_than_in_python(count):
    chain = closures_around_each_other(count)
    compiled = jit(lambda value: chain(value))
    for value in (1, 2, 2.5, 3, 4):
        assert compiled(value) == chain(value) == value + count + 1
    x = Tensor([1.0, 2.0])
    for _ in range(3):
        assert compiled(x).tolist() == chain(x).tolist()


def test_a_function_is_recorded_only_where_the_limit_of_recursion_leaves_room():
    def at_depth(left, function, *args):
        return function(*args) if left == 0 else at_depth(left - 1, function, *args)

    def used(k):
        return [value * k for value in (1, 2, 3)], {"k": k}

    room = sys.getrecursionlimit() - len(inspect.stack(0))
    for depth in range(room - 200, room - 40, 8):
        compiled = jit(used)
        for k in (1, 2, 3):
            assert at_depth(depth, compiled, k) == at_depth(depth, used, k)


def test_a_program_may_lower_the_limit_of_recursion():
    def lowered(k):
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(len(inspect.stack(0)) + 100 + k)
        try:
            return [value * k for value in range(5)], sorted({"a": k, "b": 2}.items())
        finally:
            sys.setrecursionlimit(before)

    compiled = jit(lowered)
    for k in (1, 2, 3):
        assert compiled(k) == lowered(k)

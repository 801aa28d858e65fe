"""Branches, loops and recursion that run natively: the bits, objects and errors that Python gives."""

from __future__ import annotations

import sys
import textwrap

import pytest
from chance import Writer, loaded
from engines import ERRORS, pairs, same
from outcomes import assert_stops_at_an_interrupt, bits, in_threads, outcome, written_by_another_thread

from anfora import (
    Parameter,
    Tensor,
    bfloat16,
    explain,
    float16,
    float32,
    float64,
    int32,
    int64,
    jit,
    nn,
    no_grad,
    ops,
    uint8,
    value_and_grad,
)
from anfora.core.errors import AnforaError


@pytest.fixture(autouse=True)
def always(counts):
    """Engines are made at the first opportunity."""


# -- branches and loops -----------------------------------------------------------------------------------------------


def collatz(n):
    steps = Tensor(0)
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = n * 3 + 1
        steps = steps + 1
    return steps, n


def gcd_by_subtraction(a, b):
    while a != b:
        if a > b:
            a = a - b
        else:
            b = b - a
    return a


def search(x, n):
    i = Tensor(0)
    while i < n:
        i = i + 1
        if i % 3 == 1:
            continue
        if x > 50:
            break
        elif x > 20:
            x = x + 7
        else:
            x = x * 2 + 1
    else:
        x = x - 1000
    return x, i


def table(n, m):
    x, i = Tensor(1.0), Tensor(0)
    while i < n:
        j = Tensor(0)
        while j < m:
            x = x * 1.01 + i
            j = j + 1
        i = i + 1
    return x


def three_deep(n, m):
    total, i = Tensor(0), Tensor(0)
    while i < n:
        j = Tensor(0)
        while j < m:
            k = i
            while not (k >= j):
                total = total + k
                k = k + 1
            if total > 500:
                total = total - 499
            j = j + 1
        i = i + 1
    return total, i


def primes(n):
    count, i = Tensor(0), Tensor(2)
    while i < n:
        d = Tensor(2)
        is_prime = Tensor(True)
        while is_prime and d * d <= i:
            if i % d == 0:
                is_prime = ops.logical_not(is_prime)
            d = d + 1
        if is_prime:
            count = count + 1
        i = i + 1
    return count


def swap_on_condition(a, b, n):
    i = Tensor(0)
    while i < n:
        if a > b:
            a, b = b, a
        else:
            a = a + 3
        i = i + 1
    return a, b


def until_true(n):
    i = Tensor(0)
    while True:
        i = i + 1
        if i * i > n:
            return i
        if i == 40:
            return i, n


CASES = {
    "collatz": (collatz, pairs((27,), (1,), (2,), (97,), (7,))),
    "gcd by subtraction": (gcd_by_subtraction, pairs((12, 18), (5, 5), (1071, 462), (7, 3))),
    "break and continue": (search, pairs((1, 40), (60, 9), (1, 3), (1, 0), (3, 9))),
    "nested": (table, pairs((4, 6), (0, 3), (3, 0), (1, 1), (5, 2), (30, 30))),
    "three deep": (three_deep, pairs((4, 6), (0, 3), (9, 9), (3, 12))),
    "primes": (primes, pairs((30,), (2,), (100,))),
    "swaps": (swap_on_condition, pairs((1, 5, 9), (5, 1, 9), (5, 1, 0), (0, 30, 40))),
    "returns in a loop": (until_true, pairs((30,), (1000,), (5000,), (0,))),
}


@pytest.mark.parametrize("name", CASES)
def test_programs(name, counts):
    function, calls = CASES[name]
    same(function, *calls)
    assert counts.steps > 20


@pytest.mark.parametrize("dtype", [int32, uint8, float32, float64, float16, bfloat16])
def test_types(dtype, counts):
    def mix(x, n):
        i = Tensor(0)
        while i < n:
            if x > 20:
                x = x - 13
            else:
                x = x * 3 + 1
            i = i + 1
        return x

    same(mix, *((Tensor(x, dtype), Tensor(n)) for x in (1, 7) for n in (5, 0, 60)))
    assert counts.steps > 20


def test_a_type_that_depends_on_the_way(counts):
    def change(x, n):
        i = Tensor(0)
        while i < n:
            if i % 4 == 2:
                x = x.astype(float16)
            elif i % 7 == 5:
                x = x.astype(float64)
            else:
                x = x * 1.01
            i = i + 1
        return x

    same(change, *((Tensor(1.5), Tensor(n)) for n in (5, 0, 9, 60)))
    assert counts.steps > 20


def test_a_shape_that_depends_on_the_way():
    def change(x, n):
        i = Tensor(0)
        while i < n:
            if i % 2 == 0:
                x = ops.concat((x, x[:1] + i))
            else:
                x = x * 1.01
            i = i + 1
        return x

    compiled = jit(change)  # each length is another program, until Python is left to it
    for n in (5, 1, 9, 12, 5):
        x = ops.randn(3)
        assert bits(compiled(x, Tensor(n))) == bits(change(x, Tensor(n)))


@pytest.mark.parametrize("size", [1, 3, 60, 20_000])
def test_arrays(size, counts):
    def relax(x, y, n):
        i = Tensor(0)
        while i < n:
            if x.sum() > y.sum():
                x, y = y, ops.tanh(x) + 0.1
            else:
                x = x * 1.5 + y
            i = i + 1
        return x, y, i

    same(relax, *((ops.randn(size), ops.randn(size), Tensor(n)) for n in (5, 0, 1, 30)))
    if size < 1000:  # larger ones are not copied
        assert counts.steps > 20


def test_a_matrix_that_is_handed_on(counts):
    def iterate(a, x, n):
        i, turns = Tensor(0), Tensor(0)
        while i < n:
            x = a @ x
            if (x * x).sum() > 1:
                x = x / ops.sqrt((x * x).sum())
                turns = turns + 1
            i = i + 1
        return x, turns

    a = ops.randn(200, 200)
    same(iterate, *((a, ops.randn(200), Tensor(n)) for n in (5, 0, 1, 30)))
    same(iterate, *((a.T[::2, ::2], ops.randn(100), Tensor(n)) for n in (5, 0, 1, 30)))
    assert counts.steps > 20


def test_elements_and_scalars_mixed(counts):
    def walk(limits, x, n):
        i = Tensor(0)
        while i < n:
            if x < limits[1]:
                x = x * limits[0] + limits[2]
            else:
                x = x - limits[1]
                limits = limits * 1.5
            i = i + 1
        return x, limits

    same(walk, *((Tensor([1.5, 100.0, 0.25]), Tensor(1.0), Tensor(n)) for n in (5, 0, 1, 60)))
    assert counts.steps > 20


def test_numbers_and_constants(counts):
    def walk(x, factor, n):
        i = Tensor(0)
        mark = Tensor([1.0, 2.0])
        while i < n:
            if x > 100:
                x = x * 0.01
                mark = Tensor([7.0, 8.0])
            else:
                x = x * factor + Tensor(0.5)
            i = i + 1
        return x, mark

    compiled = jit(walk)
    for factor in (1.5, 2.0, 1.5, 1.1, 3.0):
        for n in (0, 3, 50):
            args = Tensor(1.0), factor, Tensor(n)
            assert bits(compiled(*args)) == bits(walk(*args))
    assert counts.steps > 20


def test_objects_are_those_that_python_gives(counts):
    def pick(a, b, n):
        best, i = a, Tensor(0)
        while i < n:
            if i % 3 == 0:
                best, other = b, a
            elif i % 3 == 1:
                best, other = a, best
            else:
                best = other = a + i
            i = i + 1
        return best, other, best

    compiled = jit(pick)
    for _ in range(4):
        for n in (1, 2, 3, 7, 8, 9):
            a, b = Tensor(1), Tensor(2)
            got, want = compiled(a, b, Tensor(n)), pick(a, b, Tensor(n))
            assert bits(got) == bits(want)
            for x, y in zip(got, want):
                assert [x is z for z in (a, b, *got)] == [y is z for z in (a, b, *want)]
    assert counts.steps > 20


def test_parameters_and_attributes(counts):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(ops.randn(8, 8) * 0.3, name="weight", requires_grad=False)
            self.limit = 3

        def construct(self, x, n):
            i = Tensor(0)
            while i < n:
                if x.sum() > self.limit:
                    x = x - 1
                else:
                    x = ops.tanh(self.weight @ x) + 1
                i = i + 1
            return x

    net = Net()
    compiled = jit(net.construct)
    for limit in (3, 3, -1, 5):
        net.limit = limit
        net.weight.set_data(ops.randn(8, 8))
        for n in (6, 0, 1, 30):
            x = ops.randn(8)
            assert bits(compiled(x, Tensor(n))) == bits(net.construct(x, Tensor(n)))
    assert counts.steps > 20


def test_effects_and_random_numbers_stay_in_order(capsys):
    from anfora import set_seed

    def walk(x, n):
        i = Tensor(0)
        while i < n:
            if i % 5 == 3:
                print("at", i.item())
            elif i % 2 == 0:
                x = x + ops.randn(2)
            else:
                x = x * 2
            i = i + 1
        return x

    compiled = jit(walk)
    for n in (6, 1, 30, 30):
        set_seed(5)
        got = bits(compiled(ops.zeros(2), Tensor(n)))
        said = capsys.readouterr().out
        set_seed(5)
        assert got == bits(walk(ops.zeros(2), Tensor(n)))
        assert said == capsys.readouterr().out


def test_writes():
    def fill(x, n):
        i = Tensor(0)
        y = x * 1
        while i < n:
            if i % 2 == 0:
                y[0] = y[1] + i
            else:
                x[1] = y[0]
            i = i + 1
        return y

    compiled = jit(fill)
    for n in (5, 1, 2, 3, 9, 9):
        x, z = Tensor([1.0, 2.0]), Tensor([1.0, 2.0])
        assert bits(compiled(x, Tensor(n))) == bits(fill(z, Tensor(n)))
        assert bits(x) == bits(z)


def test_gradients():
    def grow(x, n):
        i = Tensor(0)
        while i < n:
            x = ops.sin(x) * 1.3 if x.sum() > 0 else ops.cos(x)
            i = i + 1
        return x.sum()

    compiled = jit(grow)
    for n in (5, 0, 1, 2, 9):
        x = ops.randn(4)
        assert bits(compiled(x, Tensor(n))) == bits(grow(x, Tensor(n)))
        got = value_and_grad(lambda x, n=n: compiled(x, Tensor(n)), 0)(x)
        assert bits(got) == bits(value_and_grad(lambda x, n=n: grow(x, Tensor(n)), 0)(x))
        weight = Parameter(x, name="w")
        loss, want = compiled(weight, Tensor(n)), grow(weight, Tensor(n))
        assert bits(loss) == bits(want)


def test_a_loop_beside_a_tape(counts):
    def go(x, n):
        i = Tensor(0)
        while i < n:
            if i % 3 == 1:
                i = i + 2
            else:
                i = i + 1
        return (x * i).sum()

    compiled = jit(go)
    x = ops.randn(4)
    for n in (5, 0, 1, 2, 50, 51):
        weight = Parameter(x, name="w")
        loss, want = compiled(weight, Tensor(n)), go(weight, Tensor(n))
        assert bits(loss) == bits(want)
        assert loss._node is not None
        with no_grad():
            assert compiled(weight, Tensor(n))._node is None
    assert counts.steps > 20


# -- errors -----------------------------------------------------------------------------------------------------------


def test_an_integer_division_by_zero(counts):
    def divide(x, n):
        while n > -3:
            if x > 10:
                x = x - 10
            else:
                x = x + 100 // n
            n = n - 1
        return x

    same(divide, *pairs((1, 9), (60, 5), (95, 3), (1, 2)))
    assert counts.steps > 5


@pytest.mark.parametrize("length", [1, 3, 40])
def test_an_index_out_of_range(length, counts):
    def walk(values, n):
        i, total = Tensor(0), Tensor(0.0)
        while i < n:
            if total > 1:
                total = total - 1
            else:
                total = total + ops.gather(values, i, 0)
            i = i + 1
        return total

    values = ops.abs(ops.randn(length))
    same(walk, *((values, Tensor(n)) for n in (0, length, length + 1, length + 200)))


def test_an_error_that_is_caught(counts):
    def divide(n):
        i, total = Tensor(0), Tensor(0)
        while i < n:
            try:
                total = total + 100 // (i - 3)
            except ZeroDivisionError:
                total = total * 2
            except AnforaError:
                total = total * 3
            i = i + 1
        return total

    same(divide, *pairs((2,), (3,), (4,), (30,)))


# -- recursion --------------------------------------------------------------------------------------------------------


@jit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@jit
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, Tensor(1))
    return ackermann(m - 1, ackermann(m, n - 1))


@jit
def extended_gcd(a, b):
    """The greatest common divisor, and the factors of which it is a sum."""
    if b == 0:
        return a, Tensor(1), Tensor(0)
    divisor, x, y = extended_gcd(b, a % b)
    return divisor, y, x - a // b * y


@jit
def power(x, n):
    if n == 0:
        return ops.ones_like(x)
    if n % 2 == 1:
        return x * power(x, n=n - 1)
    half = power(x, n=n // 2)
    return half * half


@jit
def collatz_depth(n):
    if n == 1:
        return Tensor(0)
    if n % 2 == 0:
        return collatz_depth(n // 2) + 1
    return 1 + collatz_depth(3 * n + 1)


@jit
def matrix_power(a, x, n):
    if n == 0:
        return x
    y = matrix_power(a, a @ x, n - 1)
    return y / ops.sqrt((y * y).sum())


@jit
def hanoi(n, source, target, spare):
    """A checksum over the moves of the towers of Hanoi."""
    if n == 0:
        return Tensor(0)
    before = hanoi(n - 1, source, spare, target)
    after = hanoi(n - 1, spare, target, source)
    return (before * 31 + source * 7 + target) % 10007 + after


@jit
def with_a_loop(n):
    if n < 2:
        return n
    total, i = Tensor(0), Tensor(0)
    while i < n:
        if i % 5 == 0:
            total = total + with_a_loop(n - i - 1)
        else:
            total = total + 1
        i = i + 1
    return total


@jit
def divides(n):
    if n < -4:
        return n
    return 100 // n + divides(n - 1)


def _plain(compiled):
    """A recursive function as it is without `jit`."""
    import types

    function = compiled.__wrapped__
    scope = dict(function.__globals__)
    plain = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    scope[function.__name__] = plain
    return plain


RECURSIVE = {
    "fib": (fib, pairs((14,), (1,), (0,), (5,), (15,))),
    "fib of floats": (fib, pairs((14,), (1,), (5,), (13,), dtype=float32)),
    "ackermann": (ackermann, pairs((2, 4), (0, 0), (1, 3), (2, 2), (2, 5))),
    "extended gcd": (extended_gcd, pairs((240, 46), (7, 0), (1071, 462), (832040, 514229), (46368, 28657))),
    "power": (power, [(Tensor(1.01), Tensor(n)) for n in (900, 0, 1, 511, 7)]),
    "power of an array": (power, [(ops.randn(7), Tensor(n)) for n in (900, 0, 1, 511, 7)]),
    "collatz": (collatz_depth, pairs((27,), (1,), (2,), (97,), (7,))),
    "matrix": (matrix_power, [(ops.randn(30, 30), ops.randn(30), Tensor(n)) for n in (0, 1, 90, 33)]),
    "hanoi": (hanoi, pairs((9, 1, 2, 3), (0, 1, 2, 3), (3, 3, 2, 1), (9, 1, 2, 3))),
    "with a loop": (with_a_loop, pairs((18,), (1,), (0,), (8,), (12,))),
    "errors": (divides, pairs((60,), (-1,), (-5,), (7,))),
}


@pytest.mark.parametrize("name", RECURSIVE)
def test_recursion(name, counts):
    compiled, calls = RECURSIVE[name]
    same(_plain(compiled), *calls, compiled=compiled)
    assert compiled.program.is_recursive
    assert counts.steps > 100


@jit
def depth(n):
    return n if n == 0 else depth(n - 1) + 1


def test_recursion_that_is_deep(counts):
    """As deep as Python goes, and not as deep as it does not."""
    for n in (20, 3, 300, 900, 5000, 900, 20_000, 1):
        if n < 1000:
            assert depth(Tensor(n)).item() == n
        else:
            with pytest.raises(RecursionError):
                depth(Tensor(n))
    assert counts.steps > 1000
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    try:
        assert depth(Tensor(30_000)).item() == 30_000
    finally:
        sys.setrecursionlimit(limit)
    with pytest.raises(RecursionError):
        depth(Tensor(30_000))


def test_recursion_that_is_deep_from_the_first_call():
    @jit
    def down(n):
        return n if n == 0 else down(n - 1) + 1

    assert down(Tensor(900)).item() == 900
    with pytest.raises(RecursionError):
        down(Tensor(2000))


def test_an_error_deep_inside_is_caught():
    @jit
    def careful(n):
        if n < 0:
            return 100 // (n + 1)
        try:
            return careful(n - 1) + 1
        except (ZeroDivisionError, AnforaError):
            if n < 7:
                raise
            return n * 1000

    plain = _closed_plain(careful)
    same(plain, *pairs((20,), (7,), (3,), (25,)), compiled=careful)


def test_the_limit_is_caught():
    @jit
    def forever(n):
        return forever(n + 1)

    @jit
    def guarded(n):
        try:
            return forever(n)
        except RecursionError:
            return n * 2

    for _ in range(3):
        with pytest.raises(RecursionError):
            forever(Tensor(1))
        assert guarded(Tensor(4)).item() == 8


def _closed_plain(compiled):
    """The same for a function that finds itself in a variable of the test."""
    import types

    function = compiled.__wrapped__
    cell = types.CellType()
    plain = types.FunctionType(function.__code__, function.__globals__, function.__name__, None, (cell,))
    cell.cell_contents = plain
    return plain


def test_effects_in_recursion(capsys):
    @jit
    def walk(n):
        if n % 5 == 3:
            print("at", n.item())
        if n < 1:
            return n
        return walk(n - 2) + walk(n - 3)

    plain = _closed_plain(walk)
    for n in (16, 5, 14, 16):
        got = bits(walk(Tensor(n)))
        said = capsys.readouterr().out
        assert got == bits(plain(Tensor(n)))
        assert said == capsys.readouterr().out


def test_a_recursive_method(counts):
    class Tree:
        def __init__(self, factor):
            self.factor = factor

        @jit
        def grow(self, x, n):
            if n < 1:
                return x
            return self.grow(x * self.factor, n - 1) + self.grow(x, n - 2)

    class Plain:
        grow = _plain_method(Tree.grow)

    for factor in (1.5, 2, 1.5, Tensor(0.3)):
        tree, plain = Tree(factor), Plain()
        plain.factor = factor
        for n in (14, 3, 0, 9):
            x = ops.randn(3)
            assert bits(tree.grow(x, Tensor(n))) == bits(plain.grow(x, Tensor(n)))
    assert counts.steps > 100


def _plain_method(compiled):
    return compiled.__wrapped__


def test_functions_that_call_each_other():
    @jit
    def is_even(n):
        return Tensor(True) if n == 0 else is_odd(n - 1)

    @jit
    def is_odd(n):
        return Tensor(False) if n == 0 else is_even(n - 1)

    for n in (20, 3, 200, 301, 0, 1):
        assert bool(is_even(Tensor(n))) == (n % 2 == 0)
        assert bool(is_odd(Tensor(n))) == (n % 2 == 1)


def test_a_function_that_calls_a_recursive_one(counts):
    @jit
    def sums(n):
        total, i = Tensor(0), Tensor(0)
        while i < n:
            total = total + fib(i)
            i = i + 1
        return total

    def plain(n):
        return sum((_plain(fib)(Tensor(i)) for i in range(n.item())), start=Tensor(0))

    for n in (16, 4, 0, 16):
        assert bits(sums(Tensor(n))) == bits(plain(Tensor(n)))
    assert sums.program.native is None
    assert counts.steps > 100


def test_another_type_and_another_function_later(counts):
    factor = 1

    def base(n):
        return n * factor

    @jit
    def compiled(n):
        return base(n) if n < 2 else compiled(n - 1) + compiled(n - 2)

    for dtype in (int64, float32, int64, float16):
        for n in (14, 3, 16):
            assert bits(compiled(Tensor(n, dtype))) == bits(_plain(fib)(Tensor(n, dtype)))

    factor = 3
    for n in (14, 3):
        assert bits(compiled(Tensor(n))) == bits(_plain(fib)(Tensor(n)) * 3)
    assert counts.steps > 100


def test_gradients_through_recursion():
    @jit
    def grow(x, n):
        return x if n < 1 else grow(ops.sin(x), n - 1) * 1.3

    plain = _closed_plain(grow)
    for n in (14, 0, 1, 20):
        x = ops.randn(4)
        assert bits(grow(x, Tensor(n))) == bits(plain(x, Tensor(n)))
        got = value_and_grad(lambda x, n=n: grow(x, Tensor(n)).sum(), 0)(x)
        assert bits(got) == bits(value_and_grad(lambda x, n=n: plain(x, Tensor(n)).sum(), 0)(x))


def test_explain_tells_of_it():
    for _ in range(3):
        fib(Tensor(14))
        report = explain(fib)(Tensor(14))
    assert report.result.item() == 377
    assert report.fallback is None
    assert any("fib" in place.text for place in report.calls)
    assert report.loops


# -- programs made by chance ------------------------------------------------------------------------------------------


class Branches(Writer):
    """Functions of three tensors with loops, branches and calls of themselves, all of which end."""

    def name(self):
        return self.pick("a", "b", "c")

    def value(self):
        one, other = self.name(), self.name()
        return self.pick(
            f"{one} + {other}", f"{one} * 3 - {other}", f"{one} - 7", f"{one} % 11", f"{one} // 2 + Tensor(1)", one,
            f"ops.maximum({one}, {other})", f"v.sum() + {one}",
        )  # fmt: skip

    def condition(self):
        one, other = self.name(), self.name()
        return self.pick(
            f"{one} > {other}", f"not ({one} > 3)", f"{one} % 3 == 1", f"{one} > 2 and {other} % 2 == 0",
            f"{one} < -5 or {other} > 5", f"{one} is {other}", f"(v * v).sum() > {one}",
        )  # fmt: skip

    def block(self, depth, budget, in_loop, recursive):
        for _ in range(1 + self.rng.integers(3)):
            kinds = ["assign", "assign", "swap", "vector"]
            if budget:
                kinds += ["if", "if", "while"]
            if recursive and not in_loop:
                kinds += ["call"]
            if in_loop:
                kinds += ["leave"]
            kind = self.pick(*kinds)
            if kind == "assign":
                self.write(depth, f"{self.name()} = {self.value()}")
            elif kind == "swap":
                self.write(depth, f"{self.name()}, {self.name()} = {self.name()}, {self.value()}")
            elif kind == "vector":
                self.write(depth, f"v = {self.pick('v * 2 - a', 'ops.sin(v) + 1', 'w', 'w + b')}")
            elif kind == "call":
                self.write(depth, f"if n > 0: {self.name()}, v = f({self.name()}, {self.name()}, v, n - 6)")
            elif kind == "leave":
                self.write(depth, f"if {self.condition()}: {self.pick('break', 'continue')}")
            elif kind == "if":
                self.write(depth, f"if {self.condition()}:")
                self.block(depth + 1, budget - 1, in_loop, recursive)
                if self.rng.integers(2):
                    self.write(depth, f"elif {self.condition()}:")
                    self.block(depth + 1, budget - 1, in_loop, recursive)
                self.write(depth, "else:")
                self.block(depth + 1, budget - 1, in_loop, recursive)
            else:
                self.loops += 1
                i = f"i{self.loops}"
                self.write(depth, f"{i} = Tensor(0)")
                self.write(depth, f"while {i} < {self.pick(3, 'm', 9)}:")
                self.write(depth + 1, f"{i} = {i} + 1")
                self.block(depth + 1, budget - 1, True, recursive)

    def function(self):
        recursive = bool(self.rng.integers(2))
        self.write(0, "def f(a, b, v, n):")
        self.write(1, "c, m, w = a, Tensor(5), v")
        if recursive:
            self.write(1, "if n < 1: return a + b, v")
            self.write(1, "a, v = f(b, a, v, n - 1)")
        self.block(1, 3, False, recursive)
        self.write(1, "i = Tensor(0)")
        self.write(1, "while i < n:")
        self.write(2, "i = i + 1")
        self.block(2, 2, True, False)
        self.write(1, "return a + b * 2 - c, v" if recursive else "return a, b, c, v, i")
        return "\n".join(self.lines)


@pytest.mark.parametrize("seed", range(12))
def test_programs_made_by_chance(seed, tmp_path, counts):
    text = Branches(seed).function()
    module = loaded(text, tmp_path)
    module.f = compiled = jit(module.f)  # which calls itself
    plain = loaded(text, tmp_path).f
    calls = [(a, b, n) for a, b in ((3, 4), (-6, 2), (0, 0)) for n in (6, 13, 1)]
    for _ in range(2):
        for dtype in (int64, float32):
            for a, b, n in calls:
                args = Tensor(a, dtype), Tensor(b, dtype), ops.ones(3, dtype=float32), Tensor(n)
                got, want = outcome(compiled, *args, errors=ERRORS), outcome(plain, *args, errors=ERRORS)
                assert got == want, text


# -- threads, signals -------------------------------------------------------------------------------------------------


def test_threads():
    plain = [bits(fib.__wrapped__(Tensor(n))) for n in range(18)]
    walk = jit(collatz)
    want = [bits(collatz(Tensor(n))) for n in range(1, 60)]
    wrong = []

    def work(first):
        for turn in range(40):
            n = (first + turn) % 18
            if bits(fib(Tensor(n))) != plain[n]:
                wrong.append(n)
            n = (first * 7 + turn) % 59
            if bits(walk(Tensor(n + 1))) != want[n]:
                wrong.append(n)

    in_threads(work)
    assert not wrong


def test_other_threads_are_heard():
    """The loop ends because another thread writes to a tensor that it looks at."""

    @jit
    def wait(flag, n, most):
        i, odd = Tensor(0), Tensor(0)
        while flag * 1 + i * 0 == n and i < most:
            if i % 2 == 1:
                odd = odd + 1
            i = i + 1
        return i

    for _ in range(2):
        flag = Tensor(0)
        wait(flag, Tensor(0), Tensor(1000))  # all is compiled then
        with written_by_another_thread(flag):
            assert wait(flag, Tensor(0), Tensor(1 << 60)).item() > 10


@pytest.mark.parametrize("kind", ["elements", "arrays", "recursion"])
def test_an_interrupt(kind):
    source = """
        import sys, time
        from anfora import Tensor, jit, ops
        from anfora.graph.run import control
        control.NATIVE_AFTER = 2
        @jit
        def forever(x, n):
            i = Tensor(0)
            while i < n:
                if i % 3 == 1:
                    x = {body}
                i = i + 1
            return x
        @jit
        def fib(x, n):
            return n if n < 2 else fib(x, n - 1) + fib(x, n - 2)
        x = {start}
        for _ in range(3):
            {function}(x, Tensor(15))
        print("ready", flush=True)
        try:
            {function}(x, Tensor({many}))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    body, start, function, many = {
        "elements": ("x * 0.5 + 1", "Tensor(1.0)", "forever", 1 << 60),
        "arrays": ("ops.tanh(x @ x)", "ops.randn(64, 64)", "forever", 1 << 60),
        "recursion": ("x", "Tensor(1.0)", "fib", 90),
    }[kind]
    program = textwrap.dedent(source.format(body=body, start=start, function=function, many=many))
    assert_stops_at_an_interrupt(program)


def test_a_recursive_function_is_compiled_whole():
    @jit(fullgraph=True)
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    assert [fibonacci(Tensor(n)).item() for n in (15, 20, 1, 2)] == [610, 6765, 1, 1]

    @jit
    def again(n):
        return n if n < 2 else again(n - 1) + again(n - 2)

    again(Tensor(20))
    report = explain(again)(Tensor(14))
    assert report.hops == [] and {hop.text for hop in report.calls} == {"again(n - 1)", "again(n - 2)"}
    assert "calls of functions that call themselves (2):" in str(report)

"""Python's numbers in native loops with branches: what Python gives, to the last bit, and where it must take over."""

from __future__ import annotations

import textwrap

import pytest
from chance import Writer, loaded
from engines import ERRORS, same
from outcomes import assert_stops_at_an_interrupt, bits, in_threads, outcome

from anfora import (
    Parameter,
    Tensor,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    jit,
    ops,
    uint8,
    value_and_grad,
)
from anfora.graph.lower import ahead, ranges
from anfora.graph.run import control


@pytest.fixture(autouse=True)
def always(counts, monkeypatch):
    """Loops over ranges stay loops, engines are made at the first opportunity."""
    monkeypatch.setattr(ranges, "ROLLED_FROM", 16)


def x0(value=1.0, dtype=float32):
    return Tensor(value, dtype)


# -- loops over ranges that are left on the way -----------------------------------------------------------------------


def break_on_a_tensor(x, n):
    for _ in range(n):
        x = x * 1.01 + 0.5
        if x > 60:
            break
    return x


def break_and_the_counter(x, n):
    for i in range(n):
        x = x * 1.01 + i
        if x > 60:
            break
    else:
        x = -x
    return x, i


def continue_on_a_tensor(x, n):
    for i in range(n):
        if x > 10:
            x = x - 9.5
            continue
        x = x + i * 0.25
    return x


def return_from_a_loop(x, n):
    for i in range(n):
        x = x + i
        if x > 200:
            return x, i
    return x


def down_by_three(x, n):
    for i in range(n, -n, -3):
        x = x + i
        if x > 500:
            x = x - 300
    return x, i


def loop_in_a_loop(x, n):
    for i in range(n):
        for j in range(i, n):
            x = x + (i - j) * 0.5
            if x < -20:
                x = x + 30
                break
    return x


def tensor_loop_in_a_range(x, n):
    for i in range(n):
        while x > 3:
            x = x * 0.5 - 0.25 * i
        x = x + 2.5
    return x


def an_array(x, n):
    for i in range(n):
        x = ops.sin(x) * (i + 1)
        if x.sum() > 2:
            x = x / (i + 1)
    return x


LEFT = {
    "break": (break_on_a_tensor, [(x0(), n) for n in (100, 40, 17, 100)]),
    "break, else, counter": (break_and_the_counter, [(x0(), 100), (x0(-500.0), 30), (x0(-500.0), 20)]),
    "continue": (continue_on_a_tensor, [(x0(), n) for n in (100, 40, 17)]),
    "return": (return_from_a_loop, [(x0(), 100), (x0(-5000.0), 40), (x0(199.0), 40)]),
    "down": (down_by_three, [(x0(), 100), (x0(-50000.0), 40)]),
    "loop in a loop": (loop_in_a_loop, [(x0(), 20), (x0(-50000.0), 40)]),
    "while in a range": (tensor_loop_in_a_range, [(x0(), 50), (x0(9.0), 30)]),
    "array": (an_array, [(Tensor([1.0, -2.0, 0.5]), 60), (Tensor([0.0, 0.1, 0.5]), 30)]),
}


@pytest.mark.parametrize("name", LEFT)
def test_loops_over_ranges_that_are_left(name, counts):
    function, calls = LEFT[name]
    same(function, *calls)
    assert counts.steps > 20


# -- arithmetic -------------------------------------------------------------------------------------------------------
# Each goes round as long as a tensor is small; the numbers are given back.


def looped(step):
    """A loop whose numbers `a` and `b` change by `step(a, b)`."""

    def function(x, a, b):
        while x < 60:
            x = x + 1
            a, b = step(a, b)
        return x, a, b

    return function


ARITHMETIC = {
    "sums": (lambda a, b: (a + b, b + 3), [(0, 1), (-5, 7)]),
    "differences and negation": (lambda a, b: (b - a, -a), [(3, 1), (-5, 7)]),
    "products that grow beyond 64 bits": (lambda a, b: (a * 3 + b, b + 1), [(1, 0), (-7, 2)]),
    "sums that grow beyond 64 bits": (lambda a, b: (a + b, b + a), [(1, 1), (-1, -5), (2**62, 1)]),
    "back from beyond 64 bits": (lambda a, b: (a * 5 if abs(a) < 2**70 else a // 2**60, b + 1), [(3, 0), (-3, 0)]),
    "floor division": (lambda a, b: (a // b + 1000, b - 1 if b > -9 else 9), [(1000, 90), (-77, 100)]),
    "remainder": (lambda a, b: (a % 7 - a % -5 + b, b + 13), [(1000, 9), (-77, 4), (0, -40)]),
    "powers of two": (lambda a, b: (a // 8 - a % 16 + b, b * -1), [(1000, 9), (-77, 4000)]),
    "division by zero": (lambda a, b: (a + 100 // b, b - 1), [(0, 90), (0, 20)]),
    "quotients": (lambda a, b: (a / 3 + b, b + 1), [(1, 2), (-1.5, 2)]),
    "quotients of large ints": (lambda a, b: (a * 7, a / b), [(1, 3), (2**50, 7)]),
    "a quotient by zero": (lambda a, b: (1 / b, b - 1), [(1.5, 90.0), (1.5, 20.0)]),
    "floats": (lambda a, b: (a * 1.1 - b, b * -0.9), [(1.5, 2.5), (1e300, 1.0), (float("nan"), 1.0)]),
    "floats that overflow": (lambda a, b: (a * a + 1, b - a), [(1.5, 0.0), (-3.0, float("inf"))]),
    "signed zeros": (lambda a, b: (-a, b * -1.0), [(0.0, 0.0), (-0.0, 5.0)]),
    "remainders of floats": (lambda a, b: (a % b + 3.7, -b), [(10.0, 0.3), (-1e20, 7.7), (5.0, float("inf"))]),
    "floor of floats": (lambda a, b: (a // b * 1.7 + 5.0, -b), [(10.0, 0.3), (-1e20, 7.7), (5.0, float("inf"))]),
    "floats by zero": (lambda a, b: (a % b, b - 1.0), [(7.5, 90.0), (7.5, 20.0)]),
    "ints among floats": (lambda a, b: (a + b, b * 0.5 + a), [(1, 2.5), (2**53 + 1, 0.5)]),
    "to and from floats": (lambda a, b: (int(b) + 1, float(a) * 1.5), [(1, 2.5), (-3, -7.25)]),
    "an int of a float that is too large": (lambda a, b: (int(b), b * 97.0), [(1, 2.5), (-3, -7.25)]),
    "absolute values": (lambda a, b: (abs(a) - 5, abs(b) * -1.5), [(1, 2.5), (-3, -0.0)]),
    "comparisons": (lambda a, b: ((a + 1 if a < b else a - 20), b - 1 if a == b or b >= 40 else b + 2), [(0, 10)]),
    "comparisons of ints and floats": (
        lambda a, b: (a + 1 if a <= b else a - 3, b + 1.0 if b != a else b - 9.0),
        [(0, 0.5), (2**53 - 2, float(2**53)), (2**60, 2.0**60)],
    ),
    "truth": (lambda a, b: ((a - 1 if a else 5), (b - 0.5 if b else 2.0)), [(9, 4.0), (0, -0.0)]),
    "even and odd": (lambda a, b: (a // 2, b + 1) if a % 2 == 0 else (3 * a + 1, b), [(27, 0), (97, 5), (1, 1)]),
    "maximum": (lambda a, b: (max(a - 3, b), min(b + 1, a)), [(27, 0), (0, 20)]),
}  # fmt: skip


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("start", [0, 50])
def test_arithmetic(name, start, counts):
    step, couples = ARITHMETIC[name]
    function = looped(step)
    same(function, *((Tensor(start), a, b) for a, b in couples), times=3)
    assert counts.steps > (10 if start else 14)


def test_arithmetic_is_native(counts):
    for step in (lambda a, b: (a + b, b + 3), lambda a, b: (a % 7, b * 0.5)):
        counts.steps = 0
        same(looped(step), (Tensor(0), 1, 2), (Tensor(3), 5, 1))
        assert counts.steps > 100


# -- numbers that operators take --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [float32, float64, float16, bfloat16, int8, int32, int64])
def test_operands(dtype, counts):
    def function(x, n):
        i, scale = 0, 1
        while x.sum() < 100 and i < n:
            x = x + i
            if x.sum() > 50:
                x = x - scale
            i += 1
            scale = scale * 2
        return x, i

    starts = [Tensor(1, dtype), Tensor([1, 2], dtype)]
    same(function, *((x, n) for x in starts for n in (20, 3)))


def test_an_operand_that_does_not_fit(counts):
    def function(x, n):
        i = 0
        while x.sum() == 0:
            x = x * i
            i += n
        return x

    same(function, (Tensor(0, int8), 3), (Tensor([0, 0], int8), 1), (Tensor(0, int32), 1 << 25), times=2)


def test_a_number_that_no_tensor_can_be_made_of():
    """It is refused in the words of who makes the tensor, behind the writes in front of it."""

    def program(x, n, log):
        log.append(n)
        return x, Tensor(n)

    compiled = jit(program)
    for n in (1, 2, 10**12, 10**18, 10**19, 10**30, 3, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1):
        given, expected = [], []
        assert outcome(compiled, Tensor([1.0]), n, given) == outcome(program, Tensor([1.0]), n, expected)
        assert given == expected


def test_floats_as_operands(counts):
    def function(x, n):
        i, rate = 0, 0.5
        while i < n and x.sum() < 1e6:
            x = x * (1 + rate) - rate
            rate = rate * 0.97
            i += 1
        return x, rate

    same(function, *((x, n) for x in (x0(), Tensor([1.0, 2.0]), x0(1.0, float64)) for n in (80, 5)))
    assert counts.steps > 50


@pytest.mark.parametrize("dtype", [int8, int32, int64, uint8])
def test_tensors_by_powers_of_two(dtype, counts):
    def function(x, n):
        total = x * 0
        while x < n:
            total = total * 3 + x // 8 - x % 4 + x // 1 + x % 1 + x // 64 + x % 64
            if x % 2 == 0:
                x = x + 1
            else:
                x = x + 2
        return total

    low = 0 if dtype is uint8 else -70
    same(function, (Tensor(low, dtype), Tensor(70, dtype)), (Tensor(low + 1, dtype), Tensor(9, dtype)))
    assert counts.steps > 50


# -- `while` with numbers ---------------------------------------------------------------------------------------------


def test_a_variable_that_counts(counts):
    def function(x, n):
        i = 0
        while i < n and x.sum() > 0:
            x = x * 0.99 - 0.01
            i += 1
        return x, i

    compiled = same(function, (Tensor([1.0, 2.0]), 1000), (Tensor([1.0, 2.0]), 30), (x0(), 1000), (x0(-1.0), 9))
    assert len(compiled.program.points) < 20
    assert counts.steps > 50


def counts_up(x, n):
    i = 0
    while i < n and x.sum() < 1e6:
        x = x * 1.01 + i
        i += 1
    return x, i


def counts_up_first(x, n):
    i = 0
    while x.sum() < 1e6:
        i += 2
        if not i < n:
            break
        x = x * 1.01 + i
    return x, i


def counts_down(x, n):
    i = n
    while i > -n and x.sum() < 1e6:
        x = x * 0.99 - i
        i = i + -3
    return x, i


@pytest.mark.parametrize("function", [counts_up, counts_up_first, counts_down])
@pytest.mark.parametrize("is_plain", [True, False])
def test_numbers_that_are_computed_ahead(function, is_plain, monkeypatch):
    """Without automata: loops.py goes round."""
    monkeypatch.setattr(control, "NATIVE_AFTER", 1 << 60)
    found = []
    run = ahead.Ahead.run

    def noted(self, slots, most):
        self._is_plain &= is_plain
        span = run(self, slots, most)
        found.append((self._is_plain, span.iterations))
        return span

    monkeypatch.setattr(ahead.Ahead, "run", noted)
    compiled = jit(function)
    for n in (300, 40, 300, 2000, 300, 0):
        for x in (x0(), Tensor([0.5, -2.0])):
            assert bits(compiled(x, n)) == bits(function(x, n))
    assert (is_plain, 60) < max(found)


def test_a_variable_that_counts_and_is_an_index():
    def function(x, values):
        i, total = 0, 0.0
        while x.sum() > 0:
            total = total + values[i]
            x = x - 0.1
            i += 1
        return x, i, total

    values = [float(i) for i in range(40)]
    same(function, (x0(), values), (x0(3.0), values), (x0(0.2), values), times=3)


def test_a_variable_that_counts_and_is_a_length():
    def function(x, n):
        i, out = 1, ops.zeros(1)
        while x.sum() > 0:
            out = ops.concat((out, ops.ones(i)))
            x = x - 0.1
            i += 1
        return out

    compiled = jit(function)
    for start in (1.0, 0.5, 1.0):
        assert bits(compiled(x0(start), 3)) == bits(function(x0(start), 3))


def test_a_list_of_numbers():
    def function(x):
        i, out = 0, []
        while x.sum() > 0:
            out.append(i * 2)
            x = x - 0.1
            i += 1
        return out

    same(function, (x0(),), (x0(2.0),), (x0(-1.0),))


def test_a_variable_of_an_inner_function():
    def function(x):
        i = 0

        def advance():
            nonlocal i
            i += 1
            return i

        while x.sum() > 0:
            x = x - 0.1 * advance()
        return x, i

    same(function, (x0(),), (x0(2.0),), (x0(-1.0),))


def test_effects_between(capsys):
    def function(x):
        i = 0
        while x.sum() > 0:
            if i % 7 == 5:
                print("at", i, x.sum().item())
            x = x - 0.1
            i += 1
        return x, i

    compiled = jit(function)
    for start in (1.0, 3.0, 0.4, 3.0, 3.0):
        got = bits(compiled(x0(start)))
        said = capsys.readouterr().out
        assert got == bits(function(x0(start)))
        assert said == capsys.readouterr().out


def test_gradients():
    def function(x, n):
        i, scale = 0, 1.0
        while i < n and x.sum() < 50:
            x = ops.sin(x) * scale + i
            scale = scale * 1.01
            i += 1
        return x.sum()

    compiled = jit(function)
    for n in (30, 3, 30, 0):
        x = Tensor([0.5, 1.5])
        assert bits(compiled(x, n)) == bits(function(x, n))
        got = value_and_grad(lambda x, n=n: compiled(x, n), 0)(x)
        assert bits(got) == bits(value_and_grad(lambda x, n=n: function(x, n), 0)(x))
        weight = Parameter(x, name="w")
        assert bits(compiled(weight, n)) == bits(function(weight, n))


def test_branches_outside_of_loops(counts):
    def function(x, y):
        if x.sum() > y.sum():
            z = x - y
        elif x.sum() == y.sum():
            return x
        else:
            z = y * 2
        if z.sum() > 3:
            z = z / 2
        return z, y

    arrays = [Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([2.0, 1.0]), Tensor([9.0, 9.0])]
    compiled = same(function, *((x, y) for x in arrays for y in arrays))
    assert counts.runs > 20
    for x in arrays:  # the very argument comes back
        assert compiled(x, Tensor([2.0, 1.0]) if x.sum() == 3 else x) is x


def test_threads(counts):
    compiled = jit(break_and_the_counter)
    calls = [(x0(float(k)), 20 + 3 * k) for k in range(20)]
    want = [bits(break_and_the_counter(*call)) for call in calls]
    wrong = []

    def work(first):
        for turn in range(60):
            k = (first + turn * 7) % len(calls)
            if bits(compiled(*calls[k])) != want[k]:
                wrong.append(k)

    in_threads(work)
    assert not wrong


@pytest.mark.parametrize("head", ["for i in range(1 << 60)", "while i < 1 << 60"])
def test_an_interrupt(head):
    source = """
        from anfora import Tensor, jit
        from anfora.graph.run import control
        control.NATIVE_AFTER = 2
        @jit
        def forever(x, limit):
            i = 0
            {head}:
                x = x * 0.5 + 1
                i = i + 1
                if x > limit:
                    return x, i
        for _ in range(3):
            forever(Tensor(1.0), Tensor(1.5))
        print("ready", flush=True)
        try:
            forever(Tensor(1.0), Tensor(10.0))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    program = textwrap.dedent(source.format(head=head))
    assert_stops_at_an_interrupt(program)


# -- programs made by chance ------------------------------------------------------------------------------------------


class Loops(Writer):
    """Functions of a tensor and two numbers with loops that go on by both."""

    def number(self):
        one, other = self.pick("a", "b", "c"), self.pick("a", "b", "c")
        return self.pick(
            f"{one} + {other}", f"{one} * 3 - {other}", f"{one} - 7", f"{one} % 11", f"{one} // 2 + 1", f"-{one}",
            f"{one} * 0.5", f"{one} / 3", f"{one} * {other} % 1013", f"abs({one}) + {other}", f"{one} % 5 - {other}",
        )  # fmt: skip

    def tensor(self):
        number = self.pick("a", "b", "c", "a * 0.25", "i1")
        return self.pick(
            f"x * 0.5 + {number}", f"x - {number}", "x * -0.75", "ops.sin(x)", f"ops.maximum(x, -x) - {number}"
        )

    def condition(self):
        one, other = self.pick("a", "b", "c"), self.pick("a", "b", "c")
        return self.pick(
            "x.sum() > 0", "x.sum() > 3 and x.sum() < 90", f"{one} > {other}", f"{one} % 3 == 1", f"not {one}",
            f"x.sum() > 1 or {one} < 5",
        )  # fmt: skip

    def block(self, depth, budget, in_loop):
        for _ in range(1 + self.rng.integers(3)):
            kind = self.pick("number", "number", "tensor", *(["if", "loop"] if budget else []), *(["leave"] * in_loop))
            if kind == "number":
                self.write(depth, f"{self.pick('a', 'b', 'c')} = {self.number()}")
            elif kind == "tensor":
                self.write(depth, f"x = {self.tensor()}")
            elif kind == "leave":
                self.write(depth, f"if {self.condition()}: {self.pick('break', 'continue')}")
            elif kind == "if":
                self.write(depth, f"if {self.condition()}:")
                self.block(depth + 1, budget - 1, in_loop)
                self.write(depth, "else:")
                self.block(depth + 1, budget - 1, in_loop)
            else:
                self.loop(depth, budget - 1)

    def loop(self, depth, budget):
        self.loops += 1
        i = f"i{self.loops}"
        if self.rng.integers(2):
            self.write(depth, f"for {i} in range({self.pick('n', '20')}):")
        else:
            self.write(depth, f"{i} = 0")
            self.write(depth, f"while {i} < {self.pick('n', '9')} and {self.pick('x.sum() < 500', 'a != 12345')}:")
            self.write(depth + 1, f"{i} += {self.pick('1', '2')}")
        self.block(depth + 1, budget, True)

    def function(self):
        self.write(0, "def f(x, a, b, n):")
        self.write(1, "c = 1")
        self.write(1, "for i1 in range(n):")
        self.loops = 1
        self.block(2, 2, True)
        self.block(1, 1, False)
        self.write(1, "return x, a, b, c, i1")
        return "\n".join(self.lines)


@pytest.mark.parametrize("seed", range(16))
def test_programs_made_by_chance(seed, tmp_path):
    text = Loops(seed).function()
    module = loaded(text, tmp_path)
    compiled = jit(module.f)
    errors = (*ERRORS, OverflowError)
    for _ in range(2):
        for x in (Tensor(1.5), Tensor([0.5, -2.0, 4.0])):
            for a, b, n in ((1, 2, 20), (5, -3, 30), (0, 7, 17)):
                got = outcome(compiled, x, a, b, n, errors=errors)
                assert got == outcome(module.f, x, a, b, n, errors=errors), text

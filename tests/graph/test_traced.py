"""Numbers that vary, in gradients: one recording for all their values, and the bits of PyNative mode for each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from outcomes import bits, outcome

import anfora.numpy as mnp
from anfora import Tensor, float32, grad, jit, manual_seed, mint, ops, value_and_grad
from anfora.graph.facts.origins import Number, Origin, value_of
from anfora.graph.polyfill.traced import Traced

TERMS = {
    "times": lambda x, n: x * n,
    "reflected times": lambda x, n: n * x,
    "by": lambda x, n: x / n,
    "reflected by": lambda x, n: n / x,
    "minus": lambda x, n: n - x - n,
    "power": lambda x, n: x**n,
    "reflected power": lambda x, n: n**x,
    "twice": lambda x, n: (x * n) ** 2 * n,
    "arithmetic before": lambda x, n: x * (n * 2 + 1) + x ** (n - 1),
    "no gradient flows": lambda x, n: ops.stop_gradient(x * n) * x,
}


class Noted:
    """In the place of a recorder."""

    def __init__(self):
        self.forced, self.decided = [], []

    def force(self, number):
        self.forced.append(number.value)
        return number.value

    def note_numpy(self):
        pass

    def follow(self, operation, parts):
        return Origin("number", operation, tuple(parts))

    def decide(self, origin, truth):
        self.decided.append((origin, truth))
        return truth


def first(term):
    def loss(x, n):
        return term(x, n).sum()

    def program(x, n):
        return value_and_grad(loss)(x, n)

    return program


def second(term):
    def loss(x, n):
        return term(x, n).sum()

    def slope(x, n):
        return (grad(loss)(x, n) * x).sum()

    def program(x, n):
        return grad(slope)(x, n)

    return program


@pytest.mark.parametrize("order", [first, second])
@pytest.mark.parametrize("name", TERMS)
def test_one_recording(order, name):
    program = order(TERMS[name])
    compiled = jit(program)
    for k in range(20):
        given = Tensor([1.25, 2.5]), 0.5 + 0.3 * k
        assert bits(compiled(*given)) == bits(program(*given)), given[1]
    assert compiled.program.recordings == 1


@pytest.mark.parametrize("order", [first, second])
def test_numbers_that_are_looked_at(order):
    program = order(lambda x, n: x * n if n > 1 else x**n)
    compiled = jit(program)
    for n in (0.5, 1.5, 2.5, 0.25, 1, 3, math.inf, -0.0, True, 2):
        assert bits(compiled(Tensor([1.25, 2.5]), n)) == bits(program(Tensor([1.25, 2.5]), n)), n


def test_a_question_that_no_value_answers_otherwise():
    """The tape asks whether what it has kept is an array, once something has been written in place."""
    noted = Noted()
    n = Traced(Number(Origin("slot", 0), 2.5), noted)
    assert not hasattr(n, "base") and isinstance(n, float) and not isinstance(n, int) and noted.forced == []
    written = Tensor([1.0]).add_(1)
    test_one_recording(first, "times")
    assert written.tolist() == [2]


class Config:
    factor = 1.0


def test_gradient_by_a_number_of_an_object():
    config = Config()

    def program(x):
        return grad(lambda x: (x * config.factor).sum())(x)

    compiled = jit(program)
    for factor in (1.0, 2.0, 3.0, 4.0):
        config.factor = factor
        assert compiled(Tensor([1.0])).tolist() == [factor]


# -- the numbers themselves -------------------------------------------------------------------------------------------


def value(x):
    return x.number.value if isinstance(x, Traced) else x


@pytest.mark.parametrize("number", [2.5, 3])
def test_arithmetic_is_pythons_and_leaves_a_trace(number):
    noted = Noted()
    n = Traced(Number(Origin("slot", 0), number), noted)
    for compute in (
        lambda n: n + 1, lambda n: 1.5 + n, lambda n: n - 2, lambda n: 2 - n, lambda n: n * n, lambda n: 3 * n,
        lambda n: n / 2, lambda n: 7 / n, lambda n: n // 2, lambda n: 7 // n, lambda n: n % 2, lambda n: 7 % n,
        lambda n: n**2, lambda n: 2**n, lambda n: -n, lambda n: +n, lambda n: abs(-n), lambda n: (n + 1) * n - n / 4,
    ):  # fmt: skip
        found = compute(n)
        assert isinstance(found, Traced) and found.number.origin.kind == "number"
        assert bits(value(found)) == bits(compute(number))
    assert noted.forced == []


@pytest.mark.parametrize("number", [2.5, 3, 0])
def test_a_look_at_the_value_is_noted(number):
    for look in (
        int, float, round, hash, repr, str, lambda n: f"{n:.2f}", math.exp, np.float64, lambda n: divmod(n, 2), math.floor,
        lambda n: float(np.tanh(n)), lambda n: n.as_integer_ratio(), lambda n: complex(n), lambda n: n == np.float32(3),
    ):  # fmt: skip
        noted = Noted()
        n = Traced(Number(Origin("slot", 0), number), noted)
        assert bits(look(n)) == bits(look(number))
        assert noted.forced


def test_bits_of_integers_are_looked_at():
    for look in (
        lambda n: n >> 1, lambda n: 9 >> n, lambda n: n << 2, lambda n: 1 << n, lambda n: n & 2, lambda n: 3 & n,
        lambda n: n | 4, lambda n: 4 | n, lambda n: n ^ 1, lambda n: 1 ^ n, lambda n: ~n, lambda n: [5, 6, 7, 8][n],
        lambda n: "ab" * n, lambda n: list(range(n)),
    ):  # fmt: skip
        noted = Noted()
        assert look(Traced(Number(Origin("slot", 0), 3), noted)) == look(3)
        assert set(noted.forced) == {3}


@pytest.mark.parametrize("number", [2.5, 3, 0])
def test_of_a_comparison_its_end_is_noted(number):
    for compare in (
        bool, lambda n: n == 3, lambda n: n != 3, lambda n: n < 3, lambda n: n <= 3, lambda n: 2.75 > n,  # noqa: SIM300
        lambda n: n >= 3,
        lambda n: n == 3.0, lambda n: n == 2, lambda n: n < True, lambda n: n + 1 == n, lambda n: n**0.5 == 1,
    ):  # fmt: skip
        noted = Noted()
        truth = compare(Traced(Number(Origin("slot", 0), number), noted))
        assert truth is compare(number)
        [(origin, decided)] = noted.decided
        assert decided is truth and value_of(origin, [number]) is truth and not noted.forced


def test_what_is_no_number_is_equal_to_none():
    noted = Noted()
    n = Traced(Number(Origin("slot", 0), 2.5), noted)
    assert [n == None, n == "mean", n != (2.5,), n == [2.5]] == [False, False, True, False]  # noqa: E711
    with pytest.raises(TypeError):
        n < "mean"  # noqa: B015
    assert not noted.forced and not noted.decided


def in_place(x, c):
    """An optimizer as one writes it by hand."""
    y = x * 1
    y.mul_(1 - c * 0.1).add_(x * 2, alpha=-c)
    y.addcdiv_(x, x * x + 1, value=-c)
    y[0] = c
    y[1:] += c
    return y


def test_an_error_about_a_number_is_the_first_one():
    """The number was given once more, as it is, while the error was handled, which became the context of the other."""

    def put(x, n):
        x[n // 2] = 0.5
        return x

    compiled = jit(put)
    for n in (0, 8, 4, 9):
        contexts = []
        for function in (put, compiled):
            try:
                function(Tensor([1.0, 2.0, 3.0]), n)
            except IndexError as error:
                contexts.append((str(error), error.__context__))
        assert len(contexts) in (0, 2) and contexts[:1] == contexts[1:]


def test_what_is_computed_for_each_weight_is_computed_once_in_later_calls():
    def f(x, c):
        for _ in range(20):
            x = x * (1 - 0.9 ** (c + 1)) - x.add(c / 2, alpha=0.5 ** (c + 1))
        return x

    compiled, x = jit(f), Tensor([1.0, 2.0])
    assert [bits(compiled(x, c)) for c in (0.5, -0.0, 0.0, 3)] == [bits(f(x, c)) for c in (0.5, -0.0, 0.0, 3)]
    [point] = compiled.program.entries.values()
    origins = {id(each.origin): each.origin for each in point.variants[0].piece.numbers.values()}
    assert sorted(origin.key.__name__ for origin in origins.values()) == ["mul", "sub"]


def test_numpy_gets_numbers_of_python():
    """To numpy an array without axes is another operand than a number."""
    compiled = jit(lambda x, c: mnp.linspace(x, c, 5))
    for c in (0.5, 1.25, 2, 0.5):
        x = Tensor(np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32))
        assert bits(compiled(x, c)) == bits(mnp.linspace(x, c, 5))


FUNCTIONS = {
    "clip_by_value": lambda x, c: ops.clip_by_value(x, -c, c),
    "of several": lambda x, c: ops.clip_by_value([x, x * 2], -c, c),
    "clip_by_global_norm": lambda x, c: ops.clip_by_global_norm((x, x), c),
    "clip_by_norm": lambda x, c: ops.clip_by_norm(x, c),
    "clamp": lambda x, c: x.clamp(max=c),
    "add": lambda x, c: x.add(c),
    "alpha": lambda x, c: mint.add(x, x, alpha=c),
    "full_like": lambda x, c: ops.full_like(x, c),
    "fill": lambda x, c: ops.fill(float32, (2,), c),
    "masked_fill": lambda x, c: x.masked_fill(x > 0, c),
    "nan_to_num": lambda x, c: ops.nan_to_num(x / 0, c),
    "div": lambda x, c: ops.div(x, c, rounding_mode="floor"),
    "in place": in_place,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_are_written_in_operators(name):
    """Numbers go through them to the operators: one recording for all values, of the gradient as well."""
    function = FUNCTIONS[name]

    def loss(x, c):
        found = function(x, c)
        return (sum(found) if isinstance(found, (tuple, list)) else found).sum() + x.sum()

    for program in (function, grad(loss)):
        compiled = jit(program)
        for k in range(20):
            given = Tensor([1.25, -2.5, 0.5]), 0.5 + 0.3 * k
            assert bits(compiled(*given)) == bits(program(*given)), given[1]
        assert compiled.program.recordings == 1


FORMS = {
    "(x, c)": lambda f: lambda x, c: f(x, c),
    "(x, c, c)": lambda f: lambda x, c: f(x, c, c + 1),
    "(c)": lambda f: lambda x, c: f(c),
    "(c, c)": lambda f: lambda x, c: f(c, c + 3),
}
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (mnp, mint)
    for name in module.__all__
    if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_get_numbers_that_vary(name):
    """Whatever a function does with them: what it gives, or its error, is that of PyNative mode for each number."""
    x = Tensor(np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32))
    for form in FORMS.values():
        plain = form(PUBLIC[name])
        compiled = jit(plain)
        for c in (0.5, 1.25, 2, 0.5):
            found = []
            for function in (plain, compiled):
                manual_seed(3)
                found.append(outcome(function, x, c))
            assert found[0] == found[1], (form, c)

"""Operators of the user's own: values against plain Python, gradients against differences, both modes, threads, errors."""

from __future__ import annotations

import importlib.util
import math
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops
from anfora.kernel import executor

RATE = 0.3
RNG = np.random.default_rng(5)


def scaled(value):
    return value * RATE


@anfora.custom_op
def piecewise(x, y, shift=0.5):
    """Two branches, a helper, constants of the module and of `math`, a number by default."""
    if x > y:
        return math.exp(-x) * 2 + shift
    return scaled(x) - y * math.pi


@piecewise.gradient
def piecewise_gradient(x, y, shift, g):
    if x > y:
        return -math.exp(-x) * 2 * g, 0.0, g
    return RATE * g, -math.pi * g, 0.0


@anfora.custom_op
def halvings(x):
    """Runs for ever on 0."""
    count = 0
    while x < 1.0:
        x *= 2.0
        count += 1
    return count


@anfora.custom_op(dtype=(anfora.int32, anfora.bool_))
def split(x):
    return math.floor(x), x < 0


@anfora.custom_op(dtype=anfora.float32)
def mixed(mask, count, x):
    return x * count if mask else -x


@anfora.custom_op
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@anfora.custom_op("(m,n),(n)->(m)")
def product(a, x, out):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            out[i] += a[i, k] * x[k]


@product.gradient
def product_gradient(a, x, g, da, dx):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            da[i, k] = g[i] * x[k]
            dx[k] += g[i] * a[i, k]


@anfora.custom_op("(n),()->(n),()", dtype=(anfora.float64, anfora.int64))
def running(x, start, out, count):
    total = start
    for i in range(x.shape[0]):
        total += x[i]
        out[i] = total
        if total > 0:
            count[0] += 1


def plain(function, *arrays):
    """A function of numbers on every element, by Python alone."""
    return np.vectorize(function.function, otypes=None)(*(np.asarray(a, dtype=object) for a in arrays))


def near(got, wanted, dtype=np.float64):
    limit = {np.float16: 4e-3, np.float32: 2e-6}.get(dtype, 1e-14)
    np.testing.assert_allclose(got.asnumpy().astype(np.float64), np.asarray(wanted, np.float64), rtol=limit, atol=limit)


def normal(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


# -- functions of elements ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "shapes", [((), ()), ((1,), (1,)), ((3, 70), (70,)), ((4, 1), (1, 5)), ((0, 3), (3,)), ((5001,), ())]
)
def test_elements(dtype, shapes):
    x, y = (normal(*shape, dtype=dtype) for shape in shapes)
    found = piecewise(Tensor(x), Tensor(y), 0.25)
    assert found.shape == np.broadcast_shapes(*shapes) and found.dtype == Tensor(x).dtype
    near(found, plain(piecewise, x.astype(float), y.astype(float), 0.25) if found.size else found.asnumpy(), dtype)


def test_bfloat16():
    x = Tensor([0.5, -1.0, 2.0], anfora.bfloat16)
    assert piecewise(x, 0.0).dtype == anfora.bfloat16
    near(piecewise(x, 0.0).astype(anfora.float32), plain(piecewise, [0.5, -1.0, 2.0], 0.0), np.float16)


def test_strides_and_views():
    x = normal(6, 8)
    near(
        piecewise(Tensor(x)[::2, ::-1].T, Tensor(x)[::2, ::-1].T + 1),
        plain(piecewise, x[::2, ::-1].T, x[::2, ::-1].T + 1),
    )


def test_numbers_of_the_text_take_the_type_of_the_elements():
    """As in operators: 0.1 is float32's beside float32, so the result is that of float32 throughout."""

    @anfora.custom_op
    def line(x):
        return x * 0.1 + 3 - RATE / 7

    x = normal(100, dtype=np.float32)
    wanted = x * np.float32(0.1) + np.float32(3) - np.float32(RATE) / np.float32(7)
    assert line(Tensor(x)).asnumpy().tobytes() == wanted.astype(np.float32).tobytes()


def test_a_function_sees_no_numbers_but_the_elements():
    """Vectors are filled up behind the last element: not with 0, on which this one would run for ever."""
    for count in (1, 3, 7, 16, 17, 33):
        x = np.full(count, 0.25, np.float32)
        x[0] = 0.125
        assert halvings(Tensor(x)).tolist() == [3.0] + [2.0] * (count - 1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_integers(dtype):
    n = np.arange(1, 28).astype(dtype)
    found = collatz(Tensor(n))
    assert found.dtype == Tensor(n).dtype and found.tolist() == [collatz.function(int(v)) for v in n]


def test_several_results_and_types():
    whole, negative = split(Tensor([-1.5, 0.0, 2.75]))
    assert (whole.dtype, whole.tolist()) == (anfora.int32, [-2, 0, 2])
    assert (negative.dtype, negative.tolist()) == (anfora.bool_, [True, False, False])
    found = mixed(Tensor([True, False]), Tensor([3, 4], anfora.int64), Tensor([1.5, 2.5], anfora.float32))
    assert (found.dtype, found.tolist()) == (anfora.float32, [4.5, -2.5])


# -- loops --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int8])
@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 4), (4,)), ((5, 2, 3, 4), (2, 4)), ((3, 4), (6, 4)), ((2, 1, 3, 4), (5, 4)), ((0, 3, 4), (4,))],
)
def test_loops(dtype, left, right):
    a, x = (normal(*left) * 3).astype(dtype), (normal(*right) * 3).astype(dtype)
    wanted = np.einsum("...ij,...j->...i", a.astype(float), x.astype(float))
    found = product(Tensor(a), Tensor(x))
    assert found.shape == wanted.shape and found.dtype == Tensor(a).dtype
    limit = {np.float16: 5e-3, np.float32: 1e-5}.get(dtype, 1e-12)
    np.testing.assert_allclose(found.asnumpy().astype(float), wanted, rtol=limit, atol=limit * 5)


def test_loop_with_scalars_and_several_results():
    x = normal(7, 5)
    start = normal(7)
    out, count = running(Tensor(x), Tensor(start))
    wanted = np.cumsum(np.concatenate([start[:, None], x], 1), 1)[:, 1:]
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-14, atol=1e-14)
    assert count.tolist() == (wanted > 0).sum(1).tolist() and count.dtype == anfora.int64
    assert running(Tensor(x[0]), 0.0)[1].shape == ()


def test_threads_change_no_bit():
    a, x = Tensor(normal(400, 9, 8)), Tensor(normal(400, 8))
    e = Tensor(normal(200_000, dtype=np.float32))
    before, found = executor.get_num_threads(), set()
    try:
        for count in (1, 2, 3):
            executor.set_num_threads(count)
            found.add(product(a, x).asnumpy().tobytes() + piecewise(e, 0.1).asnumpy().tobytes())
    finally:
        executor.set_num_threads(before)
    assert len(found) == 1


# -- gradients, batches, both modes ---------------------------------------------------------------------------------------


def slope(function, at, index):
    """The central difference of a sum, for one element."""
    step = np.zeros_like(at)
    step[index] = 1e-6
    return (function(at + step) - function(at - step)) / 2e-6


@pytest.mark.parametrize("operator", [piecewise, product], ids=lambda op: op.name)
def test_gradients_are_slopes(operator):
    x, y = normal(2, 3, 4), normal(4)
    found = anfora.grad(lambda a, b: (operator(a, b) ** 2).sum(), (0, 1))(Tensor(x), Tensor(y))
    for number, (gradient, at) in enumerate(zip(found, (x, y))):
        assert gradient.shape == at.shape

        def loss(moved, number=number):
            given = [moved if i == number else v for i, v in enumerate((x, y))]
            return (operator(*map(Tensor, given)) ** 2).sum().item()

        for index in list(np.ndindex(at.shape))[::5]:
            assert gradient.asnumpy()[index] == pytest.approx(slope(loss, at, index), rel=1e-5, abs=1e-7)


def test_gradient_as_a_sentence_in_operators():
    @anfora.custom_op
    def cube(x, y):
        return x * x * x * y

    @cube.vjp("x")
    def _(x, y, *, g):
        return g * 3 * x * x * y

    @cube.vjp("y")
    def _(x, *, g):
        return g * x**3

    x = Tensor([1.0, 2.0], anfora.float64)
    gradient = anfora.grad(lambda v: cube(v, 2.0).sum())
    assert gradient(x).tolist() == [6.0, 24.0]
    assert anfora.grad(lambda v: gradient(v).sum())(x).tolist() == [12.0, 24.0]
    assert anfora.jvp(lambda v: cube(v, v), x, Tensor([1.0, 0.0], anfora.float64))[1].tolist() == [4.0, 0.0]


def test_gradient_of_a_gradient_and_of_several_results():
    @anfora.custom_op(dtype=(anfora.float64, anfora.float64))
    def polar(r, angle):
        return r * math.cos(angle), r * math.sin(angle)

    @polar.gradient
    def polar_gradient(r, angle, g0, g1):
        return g0 * math.cos(angle) + g1 * math.sin(angle), r * (g1 * math.cos(angle) - g0 * math.sin(angle))

    @polar_gradient.vjp("r", "angle", "g0", "g1")
    def _(r, angle, g0, g1, *, g):
        d, sine, cosine = g[1], ops.sin(angle), ops.cos(angle)
        return d * (g1 * cosine - g0 * sine), d * -r * (g1 * sine + g0 * cosine), d * -r * sine, d * r * cosine

    r, angle = Tensor([2.0, 3.0], anfora.float64), Tensor([0.5, 1.0], anfora.float64)
    x_only = anfora.grad(lambda r, a: polar(r, a)[0].sum(), (0, 1))(r, angle)
    np.testing.assert_allclose(x_only[0].asnumpy(), np.cos([0.5, 1.0]), rtol=1e-14)
    np.testing.assert_allclose(x_only[1].asnumpy(), -np.array([2, 3]) * np.sin([0.5, 1.0]), rtol=1e-14)
    twice = anfora.grad(lambda r: anfora.grad(lambda a: polar(r, a)[0].sum())(angle).sum())(r)
    np.testing.assert_allclose(twice.asnumpy(), -np.sin([0.5, 1.0]), rtol=1e-14)


@pytest.mark.parametrize(
    ("operator", "axes"),
    [(piecewise, (0, None)), (piecewise, (1, 0)), (product, (0, None)), (product, (1, 0)), (product, (0, 0))],
)
def test_batches(operator, axes):
    x, y = Tensor(normal(3, 3, 3, 4)), Tensor(normal(3, 4) if axes[1] is not None else normal(4))
    wanted = [operator(x[i] if axes[0] == 0 else x[:, i], y if axes[1] is None else y[i]).asnumpy() for i in range(3)]
    assert anfora.vmap(operator, in_axes=axes)(x, y).asnumpy().tobytes() == np.stack(wanted).tobytes()


def test_both_modes_give_the_same_bits_and_loops_are_shared():
    def network(x, y):
        return ops.relu(piecewise(x * 2, y) + 1) * product(ops.stack([x, y]), x).sum()

    x, y = Tensor(normal(130, dtype=np.float32)), Tensor(normal(130, dtype=np.float32))
    step = anfora.value_and_grad(lambda x, y: network(x, y).sum(), (0, 1))
    wanted = step(x, y)
    compiled = anfora.jit(lambda x, y: step(x, y))
    for _ in range(3):
        found = compiled(x, y)
        for a, b in zip((found[0], *found[1]), (wanted[0], *wanted[1])):
            assert a.asnumpy().tobytes() == b.asnumpy().tobytes()
    report = str(anfora.explain(network)(x, y))
    assert "1 piece" in report and "fused: " in report and "left to the interpreter" not in report


def test_without_a_gradient():
    x = Tensor([1.0])
    with pytest.raises(RuntimeError, match=r"halvings has no gradient(.|\n)*@halvings.gradient"):
        anfora.grad(lambda v: halvings(v).sum())(x)
    constant = anfora.custom_op(lambda v: v * 2, differentiable=False)
    assert anfora.grad(lambda v: (constant(v) * v).sum())(x).tolist() == [2.0]


def test_a_network_with_one_is_no_file(tmp_path):
    """What the function means is not in the file."""
    forms = {"MINDIR": "its graph holds <operator product"}
    if importlib.util.find_spec("onnx"):
        forms["ONNX"] = "the operator product has no form"
    for form, words in forms.items():
        with pytest.raises(ValueError, match=words):
            anfora.export(
                lambda x: product(x, x[0]), ops.ones((2, 3)), file_name=str(tmp_path / "net"), file_format=form
            )
    assert not list(tmp_path.iterdir())


def test_pickled_by_name():
    assert pickle.loads(pickle.dumps(product)) is product


# -- errors -------------------------------------------------------------------------------------------------------------


def unknown_attribute(x):
    y = x + 1
    return math.nosuch(y)


def unknown_name(x):
    return undefined_name * x  # noqa: F821


def wrong_types(x):
    return "a" + x


def wrong_result(x):
    return [x, "s"]


def member_of_a_number(x):
    z = x
    if x > 0:
        z = z.foo
    return z


def no_body(x):
    return math.gamma(x)


def prints(x):
    print(x)
    return x


def calls_a_wrong_one(x):
    return unknown_name(x)


def allocates(x, out):
    spare = np.zeros(x.shape[0])
    out[:] = spare


#: function, signature, words of the message, what stands at the caret, in which line of the function
WRONG = [
    (unknown_attribute, None, "has no attribute 'nosuch'", "nosuch", 2),
    (unknown_name, None, "'undefined_name' is not defined", "undefined_name", 1),
    (wrong_types, None, "add", '"a" + x', 1),
    (wrong_result, None, "Cannot cast", "return", 1),
    (member_of_a_number, None, "Unknown attribute 'foo'", "foo", 3),
    (no_body, None, "`numba_gamma`", "gamma", 1),
    (prints, None, "needs Python", "print", 1),
    (allocates, "(n)->(n)", "needs memory", "zeros", 1),
]


@pytest.mark.parametrize(
    ("function", "signature", "words", "at", "line"), WRONG, ids=[row[0].__name__ for row in WRONG]
)
def test_an_error_in_the_function_is_shown_there(function, signature, words, at, line):
    made = anfora.custom_op(signature)(function) if signature else anfora.custom_op(function)
    with pytest.raises(TypeError) as raised:
        made(Tensor([1.0, 2.0], anfora.float64))
    message, place, source, caret = str(raised.value).splitlines()[:4]
    assert message.startswith(f"{function.__name__} cannot be compiled: ") and words in message
    number = function.__code__.co_firstlineno + line
    assert place == f"  {os.path.relpath(__file__)}:{number}, in {function.__name__}"
    assert source[caret.index("^") :].startswith(at)


def test_an_error_in_a_function_that_is_called():
    with pytest.raises(TypeError, match="'undefined_name' is not defined"):
        anfora.custom_op(calls_a_wrong_one)(Tensor([1.0]))


#: what is given to custom_op, and the message
REFUSED = [
    (lambda: anfora.custom_op(3), TypeError, "needs a Python function"),
    (lambda: anfora.custom_op(math.sin), TypeError, "needs a Python function"),
    (lambda: anfora.custom_op(lambda *x: x), TypeError, "plain"),
    (lambda: anfora.custom_op(lambda: 1), TypeError, "needs parameters"),
    (lambda: anfora.custom_op(lambda x, y=None: x), TypeError, "numbers"),
    (lambda: anfora.custom_op("(n)->(n)")(lambda x, y=1: None), TypeError, "no defaults"),
    (lambda: anfora.custom_op("(n)"), ValueError, "no signature of axes"),
    (lambda: anfora.custom_op("(n)(n)->(n)"), ValueError, "no signature of axes"),
    (lambda: anfora.custom_op("(n)->(n)->(n)"), ValueError, "no signature of axes"),
    (lambda: anfora.custom_op("(n)->(m)"), ValueError, "axis m of a result"),
    (lambda: anfora.custom_op("(n)->(n)")(lambda x: None), ValueError, "function of 2 arrays, 1 inputs"),
    (lambda: anfora.custom_op("(n)->(n)", dtype=(anfora.int8,) * 2)(lambda x, y: None), ValueError, "names 2 types"),
    (lambda: product(Tensor([1.0]), Tensor([1.0])), ValueError, r"`a` needs the axes \(m, n\)"),
    (lambda: product(ops.ones((2, 3)), ops.ones((2,))), ValueError, r"axis n has length 2 in `x`.*but 3 in `a`"),
    (lambda: product(ops.ones((4, 2, 3)), ops.ones((5, 3))), ValueError, "broadcast"),
    (lambda: piecewise(ops.ones((2, 3)), ops.ones((2,))), ValueError, "broadcast"),
    (lambda: piecewise(ops.ones((2, 3))), TypeError, "needs the argument `y`"),
    (lambda: anfora.custom_op(lambda x: x).gradient(lambda y, g: g), TypeError, "asks for 'y'"),
    (lambda: anfora.custom_op(lambda x: x).gradient(lambda g: g, wrt=["y"]), TypeError, "no argument 'y'"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "words"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_refused(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_a_warm_process_needs_no_numba(tmp_path):
    """Kernels come from the cache; another text of the function is another kernel."""
    program = tmp_path / "program.py"
    text = """
        import sys, math, anfora
        from anfora import Tensor
        @anfora.custom_op
        def f(x):
            return math.tanh(x) * FACTOR
        @anfora.custom_op("(n)->()")
        def total(x, out):
            for v in x:
                out[0] += v * FACTOR
        print(f(Tensor([0.0, 100.0])).tolist(), total(Tensor([1.0, 2.0])).item(), "numba" in sys.modules)
    """
    found = []
    for factor in (2, 2, 3):
        program.write_text(textwrap.dedent(text).replace("FACTOR", str(factor)))
        done = subprocess.run(
            [sys.executable, str(program)], capture_output=True, text=True, timeout=120, check=True,
            env={**os.environ, "ANFORA_CACHE": str(tmp_path / "cache")},
        )  # fmt: skip
        found.append(done.stdout.strip())
    assert found == ["[0.0, 2.0] 6.0 True", "[0.0, 2.0] 6.0 False", "[0.0, 3.0] 9.0 True"]


def test_an_error_in_a_function_without_a_source_file_is_told_too():
    scope: dict = {}
    exec(compile("def piped(x):\n    return x + undefined_name\n", "<stdin>", "exec"), scope)
    with pytest.raises(TypeError, match="piped cannot be compiled: NameError: name 'undefined_name' is not defined"):
        anfora.custom_op(scope["piped"])(Tensor([1.0]))

"""`ops.Custom`: MindSpore's spelling of own operators."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops
from anfora.ops import Custom, kernel

RNG = np.random.default_rng(3)


@kernel
def outer(a, b):
    c = output_tensor((a.shape[0], b.shape[0]), a.dtype)  # noqa: F821
    for i in range(a.shape[0]):
        for j in parallel(b.shape[0]):  # noqa: F821
            c[i, j] = a[i] * b[j]
    return c


@kernel()
def norms(a):
    rows = output_tensor((a.shape[0],), a.dtype)  # noqa: F821
    total = output_tensor((1,), a.dtype)  # noqa: F821
    squares = allocate((a.shape[1],), a.dtype)  # noqa: F821
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            squares[j] = a[i, j] * a[i, j]
        for j in range(a.shape[1]):
            rows[i] += squares[j]
        total[0] += rows[i]
        rows[i] = sqrt(rows[i])  # noqa: F821
    return rows, total


def cumulated(x):
    return np.cumsum(x, 0)


def outer_gradient(a, b, out, dout):
    return ops.matmul(dout, b), ops.matmul(a, dout)


def test_hybrid():
    a, b = RNG.standard_normal(5), RNG.standard_normal(3)
    for dtype in (np.float32, np.float64, np.int32):
        x, y = (a * 9).astype(dtype), (b * 9).astype(dtype)
        found = Custom(outer)(Tensor(x), Tensor(y))
        assert found.dtype == Tensor(x).dtype and found.asnumpy().tobytes() == np.outer(x, y).astype(dtype).tobytes()
    x = RNG.standard_normal((4, 6))
    rows, total = Custom(norms, func_type="hybrid")(Tensor(x)[:, ::2])
    np.testing.assert_allclose(rows.asnumpy(), np.linalg.norm(x[:, ::2], axis=1), rtol=1e-14)
    np.testing.assert_allclose(total.asnumpy(), [(x[:, ::2] ** 2).sum()], rtol=1e-14)


def test_pyfunc():
    x = RNG.standard_normal((4, 3))
    made = Custom(
        cumulated,
        lambda s: s,
        lambda t: t,
        "pyfunc",
        bprop=lambda x, out, dout: ops.flip(ops.cumsum(ops.flip(dout, (0,)), 0), (0,)),
    )
    np.testing.assert_array_equal(made(Tensor(x)).asnumpy(), np.cumsum(x, 0))
    weight = Tensor(RNG.standard_normal((4, 3)))
    found = anfora.grad(lambda x: (made(x) * weight).sum())(Tensor(x))
    np.testing.assert_allclose(found.asnumpy(), np.cumsum(weight.asnumpy()[::-1], 0)[::-1], rtol=1e-14)
    two = Custom(lambda x: (x + 1, x.sum(0)), ((2,), ()), (anfora.float64, anfora.float32), "pyfunc")
    assert [r.tolist() for r in two(Tensor([1.0, 2.0], anfora.float64))] == [[2.0, 3.0], 3.0]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_function_of_python_is_called_each_time(compiled):
    calls = []

    def counted(x):
        calls.append(x.shape)
        return x + 1

    for made in (
        Custom(counted, (2,), anfora.float32, "pyfunc"),
        lambda x: ops.PyFunc(counted, [anfora.float32], [(2,)], [anfora.float32], [(2,)])((x,))[0],
    ):

        def program(x, made=made):
            made(x)  # needed by nobody
            return made(x) + made(x)

        call = anfora.jit(program) if compiled else program
        for _ in range(4):
            assert call(Tensor([1.0, 2.0])).tolist() == [4.0, 6.0]
        assert len(calls) == 12
        calls.clear()


def test_python_functions_in_the_older_form():
    made = ops.PyFunc(
        lambda x, y: (x + y, x.sum()), [anfora.float32, anfora.int32], [(2, 2), (2,)],
        [anfora.float64, anfora.float32], [(2, 2), ()],
    )  # fmt: skip
    x, y = RNG.standard_normal((2, 2)).astype(np.float32), np.array([1, 2], np.int32)
    for call in (made, anfora.jit(lambda given: made(given))):
        total, number = call((Tensor(x), Tensor(y)))
        np.testing.assert_array_equal(total.asnumpy(), x + y)
        assert total.dtype is anfora.float64 and number.item() == x.sum()
    with pytest.raises(TypeError, match=r"tensor 1 must be int32\[2\], but is float32\[2\]"):
        made((Tensor(x), Tensor([1.0, 2.0])))
    with pytest.raises(ValueError, match=r"tensor 0 must be float32\[2, 2\], but is float32\[2\]"):
        made((Tensor([1.0, 2.0]), Tensor(y)))
    with pytest.raises(ValueError, match="takes 2 tensors, but got 1"):
        made((Tensor(x),))
    with pytest.raises(ValueError, match="as many `out_types` as `out_shapes`, but got 1 and 0"):
        ops.PyFunc(abs, [], [], [anfora.float32], [])
    with pytest.raises(RuntimeError, match="has no gradient"):
        anfora.grad(lambda x: made((x, Tensor(y)))[0].sum())(Tensor(x))


def test_registration():
    types = ops.DataType
    assert types.F32_Default == ("float32", "DefaultFormat") and types.None_None == ("", "")
    assert types.BF16_FracZNLSTM == ("bfloat16", "FRACTAL_ZN_LSTM") and types.I8_5HD == ("int8", "NC1HWC0")
    assert types.F16_Default_List == ("float16", "DefaultFormat", "list")
    made = ops.CustomRegOp("k").input(0, "x").input(1, "y", "optional").output(0, "z").attr("n", "required", "int")
    made = made.dtype_format(types.F32_Default, types.F32_Default, types.F32_Default).target("CPU")
    assert made.get_op_info() == {  # as MindSpore 2.10 gives it
        "op_name": "k",
        "inputs": [
            {"index": 0, "name": "x", "paramType": "required"}, {"index": 1, "name": "y", "paramType": "optional"},
        ],
        "outputs": [{"index": 0, "name": "z", "paramType": "required"}],
        "attr": [{"name": "n", "paramType": "required", "type": "int"}],
        "fusion_type": "",
        "dtype_format": [(("float32", "DefaultFormat"),) * 3],
        "target": "CPU",
    }  # fmt: skip
    with pytest.raises(ValueError, match="as many types as tensors, 3, but got 1"):
        made.dtype_format(types.F32_Default)
    with pytest.raises(TypeError, match="`index` must be int or None, but is 'x'"):
        ops.CustomRegOp().input("x")
    with pytest.raises(AttributeError, match="F31_Default"):
        types.F31_Default  # noqa: B018


def test_gradient_and_both_modes():
    made = Custom(outer, bprop=outer_gradient)
    a, b = Tensor(RNG.standard_normal(5)), Tensor(RNG.standard_normal(3))
    step = anfora.value_and_grad(lambda a, b: (made(a, b) ** 2).sum(), (0, 1))
    value, (da, db) = step(a, b)
    np.testing.assert_allclose(da.asnumpy(), 2 * a.asnumpy() * (b.asnumpy() ** 2).sum(), rtol=1e-12)
    np.testing.assert_allclose(db.asnumpy(), 2 * b.asnumpy() * (a.asnumpy() ** 2).sum(), rtol=1e-12)
    compiled = anfora.jit(lambda a, b: step(a, b))
    for _ in range(2):
        again = compiled(a, b)
        assert [t.asnumpy().tobytes() for t in (again[0], *again[1])] == [
            t.asnumpy().tobytes() for t in (value, da, db)
        ]
    with pytest.raises(RuntimeError, match="norms has no gradient"):
        anfora.grad(lambda x: Custom(norms)(x)[0].sum())(ops.ones((2, 2)))


@kernel
def wrong(a):
    c = output_tensor(a.shape, a.dtype)  # noqa: F821
    for i in range(a.shape[0]):
        c[i] = a[i].foo
    return c


def returns_nothing(a):
    c = output_tensor(a.shape, a.dtype)  # noqa: F821, F841


def one_argument(a):
    c = output_tensor(a.shape)  # noqa: F821
    return c


REFUSED = [
    (lambda: Custom(outer, func_type="aot"), ValueError, "'hybrid' or 'pyfunc'"),
    (lambda: Custom("file.so:f"), TypeError, "needs a Python function"),
    (lambda: Custom(cumulated, func_type="pyfunc"), ValueError, "`out_shape` and `out_dtype`"),
    (lambda: Custom(returns_nothing), TypeError, "what `output_tensor` gave"),
    (lambda: Custom(one_argument), TypeError, r"a shape and a type(.|\n)*c = output_tensor\(a.shape\)"),
    (lambda: Custom(wrong)(Tensor([1.0])), TypeError, r"Unknown attribute 'foo'(.|\n)*c\[i\] = a\[i\].foo"),
    (lambda: Custom(outer)(ops.ones(2, anfora.float16), ops.ones(2, anfora.float16)), TypeError, "takes no f16"),
]


@pytest.mark.parametrize(("make", "kind", "words"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_refused(make, kind, words):
    with pytest.raises(kind, match=words):
        make()

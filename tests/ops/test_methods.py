"""What stands on Tensor: Python's operators on both sides, methods and their forms, properties, in-place methods."""

from __future__ import annotations

import operator
import subprocess
import sys

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops
from anfora.core import op
from anfora.core.errors import OpIndexError, OpRuntimeError, OpTypeError, OpValueError
from anfora.ops.methods import METHODS, OPERATORS, PROPERTIES

A = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
B = np.array([2.0, 0.5, -3.0], np.float32)
I = np.array([[5, -7, 9], [2, 3, -4]], np.int64)  # noqa: E741
J = np.array([2, 3, 4], np.int64)
P = np.array([True, True, False])
Q = np.array([True, False, False])


def same(result, expected) -> None:
    """A tensor, or nesting of them and Python values, has these values."""
    if isinstance(expected, tuple) or (isinstance(expected, list) and isinstance(result, list)):
        assert type(result) is type(expected) and len(result) == len(expected)
        for one, other in zip(result, expected):
            same(one, other)
    elif isinstance(result, Tensor):
        expected = np.asarray(expected)
        assert result.shape == expected.shape
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=2e-6)
    else:
        assert result == expected and type(result) is type(expected)


# -- Python's operators -----------------------------------------------------------------------------------------------

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip
OF_INTEGERS = {"&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("x, y", [(A, B), (A, 2.0), (3, A), (I, J), (I, 3), (7, I)], ids=str)
def test_binary_operators_are_numpys(name, x, y):
    wrapped = [Tensor(v) if isinstance(v, np.ndarray) else v for v in (x, y)]
    result = BINARY[name](*wrapped)
    with np.errstate(all="ignore"):
        expected = BINARY[name](x, y)
    if name in ("==", "!=", "<", "<=", ">", ">="):
        assert result.dtype is anfora.bool_
    else:
        floating = name == "/" or x is A or y is A
        assert result.dtype is (anfora.float32 if floating else anfora.int64)
    same(result, expected)


@pytest.mark.parametrize("name", OF_INTEGERS)
@pytest.mark.parametrize("x, y", [(J, J[::-1].copy()), (J, 2), (5, J)], ids=str)
def test_operators_of_integers_are_numpys(name, x, y):
    wrapped = [Tensor(v) if isinstance(v, np.ndarray) else v for v in (x, y)]
    same(OF_INTEGERS[name](*wrapped), OF_INTEGERS[name](x, y))


@pytest.mark.parametrize("name", ["&", "|", "^"])
def test_operators_of_bools_are_numpys(name):
    same(OF_INTEGERS[name](Tensor(P), Tensor(Q)), OF_INTEGERS[name](P, Q))
    same(OF_INTEGERS[name](Tensor(P), True), OF_INTEGERS[name](P, True))
    same(OF_INTEGERS[name](True, Tensor(P)), OF_INTEGERS[name](True, P))


def test_powers_products_and_signs():
    same(Tensor(A) ** 2, A**2)
    same(2.0 ** Tensor(A), 2.0**A)
    same(Tensor(A) @ Tensor(B), A @ B)
    same(Tensor(A) @ Tensor(A.T.copy()), A @ A.T)
    same(-Tensor(A), -A)
    same(+Tensor(A), A)
    same(abs(Tensor(A)), abs(A))
    same(~Tensor(J), ~J)
    same(~Tensor(P), ~P)
    same(divmod(Tensor(I), 4), divmod(I, 4))
    same(divmod(9, Tensor(J)), divmod(9, J))


def test_numpy_on_the_left_leaves_the_work_to_the_tensor():
    for function in (operator.add, operator.sub, operator.truediv, operator.lt):
        result = function(A, Tensor(B))
        assert isinstance(result, Tensor)
        same(result, function(A, B))
    result = np.float32(2) * Tensor(B)
    assert isinstance(result, Tensor)
    same(result, 2 * B)


def test_operators_leave_foreign_objects_to_their_class():
    class Foreign:
        def __radd__(self, other):
            return "foreign"

        def __rpow__(self, other):
            return "power"

    x = Tensor(A)
    assert x + Foreign() == "foreign" and x ** Foreign() == "power"
    for call in (
        lambda: x + None,
        lambda: x - "a",
        lambda: None * x,
        lambda: x < None,
        lambda: x @ {},
        lambda: divmod(x, None),
    ):
        with pytest.raises(TypeError):
            call()
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert (x == "text") is False and x not in ("a", None)


def test_augmented_assignment_makes_a_new_tensor():
    x = y = Tensor(A)
    y += 1
    same(x, A)
    same(y, A + 1)
    y[0] += 1
    same(y, A + np.array([[2], [1]]))


def test_operators_are_differentiable_from_both_sides():
    def f(x):
        return (2 - x) * (x / 4) + 3 / x + 2**x + x**2 - x % 2

    x = 1.25
    expected = -x / 4 + (2 - x) / 4 - 3 / x**2 + np.log(2) * 2**x + 2 * x - 1
    assert anfora.grad(f)(Tensor(x)).item() == pytest.approx(expected, rel=1e-6)


# -- methods ----------------------------------------------------------------------------------------------------------

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)

#: (what is called on the tensor X, the same in numpy)
FORMS = {
    "reshape-numbers": (lambda x: x.reshape(4, -1), X.reshape(4, -1)),
    "reshape-tuple": (lambda x: x.reshape((6, 4)), X.reshape(6, 4)),
    "view": (lambda x: x.view(-1), X.reshape(-1)),
    "view-list": (lambda x: x.view([3, 8]), X.reshape(3, 8)),
    "reshape_as": (lambda x: x.reshape_as(anfora.ops.zeros((8, 3))), X.reshape(8, 3)),
    "transpose": (lambda x: x.transpose(2, 0, 1), X.transpose(2, 0, 1)),
    "transpose-two": (lambda x: x.transpose(0, 2), X.swapaxes(0, 2)),
    "transpose-names": (lambda x: x.transpose(dim0=1, dim1=2), X.swapaxes(1, 2)),
    "permute": (lambda x: x.permute((1, 0, 2)), X.transpose(1, 0, 2)),
    "swapaxes": (lambda x: x.swapaxes(0, 1), X.swapaxes(0, 1)),
    "T": (lambda x: x.T, X.T),
    "mT": (lambda x: x.mT, X.swapaxes(1, 2)),
    "flatten": (lambda x: x.flatten(), X.ravel()),
    "flatten-from": (lambda x: x.flatten(start_dim=1), X.reshape(2, 12)),
    "unsqueeze": (lambda x: x.unsqueeze(1), X[:, None]),
    "unsqueeze-dim": (lambda x: x.unsqueeze(dim=-1), X[..., None]),
    "expand_dims": (lambda x: x.expand_dims(0), X[None]),
    "squeeze": (lambda x: x[:1].squeeze(), X[0]),
    "squeeze-axis": (lambda x: x[:1].squeeze(axis=0), X[0]),
    "squeeze-dim": (lambda x: x[:1].squeeze(dim=0), X[0]),
    "broadcast_to": (lambda x: x[:1].broadcast_to((2, 3, 4)), np.broadcast_to(X[:1], (2, 3, 4))),
    "expand": (lambda x: x[:1].expand(2, -1, 4), np.broadcast_to(X[:1], (2, 3, 4))),
    "tile": (lambda x: x.tile((1, 2, 1)), np.tile(X, (1, 2, 1))),
    "repeat": (lambda x: x.repeat(1, 1, 2), np.tile(X, (1, 1, 2))),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, dim=1), np.repeat(X, 2, 1)),
    "flip": (lambda x: x.flip(0, 2), X[::-1, :, ::-1]),
    "split": (lambda x: x.split(2, dim=2), (X[..., :2], X[..., 2:])),
    "chunk": (lambda x: x.chunk(2, 0), (X[:1], X[1:])),
    "unbind": (lambda x: x.unbind(0), (X[0], X[1])),
    "select": (lambda x: x.select(1, 2), X[:, 2]),
    "select-where": (lambda x: x.select(x > 3, 0.0), np.where(X > 3, X, 0)),
    "gather": (lambda x: x.gather(Tensor([2, 0]), 1), X[:, [2, 0]]),
    "take": (lambda x: x.take(Tensor([0, 23])), X.ravel()[[0, 23]]),
    "masked_fill": (lambda x: x.masked_fill(x > 5, -1.0), np.where(X > 5, -1, X)),
    "masked_select": (lambda x: x.masked_select(x > 20), X[X > 20]),
    "new_zeros": (lambda x: x.new_zeros(2, 3), np.zeros((2, 3))),
    "new_ones": (lambda x: x.new_ones((2,), anfora.int32), np.ones(2)),
    "new_full": (lambda x: x.new_full((2,), 7), np.full(2, 7)),
    "sum": (lambda x: x.sum(), X.sum()),
    "sum-axis": (lambda x: x.sum(1), X.sum(1)),
    "sum-axes": (lambda x: x.sum((0, 2), keepdims=True), X.sum((0, 2), keepdims=True)),
    "sum-dim": (lambda x: x.sum(dim=1, keepdim=True), X.sum(1, keepdims=True)),
    "sum-positions": (lambda x: x.sum(1, True), X.sum(1, keepdims=True)),
    "sum-initial": (lambda x: x.sum(1, initial=5), X.sum(1, initial=5)),
    "mean": (lambda x: x.mean(), X.mean()),
    "mean-axis": (lambda x: x.mean(axis=(1, 2)), X.mean((1, 2))),
    "mean-dim": (lambda x: x.mean(dim=1, keepdim=True), X.mean(1, keepdims=True)),
    "mean-keep_dims": (lambda x: x.mean(1, keep_dims=True), X.mean(1, keepdims=True)),
    "max": (lambda x: x.max(), X.max()),
    "max-axis": (lambda x: x.max(1), X.max(1)),
    "max-axes": (lambda x: x.max((0, 1), keepdims=True), X.max((0, 1), keepdims=True)),
    "max-dim": (lambda x: x.max(dim=1), (X.max(1), X.argmax(1))),
    "max-keepdim": (lambda x: x.max(1, keepdim=True), (X.max(1, keepdims=True), X.argmax(1)[:, None])),
    "max-keepdims": (lambda x: x.max(1, keepdims=True), X.max(1, keepdims=True)),
    "min-keepdim": (lambda x: x.min(-1, keepdim=False), (X.min(-1), X.argmin(-1))),
    "max-indices": (lambda x: x.max(axis=2, return_indices=True), (X.max(2), X.argmax(2))),
    "max-other": (lambda x: x.max(x * 0 + 5), np.maximum(X, 5)),
    "max-initial": (lambda x: x.max(1, initial=10.0), X.max(1, initial=10)),
    "min": (lambda x: x.min(), X.min()),
    "min-axis": (lambda x: x.min(axis=-1), X.min(-1)),
    "min-dim": (lambda x: x.min(dim=0, keepdim=True), (X.min(0, keepdims=True), X.argmin(0)[None])),
    "ptp": (lambda x: x.ptp(), np.ptp(X)),
    "ptp-axis": (lambda x: x.ptp(1, keepdims=True), np.ptp(X, 1, keepdims=True)),
    "argmax": (lambda x: x.argmax(axis=1), X.argmax(1)),
    "argmax-dim": (lambda x: x.argmax(dim=1, keepdim=True), X.argmax(1)[:, None]),
    "argmin": (lambda x: x.argmin(), X.argmin()),
    "all": (lambda x: (x > -1).all(), True),
    "any": (lambda x: (x > 22).any(dim=2), (X > 22).any(2)),
    "std": (lambda x: x.std(), X.std()),
    "std-ddof": (lambda x: x.std(1, 1), X.std(1, ddof=1)),
    "std-dim": (lambda x: x.std(dim=1), X.std(1, ddof=1)),
    "var": (lambda x: x.var(axis=0, keepdims=True), X.var(0, keepdims=True)),
    "var-correction": (lambda x: x.var(dim=0, correction=0), X.var(0)),
    "prod": (lambda x: x[0].prod(0), X[0].prod(0)),
    "cumsum": (lambda x: x.cumsum(1), X.cumsum(1)),
    "cumsum-dim": (lambda x: x.cumsum(dim=1), X.cumsum(1)),
    "softmax": (lambda x: x.softmax(axis=-1).sum(-1), np.ones((2, 3))),
    "softmax-dim": (lambda x: x.softmax(dim=1).sum(1), np.ones((2, 4))),
    "topk": (lambda x: x.topk(2, dim=1)[0], X[:, :0:-1]),
    "sort": (lambda x: x.sort(descending=True)[0], X[..., ::-1]),
    "sort-dim": (lambda x: x.flip(0).sort(dim=0)[1], np.broadcast_to(np.array([1, 0])[:, None, None], X.shape)),
    "argsort": (lambda x: x.argsort(axis=1, descending=True), np.broadcast_to(np.array([2, 1, 0])[None, :, None], X.shape)),
    "add": (lambda x: x.add(1), X + 1),
    "add-alpha": (lambda x: x.add(x, alpha=2), X + 2 * X),
    "sub-alpha": (lambda x: x.sub(x, alpha=3), X - 3 * X),
    "subtract": (lambda x: x.subtract(1), X - 1),
    "mul": (lambda x: x.mul(2), X * 2),
    "div": (lambda x: x.div(4), X / 4),
    "div-floor": (lambda x: x.div(4, rounding_mode="floor"), X // 4),
    "pow": (lambda x: x.pow(2), X**2),
    "sqrt": (lambda x: x.sqrt(), np.sqrt(X)),
    "exp": (lambda x: (-x).exp(), np.exp(-X)),
    "log": (lambda x: (x + 1).log(), np.log(X + 1)),
    "abs": (lambda x: (-x).abs(), X),
    "square": (lambda x: x.square(), X**2),
    "tanh": (lambda x: x.tanh(), np.tanh(X)),
    "sigmoid": (lambda x: x.sigmoid(), 1 / (1 + np.exp(-X))),
    "relu": (lambda x: (x - 5).relu(), np.maximum(X - 5, 0)),
    "clip": (lambda x: x.clip(3, 7), X.clip(3, 7)),
    "clamp": (lambda x: x.clamp(min=3), X.clip(3)),
    "maximum": (lambda x: x.maximum(5.0), np.maximum(X, 5)),
    "matmul": (lambda x: x.matmul(x.mT), X @ X.swapaxes(1, 2)),
    "bmm": (lambda x: x.bmm(x.mT), X @ X.swapaxes(1, 2)),
    "equal": (lambda x: x.equal(3), X == 3),
    "less_equal": (lambda x: x.less_equal(3), X <= 3),
    "tril": (lambda x: x.tril(), np.tril(X)),
    "astype": (lambda x: x.astype(anfora.int32), X.astype(np.int32)),
    "to": (lambda x: x.to(anfora.float64), X),
    "type_as": (lambda x: x.type_as(Tensor(1)), X.astype(np.int64)),
    "float": (lambda x: x.int().float(), X),
    "copy": (lambda x: x.copy(), X),
    "contiguous": (lambda x: x.T.contiguous(), X.T),
    "tolist": (lambda x: x[0, 0].tolist(), [0.0, 1.0, 2.0, 3.0]),
    "item": (lambda x: x[1, 2, 3].item(), 23.0),
    "item-index": (lambda x: x.item(5), 5.0),
    "item-indices": (lambda x: x.item(1, 0, 2), 14.0),
    "dim": (lambda x: x.dim(), 3),
    "size": (lambda x: x.size, 24),
    "numel": (lambda x: x.numel(), 24),
    "stride": (lambda x: x.stride(), (12, 4, 1)),
    "type": (lambda x: x.type(), "Float32"),
}  # fmt: skip


@pytest.mark.parametrize("call, expected", FORMS.values(), ids=FORMS)
def test_methods_are_numpys(call, expected):
    same(call(Tensor(X)), expected)


@pytest.mark.parametrize("name", sorted({*METHODS, *PROPERTIES, *OPERATORS}))
def test_each_name_is_documented(name):
    assert (getattr(Tensor, name).__doc__ or "").strip()


def test_wrong_names_are_refused():
    x = Tensor(X)
    with pytest.raises(OpTypeError, match="both `axis` and `dim`"):
        x.cumsum(axis=0, dim=1)
    with pytest.raises(OpTypeError, match="no argument `dims`"):
        x.sum(dims=1)
    with pytest.raises(TypeError):
        x.softmax(axs=1)
    with pytest.raises(OpValueError, match="one element"):
        x.item()
    with pytest.raises(OpIndexError):
        x.item(99)
    with pytest.raises(NotImplementedError, match="same bits"):
        x.view(anfora.int32)


# -- in place ---------------------------------------------------------------------------------------------------------

IN_PLACE = {
    "add_": (lambda x: x.add_(2), A + 2),
    "add_-alpha": (lambda x: x.add_(Tensor(B), alpha=2), A + 2 * B),
    "sub_": (lambda x: x.sub_(Tensor(B)), A - B),
    "mul_": (lambda x: x.mul_(3), A * 3),
    "div_": (lambda x: x.div_(2), A / 2),
    "exp_": (lambda x: x.exp_(), np.exp(A)),
    "abs_": (lambda x: x.abs_(), abs(A)),
    "relu_": (lambda x: x.relu_(), np.maximum(A, 0)),
    "clamp_": (lambda x: x.clamp_(-1, 1), A.clip(-1, 1)),
    "fill_": (lambda x: x.fill_(7), np.full_like(A, 7)),
    "zero_": (lambda x: x.zero_(), np.zeros_like(A)),
    "copy_": (lambda x: x.copy_(Tensor(B)), np.broadcast_to(B, A.shape)),
    "masked_fill_": (lambda x: x.masked_fill_(x > 0, 9.0), np.where(A > 0, 9, A)),
}


@pytest.mark.parametrize("change, expected", IN_PLACE.values(), ids=IN_PLACE)
def test_in_place_methods_write_where_views_see_it(change, expected):
    x = Tensor(A)
    view = x[0]
    assert change(x) is x
    same(x, expected)
    same(view, expected[0])


def test_in_place_methods_keep_type_and_shape():
    with pytest.raises(OpTypeError, match="cannot write Float32 into a tensor of Int64"):
        Tensor(J).add_(0.5)
    with pytest.raises(OpValueError, match="does not fit"):
        Tensor(B).add_(Tensor(A))
    x = Tensor(J)
    x.add_(1)
    assert x.dtype is anfora.int64


def test_in_place_methods_are_differentiable():
    def f(x):
        y = x * 2
        y.mul_(x)  # 2 x²
        y.add_(x, alpha=3)
        return y.sum()

    same(anfora.grad(f)(Tensor(B)), 4 * B + 3)
    leaf = Tensor(B).requires_grad_()
    with pytest.raises(OpRuntimeError, match="leaf"):
        leaf.add_(1)


def test_methods_are_differentiable():
    x = Tensor(A)
    same(anfora.grad(lambda x: x.max(axis=1).sum())(x), [[0, 0, 1], [0, 1, 0]])
    same(anfora.grad(lambda x: x.max(dim=1)[0].sum())(x), [[0, 0, 1], [0, 1, 0]])
    same(anfora.grad(lambda x: x.sum(1, True).square().sum())(x), np.repeat(2 * A.sum(1, keepdims=True), 3, 1))


def test_functions_and_methods_are_the_same():
    x = Tensor(A)
    for name in ("exp", "softmax", "argmax", "tanh", "logsumexp"):
        args = (1,) if name == "logsumexp" else ()
        assert (getattr(x, name)(*args) == getattr(ops, name)(x, *args)).all()


# -- random numbers in place ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fill, low, high, mean",
    [
        (lambda x: x.uniform_(-1, 3), -1, 3, 1.0),
        (lambda x: x.normal_(2.0, 0.5), -2, 6, 2.0),
        (lambda x: x.exponential_(4.0), 0, 9, 0.25),
        (lambda x: x.bernoulli_(0.25), 0, 1, 0.25),
        (lambda x: x.random_(7), 0, 6, 3.0),
        (lambda x: x.random_(3, 6), 3, 5, 4.0),
    ],
)
def test_random_numbers_in_place(fill, low, high, mean):
    anfora.set_seed(11)
    x = Tensor(np.full(4000, 99, np.float32))
    view = x[:2000]
    assert fill(view) is view
    filled, rest = x.asnumpy()[:2000], x.asnumpy()[2000:]
    assert low <= filled.min() and filled.max() <= high and (rest == 99).all()
    assert abs(filled.mean() - mean) < 0.12 and len(set(filled.tolist())) > 1
    again = fill(Tensor(np.zeros(2000, np.float32)))
    assert (again.asnumpy() != filled).any()


def test_random_methods_refuse():
    for call in (lambda: Tensor([1]).uniform_(), lambda: Tensor([1]).normal_(), lambda: Tensor([1]).exponential_()):
        with pytest.raises(OpTypeError, match="floating-point"):
            call()
    for call in (
        lambda: Tensor([1.0]).uniform_(2, 1),
        lambda: Tensor([1.0]).normal_(0, -1),
        lambda: Tensor([1]).random_(0),
    ):
        with pytest.raises(OpValueError):
            call()
    assert Tensor([1.0, 2.0]).uniform(5, 5).tolist() == [5, 5]


def test_methods_are_called_by_their_own_names():
    """In `help` and in errors; but those that are functions of `anfora.ops`, or have two names."""
    from anfora.ops.methods import METHODS, functions

    seen = list(METHODS.values())
    for name, function in METHODS.items():
        if seen.count(function) == 1 and function not in functions.values():
            assert getattr(Tensor, name).__name__ == name
    with pytest.raises(TypeError, match=r"^Tensor\.flatten\(\) got an unexpected keyword argument 'start'"):
        Tensor([1.0]).flatten(start=0)


def test_names_and_places_of_mindspores_arguments():
    x, y = Tensor([3.0, 1.0, 2.0]), Tensor([1.0, 2.0, 2.0])
    assert x.where(x > 1.5, -1).tolist() == [3.0, -1.0, 2.0]
    assert y.searchsorted(v=2.0).item() == 1 and y.searchsorted(2.0, "right").item() == 3
    assert y.searchsorted(values=Tensor([2.0]), right=True).tolist() == [3]
    assert x.top_k(2, True)[1].tolist() == [0, 2]
    assert x.float_power(other=2).tolist() == [9.0, 1.0, 4.0] == x.float_power(2).tolist()
    assert x.approximate_equal(other=x + 1e-7).all()
    assert x.cross(y, 0).tolist() == np.cross(x.asnumpy(), y.asnumpy()).tolist()
    assert Tensor([[1, 2], [3, 4]]).trace(0, 0, 1, anfora.float64).dtype is anfora.float64
    assert x.uniform(2.0, 2.0, None).tolist() == [2.0] * 3
    filled = Tensor([0.0, 0.0, 0.0])
    assert filled.masked_scatter_(x > 1.5, y) is filled and filled.tolist() == [1.0, 0.0, 2.0]
    assert x.i0().asnumpy().tolist() == ops.i0(x).tolist()
    a, tau = ops.geqrf(ops.randn(3, 2))
    q = ops.ormqr(a, tau, ops.eye(3))
    assert (a.ormqr(input2=tau, input3=ops.eye(3)) == q).all()
    square = Tensor([[4.0, 2.0], [0.5, 1.0]])
    assert Tensor([[4.0], [6.0]]).lu_solve(square, Tensor([2, 2])).tolist() == [[1.0], [1.0]]
    np.testing.assert_allclose(square.lstsq(Tensor([6.0, 1.5])).asnumpy(), [[1.0], [1.0]], rtol=1e-5)
    rows = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert rows.cumsum().tolist() == [1.0, 3.0, 6.0, 10.0] and rows.cumsum(dim=0).tolist() == [[1.0, 2.0], [4.0, 6.0]]
    assert rows.squeeze(1).shape == (2, 2) and rows[:1].squeeze((0, 1)).shape == (2,)
    assert y.searchsorted(2.0).dtype is anfora.int32
    assert rows.reverse_sequence(Tensor([2, 1]), batch_dim=1).tolist() == [[3.0, 2.0], [1.0, 4.0]]


def test_all_operators_are_there_with_the_package():
    """A file of a graph names operators, and is read where nothing else has been imported."""
    code = "import anfora.ops; from anfora.core.op import registry; print(*registry)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name, made in op.registry.items() if made.__module__.startswith("anfora.")}
    assert "lstm_layer" in ours
    assert ours <= set(run.stdout.split())


def test_index_takes_tensors_for_the_first_axes():
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x, rows, columns = Tensor(values), Tensor([1, 0, 1]), Tensor([[0], [2]])
    assert np.array_equal(x.index((rows,)).asnumpy(), values[[1, 0, 1]])
    assert np.array_equal(x.index([rows, columns]).asnumpy(), values[[1, 0, 1], [[0], [2]]])
    assert np.array_equal(x.index((None, Tensor([2, 0]))).asnumpy(), values[:, [2, 0]])
    assert np.array_equal(x.index((x[:, :, 0] > 3,)).asnumpy(), values[values[:, :, 0] > 3])
    for compile in (lambda f: f, anfora.jit):
        gradient = anfora.grad(compile(lambda x: (x.index((rows,)) * 2).sum()))(x)
        assert np.array_equal(gradient.asnumpy(), np.broadcast_to(np.float32([2, 4])[:, None, None], values.shape))
    for wrong in (rows, (1,), 0):
        with pytest.raises(TypeError, match="tuple of tensors"):
            x.index(wrong)
    with pytest.raises(IndexError):
        x.index((Tensor([2]),))

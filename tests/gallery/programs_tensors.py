"""Tensors: indexing, writes, views and aliases, in-place methods, shapes and dtypes; numpy in the middle."""

# The programs are written as people write them.
# ruff: noqa: C416, RUF007

from __future__ import annotations

import numpy as np
from harness import call, factory, i, program, s, t

import anfora as ms
from anfora import Tensor, ops


def m():
    """A matrix of three rows and four columns."""
    return Tensor(np.arange(12, dtype=np.float32).reshape(3, 4) / 4)


@program(lambda: [call(m()), call(m() * 2)], grad=True)
def basic_slices(x):
    return x[1], x[:, 1], x[1:, ::2], x[-1, -1], x[..., 0], x[None].shape, x[::-1]


@program(lambda: [call(m(), 0), call(m(), 2), call(m(), -1)], grad=True)
def index_by_an_argument(x, k):
    return x[k], x[:, k], x[k:]


@program(lambda: [call(m(), i(0)[0]), call(m(), i(2)[0])], grad=True)
def index_by_a_tensor_scalar(x, k):
    return x[k]


@program(lambda: [call(m(), i(0, 2, 2)), call(m(), i(1))], grad=True)
def fancy_index(x, rows):
    return x[rows], x[rows, rows], x[:, [0, 3]]


@program(lambda: [call(m()), call(m() - 2)], grad=True)
def boolean_mask(x):
    return x[x > 1]


@program(lambda: [call(m(), slice(0, 2)), call(m(), slice(None, None, 2))])
def slice_given_as_argument(x, part):
    return x[part], x[part, part]


@program(lambda: [call(m(), 5), call(m(), -4)], raises=True)
def tensor_index_out_of_range(x, k):
    return x[k]


@program(lambda: [call(t(1, 2, 3)), call(t(4, 5))])
def setitem_on_an_argument(x):
    x[0] = 50.0
    x[-1] += 1
    return x


@program(lambda: [call(t(1, 2, 3)), call(t(4, 5))], grad=True)
def setitem_on_a_copy(x):
    y = x.copy()
    y[0] = y[1] * 2
    y[1:] = 3.0
    return y, x


@program(lambda: [call(m()), call(m() + 1)])
def setitem_forms(x):
    x[0] = t(9, 8, 7, 6)
    x[:, 1] = 0.5
    x[1, 2:] = x[0, :2]
    x[[0, 2], 3] = -1.0
    x[x > 8] = 0.0
    return x


@program(lambda: [call(m()), call(m() + 1)])
def augmented_setitem(x):
    x[0] += 1
    x[:, 0] *= 2
    x[1, 1] -= x[2, 2]
    x[x < 1] /= 2
    return x


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def augmented_assignment_rebinds(x):
    y = x
    y += 1
    return x, y, y is x


@program(lambda: [call(t(1, 2), t(3, 4))], grad=True)
def residual_connection(x, y):
    x += y
    x *= 2
    return x + y


@program(lambda: [call([t(1, 2)]), call([t(5)])])
def augmented_assignment_of_an_element(values):
    kept = values[0]
    values[0] += 1
    return values[0], kept


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def in_place_methods(x):
    y = x
    y.add_(1)
    y.mul_(2.0).sub_(t(0.5))
    return y is x, x


@program(lambda: [call(t(1, 2, 3, 4)), call(t(5, 6))])
def write_through_a_view(x):
    v = x[1:]
    v[0] = 100.0
    w = v[:1]
    w.add_(1)
    return x, v, w


@program(lambda: [call(t(1, 2, 3, 4)), call(t(5, 6))])
def view_sees_a_later_write(x):
    v = x[:2]
    x[0] = -1.0
    return v


@program(lambda: [call(m())], grad=True)
def gradient_through_a_view_that_is_written(x):
    y = x * 2
    v = y[0]
    v[1] = 0.0
    v.mul_(3.0)
    return y * y


@program(lambda: [call(m())])
def reshape_and_transpose_share_memory(x):
    a, b = x.reshape(4, 3), x.T
    x[0, 0] = 99.0
    return a, b, a.flatten()


@program(lambda: [(lambda x: call(x, x[1:]))(t(1, 2, 3)), call(t(1, 2, 3), t(2, 3))])
def arguments_that_overlap(x, v):
    x[1] = 50.0
    return v * 2


@program(lambda: [call(t(1, 2, 3))])
def view_of_an_argument_is_returned(x):
    return x[1:], x.reshape(3, 1), x.expand_dims(0)


@factory(lambda: [call(t(1, 2)), call(t(3, 4))])
def returned_view_is_written_later(jit):
    kept = []

    def run(x):
        for v in kept:
            v[0] = -5.0
        y = x * 2
        kept.append(y[:1])
        return y

    return run


@program(lambda: [call(t(1, 2, 3, 4)), call(t(1, 2, 3))])
def overlapping_assignment(x):
    x[1:] = x[:-1]
    return x


@program(lambda: [call(t(1, 2), t(3, 4))])
def swap_of_elements(x, y):
    x[0], y[0] = y[0].copy(), x[0].copy()
    return x, y


@program(lambda: [call(t(1, 2), t(3, 4))])
def swap_of_views(x, y):
    x[0], x[1] = x[1], x[0]
    return x


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def write_inside_a_helper(x):
    def zero_first(v):
        v[0] = 0.0

    y = x * 1
    zero_first(y)
    zero_first(x)
    return y


@program(lambda: [call(t(1, 2)), call(t(-3, 4))])
def write_in_one_branch(x):
    if x[0] > 0:
        x[0] = 0.0
    else:
        y = x[1:]
        y[0] = x[0]
    return x.sum()


@program(lambda: [call(t(0, 0, 0, 0), s(3).astype("int32")), call(t(0, 0), s(1).astype("int32"))])
def write_in_a_loop_on_data(x, n):
    k = 0
    while k < n:
        x[k] = k * 2.0
        k += 1
    return x, k


@program(lambda: [call(t(1, 2, 3, 4, 5)), call(t(1, 1))])
def running_sum_in_place(x):
    for k in range(1, x.shape[0]):
        x[k] = x[k] + x[k - 1]
    return x


@program(lambda: [call(t(1, 2))], raises=True)
def write_of_a_wrong_shape(x):
    x[0] = 5.0
    x[:] = t(1, 2, 3)
    return x


@program(lambda: [call(i(1, 2)), call(i(3, 4))])
def float_written_into_integers(x):
    x[0] = 2.7
    return x


@program(lambda: [call(m()), call(m()[:2])], grad=True)
def reductions(x):
    return x.sum(), x.mean(0), x.max(), x.sum(-1, keepdims=True), x.std(), x.prod(1), (x > 1).sum()


@program(lambda: [call(m(), m().T)], grad=True)
def matrix_products(a, b):
    return a @ b, ops.matmul(b, a), ops.dot(a, b), a[0] @ a[1]


@program(lambda: [call(m(), t(1, 2, 3, 4)), call(m(), t([[1], [2], [3]]))], grad=True)
def broadcasting(x, y):
    return x * y + 1, ops.maximum(x, y), x - y.sum()


@program(lambda: [call(m()), call(m()[1:])])
def shapes_are_numbers(x):
    rows, columns = x.shape
    return x.reshape(columns, -1), rows * columns == x.size, x.ndim + 1, x.shape[::-1], len(x), x.view(-1).shape


@program(lambda: [call(m(), 2), call(m(), 6)])
def reshape_by_an_argument(x, n):
    return x.reshape(n, -1), x.reshape((-1, n)).shape


@program(lambda: [call(t(0, 1, 0, 2)), call(t(1, 1)), call(t(0, 0))])
def nonzero_has_data_dependent_shape(x):
    found = ops.nonzero(x)
    return found, found.shape[0], ops.ones((found.shape[0], 2)).sum()


@program(lambda: [call(t(1, 2)), call(t(3))])
def shape_from_data(x):
    n = int(x.sum())
    return ops.zeros((n, 2)), ops.arange(n) * x[0]


@program(lambda: [call(t(1, 2, 2, 3)), call(t(1, 1))])
def unique_and_topk(x):
    values, places = ops.unique(x)
    best, where = ops.topk(x, 1)
    return values, places, best, where


@program(lambda: [call(m())], grad=True)
def split_stack_concat(x):
    a, b = ops.split(x, 2, axis=1)
    return ops.stack((a, b)), ops.cat([b, a], axis=1), ops.chunk(x, 3)[1]


@program(lambda: [call(m(), i(0, 3, 1))], grad=True)
def gather_scatter_one_hot(x, labels):
    picked = ops.gather_elements(x, 1, labels.reshape(3, 1))
    return picked, ops.one_hot(labels, 4, Tensor(1.0), Tensor(0.0)) * x


@program(lambda: [call(m())], grad=True)
def where_masked_fill_clip(x):
    y = ops.where(x > 1, x, x * 0.1)
    return y.masked_fill(x > 2, -1.0), ops.clip(x, 0.5, 1.5), ops.tril(x)


@program(lambda: [call(m()), call(m() + 0.5)])
def sort_and_argsort(x):
    values, places = ops.sort(-x, axis=1)
    return values, places, x.argmax(1), x.argmin(), ops.cumsum(x, 0)


@program(lambda: [call(m(), "float16"), call(m(), "int32"), call(m(), "float64"), call(m(), "bool")])
def cast_by_name(x, name):
    y = x.astype(name)
    return y, y.dtype, y.astype(ms.float32)


@program(lambda: [call(m().astype(ms.float16)), call(m().astype(ms.bfloat16)), call(m().astype(ms.float64))])
def precision_of_the_argument(x):
    return (x * 1.1 + 0.3) / 3, x.sum(), ops.softmax(x, -1), (x * 1.1).dtype == x.dtype


@program(lambda: [call(m()), call(m() * 100)])
def fill_empty_and_like(x):
    return ops.zeros_like(x), ops.ones_like(x, dtype=ms.int32), ops.full((2, 2), 7.0), ops.full_like(x, 3)


@program(lambda: [call(Tensor(np.zeros((0, 3), np.float32))), call(m()[:, :3])])
def empty_tensors(x):
    return x.sum(0), x * 2, x.shape, [row for row in x], ops.cat((x, x)).shape


@program(lambda: [call(t(1, 2), t(1, 2)), call(t(1, 2), t(1, 3))])
def comparison_gives_tensors(x, y):
    return x == y, x != y, (x == y).all(), bool((x < y).any()), x is y, ops.equal(x, y)


@program(lambda: [call(t(1, 2), t(3, 2))])
def bool_tensor_operators(x, y):
    a, b = x > 1, y > 2
    return a & b, a | b, ~a, a ^ b, ops.logical_not(a), a.astype(ms.int32) - 1


@program(lambda: [call(i(5, 6), i(3, 4)), call(i(-7, 7), i(2, -2))])
def integer_tensor_operators(x, y):
    return x // y, x % y, x & y, x | y, x ^ y, x / y, x * y, -x, x**2


@program(lambda: [call(t(1, 2), 3.0), call(t(0.5, 2), -1.0)], grad=True)
def numbers_on_the_left(x, n):
    return n - x, n / x, n * x, n + x, 2**x


@program(lambda: [call(t(1, 2)), call(t(3, 4))], grad=True, order=2)
def stop_gradient_in_the_middle(x):
    return x * x * ops.stop_gradient(x) + x * x


@program(lambda: [call(t(1, 2)), call(t(3, 4))], grad=True)
def unused_argument_has_zero_gradient(x):
    y = x * 5
    return ops.ones(2) * 3 + 0 * y


@program(lambda: [call(m(), i(0, 1))], grad=True)
def integer_argument_beside_a_float(x, rows):
    return x[rows] * rows.reshape(2, 1)


@program(lambda: [call(t(1, 2))], grad=True, order=2)
def chain_of_methods(x):
    return x.exp().log().sqrt().tanh().square().sum().reshape(1).squeeze()


@program(lambda: [call(t(1, 2))])
def methods_and_attributes(x):
    return x.shape, x.dtype, x.ndim, x.size, x.itemsize, x.nbytes, x.strides, x.T.shape, x.is_floating_point()


@program(lambda: [call(t(3, 4, 5))])
def tensor_as_an_iterable(x):
    return list(x), max(x), min(x), sum(x), sorted(x, reverse=True), 4.0 in x, [a for a, b in zip(x, x[1:])]


@program(lambda: [call(t(1, 2, 3))])
def copies_are_apart(x):
    y, z, w = x.copy(), x.clone(), Tensor(x)
    x[0] = 9.0
    return y, z, w


# ----------------------------------------------------------------------------------------------------------------- numpy


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def numpy_in_the_middle(x):
    a = x.asnumpy()
    b = np.cumsum(np.sort(a)[::-1])
    return Tensor(b) * x + float(b.max())


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def numpy_array_as_constant(x):
    weights = np.array([0.25, 0.75], dtype=np.float32)
    return x * Tensor(weights), weights


@program(lambda: [call(t(1, 2), np.ones(2, np.float32)), call(t(1, 2), np.arange(2).astype(np.float32))])
def numpy_argument_is_changed(x, a):
    a[0] = 5
    return x + Tensor(a), a.sum()


@program(lambda: [call(t(1, 2))])
def asnumpy_shares_memory(x):
    a = x.asnumpy()
    x[0] = 50.0
    return a


@program(lambda: [call(t(1, 2))])
def write_by_numpy_is_seen(x):
    y = x * 1
    a = y.asnumpy()
    try:
        a[0] = 7.0
    except ValueError:
        return "read only"
    return y + 1


@factory()
def random_numbers_of_numpy(jit):
    def run(x):
        return x + Tensor(np.random.rand(1).astype(np.float32)), np.random.randint(10)

    return run


@program(lambda: [call(np.float32(1.5)), call(np.int64(3)), call(np.float64(0.1)), call(np.bool_(True))])
def numpy_scalar_argument(v):
    return t(1, 2) * v, v + 1, type(v + 1).__name__, f"{v}", Tensor(v)


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def gradient_stops_at_numpy(x):
    return ms.grad(lambda x: (x * Tensor(x.asnumpy() * 2)).sum())(x)


@program(lambda: [call(t(1, 2, 3, 4)), call(t(5, 6))])
def numpy_statistics_decide(x):
    a = x.asnumpy()
    if np.median(a) > 3 and a.shape[0] < 4:
        return x * float(np.percentile(a, 50))
    return np.where(a > 2, a, 0), a.tolist()


@program(lambda: [call(t(1, 2))])
def numpy_functions_on_tensors(x):
    return np.asarray(x), np.array(x).sum(), np.maximum(x.asnumpy(), 1.5), isinstance(x.asnumpy(), np.ndarray)


@program(lambda: [call([3, 4]), call((2, 2))])
def numpy_makes_a_mask(shape):
    mask = np.triu(np.ones(shape), k=1).astype(bool)
    return Tensor(mask), ops.ones(tuple(shape)).masked_fill(Tensor(mask), 0.0)


@factory(lambda: [call(t(1, 2)), call(t(3, 4))])
def numpy_buffer_is_filled(jit):
    buffer = np.zeros(6, np.float32)
    place = [0]

    def run(x):
        buffer[place[0] % 6 : place[0] % 6 + 2] = x.asnumpy()
        place[0] += 2
        return Tensor(buffer.copy()), place[0]

    return run


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def numpy_linear_algebra(x):
    a = np.outer(x.asnumpy(), x.asnumpy()).astype(np.float32) + np.eye(2, dtype=np.float32)
    return Tensor(a) @ x, np.trace(a), a.dtype.name, np.allclose(a, a.T)

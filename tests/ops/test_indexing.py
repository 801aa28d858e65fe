"""Indexing is numpy's: reading, writing, gradients, errors, for random index expressions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anfora
from anfora import Parameter, Tensor

SETTINGS = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def shapes(draw, most=4):
    return tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 5]), min_size=0, max_size=most)))


@st.composite
def slices(draw, n):
    bound = st.none() | st.integers(-n - 2, n + 2)
    step = draw(st.none() | st.integers(-3, 3).filter(bool))
    return slice(draw(bound), draw(bound), step)


@st.composite
def keys(draw, shape):
    """An index expression that fits a shape: items in numpy's manner."""
    batch = draw(st.sampled_from([(), (1,), (3,), (2, 3), (2, 1), (0,)]))
    items: list = []
    axis, dots, mask_axes = 0, False, 0
    stop = draw(st.integers(0, len(shape)))
    while axis < stop:
        n = shape[axis]
        kinds = ["slice", "none"] + ["dots"] * (not dots)
        if n:
            kinds += ["int", "array", "array", "list"]
        if not batch or batch == (1,):
            kinds += ["mask"]
        kind = draw(st.sampled_from(kinds))
        if kind == "none":
            items.append(None)
        elif kind == "dots":
            dots = True
            skipped = draw(st.integers(0, len(shape) - axis))
            items.append(...)
            axis += skipped
            # What follows the ellipsis must reach the end.
            rest = len(shape) - axis
            for i in range(rest):
                items.append(draw(slices(shape[axis + i])))
            break
        elif kind == "mask":
            width = draw(st.integers(1, min(2, len(shape) - axis)))
            lengths = shape[axis : axis + width]
            size = int(np.prod(lengths))
            if mask_axes:  # two masks must have equally many true elements
                items.append(slice(None))
                axis += 1
                continue
            bits = draw(st.lists(st.booleans(), min_size=size, max_size=size))
            items.append(np.array(bits, bool).reshape(lengths))
            mask_axes += width
            axis += width
        else:
            if kind == "slice":
                items.append(draw(slices(n)))
            elif kind == "int":
                items.append(draw(st.integers(-n, n - 1)))
            else:
                form = draw(st.sampled_from([batch, batch[-1:], ()])) if kind == "array" else batch[-1:]
                size = int(np.prod(form))
                numbers = draw(st.lists(st.integers(-n, n - 1), min_size=size, max_size=size))
                dtype = draw(st.sampled_from([np.int64, np.int32, np.int8]))
                array = np.array(numbers, dtype).reshape(form)
                items.append(array.tolist() if kind == "list" and form else array)
            axis += 1
    if draw(st.booleans()) and not any(isinstance(i, np.ndarray) and i.dtype == bool for i in items):
        items.append(None)
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


def as_tensors(key, some):
    """The key with arrays as tensors."""
    if isinstance(key, tuple):
        return tuple(as_tensors(item, some) for item in key)
    return Tensor(key) if isinstance(key, np.ndarray) and some else key


def counted(shape, dtype=np.float64):
    return (np.arange(int(np.prod(shape)), dtype=dtype) + 1).reshape(shape)


def expected(array, key):
    """What numpy reads; None where the key does not fit (two masks, or a mask beside an array of another length)."""
    try:
        return array[key]
    except IndexError:
        return None


@SETTINGS
@given(st.data())
def test_reading(data):
    shape = data.draw(shapes())
    key = data.draw(keys(shape))
    array = counted(shape)
    wanted = expected(array, key)
    x = Tensor(array)
    tensor_key = as_tensors(key, data.draw(st.booleans()))
    if wanted is None:
        with pytest.raises(IndexError):
            x[tensor_key]
        return
    np.testing.assert_array_equal(x[tensor_key].asnumpy(), wanted, strict=True)


@SETTINGS
@given(st.data())
def test_reading_views(data):
    """The tensor that is indexed is itself strided."""
    shape = data.draw(shapes(3))
    array = counted((*shape, 2))[..., 1].T
    key = data.draw(keys(array.shape))
    wanted = expected(array, key)
    if wanted is not None:
        x = Tensor(counted((*shape, 2)))[..., 1].T
        np.testing.assert_array_equal(x[as_tensors(key, True)].asnumpy(), wanted, strict=True)


@SETTINGS
@given(st.data())
def test_writing(data):
    shape = data.draw(shapes())
    key = data.draw(keys(shape))
    array = counted(shape)
    part = expected(array, key)
    x = Tensor(array)
    if part is None:
        with pytest.raises(IndexError):
            x[as_tensors(key, True)] = 0
        assert x.asnumpy().tolist() == array.tolist()
        return
    form = data.draw(st.sampled_from(["number", "full", "row", "wide"]))
    part = np.asarray(part)
    if form == "number":
        value = 7.5
    elif form == "full":
        value = -counted(part.shape)
    elif form == "row":
        value = -counted(part.shape[-1:])
    else:
        value = -counted((1, *part.shape))
    array[key] = value[0] if form == "wide" else value  # numpy takes further axes of length 1 with most keys
    x[as_tensors(key, data.draw(st.booleans()))] = Tensor(value) if isinstance(value, np.ndarray) else value
    np.testing.assert_array_equal(x.asnumpy(), array)


@SETTINGS
@given(st.data())
def test_gradient_of_reading(data):
    shape = data.draw(shapes(3))
    key = data.draw(keys(shape))
    array = counted(shape)
    part = expected(array, key)
    if part is None:
        return
    weights = counted(np.shape(part))
    wanted = np.zeros(shape)
    np.add.at(wanted, key, weights)
    tensor_key = as_tensors(key, True)
    found = anfora.grad(lambda x: (x[tensor_key] * Tensor(weights)).sum())(Tensor(array))
    np.testing.assert_array_equal(found.asnumpy(), wanted)


@SETTINGS
@given(st.data())
def test_gradient_of_writing(data):
    """Of `x[key] = v`: nothing to what was overwritten, to the value what its element became."""
    shape = data.draw(shapes(3))
    key = data.draw(keys(shape))
    array = counted(shape)
    part = expected(array, key)
    if part is None:
        return
    weights = counted(shape)
    writer = np.zeros(shape, np.int64)
    writer[key] = 1 + np.arange(np.size(part)).reshape(np.shape(part))  # who wrote last
    to_value = np.zeros(np.size(part))
    np.add.at(to_value, writer[writer > 0] - 1, weights[writer > 0])
    tensor_key = as_tensors(key, True)

    def total(x, v):
        y = x * 1
        y[tensor_key] = v
        return (y * Tensor(weights)).sum()

    to_x, to_v = anfora.grad(total, (0, 1))(Tensor(array), Tensor(counted(np.shape(part))))
    np.testing.assert_array_equal(to_x.asnumpy(), np.where(writer > 0, 0, weights))
    np.testing.assert_array_equal(to_v.asnumpy(), to_value.reshape(np.shape(part)))


X = counted((3, 4, 5))
B = X[..., 0] > 20


@pytest.mark.parametrize("key", [
    [0, 2], ([0, 2], 1), (slice(None), [1, 1], 0), (0, slice(None), [1, 2]), ([0], slice(None), [1, 2]), (None, [1], None),
    range(2), np.int64(1), (np.array(1), ...), True, False, (True, 0), (..., False), B, (B, 0), (slice(None), X[0] > 43),
    [True, False, True], np.zeros((3, 4, 5), bool), [[0, 1], [2, 0]], np.array([], int), [], (..., -1), (Ellipsis,), (),
    (slice(None, None, -1), slice(3, 0, -2), slice(-1, -4, -1)), (np.uint8(2), np.array([3], np.uint16)),
    (slice(10, 20), 0), (0, 0, 0), ([2, 0], [1, 1], [0, 3]), (np.array([[0], [2]]), np.array([1, 2])),
], ids=repr)  # fmt: skip
def test_forms_of_keys(key):
    wanted = X[list(key) if isinstance(key, range) else key]
    np.testing.assert_array_equal(Tensor(X)[key].asnumpy(), wanted, strict=True)
    mine, theirs = Tensor(X), X.copy()
    mine[key] = -1
    theirs[list(key) if isinstance(key, range) else key] = -1
    np.testing.assert_array_equal(mine.asnumpy(), theirs)


def test_a_bool_tensor_of_no_axes_and_tensors_as_bounds():
    x = Tensor(X)
    np.testing.assert_array_equal(x[Tensor(True)].asnumpy(), X[True])
    np.testing.assert_array_equal(x[Tensor(1) : Tensor(3)].asnumpy(), X[1:3])
    np.testing.assert_array_equal(x[Tensor(1)].asnumpy(), X[1])


def test_basic_indexing_gives_views():
    x = Tensor(X)
    row = x[1, ::-1]
    x[1] = 0
    assert row.asnumpy().sum() == 0
    row[0, 0] = 9
    assert x[1, 3, 0].item() == 9
    copied = x[[1]]
    copied[...] = 5
    assert x[1, 3, 0].item() == 9


def test_the_last_of_repeated_indices_stays():
    x = Tensor(np.zeros(3))
    x[[1, 1, 1]] = Tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [0, 3, 0]


def test_values_are_converted():
    x = Tensor([1, 2, 3])
    x[0] = 2.9
    x[Tensor([1])] = Tensor([7.9])
    x[x == 3] = True
    assert x.tolist() == [2, 7, 1] and x.dtype is anfora.int64
    y = Tensor([1.0, 2.0], anfora.bfloat16)
    y[1:] = np.array([3.3])
    y[0] = [4]
    assert y.tolist() == [4.0, 3.296875]


def test_a_source_that_overlaps_is_read_first():
    x = Tensor(np.arange(6.0))
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    x[::-1] = x
    assert x.tolist() == [4, 3, 2, 1, 0, 0]


def test_nothing_is_written_when_an_index_is_out_of_range():
    x = Tensor(np.zeros(3))
    with pytest.raises(IndexError, match=r"index 3 is out of bounds for axis 0 with length 3, at \[1\]"):
        x[[0, 3]] = 1
    assert x.tolist() == [0, 0, 0]


def test_parameters_are_written_to():
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name="p", requires_grad=False)
    p[0] = 5
    p[[1, 2]] = Tensor([6.0, 7.0])
    assert p.asnumpy().tolist() == [5, 6, 7]


def test_lists_of_tensors_and_iteration():
    x = Tensor(X)
    np.testing.assert_array_equal(x[[Tensor(0), Tensor(2)]].asnumpy(), X[[0, 2]])
    assert [row.shape for row in x] == [(4, 5)] * 3


@pytest.mark.parametrize("key, error, match", [
    (3, IndexError, "out of bounds for axis 0 with length 3"),
    ((0, -5), IndexError, "out of bounds for axis 1 with length 4"),
    ((0, 0, 0, 0), IndexError, "too many indices"),
    ((..., ...), IndexError, "one ellipsis"),
    ("a", IndexError, "indexed by"),
    (1.5, IndexError, "indexed by"),
    ([0.5], IndexError, "integers or bool"),
    (Tensor([1.0]), IndexError, "integers or bool"),
    ([0, 3], IndexError, "out of bounds"),
    ((0, [0, -5]), IndexError, "axis 1"),
    (np.zeros(2, bool), IndexError, "mask"),
    (([0, 1], [0, 1, 2]), IndexError, "broadcast"),
    (slice(None, None, 0), ValueError, "zero"),
    (slice("a"), TypeError, "integer"),
], ids=repr)  # fmt: skip
def test_bad_keys_are_refused(key, error, match):
    with pytest.raises(error, match=match):
        Tensor(X)[key]
    x = Tensor(X)
    with pytest.raises(error, match=match):
        x[key] = 0
    np.testing.assert_array_equal(x.asnumpy(), X)


@pytest.mark.parametrize(
    "key, value", [(0, np.zeros(3)), ([0, 1], np.zeros((3, 4, 5))), (B, np.zeros(7)), (slice(2), np.zeros((2, 4)))]
)
def test_values_that_do_not_fit_are_refused(key, value):
    x = Tensor(X)
    with pytest.raises(ValueError, match=r"fit|broadcast"):
        x[key] = Tensor(value)
    np.testing.assert_array_equal(x.asnumpy(), X)


def test_second_gradient_through_reading_and_writing():
    def function(x):
        y = x * x
        y[[0, 0]] = x[[1, 2]]
        return (y[[0, 1, 1]] ** 2).sum()

    # y = (x2, x1², x2²): the sum is x2² + 2 x1⁴
    slope = anfora.grad(lambda x: anfora.grad(function)(x).sum())(Tensor([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(slope.asnumpy(), [0, 96, 2], rtol=1e-6)

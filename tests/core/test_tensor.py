"""Tensor as a thing: making, converting to numbers and arrays, copies, printing, memory."""

from __future__ import annotations

import copy
import operator
import pickle

import numpy as np
import pytest

import anfora
from anfora import Tensor, from_numpy, tensor
from anfora.core.errors import OpIndexError, OpRuntimeError, OpTypeError, OpValueError


@pytest.mark.parametrize(
    "data, dtype, values",
    [
        (3, "int64", 3), (2.5, "float32", 2.5), (True, "bool", True), ([1, 2], "int64", [1, 2]), ([], "float32", []),
        ([1, 2.5], "float32", [1, 2.5]), (((1, 2), (3, 4)), "int64", [[1, 2], [3, 4]]),
        (np.float16(1.5), "float16", 1.5), (np.arange(3), "int64", [0, 1, 2]), (np.ones(2), "float64", [1, 1]),
        ([np.float32(1), 2], "float64", [1, 2]), ([Tensor([1, 2]), Tensor([3, 4])], "int64", [[1, 2], [3, 4]]),
    ],
    ids=repr,
)  # fmt: skip
def test_types_are_taken_from_data(data, dtype, values):
    x = Tensor(data)
    assert x.dtype is anfora.core.dtype.as_dtype(dtype) and x.tolist() == values


def test_making_with_a_type_or_an_initializer():
    assert Tensor([1.7, -1.7], anfora.int32).tolist() == [1, -1]
    assert Tensor([1], "float16").dtype is anfora.float16
    assert tensor([1, 2], dtype=anfora.float32).tolist() == [1.0, 2.0]
    assert Tensor(shape=(2, 3), dtype=anfora.float32, init=anfora.common.initializer.One()).tolist() == [[1.0] * 3] * 2
    with pytest.raises(OpTypeError, match="made of numbers"):
        Tensor("text")
    with pytest.raises(OpValueError, match="equal lengths"):
        Tensor([[1], [1, 2]])
    with pytest.raises(OpTypeError, match="needs data"):
        Tensor()
    with pytest.raises(OpValueError, match="`shape` says"):
        Tensor([1, 2], shape=(3,))
    with pytest.raises(OpTypeError, match="made of numbers"):
        Tensor(np.array(["1"]))


def test_data_is_copied():
    array = np.zeros(2, np.float32)
    x, y = Tensor(array), from_numpy(array)
    array[0] = 1
    assert x.tolist() == [0, 0] and y.tolist() == [1, 0]
    z = Tensor(y)
    y[1] = 5
    assert z.tolist() == [1, 0] and array.tolist() == [1, 5]


def test_what_it_is():
    x = Tensor(np.zeros((2, 3), np.float32))
    assert (x.shape, x.ndim, x.dim(), x.size, x.numel(), x.itemsize, x.nbytes) == ((2, 3), 2, 2, 6, 6, 4, 24)
    assert x.strides == (12, 4) and x.T.stride() == (1, 3) and x.T.stride(0) == 1
    assert x.is_contiguous() and not x.T.is_contiguous() and x[1].storage_offset() == 3
    assert (
        not x.has_init
        and x.init_finished
        and x.init_data() is x
        and x.element_size() == 4
        and x.device == "CPU"
        and len(x) == 2
        and x.is_floating_point()
    )


def test_to_python():
    x = Tensor([[1, 2], [3, 4]])
    assert (
        x.tolist() == [[1, 2], [3, 4]]
        and x.item(2) == 3
        and x.item(1, 1) == 4
        and [r.tolist() for r in x] == x.tolist()
    )
    assert (int(Tensor(3.7)), float(Tensor([2])), bool(Tensor(0)), complex(Tensor(1.0))) == (3, 2.0, False, 1 + 0j)
    assert [10, 20, 30][Tensor(1)] == 20 and operator.index(Tensor([2])) == 2 and f"{Tensor(1.5):.2f}" == "1.50"
    assert isinstance(round(Tensor(2.5)), Tensor) and round(Tensor([2.5, -0.2])).tolist() == [2, 0]
    assert round(Tensor(2.25, anfora.float64), 1).item() == 2.2
    assert 3 in x and 9 not in x and np.int64(4) in x and "a" not in x and None not in x
    for convert in (bool, int, float):
        with pytest.raises(OpValueError, match="one element"):
            convert(x)
    with pytest.raises(OpTypeError, match="integer tensor"):
        operator.index(Tensor(1.0))
    with pytest.raises(OpIndexError):
        x.item(4)
    with pytest.raises(OpTypeError, match="0-d"):
        len(Tensor(1))
    with pytest.raises(OpTypeError, match="0-d"):
        iter(Tensor(1))


def test_numpy_sees_the_memory():
    x = Tensor([1.0, 2.0])
    array = x.asnumpy()
    array[0] = 7
    assert x.tolist() == [7.0, 2.0] and np.asarray(x) is not None and np.shares_memory(np.asarray(x), array)
    x[1] = 9
    assert array.tolist() == [7, 9] and np.sqrt(x).dtype == np.float32
    assert np.array(x, np.float64).dtype == np.float64
    assert np.from_dlpack(x).tolist() == [7, 9]


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda x: np.all(x == x), True),
        (lambda x: np.sum(x, axis=0), [4, 6]),
        (lambda x: np.concatenate([x, np.zeros((1, 2)), x]), [[1, 2], [3, 4], [0, 0], [1, 2], [3, 4]]),
        (lambda x: np.array_equal(x, [[1, 2], [3, 4]]), True),
        (lambda x: np.einsum("ij,jk->ik", x, x), [[7, 10], [15, 22]]),
        (lambda x: np.max(x, where=np.array([[True, False], [False, False]]), initial=0), 1),
        (lambda x: np.where(x > 2, x, 0), [[0, 0], [3, 4]]),
        (lambda x: np.shape(x), [2, 2]),
    ],
)
def test_functions_of_numpy_see_arrays(function, expected):
    result = function(Tensor([[1.0, 2], [3, 4]]))
    assert not isinstance(result, Tensor) and np.array_equal(result, expected)


def test_functions_of_numpy_write_to_the_memory():
    x = Tensor([1.0, 2])
    np.copyto(x, [5.0, 6])
    np.cumsum(np.ones(2, np.float32), out=x)
    assert x.tolist() == [1, 2]
    np.put(x, [1], 9)
    assert x.tolist() == [1, 9]


def test_a_tensor_is_equal_to_no_list():
    x = Tensor([1, 2])
    assert (
        (x == [1, 2]) is False and (x != (1, 2)) is True and operator.eq([1, 2], x) is False and (x == "text") is False
    )
    assert (x == np.array([1, 3])).tolist() == (np.array([1, 3]) == x).tolist() == [True, False]
    assert x in ((1, 2, 3), [], "a", None, x) and ((1, 2), x).index(x) == 1  # the shapes are never compared


def test_arguments_that_are_constants():
    assert not Tensor(1).const_arg and Tensor(1, const_arg=True).const_arg and tensor(1, const_arg=True).const_arg
    x = Tensor(1)
    assert x.set_const_arg() is x and x.const_arg and not x.set_const_arg(False).const_arg
    with pytest.raises(OpTypeError, match="const_arg"):
        x.set_const_arg(1)


def test_bfloat16_is_shown_as_float32():
    x = Tensor([1.0, 3.14159], anfora.bfloat16)
    assert x.asnumpy().dtype == np.float32 and x.tolist() == [1.0, 3.140625] and x.nbytes == 4


def test_copies_and_pickles():
    x = Tensor([1.0, 2.0]).requires_grad_()
    x.note = "kept"
    for twin in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert twin.tolist() == x.tolist() and twin.requires_grad and twin.note == "kept" and twin is not x
        assert not np.shares_memory(twin.asnumpy(), x.asnumpy())
    for attempt in (copy.copy, pickle.dumps):
        with pytest.raises(OpRuntimeError, match="history"):
            attempt(x * 2)


def test_printing():
    assert repr(Tensor([1, 2])) == "Tensor(shape=[2], dtype=Int64, value= [1, 2])"
    assert repr(Tensor(1.5)) == "Tensor(shape=[], dtype=Float32, value= 1.5)"
    assert str(Tensor([[1, 2], [3, 4]])) == "[[1 2]\n [3 4]]" and f"{Tensor([1])}" == "[1]"


def test_tensors_hash_by_identity():
    x, y = Tensor(1), Tensor(1)
    assert len({x, y}) == 2 and hash(x) == hash(x)


def test_from_numpy_refuses_what_it_cannot_share():
    with pytest.raises(OpTypeError, match="numpy array"):
        from_numpy([1, 2])
    with pytest.raises(OpValueError, match="byte order"):
        from_numpy(np.zeros(2, ">f4"))
    with pytest.raises(OpTypeError):
        from_numpy(np.zeros(2, "U1"))


def test_requires_grad_of_leaves_only():
    x = Tensor([1.0]).requires_grad_()
    y = x * 2
    assert x.is_leaf and not y.is_leaf and y.requires_grad and not y.detach().requires_grad
    with pytest.raises(OpRuntimeError, match="not computed"):
        y.requires_grad = False
    y.retain_grad()
    y.sum().backward()
    assert x.grad.tolist() == [2.0] and y.grad.tolist() == [1.0]


def test_hooks_change_gradients():
    x = Tensor([1.0, 2.0]).requires_grad_()
    handle = x.register_hook(lambda g: g * 10)
    x.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]
    handle.remove()
    x.grad = None
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    with pytest.raises(OpTypeError, match="must be a function"):
        x.register_hook(10)


def test_tensors_of_unknown_lengths_have_no_data():
    x = Tensor(shape=[None, 3], dtype=anfora.float32)
    assert x.shape == (-1, 3) and x.dtype is anfora.float32 and x.ndim == 2
    assert Tensor(shape=None, dtype=anfora.int32).shape == (-2,)
    uses = [
        lambda: x + 1, lambda: Tensor([1.0]) * x, lambda: x.sum(), lambda: x.T, lambda: x.add_(1), x.asnumpy, x.item,
        lambda: repr(x), lambda: copy.copy(x) + 1, lambda: pickle.dumps(x), lambda: Tensor(x), lambda: x.size,
        lambda: anfora.ops.concat((x, x)), lambda: x.requires_grad_() * 2, lambda: anfora.nn.Dense(3, 2)(x),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(OpTypeError, match="has no data"):
            use()
    anfora.nn.Dense(3, 2).set_inputs(x)

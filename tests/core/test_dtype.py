"""Element types: names, numpy's and Python's types, promotion."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest

import anfora
from anfora.core import dtype
from anfora.core.dtype import (
    ALL,
    as_dtype,
    bfloat16,
    dtype_to_nptype,
    dtype_to_pytype,
    function,
    promote,
    promote_scalar,
    pytype_to_dtype,
)
from anfora.core.errors import OpTypeError


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_one_object_a_type(dtype):
    assert getattr(anfora, dtype.name) is dtype
    for given in (dtype, dtype.name, dtype.label, pickle.loads(pickle.dumps(dtype)), copy.deepcopy(dtype)):
        assert as_dtype(given) is dtype
    if dtype is not bfloat16:
        assert as_dtype(dtype.numpy) is dtype and as_dtype(dtype.numpy.type) is dtype
        assert np.dtype(dtype_to_nptype(dtype)) == dtype.numpy and dtype.itemsize == dtype.numpy.itemsize
    assert repr(dtype) == f"anfora.{dtype.name}" and str(dtype) == dtype.label


def test_python_types():
    assert [as_dtype(kind).name for kind in (bool, int, float)] == ["bool_", "int64", "float32"]
    assert [dtype_to_pytype(t) for t in ("bool", "uint8", "int32", "float16")] == [bool, int, int, float]
    kinds = (anfora.list_, anfora.tuple_, anfora.string, anfora.type_none)
    assert [dtype_to_pytype(kind) for kind in kinds] == [list, tuple, str, type(None)]
    assert pytype_to_dtype(float) is anfora.float64
    for value, kind in (
        (1, anfora.int64), (2.5, anfora.float64), (True, anfora.bool_), (float, anfora.float64), ("a", anfora.string),
        (None, anfora.type_none), ((1,), anfora.tuple_), ([1], anfora.list_), (anfora.Tensor(1.0), anfora.tensor_type),
        (len, function), (anfora.nn.ReLU(), function),
    ):  # fmt: skip
        assert anfora.get_py_obj_dtype(value) == kind
    assert dtype_to_nptype(bfloat16) is np.float32
    assert as_dtype("half") is anfora.half is anfora.float16 and anfora.double is anfora.float64


@pytest.mark.parametrize("given", [None, "float33", bytes, np.clongdouble, "U3", 3])
def test_what_is_no_type_is_refused(given):
    if given is None:
        given = object
    with pytest.raises(OpTypeError, match="no element type"):
        as_dtype(given)


def test_promotion_is_symmetric_and_holds_both():
    order = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    for a, b in itertools.product(ALL, ALL):
        if {a.name, b.name} in ({"uint64", kind} for kind in ("int8", "int16", "int32", "int64")):
            with pytest.raises(OpTypeError, match="no common type"):
                promote(a, b)
            continue
        c = promote(a, b)
        assert c is promote(b, a) and promote(c, a) is c and order[c.kind] == max(order[a.kind], order[b.kind])
        if a.kind == b.kind != "f" or (a.is_integer and b.is_integer):
            assert c.numpy == np.promote_types(a.numpy, b.numpy)


def test_promotion_of_categories_and_halves():
    assert promote(anfora.int64, anfora.float16) is anfora.float16
    assert promote(anfora.bool_, anfora.int8) is anfora.int8
    assert promote(anfora.float16, bfloat16) is anfora.float32
    assert promote(bfloat16, anfora.float32) is anfora.float32


@pytest.mark.parametrize(
    "dtype, scalar, result",
    [("float16", int, "float16"), ("int8", int, "int8"), ("int8", float, "float32"), ("bool", int, "int64"),
     ("bool", bool, "bool"), ("float64", float, "float64"), ("uint8", bool, "uint8"), ("int32", complex, "complex64"),
     ("float64", complex, "complex128"), ("float16", complex, "complex64"), ("complex64", float, "complex64"),
     ("complex64", complex, "complex64")],
)  # fmt: skip
def test_python_numbers_are_weak(dtype, scalar, result):
    assert promote_scalar(as_dtype(dtype), scalar) is as_dtype(result)
    assert (anfora.Tensor([1], dtype) + scalar(1)).dtype is as_dtype(result)


def test_complex_types():
    assert promote(anfora.complex64, anfora.int64) is promote(anfora.float32, anfora.complex64) is anfora.complex64
    assert promote(anfora.complex64, anfora.float64) is promote(anfora.complex128, bfloat16) is anfora.complex128
    assert anfora.complex128.part is anfora.float64 and anfora.int8.part is anfora.int8
    assert as_dtype(complex) is anfora.complex128 and dtype_to_pytype("complex64") is complex
    assert anfora.complex64.is_inexact and not anfora.complex64.is_float


def test_names_of_python_and_numpy():
    """Those that numpy knows are of its sizes; `int` and `float` are MindSpore's defaults."""
    for name in ("bool", "byte", "short", "intc", "intp", "ubyte", "ushort", "uintc", "uintp"):
        same = np.dtype(np.bool_ if name == "bool" else getattr(np, name))
        assert dtype_to_nptype(getattr(anfora, name)) == same, name
    assert (anfora.int, anfora.float, anfora.long) == (anfora.int32, anfora.float32, anfora.int64)
    assert not {"bool", "int", "float"} & set(anfora.__all__)


def test_groups_of_element_types():
    assert dtype.int_type == (anfora.int8, anfora.int16, anfora.int32, anfora.int64)
    assert dtype.uint_type == (anfora.uint8, anfora.uint16, anfora.uint32, anfora.uint64)
    assert {anfora.float16, anfora.bfloat16, anfora.float32, anfora.float64} < set(dtype.float_type)
    assert dtype.complex_type == (anfora.complex64, anfora.complex128)
    assert set(dtype.all_types) == {anfora.bool_, *dtype.number_type}
    assert set(dtype.signed_type) == set(dtype.number_type) - set(dtype.uint_type)


def test_int_names_the_signed_integers():
    assert [anfora.Int(bits) for bits in (8, 16, 32, 64)] == [anfora.int8, anfora.int16, anfora.int32, anfora.int64]
    assert anfora.Int() is anfora.int_
    signed = {anfora.int8, anfora.int16, anfora.int32, anfora.int64}
    others = {anfora.bool_, anfora.uint8, anfora.float32, anfora.complex64, "int32", 3}
    assert {x for x in signed | others if isinstance(x, anfora.Int)} == signed
    with pytest.raises(TypeError, match="int7"):
        anfora.Int(7)

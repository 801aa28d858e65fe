"""MindSpore's names for checks of arguments: which values they take, and what kind of error the others are."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import _checkparam as checks
from anfora import ops

NAN, INFINITY = float("nan"), float("inf")

#: (function, arguments behind the value), values that it takes, values of a wrong type, wrong values
TABLE = [
    ((checks.check_is_int,), [0, -3, 2**70], [True, 3.0, "3", None, np.int32(3)], []),
    ((checks.check_is_float,), [0.5, -0.0], [1, True, "1"], [NAN, INFINITY]),
    ((checks.check_bool,), [True, False], [0, 1, 1.0, None, np.bool_(True)], []),
    ((checks.check_positive_int,), [1, 7], [True, 1.0, "1"], [0, -1]),
    ((checks.check_negative_int,), [-1], [False, -1.0, "x"], [0, 1]),
    ((checks.check_non_positive_int,), [0, -1], [0.0], [1]),
    ((checks.check_non_negative_int,), [0, 1], [0.0], [-1]),
    ((checks.check_positive_float,), [0.5], [1, True], [0.0, -0.5, NAN]),
    ((checks.check_negative_float,), [-0.5], [-1], [0.0]),
    ((checks.check_non_positive_float,), [0.0, -1.0], [0], [1e-9]),
    ((checks.check_non_negative_float,), [0.0, 1.0], [0], [-1e-9]),
    ((checks.check_int, 4, checks.GE), [4, 5], [4.0, True], [3]),
    ((checks.check_float, 1.0, checks.LT), [0.5], [0], [1.0]),
    ((checks.check_equal_int, 3), [3], [3.0], [4]),
    ((checks.check_int_range, 0, 2, checks.INC_LEFT), [0, 1], [True, 0.0], [2, -1]),
    ((checks.check_int_range, 0, 2, checks.INC_BOTH), [0, 2], [], [3]),
    ((checks.check_float_range, 0.0, 1.0, checks.INC_NEITHER), [0.5], [0], [0.0, 1.0]),
    ((checks.check_float_range, 0.0, 1.0, checks.INC_RIGHT), [1.0], [], [0.0]),
    ((checks.check_number_range, 0, 1, checks.INC_BOTH, (int, float)), [0, 0.5, 1], ["0"], [2]),
    ((checks.check_string, ["same", "valid"]), ["same"], [], ["full", 3, None]),
    ((checks.check_input_format,), ["NCHW"], [], ["NHWC", "rt"]),
    ((checks.check_positive_int_sequence,), [[1, 2], (), (3,)], [[1, 2.0]], [[1, 0]]),
    ((checks.check_non_negative_int_sequence,), [[0]], [[False]], [[-1]]),
    ((checks.check_positive_float_sequence,), [[0.5]], [[1]], [[0.0]]),
]  # fmt: skip


@pytest.mark.parametrize("call, good, mistyped, wrong", TABLE, ids=[row[0][0].__name__ for row in TABLE])
def test_checks(call, good, mistyped, wrong):
    function, *more = call
    for value in good:
        assert function(value, *more) is value
    for values, error in ((mistyped, TypeError), (wrong, ValueError)):
        for value in values:
            with pytest.raises(error):
                function(value, *more)


@pytest.mark.parametrize(
    "function, good, wrong",
    [
        (checks.check_str_by_regular, ["12_sf.asdf_", "x", "_x.1"], [".12", "a$b", "a+b", ""]),
        (checks.check_str_and_none_by_regular, ["", "a.b"], ["a b"]),
        (checks.check_file_name_by_regular, ["a/b-1.ckpt"], ["a?b", ""]),
    ],
)
def test_texts(function, good, wrong):
    assert all(map(function, good))
    for text in wrong:
        with pytest.raises(ValueError, match="illegal"):
            function(text)
    with pytest.raises(TypeError):
        function(3)


def test_types_of_values():
    assert checks.check_value_type("axis", 3, [int, float]) == 3
    assert checks.check_value_type("flag", True, (int, bool)) is True
    with pytest.raises(TypeError, match="For 'ReduceSum', the 'axis' must be of type 'int' or 'tuple', but got 'bool'"):
        checks.check_value_type("axis", True, (int, tuple), "ReduceSum")
    assert checks.check_element_type_of_iterable("shape", (1, 2), int) == (1, 2)
    with pytest.raises(TypeError, match=r"shape\[1\]"):
        checks.check_element_type_of_iterable("shape", (1, "2"), [int])
    with pytest.raises(ValueError, match="isinstance"):
        checks.check_isinstance("name", 3, str)
    with pytest.raises(TypeError):
        checks.check_hook_fn(3)
    assert checks.is_stub_tensor(ops.ones(2)) is False


def test_element_types():
    assert checks.check_type_name("x", ms.int32, [ms.int32, ms.float32]) is ms.int32
    with pytest.raises(TypeError, match="Float16"):
        checks.check_subclass("x", ms.float16, [ms.float32], "Op")
    checks.check_types_same_and_valid({"x": ms.int32, "y": ms.int32}, [ms.int32, ms.float32], "Add")
    for other in (ms.float32, ms.float16):
        with pytest.raises(TypeError, match="For 'Add', the 'y'"):
            checks.check_tensors_dtypes_same_and_valid({"x": ms.int32, "y": other}, [ms.int32, ms.float32], "Add")


def test_related_values_are_named():
    assert checks.check("len(axis)", 2, "rank", 4, checks.LE) == 2
    with pytest.raises(ValueError, match="For 'Op', the 'len' should be = rank: 4, but got 3"):
        checks.check("len", 3, "rank", 4, checks.EQ, "Op")
    with pytest.raises(KeyError):
        checks.check("len", 3, "sizes", (4, 5), checks.IN, "Op", KeyError)
    with pytest.raises(ValueError, match=r"must be in range of \[0, 1\), but got 1.0"):
        checks.check_float_range(1.0, 0, 1, checks.INC_LEFT, "momentum", "BatchNorm2d")


def test_one_number_for_all():
    assert checks.once(4) == (4,) and checks.twice(5) == (5, 5) and checks.triple((1, 2, 3)) == (1, 2, 3)
    for bad in ("str", (3.3, 4), (1, 2, 3), (1,), True, [1, 2]):
        with pytest.raises(TypeError):
            checks.twice(bad)


def test_types_by_a_decorator():
    @checks.args_type_check(int, scale=(int, float))
    def resize(size, scale=None):
        return size, scale

    assert resize(3) == (3, None) and resize(3, scale=0.5) == (3, 0.5)
    for args in ((3.0,), (3, "x")):
        with pytest.raises(TypeError, match="resize"):
            resize(*args)

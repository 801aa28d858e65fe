"""numpy: what follows from arrays that the program has made, and changes nothing but these."""

from __future__ import annotations

import numpy as np

from anfora.graph.facts.table import LENGTH, NEW, PLAIN, WHOLE, WRITTEN, Fact, add, add_methods

__all__ = ["ATTRIBUTES", "KINDS"]

_FUNCTIONS = """
    abs absolute add all allclose amax amin any append arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh
    argmax argmin argsort argwhere around array array_equal array_split asarray ascontiguousarray atleast_1d
    atleast_2d atleast_3d average bincount broadcast_to ceil clip column_stack concatenate conj copysign cos cosh
    count_nonzero cross cumprod cumsum deg2rad degrees delete diag diag_indices diagflat diagonal diff digitize
    divide divmod dsplit dstack dtype equal exp exp2 expand_dims expm1 eye fabs flatnonzero flip fliplr flipud
    float_power floor floor_divide fmax fmin fmod full full_like geomspace gradient greater greater_equal heaviside
    hsplit hstack hypot identity indices insert interp intersect1d invert isclose isfinite isin isinf isnan
    left_shift less less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or
    logical_xor logspace maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num nanmax nanmean
    nanmin nansum ndim negative nonzero not_equal ones ones_like outer pad percentile positive power prod ptp
    quantile rad2deg radians ravel reciprocal remainder repeat reshape right_shift rint roll rollaxis rot90 round
    searchsorted select setdiff1d shape sign sin sinc sinh size sort split sqrt square squeeze stack std subtract
    sum swapaxes take take_along_axis tan tanh tile trace transpose tri tril tril_indices triu triu_indices
    true_divide trunc union1d unique unravel_index var vsplit vstack where zeros zeros_like bool_ int8 int16 int32
    int64 uint8 uint16 uint32 uint64 float16 float32 float64 intp
"""
_READING = """
    all any argmax argmin argsort astype clip copy cumprod cumsum diagonal flatten item max mean min nonzero prod ravel
    repeat reshape round searchsorted squeeze std sum swapaxes take tolist trace transpose var
"""
KINDS = (np.ndarray, np.generic)
#: Attributes that are known as the array is.
ATTRIBUTES = frozenset(["T", "dtype", "imag", "itemsize", "nbytes", "ndim", "real", "shape", "size", "strides"])

for _name in _FUNCTIONS.split():
    if hasattr(np, _name):  # some came, and went, with versions
        add(getattr(np, _name), rest=WHOLE, gives=NEW, is_of_own=True, of_arrays=True)

for _kind in KINDS:
    _rows = {name: Fact(getattr(_kind, name), rest=WHOLE, owner=_kind, is_of_own=True) for name in _READING.split()}
    _rows["__getitem__"] = Fact(getattr(_kind, "__getitem__", None), (0, WHOLE), owner=_kind, is_of_own=True)
    if _kind is np.ndarray:
        _rows["__len__"] = Fact(_kind.__len__, (LENGTH,), gives=PLAIN, owner=_kind, is_of_own=True)
        _rows["__setitem__"] = Fact(
            _kind.__setitem__, (WRITTEN, WHOLE, WHOLE), gives=PLAIN, owner=_kind, is_of_own=True
        )
        _rows["fill"] = Fact(_kind.fill, (WRITTEN, WHOLE), gives=PLAIN, owner=_kind, is_of_own=True)
        _rows["sort"] = Fact(_kind.sort, (WRITTEN, WHOLE), rest=WHOLE, gives=PLAIN, owner=_kind, is_of_own=True)
    add_methods(_kind, _rows)

# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike
from anfora.core.dtype import bool_ as bool_
from anfora.core.dtype import complex128 as complex128
from anfora.core.dtype import complex64 as complex64
from anfora.core.dtype import float16 as float16
from anfora.core.dtype import float32 as float32
from anfora.core.dtype import float64 as float64
from anfora.core.dtype import int16 as int16
from anfora.core.dtype import int32 as int32
from anfora.core.dtype import int64 as int64
from anfora.core.dtype import int8 as int8
from anfora.core.dtype import uint16 as uint16
from anfora.core.dtype import uint32 as uint32
from anfora.core.dtype import uint64 as uint64
from anfora.core.dtype import uint8 as uint8
from anfora.numpy.standard import finfo as finfo
from anfora.numpy.standard import iinfo as iinfo

NINF: builtins.float

PINF: builtins.float

def abs(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `abs`, which is `ops.abs`."""

def absolute(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `absolute`, which is `ops.absolute`."""

def acos(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `acos`, which is `ops.acos`."""

def acosh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `acosh`, which is `ops.acosh`."""

def add(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `add`, which is `ops.add`."""

def all(x: Any, *, axis: Any = None, keepdims: Any = False) -> Tensor:
    """Whether all elements along axes, all without any, are true."""

def amax(a: Any, axis: Any = None, keepdims: builtins.bool = False, initial: Any = None, where: Any = True) -> Tensor:
    """The largest elements along axes, of all without any."""

def amin(a: Any, axis: Any = None, keepdims: builtins.bool = False, initial: Any = None, where: Any = True) -> Tensor:
    """The smallest elements along axes, of all without any."""

def any(x: Any, *, axis: Any = None, keepdims: Any = False) -> Tensor:
    """Whether any element along axes, of all without any, is true."""

def append(arr: Any, values: Any, axis: builtins.int | None = None) -> Tensor:
    """Values behind a tensor along an axis; both flat without an axis."""

def apply_along_axis(func1d: Callable, axis: builtins.int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
    """A function of vectors, for each that lies along an axis."""

def apply_over_axes(func: Callable, a: Any, axes: Any) -> Tensor:
    """A function of a tensor and an axis, for each axis in turn; lost axes come back with length 1."""

def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None) -> Tensor:
    """Numbers from `start`, or 0, to `stop`, which is not among them."""

def arccos(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `arccos`, which is `ops.arccos`."""

def arccosh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `arccosh`, which is `ops.arccosh`."""

def arcsin(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `arcsin`, which is `ops.arcsin`."""

def arcsinh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `arcsinh`, which is `ops.arcsinh`."""

def arctan(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `arctan`, which is `ops.arctan`."""

def arctan2(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `arctan2`, which is `ops.arctan2`."""

def arctanh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `arctanh`, which is `ops.arctanh`."""

def argmax(a: Any, axis: builtins.int | None = None, keepdims: Any = False) -> Tensor:
    """Where the largest element along an axis stands, int64; in the flat tensor without an axis."""

def argmin(a: Any, axis: builtins.int | None = None, keepdims: Any = False) -> Tensor:
    """Where the smallest element along an axis stands, int64; in the flat tensor without an axis."""

def argsort(x: Any, *, axis: builtins.int = -1, descending: Any = False, stable: Any = True) -> Tensor:
    """Where the elements along an axis stand, in their order, int64."""

def argwhere(a: TensorLike) -> Tensor:
    """numpy's `argwhere`, which is `ops.argwhere`."""

def around(a: Any, decimals: builtins.int = 0) -> Tensor:
    """Numbers rounded to decimals, halves to the even one; of complex ones both parts."""

def array(obj: Any, dtype: Any = None, copy: builtins.bool = True, ndmin: builtins.int = 0) -> Tensor:
    """A tensor of numbers, lists, numpy arrays or tensors, with axes of length 1 in front up to `ndmin` of them."""

def array_equal(a1: Any, a2: Any, equal_nan: builtins.bool = False) -> Tensor:
    """Whether shapes and all elements are equal, a bool tensor ()."""

def array_equiv(a1: Any, a2: Any) -> Tensor:
    """Whether all elements are equal after broadcasting, a bool tensor ()."""

def array_split(x: Any, indices_or_sections: Any, axis: builtins.int = 0) -> builtins.list[Tensor]:
    """As many parts of about equal length as are told, or parts that end at given indices."""

def array_str(a: Any) -> builtins.str:
    """A tensor as text."""

def asarray(a: Any, dtype: Any = None, *, device: Any = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor of numbers, lists, numpy arrays or tensors."""

def asfarray(a: Any, dtype: Any = ...) -> Tensor:
    """`asarray` of a floating-point type."""

def asin(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `asin`, which is `ops.asin`."""

def asinh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `asinh`, which is `ops.asinh`."""

def astype(x: Any, dtype: Any, *, copy: Any = True, device: Any = None) -> Tensor:
    """A tensor with another element type; with `copy`, always a new one."""

def atan(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `atan`, which is `ops.atan`."""

def atan2(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `atan2`, which is `ops.atan2`."""

def atanh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `atanh`, which is `ops.atanh`."""

def atleast_1d(*arys: Any) -> Any:
    """numpy's `atleast_1d`: tensors with at least so many axes; a list, of several."""

def atleast_2d(*arys: Any) -> Any:
    """numpy's `atleast_2d`: tensors with at least so many axes; a list, of several."""

def atleast_3d(*arys: Any) -> Any:
    """numpy's `atleast_3d`: tensors with at least so many axes; a list, of several."""

def average(x: Any, axis: Any = None, weights: Any = None, returned: builtins.bool = False) -> Any:
    """The mean along axes, with weights; if `returned`, their sum too."""

def bartlett(M: builtins.int) -> Tensor:
    """numpy's `bartlett`: a window of M weights, float32."""

def bincount(x: TensorLike, weights: TensorLike | None = None, minlength: Any = 0) -> Tensor:
    """numpy's `bincount`, which is `ops.bincount`."""

def bitwise_and(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `bitwise_and`, which is `ops.bitwise_and`."""

def bitwise_invert(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `bitwise_invert`, which is `ops.bitwise_not`."""

def bitwise_left_shift(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `bitwise_left_shift`, which is `ops.bitwise_left_shift`."""

def bitwise_not(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `bitwise_not`, which is `ops.bitwise_not`."""

def bitwise_or(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `bitwise_or`, which is `ops.bitwise_or`."""

def bitwise_right_shift(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `bitwise_right_shift`, which is `ops.bitwise_right_shift`."""

def bitwise_xor(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `bitwise_xor`, which is `ops.bitwise_xor`."""

def blackman(M: builtins.int) -> Tensor:
    """numpy's `blackman`: a window of M weights, float32."""

bool: DType

def broadcast_arrays(*args: Any) -> builtins.list[Tensor]:
    """Tensors, stretched to one shape."""

def broadcast_shapes(*shapes: Sequence[builtins.int]) -> builtins.tuple[builtins.int, ...]:
    """The shape that shapes are stretched to."""

def broadcast_to(array: TensorLike, shape: Any) -> Tensor:
    """numpy's `broadcast_to`, which is `ops.broadcast_to`."""

def can_cast(from_: Any, to: Any) -> Any:
    """Whether all values of an element type, or of a tensor's, can be those of another."""

def cbrt(x: Any, dtype: Any = None) -> Tensor:
    """The cube root of real numbers."""

def ceil(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `ceil`, which is `ops.ceil`."""

def choose(a: Any, choices: Any, mode: builtins.str = 'clip') -> Tensor:
    """Of each place, the element of the tensor that an index names."""

def clip(x: TensorLike, xmin: TensorLike | None = None, xmax: TensorLike | None = None, dtype: Any = None) -> Tensor:
    """numpy's `clip`, which is `ops.clip`."""

def column_stack(tup: Sequence[TensorLike] | Tensor) -> Tensor:
    """numpy's `column_stack`, which is `ops.column_stack`."""

def concat(arrays: Any, *, axis: builtins.int | None = 0) -> Tensor:
    """Tensors behind one another along an axis; flat ones without an axis."""

def concatenate(arrays: Any, axis: builtins.int | None = 0) -> Tensor:
    """Tensors behind one another along an axis; flat ones without an axis."""

def conj(x: Any) -> Tensor:
    """The complex conjugate; of real numbers the tensor."""

def convolve(a: Any, v: Any, mode: builtins.str = 'full') -> Tensor:
    """The coefficients of the product of two polynomials."""

def copy(a: Any) -> Tensor:
    """A tensor of its own with the same elements; what `asarray` takes is taken."""

def copysign(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `copysign`, which is `ops.copysign`."""

def corrcoef(x: Any, y: Any = None, rowvar: builtins.bool = True, dtype: Any = None) -> Tensor:
    """The correlations of variables, which are rows."""

def correlate(a: Any, v: Any, mode: builtins.str = 'valid') -> Tensor:
    """The sums of products of two vectors, one moved along the other."""

def cos(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `cos`, which is `ops.cos`."""

def cosh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `cosh`, which is `ops.cosh`."""

def count_nonzero(x: Any, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """How many elements are not zero, along axes, int64."""

def cov(m: Any, y: Any = None, rowvar: builtins.bool = True, bias: builtins.bool = False, ddof: builtins.int | None = None, fweights: Any = None, aweights: Any = None, dtype: Any = None) -> Tensor:
    """The covariances of variables, which are rows."""

def cross(a: Any, b: Any, axisa: builtins.int = -1, axisb: builtins.int = -1, axisc: builtins.int = -1, axis: builtins.int | None = None) -> Tensor:
    """Vector products; of vectors of length 2, the third number alone."""

def cumprod(a: Any, axis: builtins.int | None = None, dtype: Any = None) -> Tensor:
    """numpy's `cumprod`, which is `ops.cumprod`; of the flat tensor without an axis."""

def cumsum(a: Any, axis: builtins.int | None = None, dtype: Any = None) -> Tensor:
    """numpy's `cumsum`, which is `ops.cumsum`; of the flat tensor without an axis."""

def cumulative_prod(x: Any, *, axis: builtins.int | None = None, dtype: Any = None, include_initial: Any = False) -> Tensor:
    """The products of the elements up to each, along an axis."""

def cumulative_sum(x: Any, *, axis: builtins.int | None = None, dtype: Any = None, include_initial: Any = False) -> Tensor:
    """The sums of the elements up to each, along an axis."""

def deg2rad(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `deg2rad`, which is `ops.deg2rad`."""

def diag(v: Any, k: builtins.int = 0) -> Tensor:
    """The matrix with a vector on a diagonal, or a diagonal of a matrix."""

def diag_indices(n: Any, ndim: Any = 2) -> Tensor:
    """numpy's `diag_indices`, int32."""

def diagflat(v: Any, k: builtins.int = 0) -> Tensor:
    """The matrix with all elements on a diagonal."""

def diagonal(a: TensorLike, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Tensor:
    """numpy's `diagonal`, which is `ops.diagonal`."""

def diff(a: TensorLike, n: Any = 1, axis: Any = -1, prepend: TensorLike | None = None, append: TensorLike | None = None) -> Tensor:
    """numpy's `diff`, which is `ops.diff`."""

def digitize(x: Any, bins: Any, right: builtins.bool = False) -> Tensor:
    """The number of the bin in which each element lies; bins rise or fall."""

def divide(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `divide`, which is `ops.divide`."""

def divmod(x1: Any, x2: Any, dtype: Any = None) -> builtins.tuple[Tensor, Tensor]:
    """Quotient, rounded down, and remainder."""

def dot(a: TensorLike, b: TensorLike) -> Tensor:
    """numpy's `dot`, which is `ops.dot`."""

def dsplit(x: TensorLike, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
    """numpy's `dsplit`, which is `ops.dsplit`."""

def dstack(tup: Sequence[TensorLike] | Tensor) -> Tensor:
    """numpy's `dstack`, which is `ops.dstack`."""

e: builtins.float

def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Tensor:
    """The differences of neighbours in the flat tensor, between what is given."""

def empty(shape: Any, dtype: Any = ..., *, device: Any = None) -> Tensor:
    """A tensor of zeros."""

def empty_like(a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None) -> Tensor:
    """A tensor of 0 in the shape and type of another, or of those that are given."""

def equal(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `equal`, which is `ops.equal`."""

def exp(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `exp`, which is `ops.exp`."""

def exp2(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `exp2`, which is `ops.exp2`."""

def expand_dims(a: TensorLike, axis: Any) -> Tensor:
    """numpy's `expand_dims`, which is `ops.expand_dims`."""

def expm1(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `expm1`, which is `ops.expm1`."""

def eye(N: builtins.int, M: builtins.int | None = None, k: builtins.int = 0, dtype: Any = ..., *, device: Any = None) -> Tensor:
    """Ones on a diagonal, zeros elsewhere."""

def fabs(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `fabs`, which is `ops.abs`."""

def fix(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `fix`, which is `ops.fix`."""

def flip(m: Any, axis: Any = None) -> Tensor:
    """The elements along axes, along all without any, in reverse order."""

def fliplr(m: TensorLike) -> Tensor:
    """numpy's `fliplr`, which is `ops.fliplr`."""

def flipud(m: TensorLike) -> Tensor:
    """numpy's `flipud`, which is `ops.flipud`."""

float_: DType

def float_power(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `float_power`, which is `ops.float_power`."""

def floor(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `floor`, which is `ops.floor`."""

def floor_divide(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `floor_divide`, which is `ops.floor_divide`."""

def fmod(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `fmod`, which is `ops.fmod`."""

def from_dlpack(x: Any, *, device: Any = None, copy: Any = None) -> Tensor:
    """A tensor on the memory of another library's array; see `anfora.from_dlpack`."""

def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """A tensor of one value, or of values that are broadcast."""

def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, *, device: Any = None) -> Tensor:
    """A tensor of one value in the shape and type of another, or of those that are given."""

def gcd(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `gcd`, which is `ops.gcd`."""

def geomspace(start: Any, stop: Any, num: builtins.int = 50, endpoint: Any = True, dtype: Any = None, axis: builtins.int = 0) -> Tensor:
    """Numbers each of which is a factor times the one before; the ends are exact."""

def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: builtins.int = 1) -> Any:
    """Slopes along axes: half the difference of both neighbours, at the ends the difference to one."""

def greater(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `greater`, which is `ops.greater`."""

def greater_equal(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `greater_equal`, which is `ops.greater_equal`."""

def hamming(M: builtins.int) -> Tensor:
    """numpy's `hamming`: a window of M weights, float32."""

def hanning(M: builtins.int) -> Tensor:
    """numpy's `hanning`: a window of M weights, float32."""

def heaviside(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `heaviside`, which is `ops.heaviside`."""

def histogram(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: Any = None) -> Tensor:
    """numpy's `histogram`, float32; there is no gradient. After `range` come `weights`, then `density`."""

def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: Any = None) -> Tensor:
    """numpy's `histogram2d`, float32; there is no gradient. After `range` come `weights`, then `density`."""

def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:
    """numpy's `histogram_bin_edges`, float32; there is no gradient. After `range` come `weights`, then `density`."""

def histogramdd(sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: Any = None) -> Tensor:
    """numpy's `histogramdd`, float32; there is no gradient. After `range` come `weights`, then `density`."""

def hsplit(x: TensorLike, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
    """numpy's `hsplit`, which is `ops.hsplit`."""

def hstack(tup: Sequence[TensorLike] | Tensor) -> Tensor:
    """numpy's `hstack`, which is `ops.hstack`."""

def hypot(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `hypot`, which is `ops.hypot`."""

def identity(n: builtins.int, dtype: Any = ...) -> Tensor:
    """Ones on the main diagonal of a square matrix, zeros elsewhere."""

def imag(x: Any) -> Tensor:
    """The imaginary part; of real numbers zeros."""

def in1d(ar1: Any, ar2: Any, invert: builtins.bool = False) -> Tensor:
    """Whether the elements of the flat tensor are among others."""

def indices(dimensions: Sequence[builtins.int], dtype: Any = ..., sparse: builtins.bool = False) -> builtins.list[Tensor]:
    """The coordinates of a grid, one tensor for each axis."""

inf: builtins.float

def inner(a: TensorLike, b: TensorLike) -> Tensor:
    """numpy's `inner`, which is `ops.inner`."""

int_: DType

def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Tensor:
    """The value at x of the line through points."""

def intersect1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """What two tensors have in common, in order; if asked for, where it stands first in both."""

def invert(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `invert`, which is `ops.invert`."""

def isclose(a: TensorLike, b: TensorLike, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
    """numpy's `isclose`, which is `ops.isclose`."""

def isdtype(dtype: Any, kind: Any) -> Any:
    """Whether an element type is another one, or of a kind, or of one of several."""

def isfinite(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `isfinite`, which is `ops.isfinite`."""

def isin(element: Any, test_elements: Any, invert: builtins.bool = False) -> Tensor:
    """Whether elements are among others."""

def isinf(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `isinf`, which is `ops.isinf`."""

def isnan(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `isnan`, which is `ops.isnan`."""

def isneginf(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `isneginf`, which is `ops.isneginf`."""

def isposinf(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `isposinf`, which is `ops.isposinf`."""

def isscalar(element: Any) -> builtins.bool:
    """Whether something is a Python number or string."""

def ix_(*args: Any) -> builtins.tuple[Tensor, ...]:
    """Vectors along axes of their own, so that together they name all combinations."""

def kron(a: TensorLike, b: TensorLike) -> Tensor:
    """numpy's `kron`, which is `ops.kron`."""

def lcm(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `lcm`, which is `ops.lcm`."""

def less(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `less`, which is `ops.less`."""

def less_equal(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `less_equal`, which is `ops.less_equal`."""

def linspace(start: Any, stop: Any, num: builtins.int = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: builtins.int = 0, *, device: Any = None) -> Any:
    """Numbers at equal distances; if asked for, their distance too. float32, of complex ends complex64, without `dtype`; of an integer `dtype` the next ones below."""

def log(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `log`, which is `ops.log`."""

def log10(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `log10`, which is `ops.log10`."""

def log1p(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `log1p`, which is `ops.log1p`."""

def log2(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `log2`, which is `ops.log2`."""

def logaddexp(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `logaddexp`, which is `ops.logaddexp`."""

def logaddexp2(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `logaddexp2`, which is `ops.logaddexp2`."""

def logical_and(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `logical_and`, which is `ops.logical_and`."""

def logical_not(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `logical_not`, which is `ops.logical_not`."""

def logical_or(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `logical_or`, which is `ops.logical_or`."""

def logical_xor(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `logical_xor`, which is `ops.logical_xor`."""

def logspace(start: Any, stop: Any, num: builtins.int = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None, axis: builtins.int = 0) -> Tensor:
    """`base` to the powers that `linspace` gives, in numbers of double precision."""

def matmul(x1: TensorLike, x2: TensorLike, dtype: Any = None) -> Tensor:
    """numpy's `matmul`, which is `ops.matmul`."""

def matrix_power(a: TensorLike, n: Any) -> Tensor:
    """numpy's `matrix_power`, which is `ops.matrix_power`."""

def matrix_transpose(x: Any) -> Tensor:
    """Matrices with rows and columns exchanged."""

max = amax

def maximum(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `maximum`, which is `ops.maximum`."""

def mean(a: Any, axis: Any = None, keepdims: builtins.bool = False, dtype: Any = None) -> Tensor:
    """The mean along axes, of all elements without any."""

def meshgrid(*xi: Any, sparse: builtins.bool = False, indexing: builtins.str = 'xy') -> builtins.list[Tensor]:
    """The coordinates of a grid whose axes have given values."""

mgrid: Any

min = amin

def minimum(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `minimum`, which is `ops.minimum`."""

def mod(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `mod`, which is `ops.mod`."""

def moveaxis(a: TensorLike, source: Any, destination: Any) -> Tensor:
    """numpy's `moveaxis`, which is `ops.moveaxis`."""

def multi_dot(arrays: Sequence[Any]) -> Tensor:
    """The product of matrices, from the first to the last."""

def multiply(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `multiply`, which is `ops.multiply`."""

nan: builtins.float

def nancumsum(a: Any, axis: builtins.int | None = None, dtype: Any = None) -> Tensor:
    """`cumsum` in which NaN counts as zero."""

def nanmax(a: Any, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """The largest element along axes that is not NaN; NaN where all are."""

def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """The mean along axes of what is not NaN."""

def nanmin(a: Any, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """The smallest element along axes that is not NaN; NaN where all are."""

def nanstd(a: Any, axis: Any = None, dtype: Any = None, ddof: builtins.int = 0, keepdims: builtins.bool = False) -> Tensor:
    """The standard deviation along axes of what is not NaN."""

def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """`sum` in which NaN counts as zero."""

def nanvar(a: Any, axis: Any = None, dtype: Any = None, ddof: builtins.int = 0, keepdims: builtins.bool = False) -> Tensor:
    """The variance along axes of what is not NaN."""

def negative(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `negative`, which is `ops.negative`."""

newaxis: Any

def nextafter(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `nextafter`, which is `ops.nextafter`."""

def nonzero(x: Any) -> builtins.tuple[Tensor, ...]:
    """Where elements are not zero, int64: one tensor for each axis."""

def norm(x: TensorLike, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Tensor:
    """numpy's `norm`, which is `ops.norm`."""

def not_equal(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `not_equal`, which is `ops.not_equal`."""

ogrid: Any

def ones(shape: Any, dtype: Any = ..., *, device: Any = None) -> Tensor:
    """A tensor of ones."""

def ones_like(a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None) -> Tensor:
    """A tensor of 1 in the shape and type of another, or of those that are given."""

def outer(a: Any, b: Any) -> Tensor:
    """The products of all elements of one tensor with all of another."""

def pad(arr: Any, pad_width: Any, mode: builtins.str = 'constant', stat_length: Any = None, constant_values: Any = 0, end_values: Any = 0, reflect_type: builtins.str = 'even') -> Tensor:
    """Elements around a tensor: mode "constant" (and `constant_values`), "edge", "reflect", "symmetric" or "wrap"."""

def permute_dims(x: Any, axes: Sequence[builtins.int]) -> Tensor:
    """The axes in another order."""

pi: builtins.float

def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Tensor:
    """Functions of the elements, of which conditions choose; one more than conditions is for the rest."""

def polyadd(a1: Any, a2: Any) -> Tensor:
    """The sum of polynomials, whose coefficients begin with the highest power."""

def polyder(p: Any, m: builtins.int = 1) -> Tensor:
    """The derivative of a polynomial, m times."""

def polyint(p: Any, m: builtins.int = 1, k: Any = None) -> Tensor:
    """The integral of a polynomial, m times, at most 1,000, with the constants k."""

def polymul(a1: Any, a2: Any) -> Tensor:
    """The product of polynomials."""

def polysub(a1: Any, a2: Any) -> Tensor:
    """The difference of polynomials."""

def polyval(p: Any, x: Any) -> Tensor:
    """The value of a polynomial."""

def positive(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `positive`, which is `ops.positive`."""

def pow(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `pow`, which is `ops.pow`."""

def power(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `power`, which is `ops.pow`."""

def prod(x: Any, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The product along axes, of all elements without any; of integers as `sum`."""

def promote_types(type1: Any, type2: Any) -> Any:
    """The element type in which two meet."""

def ptp(x: Any, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """The largest less the smallest element along axes."""

def rad2deg(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `rad2deg`, which is `ops.rad2deg`."""

def radians(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `radians`, which is `ops.deg2rad`."""

def rand(*shape: builtins.int, dtype: Any = ...) -> Tensor:
    """Random numbers from 0 to 1."""

def randint(minval: builtins.int, maxval: builtins.int | None = None, shape: Any = None, dtype: Any = ...) -> Tensor:
    """Random integers from `minval` to below `maxval`; from 0 to below `minval` without it."""

def randn(*shape: builtins.int, dtype: Any = ...) -> Tensor:
    """Random numbers of the standard normal distribution."""

def ravel(x: TensorLike) -> Tensor:
    """numpy's `ravel`, which is `ops.ravel`."""

def ravel_multi_index(multi_index: Any, dims: Any, mode: builtins.str = 'clip', order: builtins.str = 'C') -> Tensor:
    """The place in row-major order (in column-major for "F") of coordinates."""

def real(x: Any) -> Tensor:
    """The real part; of real numbers the tensor."""

def reciprocal(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `reciprocal`, which is `ops.reciprocal`."""

def remainder(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `remainder`, which is `ops.remainder`."""

def repeat(a: Any, repeats: Any, axis: builtins.int | None = None) -> Tensor:
    """Each element, or each part along an axis, several times in a row."""

def reshape(x: Any, new_shape: Any = None, *, shape: Any = None, copy: Any = None) -> Tensor:
    """The elements, in row-major order, in another shape, in which one length may be -1."""

def result_type(*arrays_and_dtypes: Any) -> Any:
    """The element type in which tensors, numbers and types meet. Numbers of Python only lift the kind of the others."""

def rint(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `rint`, which is `ops.rint`."""

def roll(a: TensorLike, shift: Any, axis: Any = None) -> Tensor:
    """numpy's `roll`, which is `ops.roll`."""

def rollaxis(x: Any, axis: builtins.int, start: builtins.int = 0) -> Tensor:
    """An axis moved to stand before the axis `start`."""

def rot90(a: TensorLike, k: Any = 1, axes: Any = (0, 1)) -> Tensor:
    """numpy's `rot90`, which is `ops.rot90`."""

round = around

def searchsorted(a: Any, v: Any, side: builtins.str = 'left', sorter: Any = None) -> Tensor:
    """Where elements would be put into a sorted tensor, int64."""

def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Tensor:
    """Of each place, the element of the first tensor whose condition holds."""

def setdiff1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Tensor:
    """The elements that another tensor has not, in order."""

def sign(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `sign`, which is `ops.sign`."""

def signbit(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `signbit`, which is `ops.signbit`."""

def sin(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `sin`, which is `ops.sin`."""

def sinh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `sinh`, which is `ops.sinh`."""

def size(a: Any, axis: builtins.int | None = None) -> builtins.int:
    """How many elements there are, in all or along an axis."""

def sometrue(a: Any, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether any element along axes is not zero."""

def sort(x: Any, *, axis: builtins.int = -1, descending: Any = False, stable: Any = True) -> Tensor:
    """The elements along an axis in order; of equal ones the first stands first, always."""

def split(x: Any, indices_or_sections: Any, axis: builtins.int = 0) -> builtins.list[Tensor]:
    """As many equal parts as are told, or parts that end at given indices."""

def sqrt(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `sqrt`, which is `ops.sqrt`."""

def square(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `square`, which is `ops.square`."""

def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Without axes of length 1: all, or those named, which must have it."""

def stack(arrays: Any, axis: builtins.int = 0) -> Tensor:
    """Tensors along a new axis."""

def std(x: Any, axis: Any = None, ddof: builtins.float = 0, keepdims: Any = False, *, correction: builtins.float | None = None) -> Tensor:
    """The square root of `var`."""

def subtract(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `subtract`, which is `ops.subtract`."""

def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False, initial: Any = None) -> Tensor:
    """The sum along axes, of all elements without any; without `dtype`, of integers narrower than int32 as int32 (uint32)."""

def swapaxes(x: TensorLike, axis1: Any, axis2: Any) -> Tensor:
    """numpy's `swapaxes`, which is `ops.swapaxes`."""

def take(a: Any, indices: Any, axis: builtins.int | None = None, mode: builtins.str | None = None) -> Tensor:
    """The parts that indices name along an axis; see `Tensor.take`."""

def take_along_axis(arr: Any, indices: Any, axis: builtins.int | None = -1) -> Tensor:
    """The elements that indices name along an axis, each in its own place."""

def tan(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `tan`, which is `ops.tan`."""

def tanh(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `tanh`, which is `ops.tanh`."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The sum of products over some axes of both; see `ops.tensor_dot`."""

def tile(a: TensorLike, reps: Any) -> Tensor:
    """numpy's `tile`, which is `ops.tile`."""

def trace(a: TensorLike, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Tensor:
    """numpy's `trace`, which is `ops.trace`."""

def transpose(a: Any, axes: Any = None) -> Tensor:
    """The axes in another order, the opposite one when not given."""

def trapz(y: TensorLike, x: TensorLike | None = None, dx: Any = 1.0, axis: Any = -1) -> Tensor:
    """numpy's `trapz`, which is `ops.trapz`."""

def tri(N: builtins.int, M: builtins.int | None = None, k: builtins.int = 0, dtype: Any = ...) -> Tensor:
    """Ones on and below a diagonal, zeros elsewhere."""

def tril(m: TensorLike, k: Any = 0) -> Tensor:
    """numpy's `tril`, which is `ops.tril`."""

def tril_indices(n: Any, k: Any = 0, m: Any = None) -> Tensor:
    """numpy's `tril_indices`, int32."""

def tril_indices_from(arr: Any, k: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """The places of the lower triangle of a matrix."""

def triu(m: TensorLike, k: Any = 0) -> Tensor:
    """numpy's `triu`, which is `ops.triu`."""

def triu_indices(n: Any, k: Any = 0, m: Any = None) -> Tensor:
    """numpy's `triu_indices`, int32."""

def triu_indices_from(arr: Any, k: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """The places of the upper triangle of a matrix."""

def true_divide(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """numpy's `true_divide`, which is `ops.true_divide`."""

def trunc(x: Any, dtype: Any = None) -> Tensor:
    """numpy's `trunc`, which is `ops.trunc`."""

uint: DType

def unique(x: Any, return_inverse: builtins.bool = False) -> Any:
    """The different elements in order; if asked for, also which of them each element is."""

def unique_all(x: Any) -> Any:
    """The different elements in order, where each stands first, which of them each element is, and how many are equal."""

def unique_counts(x: Any) -> Any:
    """The different elements in order, and how many are equal to each; see `unique_all`."""

def unique_inverse(x: Any) -> Any:
    """The different elements in order, and which of them each element is; see `unique_all`."""

def unique_values(x: Any) -> Tensor:
    """The different elements in order; see `unique_all`."""

def unravel_index(indices: Any, shape: Any, order: builtins.str = 'C') -> builtins.tuple[Tensor, ...]:
    """The coordinates of places in row-major order (in column-major for "F")."""

def unstack(x: Any, *, axis: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """The parts of a tensor along an axis, which falls away."""

def unwrap(p: Any, discont: builtins.float = 3.141592653589793, axis: builtins.int = -1) -> Tensor:
    """Angles without jumps of more than `discont`, by whole turns."""

def vander(x: Any, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """The powers of the elements, in columns; falling ones unless `increasing`."""

def var(x: Any, axis: Any = None, ddof: builtins.float = 0, keepdims: Any = False, *, correction: builtins.float | None = None) -> Tensor:
    """The mean of the squares of what elements differ by from their mean, along axes, of all elements without any."""

def vecdot(x1: Any, x2: Any, *, axis: builtins.int = -1) -> Tensor:
    """The sums of products along an axis, the others being broadcast; of complex numbers `x1` is conjugated."""

def vsplit(x: TensorLike, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
    """numpy's `vsplit`, which is `ops.vsplit`."""

def vstack(tup: Sequence[TensorLike] | Tensor) -> Tensor:
    """numpy's `vstack`, which is `ops.vstack`."""

def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where a condition holds, else y; the places where it holds without both."""

zeros = empty

zeros_like = empty_like

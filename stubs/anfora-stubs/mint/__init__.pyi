# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike
from . import linalg as linalg
from . import nn as nn
from . import optim as optim
from . import special as special

def abs(input: TensorLike) -> Tensor:
    """|input|, element by element."""

def acos(input: TensorLike) -> Tensor:
    """Arc cosine, from 0 to pi, element by element."""

def acosh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic cosine, element by element."""

def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input + alpha · other, element by element."""

def addbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (the sum of the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""

def addcdiv(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 / tensor2, element by element."""

def addcmul(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 · tensor2, element by element."""

def addmm(input: TensorLike, mat1: TensorLike, mat2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2)."""

def addmv(input: TensorLike, mat: TensorLike, vec: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (mat @ vec), with `mat` (M, K), `vec` (K,) and `input` that broadcasts to (M,); see `addmm`."""

def all(input: TensorLike, dim: Any = None, keepdim: Any = False) -> Tensor:
    """Whether all elements over axes are true (not zero); true where there is none."""

def allclose(input: TensorLike, other: TensorLike, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether all elements are close: |input - other| ≤ atol + rtol · |other|; see `isclose`."""

def amax(input: TensorLike, dim: Any = (), keepdim: Any = False) -> Tensor:
    """The largest element over axes; see `reduce_max`, also for its gradient."""

def amin(input: TensorLike, dim: Any = (), keepdim: Any = False) -> Tensor:
    """The smallest element over axes; see `amax`."""

def any(input: TensorLike, dim: Any = None, keepdim: Any = False) -> Tensor:
    """Whether some element over axes is true (not zero); false where there is none."""

def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Tensor:
    """Numbers at equal distances: start, start + step, … up to, but without, `end`."""

def arccos(input: TensorLike) -> Tensor:
    """Arc cosine, from 0 to pi, element by element."""

def arccosh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic cosine, element by element."""

def arcsin(x: TensorLike) -> Tensor:
    """Arc sine, from -pi/2 to pi/2, element by element."""

def arcsinh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic sine, element by element."""

def arctan(input: TensorLike) -> Tensor:
    """Arc tangent, from -pi/2 to pi/2, element by element."""

def arctan2(input: TensorLike, other: TensorLike) -> Tensor:
    """The angle of the point (other, input), from -pi to pi, element by element."""

def arctanh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic tangent, element by element."""

def argmax(input: TensorLike, dim: Any = None, keepdim: Any = False) -> Tensor:
    """The position of the largest element along an axis, the first of equal ones; NaN counts as largest."""

def argmin(input: TensorLike, dim: Any = None, keepdim: Any = False) -> Tensor:
    """The position, int32, of the smallest element along an axis, the first of equal ones; NaN counts as smallest. See `argmax`."""

def argsort(input: TensorLike, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> Tensor:
    """Where the elements stand that come first, second … in order. Equal ones always keep their order."""

def asin(input: TensorLike) -> Tensor:
    """Arc sine, from -pi/2 to pi/2, element by element."""

def asinh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic sine, element by element."""

def atan(input: TensorLike) -> Tensor:
    """Arc tangent, from -pi/2 to pi/2, element by element."""

def atan2(input: TensorLike, other: TensorLike) -> Tensor:
    """The angle of the point (other, input), from -pi to pi, element by element."""

def atanh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic tangent, element by element."""

def baddbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""

def bernoulli(input: TensorLike, *, generator: Any = None) -> Tensor:
    """Ones with the probabilities that the elements are, and zeros."""

def bincount(input: TensorLike, weights: TensorLike | None = None, minlength: Any = 0) -> Tensor:
    """How often 0, 1, 2, … occur; with weights, the sum of those of equal elements."""

def bitwise_and(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that both integers have; of bools, whether both are true."""

def bitwise_not(input: TensorLike) -> Tensor:
    """The other bits: -input - 1 for signed integers; of bools, the opposite."""

def bitwise_or(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that either integer has; of bools, whether either is true."""

def bitwise_xor(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that exactly one of the integers has; of bools, whether exactly one is true."""

def bmm(input: TensorLike, mat2: TensorLike) -> Tensor:
    """The products of matrices (…, M, K) and (…, K, N), item by item of equal leading axes; see `matmul`."""

def broadcast_to(input: TensorLike, shape: Any) -> Tensor:
    """Repeat along axes of length 1, and along new axes in front, to get a shape."""

def cat(tensors: Sequence[TensorLike] | Tensor, dim: Any = 0) -> Tensor:
    """Tensors one behind the other along an axis, as `concat`."""

def cdist(x1: TensorLike, x2: TensorLike, p: Any = 2.0, compute_mode: Any = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The distances between all rows of two matrices: y[…, i, j] = norm of x1[…, i] - x2[…, j]."""

def ceil(input: TensorLike) -> Tensor:
    """The smallest whole number that is not below the element."""

def chunk(input: TensorLike, chunks: Any, dim: Any = 0) -> builtins.tuple[Tensor, ...]:
    """At most `chunks` neighbouring parts along an axis, all of one length but for the last."""

def clamp(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """The input, brought into the range from `min` to `max`, element by element."""

def clip(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """The input, brought into the range from `min` to `max`, element by element."""

def clone(input: TensorLike) -> Tensor:
    """A copy in memory of its own, contiguous."""

def concat(tensors: Sequence[TensorLike] | Tensor, dim: Any = 0) -> Tensor:
    """Tensors one behind the other along an axis."""

def conv2d(input: TensorLike, weight: TensorLike, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Correlate images with windows; see `ops.conv2d`. A single example may lack the first axis."""

def cos(input: TensorLike) -> Tensor:
    """Cosine, element by element."""

def cosh(input: TensorLike) -> Tensor:
    """Hyperbolic cosine, element by element."""

def count_nonzero(input: TensorLike, dim: Any = None) -> Tensor:
    """How many elements are not zero; NaN is not, -0.0 is."""

def cross(input: TensorLike, other: TensorLike, dim: Any = None) -> Tensor:
    """The cross products of vectors of length 3."""

def cummax(input: TensorLike, dim: Any) -> builtins.tuple[Tensor, Tensor]:
    """The largest element so far along an axis and its position; of equal ones the last; NaN stays."""

def cummin(input: TensorLike, dim: Any) -> Tensor:
    """The smallest element so far along an axis and its position, int32; see `cummax`."""

def cumprod(input: TensorLike, dim: Any, dtype: Any = None) -> Tensor:
    """The running product along an axis: y_k = Π_{i<=k} x_i, carried in float64 and rounded for each k."""

def cumsum(input: TensorLike, dim: builtins.int, dtype: Any = None) -> Tensor:
    """The running sum along an axis, in `dtype`; when that is not given int64 for integers and bools."""

def diag(input: TensorLike, diagonal: builtins.int = 0) -> Tensor:
    """The matrix with a vector on a diagonal, or a diagonal of a matrix."""

def diff(input: TensorLike, n: Any = 1, dim: Any = -1, prepend: TensorLike | None = None, append: TensorLike | None = None) -> Tensor:
    """The differences of neighbours along an axis, y_k = x_{k+1} - x_k, taken n times; of bools, whether they differ."""

def div(input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
    """input / other, element by element, rounded where asked."""

def divide(input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
    """input / other, element by element, rounded where asked."""

def dot(input: TensorLike, other: TensorLike) -> Tensor:
    """The sum of products over the last axis of `input` and the last but one (the only one) of `other`, as `numpy.dot`."""

def dstack(tensors: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors behind each other: along the third axis; tensors of fewer axes get axes of length 1."""

def einsum(equation: builtins.str, *operands: TensorLike) -> Tensor:
    """Sums of products in Einstein's notation: a letter for each axis, "ij,jk->ik" is the product of two matrices."""

def empty(*size: Any, dtype: Any = None, device: Any = None, pin_memory: Any = False) -> Tensor:
    """A tensor that is to be written to. It holds zeros; do not count on it."""

def empty_like(input: TensorLike, *, dtype: Any = None, device: Any = None, pin_memory: Any = False) -> Tensor:
    """A tensor of the shape, and the type unless another is given, of a tensor, that is to be written to; see `empty`."""

def eq(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input == other, element by element. NaN equals nothing."""

def equal(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input == other, element by element. NaN equals nothing."""

def erf(input: TensorLike) -> Tensor:
    """The error function: 2 / sqrt(pi) times the integral of exp(-t²) from 0 to the element."""

def erfc(input: TensorLike) -> Tensor:
    """1 - erf(input), accurate where that is small, element by element."""

def erfinv(input: TensorLike) -> Tensor:
    """The inverse of the error function, element by element."""

def exp(input: TensorLike) -> Tensor:
    """e to the power of the element."""

def exp2(input: TensorLike) -> Tensor:
    """2 to the power of the element."""

def expm1(input: TensorLike) -> Tensor:
    """e to the power of the element, minus 1, accurate near 0."""

def eye(n: Any, m: Any = None, dtype: Any = None) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""

def fix(input: TensorLike) -> Tensor:
    """The element without what stands behind its point."""

def flatten(input: TensorLike, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Several axes, all when not given, as one."""

def flip(input: TensorLike, dims: Any) -> Tensor:
    """The elements in reverse order along axes."""

def float_power(input: Any, exponent: Any) -> Tensor:
    """input to the power of `exponent`, in double precision: float64, or complex128 if either is complex."""

def floor(input: TensorLike) -> Tensor:
    """The largest whole number that is not above the element."""

def floor_divide(input: TensorLike, other: TensorLike) -> Tensor:
    """floor(input / other), element by element: Python's `//`."""

def fmod(input: TensorLike, other: TensorLike) -> Tensor:
    """input - trunc(input / other) · other, which has the sign of the input, element by element: C's `fmod`."""

def frac(input: TensorLike) -> Tensor:
    """What stands behind the point of an element, with its sign."""

def full(size: Any, fill_value: TensorLike, *, dtype: Any = None) -> Tensor:
    """A tensor whose elements are all the same."""

def full_like(input: TensorLike, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """A constant tensor of the shape, and the type unless another is given, of a tensor."""

def gather(input: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """The parts along an axis that indices name: result[p, i…, q] = params[p, indices[i…], q]."""

def gcd(input: TensorLike, other: TensorLike) -> Tensor:
    """The greatest common divisor, element by element; of 0 and 0 it is 0."""

def ge(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input >= other, element by element; false where either is NaN."""

def greater(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input > other, element by element; false where either is NaN."""

def greater_equal(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input >= other, element by element; false where either is NaN."""

def gt(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input > other, element by element; false where either is NaN."""

def histc(input: TensorLike, bins: Any = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """How many elements fall into each of `bins` ranges of equal width from `min` to `max`."""

def hstack(tensors: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors side by side: along the second axis, or the first if they have one."""

def imag(input: TensorLike) -> Tensor:
    """The imaginary part. Of a complex tensor a view; of a real one zeros."""

def index_add(input: TensorLike, dim: Any, index: TensorLike, source: TensorLike, *, alpha: Any = 1) -> Tensor:
    """Add parts of `y` to the parts of `x` along an axis that indices name."""

def index_select(input: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """The parts along an axis that a 1-d tensor of indices names."""

def inverse(input: TensorLike) -> Tensor:
    """The inverses of matrices."""

def isclose(input: TensorLike, other: TensorLike, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
    """Whether |input - other| <= atol + rtol · |other|, element by element. Equal infinities are close."""

def isfinite(input: TensorLike) -> Tensor:
    """Whether an element is neither infinite nor NaN."""

def isinf(input: TensorLike) -> Tensor:
    """Whether an element is infinite, of either sign."""

def isnan(tensor: TensorLike) -> Tensor:
    """Whether an element is not a number."""

def isneginf(input: TensorLike) -> Tensor:
    """Whether an element is -infinity."""

def kthvalue(input: TensorLike, k: Any, dim: Any = -1, keepdim: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The k-th smallest element along an axis, counted from 1, and where it stands (int64); see `median`."""

def le(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input <= other, element by element; false where either is NaN."""

def lerp(input: TensorLike, end: TensorLike, weight: TensorLike) -> Tensor:
    """input + weight · (end - input), element by element; exactly the ends at the weights 0 and 1."""

def less(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input < other, element by element; false where either is NaN."""

def less_equal(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input <= other, element by element; false where either is NaN."""

def linspace(start: Any, end: Any, steps: builtins.int, *, dtype: Any = None) -> Tensor:
    """Numbers at equal distances, both ends included."""

def log(input: TensorLike) -> Tensor:
    """Natural logarithm, element by element."""

def log10(input: TensorLike) -> Tensor:
    """Logarithm to the base 10, element by element."""

def log1p(input: TensorLike) -> Tensor:
    """log(1 + input), accurate near 0, element by element."""

def log2(input: TensorLike) -> Tensor:
    """Logarithm to the base 2, element by element."""

def logaddexp(input: TensorLike, other: TensorLike) -> Tensor:
    """log(exp(input) + exp(other)) without overflow, element by element."""

def logaddexp2(input: TensorLike, other: TensorLike) -> Tensor:
    """log2(2 ** input + 2 ** other) without overflow, element by element."""

def logical_and(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether both elements are true, that is, not zero."""

def logical_not(input: TensorLike) -> Tensor:
    """Whether an element is false, that is, zero."""

def logical_or(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether either element is true, that is, not zero."""

def logical_xor(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether exactly one of the elements is true, that is, not zero."""

def logsumexp(input: TensorLike, dim: Any, keepdim: Any = False) -> Tensor:
    """log(sum(exp(x))) over axes, the largest element taken out first so that nothing overflows."""

def lt(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input < other, element by element; false where either is NaN."""

def masked_select(input: TensorLike, mask: TensorLike) -> Tensor:
    """The elements where a mask is true, in row-major order."""

def matmul(input: TensorLike, other: TensorLike) -> Tensor:
    """The matrix product: y[…, m, n] = sum over k of input[…, m, k] other[…, k, n]."""

def max(input: TensorLike, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None) -> Any:
    """The largest element; with `dim` values and positions along an axis, with a tensor `other` the largest of two, element by element."""

def maximum(input: TensorLike, other: TensorLike) -> Tensor:
    """The larger of two elements; NaN where either is NaN."""

def mean(input: TensorLike, dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
    """The mean along axes, of all elements without one; computed in `dtype`, if given."""

def median(input: TensorLike, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
    """The median of all elements; with `dim` medians and positions along an axis. See `ops.median`."""

def meshgrid(*tensors: Any, indexing: builtins.str | None = None) -> builtins.tuple[Tensor, ...]:
    """Coordinates of a grid; see `ops.meshgrid`. `indexing` is "ij" when not given."""

def min(input: TensorLike, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None) -> Any:
    """The smallest element; with `dim` values and positions along an axis, with a tensor `other` the smallest of two, element by element."""

def minimum(input: TensorLike, other: TensorLike) -> Tensor:
    """The smaller of two elements; NaN where either is NaN."""

def mm(input: TensorLike, mat2: TensorLike) -> Tensor:
    """The product of two matrices (M, K) and (K, N); see `matmul`."""

def mul(input: TensorLike, other: TensorLike) -> Tensor:
    """input · other, element by element; of bools, whether both are true."""

def multinomial(input: TensorLike, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Any = None) -> Tensor:
    """Positions drawn with probabilities in proportion to the elements; see `ops.multinomial`."""

def mv(input: TensorLike, vec: TensorLike) -> Tensor:
    """The product of a matrix (M, K) and a vector (K,); see `matmul`."""

def nan_to_num(input: TensorLike, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """The input with finite numbers for what is not finite."""

def nansum(input: TensorLike, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes with NaN counted as zero; integers and bools are added as int64."""

def narrow(input: TensorLike, dim: Any, start: Any, length: Any) -> Tensor:
    """`length` elements along an axis, from `start` on. A view."""

def ne(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input != other, element by element. NaN differs from everything, itself included."""

def neg(input: TensorLike) -> Tensor:
    """-input, element by element."""

def negative(input: TensorLike) -> Tensor:
    """-input, element by element."""

def nonzero(input: TensorLike, *, as_tuple: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, ...]:
    """The coordinates of the elements that are not zero, in row-major order."""

def norm(input: TensorLike, p: Any = 'fro', dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of the elements along axes, of all without any."""

def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Random numbers of normal distributions whose means and deviations are numbers or tensors."""

def not_equal(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input != other, element by element. NaN differs from everything, itself included."""

def ones(*size: Any, dtype: Any = None) -> Tensor:
    """Ones: `ones(2, 3)` or `ones((2, 3))`."""

def ones_like(input: TensorLike, *, dtype: Any = None) -> Tensor:
    """Ones of the shape, and the type unless another is given, of a tensor."""

def outer(input: TensorLike, vec2: TensorLike) -> Tensor:
    """All products of the elements of two vectors: y[i, j] = input[i] vec2[j]."""

def permute(input: TensorLike, dims: Any) -> Tensor:
    """The axes in another order, as `transpose`."""

def polar(abs: TensorLike, angle: TensorLike) -> Tensor:
    """The complex numbers of these sizes and angles: abs · (cos angle + i sin angle)."""

def pow(input: TensorLike, exponent: TensorLike) -> Tensor:
    """input to the power of `exponent`, element by element: Python's `**`."""

def prod(input: TensorLike, dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
    """The product along an axis, of all elements without one."""

def rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers from 0 to 1."""

def rand_like(input: TensorLike, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers from 0 to 1, in the shape of a tensor."""

def randint(*args: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Random integers: `randint(high, size)` or `randint(low, high, size)`, below `high`."""

def randint_like(input: TensorLike, *bounds: builtins.int, dtype: Any = None, device: Any = None) -> Tensor:
    """Random integers below the last bound, from the first of two or 0, in the shape and type of a tensor."""

def randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers of the standard normal distribution."""

def randn_like(input: TensorLike, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers of the standard normal distribution, in the shape of a tensor."""

def randperm(n: builtins.int, *, generator: Any = None, dtype: Any = ...) -> Tensor:
    """The integers from 0 to n - 1 in random order."""

def ravel(input: TensorLike) -> Tensor:
    """All elements in one axis."""

def real(input: TensorLike) -> Tensor:
    """The real part. Of a complex tensor a view: what is written to it is written to the tensor."""

def reciprocal(input: TensorLike) -> Tensor:
    """1 / input, element by element."""

def remainder(input: TensorLike, other: TensorLike) -> Tensor:
    """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""

def repeat_interleave(input: TensorLike, repeats: Any, dim: Any = None, *, output_size: Any = None) -> Tensor:
    """Each element, or each part along an axis, several times in a row."""

def reshape(input: TensorLike, shape: Any) -> Tensor:
    """The same elements, in row-major order, with other axes."""

def roll(input: TensorLike, shifts: Any, dims: Any = None) -> Tensor:
    """The elements moved along axes; what leaves at one end comes in at the other."""

def round(input: TensorLike, *, decimals: Any = 0) -> Tensor:
    """The nearest number with so many decimals; halves go to the even one."""

def rsqrt(input: TensorLike) -> Tensor:
    """1 / sqrt(input), element by element."""

def scatter(input: TensorLike, dim: Any, index: TensorLike, src: Any) -> Tensor:
    """A copy in which elements are replaced: for axis 0, `out[index[i, j], j] = src[i, j]`."""

def scatter_add(input: TensorLike, dim: Any, index: TensorLike, src: Any) -> Tensor:
    """Updates are added to the parts of a Parameter along its first axis that indices name, in place."""

def searchsorted(sorted_sequence: TensorLike, values: Any, *, out_int32: Any = False, right: Any = False, side: Any = None, sorter: TensorLike | None = None) -> Tensor:
    """Where values belong in sorted rows: how many elements of the row are less (`right`: not greater)."""

def select(input: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """`input` where the condition holds, else `other`: `where` under MindSpore's older name."""

def sigmoid(input: TensorLike) -> Tensor:
    """1 / (1 + e^-input), element by element."""

def sign(input: TensorLike) -> Tensor:
    """-1, 0 or 1 for negative, zero and positive elements; NaN for NaN."""

def sin(input: TensorLike) -> Tensor:
    """Sine, element by element."""

def sinc(input: TensorLike) -> Tensor:
    """sin(pi · input) / (pi · input), and 1 at 0, element by element."""

def sinh(input: TensorLike) -> Tensor:
    """Hyperbolic sine, element by element."""

def softmax(input: TensorLike, dim: Any, *, dtype: Any = None) -> Tensor:
    """Probabilities from logits: y = exp(x - max x) / sum(exp(x - max x)) along one axis."""

def sort(input: TensorLike, *, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> builtins.tuple[Tensor, Tensor]:
    """The elements in order along an axis, and where they stood. Equal ones always keep their order."""

def split(tensor: TensorLike, split_size_or_sections: Any, dim: Any = 0) -> builtins.tuple[Tensor, ...]:
    """Neighbouring parts along an axis."""

def sqrt(input: TensorLike) -> Tensor:
    """Square root, element by element."""

def square(input: TensorLike) -> Tensor:
    """input², element by element."""

def squeeze(input: TensorLike, dim: Any = None) -> Tensor:
    """Drop axes of length 1: all, or those among the named that have it. A view."""

def stack(tensors: Sequence[TensorLike] | Tensor, dim: Any = 0) -> Tensor:
    """Tensors of one shape, side by side along a new axis."""

def std(input: TensorLike, dim: Any = None, *, correction: Any = 1, keepdim: builtins.bool = False) -> Any:
    """`ops.std` that divides by the number of elements less `correction`, 1 when not given."""

def std_mean(input: TensorLike, dim: Any = None, *, correction: Any = 1, keepdim: builtins.bool = False) -> Any:
    """`ops.std_mean` that divides by the number of elements less `correction`, 1 when not given."""

def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input - alpha · other, element by element."""

def sum(input: TensorLike, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes; integers and bools are added as int64. See `reduce_sum`."""

def swapaxes(input: TensorLike, axis0: Any, axis1: Any) -> Tensor:
    """Two axes exchanged. A view."""

def t(input: TensorLike) -> Tensor: ...

def take(input: TensorLike, index: TensorLike) -> Tensor:
    """The elements that indices name in row-major order."""

def tan(input: TensorLike) -> Tensor:
    """Tangent, element by element."""

def tanh(input: TensorLike) -> Tensor:
    """Hyperbolic tangent, element by element."""

def tile(input: TensorLike, dims: Any) -> Tensor:
    """The tensor several times along each axis."""

def topk(input: TensorLike, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Tensor:
    """The k largest elements along an axis, and where each stands; of equal ones the first."""

def trace(input: TensorLike) -> Tensor:
    """The sum of the main diagonal of a matrix, of integers and bools as int64."""

def transpose(input: TensorLike, dim0: Any, dim1: Any) -> Tensor:
    """Two axes exchanged. A view."""

def triangular_solve(b: TensorLike, A: TensorLike, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> builtins.tuple[Tensor, Tensor]:
    """Solve linear equations whose matrices are triangular: X with A X = b, or Aᵀ X = b."""

def tril(input: TensorLike, diagonal: Any = 0) -> Tensor:
    """The lower triangle of matrices: zero where column - row > diagonal."""

def triu(input: TensorLike, diagonal: Any = 0) -> Tensor:
    """The upper triangle of matrices: zero where column - row < diagonal."""

def trunc(input: TensorLike) -> Tensor:
    """The element without what stands behind its point."""

def unbind(input: TensorLike, dim: Any = 0) -> builtins.tuple[Tensor, ...]:
    """The parts along an axis, without it."""

def unique(input: TensorLike, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: Any = None) -> Any:
    """The different elements in order; if asked for, also which of them each element is, and how often each occurs."""

def unique_consecutive(input: TensorLike, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    """The elements without those that equal their predecessor."""

def unsqueeze(input: TensorLike, dim: Any) -> Tensor:
    """Add an axis of length 1, as `expand_dims`."""

def var(input: TensorLike, dim: Any = None, *, correction: Any = 1, keepdim: builtins.bool = False) -> Any:
    """`ops.var` that divides by the number of elements less `correction`, 1 when not given."""

def var_mean(input: TensorLike, dim: Any = None, *, correction: Any = 1, keepdim: builtins.bool = False) -> Any:
    """`ops.var_mean` that divides by the number of elements less `correction`, 1 when not given."""

def vdot(input: TensorLike, other: TensorLike) -> Tensor:
    """The sum of products over the last axis of `input` and the last but one (the only one) of `other`, as `numpy.dot`."""

def where(condition: TensorLike, input: Any = None, other: Any = None) -> Any:
    """`input` where a condition holds, else `other`; without both the places where it holds, one tensor for each axis."""

def xlogy(input: TensorLike, other: TensorLike) -> Tensor:
    """input · log(other), and 0 where the input is 0, element by element."""

def zeros(*size: Any, dtype: Any = None) -> Tensor:
    """Zeros: `zeros(2, 3)` or `zeros((2, 3))`."""

def zeros_like(input: TensorLike, *, dtype: Any = None) -> Tensor:
    """Zeros of the shape, and the type unless another is given, of a tensor."""

__all__ = [
    "abs", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "all", "allclose", "amax", "amin",
    "any", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin",
    "argsort", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "bernoulli", "bincount", "bitwise_and", "bitwise_not",
    "bitwise_or", "bitwise_xor", "bmm", "broadcast_to", "cat", "cdist", "ceil", "chunk", "clamp", "clip", "clone", "concat",
    "conv2d", "cos", "cosh", "count_nonzero", "cross", "cummax", "cummin", "cumprod", "cumsum", "diag", "diff", "div",
    "divide", "dot", "dstack", "einsum", "empty", "empty_like", "eq", "equal", "erf", "erfc", "erfinv", "exp", "exp2",
    "expm1", "eye", "fix", "flatten", "flip", "float_power", "floor", "floor_divide", "fmod", "frac", "full", "full_like",
    "gather", "gcd", "ge", "greater", "greater_equal", "gt", "histc", "hstack", "imag", "index_add", "index_select",
    "inverse", "isclose", "isfinite", "isinf", "isnan", "isneginf", "kthvalue", "le", "lerp", "less", "less_equal",
    "linalg", "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not",
    "logical_or", "logical_xor", "logsumexp", "lt", "masked_select", "matmul", "max", "maximum", "mean", "median",
    "meshgrid", "min", "minimum", "mm", "mul", "multinomial", "mv", "nan_to_num", "nansum", "narrow", "ne", "neg",
    "negative", "nn", "nonzero", "norm", "normal", "not_equal", "ones", "ones_like", "optim", "outer", "permute", "polar",
    "pow", "prod", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "ravel", "real",
    "reciprocal", "remainder", "repeat_interleave", "reshape", "roll", "round", "rsqrt", "scatter", "scatter_add",
    "searchsorted", "select", "sigmoid", "sign", "sin", "sinc", "sinh", "softmax", "sort", "special", "split", "sqrt",
    "square", "squeeze", "stack", "std", "std_mean", "sub", "sum", "swapaxes", "t", "take", "tan", "tanh", "tile", "topk",
    "trace", "transpose", "triangular_solve", "tril", "triu", "trunc", "unbind", "unique", "unique_consecutive",
    "unsqueeze", "var", "var_mean", "vdot", "where", "xlogy", "zeros", "zeros_like",
]

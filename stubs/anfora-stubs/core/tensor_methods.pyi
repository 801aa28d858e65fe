# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from anfora.core.border import NumpyBorder
from anfora.core.dtype import DType
from anfora.core.tensor import Tensor

#: What is taken where a tensor is asked for.
TensorLike: TypeAlias = (
    Tensor | np.ndarray[Any, Any] | np.number[Any] | np.bool_ | builtins.float | list[Any] | tuple[Any, ...]
)

class TensorMethods(NumpyBorder):
    @property
    def T(self) -> Tensor:
        """The axes in reverse order. A view."""
    @property
    def H(self) -> Tensor:
        """The axes in reverse order, complex elements conjugated. Of real ones a view."""
    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged. A view."""
    @property
    def mH(self) -> Tensor:
        """The last two axes exchanged, complex elements conjugated. Of real ones a view."""
    @property
    def data(self) -> Tensor:
        """The same values, through which no gradient flows. A view."""
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
    def __lt__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __add__(self, other: TensorLike) -> Tensor: ...
    def __sub__(self, other: TensorLike) -> Tensor: ...
    def __mul__(self, other: TensorLike) -> Tensor: ...
    def __truediv__(self, other: TensorLike) -> Tensor: ...
    def __floordiv__(self, other: TensorLike) -> Tensor: ...
    def __mod__(self, other: TensorLike) -> Tensor: ...
    def __pow__(self, other: TensorLike) -> Tensor: ...
    def __matmul__(self, other: TensorLike) -> Tensor: ...
    def __and__(self, other: TensorLike) -> Tensor: ...
    def __or__(self, other: TensorLike) -> Tensor: ...
    def __xor__(self, other: TensorLike) -> Tensor: ...
    def __lshift__(self, other: TensorLike) -> Tensor: ...
    def __rshift__(self, other: TensorLike) -> Tensor: ...
    def __radd__(self, other: TensorLike) -> Tensor: ...
    def __rsub__(self, other: TensorLike) -> Tensor: ...
    def __rmul__(self, other: TensorLike) -> Tensor: ...
    def __rtruediv__(self, other: TensorLike) -> Tensor: ...
    def __rfloordiv__(self, other: TensorLike) -> Tensor: ...
    def __rmod__(self, other: TensorLike) -> Tensor: ...
    def __rpow__(self, other: TensorLike) -> Tensor: ...
    def __rmatmul__(self, other: TensorLike) -> Tensor: ...
    def __rand__(self, other: TensorLike) -> Tensor: ...
    def __ror__(self, other: TensorLike) -> Tensor: ...
    def __rxor__(self, other: TensorLike) -> Tensor: ...
    def __rlshift__(self, other: TensorLike) -> Tensor: ...
    def __rrshift__(self, other: TensorLike) -> Tensor: ...
    def pinverse(self, *, atol: Any = None, rtol: Any = None, hermitian: Any = False) -> Tensor:
        """The pseudoinverses of matrices (Moore-Penrose): singular values that are small count as zero."""
    def abs(self) -> Tensor:
        """|input|, element by element."""
    def absolute(self) -> Tensor:
        """|input|, element by element."""
    def addcdiv(self, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
        """input + value · tensor1 / tensor2, element by element."""
    def addcmul(self, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
        """input + value · tensor1 · tensor2, element by element."""
    def div(self, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
        """input / other, element by element, rounded where asked."""
    def divide(self, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
        """input / other, element by element, rounded where asked."""
    def floor_div(self, other: TensorLike) -> Tensor:
        """floor(input / other), element by element: Python's `//`."""
    def floor_divide(self, other: TensorLike) -> Tensor:
        """floor(input / other), element by element: Python's `//`."""
    def floor_mod(self, other: TensorLike) -> Tensor:
        """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""
    def fmod(self, other: TensorLike) -> Tensor:
        """input - trunc(input / other) · other, which has the sign of the input, element by element: C's `fmod`."""
    def mod(self, other: TensorLike) -> Tensor:
        """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""
    def mul(self, other: TensorLike) -> Tensor:
        """input · other, element by element; of bools, whether both are true."""
    def multiply(self, other: TensorLike) -> Tensor:
        """input · other, element by element; of bools, whether both are true."""
    def neg(self) -> Tensor:
        """-input, element by element."""
    def negative(self) -> Tensor:
        """-input, element by element."""
    def positive(self) -> Tensor:
        """A copy of the input: Python's unary `+`."""
    def pow(self, exponent: TensorLike) -> Tensor:
        """input to the power of `exponent`, element by element: Python's `**`."""
    def reciprocal(self) -> Tensor:
        """1 / input, element by element."""
    def remainder(self, other: TensorLike) -> Tensor:
        """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""
    def true_divide(self, other: TensorLike) -> Tensor:
        """input / other, element by element: Python's `/`."""
    def lerp(self, end: TensorLike, weight: TensorLike) -> Tensor:
        """input + weight · (end - input), element by element; exactly the ends at the weights 0 and 1."""
    def maximum(self, other: TensorLike) -> Tensor:
        """The larger of two elements; NaN where either is NaN."""
    def minimum(self, other: TensorLike) -> Tensor:
        """The smaller of two elements; NaN where either is NaN."""
    def fmax(self, other: TensorLike) -> Tensor:
        """The larger of two elements; where one is NaN, the other."""
    def fmin(self, other: TensorLike) -> Tensor:
        """The smaller of two elements; where one is NaN, the other."""
    def hypot(self, other: TensorLike) -> Tensor:
        """sqrt(input² + other²) without overflow on the way, element by element."""
    def gcd(self, other: TensorLike) -> Tensor:
        """The greatest common divisor, element by element; of 0 and 0 it is 0."""
    def lcm(self, other: TensorLike) -> Tensor:
        """The least common multiple, element by element; 0 where either is 0."""
    def ceil(self) -> Tensor:
        """The smallest whole number that is not below the element."""
    def floor(self) -> Tensor:
        """The largest whole number that is not above the element."""
    def round(self, decimals: Any = 0) -> Tensor:
        """The nearest number with so many decimals; halves go to the even one."""
    def trunc(self) -> Tensor:
        """The element without what stands behind its point."""
    def fix(self) -> Tensor:
        """The element without what stands behind its point."""
    def frac(self) -> Tensor:
        """What stands behind the point of an element, with its sign."""
    def sign(self) -> Tensor:
        """-1, 0 or 1 for negative, zero and positive elements; NaN for NaN. Of complex numbers input / |input|, 0 at 0."""
    def sgn(self) -> Tensor:
        """-1, 0 or 1 for negative, zero and positive elements; NaN for NaN. Of complex numbers input / |input|, 0 at 0."""
    def sqrt(self) -> Tensor:
        """Square root, element by element."""
    def rsqrt(self) -> Tensor:
        """1 / sqrt(input), element by element."""
    def square(self) -> Tensor:
        """input², element by element."""
    def clamp(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """The input, brought into the range from `min` to `max`, element by element."""
    def clip(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """The input, brought into the range from `min` to `max`, element by element."""
    def nan_to_num(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """The input with finite numbers for what is not finite."""
    def copysign(self, other: TensorLike) -> Tensor:
        """|input| with the sign of `other`, element by element; -0.0 has a sign too."""
    def nextafter(self, other: TensorLike) -> Tensor:
        """The next floating-point number from the input in the direction of `other`, element by element."""
    def ldexp(self, other: TensorLike) -> Tensor:
        """x · 2 ** other, element by element."""
    def xlogy(self, other: TensorLike) -> Tensor:
        """input · log(other), and 0 where the input is 0, element by element."""
    def xdivy(self, y: TensorLike) -> Tensor:
        """x / y, and 0 where x is 0, element by element."""
    def acos(self) -> Tensor:
        """Arc cosine, from 0 to pi, element by element."""
    def acosh(self) -> Tensor:
        """Inverse hyperbolic cosine, element by element."""
    def arccos(self) -> Tensor:
        """Arc cosine, from 0 to pi, element by element."""
    def arccosh(self) -> Tensor:
        """Inverse hyperbolic cosine, element by element."""
    def arcsin(self) -> Tensor:
        """Arc sine, from -pi/2 to pi/2, element by element."""
    def arcsinh(self) -> Tensor:
        """Inverse hyperbolic sine, element by element."""
    def arctan(self) -> Tensor:
        """Arc tangent, from -pi/2 to pi/2, element by element."""
    def arctan2(self, other: TensorLike) -> Tensor:
        """The angle of the point (other, input), from -pi to pi, element by element."""
    def arctanh(self) -> Tensor:
        """Inverse hyperbolic tangent, element by element."""
    def asin(self) -> Tensor:
        """Arc sine, from -pi/2 to pi/2, element by element."""
    def asinh(self) -> Tensor:
        """Inverse hyperbolic sine, element by element."""
    def atan(self) -> Tensor:
        """Arc tangent, from -pi/2 to pi/2, element by element."""
    def atan2(self, other: TensorLike) -> Tensor:
        """The angle of the point (other, input), from -pi to pi, element by element."""
    def atanh(self) -> Tensor:
        """Inverse hyperbolic tangent, element by element."""
    def cos(self) -> Tensor:
        """Cosine, element by element."""
    def cosh(self) -> Tensor:
        """Hyperbolic cosine, element by element."""
    def sin(self) -> Tensor:
        """Sine, element by element."""
    def sinc(self) -> Tensor:
        """sin(pi · input) / (pi · input), and 1 at 0, element by element."""
    def sinh(self) -> Tensor:
        """Hyperbolic sine, element by element."""
    def tan(self) -> Tensor:
        """Tangent, element by element."""
    def tanh(self) -> Tensor:
        """Hyperbolic tangent, element by element."""
    def exp(self) -> Tensor:
        """e to the power of the element."""
    def exp2(self) -> Tensor:
        """2 to the power of the element."""
    def expm1(self) -> Tensor:
        """e to the power of the element, minus 1, accurate near 0."""
    def log(self) -> Tensor:
        """Natural logarithm, element by element."""
    def log10(self) -> Tensor:
        """Logarithm to the base 10, element by element."""
    def log1p(self) -> Tensor:
        """log(1 + input), accurate near 0, element by element."""
    def log2(self) -> Tensor:
        """Logarithm to the base 2, element by element."""
    def logaddexp(self, other: TensorLike) -> Tensor:
        """log(exp(input) + exp(other)) without overflow, element by element."""
    def logaddexp2(self, other: TensorLike) -> Tensor:
        """log2(2 ** input + 2 ** other) without overflow, element by element."""
    def logit(self, eps: Any = None) -> Tensor:
        """log(input / (1 - input)), the inverse of sigmoid, element by element."""
    def erf(self) -> Tensor:
        """The error function: 2 / sqrt(pi) times the integral of exp(-t²) from 0 to the element."""
    def erfc(self) -> Tensor:
        """1 - erf(input), accurate where that is small, element by element."""
    def erfinv(self) -> Tensor:
        """The inverse of the error function, element by element."""
    def lgamma(self) -> Tensor:
        """log |gamma(input)|, element by element."""
    def digamma(self) -> Tensor:
        """The derivative of log(gamma(input)), element by element."""
    def polygamma(self, input: TensorLike) -> Tensor:
        """The derivative number n of digamma, element by element."""
    def igamma(self, other: TensorLike) -> Tensor:
        """The regularised lower incomplete gamma function: the integral of exp(-t) t^(input - 1) from 0 to `other`, divided by gamma(input); element by element."""
    def igammac(self, other: TensorLike) -> Tensor:
        """The regularised upper incomplete gamma function, 1 - igamma(input, other), exact where it is small, element by element."""
    def mvlgamma(self, p: Any) -> Tensor:
        """Logarithm of the multivariate gamma function of p dimensions, element by element: log(pi) p (p - 1) / 4 + the sum of lgamma(input - j / 2) for j from 0 to p - 1."""
    def deg2rad(self) -> Tensor:
        """Angles in degrees as radians: x · pi / 180."""
    def rad2deg(self) -> Tensor:
        """Angles in radians as degrees: x · 180 / pi."""
    def angle(self) -> Tensor:
        """The angle of a number in the complex plane, from -pi to pi: of a real one pi for negative elements, -0.0 among them, else 0; NaN for NaN."""
    def truncate_div(self, other: TensorLike) -> Tensor:
        """input / other, rounded towards zero, element by element."""
    def truncate_mod(self, other: TensorLike) -> Tensor:
        """input - trunc(input / other) · other, which has the sign of the input, element by element: C's `fmod`."""
    def inv(self) -> Tensor:
        """1 / input, element by element."""
    def real(self) -> Tensor:
        """The real part. Of a complex tensor a view: what is written to it is written to the tensor."""
    def imag(self) -> Tensor:
        """The imaginary part. Of a complex tensor a view; of a real one zeros."""
    def conj(self) -> Tensor:
        """The complex conjugate, element by element."""
    def is_complex(self) -> builtins.bool:
        """Whether the element type is complex."""
    def equal(self, other: TensorLike) -> Tensor:
        """Whether input == other, element by element. NaN equals nothing."""
    def eq(self, other: TensorLike) -> Tensor:
        """Whether input == other, element by element. NaN equals nothing."""
    def ne(self, other: TensorLike) -> Tensor:
        """Whether input != other, element by element. NaN differs from everything, itself included."""
    def not_equal(self, other: TensorLike) -> Tensor:
        """Whether input != other, element by element. NaN differs from everything, itself included."""
    def greater(self, other: TensorLike) -> Tensor:
        """Whether input > other, element by element; false where either is NaN."""
    def gt(self, other: TensorLike) -> Tensor:
        """Whether input > other, element by element; false where either is NaN."""
    def greater_equal(self, other: TensorLike) -> Tensor:
        """Whether input >= other, element by element; false where either is NaN."""
    def ge(self, other: TensorLike) -> Tensor:
        """Whether input >= other, element by element; false where either is NaN."""
    def less(self, other: TensorLike) -> Tensor:
        """Whether input < other, element by element; false where either is NaN."""
    def lt(self, other: TensorLike) -> Tensor:
        """Whether input < other, element by element; false where either is NaN."""
    def less_equal(self, other: TensorLike) -> Tensor:
        """Whether input <= other, element by element; false where either is NaN."""
    def le(self, other: TensorLike) -> Tensor:
        """Whether input <= other, element by element; false where either is NaN."""
    def isclose(self, other: TensorLike, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
        """Whether |input - other| <= atol + rtol · |other|, element by element. Equal infinities are close."""
    def isfinite(self) -> Tensor:
        """Whether an element is neither infinite nor NaN."""
    def isinf(self) -> Tensor:
        """Whether an element is infinite, of either sign."""
    def isnan(self) -> Tensor:
        """Whether an element is not a number."""
    def isneginf(self) -> Tensor:
        """Whether an element is -infinity."""
    def isposinf(self) -> Tensor:
        """Whether an element is +infinity."""
    def isreal(self) -> Tensor:
        """Whether an element is a real number: those of real tensors are, NaN too, and complex ones without an imaginary part."""
    def signbit(self) -> Tensor:
        """Whether the sign of an element is minus: true of -0.0 too."""
    def heaviside(self, values: TensorLike) -> Tensor:
        """The step function: 0 for negative, 1 for positive elements, `values` at zero, NaN at NaN."""
    def logical_and(self, other: TensorLike) -> Tensor:
        """Whether both elements are true, that is, not zero."""
    def logical_not(self) -> Tensor:
        """Whether an element is false, that is, zero."""
    def logical_or(self, other: TensorLike) -> Tensor:
        """Whether either element is true, that is, not zero."""
    def logical_xor(self, other: TensorLike) -> Tensor:
        """Whether exactly one of the elements is true, that is, not zero."""
    def bitwise_and(self, other: TensorLike) -> Tensor:
        """The bits that both integers have; of bools, whether both are true."""
    def bitwise_not(self) -> Tensor:
        """The other bits: -input - 1 for signed integers; of bools, the opposite."""
    def bitwise_or(self, other: TensorLike) -> Tensor:
        """The bits that either integer has; of bools, whether either is true."""
    def bitwise_xor(self, other: TensorLike) -> Tensor:
        """The bits that exactly one of the integers has; of bools, whether exactly one is true."""
    def bitwise_left_shift(self, other: TensorLike) -> Tensor:
        """input · 2 ** other, modulo 2 ** bits, for integers."""
    def bitwise_right_shift(self, other: TensorLike) -> Tensor:
        """floor(input / 2 ** other) for integers."""
    def invert(self) -> Tensor:
        """The other bits: -input - 1 for signed integers; of bools, the opposite."""
    def masked_fill(self, mask: TensorLike, value: TensorLike) -> Tensor:
        """The input with `value` where the mask holds."""
    def allclose(self, other: TensorLike, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Whether all elements are close: |input - other| ≤ atol + rtol · |other|; see `isclose`."""
    def all(self, axis: Any = None, keep_dims: Any = False, *, dim: Any = ..., keepdim: Any = ..., keepdims: Any = ...) -> Tensor:
        """Whether all elements over axes are true (not zero); true where there is none."""
    def any(self, axis: Any = None, keep_dims: Any = False, *, dim: Any = ..., keepdim: Any = ..., keepdims: Any = ...) -> Tensor:
        """Whether some element over axes is true (not zero); false where there is none."""
    def amax(self, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The largest element over axes; see `reduce_max`, also for its gradient."""
    def amin(self, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The smallest element over axes; see `amax`."""
    def aminmax(self, *, axis: Any = 0, keepdims: Any = False, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The smallest and the largest elements along an axis (over all for None)."""
    def argmin(self, axis: Any = None, keepdims: Any = False, *, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The position, int32, of the smallest element along an axis, the first of equal ones; NaN counts as smallest. See `argmax`."""
    def argmax(self, dim: Any = None, keepdim: Any = False, *, axis: Any = ..., keep_dims: Any = ..., keepdims: Any = ...) -> Tensor:
        """The position of the largest element along an axis, the first of equal ones; NaN counts as largest."""
    def argmax_with_value(self, axis: Any = 0, keep_dims: Any = False, *, dim: Any = ..., keepdim: Any = ..., keepdims: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The largest elements along an axis and their positions, the first of equal ones; NaN counts as largest."""
    def argmin_with_value(self, axis: Any = 0, keep_dims: Any = False, *, dim: Any = ..., keepdim: Any = ..., keepdims: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The smallest elements along an axis and their positions, the first of equal ones; NaN counts as smallest. See `argmax_with_value`."""
    def count_nonzero(self, axis: Any = (), keep_dims: Any = False, dtype: Any = ..., *, dim: Any = ..., keepdim: Any = ..., keepdims: Any = ...) -> Tensor:
        """How many elements are not zero; NaN is not, -0.0 is."""
    def logsumexp(self, dim: Any = ..., keepdim: Any = False, *, axis: Any = ..., keep_dims: Any = ..., keepdims: Any = ...) -> Tensor:
        """log(sum(exp(x))) over axes, the largest element taken out first so that nothing overflows."""
    def mean(self, axis: Any = None, keep_dims: Any = False, *, dim: Any = ..., keepdim: Any = ..., keepdims: Any = ...) -> Tensor:
        """The mean over axes: sum / count. Integers and bools are averaged in float64 and give float32."""
    def nanmean(self, axis: Any = None, keepdims: Any = False, *, dtype: Any = None, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The mean over axes of what is not NaN; NaN where nothing is left."""
    def nansum(self, axis: Any = None, keepdims: Any = False, *, dtype: Any = None, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The sum over axes with NaN counted as zero; integers and bools are added as int64."""
    def prod(self, axis: Any = None, keep_dims: Any = False, dtype: Any = None, *, dim: Any = ..., keepdim: Any = ..., keepdims: Any = ...) -> Tensor:
        """The product over axes; that of floating-point elements is computed in float64 and rounded once."""
    def median(self, axis: Any = -1, keepdims: Any = False, *, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The median along an axis, the lower of the two in the middle where there are two, and where it stands (int64)."""
    def nanmedian(self, axis: Any = -1, keepdims: Any = False, *, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The median along an axis of what is not NaN, and where it stands; see `median`."""
    def norm(self, ord: Any = None, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, axis: Any = ..., keep_dims: Any = ..., keepdims: Any = ...) -> Tensor:
        """The norm of vectors or matrices."""
    def quantile(self, q: Any, axis: Any = None, keepdims: Any = False, *, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The quantiles along an axis: of n elements in order, what lies at the place q (n - 1), linearly between neighbours."""
    def nanquantile(self, q: Any, axis: Any = None, keepdims: Any = False, *, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The quantiles along an axis of what is not NaN; NaN where nothing is left. See `quantile`."""
    def cumprod(self, dim: Any = ..., dtype: Any = None, *, exclusive: Any = False, reverse: Any = False, axis: Any = ...) -> Tensor:
        """The running product along an axis: y_k = Π_{i<=k} x_i, carried in float64 and rounded for each k."""
    def cummax(self, axis: Any = ..., *, dim: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The largest element so far along an axis and its position; of equal ones the last; NaN stays."""
    def cummin(self, axis: Any = ..., *, dim: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The smallest element so far along an axis and its position, int32; see `cummax`."""
    def logcumsumexp(self, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """y_k = log(Σ_{i<=k} exp(x_i)) along an axis, without overflow."""
    def diff(self, n: Any = 1, axis: Any = -1, prepend: TensorLike | None = None, append: TensorLike | None = None, *, dim: Any = ...) -> Tensor:
        """The differences of neighbours along an axis, y_k = x_{k+1} - x_k, taken n times; of bools, whether they differ."""
    def trapz(self, x: TensorLike | None = None, *, dx: Any = 1.0, dim: Any = -1, axis: Any = ...) -> Tensor:
        """The integral along an axis by the trapezoidal rule: Σ (x_{k+1} - x_k) (y_k + y_{k+1}) / 2."""
    def sort(self, axis: Any = -1, descending: Any = False, *, dim: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The elements in order along an axis, and where each was."""
    def argsort(self, axis: Any = -1, descending: Any = False, *, dim: Any = ...) -> Tensor:
        """The positions, int32, of the elements in order along an axis; see `sort`."""
    def topk(self, k: Any, dim: Any = None, largest: Any = True, sorted: Any = True, *, axis: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The k largest elements along an axis, and where each stands; of equal ones the first."""
    def kthvalue(self, k: Any, dim: Any = -1, keepdim: Any = False, *, axis: Any = ..., keep_dims: Any = ..., keepdims: Any = ...) -> builtins.tuple[Tensor, Tensor]:
        """The k-th smallest element along an axis, counted from 1, and where it stands (int64); see `median`."""
    def msort(self) -> Tensor:
        """The elements in order along the first axis."""
    def unique_consecutive(self, return_inverse: Any = False, return_counts: Any = False, dim: Any = None, *, axis: Any = ...) -> Any:
        """The elements without those that equal their predecessor."""
    def bincount(self, weights: TensorLike | None = None, minlength: Any = 0) -> Tensor:
        """How often 0, 1, 2, … occur; with weights, the sum of those of equal elements."""
    def histc(self, bins: Any = 100, min: Any = 0.0, max: Any = 0.0) -> Tensor:
        """How many elements fall into each of `bins` ranges of equal width from `min` to `max`."""
    def bucketize(self, boundaries: Any, *, right: Any = False) -> Tensor:
        """Which of the buckets between ascending boundaries each element falls into, int32; see `searchsorted`."""
    def matmul(self, other: TensorLike, *, transpose_a: Any = False, transpose_b: Any = False) -> Tensor:
        """The matrix product: y[…, m, n] = sum over k of input[…, m, k] other[…, k, n]."""
    def mm(self, mat2: TensorLike) -> Tensor:
        """The product of two matrices (M, K) and (K, N); see `matmul`."""
    def bmm(self, mat2: TensorLike) -> Tensor:
        """The products of matrices (…, M, K) and (…, K, N), item by item of equal leading axes; see `matmul`."""
    def mv(self, vec: TensorLike) -> Tensor:
        """The product of a matrix (M, K) and a vector (K,); see `matmul`."""
    def dot(self, other: TensorLike) -> Tensor:
        """The sum of products over the last axis of `input` and the last but one (the only one) of `other`, as `numpy.dot`."""
    def inner(self, other: TensorLike) -> Tensor:
        """The sum of products over the last axes of both: y[*a, *b] = sum over k of input[*a, k] other[*b, k]. Where one is 0-d, their product."""
    def outer(self, vec2: TensorLike) -> Tensor:
        """All products of the elements of two vectors: y[i, j] = input[i] vec2[j]."""
    def ger(self, vec2: TensorLike) -> Tensor:
        """All products of the elements of two vectors; see `outer`."""
    def kron(self, other: TensorLike) -> Tensor:
        """The Kronecker product: each element of `input` times all of `other`, laid out as blocks."""
    def cross(self, other: TensorLike, dim: Any = None, *, axis: Any = ...) -> Tensor:
        """The cross products of vectors of length 3."""
    def addmm(self, mat1: TensorLike, mat2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """beta · input + alpha · (mat1 @ mat2)."""
    def addmv(self, mat: TensorLike, vec: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """beta · input + alpha · (mat @ vec), with `mat` (M, K), `vec` (K,) and `input` that broadcasts to (M,); see `addmm`."""
    def addbmm(self, batch1: TensorLike, batch2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """beta · input + alpha · (the sum of the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""
    def baddbmm(self, batch1: TensorLike, batch2: TensorLike, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """beta · input + alpha · (the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""
    def addr(self, vec1: TensorLike, vec2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """beta · x + alpha · outer(vec1, vec2), with `x` that broadcasts to (M, N); see `addmm`."""
    def det(self) -> Tensor:
        """The determinants of matrices."""
    def logdet(self) -> Tensor:
        """The logarithms of the determinants of matrices (…, N, N); NaN where one is negative, -inf where it is zero."""
    def slogdet(self) -> builtins.tuple[Tensor, Tensor]:
        """The signs of the determinants of matrices and the logarithms of their magnitudes."""
    def log_matrix_determinant(self) -> builtins.tuple[Tensor, Tensor]:
        """The signs of determinants and the logarithms of their magnitudes; see `slogdet`."""
    def matrix_determinant(self) -> Tensor:
        """The determinants of matrices; see `det`."""
    def inverse(self) -> Tensor:
        """The inverses of matrices."""
    def pinv(self, *, atol: Any = None, rtol: Any = None, hermitian: Any = False) -> Tensor:
        """The pseudoinverses of matrices (Moore-Penrose): singular values that are small count as zero."""
    def cholesky(self, upper: Any = False) -> Tensor:
        """The Cholesky factors of symmetric (complex: Hermitian) positive definite matrices: x = l lᵀ (l lᴴ)."""
    def cholesky_inverse(self, upper: Any = False) -> Tensor:
        """The inverses of the matrices of which these are the Cholesky factors: (l lᵀ)⁻¹; with `upper`, (lᵀ l)⁻¹."""
    def qr(self, mode: Any = 'reduced') -> builtins.tuple[Tensor, Tensor]:
        """Matrices as products of one with orthonormal columns and an upper triangle: input = q r."""
    def svd(self, full_matrices: Any = False, compute_uv: Any = True) -> Any:
        """The singular values of matrices, largest first, and their vectors: input = u diag(s) vᵀ (of complex ones vᴴ)."""
    def matrix_power(self, n: Any) -> Tensor:
        """Square matrices to an integer power, by repeated squaring; a negative one is a power of the inverse."""
    def matrix_exp(self) -> Tensor:
        """The exponentials of matrices: the sum of xᵏ / k!."""
    def cdist(self, x2: TensorLike, p: Any = 2.0) -> Tensor:
        """The distances between all rows of two matrices: y[…, i, j] = norm of x1[…, i] - x2[…, j]."""
    def dist(self, other: TensorLike, p: Any = 2) -> Tensor:
        """The norm of the difference of two tensors that broadcast; see `vector_norm`."""
    def cov(self, *, correction: Any = 1, fweights: TensorLike | None = None, aweights: TensorLike | None = None) -> Tensor:
        """The covariances of variables."""
    def eigvals(self) -> Tensor:
        """The eigenvalues of matrices, in no order; see `eig`."""
    def geqrf(self) -> builtins.tuple[Tensor, Tensor]:
        """The QR factors of matrices in the form in which LAPACK gives them, for `orgqr` and `ormqr`."""
    def orgqr(self, input2: TensorLike) -> Tensor:
        """The first columns of a product of reflections, as `geqrf` gives them: q of the QR factors."""
    def trace(self, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Tensor:
        """The sum of a diagonal."""
    def tril(self, diagonal: Any = 0) -> Tensor:
        """The lower triangle of matrices: zero where column - row > diagonal."""
    def triu(self, diagonal: Any = 0) -> Tensor:
        """The upper triangle of matrices: zero where column - row < diagonal."""
    def diag(self) -> Tensor:
        """A tensor with twice the axes, zero but for the elements whose two halves of coordinates are equal."""
    def diagflat(self, offset: Any = 0) -> Tensor:
        """The matrix that is zero outside of a diagonal, which holds all elements of the input."""
    def diag_embed(self, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
        """Matrices that are zero outside of a diagonal, which holds the last axis of the input."""
    def renorm(self, p: Any, axis: Any = ..., maxnorm: Any = ..., *, dim: Any = ...) -> Tensor:
        """Scale the parts of a tensor along an axis down to a norm of at most `maxnorm`."""
    def relu(self) -> Tensor:
        """max(input, 0), element by element."""
    def relu6(self) -> Tensor:
        """min(max(x, 0), 6), element by element."""
    def sigmoid(self) -> Tensor:
        """1 / (1 + e^-input), element by element."""
    def softmax(self, axis: Any = -1, *, dtype: Any = None, dim: Any = ...) -> Tensor:
        """Probabilities from logits: y = exp(x - max x) / sum(exp(x - max x)) along one axis."""
    def log_softmax(self, axis: Any = -1, *, dim: Any = ...) -> Tensor:
        """Logarithm of the softmax along one axis: y = x - max x - log(sum(exp(x - max x)))."""
    def softmin(self, axis: Any = -1, *, dtype: Any = None, dim: Any = ...) -> Tensor:
        """`softmax` of -x: the smallest gets the largest probability."""
    def softplus(self, beta: TensorLike = 1, threshold: TensorLike = 20) -> Tensor:
        """log(1 + e^(beta · input)) / beta, and the input itself where beta · input > threshold, element by element."""
    def softsign(self) -> Tensor:
        """x / (1 + |x|), element by element."""
    def logsigmoid(self) -> Tensor:
        """log(1 / (1 + e^-x)), element by element."""
    def gelu(self, approximate: Any = 'none') -> Tensor:
        """input · Φ(input), element by element, with the distribution function Φ of the standard normal distribution."""
    def elu(self, alpha: TensorLike = 1.0) -> Tensor:
        """The input where it is positive, else alpha (e^input - 1), element by element."""
    def selu(self) -> Tensor:
        """1.0507 · elu(input, 1.6733), element by element: keeps mean 0 and variance 1 from layer to layer."""
    def celu(self, alpha: TensorLike = 1.0) -> Tensor:
        """x where it is positive, else alpha (e^(x / alpha) - 1), element by element."""
    def leaky_relu(self, alpha: TensorLike = 0.2) -> Tensor:
        """max(input, 0) + alpha · min(input, 0), element by element."""
    def hardshrink(self, lambd: TensorLike = 0.5) -> Tensor:
        """The input where |input| > lambd, else 0, element by element."""
    def hardsigmoid(self) -> Tensor:
        """min(max(input / 6 + 1/2, 0), 1), element by element."""
    def hardswish(self) -> Tensor:
        """input · hardsigmoid(input), element by element."""
    def hardtanh(self, min_val: TensorLike = -1.0, max_val: TensorLike = 1.0) -> Tensor:
        """min(max(input, min_val), max_val), element by element."""
    def softshrink(self, lambd: TensorLike = 0.5) -> Tensor:
        """The input moved towards 0 by lambd, and 0 where |input| <= lambd, element by element."""
    def silu(self) -> Tensor:
        """input · sigmoid(input), element by element."""
    def mish(self) -> Tensor:
        """x · tanh(softplus(x)), element by element."""
    def prelu(self, weight: TensorLike) -> Tensor:
        """max(input, 0) + weight · min(input, 0), with a slope for each channel."""
    def bernoulli(self, p: Any = 0.5, seed: Any = None) -> Tensor:
        """Ones with probability p, else zeros."""
    def multinomial(self, num_samples: Any, replacement: Any = True, seed: Any = None) -> Tensor:
        """Indices drawn with probabilities proportional to weights."""
    def random_categorical(self, num_sample: Any, seed: Any = 0, dtype: Any = ...) -> Tensor:
        """Indices drawn with probabilities softmax(logits)."""
    def top_k(self, k: builtins.int, sorted: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
        """The k largest elements of the last axis and their positions; see `topk`."""
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0, element by element."""
    def lstsq(self, A: TensorLike) -> Tensor:
        """The solution x of least squares, which makes the norm of input @ x - A smallest; of several, the smallest."""
    def lu_solve(self, LU_data: TensorLike, LU_pivots: TensorLike) -> Tensor:
        """Solve linear equations by the factors of their matrix: x with A x = b."""
    def pad(self, padding: Any, mode: Any = 'constant', value: Any = None) -> Tensor:
        """Elements added in front of and behind axes."""
    def unfold(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
        """The windows of images as columns."""
    def fold(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
        """Images from columns: the sum of all windows, each where `unfold` took it from."""
    def unique(self) -> builtins.tuple[Tensor, Tensor]:
        """The different elements in the order in which they first occur, and for each element the number of its kind."""
    def unique_with_pad(self, pad_num: Any) -> builtins.tuple[Tensor, Tensor]:
        """As `unique`, with the values filled up to the number of elements of `x`."""
    def reverse_sequence(self, seq_lengths: TensorLike, seq_dim: Any = 0, batch_dim: Any = 0) -> Tensor:
        """The first elements along an axis in reverse order, as many as lengths say; the others stay."""
    def unsorted_segment_max(self, segment_ids: TensorLike, num_segments: Any) -> Tensor:
        """For each number, the largest of the parts of a tensor that have it."""
    def unsorted_segment_min(self, segment_ids: TensorLike, num_segments: Any) -> Tensor:
        """For each number, the smallest of the parts of a tensor that have it."""
    def unsorted_segment_prod(self, segment_ids: TensorLike, num_segments: Any) -> Tensor:
        """For each number, the product of the parts of a tensor that have it."""
    def cholesky_solve(self, input2: TensorLike, upper: Any = False) -> Tensor:
        """Solve linear equations whose matrices have the Cholesky factors `input2`: x with l lᵀ x = input."""
    def approximate_equal(self, other: Any, tolerance: Any = 1e-05, *, y: Any = ...) -> Tensor:
        """Whether |x - y| < tolerance, element by element."""
    def float_power(self, other: Any, *, exponent: Any = ...) -> Tensor:
        """input to the power of `exponent`, in double precision: float64, or complex128 if either is complex."""
    def ormqr(self, input2: TensorLike, input3: TensorLike, left: builtins.bool = True, transpose: builtins.bool = False, *, other: Any = ..., tau: Any = ...) -> Tensor:
        """A product of reflections, as `geqrf` gives them, times matrices: q @ other."""
    def reshape(self, *shape: Any) -> Tensor:
        """The same elements, in row-major order, with other axes: `x.reshape(2, 3)` or `x.reshape((2, 3))`."""
    def view(self, *shape: Any) -> Tensor:
        """The same elements with other axes, as `reshape`."""
    def reshape_as(self, other: TensorLike) -> Tensor:
        """`input` reshaped to the shape of `other`."""
    def view_as(self, other: TensorLike) -> Tensor:
        """`input` reshaped to the shape of `other`."""
    def ravel(self) -> Tensor:
        """All elements in one axis."""
    def flatten(self, *args: Any, order: builtins.str = 'C', start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
        """Make one axis of the axes from `start_dim` to `end_dim`: of all, without arguments."""
    def unflatten(self, dim: Any = ..., sizes: Any = ..., *, axis: Any = ...) -> Tensor:
        """Make several axes of one."""
    def transpose(self, *axes: Any, **names: Any) -> Tensor:
        """The axes in another order, a view: `x.transpose(0, 2, 1)` or `x.transpose((0, 2, 1))` names all of them, `x.transpose(dim0, dim1)` exchanges two, `x.transpose()` reverses them."""
    def permute(self, *axis: Any, dim: Any = ...) -> Tensor:
        """The axes in another order: `x.permute(2, 0, 1)` or `x.permute((2, 0, 1))`. A view."""
    def t(self) -> Tensor:
        """A tensor of at most two axes with its axes in reverse order. A view."""
    def adjoint(self) -> Tensor:
        """The last two axes exchanged, complex elements conjugated. Of real ones a view."""
    def swapaxes(self, axis0: Any, axis1: Any) -> Tensor:
        """Two axes exchanged. A view."""
    def swapdims(self, dim0: Any, dim1: Any) -> Tensor:
        """Two axes exchanged, as `swapaxes`."""
    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """Axes moved to other places, the others kept in order. A view."""
    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Axes moved to other places, as `moveaxis`."""
    def expand_dims(self, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """Add an axis of length 1 so that it is axis `axis` of the result. A view."""
    def unsqueeze(self, dim: Any = ..., *, axis: Any = ...) -> Tensor:
        """Add an axis of length 1, as `expand_dims`."""
    def squeeze(self, axis: Any = None, *, dim: Any = ...) -> Tensor:
        """Drop axes of length 1: all, or those among the named that have it. A view."""
    def broadcast_to(self, *shape: Any) -> Tensor:
        """Repeat along axes of length 1, and along new axes in front: `x.expand(3, 4)`; -1 keeps a length. A view."""
    def expand(self, *shape: Any) -> Tensor:
        """Repeat along axes of length 1, and along new axes in front: `x.expand(3, 4)`; -1 keeps a length. A view."""
    def expand_as(self, other: TensorLike) -> Tensor:
        """`input` broadcast to the shape of `other`."""
    def sum_to_size(self, *size: Any) -> Tensor:
        """Undo a broadcast: sum over axes until the tensor has a shape."""
    def diagonal(self, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, *, dim1: Any = ..., dim2: Any = ...) -> Tensor:
        """The elements whose coordinates along two axes differ by `offset`: x[i, i + offset]. A view."""
    def narrow(self, axis: Any = ..., start: Any = ..., length: Any = ..., *, dim: Any = ...) -> Tensor:
        """`length` elements along an axis, from `start` on. A view."""
    def select(self, *args: Any, **names: Any) -> Tensor:
        """`x.select(dim, index)`: what stands at an index of an axis, a view. `x.select(condition, y)`: x where a condition holds, else y."""
    def tile(self, *dims: Any) -> Tensor:
        """The tensor several times along each axis: `x.tile((2, 1))`; the last number is for the last axis."""
    def repeat(self, *repeats: Any, axis: Any = ..., dim: Any = ...) -> Tensor:
        """The tensor several times along each axis, with a number for every axis: `x.repeat(2, 1)`."""
    def repeat_interleave(self, repeats: Any, axis: Any = None, *, output_size: Any = None, dim: Any = ...) -> Tensor:
        """Each element, or each part along an axis, several times in a row; see `ops.repeat_interleave`."""
    def flip(self, *dims: Any) -> Tensor:
        """The elements in reverse order along axes: `x.flip((0, 1))`. A copy."""
    def fliplr(self) -> Tensor:
        """The columns (second axis) in reverse order."""
    def flipud(self) -> Tensor:
        """The rows (first axis) in reverse order."""
    def reverse(self, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """The elements in reverse order along axes, as `flip`."""
    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        """The elements moved along axes; what leaves at one end comes in at the other."""
    def rot90(self, k: Any = 1, dims: Any = (0, 1)) -> Tensor:
        """Turned by 90 degrees in the plane of two axes, `k` times, from the first towards the second."""
    def split(self, split_size: Any, axis: Any = 0, *, dim: Any = ...) -> builtins.tuple[Tensor, ...]:
        """Neighbouring parts along an axis."""
    def tensor_split(self, indices_or_sections: Any, axis: Any = 0, *, dim: Any = ...) -> builtins.tuple[Tensor, ...]:
        """Neighbouring parts along an axis, cut at given places or into parts as equal as can be."""
    def hsplit(self, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
        """Parts along the second axis, or the first if it is the only one; see `tensor_split`."""
    def vsplit(self, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
        """Parts along the first axis; see `tensor_split`."""
    def dsplit(self, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
        """Parts along the third axis; see `tensor_split`."""
    def chunk(self, chunks: Any, axis: Any = 0, *, dim: Any = ...) -> builtins.tuple[Tensor, ...]:
        """At most `chunks` neighbouring parts along an axis, all of one length but for the last."""
    def unbind(self, dim: Any = 0, *, axis: Any = ...) -> builtins.tuple[Tensor, ...]:
        """The parts along an axis, without it."""
    def resize(self, *new_shape: Any) -> Tensor:
        """A copy with another number of elements: the first ones in row-major order, and zeros behind them."""
    def astype(self, dtype: Any, copy: builtins.bool = True) -> Tensor:
        """The values in another element type; a copy, unless `copy` is false and the type is the same."""
    def to(self, *args: Any, **names: Any) -> Tensor:
        """The tensor in another element type, or as it is where the type is the same: `x.to(float32)`."""
    def type(self, dtype: Any = None) -> Any:
        """The name of the element type, or the values in another one."""
    def type_as(self, other: TensorLike) -> Tensor:
        """The values in the element type of another tensor."""
    def bool(self) -> Tensor:
        """The values as Bool; the tensor itself where it is of that type."""
    def byte(self) -> Tensor:
        """The values as UInt8; the tensor itself where it is of that type."""
    def char(self) -> Tensor:
        """The values as Int8; the tensor itself where it is of that type."""
    def short(self) -> Tensor:
        """The values as Int16; the tensor itself where it is of that type."""
    def int(self) -> Tensor:
        """The values as Int32; the tensor itself where it is of that type."""
    def long(self) -> Tensor:
        """The values as Int64; the tensor itself where it is of that type."""
    def half(self) -> Tensor:
        """The values as Float16; the tensor itself where it is of that type."""
    def bfloat16(self) -> Tensor:
        """The values as BFloat16; the tensor itself where it is of that type."""
    def float(self) -> Tensor:
        """The values as Float32; the tensor itself where it is of that type."""
    def double(self) -> Tensor:
        """The values as Float64; the tensor itself where it is of that type."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the element type is floating point."""
    def is_signed(self) -> builtins.bool:
        """Whether the element type has negative numbers."""
    def copy(self) -> Tensor:
        """A copy in memory of its own, contiguous."""
    def clone(self) -> Tensor:
        """A copy in memory of its own, contiguous."""
    def contiguous(self) -> Tensor:
        """The tensor itself if its elements lie in row-major order without gaps, else a copy of which that is true."""
    def detach(self) -> Tensor:
        """The same values, through which no gradient flows. A view."""
    def value(self) -> Tensor:
        """The values of a tensor or a Parameter, a view; gradients go through it."""
    def ndimension(self) -> builtins.int:
        """The number of axes."""
    def new_zeros(self, *size: Any, dtype: Any = None) -> Tensor:
        """Zeros of a shape, of the element type of the tensor unless another is given."""
    def new_ones(self, *size: Any, dtype: Any = None) -> Tensor:
        """Ones of a shape, of the element type of the tensor unless another is given."""
    def new_empty(self, *size: Any, dtype: Any = None) -> Tensor:
        """Zeros of a shape, of the element type of the tensor unless another is given."""
    def new_full(self, size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
        """A constant tensor of a shape, of the element type of the tensor unless another is given."""
    def new_tensor(self, data: Any, *, dtype: Any = None) -> Tensor:
        """A tensor made of data, of the element type of the tensor unless another is given."""
    def fill(self, value: Any) -> Tensor:
        """A tensor of the same shape and type whose elements are all `value`."""
    def fill_(self, value: Any) -> Tensor:
        """Set every element to a value, in place."""
    def zero_(self) -> Tensor:
        """Set every element to zero, in place."""
    def copy_(self, src: Any, non_blocking: builtins.bool = False) -> Tensor:
        """Write a tensor or number, broadcast and converted, into the memory of this one."""
    def assign_value(self, value: Any) -> Tensor:
        """Write a tensor of the same shape and element type into the memory of this one, and give this one."""
    def index(self, indices: Any) -> Tensor:
        """The elements at places that index tensors name: `self[tuple(indices)]`."""
    def fill_diagonal(self, fill_value: Any, wrap: builtins.bool = False) -> Tensor:
        """A copy whose main diagonal holds a value."""
    def fill_diagonal_(self, fill_value: Any, wrap: builtins.bool = False) -> Tensor:
        """Set the main diagonal to a value, in place; see `fill_diagonal`."""
    def ptp(self, axis: Any = None, keepdims: builtins.bool = False, *, dim: Any = ..., keep_dims: Any = ..., keepdim: Any = ...) -> Tensor:
        """The largest less the smallest element along axes, of all elements without one: numpy's "peak to peak"."""
    def sum(self, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, **names: Any) -> Tensor:
        """The sum along axes, of all elements without one: `x.sum(axis=1, keepdims=True)`, `x.sum(1, True)`."""
    def max(self, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None, return_indices: builtins.bool = False, **names: Any) -> Any:
        """The largest elements along axes, of all elements without one: `x.max(axis=1)`."""
    def min(self, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None, return_indices: builtins.bool = False, **names: Any) -> Any:
        """The smallest elements along axes, of all elements without one: `x.min(axis=1)`."""
    def std(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False, **names: Any) -> Tensor:
        """The standard deviation along axes, of all elements without one; see `ops.std`."""
    def var(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False, **names: Any) -> Tensor:
        """The variance along axes, of all elements without one; see `ops.var`."""
    def add(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """x + alpha · other, element by element; see `ops.add`."""
    def sub(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """x - alpha · other, element by element; see `ops.sub`."""
    def subtract(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """x - alpha · other, element by element; see `ops.sub`."""
    def __round__(self, digits: builtins.int | None = None) -> Tensor:
        """The nearest numbers with so many digits behind the point, as a tensor; halves go to the even one."""
    def __divmod__(self, other: Any) -> Any:
        """The pair x // other, x % other."""
    def __rdivmod__(self, other: Any) -> Any:
        """The pair other // x, other % x."""
    def gather(self, *args: Any, **names: Any) -> Tensor:
        """`x.gather(input_indices, axis, batch_dims=0)`: the parts that indices name along an axis, see `ops.gather`. `x.gather(dim, index)`: the elements that they name, each in its own place, see `ops.gather_elements`."""
    def gather_elements(self, dim: Any = ..., index: TensorLike = ..., *, axis: Any = ...) -> Tensor:
        """The elements that indices name along an axis, each in its own place: result[i, j] = input[index[i, j], j] for axis 0."""
    def gather_nd(self, indices: TensorLike) -> Tensor:
        """The parts at places whose coordinates stand side by side along the last axis of the indices."""
    def take(self, indices: Any, axis: Any = None, mode: builtins.str = 'clip', *, dim: Any = ...) -> Tensor:
        """The parts that indices name along an axis; without an axis, elements in row-major order."""
    def index_select(self, axis: Any = ..., index: TensorLike = ..., *, dim: Any = ...) -> Tensor:
        """The parts along an axis that a 1-d tensor of indices names."""
    def masked_select(self, mask: TensorLike) -> Tensor:
        """The elements where a mask is true, in row-major order."""
    def nonzero(self, *, as_tuple: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, ...]:
        """The coordinates of the elements that are not zero, in row-major order."""
    def argwhere(self) -> Tensor:
        """The coordinates of the elements that are not zero, as `nonzero`."""
    def scatter(self, *args: Any, **names: Any) -> Tensor:
        """A copy in which elements are replaced: `x.scatter(axis, index, src)`; see `ops.scatter`."""
    def scatter_(self, *args: Any, **names: Any) -> Tensor:
        """`x.scatter_(dim, index, src)`: replace the elements that indices name along an axis, in place."""
    def scatter_add(self, *args: Any, **names: Any) -> Tensor:
        """A copy in which values are added: `x.scatter_add(dim, index, src)` element by element along an axis, `x.scatter_add(indices, updates)` at places given by their coordinates."""
    def scatter_add_(self, *args: Any, **names: Any) -> Tensor:
        """`x.scatter_add_(dim, index, src)`: add to the elements that indices name along an axis, in place."""
    def scatter_sub(self, indices: TensorLike, updates: Any) -> Tensor:
        """A copy in which updates are subtracted from what is at places given by their coordinates."""
    def scatter_mul(self, indices: TensorLike, updates: Any) -> Tensor:
        """A copy in which updates multiply what is at places given by their coordinates."""
    def scatter_div(self, indices: TensorLike, updates: Any) -> Tensor:
        """A copy in which updates divide what is at places given by their coordinates."""
    def scatter_max(self, indices: TensorLike, updates: Any) -> Tensor:
        """A copy in which updates that are larger replace what is at places given by their coordinates."""
    def scatter_min(self, indices: TensorLike, updates: Any) -> Tensor:
        """A copy in which updates that are smaller replace what is at places given by their coordinates."""
    def index_add(self, *args: Any, **names: Any) -> Tensor:
        """A copy in which parts are added along an axis: `x.index_add(dim, index, source, alpha=1)` or `x.index_add(indices, y, axis)`; see `ops.index_add`."""
    def index_add_(self, *args: Any, **names: Any) -> Tensor:
        """Add parts along an axis, in place: `x.index_add_(dim, index, source, alpha=1)`."""
    def index_fill(self, axis: Any = ..., index: TensorLike = ..., value: Any = ..., *, dim: Any = ...) -> Tensor:
        """A copy in which the parts along an axis that indices name hold one value."""
    def index_fill_(self, dim: Any = ..., index: TensorLike = ..., value: Any = ..., *, axis: Any = ...) -> Tensor:
        """Set parts along an axis to one value, in place."""
    def index_copy_(self, dim: Any = ..., index: TensorLike = ..., tensor: Any = ..., *, axis: Any = ...) -> Tensor:
        """Replace parts along an axis, in place."""
    def index_put(self, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
        """A copy in which the places `input[indices]` hold values."""
    def index_put_(self, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
        """Set, or with `accumulate` add, values at the places `x[indices]`, in place."""
    def put_(self, index: TensorLike, source: Any, accumulate: builtins.bool = False) -> Tensor:
        """Set, or with `accumulate` add, values at indices in row-major order, in place."""
    def masked_scatter(self, mask: TensorLike, tensor: TensorLike) -> Tensor:
        """A copy whose masked elements are the first elements of `tensor`, in row-major order."""
    def where(self, condition: TensorLike, y: Any) -> Tensor:
        """The elements where a condition holds, and those of `y` elsewhere."""
    def cumsum(self, axis: Any = None, dtype: Any = None, *, exclusive: builtins.bool = False, reverse: builtins.bool = False, dim: Any = ...) -> Tensor:
        """The running sum along an axis, of the flat tensor without one; see `ops.cumsum`."""
    def searchsorted(self, values: Any, side: builtins.str | None = None, sorter: Any = None, *, out_int32: builtins.bool = True, right: builtins.bool = False, v: Any = ...) -> Tensor:
        """Where values belong in the sorted rows of this tensor; see `ops.searchsorted`."""
    def inplace_update(self, v: Any, indices: Any) -> Tensor:
        """A copy in which values replace the parts along the first axis that indices name."""
    def select_scatter(self, src: TensorLike, axis: Any = ..., index: Any = ..., *, dim: Any = ...) -> Tensor:
        """A copy in which `src` stands at an index of an axis."""
    def slice_scatter(self, src: TensorLike, axis: Any = 0, start: Any = None, end: Any = None, step: Any = 1, *, dim: Any = ...) -> Tensor:
        """A copy in which `src` stands at a slice of an axis."""
    def diagonal_scatter(self, src: TensorLike, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
        """A copy in which `src` stands on a diagonal, see `diagonal`."""
    def to_coo(self) -> Any:
        """What is not zero, by coordinates (a `COOTensor`)."""
    def to_csr(self) -> Any:
        """What is not zero of a matrix, row by row (a `CSRTensor`)."""
    def bernoulli_(self, p: Any = 0.5, *, generator: Any = None) -> Tensor:
        """Fill the tensor with ones, with probability p (a number, or a tensor of them), and zeros."""
    def exponential_(self, lambd: builtins.float = 1.0, *, generator: Any = None) -> Tensor:
        """Fill the tensor with random numbers of the exponential distribution of mean 1 / lambd."""
    def normal_(self, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Tensor:
        """Fill the tensor with random numbers of a normal distribution."""
    def random_(self, from_: builtins.int = 0, to: builtins.int | None = None, *, generator: Any = None) -> Tensor:
        """Fill the tensor with random integers from `from_` to below `to`; `random_(n)` is from 0 to below n."""
    def uniform(self, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Tensor:
        """Random numbers from `from_` to `to`, in the shape and type of the tensor."""
    def uniform_(self, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None) -> Tensor:
        """Fill the tensor with random numbers from `from_` to `to`."""
    def abs_(self) -> Tensor:
        """As `abs`, in place: the tensor takes the values of the result, and is given back."""
    def add_(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """As `add`, in place: the tensor takes the values of the result, and is given back."""
    def addcdiv_(self, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
        """As `addcdiv`, in place: the tensor takes the values of the result, and is given back."""
    def addcmul_(self, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
        """As `addcmul`, in place: the tensor takes the values of the result, and is given back."""
    def ceil_(self) -> Tensor:
        """As `ceil`, in place: the tensor takes the values of the result, and is given back."""
    def clamp_(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """As `clamp`, in place: the tensor takes the values of the result, and is given back."""
    def cos_(self) -> Tensor:
        """As `cos`, in place: the tensor takes the values of the result, and is given back."""
    def div_(self, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
        """As `div`, in place: the tensor takes the values of the result, and is given back."""
    def erf_(self) -> Tensor:
        """As `erf`, in place: the tensor takes the values of the result, and is given back."""
    def exp_(self) -> Tensor:
        """As `exp`, in place: the tensor takes the values of the result, and is given back."""
    def floor_(self) -> Tensor:
        """As `floor`, in place: the tensor takes the values of the result, and is given back."""
    def floor_div_(self, other: TensorLike) -> Tensor:
        """As `floor_div`, in place: the tensor takes the values of the result, and is given back."""
    def floor_divide_(self, other: TensorLike) -> Tensor:
        """As `floor_divide`, in place: the tensor takes the values of the result, and is given back."""
    def log_(self) -> Tensor:
        """As `log`, in place: the tensor takes the values of the result, and is given back."""
    def log2_(self) -> Tensor:
        """As `log2`, in place: the tensor takes the values of the result, and is given back."""
    def masked_fill_(self, mask: TensorLike, value: TensorLike) -> Tensor:
        """As `masked_fill`, in place: the tensor takes the values of the result, and is given back."""
    def mul_(self, other: TensorLike) -> Tensor:
        """As `mul`, in place: the tensor takes the values of the result, and is given back."""
    def neg_(self) -> Tensor:
        """As `neg`, in place: the tensor takes the values of the result, and is given back."""
    def pow_(self, exponent: TensorLike) -> Tensor:
        """As `pow`, in place: the tensor takes the values of the result, and is given back."""
    def reciprocal_(self) -> Tensor:
        """As `reciprocal`, in place: the tensor takes the values of the result, and is given back."""
    def relu_(self) -> Tensor:
        """As `relu`, in place: the tensor takes the values of the result, and is given back."""
    def remainder_(self, other: TensorLike) -> Tensor:
        """As `remainder`, in place: the tensor takes the values of the result, and is given back."""
    def round_(self, decimals: Any = 0) -> Tensor:
        """As `round`, in place: the tensor takes the values of the result, and is given back."""
    def rsqrt_(self) -> Tensor:
        """As `rsqrt`, in place: the tensor takes the values of the result, and is given back."""
    def sigmoid_(self) -> Tensor:
        """As `sigmoid`, in place: the tensor takes the values of the result, and is given back."""
    def sign_(self) -> Tensor:
        """As `sign`, in place: the tensor takes the values of the result, and is given back."""
    def erfinv_(self) -> Tensor:
        """As `erfinv`, in place: the tensor takes the values of the result, and is given back."""
    def addmm_(self, mat1: TensorLike, mat2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """As `addmm`, in place: the tensor takes the values of the result, and is given back."""
    def sin_(self) -> Tensor:
        """As `sin`, in place: the tensor takes the values of the result, and is given back."""
    def sqrt_(self) -> Tensor:
        """As `sqrt`, in place: the tensor takes the values of the result, and is given back."""
    def square_(self) -> Tensor:
        """As `square`, in place: the tensor takes the values of the result, and is given back."""
    def sub_(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """As `sub`, in place: the tensor takes the values of the result, and is given back."""
    def subtract_(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """As `subtract`, in place: the tensor takes the values of the result, and is given back."""
    def tanh_(self) -> Tensor:
        """As `tanh`, in place: the tensor takes the values of the result, and is given back."""
    def trunc_(self) -> Tensor:
        """As `trunc`, in place: the tensor takes the values of the result, and is given back."""
    def logical_and_(self, other: TensorLike) -> Tensor:
        """As `logical_and`, in place: the tensor takes the values of the result, and is given back."""
    def logical_or_(self, other: TensorLike) -> Tensor:
        """As `logical_or`, in place: the tensor takes the values of the result, and is given back."""
    def logical_not_(self) -> Tensor:
        """As `logical_not`, in place: the tensor takes the values of the result, and is given back."""
    def logical_xor_(self, other: TensorLike) -> Tensor:
        """As `logical_xor`, in place: the tensor takes the values of the result, and is given back."""
    def bitwise_and_(self, other: TensorLike) -> Tensor:
        """As `bitwise_and`, in place: the tensor takes the values of the result, and is given back."""
    def bitwise_or_(self, other: TensorLike) -> Tensor:
        """As `bitwise_or`, in place: the tensor takes the values of the result, and is given back."""
    def bitwise_xor_(self, other: TensorLike) -> Tensor:
        """As `bitwise_xor`, in place: the tensor takes the values of the result, and is given back."""
    def bitwise_not_(self) -> Tensor:
        """As `bitwise_not`, in place: the tensor takes the values of the result, and is given back."""
    def masked_scatter_(self, mask: TensorLike, tensor: TensorLike) -> Tensor:
        """As `masked_scatter`, in place: the tensor takes the values of the result, and is given back."""
    def __getitem__(self, key: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...

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
from anfora.ops import abs as abs
from anfora.ops import acos as acos
from anfora.ops import acosh as acosh
from anfora.ops import addbmm as addbmm
from anfora.ops import addmm as addmm
from anfora.ops import addmv as addmv
from anfora.ops import allclose as allclose
from anfora.ops import arange as arange
from anfora.ops import arccos as arccos
from anfora.ops import arccosh as arccosh
from anfora.ops import arcsinh as arcsinh
from anfora.ops import arctan as arctan
from anfora.ops import arctan2 as arctan2
from anfora.ops import arctanh as arctanh
from anfora.ops import argmax as argmax
from anfora.ops import asin as asin
from anfora.ops import asinh as asinh
from anfora.ops import atan as atan
from anfora.ops import atan2 as atan2
from anfora.ops import atanh as atanh
from anfora.ops import bincount as bincount
from anfora.ops import bitwise_and as bitwise_and
from anfora.ops import bitwise_not as bitwise_not
from anfora.ops import bitwise_or as bitwise_or
from anfora.ops import bitwise_xor as bitwise_xor
from anfora.ops import broadcast_to as broadcast_to
from anfora.ops import ceil as ceil
from anfora.ops import clamp as clamp
from anfora.ops import clip as clip
from anfora.ops import cos as cos
from anfora.ops import cosh as cosh
from anfora.ops import cross as cross
from anfora.ops import div as div
from anfora.ops import divide as divide
from anfora.ops import dot as dot
from anfora.ops import dstack as dstack
from anfora.ops import einsum as einsum
from anfora.ops import eq as eq
from anfora.ops import equal as equal
from anfora.ops import erf as erf
from anfora.ops import erfc as erfc
from anfora.ops import erfinv as erfinv
from anfora.ops import exp as exp
from anfora.ops import exp2 as exp2
from anfora.ops import expm1 as expm1
from anfora.ops import eye as eye
from anfora.ops import fix as fix
from anfora.ops import flip as flip
from anfora.ops import float_power as float_power
from anfora.ops import floor as floor
from anfora.ops import floor_divide as floor_divide
from anfora.ops import fmod as fmod
from anfora.ops import frac as frac
from anfora.ops import full_like as full_like
from anfora.ops import gcd as gcd
from anfora.ops import ge as ge
from anfora.ops import greater as greater
from anfora.ops import greater_equal as greater_equal
from anfora.ops import gt as gt
from anfora.ops import hstack as hstack
from anfora.ops import imag as imag
from anfora.ops import inverse as inverse
from anfora.ops import isclose as isclose
from anfora.ops import isfinite as isfinite
from anfora.ops import isinf as isinf
from anfora.ops import isneginf as isneginf
from anfora.ops import kthvalue as kthvalue
from anfora.ops import le as le
from anfora.ops import lerp as lerp
from anfora.ops import less as less
from anfora.ops import less_equal as less_equal
from anfora.ops import log as log
from anfora.ops import log10 as log10
from anfora.ops import log1p as log1p
from anfora.ops import log2 as log2
from anfora.ops import logaddexp as logaddexp
from anfora.ops import logaddexp2 as logaddexp2
from anfora.ops import logical_and as logical_and
from anfora.ops import logical_not as logical_not
from anfora.ops import logical_or as logical_or
from anfora.ops import logical_xor as logical_xor
from anfora.ops import logsumexp as logsumexp
from anfora.ops import lt as lt
from anfora.ops import masked_select as masked_select
from anfora.ops import maximum as maximum
from anfora.ops import minimum as minimum
from anfora.ops import mm as mm
from anfora.ops import mul as mul
from anfora.ops import nan_to_num as nan_to_num
from anfora.ops import ne as ne
from anfora.ops import neg as neg
from anfora.ops import negative as negative
from anfora.ops import nonzero as nonzero
from anfora.ops import not_equal as not_equal
from anfora.ops import ones_like as ones_like
from anfora.ops import outer as outer
from anfora.ops import polar as polar
from anfora.ops import pow as pow
from anfora.ops import ravel as ravel
from anfora.ops import real as real
from anfora.ops import reciprocal as reciprocal
from anfora.ops import remainder as remainder
from anfora.ops import reshape as reshape
from anfora.ops import roll as roll
from anfora.ops import rsqrt as rsqrt
from anfora.ops import searchsorted as searchsorted
from anfora.ops import sigmoid as sigmoid
from anfora.ops import sign as sign
from anfora.ops import sin as sin
from anfora.ops import sinc as sinc
from anfora.ops import sinh as sinh
from anfora.ops import sqrt as sqrt
from anfora.ops import square as square
from anfora.ops import sum as sum
from anfora.ops import swapaxes as swapaxes
from anfora.ops import take as take
from anfora.ops import tan as tan
from anfora.ops import tanh as tanh
from anfora.ops import tile as tile
from anfora.ops import tril as tril
from anfora.ops import triu as triu
from anfora.ops import trunc as trunc
from anfora.ops import unbind as unbind
from anfora.ops import unique_consecutive as unique_consecutive
from anfora.ops import unsqueeze as unsqueeze
from anfora.ops import xlogy as xlogy
from anfora.ops import zeros_like as zeros_like

def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input + alpha · other, element by element."""

def addcdiv(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 / tensor2, element by element."""

def addcmul(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 · tensor2, element by element."""

def all(input: TensorLike, dim: Any = None, keepdim: Any = False) -> Tensor:
    """Whether all elements over axes are true (not zero); true where there is none."""

def amax(input: TensorLike, dim: Any = (), keepdim: Any = False) -> Tensor:
    """The largest element over axes; see `reduce_max`, also for its gradient."""

def amin(input: TensorLike, dim: Any = (), keepdim: Any = False) -> Tensor:
    """The smallest element over axes; see `amax`."""

def any(input: TensorLike, dim: Any = None, keepdim: Any = False) -> Tensor:
    """Whether some element over axes is true (not zero); false where there is none."""

def arcsin(x: TensorLike) -> Tensor:
    """Arc sine, from -pi/2 to pi/2, element by element."""

def argmin(input: TensorLike, dim: Any = None, keepdim: Any = False) -> Tensor:
    """The position, int32, of the smallest element along an axis, the first of equal ones; NaN counts as smallest. See `argmax`."""

def argsort(input: TensorLike, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> Tensor:
    """Where the elements stand that come first, second … in order. Equal ones always keep their order."""

def baddbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""

def bernoulli(input: TensorLike, *, generator: Any = None) -> Tensor:
    """Ones with the probabilities that the elements are, and zeros."""

def bmm(input: TensorLike, mat2: TensorLike) -> Tensor:
    """The products of matrices (…, M, K) and (…, K, N), item by item of equal leading axes; see `matmul`."""

def cat(tensors: Sequence[TensorLike] | Tensor, dim: Any = 0) -> Tensor:
    """Tensors one behind the other along an axis, as `concat`."""

def cdist(x1: TensorLike, x2: TensorLike, p: Any = 2.0, compute_mode: Any = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The distances between all rows of two matrices: y[…, i, j] = norm of x1[…, i] - x2[…, j]."""

def chunk(input: TensorLike, chunks: Any, dim: Any = 0) -> builtins.tuple[Tensor, ...]:
    """At most `chunks` neighbouring parts along an axis, all of one length but for the last."""

def clone(input: TensorLike) -> Tensor:
    """A copy in memory of its own, contiguous."""

def concat(tensors: Sequence[TensorLike] | Tensor, dim: Any = 0) -> Tensor:
    """Tensors one behind the other along an axis."""

def conv2d(input: TensorLike, weight: TensorLike, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Correlate images with windows; see `ops.conv2d`. A single example may lack the first axis."""

def count_nonzero(input: TensorLike, dim: Any = None) -> Tensor:
    """How many elements are not zero; NaN is not, -0.0 is."""

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

def empty(*size: Any, dtype: Any = None, device: Any = None, pin_memory: Any = False) -> Tensor:
    """A tensor that is to be written to. It holds zeros; do not count on it."""

def empty_like(input: TensorLike, *, dtype: Any = None, device: Any = None, pin_memory: Any = False) -> Tensor:
    """A tensor of the shape, and the type unless another is given, of a tensor, that is to be written to; see `empty`."""

def flatten(input: TensorLike, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Several axes, all when not given, as one."""

def full(size: Any, fill_value: TensorLike, *, dtype: Any = None) -> Tensor:
    """A tensor whose elements are all the same."""

def gather(input: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """The parts along an axis that indices name: result[p, i…, q] = params[p, indices[i…], q]."""

def histc(input: TensorLike, bins: Any = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """How many elements fall into each of `bins` ranges of equal width from `min` to `max`."""

def index_add(input: TensorLike, dim: Any, index: TensorLike, source: TensorLike, *, alpha: Any = 1) -> Tensor:
    """Add parts of `y` to the parts of `x` along an axis that indices name."""

def index_select(input: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """The parts along an axis that a 1-d tensor of indices names."""

def isnan(tensor: TensorLike) -> Tensor:
    """Whether an element is not a number."""

def linspace(start: Any, end: Any, steps: builtins.int, *, dtype: Any = None) -> Tensor:
    """Numbers at equal distances, both ends included."""

def matmul(input: TensorLike, other: TensorLike) -> Tensor:
    """The matrix product: y[…, m, n] = sum over k of input[…, m, k] other[…, k, n]."""

def max(input: TensorLike, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None) -> Any:
    """The largest element; with `dim` values and positions along an axis, with a tensor `other` the largest of two, element by element."""

def mean(input: TensorLike, dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
    """The mean along axes, of all elements without one; computed in `dtype`, if given."""

def median(input: TensorLike, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
    """The median of all elements; with `dim` medians and positions along an axis. See `ops.median`."""

def meshgrid(*tensors: Any, indexing: builtins.str | None = None) -> builtins.tuple[Tensor, ...]:
    """Coordinates of a grid; see `ops.meshgrid`. `indexing` is "ij" when not given."""

def min(input: TensorLike, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None) -> Any:
    """The smallest element; with `dim` values and positions along an axis, with a tensor `other` the smallest of two, element by element."""

def multinomial(input: TensorLike, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Any = None) -> Tensor:
    """Positions drawn with probabilities in proportion to the elements; see `ops.multinomial`."""

def mv(input: TensorLike, vec: TensorLike) -> Tensor:
    """The product of a matrix (M, K) and a vector (K,); see `matmul`."""

def nansum(input: TensorLike, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes with NaN counted as zero; integers and bools are added as int64."""

def narrow(input: TensorLike, dim: Any, start: Any, length: Any) -> Tensor:
    """`length` elements along an axis, from `start` on. A view."""

def norm(input: TensorLike, p: Any = 'fro', dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of the elements along axes, of all without any."""

def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Random numbers of normal distributions whose means and deviations are numbers or tensors."""

def ones(*size: Any, dtype: Any = None) -> Tensor:
    """Ones: `ones(2, 3)` or `ones((2, 3))`."""

def permute(input: TensorLike, dims: Any) -> Tensor:
    """The axes in another order, as `transpose`."""

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

def repeat_interleave(input: TensorLike, repeats: Any, dim: Any = None, *, output_size: Any = None) -> Tensor:
    """Each element, or each part along an axis, several times in a row."""

def round(input: TensorLike, *, decimals: Any = 0) -> Tensor:
    """The nearest number with so many decimals; halves go to the even one."""

def scatter(input: TensorLike, dim: Any, index: TensorLike, src: Any) -> Tensor:
    """A copy in which elements are replaced: for axis 0, `out[index[i, j], j] = src[i, j]`."""

def scatter_add(input: TensorLike, dim: Any, index: TensorLike, src: Any) -> Tensor:
    """Updates are added to the parts of a Parameter along its first axis that indices name, in place."""

def select(input: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """`input` where the condition holds, else `other`: `where` under MindSpore's older name."""

def softmax(input: TensorLike, dim: Any, *, dtype: Any = None) -> Tensor:
    """Probabilities from logits: y = exp(x - max x) / sum(exp(x - max x)) along one axis."""

def sort(input: TensorLike, *, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> builtins.tuple[Tensor, Tensor]:
    """The elements in order along an axis, and where they stood. Equal ones always keep their order."""

def split(tensor: TensorLike, split_size_or_sections: Any, dim: Any = 0) -> builtins.tuple[Tensor, ...]:
    """Neighbouring parts along an axis."""

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

def t(input: TensorLike) -> Tensor:
    """See `ops.<lambda>`."""

def topk(input: TensorLike, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Tensor:
    """The k largest elements along an axis, and where each stands; of equal ones the first."""

def trace(input: TensorLike) -> Tensor:
    """The sum of the main diagonal of a matrix, of integers and bools as int64."""

def transpose(input: TensorLike, dim0: Any, dim1: Any) -> Tensor:
    """Two axes exchanged. A view."""

def triangular_solve(b: TensorLike, A: TensorLike, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> builtins.tuple[Tensor, Tensor]:
    """Solve linear equations whose matrices are triangular: X with A X = b, or Aᵀ X = b."""

def unique(input: TensorLike, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: Any = None) -> Any:
    """The different elements in order; if asked for, also which of them each element is, and how often each occurs."""

def var(input: TensorLike, dim: Any = None, *, correction: Any = 1, keepdim: builtins.bool = False) -> Any:
    """`ops.var` that divides by the number of elements less `correction`, 1 when not given."""

def var_mean(input: TensorLike, dim: Any = None, *, correction: Any = 1, keepdim: builtins.bool = False) -> Any:
    """`ops.var_mean` that divides by the number of elements less `correction`, 1 when not given."""

def vdot(input: TensorLike, other: TensorLike) -> Tensor:
    """The sum of products over the last axis of `input` and the last but one (the only one) of `other`, as `numpy.dot`."""

def where(condition: TensorLike, input: Any = None, other: Any = None) -> Any:
    """`input` where a condition holds, else `other`; without both the places where it holds, one tensor for each axis."""

def zeros(*size: Any, dtype: Any = None) -> Tensor:
    """Zeros: `zeros(2, 3)` or `zeros((2, 3))`."""

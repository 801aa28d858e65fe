# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike
from anfora.ops import adaptive_avg_pool1d as adaptive_avg_pool1d
from anfora.ops import adaptive_avg_pool2d as adaptive_avg_pool2d
from anfora.ops import adaptive_avg_pool3d as adaptive_avg_pool3d
from anfora.ops import adaptive_max_pool2d as adaptive_max_pool2d
from anfora.ops import conv_transpose2d as conv_transpose2d
from anfora.ops import cosine_embedding_loss as cosine_embedding_loss
from anfora.ops import cross_entropy as cross_entropy
from anfora.ops import embedding as embedding
from anfora.ops import fold as fold
from anfora.ops import group_norm as group_norm
from anfora.ops import hardshrink as hardshrink
from anfora.ops import hardsigmoid as hardsigmoid
from anfora.ops import hardswish as hardswish
from anfora.ops import interpolate as interpolate
from anfora.ops import l1_loss as l1_loss
from anfora.ops import layer_norm as layer_norm
from anfora.ops import mse_loss as mse_loss
from anfora.ops import pixel_shuffle as pixel_shuffle
from anfora.ops import prelu as prelu
from anfora.ops import sigmoid as sigmoid
from anfora.ops import soft_margin_loss as soft_margin_loss
from anfora.ops import softplus as softplus
from anfora.ops import softshrink as softshrink
from anfora.ops import tanh as tanh
from anfora.ops import unfold as unfold

def adaptive_max_pool1d(input: TensorLike, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest element in each of some parts of sequences; with `return_indices` their positions too."""

def avg_pool1d(input: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window of sequences (N, C, L) or (C, L): `avg_pool2d` of planes one row high."""

def avg_pool2d(input: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None) -> Tensor:
    """The mean of each window."""

def avg_pool3d(input: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int = None) -> Tensor:
    """The mean of each window of volumes."""

def batch_norm(input: TensorLike, running_mean: TensorLike | None, running_var: TensorLike | None, weight: TensorLike | None = None, bias: TensorLike | None = None, training: builtins.bool = False, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Normalise each channel over all images: y = (x - mean) / sqrt(variance + eps) · weight + bias."""

def binary_cross_entropy(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, reduction: Any = 'mean') -> Tensor:
    """-weight (labels log(logits) + (1 - labels) log(1 - logits)) of probabilities, reduced."""

def binary_cross_entropy_with_logits(input: TensorLike, target: TensorLike, weight: Any = None, reduction: builtins.str = 'mean', pos_weight: Any = None) -> Tensor:
    """The cross entropy of targets and sigmoid(input); see `ops.binary_cross_entropy_with_logits`."""

def conv1d(input: TensorLike, weight: TensorLike, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Correlate sequences with windows; see `ops.conv1d`. A single example may lack the first axis."""

def conv2d(input: TensorLike, weight: TensorLike, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Correlate images with windows; see `ops.conv2d`. A single example may lack the first axis."""

def conv3d(input: TensorLike, weight: TensorLike, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Correlate volumes with windows; see `ops.conv3d`. A single example may lack the first axis."""

def dropout(input: TensorLike, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Zeros in random places, the rest larger in proportion; see `ops.dropout`."""

def dropout2d(input: TensorLike, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Zeros for random channels; see `ops.dropout2d`."""

def elu(input: TensorLike, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """input where it is positive, alpha (e^input - 1) elsewhere."""

def elu_(input: TensorLike, alpha: TensorLike = 1.0) -> Tensor:
    """`elu`, written into the tensor, which is given back."""

def flatten(input: TensorLike, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Several axes, all when not given, as one."""

def gelu(input: TensorLike, *, approximate: Any = 'none') -> Tensor:
    """input · Φ(input), element by element, with the distribution function Φ of the standard normal distribution."""

def glu(input: TensorLike, dim: builtins.int = -1) -> Tensor:
    """a · sigmoid(b), where a and b are the halves of x along an axis."""

def grid_sample(input: TensorLike, grid: TensorLike, mode: builtins.str = 'bilinear', padding_mode: builtins.str = 'zeros', align_corners: builtins.bool = None) -> Tensor:
    """Images looked at in given places."""

def hardtanh(input: TensorLike, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """The elements, cut to a range."""

def hardtanh_(input: TensorLike, min_val: TensorLike = -1, max_val: TensorLike = 1) -> Tensor:
    """`hardtanh`, written into the tensor, which is given back."""

def kl_div(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean', log_target: builtins.bool = False) -> Tensor:
    """The divergence target (log target - input) of distributions, the first and, if `log_target`, both as logarithms."""

def leaky_relu(input: TensorLike, negative_slope: TensorLike = 0.01) -> Tensor:
    """max(input, 0) + alpha · min(input, 0), element by element."""

def linear(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor:
    """input · weightᵀ + bias."""

def log_softmax(input: TensorLike, dim: builtins.int | None = None, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""

def logsigmoid(input: TensorLike) -> Tensor:
    """log(1 / (1 + e^-x)), element by element."""

def max_pool2d(input: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest element in each window; see `ops.max_pool2d`."""

def max_unpool2d(input: TensorLike, indices: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Zeros in which each maximum of a `max_pool2d` stands where it came from."""

def mish(input: TensorLike) -> Tensor:
    """x · tanh(softplus(x)), element by element."""

def nll_loss(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: builtins.int = -100, reduction: builtins.str = 'mean') -> Tensor:
    """The negative log-likelihood of class labels: for a label y and log-probabilities x, -w[y] x[y]."""

def normalize(input: TensorLike, p: builtins.float = 2.0, dim: Any = 1, eps: builtins.float = 1e-12) -> Tensor:
    """The elements by the norm along an axis, which counts as `eps` if it is less."""

def one_hot(tensor: TensorLike, num_classes: builtins.int = -1) -> Tensor:
    """Ones at the places that numbers name along a new last axis, zeros elsewhere; as many as the largest asks for, when `num_classes` is -1."""

def pad(input: TensorLike, pad: Any, mode: Any = 'constant', value: Any = None) -> Tensor:
    """Elements added in front of and behind axes."""

def relu(input: TensorLike, inplace: builtins.bool = False) -> Tensor:
    """max(input, 0), element by element."""

def relu6(input: TensorLike, inplace: builtins.bool = False) -> Tensor:
    """min(max(input, 0), 6), element by element."""

def relu_(input: TensorLike) -> Tensor:
    """`relu`, written into the tensor, which is given back."""

def selu(input: TensorLike) -> Tensor:
    """1.0507 · elu(input, 1.6733), element by element: keeps mean 0 and variance 1 from layer to layer."""

def sigmoid_(input: TensorLike) -> Tensor:
    """`sigmoid`, written into the tensor, which is given back."""

def silu(input: TensorLike, inplace: builtins.bool = False) -> Tensor:
    """input · sigmoid(input), element by element."""

def smooth_l1_loss(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean', beta: builtins.float = 1.0) -> Tensor:
    """d² / (2 beta) where d = |input - target| < beta, else d - beta / 2; reduced."""

def softmax(input: TensorLike, dim: builtins.int | None = None, dtype: Any = None) -> Tensor:
    """Positive numbers in proportion to e^input that sum to one along `dim`; see `softmax_axis` for None."""

def threshold(input: TensorLike, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Tensor:
    """The elements above a threshold, and a value in the place of others."""

def threshold_(input: TensorLike, threshold: Any, value: TensorLike) -> Tensor:
    """`threshold`, written into the tensor, which is given back."""

def upsample(input: TensorLike, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None) -> Tensor:
    """`interpolate` under the name that older programs use."""

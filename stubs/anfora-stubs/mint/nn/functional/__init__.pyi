# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike

def adaptive_avg_pool1d(input: TensorLike, output_size: Any) -> Tensor:
    """The mean of each of Q windows of sequences (N, C, L) or (C, L): see `adaptive_avg_pool2d`."""

def adaptive_avg_pool2d(input: TensorLike, output_size: Any) -> Tensor:
    """The mean of each of P x Q windows that cover the plane: window p has the rows floor(p H / P) to ceil((p + 1) H / P) - 1."""

def adaptive_avg_pool3d(input: TensorLike, output_size: Any) -> Tensor:
    """The mean of each of E x P x Q windows that cover volumes (N, C, D, H, W) or (C, D, H, W): see `adaptive_avg_pool2d`."""

def adaptive_max_pool1d(input: TensorLike, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest element in each of some parts of sequences; with `return_indices` their positions too."""

def adaptive_max_pool2d(input: TensorLike, output_size: Any, return_indices: Any = False) -> Any:
    """The largest element in each of P x Q windows that cover the plane."""

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

def conv_transpose2d(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1) -> Tensor:
    """Transposed convolution: the gradient of `conv2d` to its input, applied to `input`."""

def cosine_embedding_loss(input1: TensorLike, input2: TensorLike, target: TensorLike, margin: builtins.float = 0.0, reduction: builtins.str = 'mean') -> Tensor:
    """1 - cos(input1, input2) where the target is 1, max(0, cos(input1, input2) - margin) where it is -1; reduced."""

def cross_entropy(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: builtins.int = -100, reduction: builtins.str = 'mean', label_smoothing: builtins.float = 0.0) -> Tensor:
    """The cross entropy of logits with class labels or class probabilities."""

def dropout(input: TensorLike, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Zeros in random places, the rest larger in proportion; see `ops.dropout`."""

def dropout2d(input: TensorLike, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Zeros for random channels; see `ops.dropout2d`."""

def elu(input: TensorLike, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """input where it is positive, alpha (e^input - 1) elsewhere."""

def elu_(input: TensorLike, alpha: TensorLike = 1.0) -> Tensor:
    """`elu`, written into the tensor, which is given back."""

def embedding(input: TensorLike, weight: TensorLike, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0, scale_grad_by_freq: Any = False) -> Tensor:
    """The rows of a table that indices name."""

def flatten(input: TensorLike, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Several axes, all when not given, as one."""

def fold(input: TensorLike, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Images from columns: the sum of all windows, each where `unfold` took it from."""

def gelu(input: TensorLike, *, approximate: Any = 'none') -> Tensor:
    """input · Φ(input), element by element, with the distribution function Φ of the standard normal distribution."""

def glu(input: TensorLike, dim: builtins.int = -1) -> Tensor:
    """a · sigmoid(b), where a and b are the halves of x along an axis."""

def grid_sample(input: TensorLike, grid: TensorLike, mode: builtins.str = 'bilinear', padding_mode: builtins.str = 'zeros', align_corners: builtins.bool = None) -> Tensor:
    """Images looked at in given places."""

def group_norm(input: TensorLike, num_groups: builtins.int, weight: TensorLike | None = None, bias: TensorLike | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Normalise groups of neighbouring channels in each image: y = (x - mean) / sqrt(variance + eps) · weight + bias."""

def hardshrink(input: TensorLike, lambd: TensorLike = 0.5) -> Tensor:
    """The input where |input| > lambd, else 0, element by element."""

def hardsigmoid(input: TensorLike) -> Tensor:
    """min(max(input / 6 + 1/2, 0), 1), element by element."""

def hardswish(input: TensorLike) -> Tensor:
    """input · hardsigmoid(input), element by element."""

def hardtanh(input: TensorLike, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """The elements, cut to a range."""

def hardtanh_(input: TensorLike, min_val: TensorLike = -1, max_val: TensorLike = 1) -> Tensor:
    """`hardtanh`, written into the tensor, which is given back."""

def interpolate(input: TensorLike, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None, recompute_scale_factor: builtins.bool | None = None) -> Tensor:
    """Images, sequences or volumes of another size."""

def kl_div(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean', log_target: builtins.bool = False) -> Tensor:
    """The divergence target (log target - input) of distributions, the first and, if `log_target`, both as logarithms."""

def l1_loss(input: TensorLike, target: TensorLike, reduction: Any = 'mean') -> Tensor:
    """|input - target|, reduced."""

def layer_norm(input: TensorLike, normalized_shape: Any, weight: TensorLike | None = None, bias: TensorLike | None = None, eps: Any = 1e-05) -> Tensor:
    """Normalise over the last axes: y = (x - mean) / sqrt(variance + eps) · weight + bias."""

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

def mse_loss(input: TensorLike, target: TensorLike, reduction: Any = 'mean') -> Tensor:
    """(input - target)², reduced."""

def nll_loss(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: builtins.int = -100, reduction: builtins.str = 'mean') -> Tensor:
    """The negative log-likelihood of class labels: for a label y and log-probabilities x, -w[y] x[y]."""

def normalize(input: TensorLike, p: builtins.float = 2.0, dim: Any = 1, eps: builtins.float = 1e-12) -> Tensor:
    """The elements by the norm along an axis, which counts as `eps` if it is less."""

def one_hot(tensor: TensorLike, num_classes: builtins.int = -1) -> Tensor:
    """Ones at the places that numbers name along a new last axis, zeros elsewhere; as many as the largest asks for, when `num_classes` is -1."""

def pad(input: TensorLike, pad: Any, mode: Any = 'constant', value: Any = None) -> Tensor:
    """Elements added in front of and behind axes."""

def pixel_shuffle(input: TensorLike, upscale_factor: builtins.int) -> Tensor:
    """Channels turned into pixels: (*, C r², H, W) to (*, C, H r, W r)."""

def prelu(input: TensorLike, weight: TensorLike) -> Tensor:
    """max(input, 0) + weight · min(input, 0), with a slope for each channel."""

def relu(input: TensorLike, inplace: builtins.bool = False) -> Tensor:
    """max(input, 0), element by element."""

def relu6(input: TensorLike, inplace: builtins.bool = False) -> Tensor:
    """min(max(input, 0), 6), element by element."""

def relu_(input: TensorLike) -> Tensor:
    """`relu`, written into the tensor, which is given back."""

def selu(input: TensorLike) -> Tensor:
    """1.0507 · elu(input, 1.6733), element by element: keeps mean 0 and variance 1 from layer to layer."""

def sigmoid(input: TensorLike) -> Tensor:
    """1 / (1 + e^-input), element by element."""

def sigmoid_(input: TensorLike) -> Tensor:
    """`sigmoid`, written into the tensor, which is given back."""

def silu(input: TensorLike, inplace: builtins.bool = False) -> Tensor:
    """input · sigmoid(input), element by element."""

def smooth_l1_loss(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean', beta: builtins.float = 1.0) -> Tensor:
    """d² / (2 beta) where d = |input - target| < beta, else d - beta / 2; reduced."""

def soft_margin_loss(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean') -> Tensor:
    """log(1 + exp(-target · input)), reduced."""

def softmax(input: TensorLike, dim: builtins.int | None = None, dtype: Any = None) -> Tensor:
    """Positive numbers in proportion to e^input that sum to one along `dim`; see `softmax_axis` for None."""

def softplus(input: TensorLike, beta: TensorLike = 1, threshold: TensorLike = 20) -> Tensor:
    """log(1 + e^(beta · input)) / beta, and the input itself where beta · input > threshold, element by element."""

def softshrink(input: TensorLike, lambd: TensorLike = 0.5) -> Tensor:
    """The input moved towards 0 by lambd, and 0 where |input| <= lambd, element by element."""

def tanh(input: TensorLike) -> Tensor:
    """Hyperbolic tangent, element by element."""

def threshold(input: TensorLike, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Tensor:
    """The elements above a threshold, and a value in the place of others."""

def threshold_(input: TensorLike, threshold: Any, value: TensorLike) -> Tensor:
    """`threshold`, written into the tensor, which is given back."""

def unfold(input: TensorLike, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of images as columns."""

def upsample(input: TensorLike, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None) -> Tensor:
    """`interpolate` under the name that older programs use."""

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "conv1d", "conv2d", "conv3d", "conv_transpose2d", "cosine_embedding_loss", "cross_entropy", "dropout", "dropout2d",
    "elu", "elu_", "embedding", "flatten", "fold", "gelu", "glu", "grid_sample", "group_norm", "hardshrink", "hardsigmoid",
    "hardswish", "hardtanh", "hardtanh_", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear",
    "log_softmax", "logsigmoid", "max_pool2d", "max_unpool2d", "mish", "mse_loss", "nll_loss", "normalize", "one_hot",
    "pad", "pixel_shuffle", "prelu", "relu", "relu6", "relu_", "selu", "sigmoid", "sigmoid_", "silu", "smooth_l1_loss",
    "soft_margin_loss", "softmax", "softplus", "softshrink", "tanh", "threshold", "threshold_", "unfold", "upsample",
]

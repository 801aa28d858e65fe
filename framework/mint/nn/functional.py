"""`mint.nn.functional`: the functions of layers, by the names and forms that PyTorch has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.nearest import MissingName
from anfora.core.tensor import Tensor
from anfora.mint.signatures import FUNCTIONAL, made
from anfora.ops.composite import with_doors

_FORMS = (
    "adaptive_max_pool1d", "binary_cross_entropy_with_logits", "conv1d", "conv2d", "conv3d", "dropout", "dropout2d",
    "elu", "flatten", "hardtanh", "kl_div", "linear", "log_softmax", "max_pool2d", "normalize", "one_hot", "relu",
    "relu6", "silu", "softmax", "threshold",
)  # fmt: skip

_MADE = made(FUNCTIONAL, "anfora.mint.nn.functional")
__all__ = sorted([*_MADE, *_FORMS])


def __getattr__(name: str) -> Any:
    if name not in _MADE:
        raise MissingName("anfora.mint.nn.functional", name)
    globals()[name] = found = _MADE[name]()
    return found


def __dir__() -> list[str]:
    return __all__


# -- activations ------------------------------------------------------------------------------------------------------


def written(x: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result, put into the tensor if it is asked for."""
    return x.copy_(result) if inplace else result


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), element by element.

    Example:
        >>> relu(Tensor([-1., 2.])).tolist()
        [0.0, 2.0]
    """
    return written(input, ops.relu(input), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(input, 0), 6), element by element.

    Example:
        >>> relu6(Tensor([-1., 8.])).tolist()
        [0.0, 6.0]
    """
    return written(input, ops.relu6(input), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input), element by element.

    Example:
        >>> silu(Tensor([0.])).tolist()
        [0.0]
    """
    return written(input, ops.silu(input), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, alpha (e^input - 1) elsewhere.

    Example:
        >>> elu(Tensor([2.])).tolist()
        [2.0]
    """
    return written(input, ops.elu(input, alpha), inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The elements, cut to a range.

    Example:
        >>> hardtanh(Tensor([-3., 0.5])).tolist()
        [-1.0, 0.5]
    """
    return written(input, ops.hardtanh(input, min_val, max_val), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The elements above a threshold, and a value in the place of others.

    Example:
        >>> threshold(Tensor([0., 3.]), 1.0, 9.0).tolist()
        [9.0, 3.0]
    """
    return written(input, ops.threshold(input, threshold, value), inplace)


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Positive numbers in proportion to e^input that sum to one along `dim`; see `softmax_axis` for None.

    Example:
        >>> softmax(Tensor([0., 0.])).tolist()
        [0.5, 0.5]
    """
    return ops.softmax(input if dtype is None else input.astype(dtype), softmax_axis(input, dim))


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`.

    Example:
        >>> log_softmax(Tensor([5.])).tolist()
        [0.0]
    """
    return ops.log_softmax(input if dtype is None else input.astype(dtype), softmax_axis(input, dim))


def softmax_axis(x: Tensor, dim: int | None) -> int:
    """The axis of a softmax; without one it is the first of up to one axis and of three, else the second."""
    return dim if dim is not None else 0 if x.ndim in (0, 1, 3) else 1


# -- products and convolutions ----------------------------------------------------------------------------------------


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input · weightᵀ + bias.

    Example:
        >>> linear(Tensor([[1., 2.]]), Tensor([[3., 4.]])).tolist()
        [[11.0]]
    """
    return ops.dense(input, weight, bias)


def sides(padding: Any) -> dict[str, Any]:
    """What `padding` means in torch (numbers in front of and behind each axis, "same", "valid"), as `ops` takes it."""
    if isinstance(padding, str):
        return {"pad_mode": padding, "padding": 0}
    if isinstance(padding, (tuple, list)) and len(padding) > 1:
        padding = tuple(n for n in padding for _ in range(2))
    return {"pad_mode": "pad", "padding": padding}


def _convolution(function: Callable, what: str, example: str, result: str) -> Callable:
    """A convolution of `ops` in PyTorch's form."""

    def convolve(
        input: Tensor,
        weight: Tensor,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        alone = isinstance(input, Tensor) and isinstance(weight, Tensor) and input.ndim == weight.ndim - 1
        given = ops.expand_dims(input, 0) if alone else input
        found = function(given, weight, bias, stride, dilation=dilation, groups=groups, **sides(padding))
        return ops.squeeze(found, 0) if alone else found

    name = function.__name__
    convolve.__name__ = convolve.__qualname__ = name
    convolve.__doc__ = f"""Correlate {what} with windows; see `ops.{name}`. A single example may lack the first axis.

    Example:
        >>> {name}({example}).tolist()
        {result}
    """
    return convolve


conv1d = _convolution(ops.conv1d, "sequences", "Tensor([[[1., 2.]]]), Tensor([[[1., 1.]]])", "[[[3.0]]]")
conv2d = _convolution(ops.conv2d, "images", "ops.ones((1, 1, 2, 2)), ops.ones((1, 1, 2, 2))", "[[[[4.0]]]]")
conv3d = _convolution(ops.conv3d, "volumes", "ops.ones((1, 1, 1, 2, 2)), ops.ones((1, 1, 1, 2, 2))", "[[[[[4.0]]]]]")


def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element in each window; see `ops.max_pool2d`.

    Example:
        >>> max_pool2d(Tensor([[[[1., 5.], [2., 3.]]]]), 2).tolist()
        [[[[5.0]]]]
    """
    return ops.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element in each of some parts of sequences; with `return_indices` their positions too.

    Example:
        >>> adaptive_max_pool1d(Tensor([[[1., 5., 2., 3.]]]), 2).tolist()
        [[[5.0, 3.0]]]
    """
    size = output_size[0] if isinstance(output_size, (tuple, list)) else output_size
    found = ops.adaptive_max_pool2d(input.unsqueeze(-2), (1, size), return_indices)
    return tuple(x.squeeze(-2) for x in found) if return_indices else found.squeeze(-2)


# -- others -----------------------------------------------------------------------------------------------------------


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros in random places, the rest larger in proportion; see `ops.dropout`.

    Example:
        >>> dropout(Tensor([1., 2.]), training=False).tolist()
        [1.0, 2.0]
    """
    return written(input, ops.dropout(input, p, training), inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros for random channels; see `ops.dropout2d`.

    Example:
        >>> dropout2d(ops.ones((1, 1, 1, 2)), training=False).tolist()
        [[[[1.0, 1.0]]]]
    """
    return written(input, ops.dropout2d(input, p, training), inplace)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Several axes, all when not given, as one.

    Example:
        >>> flatten(Tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    return ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Ones at the places that numbers name along a new last axis, zeros elsewhere; as many as the largest asks for, when
    `num_classes` is -1.

    Example:
        >>> one_hot(Tensor([1, 0])).tolist()
        [[0, 1], [1, 0]]
    """
    depth = int(tensor.max()) + 1 if num_classes == -1 else num_classes
    return ops.one_hot(tensor, depth, 1, 0, -1).astype(tensor.dtype)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """The elements by the norm along an axis, which counts as `eps` if it is less.

    Example:
        >>> normalize(Tensor([[0., 2.]])).tolist()
        [[0.0, 1.0]]
    """
    return input / ops.maximum(ops.vector_norm(input, p, dim, True), eps)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Tensor:
    """The cross entropy of targets and sigmoid(input); see `ops.binary_cross_entropy_with_logits`.

    Example:
        >>> f"{binary_cross_entropy_with_logits(Tensor([0.]), Tensor([1.])).item():.4f}"
        '0.6931'
    """
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """The divergence target (log target - input) of distributions, the first and, if `log_target`, both as logarithms.

    Example:
        >>> kl_div(Tensor([0.]), Tensor([1.])).item()
        0.0
    """
    if log_target:
        losses = ops.exp(target) * (target - input)
        if reduction == "batchmean":
            return losses.sum() / input.shape[0]
        return losses if reduction == "none" else losses.sum() if reduction == "sum" else losses.mean()
    return ops.kl_div(input, target, reduction)


globals().update(with_doors(globals(), _FORMS))

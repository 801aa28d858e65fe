"""The operators that MindSpore's layers hold as attributes: `self.layer_norm`, `self.conv2d`, `self.bn_train` and so on.

Subclasses with a `construct` of their own call them, and programs say of them on which device they run. A layer of this
package computes by other means; such an attribute is made when somebody asks for it, and lies in the layer from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.parameter import ParameterTuple
from anfora.core.tensor import Tensor
from anfora.nn import (
    activation,
    basic,
    conv,
    dropout,
    embedding,
    loss,
    loss_scale,
    normalization,
    padding,
    pooling,
    recurrent,
)

__all__: list[str] = []

#: For the classes of layers: from an attribute to what makes it, given the layer.
_Table = dict[str, Callable[[Any], Any]]


def _plain(**names: str) -> _Table:
    """Attributes that are operators without arguments, by their names in `ops`."""

    def made(operator: str) -> Callable[[Any], Any]:
        return lambda layer: getattr(ops, operator)()

    return {name: made(operator) for name, operator in names.items()}


def _attribute(name: str) -> Callable[[Any], Any]:
    """What the layer has under another name."""
    return lambda layer: getattr(layer, name)


def _sides(padding: Any, axes: int) -> Any:
    """Padding as operators take it: one number, or two for each axis."""
    if isinstance(padding, int) or len(padding) == 2 * axes:
        return padding
    return tuple(n for n in padding for _ in range(2))


def _convolution(operator: str, axes: int, in_front: tuple[int, ...] = ()) -> Callable[[Any], Any]:
    """A convolution like the layer's; `in_front` is what sequences have in front of their own length."""

    def make(layer: Any) -> Any:
        rest = {
            "mode": 1,
            "pad_mode": layer.pad_mode,
            "pad": (*(0 for _ in in_front for _ in range(2)), *_pair(_sides(layer.padding, axes), axes)),
            "stride": in_front + layer.stride,
            "dilation": in_front + layer.dilation,
            "group": layer.group,
        }
        window = in_front + layer.kernel_size
        if operator == "Conv3DTranspose":
            return ops.Conv3DTranspose(
                layer.in_channels, layer.out_channels, window, output_padding=layer.output_padding, **rest
            )
        channels = layer.in_channels if layer.is_transposed else layer.out_channels
        return getattr(ops, operator)(channels, window, **rest)

    return make


def _pair(padding: Any, axes: int) -> tuple[int, ...]:
    return (padding,) * (2 * axes) if isinstance(padding, int) else tuple(padding)


def _parameters(kind: str) -> Callable[[Any], Any]:
    """The parameters of a kind, of all layers and directions of a recurrent network."""
    return lambda layer: ParameterTuple(
        getattr(layer, f"{kind}_{path}") for path in layer._paths if hasattr(layer, f"{kind}_{path}")
    )


def _reductions(keep_dims: bool) -> _Table:
    return {
        "reduce_mean": lambda layer: ops.ReduceMean(keep_dims),
        "reduce_sum": lambda layer: ops.ReduceSum(keep_dims),
    }


_CONV = {
    **_plain(bias_add="BiasAdd", shape="Shape", expand_dims="ExpandDims"),
    "squeeze": lambda layer: ops.Squeeze(2),
    "data_format": lambda layer: "NCDHW" if layer.axes == 3 else "NCHW",
    "is_valid": lambda layer: layer.pad_mode == "valid",
    "is_same": lambda layer: layer.pad_mode == "same",
    "is_pad": lambda layer: layer.pad_mode == "pad",
}
_NORM = {
    **_plain(shape="Shape", reshape="Reshape", square="Square", sqrt="Sqrt", cast="Cast", dtype="DType"),
    "reduce_mean": _reductions(True)["reduce_mean"],
    "format": lambda layer: "NCHW",
}
_POOL = {
    "format": lambda layer: "NCHW",
    "use_pad": lambda layer: layer.pad_mode == "pad",
    **_plain(shape="Shape", slice="Slice"),
    "expand": lambda layer: ops.ExpandDims(),
    "squeeze": lambda layer: ops.Squeeze(2),
    "reduce_mean": _reductions(True)["reduce_mean"],
}
_LOSS = {**_reductions(False), **_plain(mul="Mul", cast="Cast")}
_ON_AND_OFF: _Table = {
    "one_hot": lambda layer: ops.OneHot(),
    "on_value": lambda layer: Tensor(1.0, float32),
    "off_value": lambda layer: Tensor(0.0, float32),
}

_ATTRIBUTES: dict[type[Cell], _Table] = {
    basic.Dense: {
        "matmul": lambda layer: ops.MatMul(transpose_b=True),
        "activation_flag": lambda layer: layer.activation is not None,
        **_plain(bias_add="BiasAdd", reshape="Reshape", shape_op="Shape"),
    },
    basic.Norm: {
        "reduce_sum": lambda layer: ops.ReduceSum(True),
        "sqrt": lambda layer: ops.Sqrt(),
        "squeeze": lambda layer: ops.Squeeze(layer.axis),
    },
    conv.Conv1d: {**_CONV, "conv2d": _convolution("Conv2D", 1, (1,))},
    conv.Conv2d: {**_CONV, "conv2d": _convolution("Conv2D", 2)},
    conv.Conv3d: {**_CONV, "conv3d": _convolution("Conv3D", 3)},
    conv.Conv1dTranspose: {**_CONV, "conv2d_transpose": _convolution("Conv2DTranspose", 1, (1,))},
    conv.Conv2dTranspose: {**_CONV, "conv2d_transpose": _convolution("Conv2DTranspose", 2)},
    conv.Conv3dTranspose: {**_CONV, "conv3d_transpose": _convolution("Conv3DTranspose", 3)},
    normalization._BatchNorm: {
        **_NORM,
        "bn_train": lambda layer: ops.BatchNorm(True, layer.eps, 1.0 - layer.momentum),
        "bn_infer": lambda layer: ops.BatchNorm(False, layer.eps),
        **_plain(sub_mean="Sub", sub_var="Sub", mul_mean="Mul", mul_var="Mul"),
        **_plain(assign_sub_mean="AssignSub", assign_sub_var="AssignSub"),
    },
    normalization.BatchNorm3d: _NORM,
    normalization.LayerNorm: {
        "layer_norm": lambda layer: ops.LayerNorm(layer.begin_norm_axis, layer.begin_params_axis, layer.epsilon)
    },
    normalization.GroupNorm: _NORM,
    dropout.Dropout: {
        "dropout": lambda layer: ops.Dropout(layer.keep_prob if layer.p is None else 1.0 - layer.p),
        "seed0": lambda layer: 0,
        "seed1": lambda layer: 0,
    },
    dropout.Dropout2d: {
        "dropout2d": lambda layer: ops.Dropout2D(1.0 - layer.p),
        "keep_prob": lambda layer: 1.0 - layer.p,
    },
    dropout.Dropout3d: {
        "dropout3d": lambda layer: ops.Dropout3D(1.0 - layer.p),
        "keep_prob": lambda layer: 1.0 - layer.p,
    },
    **{
        kind: {**_POOL, "max_pool": _attribute("_pool")}
        for kind in (pooling.MaxPool1d, pooling.MaxPool2d, pooling.MaxPool3d)
    },
    **{
        kind: {**_POOL, "avg_pool": _attribute("_pool")}
        for kind in (pooling.AvgPool1d, pooling.AvgPool2d, pooling.AvgPool3d)
    },
    pooling.AdaptiveAvgPool2d: {"adaptive_avgpool2d": _attribute("_pool")},
    embedding.Embedding: {
        **_ON_AND_OFF,
        **_plain(gather="Gather", expand="ExpandDims", reshape="Reshape", reshape_flat="Reshape", get_shp="Shape"),
        **_plain(array_mul="MatMul", concat="Concat"),
        "shp_flat": lambda layer: (-1,),
    },
    embedding.EmbeddingLookup: {
        **_plain(gatherv2="Gather", gather_revert="Gather", reshape="Reshape", reshape_first="Reshape"),
        **_plain(embeddinglookup="EmbeddingLookup", unique="Unique", shape="Shape"),
    },
    embedding.OneHot: {"onehot": lambda layer: ops.OneHot(layer.axis)},
    recurrent._Sequence: {
        "w_ih_list": _parameters("weight_ih"),
        "w_hh_list": _parameters("weight_hh"),
        "b_ih_list": _parameters("bias_ih"),
        "b_hh_list": _parameters("bias_hh"),
        "is_lstm": lambda layer: isinstance(layer, recurrent.LSTM),
        "reverse": lambda layer: ops.ReverseV2([0]),
        "reverse_sequence": lambda layer: ops.ReverseSequence(0, 1),
    },
    activation.ReLU: {"relu": _attribute("_op")},
    activation.ReLU6: {"relu6": _attribute("_op")},
    activation.Sigmoid: {"sigmoid": _attribute("_op")},
    activation.Tanh: {"tanh": _attribute("_op")},
    activation.Softmax: {"softmax": _attribute("_op")},
    activation.LogSoftmax: {"log_softmax": _attribute("_op")},
    activation.HSwish: {"hswish": _attribute("_op")},
    activation.HSigmoid: {"hsigmoid": _attribute("_op")},
    activation.ELU: {"elu": _attribute("_op")},
    activation.PReLU: {"prelu": _attribute("_op"), "w": _attribute("a")},
    padding.Pad: {"pad": lambda layer: ops.Pad(layer.paddings)},
    loss.LossBase: _LOSS,
    loss.SoftmaxCrossEntropyWithLogits: {
        **_LOSS,
        **_ON_AND_OFF,
        **_plain(softmax_cross_entropy="SoftmaxCrossEntropyWithLogits"),
        **_plain(sparse_softmax_cross_entropy="SparseSoftmaxCrossEntropyWithLogits"),
    },
    loss_scale.TrainOneStepWithLossScaleCell: {
        **_plain(hyper_map="HyperMap", reduce_all="ReduceAll", less_equal="LessEqual", equal="Equal"),
        **_plain(logic_not="LogicalNot", allreduce="AllReduce"),
        "reduce_sum": lambda layer: ops.ReduceSum(False),
        "base": lambda layer: Tensor(1.0, float32),
        "is_distributed": lambda layer: False,
    },
}


def _install(kinds: Iterable[tuple[type[Cell], _Table]]) -> None:
    for kind, table in kinds:
        kind._made_when_asked = table


_install(_ATTRIBUTES.items())

"""Operators in their older form, as classes: `ops.Concat(axis=1)((x, y))`, `P.ReduceMean(keep_dims=True)(x, 0)`.

An instance fixes what its class takes; the call brings tensors, and attributes that MindSpore has there. What each class
does is a line below: a name, if it is a function of `anfora.ops` under another name, or a function from the arguments of
the class to the function of the call. A class is made from its line when its name is first used.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core import summaries
from anfora.core.arguments import word_for_one_of
from anfora.core.dtype import as_dtype, bool_, float32, int32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op
from anfora.core.random import Generator
from anfora.core.tensor import Tensor
from anfora.ops.bound import Bound
from anfora.ops.collectives import COLLECTIVES
from anfora.ops.composite import composite
from anfora.ops.families import normalize_axis
from anfora.ops.gradients import GRADIENTS
from anfora.ops.more_primitives import MORE, MORE_PLAIN
from anfora.ops.normalization import channel_norm
from anfora.ops.rare_primitives import RARE
from anfora.ops.seldom_primitives import SELDOM
from anfora.ops.updates import UPDATES
from anfora.ops.vm_impl_registry import bprop_getters, vm_impl_registry
from anfora.ops.windows import each_axis, same_padding

__all__ = ["CLASSES", "PLAIN", "Primitive", "class_of", "primitive_class"]


class Primitive:
    """Base of operators in their older form, as classes.

    Args:
        name: the name of the operator: one of the classes of `anfora.ops`, or one whose implementation in Python is
            registered (`ops.vm_impl_registry`), or is the method `vm_impl` of a subclass.
    Example:
        >>> add = ops.Primitive("Add")
        >>> add(Tensor(1), Tensor(2)).item(), isinstance(ops.Add(), ops.Primitive)
        (3, True)
    """

    # `__call__` is a slot, as in `Bound`: a call goes to the function of the operator, with nothing in between.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    name: str
    attrs: dict[str, Any]
    _given: tuple  #: the arguments it was made with

    def __init__(self, name: str) -> None:
        self.name, self.attrs, self._given = name, {}, ((name,), {})
        self.__call__: Callable = self._unknown
        self._become()

    def _become(self) -> None:
        """Do what the operator of this name does, where there is one, made with those of its arguments in `attrs`."""
        if self.name in (*PLAIN, *CLASSES):
            taken = inspect.signature(_factory(self.name)).parameters
            self.__call__ = getattr(ops, self.name)(**{k: v for k, v in self.attrs.items() if k in taken})

    def _unknown(self, *args: Any, **kwargs: Any) -> Any:
        function = getattr(self, "vm_impl", None)
        if function is None:
            make = vm_impl_registry.implementation(self)
            if make is None:
                raise NotImplementedError(
                    f"the operator {self.name}: there is none, and vm_impl_registry has no implementation of it"
                )
            function = make(self)
        return bprop_getters.run(self, functools.partial(function, **kwargs), args)

    def __repr__(self) -> str:
        args, kwargs = self._given
        parts = [*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __reduce__(self) -> tuple:
        args, kwargs = self._given
        return _rebuild, (type(self), args, kwargs, self.attrs)

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Keep a value under a name in `attrs`; it has no effect on what is computed."""
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Forget what `add_prim_attr` kept."""
        self.attrs.pop(name, None)
        return self

    def init_prim_io_names(self, inputs: Any, outputs: Any) -> None:
        """Accepted for MindSpore programs: names for inputs and outputs, kept in `attrs`."""
        self.attrs.update(input_names=list(inputs), output_names=list(outputs))

    def _same(self, *args: Any, **kwargs: Any) -> Primitive:
        """Accepted for MindSpore programs, where it places the operator on devices; gives the operator."""
        return self

    shard = set_device = set_stage = set_prim_instance_name = recompute = place = _same


def _rebuild(kind: type[Primitive], args: tuple, kwargs: dict, attrs: dict) -> Primitive:
    made = kind(*args, **kwargs)
    made.attrs.update(attrs)
    return made


def _factory(name: str) -> Callable:
    """From the arguments of a class to the function of its call."""
    if name not in PLAIN:
        return CLASSES[name]
    function = getattr(ops, PLAIN[name])

    def factory() -> Callable:
        return function

    return factory


@functools.cache
def primitive_class(name: str) -> type[Primitive]:
    """The class of a name.

    Raises:
        KeyError: there is none.
    """
    factory = _factory(name)
    if name in PLAIN:
        doc = f"`ops.{PLAIN[name]}` as a class: `ops.{name}()(…)`.\n\n{factory().__doc__}"
    else:
        doc = f"The operator {name} as a class: `ops.{name}{inspect.signature(factory)}(…)`."
    return class_of(name, factory, doc, "anfora.ops")


def class_of(name: str, factory: Callable, doc: str, module: str) -> type[Primitive]:
    """A class of operators: its objects do what `factory` makes of the arguments of the class."""
    signature = inspect.signature(factory)

    def __init__(self: Primitive, *args: Any, **kwargs: Any) -> None:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            word = word_for_one_of(kwargs, signature.parameters)
            raise OpTypeError(f"{name}: {error}", help=word or f"its form is ops.{name}{signature}.") from None
        bound.apply_defaults()
        self.__dict__.update(bound.arguments, name=name, attrs={}, _given=(args, kwargs))
        made = factory(*args, **kwargs)
        self.__call__ = Bound(made) if isinstance(made, Op) and not made.attributes and not made.variadic else made

    body = {
        "__init__": __init__,
        "__doc__": doc,
        "__module__": module,
        "__slots__": (),
        "__signature__": signature,
    }
    return type(name, (Primitive,), body)


#: Classes without arguments, whose call is that of a function.
PLAIN = {
    "Abs": "abs", "AccumulateNV2": "accumulate_n", "ACos": "acos", "Acosh": "acosh", "Add": "add", "Addcdiv": "addcdiv",
    "Addcmul": "addcmul", "AddN": "addn", "Angle": "angle", "Asin": "asin", "Asinh": "asinh", "Assign": "assign",
    "AssignAdd": "assign_add", "AssignSub": "assign_sub", "Atan": "atan", "Atan2": "atan2", "Atanh": "atanh",
    "Bincount": "bincount", "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor",
    "Cast": "cast", "Ceil": "ceil",
    "Complex": "complex", "ComplexAbs": "abs", "Conj": "conj", "CopySign": "copysign", "Copysign": "copysign", "Cos": "cos",
    "Cosh": "cosh", "Dense": "dense", "Depend": "depend", "Diag": "diag", "Digamma": "digamma",
    "Div": "div", "DivNoNan": "div_no_nan", "Dot": "dot", "DType": "dtype", "Equal": "equal", "Erf": "erf",
    "Erfc": "erfc", "Erfinv": "erfinv", "Exp": "exp", "Expand": "expand", "ExpandDims": "expand_dims", "Expm1": "expm1",
    "Eye": "eye", "FastGeLU": "fast_gelu", "FastGelu": "fast_gelu", "Fill": "fill", "Flatten": "flatten",
    "Floor": "floor", "FloorDiv": "floor_div", "FloorMod": "floor_mod", "GatherD": "gather_d", "GatherNd": "gather_nd",
    "Gcd": "gcd", "Geqrf": "geqrf", "Ger": "ger", "Greater": "greater", "GreaterEqual": "greater_equal",
    "Heaviside": "heaviside", "HSigmoid": "hardsigmoid", "HSwish": "hardswish", "Hypot": "hypot",
    "Identity": "identity", "Imag": "imag", "IndexFill": "index_fill", "Invert": "invert",
    "IsFinite": "isfinite", "IsInf": "isinf", "IsNan": "isnan", "Lcm": "lcm",
    "LeftShift": "bitwise_left_shift", "Lerp": "lerp", "Less": "less",
    "LessEqual": "less_equal", "Lgamma": "lgamma", "LinSpace": "linspace", "Log": "log", "Log1p": "log1p",
    "LogicalAnd": "logical_and", "LogicalNot": "logical_not", "LogicalOr": "logical_or", "LogicalXor": "logical_xor",
    "LogMatrixDeterminant": "log_matrix_determinant", "LogSigmoid": "logsigmoid", "MaskedFill": "masked_fill",
    "MaskedSelect": "masked_select", "MatrixDeterminant": "matrix_determinant", "MatrixExp": "matrix_exp",
    "MatrixLogarithm": "matrix_logarithm",
    "Maximum": "maximum", "Minimum": "minimum", "Mish": "mish", "Mod": "truncate_mod",
    "Mul": "mul", "MulNoNan": "mul_no_nan", "Neg": "neg", "NextAfter": "nextafter", "NonZero": "nonzero",
    "NotEqual": "not_equal", "Ones": "ones", "OnesLike": "ones_like", "Orgqr": "orgqr", "Polar": "polar",
    "Polygamma": "polygamma",
    "Pow": "pow", "PReLU": "prelu", "Print": "print_", "Rank": "rank", "Real": "real", "RealDiv": "div",
    "Reciprocal": "reciprocal", "ReLU": "relu", "ReLU6": "relu6", "Reshape": "reshape",
    "RightShift": "bitwise_right_shift", "Rint": "rint", "Round": "round",
    "Rsqrt": "rsqrt", "ScalarToTensor": "scalar_to_tensor", "ScatterNd": "scatter_nd", "Select": "select",
    "SeLU": "selu", "Shape": "shape", "Sigmoid": "sigmoid", "Sign": "sign", "SiLU": "silu", "Sin": "sin",
    "Sinc": "sinc", "Sinh": "sinh", "Size": "size", "Slice": "slice", "Softplus": "softplus", "Softsign": "softsign",
    "Sqrt": "sqrt", "Square": "square", "SquaredDifference": "squared_difference", "StopGradient": "stop_gradient",
    "Sub": "sub", "Tan": "tan", "Tanh": "tanh", "Tanhshrink": "tanhshrink", "TensorAdd": "add",
    "TensorDot": "tensor_dot", "TensorScatterAdd": "tensor_scatter_add", "TensorScatterDiv": "tensor_scatter_div",
    "TensorScatterMax": "tensor_scatter_max", "TensorScatterMin": "tensor_scatter_min",
    "TensorScatterMul": "tensor_scatter_mul", "TensorScatterSub": "tensor_scatter_sub",
    "TensorScatterUpdate": "tensor_scatter_update", "Tile": "tile", "Trace": "trace", "Transpose": "transpose",
    "Trunc": "trunc", "TruncateDiv": "truncate_div", "TruncateMod": "truncate_mod", "TupleToArray": "tuple_to_array",
    "Unique": "unique", "UnsortedSegmentMax": "unsorted_segment_max", "UnsortedSegmentMin": "unsorted_segment_min",
    "UnsortedSegmentProd": "unsorted_segment_prod", "UnsortedSegmentSum": "unsorted_segment_sum", "Xdivy": "xdivy",
    "Xlogy": "xlogy", "Zeros": "zeros", "ZerosLike": "zeros_like",
    **MORE_PLAIN,
}  # fmt: skip


def _reduction(function: str, skip_mode: bool = False) -> Callable:
    """A class of `keep_dims` whose call takes a tensor and axes; () means all."""

    def make(keep_dims: bool = False) -> Callable:
        reduce = getattr(ops, function)
        return lambda x, axis=(): reduce(x, axis, keep_dims)

    def make_sum(keep_dims: bool = False, skip_mode: bool = False) -> Callable:
        reduce = getattr(ops, function)
        return lambda x, axis=(): x if skip_mode and axis == () else reduce(x, axis, keep_dims)

    return make_sum if skip_mode else make


def _product_of(x: Tensor, axis: Any, keep_dims: bool) -> Tensor:
    """In the type of the tensor."""
    return ops.prod(x, axis, keep_dims, dtype=None if x.dtype is bool_ else x.dtype)


def _joined(axis: int = 0) -> Callable:
    """Tensors come as one sequence, or each as an argument."""
    return lambda *input_x: ops.stack(input_x if isinstance(input_x[0], Tensor) else input_x[0], axis)


def _locking(function: str) -> Callable:
    """A class of `use_locking`, which has no meaning here."""
    return lambda use_locking=False: getattr(ops, function)


def _along(function: str, **defaults: Any) -> Callable:
    """A class of one axis."""
    [(name, default)] = defaults.items()

    def make(axis: Any = default) -> Callable:
        return Bound(getattr(ops, function), **{name: axis})

    return make


def _positions(function: str) -> Callable:
    """A class of `axis` and `keep_dims` whose call gives positions, then values."""

    def make(axis: int = 0, keep_dims: bool = False) -> Callable:
        find = getattr(ops, function)

        def call(x: Tensor) -> tuple[Tensor, Tensor]:
            values, positions = find(x, axis, keep_dims)
            return positions.astype(int64), values

        return call

    return make


def _position(function: str) -> Callable:
    def make(axis: int = -1, output_type: Any = int32) -> Callable:
        return lambda x: getattr(ops, function)(x, axis).astype(output_type)

    return make


def _product(function: str) -> Callable:
    return lambda transpose_a=False, transpose_b=False: Bound(
        ops.matmul, transpose_a=transpose_a, transpose_b=transpose_b
    )


def _windows(function: str) -> Callable:
    """Pooling: a class of window, step and `pad_mode`."""

    def make(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> Callable:
        mode = str(pad_mode).lower()
        if mode not in ("valid", "same"):
            raise OpValueError(f'`pad_mode` must be "valid" or "same", but got {pad_mode!r}', arg="pad_mode")
        _only_nchw(data_format)
        return functools.partial(_pooled, function, kernel_size, strides, mode)

    return make


def _max_with_positions(
    kernel_size: Any,
    strides: Any = None,
    pads: Any = 0,
    dilation: Any = (1, 1),
    ceil_mode: bool = False,
    argmax_type: Any = int64,
) -> Callable:
    def call(x: Tensor) -> tuple[Tensor, Tensor]:
        values, places = ops.max_pool2d(x, kernel_size, strides, pads, dilation, True, ceil_mode)
        return values, places.astype(argmax_type)

    return call


def _valid_max_with_positions(
    kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW"
) -> Callable:
    if str(pad_mode).lower() != "valid":
        raise NotImplementedError(f"MaxPoolWithArgmax with pad_mode={pad_mode!r}; MaxPoolWithArgmaxV2 pads by `pads`")
    _only_nchw(data_format)
    find = _max_with_positions(kernel_size, strides, argmax_type=int32)

    @composite
    def call(x: Tensor) -> tuple[Tensor, Tensor]:
        values, places = find(x)  # of one plane; the class counts through all channels
        first = ops.arange(x.shape[1]).reshape(1, -1, 1, 1) * (x.shape[2] * x.shape[3])
        return values, places + first.astype(int32)

    return call


def _only_nchw(data_format: str) -> None:
    if data_format not in ("NCHW", "NCDHW"):
        raise NotImplementedError(f"data_format={data_format!r}; tensors are (N, C, H, W) here")


@composite
def _pooled(function: str, kernel_size: Any, strides: Any, mode: str, x: Tensor) -> Tensor:
    window, step = each_axis(function, "kernel_size", kernel_size), each_axis(function, "strides", strides)
    if mode == "valid":
        return getattr(ops, function)(x, window, step)
    sides = [same_padding(n, k, s, 1) for n, k, s in zip(x.shape[-2:], window, step)]
    flat = [n for side in reversed(sides) for n in side]
    if function == "max_pool2d":
        return ops.max_pool2d(ops.pad(x, flat, value=float("-inf")), window, step)
    ones = ops.pad(ops.ones((1, 1, *x.shape[-2:]), x.dtype), flat)  # padding does not count
    return ops.avg_pool2d(ops.pad(x, flat), window, step) / ops.avg_pool2d(ones, window, step)


def _convolution(function: str) -> Callable:
    def make(
        out_channel: int,
        kernel_size: Any,
        mode: int = 1,
        pad_mode: str = "valid",
        pad: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> Callable:
        _only_nchw(data_format)
        convolve = getattr(ops, function)
        return lambda x, weight: convolve(x, weight, None, stride, pad_mode, pad, dilation, group)

    return make


def _split(axis: int = 0, output_num: int = 1) -> Callable:
    @composite
    def call(input_x: Tensor) -> tuple[Tensor, ...]:
        length = input_x.shape[normalize_axis("Split", axis, input_x.ndim)]
        if output_num < 1 or length % output_num:
            raise OpValueError(
                f"Split: {output_num} parts of equal length cannot be made of axis {axis} of {list(input_x.shape)}",
                arg="input_x",
            )
        return ops.split(input_x, length // output_num, axis) if length else (input_x,) * output_num

    return call


def _pad(paddings: Any) -> Callable:
    return lambda input_x: ops.pad(input_x, _pairs(paddings, input_x))


def _mirror_pad(mode: str = "REFLECT") -> Callable:
    name = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}[mode]
    return lambda input_x, paddings: ops.pad(input_x, _pairs(paddings, input_x), name)


def _pairs(paddings: Any, x: Tensor) -> list[int]:
    """((before, after) of the first axis, …) as `pad` takes it: the last axis first."""
    pairs = paddings.tolist() if isinstance(paddings, Tensor) else paddings
    if len(pairs) != x.ndim:
        raise OpValueError(f"Pad needs a pair for each of the {x.ndim} axes, but got {pairs!r}", arg="paddings")
    flat = [n for pair in reversed(pairs) for n in pair]
    while len(flat) > 2 and flat[-2:] == [0, 0]:
        flat = flat[:-2]
    return flat


def _sigmoid_cross_entropy(logits: Tensor, label: Tensor) -> Tensor:
    return ops.maximum(logits, 0) - logits * label + ops.log1p(ops.exp(-ops.abs(logits)))


def _softmax_cross_entropy(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    return ops.softmax_cross_entropy_with_logits(logits, labels), ops.softmax(logits, -1) - labels


def _sparse_softmax_cross_entropy(is_grad: bool = False) -> Callable:
    def call(logits: Tensor, labels: Tensor) -> Tensor:
        if not is_grad:
            return ops.cross_entropy(logits, labels)
        hot = ops.one_hot(labels, logits.shape[1], 1.0, 0.0).astype(logits.dtype)
        return (ops.softmax(logits, -1) - hot) / logits.shape[0]

    return call


def _layer_norm(begin_norm_axis: int = 1, begin_params_axis: int = 1, epsilon: float = 1e-7) -> Callable:
    @composite
    def call(input_x: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        first = normalize_axis("LayerNorm", begin_norm_axis, input_x.ndim)
        if normalize_axis("LayerNorm", begin_params_axis, input_x.ndim) != first:
            raise NotImplementedError("LayerNorm with begin_params_axis other than begin_norm_axis")
        axes = tuple(range(first, input_x.ndim))
        out = ops.layer_norm(input_x, input_x.shape[first:], gamma, beta, epsilon)
        variance = ops.var(input_x, axes, 0, True)
        return out, ops.reduce_mean(input_x, axes, True), variance

    return call


def _batch_norm(
    is_training: bool = False, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW"
) -> Callable:
    """Gives the result, and the moments that it used, twice: for the user and for `BatchNormGrad`."""
    _only_nchw(data_format)

    @composite
    def call(
        input_x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        if not is_training:
            return ops.batch_norm(input_x, mean, variance, scale, bias, False, momentum, epsilon), *(mean, variance) * 2
        out, *moments = channel_norm(input_x, scale, bias, 0, float(epsilon))
        count = input_x.size // max(input_x.shape[1], 1)
        for running, new, whole in zip((mean, variance), moments, (1.0, count / max(count - 1, 1))):
            new = ops.stop_gradient(new)
            ops.assign(running, ops.stop_gradient(running) * (1.0 - momentum) + new * (momentum * whole))
        return out, *moments, *moments

    return call


def _inverse_permutation(x: Any) -> tuple[int, ...]:
    """(2, 0, 1) to (1, 2, 0)."""
    order = x.tolist() if isinstance(x, Tensor) else x
    if sorted(order) != list(range(len(order))):
        raise OpValueError(f"InvertPermutation needs each of 0 … {len(order) - 1} once, but got {order!r}", arg="x")
    return tuple(order.index(i) for i in range(len(order)))


def _summary(owner: str, kind: str, axes: int | None, least: int) -> Callable[[], Callable]:
    """A class whose objects give a tensor to the recorder of a training."""

    def make() -> Callable:
        def call(name: str, value: Tensor) -> None:
            if not isinstance(name, str) or not name:
                raise OpTypeError(f"{owner} needs a string for `name`, but got {name!r}", arg="name")
            if not isinstance(value, Tensor):
                raise OpTypeError(f"{owner} needs a tensor, but got {type(value).__name__}", arg="value")
            if value.ndim < least or (axes is not None and value.ndim != axes and value.size != 1):
                wanted = f"{axes} axes" if axes else "an axis at least"
                raise OpValueError(f"{owner} needs a tensor with {wanted}, but got {value.shape}", arg="value")
            summaries.give(kind, name, value)

        return call

    return make


def _resize(function: str) -> Callable:
    def make(size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Callable:
        resize = getattr(ops, function)
        return lambda x: resize(x, size, align_corners, half_pixel_centers)

    return make


def _stream(seed: int, seed2: int) -> dict:
    """The source of random numbers of a class of two seeds: a stream of its own, the default one for 0 and 0."""
    return {"seed": Generator().manual_seed(seed or seed2)} if seed or seed2 else {}


def _random(function: str) -> Callable:
    def make(seed: int = 0, seed2: int = 0) -> Callable:
        return functools.partial(getattr(ops, function), **_stream(seed, seed2))

    return make


def _integers(seed: int = 0, seed2: int = 0) -> Callable:
    given = _stream(seed, seed2)
    return lambda shape, minval, maxval: ops.randint(int(minval), int(maxval), tuple(shape), **given).astype(int32)


def _units(seed: int = 0, seed2: int = 0) -> Callable:
    given = _stream(seed, seed2)
    return lambda shape: ops.rand(*shape, dtype=float32, **given)


def _multinomial(seed: int = 0, seed2: int = 0, dtype: Any = int32) -> Callable:
    given = _stream(seed, seed2)
    return lambda x, num_samples: ops.multinomial(x, num_samples, True, **given).astype(as_dtype(dtype))


def _choice(count: int = 256, seed: int = 0, seed2: int = 0) -> Callable:
    return functools.partial(ops.choice_with_mask, count=count, **_stream(seed, seed2))


def _overflow() -> Callable:
    return lambda x: ops.logical_not(ops.all(ops.isfinite(x))).astype(float32).reshape((1,))


#: Classes with arguments: functions from these to the function of the call.
CLASSES: dict[str, Callable] = {
    # along axes
    "ReduceSum": _reduction("reduce_sum", skip_mode=True),
    "ReduceMean": _reduction("reduce_mean"),
    "ReduceMax": _reduction("reduce_max"),
    "ReduceMin": _reduction("reduce_min"),
    "ReduceProd": lambda keep_dims=False: lambda x, axis=(): _product_of(x, axis, keep_dims),
    "ReduceAll": _reduction("all"),
    "ReduceAny": _reduction("any"),
    "Argmax": _position("argmax"),
    "Argmin": _position("argmin"),
    "ArgMaxWithValue": _positions("argmax_with_value"),
    "ArgMinWithValue": _positions("argmin_with_value"),
    "CumSum": lambda exclusive=False, reverse=False: (
        lambda input, axis: ops.cumsum(input, axis, exclusive=exclusive, reverse=reverse)
    ),
    "CumProd": lambda exclusive=False, reverse=False: (
        lambda input, axis: ops.cumprod(input, axis, exclusive=exclusive, reverse=reverse)
    ),
    "Cummax": lambda axis: Bound(ops.cummax, axis=axis),
    "Cummin": lambda axis: Bound(ops.cummin, axis=axis),
    "Softmax": _along("softmax", axis=-1),
    "LogSoftmax": _along("log_softmax", axis=-1),
    "L2Normalize": lambda axis=0, epsilon=1e-4: lambda x: ops.l2_normalize(x, axis, epsilon),
    "Sort": lambda axis=-1, descending=False: Bound(ops.sort, axis=axis, descending=descending),
    "TopK": lambda sorted=True: lambda input_x, k: ops.topk(input_x, k, None, True, sorted),
    # shapes
    "BroadcastTo": lambda shape: Bound(ops.broadcast_to, shape=shape),
    "Concat": lambda axis=0: lambda input_x: ops.concat(input_x, axis),
    "Stack": _joined,
    "Pack": _joined,
    "Unstack": lambda axis=0, num=None: lambda input_x: ops.unstack(input_x, axis),
    "Unpack": lambda axis=0, num=None: lambda input_x: ops.unstack(input_x, axis),
    "Split": _split,
    "Squeeze": lambda axis=(): lambda input_x: ops.squeeze(input_x, axis if axis != () else None),
    "StridedSlice": lambda begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0: (
        lambda input_x, begin, end, strides: ops.strided_slice(
            input_x, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
        )
    ),
    "ReverseV2": lambda axis: lambda input_x: ops.flip(input_x, axis),
    "Pad": _pad,
    "MirrorPad": _mirror_pad,
    "Padding": lambda pad_dim_size=8: lambda x: ops.padding(x, pad_dim_size),
    "Meshgrid": lambda indexing="xy": lambda inputs: ops.meshgrid(*inputs, indexing=indexing),
    "OneHot": lambda axis=-1: (
        lambda indices, depth, on_value=1, off_value=0: ops.one_hot(indices, depth, on_value, off_value, axis)
    ),
    "Range": lambda maxlen=1000000: lambda start, limit, delta: ops.range(start, limit, delta),
    "Tril": lambda diagonal=0: lambda x: ops.tril(x, diagonal),
    "Triu": lambda diagonal=0: lambda x: ops.triu(x, diagonal),
    # places
    "Gather": lambda batch_dims=0: (
        lambda input_params, input_indices, axis: ops.gather(input_params, input_indices, axis, batch_dims)
    ),
    "GatherV2": lambda: lambda input_params, input_indices, axis: ops.gather(input_params, input_indices, axis),
    "IndexAdd": lambda axis, use_lock=True, check_index_bound=True: (
        lambda x, indices, y: ops.index_add(x, indices, y, axis)
    ),
    "ScatterAdd": _locking("scatter_add"),
    "ScatterSub": _locking("scatter_sub"),
    "ScatterMul": _locking("scatter_mul"),
    "ScatterDiv": _locking("scatter_div"),
    "ScatterMax": _locking("scatter_max"),
    "ScatterMin": _locking("scatter_min"),
    "ControlDepend": lambda depend_mode=0: lambda src, dst: ops.control_depend(src, dst, depend_mode),
    "ScatterUpdate": _locking("scatter_update"),
    "ScatterNdAdd": _locking("scatter_nd_add"),
    "ScatterNdSub": _locking("scatter_nd_sub"),
    "ScatterNdMul": _locking("scatter_nd_mul"),
    "ScatterNdDiv": _locking("scatter_nd_div"),
    "ScatterNdMax": _locking("scatter_nd_max"),
    "ScatterNdMin": _locking("scatter_nd_min"),
    "ScatterNdUpdate": _locking("scatter_nd_update"),
    "TensorScatterElements": lambda axis=0, reduction="none": (
        lambda data, indices, updates: ops.tensor_scatter_elements(data, indices, updates, axis, reduction)
    ),
    # products, convolutions, pooling
    "MatMul": _product("matmul"),
    "BatchMatMul": _product("bmm"),
    "BiasAdd": lambda data_format="NCHW": lambda input_x, bias: ops.bias_add(input_x, bias, data_format),
    "Conv2D": _convolution("conv2d"),
    "Conv3D": _convolution("conv3d"),
    "MaxPool": _windows("max_pool2d"),
    "AvgPool": _windows("avg_pool2d"),
    "MaxPoolWithArgmaxV2": _max_with_positions,
    "AdaptiveAvgPool2D": lambda output_size: lambda input: ops.adaptive_avg_pool2d(input, output_size),
    "AdaptiveMaxPool2D": lambda output_size: lambda input: ops.adaptive_max_pool2d(input, output_size, True),
    "MaxPoolWithArgmax": _valid_max_with_positions,
    "BatchNorm": _batch_norm,
    "LayerNorm": _layer_norm,
    "ResizeNearestNeighbor": _resize("resize_nearest_neighbor"),
    "ResizeBilinear": _resize("resize_bilinear"),
    "ResizeBilinearV2": lambda align_corners=False, half_pixel_centers=False: (
        lambda x, size: ops.resize_bilinear(x, tuple(map(int, size)), align_corners, half_pixel_centers)
    ),
    "LRN": lambda depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS": (
        lambda x: ops.lrn(x, depth_radius, bias, alpha, beta, norm_region)
    ),
    # activations
    "GeLU": lambda: Bound(ops.gelu, approximate="tanh"),
    "Gelu": lambda: Bound(ops.gelu, approximate="tanh"),
    "Elu": lambda alpha=1.0: lambda x: ops.elu(x, alpha),
    "CeLU": lambda alpha=1.0: lambda x: ops.celu(x, alpha),
    "HShrink": lambda lambd=0.5: lambda x: ops.hardshrink(x, lambd),
    "SoftShrink": lambda lambd=0.5: lambda x: ops.softshrink(x, lambd),
    "Hardtanh": lambda min_val=-1.0, max_val=1.0: lambda x: ops.hardtanh(x, min_val, max_val),
    "Threshold": lambda threshold, value: lambda x: ops.threshold(x, threshold, value),
    # comparisons
    "ApproximateEqual": lambda tolerance=1e-5: lambda x, y: ops.approximate_equal(x, y, tolerance),
    "IsClose": lambda rtol=1e-5, atol=1e-8, equal_nan=False: (
        lambda input, other: ops.isclose(input, other, rtol, atol, equal_nan)
    ),
    "FloatStatus": _overflow,
    # what newer MindSpore versions added to older classes
    "AddExt": lambda: lambda input, other, alpha=1: input + other * alpha,
    "SubExt": lambda: lambda input, other, alpha=1: input - other * alpha,
    "SumExt": lambda: lambda input, dim=None, keepdim=False, dtype=None: ops.sum(input, dim, keepdim, dtype=dtype),
    "OnesLikeExt": lambda: lambda input, dtype=None: ops.ones_like(input, dtype=dtype),
    "ZerosLikeExt": lambda: lambda input, dtype=None: ops.zeros_like(input, dtype=dtype),
    "FillV2": lambda: lambda shape, value: ops.fill(value.dtype, shape, value),
    # values of programs
    "InvertPermutation": lambda: _inverse_permutation,
    "Load": lambda: lambda variable, monad=None: variable.value(),
    "Partial": lambda: functools.partial,
    "HistogramSummary": _summary("HistogramSummary", "histogram", None, 1),
    "ImageSummary": _summary("ImageSummary", "image", 4, 4),
    "ScalarSummary": _summary("ScalarSummary", "scalar", 0, 0),
    "TensorSummary": _summary("TensorSummary", "tensor", None, 1),
    # losses
    "SigmoidCrossEntropyWithLogits": lambda: _sigmoid_cross_entropy,
    "SoftmaxCrossEntropyWithLogits": lambda: _softmax_cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_softmax_cross_entropy,
    "BinaryCrossEntropy": lambda reduction="mean": (
        lambda logits, labels, weight=None: ops.binary_cross_entropy(logits, labels, weight, reduction)
    ),
    "BCEWithLogitsLoss": lambda reduction="mean": (
        lambda logits, label, weight=None, pos_weight=None: ops.binary_cross_entropy_with_logits(
            logits, label, weight, pos_weight, reduction
        )
    ),
    "KLDivLoss": lambda reduction="mean": lambda logits, labels: ops.kl_div(logits, labels, reduction),
    "SmoothL1Loss": lambda beta=1.0, reduction="none": (
        lambda prediction, target: ops.smooth_l1_loss(prediction, target, beta, reduction)
    ),
    "SoftMarginLoss": lambda reduction="mean": lambda logits, labels: ops.soft_margin_loss(logits, labels, reduction),
    "L2Loss": lambda: lambda input_x: (input_x * input_x).sum() / 2,
    # random numbers
    "StandardNormal": _random("standard_normal"),
    "StandardLaplace": _random("standard_laplace"),
    "UniformReal": _units,
    "UniformInt": _integers,
    "RandomShuffle": _random("shuffle"),
    "Multinomial": _multinomial,
    "RandomChoiceWithMask": _choice,
    **MORE,
    **RARE,
    **SELDOM,
    **COLLECTIVES,
    **GRADIENTS,
    **UPDATES,
}

# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike
from anfora.api import GradOperation as GradOperation
from anfora.api import get_grad as get_grad
from anfora.api import grad as grad
from anfora.api import jacfwd as jacfwd
from anfora.api import jacrev as jacrev
from anfora.api import jvp as jvp
from anfora.api import value_and_grad as value_and_grad
from anfora.api import vjp as vjp
from anfora.batching import vmap as vmap
from anfora.directions import derivative as derivative
from anfora.directions import jet as jet
from anfora.directions import linearize as linearize
from anfora.eager.custom import custom_vjp as custom_vjp
from anfora.modes import _primexpr as _primexpr
from anfora.modes import constexpr as constexpr
from anfora.ops.custom_class import Custom as Custom
from anfora.ops.custom_class import PyFunc as PyFunc
from anfora.ops.custom_class import kernel as kernel
from anfora.ops.custom_class import kernel as ms_kernel
from anfora.ops.exchange import ReduceOp as ReduceOp
from anfora.ops.primitives import Primitive as Primitive
from anfora.ops.programs import HyperMap as HyperMap
from anfora.ops.programs import Map as Map
from anfora.ops.programs import MultitypeFuncGraph as MultitypeFuncGraph
from anfora.ops.registration import CustomRegOp as CustomRegOp
from anfora.ops.registration import DataType as DataType
from anfora.ops.user_primitives import PrimitiveWithCheck as PrimitiveWithCheck
from anfora.ops.user_primitives import PrimitiveWithInfer as PrimitiveWithInfer
from anfora.ops.user_primitives import prim_attr_register as prim_attr_register

class ACos(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class ACosGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Abs(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class AbsGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AccumulateNV2(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: Sequence[TensorLike] | Tensor) -> Tensor: ...  # type: ignore[override]

class Acosh(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class AcoshGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Adam(Primitive):
    def __init__(self, use_locking: builtins.bool = False, use_nesterov: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AdaptiveAvgPool2D(Primitive):
    def __init__(self, output_size: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AdaptiveAvgPool3D(Primitive):
    def __init__(self, output_size: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AdaptiveMaxPool2D(Primitive):
    def __init__(self, output_size: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AdaptiveMaxPool3D(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Add(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class AddExt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AddN(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: Any) -> Tensor: ...  # type: ignore[override]

class Addcdiv(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor: ...  # type: ignore[override]

class Addcmul(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor: ...  # type: ignore[override]

class AdjustHue(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AdjustSaturation(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AffineGrid(Primitive):
    def __init__(self, align_corners: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AllGather(Primitive):
    def __init__(self, group: builtins.str = 'mccl_world_group') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AllReduce(Primitive):
    def __init__(self, op: builtins.str = 'sum', group: builtins.str = 'mccl_world_group') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AlltoAll(Primitive):
    def __init__(self, split_count: builtins.int, split_dim: builtins.int, concat_dim: builtins.int, group: builtins.str = 'mccl_world_group') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Angle(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class ApplyAdaMax(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyAdadelta(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyAdagrad(Primitive):
    def __init__(self, update_slots: builtins.bool = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyAdagradV2(Primitive):
    def __init__(self, epsilon: builtins.float, update_slots: builtins.bool = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyAdamWithAmsgrad(Primitive):
    def __init__(self, beta1: builtins.float = 0.9, beta2: builtins.float = 0.999, epsilon: builtins.float = 1e-08, use_locking: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyAddSign(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyCenteredRMSProp(Primitive):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyFtrl(Primitive):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyGradientDescent(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyMomentum(Primitive):
    def __init__(self, use_nesterov: builtins.bool = False, use_locking: builtins.bool = False, gradient_scale: builtins.float = 1.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyPowerSign(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyProximalAdagrad(Primitive):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyProximalGradientDescent(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApplyRMSProp(Primitive):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ApproximateEqual(Primitive):
    def __init__(self, tolerance: Any = 1e-05) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ArgMaxWithValue(Primitive):
    def __init__(self, axis: builtins.int = 0, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ArgMinWithValue(Primitive):
    def __init__(self, axis: builtins.int = 0, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Argmax(Primitive):
    def __init__(self, axis: builtins.int = -1, output_type: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Argmin(Primitive):
    def __init__(self, axis: builtins.int = -1, output_type: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Asin(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class AsinGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Asinh(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class AsinhGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Assign(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, variable: Any, value: Any) -> Any: ...  # type: ignore[override]

class AssignAdd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, variable: Any, value: Any) -> Any: ...  # type: ignore[override]

class AssignSub(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, variable: Any, value: Any) -> Any: ...  # type: ignore[override]

class Atan(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Atan2(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class AtanGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Atanh(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class AvgPool(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AvgPool3D(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int = 0, data_format: builtins.str = 'NCDHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class AvgPoolGrad(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BCEWithLogitsLoss(Primitive):
    def __init__(self, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Barrier(Primitive):
    def __init__(self, group: builtins.str = 'mccl_world_group') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BatchMatMul(Primitive):
    def __init__(self, transpose_a: Any = False, transpose_b: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BatchNorm(Primitive):
    def __init__(self, is_training: builtins.bool = False, epsilon: builtins.float = 1e-05, momentum: builtins.float = 0.1, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BatchNormGrad(Primitive):
    def __init__(self, is_training: builtins.bool = False, epsilon: builtins.float = 1e-05, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BatchToSpace(Primitive):
    def __init__(self, block_size: Any, crops: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BatchToSpaceND(Primitive):
    def __init__(self, block_shape: Any, crops: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Bernoulli(Primitive):
    def __init__(self, seed: Any = -1, offset: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BesselI0(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselI0e(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselI1(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselI1e(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselJ0(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselJ1(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselK0(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselK0e(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselK1(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselK1e(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselY0(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class BesselY1(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Betainc(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, a: TensorLike, b: TensorLike, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class BiasAdd(Primitive):
    def __init__(self, data_format: Any = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BiasAddGrad(Primitive):
    def __init__(self, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BinaryCrossEntropy(Primitive):
    def __init__(self, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BinaryCrossEntropyGrad(Primitive):
    def __init__(self, reduction: builtins.str = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Bincount(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, weights: TensorLike | None = None, minlength: Any = 0) -> Tensor: ...  # type: ignore[override]

class BitwiseAnd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class BitwiseOr(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class BitwiseXor(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class BoundingBoxDecode(Primitive):
    def __init__(self, max_shape: Any, means: Any = ..., stds: Any = ..., wh_ratio_clip: Any = 0.016) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BoundingBoxEncode(Primitive):
    def __init__(self, means: Any = ..., stds: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Broadcast(Primitive):
    def __init__(self, root_rank: builtins.int, group: builtins.str = 'mccl_world_group') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class BroadcastTo(Primitive):
    def __init__(self, shape: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Bucketize(Primitive):
    def __init__(self, boundaries: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CTCGreedyDecoder(Primitive):
    def __init__(self, merge_repeated: Any = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CTCLoss(Primitive):
    def __init__(self, preprocess_collapse_repeated: builtins.bool = False, ctc_merge_repeated: builtins.bool = True, ignore_longer_outputs_than_inputs: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CTCLossV2(Primitive):
    def __init__(self, blank: builtins.int = 0, reduction: builtins.str = 'none', zero_infinity: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Cast(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, dtype: Any) -> Tensor: ...  # type: ignore[override]

class Cdist(Primitive):
    def __init__(self, p: Any = 2.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CdistGrad(Primitive):
    def __init__(self, p: builtins.float = 2.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CeLU(Primitive):
    def __init__(self, alpha: Any = 1.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Ceil(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class ChannelShuffle(Primitive):
    def __init__(self, group: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CheckNumerics(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CheckValid(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, bboxes: TensorLike, img_metas: TensorLike) -> Tensor: ...  # type: ignore[override]

class Cholesky(Primitive):
    def __init__(self, upper: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CholeskyInverse(Primitive):
    def __init__(self, upper: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CholeskySolve(Primitive):
    def __init__(self, upper: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Col2Im(Primitive):
    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CombinedNonMaxSuppression(Primitive):
    def __init__(self, pad_per_class: builtins.bool = False, clip_boxes: builtins.bool = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Complex(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, real: TensorLike, imag: TensorLike) -> Tensor: ...  # type: ignore[override]

class ComplexAbs(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Concat(Primitive):
    def __init__(self, axis: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ConcatOffset(Primitive):
    def __init__(self, N: builtins.int = 2, axis: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Conj(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class ConjugateTranspose(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Conv2D(Primitive):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, mode: builtins.int = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Conv2DBackpropFilter(Primitive):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, pad_mode: builtins.str = 'valid', pad: Any = 0, pad_list: Any = None, mode: builtins.int = 1, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Conv2DBackpropInput(Primitive):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, pad_mode: builtins.str = 'valid', pad: Any = 0, pad_list: Any = None, mode: builtins.int = 1, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Conv2DTranspose(Primitive):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, pad_mode: builtins.str = 'valid', pad: Any = 0, pad_list: Any = None, mode: builtins.int = 1, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Conv3D(Primitive):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, mode: builtins.int = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Conv3DTranspose(Primitive):
    def __init__(self, in_channel: builtins.int, out_channel: builtins.int, kernel_size: Any, mode: builtins.int = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, output_padding: Any = 0, data_format: builtins.str = 'NCDHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CopySign(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Copysign(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Cos(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Cosh(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class CountNonZero(Primitive):
    def __init__(self, dims: Any = ()) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CropAndResize(Primitive):
    def __init__(self, method: builtins.str = 'bilinear', extrapolation_value: builtins.float = 0.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Cross(Primitive):
    def __init__(self, dim: Any = -65530) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CumProd(Primitive):
    def __init__(self, exclusive: Any = False, reverse: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CumSum(Primitive):
    def __init__(self, exclusive: Any = False, reverse: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Cummax(Primitive):
    def __init__(self, axis: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Cummin(Primitive):
    def __init__(self, axis: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class CumulativeLogsumexp(Primitive):
    def __init__(self, exclusive: builtins.bool = False, reverse: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class DType(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: Any) -> Any: ...  # type: ignore[override]

class DataFormatDimMap(Primitive):
    def __init__(self, src_format: builtins.str = 'NHWC', dst_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class DataFormatVecPermute(Primitive):
    def __init__(self, src_format: builtins.str = 'NHWC', dst_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Dense(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor: ...  # type: ignore[override]

class Depend(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, value: Any, expr: Any) -> Any: ...  # type: ignore[override]

class DepthToSpace(Primitive):
    def __init__(self, block_size: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Diag(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Digamma(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Div(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor: ...  # type: ignore[override]

class DivNoNan(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Dot(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Dropout(Primitive):
    def __init__(self, keep_prob: builtins.float = 0.5, Seed0: builtins.int = 0, Seed1: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Dropout2D(Primitive):
    def __init__(self, keep_prob: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Dropout3D(Primitive):
    def __init__(self, keep_prob: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class DropoutGrad(Primitive):
    def __init__(self, keep_prob: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class DynamicRNN(Primitive):
    def __init__(self, cell_type: builtins.str = 'LSTM', direction: builtins.str = 'UNIDIRECTIONAL', cell_depth: builtins.int = 1, use_peephole: builtins.bool = False, keep_prob: builtins.float = 1.0, cell_clip: builtins.float = -1.0, num_proj: builtins.int = 0, time_major: builtins.bool = True, activation: builtins.str = 'tanh', forget_bias: builtins.float = 0.0, is_training: builtins.bool = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Eig(Primitive):
    def __init__(self, compute_v: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Einsum(Primitive):
    def __init__(self, equation: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Elu(Primitive):
    def __init__(self, alpha: Any = 1.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class EluGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class EmbeddingLookup(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Equal(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class EqualCount(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Erf(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Erfc(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Erfinv(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class EuclideanNorm(Primitive):
    def __init__(self, keep_dims: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Exp(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Expand(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, size: Any) -> Tensor: ...  # type: ignore[override]

class ExpandDims(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, axis: Any) -> Tensor: ...  # type: ignore[override]

class Expm1(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Eye(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, n: Any, m: Any = None, dtype: Any = None) -> Tensor: ...  # type: ignore[override]

class FFTWithSize(Primitive):
    def __init__(self, signal_ndim: builtins.int, inverse: builtins.bool, real: builtins.bool, norm: builtins.str = 'backward', onesided: builtins.bool = True, signal_sizes: Any = ()) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class FastGeLU(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class FastGeLUGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class FastGelu(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class Fill(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, type: Any, shape: Any, value: Any) -> Tensor: ...  # type: ignore[override]

class FillDiagonal(Primitive):
    def __init__(self, fill_value: Any, wrap: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class FillV2(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Fills(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Flatten(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, order: Any = 'C', *, start_dim: Any = 1, end_dim: Any = -1) -> Tensor: ...  # type: ignore[override]

class FlattenGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class FloatStatus(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Floor(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class FloorDiv(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class FloorMod(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Fmax(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Fmin(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class ForiLoop(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class GLU(Primitive):
    def __init__(self, axis: Any = -1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Gamma(Primitive):
    def __init__(self, seed: Any = 0, seed2: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Gather(Primitive):
    def __init__(self, batch_dims: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class GatherD(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike, dim: Any, index: TensorLike) -> Tensor: ...  # type: ignore[override]

class GatherNd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike) -> Tensor: ...  # type: ignore[override]

class GatherV2(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Gcd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class GeLU(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class GeLUGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Gelu(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Geqrf(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> builtins.tuple[Tensor, Tensor]: ...  # type: ignore[override]

class Ger(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, vec2: TensorLike) -> Tensor: ...  # type: ignore[override]

class Greater(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class GreaterEqual(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class GridSampler2D(Primitive):
    def __init__(self, interpolation_mode: Any = 'bilinear', padding_mode: Any = 'zeros', align_corners: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class GridSampler3D(Primitive):
    def __init__(self, interpolation_mode: Any = 'bilinear', padding_mode: Any = 'zeros', align_corners: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class HSVToRGB(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class HShrink(Primitive):
    def __init__(self, lambd: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class HShrinkGrad(Primitive):
    def __init__(self, lambd: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class HSigmoid(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class HSigmoidGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class HSwish(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class HSwishGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Hardtanh(Primitive):
    def __init__(self, min_val: Any = -1.0, max_val: Any = 1.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Heaviside(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, values: TensorLike) -> Tensor: ...  # type: ignore[override]

class HistogramFixedWidth(Primitive):
    def __init__(self, nbins: builtins.int, dtype: Any = 'int32') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class HistogramSummary(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class HookBackward(Primitive):
    def __init__(self, f: Callable) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Hypot(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class IOU(Primitive):
    def __init__(self, mode: Any = 'iou') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Identity(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class IdentityN(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Igamma(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class IgammaGradA(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Igammac(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Im2Col(Primitive):
    def __init__(self, ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Imag(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class ImageSummary(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InTopK(Primitive):
    def __init__(self, k: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class IndexAdd(Primitive):
    def __init__(self, axis: Any, use_lock: Any = True, check_index_bound: Any = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class IndexFill(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike, axis: Any, index: TensorLike, value: Any) -> Tensor: ...  # type: ignore[override]

class IndexPut(Primitive):
    def __init__(self, accumulate: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InplaceAdd(Primitive):
    def __init__(self, indices: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InplaceAddExt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InplaceSub(Primitive):
    def __init__(self, indices: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InplaceSubExt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InplaceUpdate(Primitive):
    def __init__(self, indices: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InplaceUpdateV2(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InsertGradientOf(Primitive):
    def __init__(self, f: Callable) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Inv(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class InvGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Invert(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class InvertPermutation(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class IsClose(Primitive):
    def __init__(self, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class IsFinite(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class IsInf(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class IsNan(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class KLDivLoss(Primitive):
    def __init__(self, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class L2Loss(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class L2Normalize(Primitive):
    def __init__(self, axis: Any = 0, epsilon: Any = 0.0001) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class L2NormalizeGrad(Primitive):
    def __init__(self, axis: Any = 0, epsilon: Any = 0.0001) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LRN(Primitive):
    def __init__(self, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, norm_region: Any = 'ACROSS_CHANNELS') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LayerNorm(Primitive):
    def __init__(self, begin_norm_axis: builtins.int = 1, begin_params_axis: builtins.int = 1, epsilon: builtins.float = 1e-07) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LayerNormGrad(Primitive):
    def __init__(self, begin_norm_axis: builtins.int = 1, begin_params_axis: builtins.int = 1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Lcm(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class LeftShift(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Lerp(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, end: TensorLike, weight: TensorLike) -> Tensor: ...  # type: ignore[override]

class Less(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class LessEqual(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Lgamma(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class LinSpace(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, start: TensorLike, end: TensorLike, steps: Any) -> Tensor: ...  # type: ignore[override]

class ListDiff(Primitive):
    def __init__(self, out_idx: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Load(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Log(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Log1p(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class LogMatrixDeterminant(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> builtins.tuple[Tensor, Tensor]: ...  # type: ignore[override]

class LogSigmoid(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class LogSoftmax(Primitive):
    def __init__(self, axis: Any = -1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LogSoftmaxGrad(Primitive):
    def __init__(self, axis: Any = -1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LogSpace(Primitive):
    def __init__(self, steps: Any = 10, base: Any = 10, dtype: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LogicalAnd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class LogicalNot(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class LogicalOr(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class LogicalXor(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Logit(Primitive):
    def __init__(self, eps: Any = -1.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LogitGrad(Primitive):
    def __init__(self, eps: Any = -1.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LowerBound(Primitive):
    def __init__(self, out_type: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LpNorm(Primitive):
    def __init__(self, axis: Any, p: Any = 2, keep_dims: Any = False, epsilon: Any = 1e-12) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Lstsq(Primitive):
    def __init__(self, fast: builtins.bool = True, l2_regularizer: builtins.float = 0.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LuSolve(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class LuUnpack(Primitive):
    def __init__(self, unpack_data: Any = True, unpack_pivots: Any = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaskedFill(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, mask: TensorLike, value: TensorLike) -> Tensor: ...  # type: ignore[override]

class MaskedScatter(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaskedSelect(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, mask: TensorLike) -> Tensor: ...  # type: ignore[override]

class MaskedSelectGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatMul(Primitive):
    def __init__(self, transpose_a: Any = False, transpose_b: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatrixBandPart(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike, lower: Any, upper: Any) -> Tensor: ...  # type: ignore[override]

class MatrixDeterminant(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class MatrixDiagPartV3(Primitive):
    def __init__(self, align: builtins.str = 'RIGHT_LEFT') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatrixDiagV3(Primitive):
    def __init__(self, align: builtins.str = 'RIGHT_LEFT') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatrixExp(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class MatrixInverse(Primitive):
    def __init__(self, adjoint: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatrixPower(Primitive):
    def __init__(self, n: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatrixSetDiagV3(Primitive):
    def __init__(self, align: builtins.str = 'RIGHT_LEFT') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatrixSolve(Primitive):
    def __init__(self, adjoint: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MatrixTriangularSolve(Primitive):
    def __init__(self, lower: builtins.bool = True, adjoint: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxPool(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxPool3D(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'VALID', pad_list: Any = 0, ceil_mode: builtins.bool | None = None, data_format: builtins.str = 'NCDHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxPoolGrad(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxPoolGradWithArgmax(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxPoolWithArgmax(Primitive):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxPoolWithArgmaxV2(Primitive):
    def __init__(self, kernel_size: Any, strides: Any = None, pads: Any = 0, dilation: Any = (1, 1), ceil_mode: builtins.bool = False, argmax_type: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxUnpool2D(Primitive):
    def __init__(self, ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MaxUnpool3D(Primitive):
    def __init__(self, ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: builtins.str = 'NCHW') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Maximum(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class MaximumGrad(Primitive):
    def __init__(self, grad_x: Any = True, grad_y: Any = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Median(Primitive):
    def __init__(self, global_median: builtins.bool = False, axis: builtins.int = 0, keep_dims: builtins.bool = False, ignore_nan: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Meshgrid(Primitive):
    def __init__(self, indexing: Any = 'xy') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Minimum(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class MinimumGrad(Primitive):
    def __init__(self, grad_x: Any = True, grad_y: Any = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MirrorPad(Primitive):
    def __init__(self, mode: builtins.str = 'REFLECT') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MirrorPadGrad(Primitive):
    def __init__(self, mode: builtins.str = 'REFLECT') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Mish(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class Mod(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Mul(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class MulNoNan(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class MultiMarginLoss(Primitive):
    def __init__(self, p: Any = 1, margin: Any = 1.0, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class MultilabelMarginLoss(Primitive):
    def __init__(self, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Multinomial(Primitive):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0, dtype: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Mvlgamma(Primitive):
    def __init__(self, p: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NLLLoss(Primitive):
    def __init__(self, reduction: builtins.str = 'mean', ignore_index: builtins.int = -100) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NMSWithMask(Primitive):
    def __init__(self, iou_threshold: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NPUAllocFloatStatus(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NPUClearFloatStatus(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NPUGetFloatStatus(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NanToNum(Primitive):
    def __init__(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Neg(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class NextAfter(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class NonMaxSuppressionV3(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NonMaxSuppressionWithOverlaps(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class NonZero(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, *, as_tuple: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, ...]: ...  # type: ignore[override]

class NotEqual(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class NthElement(Primitive):
    def __init__(self, reverse: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class OneHot(Primitive):
    def __init__(self, axis: Any = -1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Ones(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Tensor: ...  # type: ignore[override]

class OnesLike(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, *, dtype: Any = None) -> Tensor: ...  # type: ignore[override]

class OnesLikeExt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Orgqr(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, input2: TensorLike) -> Tensor: ...  # type: ignore[override]

class Ormqr(Primitive):
    def __init__(self, left: Any = True, transpose: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class PReLU(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, weight: TensorLike) -> Tensor: ...  # type: ignore[override]

class PReLUGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Pack(Primitive):
    def __init__(self, axis: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Pad(Primitive):
    def __init__(self, paddings: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Padding(Primitive):
    def __init__(self, pad_dim_size: Any = 8) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Partial(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Pdist(Primitive):
    def __init__(self, p: Any = 2.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class PdistGrad(Primitive):
    def __init__(self, p: Any = 2.0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Poisson(Primitive):
    def __init__(self, seed: Any = 0, seed2: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Polar(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, abs: TensorLike, angle: TensorLike) -> Tensor: ...  # type: ignore[override]

class Polygamma(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, n: Any, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class PopulationCount(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Pow(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, exponent: TensorLike) -> Tensor: ...  # type: ignore[override]

class Print(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *input_x: Any) -> builtins.int: ...  # type: ignore[override]

class Qr(Primitive):
    def __init__(self, full_matrices: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Quantile(Primitive):
    def __init__(self, dim: builtins.int | None = None, keep_dims: builtins.bool = False, ignore_nan: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RGBToHSV(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ROIAlign(Primitive):
    def __init__(self, pooled_height: builtins.int, pooled_width: builtins.int, spatial_scale: builtins.float, sample_num: builtins.int = 2, roi_end_mode: builtins.int = 1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RaggedRange(Primitive):
    def __init__(self, Tsplits: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RandomCategorical(Primitive):
    def __init__(self, dtype: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RandomChoiceWithMask(Primitive):
    def __init__(self, count: builtins.int = 256, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RandomGamma(Primitive):
    def __init__(self, seed: Any = 0, seed2: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RandomPoisson(Primitive):
    def __init__(self, seed: Any = 0, seed2: Any = 0, dtype: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RandomShuffle(Primitive):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Randperm(Primitive):
    def __init__(self, max_length: builtins.int = 1, pad: builtins.int = -1, dtype: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Range(Primitive):
    def __init__(self, maxlen: Any = 1000000) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Rank(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike) -> builtins.int: ...  # type: ignore[override]

class ReLU(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class ReLU6(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class ReLU6Grad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Real(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class RealDiv(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor: ...  # type: ignore[override]

class Reciprocal(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class ReciprocalGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceAll(Primitive):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceAny(Primitive):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceMax(Primitive):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceMean(Primitive):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceMin(Primitive):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceProd(Primitive):
    def __init__(self, keep_dims: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceScatter(Primitive):
    def __init__(self, op: builtins.str = 'sum', group: builtins.str = 'mccl_world_group') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceStd(Primitive):
    def __init__(self, axis: Any = (), unbiased: builtins.bool = True, keep_dims: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReduceSum(Primitive):
    def __init__(self, keep_dims: builtins.bool = False, skip_mode: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReluGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Renorm(Primitive):
    def __init__(self, p: Any, dim: Any, maxnorm: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Reshape(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, shape: Any) -> Tensor: ...  # type: ignore[override]

class ResizeBicubic(Primitive):
    def __init__(self, align_corners: Any = False, half_pixel_centers: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ResizeBilinear(Primitive):
    def __init__(self, size: Any, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ResizeBilinearGrad(Primitive):
    def __init__(self, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ResizeBilinearV2(Primitive):
    def __init__(self, align_corners: Any = False, half_pixel_centers: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ResizeLinear1D(Primitive):
    def __init__(self, coordinate_transformation_mode: builtins.str = 'align_corners') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ResizeNearestNeighbor(Primitive):
    def __init__(self, size: Any, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ResizeNearestNeighborGrad(Primitive):
    def __init__(self, align_corners: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ResizeNearestNeighborV2(Primitive):
    def __init__(self, align_corners: Any = False, half_pixel_centers: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReverseSequence(Primitive):
    def __init__(self, seq_dim: Any, batch_dim: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ReverseV2(Primitive):
    def __init__(self, axis: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class RightShift(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Rint(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Roll(Primitive):
    def __init__(self, shifts: Any, dims: Any = None) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Round(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, decimals: Any = 0) -> Tensor: ...  # type: ignore[override]

class Rsqrt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class RsqrtGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SGD(Primitive):
    def __init__(self, dampening: builtins.float = 0.0, weight_decay: builtins.float = 0.0, nesterov: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScalarSummary(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScalarToTensor(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: Any, dtype: Any = 'float32') -> Tensor: ...  # type: ignore[override]

class Scan(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterAdd(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterDiv(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterMax(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterMin(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterMul(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, indices: TensorLike, updates: TensorLike, shape: Any) -> Tensor: ...  # type: ignore[override]

class ScatterNdAdd(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNdDiv(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNdMax(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNdMin(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNdMul(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNdSub(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNdUpdate(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterNonAliasingAdd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterSub(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class ScatterUpdate(Primitive):
    def __init__(self, use_locking: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SeLU(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike) -> Tensor: ...  # type: ignore[override]

class SearchSorted(Primitive):
    def __init__(self, dtype: Any = ..., right: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SegmentMax(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SegmentMean(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SegmentMin(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SegmentProd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SegmentSum(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Select(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, condition: Any, input: Any, other: Any) -> Tensor: ...  # type: ignore[override]

class SequenceAddN(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: Any) -> Tensor: ...  # type: ignore[override]

class Shape(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: Any) -> builtins.tuple[builtins.int, ...]: ...  # type: ignore[override]

class Shift(Primitive):
    def __init__(self, periods: builtins.int = 1, axis: builtins.int = -1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SiLU(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class SiLUGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Sigmoid(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class SigmoidCrossEntropyWithLogits(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SigmoidCrossEntropyWithLogitsGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SigmoidGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Sign(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Sin(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Sinc(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Sinh(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Size(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike) -> builtins.int: ...  # type: ignore[override]

class Slice(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, begin: Any, size: Any) -> Tensor: ...  # type: ignore[override]

class SliceGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SmoothL1Loss(Primitive):
    def __init__(self, beta: Any = 1.0, reduction: Any = 'none') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SmoothL1LossGrad(Primitive):
    def __init__(self, beta: Any = 1.0, reduction: Any = 'none') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SoftMarginLoss(Primitive):
    def __init__(self, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SoftMarginLossGrad(Primitive):
    def __init__(self, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SoftShrink(Primitive):
    def __init__(self, lambd: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SoftShrinkGrad(Primitive):
    def __init__(self, lambd: Any = 0.5) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Softmax(Primitive):
    def __init__(self, axis: Any = -1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SoftmaxCrossEntropyWithLogits(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SoftmaxGrad(Primitive):
    def __init__(self, axis: Any = -1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Softplus(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, beta: TensorLike = 1, threshold: TensorLike = 20) -> Tensor: ...  # type: ignore[override]

class SoftplusGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Softsign(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike) -> Tensor: ...  # type: ignore[override]

class Sort(Primitive):
    def __init__(self, axis: Any = -1, descending: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SpaceToBatch(Primitive):
    def __init__(self, block_size: Any, paddings: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SpaceToBatchND(Primitive):
    def __init__(self, block_shape: Any, paddings: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SpaceToDepth(Primitive):
    def __init__(self, block_size: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SparseApplyAdagrad(Primitive):
    def __init__(self, lr: builtins.float, update_slots: builtins.bool = True, use_locking: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SparseApplyAdagradV2(Primitive):
    def __init__(self, lr: builtins.float, epsilon: builtins.float, use_locking: builtins.bool = False, update_slots: builtins.bool = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SparseApplyFtrl(Primitive):
    def __init__(self, lr: builtins.float, l1: builtins.float, l2: builtins.float, lr_power: builtins.float, use_locking: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SparseGatherV2(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SparseSoftmaxCrossEntropyWithLogits(Primitive):
    def __init__(self, is_grad: builtins.bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SparseToDense(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Split(Primitive):
    def __init__(self, axis: builtins.int = 0, output_num: builtins.int = 1) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SplitV(Primitive):
    def __init__(self, size_splits: Any, split_dim: builtins.int, num_split: builtins.int) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Sqrt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class SqrtGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Square(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class SquareSumAll(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SquaredDifference(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: Any, other: Any) -> Tensor: ...  # type: ignore[override]

class Squeeze(Primitive):
    def __init__(self, axis: Any = ()) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Stack(Primitive):
    def __init__(self, axis: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class StandardLaplace(Primitive):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class StandardNormal(Primitive):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class StopGradient(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, value: TensorLike) -> Tensor: ...  # type: ignore[override]

class StridedSlice(Primitive):
    def __init__(self, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class StridedSliceGrad(Primitive):
    def __init__(self, **masks: builtins.int) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Sub(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class SubExt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class SumExt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Svd(Primitive):
    def __init__(self, full_matrices: Any = False, compute_uv: Any = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Tan(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class Tanh(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class TanhGrad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Tanhshrink(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class TensorAdd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class TensorDot(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x1: TensorLike, x2: TensorLike, axes: Any) -> Tensor: ...  # type: ignore[override]

class TensorScatterAdd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...  # type: ignore[override]

class TensorScatterDiv(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...  # type: ignore[override]

class TensorScatterElements(Primitive):
    def __init__(self, axis: Any = 0, reduction: Any = 'none') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class TensorScatterMax(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...  # type: ignore[override]

class TensorScatterMin(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...  # type: ignore[override]

class TensorScatterMul(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...  # type: ignore[override]

class TensorScatterSub(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...  # type: ignore[override]

class TensorScatterUpdate(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...  # type: ignore[override]

class TensorShape(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class TensorSummary(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Threshold(Primitive):
    def __init__(self, threshold: Any, value: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Tile(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, dims: Any) -> Tensor: ...  # type: ignore[override]

class TopK(Primitive):
    def __init__(self, sorted: Any = True) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Trace(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Tensor: ...  # type: ignore[override]

class Transpose(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, input_perm: Any) -> Tensor: ...  # type: ignore[override]

class TridiagonalMatMul(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Tril(Primitive):
    def __init__(self, diagonal: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class TrilIndices(Primitive):
    def __init__(self, row: Any, col: Any, offset: Any = 0, dtype: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class TripletMarginLoss(Primitive):
    def __init__(self, p: Any = 2, swap: Any = False, eps: Any = 1e-06, reduction: Any = 'mean') -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Triu(Primitive):
    def __init__(self, diagonal: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class TriuIndices(Primitive):
    def __init__(self, row: Any, col: Any, offset: Any = 0, dtype: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Trunc(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> Tensor: ...  # type: ignore[override]

class TruncateDiv(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class TruncateMod(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class TruncatedNormal(Primitive):
    def __init__(self, dtype: Any = ..., seed: Any = 0, seed2: Any = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class TupleToArray(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: Any) -> Tensor: ...  # type: ignore[override]

class TupleToTensor(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UniformInt(Primitive):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UniformReal(Primitive):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Unique(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike) -> builtins.tuple[Tensor, Tensor]: ...  # type: ignore[override]

class UniqueConsecutive(Primitive):
    def __init__(self, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UniqueWithPad(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike, pad_num: Any) -> builtins.tuple[Tensor, Tensor]: ...  # type: ignore[override]

class Unpack(Primitive):
    def __init__(self, axis: Any = 0, num: Any = None) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UnravelIndex(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UnsortedSegmentMax(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...  # type: ignore[override]

class UnsortedSegmentMin(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...  # type: ignore[override]

class UnsortedSegmentProd(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...  # type: ignore[override]

class UnsortedSegmentSum(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...  # type: ignore[override]

class Unstack(Primitive):
    def __init__(self, axis: Any = 0, num: Any = None) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UpperBound(Primitive):
    def __init__(self, out_type: Any = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UpsampleNearest3D(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class UpsampleTrilinear3D(Primitive):
    def __init__(self, align_corners: Any = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class WhileLoop(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Xdivy(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, x: TensorLike, y: TensorLike) -> Tensor: ...  # type: ignore[override]

class Xlogy(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

class Zeros(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, size: Any, dtype: Any = None) -> Tensor: ...  # type: ignore[override]

class ZerosLike(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, *, dtype: Any = None) -> Tensor: ...  # type: ignore[override]

class ZerosLikeExt(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[override]

class Zeta(Primitive):
    def __init__(self) -> None: ...
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...  # type: ignore[override]

def abs(input: TensorLike) -> Tensor:
    """|input|, element by element."""

def absolute(input: TensorLike) -> Tensor:
    """|input|, element by element."""

def accumulate_n(x: Sequence[TensorLike] | Tensor) -> Tensor:
    """The sum of tensors of one shape; see `addn`."""

def acos(input: TensorLike) -> Tensor:
    """Arc cosine, from 0 to pi, element by element."""

def acosh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic cosine, element by element."""

def adaptive_avg_pool1d(input: TensorLike, output_size: Any) -> Tensor:
    """The mean of each of Q windows of sequences (N, C, L) or (C, L): see `adaptive_avg_pool2d`."""

def adaptive_avg_pool2d(input: TensorLike, output_size: Any) -> Tensor:
    """The mean of each of P x Q windows that cover the plane: window p has the rows floor(p H / P) to ceil((p + 1) H / P) - 1."""

def adaptive_avg_pool3d(input: TensorLike, output_size: Any) -> Tensor:
    """The mean of each of E x P x Q windows that cover volumes (N, C, D, H, W) or (C, D, H, W): see `adaptive_avg_pool2d`."""

def adaptive_max_pool1d(input: TensorLike, output_size: Any) -> Tensor:
    """The largest element in each of Q windows of sequences (N, C, L) or (C, L): see `adaptive_avg_pool2d`."""

def adaptive_max_pool2d(input: TensorLike, output_size: Any, return_indices: Any = False) -> Any:
    """The largest element in each of P x Q windows that cover the plane."""

def adaptive_max_pool3d(input: TensorLike, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest element in each of E x P x Q windows that cover volumes (N, C, D, H, W) or (C, D, H, W): see `adaptive_max_pool2d`. Places are (d·H + h)·W + w."""

def add(input: TensorLike, other: TensorLike) -> Tensor:
    """input + other, element by element; of bools, whether either is true."""

def add_flags(fn: Any = None, **flags: builtins.bool) -> Any:
    """Accepted for MindSpore programs, which say with it how a function or Cell is compiled: the flags are kept in `_func_graph_flags`, without effect; gives the function. Without one it is a decorator."""

def addbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (the sum of the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""

def addcdiv(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 / tensor2, element by element."""

def addcmul(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 · tensor2, element by element."""

def addmm(input: TensorLike, mat1: TensorLike, mat2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2)."""

def addmv(input: TensorLike, mat: TensorLike, vec: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (mat @ vec), with `mat` (M, K), `vec` (K,) and `input` that broadcasts to (M,); see `addmm`."""

def addn(x: Any) -> Tensor:
    """The sum of several tensors, element by element, from the first to the last."""

def addr(x: TensorLike, vec1: TensorLike, vec2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · x + alpha · outer(vec1, vec2), with `x` that broadcasts to (M, N); see `addmm`."""

def adjoint(x: TensorLike) -> Tensor:
    """Matrices with rows and columns exchanged, and complex elements conjugated."""

def affine_grid(theta: TensorLike, size: Any, align_corners: builtins.bool = False) -> Tensor:
    """Where the pixels of an image come from under affine maps: a grid for `grid_sample`."""

def alias(input: TensorLike) -> Tensor:
    """The same memory as another tensor with a history of its own. A view."""

def all(input: TensorLike, axis: Any = None, keep_dims: Any = False) -> Tensor:
    """Whether all elements over axes are true (not zero); true where there is none."""

def allclose(input: TensorLike, other: TensorLike, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether all elements are close: |input - other| ≤ atol + rtol · |other|; see `isclose`."""

def amax(input: TensorLike, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None) -> Tensor:
    """The largest element over axes; see `reduce_max`, also for its gradient."""

def amin(input: TensorLike, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None) -> Tensor:
    """The smallest element over axes; see `amax`."""

def aminmax(input: TensorLike, *, axis: Any = 0, keepdims: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The smallest and the largest elements along an axis (over all for None)."""

def angle(input: TensorLike) -> Tensor:
    """The angle of a number in the complex plane, from -pi to pi: of a real one pi for negative elements, -0.0 among them, else 0; NaN for NaN."""

def any(input: TensorLike, axis: Any = None, keep_dims: Any = False) -> Tensor:
    """Whether some element over axes is true (not zero); false where there is none."""

def approximate_equal(x: Any, y: Any, tolerance: Any = 1e-05) -> Tensor:
    """Whether |x - y| < tolerance, element by element."""

def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Tensor:
    """Numbers at equal distances: start, start + step, … up to, but without, `end`."""

def arccos(input: TensorLike) -> Tensor:
    """Arc cosine, from 0 to pi, element by element."""

def arccosh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic cosine, element by element."""

def arcsin(input: TensorLike) -> Tensor:
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

def argmax_with_value(input: TensorLike, axis: Any = 0, keep_dims: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The largest elements along an axis and their positions, the first of equal ones; NaN counts as largest."""

def argmin(input: TensorLike, axis: Any = None, keepdims: Any = False) -> Tensor:
    """The position, int32, of the smallest element along an axis, the first of equal ones; NaN counts as smallest. See `argmax`."""

def argmin_with_value(input: TensorLike, axis: Any = 0, keep_dims: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The smallest elements along an axis and their positions, the first of equal ones; NaN counts as smallest. See `argmax_with_value`."""

def argsort(input: TensorLike, axis: Any = -1, descending: Any = False) -> Tensor:
    """The positions, int32, of the elements in order along an axis; see `sort`."""

def argwhere(input: TensorLike) -> Tensor:
    """The coordinates of the elements that are not zero, as `nonzero`."""

def asin(input: TensorLike) -> Tensor:
    """Arc sine, from -pi/2 to pi/2, element by element."""

def asinh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic sine, element by element."""

def assemble(parts: Sequence[TensorLike] | Tensor, shape: Any, paths: Any) -> Tensor:
    """Zeros of `shape` to which each part is added, in the view behind its path. No two of these views meet, so each element is written once: a part's plus zero, which makes zero of -0."""

def assign(variable: Any, value: Any) -> Any:
    """Write a value, broadcast and converted, into a Parameter; gives the Parameter."""

def assign_add(variable: Any, value: Any) -> Any:
    """Add a value to a Parameter, in place; gives the Parameter."""

def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract a value from a Parameter, in place; gives the Parameter."""

def atan(input: TensorLike) -> Tensor:
    """Arc tangent, from -pi/2 to pi/2, element by element."""

def atan2(input: TensorLike, other: TensorLike) -> Tensor:
    """The angle of the point (other, input), from -pi to pi, element by element."""

def atanh(input: TensorLike) -> Tensor:
    """Inverse hyperbolic tangent, element by element."""

def atleast_1d(inputs: Any) -> Any:
    """Tensors with at least 1 axes; axes of length 1 are added to numbers."""

def atleast_2d(inputs: Any) -> Any:
    """Tensors with at least 2 axes; axes of length 1 are added in front."""

def atleast_3d(inputs: Any) -> Any:
    """Tensors with at least 3 axes; axes of length 1 are added behind and, where that is not enough, in front."""

def avg_pool1d(input_x: TensorLike, kernel_size: Any = 1, stride: Any = 1, padding: Any = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window of sequences (N, C, L) or (C, L): `avg_pool2d` of planes one row high."""

def avg_pool2d(input_x: TensorLike, kernel_size: Any = 1, stride: Any = 1, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = 0) -> Tensor:
    """The mean of each window."""

def avg_pool3d(input_x: TensorLike, kernel_size: Any = 1, stride: Any = 1, padding: Any = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int = 0) -> Tensor:
    """The mean of each window of volumes."""

def baddbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""

def bartlett_window(window_length: Any, periodic: Any = True, *, dtype: Any = None) -> Tensor:
    """The triangle: 1 in the middle, 0 at the ends."""

def batch_dot(x1: TensorLike, x2: TensorLike, axes: Any = None) -> Tensor:
    """The sum of products over one axis of each item of two batches."""

def batch_norm(input_x: TensorLike, running_mean: TensorLike | None, running_var: TensorLike | None, weight: TensorLike | None, bias: TensorLike | None, training: builtins.bool = False, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Normalise each channel over all images: y = (x - mean) / sqrt(variance + eps) · weight + bias."""

def bernoulli(input: TensorLike, p: Any = 0.5, seed: Any = None) -> Tensor:
    """Ones with probability p, else zeros."""

def bessel_i0(input: TensorLike) -> Tensor:
    """The modified Bessel function of the first kind of order 0, element by element."""

def bessel_i0e(input: TensorLike) -> Tensor:
    """The modified Bessel function of the first kind of order 0, times exp(-|input|), element by element."""

def bessel_i1(input: TensorLike) -> Tensor:
    """The modified Bessel function of the first kind of order 1, element by element."""

def bessel_i1e(input: TensorLike) -> Tensor:
    """The modified Bessel function of the first kind of order 1, times exp(-|input|), element by element."""

def bessel_j0(input: TensorLike) -> Tensor:
    """The Bessel function of the first kind of order 0, element by element."""

def bessel_j1(input: TensorLike) -> Tensor:
    """The Bessel function of the first kind of order 1, element by element."""

def bessel_k0(input: TensorLike) -> Tensor:
    """The modified Bessel function of the second kind of order 0, element by element."""

def bessel_k0e(input: TensorLike) -> Tensor:
    """The modified Bessel function of the second kind of order 0, times exp(input), element by element."""

def bessel_k1(input: TensorLike) -> Tensor:
    """The modified Bessel function of the second kind of order 1, element by element."""

def bessel_k1e(input: TensorLike) -> Tensor:
    """The modified Bessel function of the second kind of order 1, times exp(input), element by element."""

def bessel_y0(input: TensorLike) -> Tensor:
    """The Bessel function of the second kind of order 0, element by element."""

def bessel_y1(input: TensorLike) -> Tensor:
    """The Bessel function of the second kind of order 1, element by element."""

def betainc(a: TensorLike, b: TensorLike, x: TensorLike) -> Tensor:
    """The regularised incomplete beta function: the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by that from 0 to 1; element by element."""

def bias_add(input_x: TensorLike, bias: TensorLike, data_format: Any = 'NCHW') -> Tensor:
    """Add to each channel its own number."""

def bidense(input1: TensorLike, input2: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor:
    """Linear in each of two inputs: y[…, n] = input1[…] weight[n] input2[…]ᵀ + bias[n]."""

def binary_cross_entropy(logits: TensorLike, labels: TensorLike, weight: TensorLike | None = None, reduction: Any = 'mean') -> Tensor:
    """-weight (labels log(logits) + (1 - labels) log(1 - logits)) of probabilities, reduced."""

def binary_cross_entropy_with_logits(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, pos_weight: TensorLike | None = None, reduction: Any = 'mean') -> Tensor:
    """The binary cross entropy of p = sigmoid(input): -weight (pos_weight target log p + (1 - target) log(1 - p)), reduced."""

def bincount(input: TensorLike, weights: TensorLike | None = None, minlength: Any = 0) -> Tensor:
    """How often 0, 1, 2, … occur; with weights, the sum of those of equal elements."""

def bitwise_and(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that both integers have; of bools, whether both are true."""

def bitwise_left_shift(input: TensorLike, other: TensorLike) -> Tensor:
    """input · 2 ** other, modulo 2 ** bits, for integers."""

def bitwise_not(input: TensorLike) -> Tensor:
    """The other bits: -input - 1 for signed integers; of bools, the opposite."""

def bitwise_or(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that either integer has; of bools, whether either is true."""

def bitwise_right_shift(input: TensorLike, other: TensorLike) -> Tensor:
    """floor(input / 2 ** other) for integers."""

def bitwise_xor(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that exactly one of the integers has; of bools, whether exactly one is true."""

def blackman_window(window_length: Any, periodic: Any = True, *, dtype: Any = None) -> Tensor:
    """Blackman's window, 0.42 - 0.5 cos(2 pi place) + 0.08 cos(4 pi place)."""

def block_diag(*inputs: TensorLike) -> Tensor:
    """The matrix that is zero but for matrices along its diagonal."""

def bmm(input_x: TensorLike, mat2: TensorLike) -> Tensor:
    """The products of matrices (…, M, K) and (…, K, N), item by item of equal leading axes; see `matmul`."""

def bounding_box_decode(anchor_box: TensorLike, deltas: TensorLike, max_shape: Sequence[builtins.int], means: Sequence[builtins.float] = ..., stds: Sequence[builtins.float] = ..., wh_ratio_clip: builtins.float = 0.016) -> Tensor:
    """The boxes to which deltas lead from anchors; undoes `bounding_box_encode`."""

def bounding_box_encode(anchor_box: TensorLike, groundtruth_box: TensorLike, means: Sequence[builtins.float] = ..., stds: Sequence[builtins.float] = ...) -> Tensor:
    """What leads from anchors to boxes: by how much of its size an anchor moves, and the logarithms of its growth."""

def broadcast_to(input: TensorLike, shape: Any) -> Tensor:
    """Repeat along axes of length 1, and along new axes in front, to get a shape."""

def bucketize(input: TensorLike, boundaries: Any, *, right: Any = False) -> Tensor:
    """Which of the buckets between ascending boundaries each element falls into, int32; see `searchsorted`."""

def cartesian_prod(*inputs: TensorLike) -> Tensor:
    """All tuples with one element of each tensor, the last changing fastest."""

def cast(input: TensorLike, dtype: Any) -> Tensor:
    """The values in another element type."""

def cat(tensors: Sequence[TensorLike] | Tensor, axis: Any = 0) -> Tensor:
    """Tensors one behind the other along an axis, as `concat`."""

def cdist(x1: TensorLike, x2: TensorLike, p: Any = 2.0) -> Tensor:
    """The distances between all rows of two matrices: y[…, i, j] = norm of x1[…, i] - x2[…, j]."""

def ceil(input: TensorLike) -> Tensor:
    """The smallest whole number that is not below the element."""

def celu(x: TensorLike, alpha: TensorLike = 1.0) -> Tensor:
    """x where it is positive, else alpha (e^(x / alpha) - 1), element by element."""

def channel_shuffle(input: TensorLike, groups: builtins.int) -> Tensor:
    """The channels of (N, C, *) in another order: the first of each group, then the second of each, …"""

def check_valid(bboxes: TensorLike, img_metas: TensorLike) -> Tensor:
    """Whether boxes lie inside of an image."""

def choice_with_mask(input_x: TensorLike, count: Any = 256, seed: Any = None) -> builtins.tuple[Tensor, Tensor]:
    """Coordinates of true elements, drawn without replacement."""

def cholesky(input_x: TensorLike, upper: Any = False) -> Tensor:
    """The Cholesky factors of symmetric (complex: Hermitian) positive definite matrices: x = l lᵀ (l lᴴ)."""

def cholesky_inverse(input_x: TensorLike, upper: Any = False) -> Tensor:
    """The inverses of the matrices of which these are the Cholesky factors: (l lᵀ)⁻¹; with `upper`, (lᵀ l)⁻¹."""

def cholesky_solve(input: TensorLike, input2: TensorLike, upper: Any = False) -> Tensor:
    """Solve linear equations whose matrices have the Cholesky factors `input2`: x with l lᵀ x = input."""

def chunk(input: TensorLike, chunks: Any, axis: Any = 0) -> builtins.tuple[Tensor, ...]:
    """At most `chunks` neighbouring parts along an axis, all of one length but for the last."""

def clamp(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """The input, brought into the range from `min` to `max`, element by element."""

def clip(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """The input, brought into the range from `min` to `max`, element by element."""

def clip_by_global_norm(x: Any, clip_norm: builtins.float = 1.0, use_norm: Any = None) -> builtins.tuple[Tensor, ...]:
    """Shrink tensors by one factor so that the norm of all their elements is at most `clip_norm`."""

def clip_by_norm(x: Any, max_norm: builtins.float, norm_type: builtins.float = 2.0, error_if_nonfinite: builtins.bool = False) -> Any:
    """Shrink a tensor, or tensors together, so that the norm of all elements is at most `max_norm`."""

def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """The input, or each of several, brought into a range, element by element."""

def column_stack(tensors: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors side by side, where 1-d and 0-d tensors are columns."""

def combinations(input: TensorLike, r: Any = 2, with_replacement: Any = False) -> Tensor:
    """All choices of `r` elements of a vector, in the order of their places."""

def complex(real: TensorLike, imag: TensorLike) -> Tensor:
    """real + i imag, element by element."""

def concat(tensors: Sequence[TensorLike] | Tensor, axis: Any = 0) -> Tensor:
    """Tensors one behind the other along an axis."""

def cond(A: TensorLike, p: Any = None) -> Tensor:
    """The condition number of matrices: the norm of a matrix times the norm of its inverse."""

def conj(input: TensorLike) -> Tensor:
    """The complex conjugate, element by element."""

def conv1d(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: Any = 1, pad_mode: builtins.str = 'valid', padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Correlate sequences with windows: `conv2d` of images that are one row high."""

def conv2d(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: Any = 1, pad_mode: Any = 'valid', padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Correlate images with windows: y[n, k, p, q] = b[k] + sum over c, r, s of w[k, c, r, s] x[n, c, p·stride + r·dilation - top, q·stride + s·dilation - left]."""

def conv3d(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: Any = 1, pad_mode: builtins.str = 'valid', padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Correlate volumes with windows: `conv2d` of images whose channels are the slices that a window spans."""

def conv_transpose1d(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1) -> Tensor:
    """Transposed convolution of sequences (N, K, Q) with `weight` (K, C / groups, S): see `conv_transpose2d`."""

def conv_transpose2d(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1) -> Tensor:
    """Transposed convolution: the gradient of `conv2d` to its input, applied to `input`."""

def copy(input: TensorLike) -> Tensor:
    """A copy in memory of its own, contiguous."""

def copy_to(input: TensorLike, value: TensorLike) -> Tensor:
    """Write `value`, broadcast and converted, into the memory of `input`; gives `input`."""

def copysign(input: TensorLike, other: TensorLike) -> Tensor:
    """|input| with the sign of `other`, element by element; -0.0 has a sign too."""

def core(fn: Any = None, **flags: builtins.bool) -> Any:
    """`add_flags` with the flag `core`."""

def cos(input: TensorLike) -> Tensor:
    """Cosine, element by element."""

def cosh(input: TensorLike) -> Tensor:
    """Hyperbolic cosine, element by element."""

def cosine_embedding_loss(input1: TensorLike, input2: TensorLike, target: TensorLike, margin: builtins.float = 0.0, reduction: builtins.str = 'mean') -> Tensor:
    """1 - cos(input1, input2) where the target is 1, max(0, cos(input1, input2) - margin) where it is -1; reduced."""

def cosine_similarity(x1: TensorLike, x2: TensorLike, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors: sum(x1 · x2) / max(|x1| |x2|, eps) along an axis."""

def count_nonzero(x: TensorLike, axis: Any = (), keep_dims: Any = False, dtype: Any = ...) -> Tensor:
    """How many elements are not zero; NaN is not, -0.0 is."""

def cov(input: TensorLike, *, correction: Any = 1, fweights: TensorLike | None = None, aweights: TensorLike | None = None) -> Tensor:
    """The covariances of variables."""

def cross(input: TensorLike, other: TensorLike, dim: Any = None) -> Tensor:
    """The cross products of vectors of length 3."""

def cross_entropy(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: builtins.int = -100, reduction: builtins.str = 'mean', label_smoothing: builtins.float = 0.0) -> Tensor:
    """The cross entropy of logits with class labels or class probabilities."""

def ctc_greedy_decoder(inputs: TensorLike, sequence_length: TensorLike, merge_repeated: builtins.bool = True) -> builtins.tuple[Tensor, Tensor, Tensor, Tensor]:
    """What is read where each time has its best class, the first of equal ones; the last class stands for no label."""

def ctc_loss(log_probs: TensorLike, targets: TensorLike, input_lengths: Any, target_lengths: Any, blank: builtins.int = 0, reduction: builtins.str = 'mean', zero_infinity: builtins.bool = False) -> builtins.tuple[Tensor, Tensor]:
    """The negative logarithm of the probability of sequences of labels, over all ways to place them in time."""

def cummax(input: TensorLike, axis: Any) -> builtins.tuple[Tensor, Tensor]:
    """The largest element so far along an axis and its position; of equal ones the last; NaN stays."""

def cummin(input: TensorLike, axis: Any) -> builtins.tuple[Tensor, Tensor]:
    """The smallest element so far along an axis and its position, int32; see `cummax`."""

def cumprod(input: TensorLike, dim: Any, dtype: Any = None, *, exclusive: Any = False, reverse: Any = False) -> Tensor:
    """The running product along an axis: y_k = Π_{i<=k} x_i, carried in float64 and rounded for each k."""

def cumsum(x: TensorLike, axis: Any, dtype: Any = None, *, exclusive: Any = False, reverse: Any = False) -> Tensor:
    """The running sum along an axis: y_k = Σ_{i<=k} x_i, carried in float64 and rounded for each k."""

def deg2rad(x: TensorLike) -> Tensor:
    """Angles in degrees as radians: x · pi / 180."""

def dense(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor:
    """A dense layer: y = x wᵀ + b, the bias added before the sum is rounded."""

def depend(value: Any, expr: Any) -> Any:
    """The value; what made `expr` has been done before."""

def depth_to_space(x: TensorLike, block_size: builtins.int) -> Tensor:
    """Move channels of an image to blocks; undoes `space_to_depth`."""

def det(input: TensorLike) -> Tensor:
    """The determinants of matrices."""

def diag(input: TensorLike) -> Tensor:
    """A tensor with twice the axes, zero but for the elements whose two halves of coordinates are equal."""

def diag_embed(input: TensorLike, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    """Matrices that are zero outside of a diagonal, which holds the last axis of the input."""

def diagflat(input: TensorLike, offset: Any = 0) -> Tensor:
    """The matrix that is zero outside of a diagonal, which holds all elements of the input."""

def diagonal(input: TensorLike, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    """The elements whose coordinates along two axes differ by `offset`: x[i, i + offset]. A view."""

def diagonal_scatter(input: TensorLike, src: TensorLike, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    """A copy in which `src` stands on a diagonal, see `diagonal`."""

def diff(x: TensorLike, n: Any = 1, axis: Any = -1, prepend: TensorLike | None = None, append: TensorLike | None = None) -> Tensor:
    """The differences of neighbours along an axis, y_k = x_{k+1} - x_k, taken n times; of bools, whether they differ."""

def digamma(input: TensorLike) -> Tensor:
    """The derivative of log(gamma(input)), element by element."""

def dist(input: TensorLike, other: TensorLike, p: Any = 2) -> Tensor:
    """The norm of the difference of two tensors that broadcast; see `vector_norm`."""

def div(input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
    """input / other, element by element, rounded where asked."""

def div_no_nan(input: TensorLike, other: TensorLike) -> Tensor:
    """input / other, and 0 where `other` is 0, element by element."""

def divide(input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
    """input / other, element by element, rounded where asked."""

def dot(input: TensorLike, other: TensorLike) -> Tensor:
    """The sum of products over the last axis of `input` and the last but one (the only one) of `other`, as `numpy.dot`."""

def dropout(input: TensorLike, p: Any = 0.5, training: Any = True, seed: Any = None) -> Tensor:
    """Each element becomes 0 with probability p, and is divided by 1 - p otherwise."""

def dropout1d(input: TensorLike, p: Any = 0.5, training: Any = True) -> Tensor:
    """Each channel (n, c, ·) becomes 0 with probability p, and is divided by 1 - p otherwise."""

def dropout2d(input: TensorLike, p: Any = 0.5, training: Any = True) -> Tensor:
    """Each channel (n, c, ·, ·) becomes 0 with probability p, and is divided by 1 - p otherwise; see `dropout1d`."""

def dropout3d(input: TensorLike, p: Any = 0.5, training: Any = True) -> Tensor:
    """Each channel (n, c, ·, ·, ·) becomes 0 with probability p, and is divided by 1 - p otherwise; see `dropout1d`."""

def dsplit(input: TensorLike, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
    """Parts along the third axis; see `tensor_split`."""

def dstack(tensors: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors behind each other: along the third axis; tensors of fewer axes get axes of length 1."""

def dtype(input_x: Any) -> Any:
    """The element type."""

def eig(A: TensorLike) -> builtins.tuple[Tensor, Tensor]:
    """The eigenvalues of matrices, in no order, and their vectors: A v = v diag(w)."""

def eigvals(A: TensorLike) -> Tensor:
    """The eigenvalues of matrices, in no order; see `eig`."""

def einsum(equation: builtins.str, *operands: TensorLike) -> Tensor:
    """Sums of products in Einstein's notation: a letter for each axis, "ij,jk->ik" is the product of two matrices."""

def elu(input_x: TensorLike, alpha: TensorLike = 1.0) -> Tensor:
    """The input where it is positive, else alpha (e^input - 1), element by element."""

def embedding(input: TensorLike, weight: TensorLike, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0, scale_grad_by_freq: Any = False) -> Tensor:
    """The rows of a table that indices name."""

def empty(*size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor that is to be written to. It holds zeros; do not count on it."""

def empty_like(input: TensorLike, *, dtype: Any = None, device: Any = None) -> Tensor:
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

def euclidean_norm(x: TensorLike, axis: Any = (), keep_dims: Any = False) -> Tensor:
    """The square root of the sum of squares over axes, computed in float64."""

def exp(input: TensorLike) -> Tensor:
    """e to the power of the element."""

def exp2(input: TensorLike) -> Tensor:
    """2 to the power of the element."""

def expand(input_x: TensorLike, size: Any) -> Tensor:
    """Repeat along axes of length 1, as `broadcast_to`."""

def expand_as(input: TensorLike, other: TensorLike) -> Tensor:
    """`input` broadcast to the shape of `other`."""

def expand_dims(input_x: TensorLike, axis: Any) -> Tensor:
    """Add an axis of length 1 so that it is axis `axis` of the result. A view."""

def expm1(input: TensorLike) -> Tensor:
    """e to the power of the element, minus 1, accurate near 0."""

def exponential(shape: Any, rate: Any = 1.0, seed: Any = None, dtype: Any = ...) -> Tensor:
    """Numbers from the exponential distribution."""

def eye(n: Any, m: Any = None, dtype: Any = None) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""

def fast_gelu(x: TensorLike) -> Tensor:
    """x · sigmoid(1.702 x), element by element: `gelu` with a logistic function for Φ."""

def fft(input: TensorLike, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The discrete Fourier transform along an axis: y_k = Σ_j x_j e^(-2πi jk/n)."""

def fft2(input: TensorLike, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """`fftn` along the last two axes, unless others are named."""

def fftfreq(n: builtins.int, d: builtins.float = 1.0, dtype: Any = None) -> Tensor:
    """The frequencies of a discrete Fourier transform of n samples, in its order: those from 0 on, then the negative ones."""

def fftn(input: TensorLike, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The discrete Fourier transform along several axes, see `fft`."""

def fftshift(input: TensorLike, dim: Any = None) -> Tensor:
    """The halves of axes exchanged, so that the frequency 0 stands in the middle."""

def fill(type: Any, shape: Any, value: Any) -> Tensor:
    """A constant tensor: `full` with its arguments in another order."""

def fills(x: TensorLike, value: Any) -> Tensor:
    """A constant tensor of the shape and type of a tensor: `full_like`."""

def fix(input: TensorLike) -> Tensor:
    """The element without what stands behind its point."""

def flatten(input: TensorLike, order: Any = 'C', *, start_dim: Any = 1, end_dim: Any = -1) -> Tensor:
    """Make one axis of the axes from `start_dim` to `end_dim`."""

def flip(input: TensorLike, dims: Any) -> Tensor:
    """The elements in reverse order along axes."""

def fliplr(input: TensorLike) -> Tensor:
    """The columns (second axis) in reverse order."""

def flipud(input: TensorLike) -> Tensor:
    """The rows (first axis) in reverse order."""

def float_power(input: Any, exponent: Any) -> Tensor:
    """input to the power of `exponent`, in double precision: float64, or complex128 if either is complex."""

def floor(input: TensorLike) -> Tensor:
    """The largest whole number that is not above the element."""

def floor_div(input: TensorLike, other: TensorLike) -> Tensor:
    """floor(input / other), element by element: Python's `//`."""

def floor_divide(input: TensorLike, other: TensorLike) -> Tensor:
    """floor(input / other), element by element: Python's `//`."""

def floor_mod(input: TensorLike, other: TensorLike) -> Tensor:
    """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""

def fmax(input: TensorLike, other: TensorLike) -> Tensor:
    """The larger of two elements; where one is NaN, the other."""

def fmin(input: TensorLike, other: TensorLike) -> Tensor:
    """The smaller of two elements; where one is NaN, the other."""

def fmod(input: TensorLike, other: TensorLike) -> Tensor:
    """input - trunc(input / other) · other, which has the sign of the input, element by element: C's `fmod`."""

def fold(input: TensorLike, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Images from columns: the sum of all windows, each where `unfold` took it from."""

def frac(input: TensorLike) -> Tensor:
    """What stands behind the point of an element, with its sign."""

def full(size: Any, fill_value: TensorLike, dtype: Any = None) -> Tensor:
    """A tensor whose elements are all the same."""

def full_like(input: TensorLike, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """A constant tensor of the shape, and the type unless another is given, of a tensor."""

def gamma(shape: Any, alpha: Any, beta: Any, seed: Any = None) -> Tensor:
    """Numbers from gamma distributions, of density proportional to x ** (alpha - 1) · exp(-beta x)."""

def gather(input_params: TensorLike, input_indices: TensorLike, axis: Any, batch_dims: Any = 0) -> Tensor:
    """The parts along an axis that indices name: result[p, i…, q] = params[p, indices[i…], q]."""

def gather_d(x: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """The elements that indices name along an axis, as `gather_elements`."""

def gather_elements(input: TensorLike, dim: Any, index: TensorLike) -> Tensor:
    """The elements that indices name along an axis, each in its own place: result[i, j] = input[index[i, j], j] for axis 0."""

def gather_nd(input_x: TensorLike, indices: TensorLike) -> Tensor:
    """The parts at places whose coordinates stand side by side along the last axis of the indices."""

def gaussian_nll_loss(x: TensorLike, target: TensorLike, var: TensorLike, full: builtins.bool = False, eps: builtins.float = 1e-06, reduction: builtins.str = 'mean') -> Tensor:
    """The negative logarithm of the normal density: (log v + (x - target)² / v) / 2 with v = max(var, eps); reduced."""

def gcd(input: TensorLike, other: TensorLike) -> Tensor:
    """The greatest common divisor, element by element; of 0 and 0 it is 0."""

def ge(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input >= other, element by element; false where either is NaN."""

def gelu(input: TensorLike, approximate: Any = 'none') -> Tensor:
    """input · Φ(input), element by element, with the distribution function Φ of the standard normal distribution."""

def geqrf(input: TensorLike) -> builtins.tuple[Tensor, Tensor]:
    """The QR factors of matrices in the form in which LAPACK gives them, for `orgqr` and `ormqr`."""

def ger(input: TensorLike, vec2: TensorLike) -> Tensor:
    """All products of the elements of two vectors; see `outer`."""

def glu(x: TensorLike, axis: builtins.int = -1) -> Tensor:
    """a · sigmoid(b), where a and b are the halves of x along an axis."""

def greater(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input > other, element by element; false where either is NaN."""

def greater_equal(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input >= other, element by element; false where either is NaN."""

def grid_sample(input: TensorLike, grid: TensorLike, mode: builtins.str = 'bilinear', padding_mode: builtins.str = 'zeros', align_corners: builtins.bool = False) -> Tensor:
    """Images looked at in given places."""

def group_norm(input: TensorLike, num_groups: builtins.int, weight: TensorLike | None = None, bias: TensorLike | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Normalise groups of neighbouring channels in each image: y = (x - mean) / sqrt(variance + eps) · weight + bias."""

def gru_cell(input_gates: TensorLike, state_gates: TensorLike, state: TensorLike) -> Tensor:
    """One step of a GRU, from what its gates get: with a = input_gates and b = state_gates,"""

def gt(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input > other, element by element; false where either is NaN."""

def gumbel_softmax(logits: TensorLike, tau: builtins.float = 1.0, hard: builtins.bool = False, dim: builtins.int = -1) -> Tensor:
    """Samples from the Gumbel-softmax distribution: softmax((logits + n) / tau), with noise n from Gumbel's distribution."""

def hamming_window(window_length: Any, periodic: Any = True, alpha: Any = 0.54, beta: Any = 0.46, *, dtype: Any = None) -> Tensor:
    """Hamming's window, alpha - beta cos(2 pi place)."""

def hann_window(window_length: Any, periodic: Any = True, *, dtype: Any = None) -> Tensor:
    """Hann's window, 0.5 - 0.5 cos(2 pi place)."""

def hardshrink(input: TensorLike, lambd: TensorLike = 0.5) -> Tensor:
    """The input where |input| > lambd, else 0, element by element."""

def hardsigmoid(input: TensorLike) -> Tensor:
    """min(max(input / 6 + 1/2, 0), 1), element by element."""

def hardswish(input: TensorLike) -> Tensor:
    """input · hardsigmoid(input), element by element."""

def hardtanh(input: TensorLike, min_val: TensorLike = -1.0, max_val: TensorLike = 1.0) -> Tensor:
    """min(max(input, min_val), max_val), element by element."""

def heaviside(input: TensorLike, values: TensorLike) -> Tensor:
    """The step function: 0 for negative, 1 for positive elements, `values` at zero, NaN at NaN."""

def hfft(input: TensorLike, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The discrete Fourier transform of numbers whose second half is the conjugate of the first, and not given: real."""

def hfft2(input: TensorLike, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """`hfftn` along the last two axes, unless others are named."""

def hfftn(input: TensorLike, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """`fftn` of numbers of which the second half along the last axis is the conjugate of the first, and not given: real."""

def hinge_embedding_loss(inputs: TensorLike, targets: TensorLike, margin: builtins.float = 1.0, reduction: builtins.str = 'mean') -> Tensor:
    """The input where the target is 1, max(0, margin - input) where it is -1; reduced."""

def histc(input: TensorLike, bins: Any = 100, min: Any = 0.0, max: Any = 0.0) -> Tensor:
    """How many elements fall into each of `bins` ranges of equal width from `min` to `max`."""

def hsplit(input: TensorLike, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
    """Parts along the second axis, or the first if it is the only one; see `tensor_split`."""

def hstack(tensors: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors side by side: along the second axis, or the first if they have one."""

def huber_loss(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean', delta: builtins.float = 1.0) -> Tensor:
    """d² / 2 where d = |input - target| <= delta, else delta (d - delta / 2); reduced."""

def hypot(input: TensorLike, other: TensorLike) -> Tensor:
    """sqrt(input² + other²) without overflow on the way, element by element."""

def i0(input: TensorLike) -> Tensor:
    """The modified Bessel function of the first kind of order 0, element by element."""

def identity(x: TensorLike) -> Tensor:
    """The tensor itself."""

def ifft(input: TensorLike, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of `fft`: x_j = Σ_k y_k e^(2πi jk/n) / n."""

def ifft2(input: TensorLike, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """`ifftn` along the last two axes, unless others are named."""

def ifftn(input: TensorLike, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of `fftn`; see there, and `ifft` for `norm`."""

def ifftshift(input: TensorLike, dim: Any = None) -> Tensor:
    """What `fftshift` does, undone."""

def igamma(input: TensorLike, other: TensorLike) -> Tensor:
    """The regularised lower incomplete gamma function: the integral of exp(-t) t^(input - 1) from 0 to `other`, divided by gamma(input); element by element."""

def igammac(input: TensorLike, other: TensorLike) -> Tensor:
    """The regularised upper incomplete gamma function, 1 - igamma(input, other), exact where it is small, element by element."""

def ihfft(input: TensorLike, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of `hfft`: the first half of the inverse transform of real numbers."""

def ihfft2(input: TensorLike, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """`ihfftn` along the last two axes, unless others are named."""

def ihfftn(input: TensorLike, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of `hfftn`, of real numbers."""

def imag(input: TensorLike) -> Tensor:
    """The imaginary part. Of a complex tensor a view; of a real one zeros."""

def in_top_k(x1: TensorLike, x2: TensorLike, k: builtins.int) -> Tensor:
    """Whether the element that a target names is among the k largest of its row."""

def index_add(x: Any, indices: TensorLike, y: Any, axis: Any, use_lock: builtins.bool = True, check_index_bound: builtins.bool = True) -> Tensor:
    """Add parts of `y` to the parts of `x` along an axis that indices name."""

def index_fill(x: TensorLike, axis: Any, index: TensorLike, value: Any) -> Tensor:
    """A copy in which the parts along an axis that indices name hold one value."""

def index_put(input: TensorLike, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
    """A copy in which the places `input[indices]` hold values."""

def index_select(input: TensorLike, axis: Any, index: TensorLike) -> Tensor:
    """The parts along an axis that a 1-d tensor of indices names."""

def index_view(input: TensorLike, items: Any) -> Tensor:
    """Basic indexing, with one item an axis, from the first on: an integer takes one element and drops the axis, (start, length, step) takes some, None adds an axis of length 1. A view."""

def inner(input: TensorLike, other: TensorLike) -> Tensor:
    """The sum of products over the last axes of both: y[*a, *b] = sum over k of input[*a, k] other[*b, k]. Where one is 0-d, their product."""

def inplace_add(x: TensorLike, v: Any, indices: Any) -> Tensor:
    """A copy in which values are added to the parts along the first axis that indices name."""

def inplace_index_add(var: TensorLike, indices: TensorLike, updates: Any, axis: Any) -> Tensor:
    """Add parts of `updates` to the parts of a tensor along an axis that indices name, in place."""

def inplace_sub(x: TensorLike, v: Any, indices: Any) -> Tensor:
    """A copy in which values are subtracted from the parts along the first axis that indices name."""

def inplace_update(x: TensorLike, v: Any, indices: Any) -> Tensor:
    """A copy in which values replace the parts along the first axis that indices name."""

def instance_norm(input: TensorLike, weight: TensorLike | None = None, bias: TensorLike | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Normalise each channel of each image on its own: `group_norm` with as many groups as channels."""

def interpolate(input: TensorLike, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None, recompute_scale_factor: builtins.bool | None = None) -> Tensor:
    """Images, sequences or volumes of another size."""

def inv(input: TensorLike) -> Tensor:
    """1 / input, element by element."""

def inverse(input: TensorLike) -> Tensor:
    """The inverses of matrices."""

def invert(input: TensorLike) -> Tensor:
    """The other bits: -input - 1 for signed integers; of bools, the opposite."""

def iou(anchor_boxes: TensorLike, gt_boxes: TensorLike, mode: builtins.str = 'iou') -> Tensor:
    """How much each box overlaps each other one: the common area by the area of both together."""

def irfft(input: TensorLike, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of `rfft`: real numbers."""

def irfft2(input: TensorLike, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """`irfftn` along the last two axes, unless others are named."""

def irfftn(input: TensorLike, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of `rfftn`: real numbers."""

def is_complex(input: TensorLike) -> builtins.bool:
    """Whether the element type is complex."""

def is_sequence_shape_unknown(x: Any) -> builtins.bool:
    """Whether a compiler does not know how long a tuple or list is. In PyNative mode it does."""

def is_sequence_value_unknown(x: Any) -> builtins.bool:
    """Whether a compiler does not know all items of a tuple or list, see `isconstant`. In PyNative mode it does."""

def is_tensor(obj: Any) -> builtins.bool:
    """Whether an object is a Tensor."""

def isclose(input: TensorLike, other: TensorLike, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
    """Whether |input - other| <= atol + rtol · |other|, element by element. Equal infinities are close."""

def isconstant(x: Any) -> builtins.bool:
    """Whether a compiler knows a value from the program alone. In PyNative mode all values are known."""

def isfinite(input: TensorLike) -> Tensor:
    """Whether an element is neither infinite nor NaN."""

def isin(elements: Any, test_elements: Any, *, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor:
    """Whether elements are among `test_elements`."""

def isinf(input: TensorLike) -> Tensor:
    """Whether an element is infinite, of either sign."""

def isnan(input: TensorLike) -> Tensor:
    """Whether an element is not a number."""

def isneginf(input: TensorLike) -> Tensor:
    """Whether an element is -infinity."""

def isposinf(input: TensorLike) -> Tensor:
    """Whether an element is +infinity."""

def isreal(input: Any) -> Tensor:
    """Whether an element is a real number: those of real tensors are, NaN too, and complex ones without an imaginary part."""

def kaiser_window(window_length: Any, periodic: Any = True, beta: Any = 12.0, *, dtype: Any = None) -> Tensor:
    """Kaiser's window, of the modified Bessel function of order 0."""

def kl_div(logits: TensorLike, labels: TensorLike, reduction: builtins.str = 'mean') -> Tensor:
    """labels (log(labels) - logits), reduced: the Kullback-Leibler divergence of exp(logits) from labels."""

def kron(input: TensorLike, other: TensorLike) -> Tensor:
    """The Kronecker product: each element of `input` times all of `other`, laid out as blocks."""

def kthvalue(input: TensorLike, k: Any, dim: Any = -1, keepdim: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The k-th smallest element along an axis, counted from 1, and where it stands (int64); see `median`."""

def l1_loss(input: TensorLike, target: TensorLike, reduction: Any = 'mean') -> Tensor:
    """|input - target|, reduced."""

def l2_normalize(input_x: TensorLike, axis: Any = 0, epsilon: builtins.float = 0.0001) -> Tensor:
    """Divide by the length along axes: y = x / sqrt(max(sum(x²), epsilon))."""

def laplace(shape: Any, mean: Any, lambda_param: Any, seed: Any = None) -> Tensor:
    """Numbers from Laplace distributions, of density exp(-|x - mean| / λ) / (2 λ)."""

def layer_norm(input: TensorLike, normalized_shape: Any, weight: TensorLike | None = None, bias: TensorLike | None = None, eps: Any = 1e-05) -> Tensor:
    """Normalise over the last axes: y = (x - mean) / sqrt(variance + eps) · weight + bias."""

def lcm(input: TensorLike, other: TensorLike) -> Tensor:
    """The least common multiple, element by element; 0 where either is 0."""

def ldexp(x: TensorLike, other: TensorLike) -> Tensor:
    """x · 2 ** other, element by element."""

def le(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input <= other, element by element; false where either is NaN."""

def leaky_relu(input: TensorLike, alpha: TensorLike = 0.2) -> Tensor:
    """max(input, 0) + alpha · min(input, 0), element by element."""

def lerp(input: TensorLike, end: TensorLike, weight: TensorLike) -> Tensor:
    """input + weight · (end - input), element by element; exactly the ends at the weights 0 and 1."""

def less(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input < other, element by element; false where either is NaN."""

def less_equal(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input <= other, element by element; false where either is NaN."""

def lgamma(input: TensorLike) -> Tensor:
    """log |gamma(input)|, element by element."""

def linspace(start: TensorLike, end: TensorLike, steps: Any) -> Tensor:
    """`steps` numbers at equal distances, from `start` to `end`, both included."""

def log(input: TensorLike) -> Tensor:
    """Natural logarithm, element by element."""

def log10(input: TensorLike) -> Tensor:
    """Logarithm to the base 10, element by element."""

def log1p(input: TensorLike) -> Tensor:
    """log(1 + input), accurate near 0, element by element."""

def log2(input: TensorLike) -> Tensor:
    """Logarithm to the base 2, element by element."""

def log_matrix_determinant(input: TensorLike) -> builtins.tuple[Tensor, Tensor]:
    """The signs of determinants and the logarithms of their magnitudes; see `slogdet`."""

def log_softmax(logits: TensorLike, axis: Any = -1) -> Tensor:
    """Logarithm of the softmax along one axis: y = x - max x - log(sum(exp(x - max x)))."""

def logaddexp(input: TensorLike, other: TensorLike) -> Tensor:
    """log(exp(input) + exp(other)) without overflow, element by element."""

def logaddexp2(input: TensorLike, other: TensorLike) -> Tensor:
    """log2(2 ** input + 2 ** other) without overflow, element by element."""

def logcumsumexp(input: TensorLike, axis: Any) -> Tensor:
    """y_k = log(Σ_{i<=k} exp(x_i)) along an axis, without overflow."""

def logdet(input: TensorLike) -> Tensor:
    """The logarithms of the determinants of matrices (…, N, N); NaN where one is negative, -inf where it is zero."""

def logical_and(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether both elements are true, that is, not zero."""

def logical_not(input: TensorLike) -> Tensor:
    """Whether an element is false, that is, zero."""

def logical_or(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether either element is true, that is, not zero."""

def logical_xor(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether exactly one of the elements is true, that is, not zero."""

def logit(input: TensorLike, eps: Any = None) -> Tensor:
    """log(input / (1 - input)), the inverse of sigmoid, element by element."""

def logsigmoid(x: TensorLike) -> Tensor:
    """log(1 / (1 + e^-x)), element by element."""

def logspace(start: Any, end: Any, steps: Any, base: Any = 10, *, dtype: Any = ...) -> Tensor:
    """base ** t for `steps` numbers t at equal distances from `start` to `end`, both included."""

def logsumexp(input: TensorLike, dim: Any, keepdim: Any = False) -> Tensor:
    """log(sum(exp(x))) over axes, the largest element taken out first so that nothing overflows."""

def lp_pool1d(x: TensorLike, norm_type: builtins.float, kernel_size: Any, stride: Any = None, ceil_mode: builtins.bool = False) -> Tensor:
    """The p-norm of each window of sequences (N, C, L) or (C, L): see `lp_pool2d`."""

def lp_pool2d(x: TensorLike, norm_type: builtins.float, kernel_size: Any, stride: Any = None, ceil_mode: builtins.bool = False) -> Tensor:
    """The p-norm of each window: (sum of x^p)^(1/p), p = `norm_type`; windows that hang over the end are cut."""

def lrn(x: TensorLike, depth_radius: builtins.int = 5, bias: builtins.float = 1.0, alpha: builtins.float = 1.0, beta: builtins.float = 0.5, norm_region: builtins.str = 'ACROSS_CHANNELS') -> Tensor:
    """Local response normalisation: y[c] = x[c] / (bias + alpha · sum of x[i]² over |i - c| <= depth_radius) ^ beta."""

def lstm_cell(input_gates: TensorLike, state_gates: TensorLike, cell_state: TensorLike) -> builtins.tuple[Tensor, Tensor]:
    """One step of an LSTM, from what its gates get: with a = input_gates + state_gates = (a_i, a_f, a_g, a_o),"""

def lstsq(input: TensorLike, A: TensorLike) -> Tensor:
    """The solution x of least squares, which makes the norm of input @ x - A smallest; of several, the smallest."""

def lt(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input < other, element by element; false where either is NaN."""

def lu_solve(b: TensorLike, LU_data: TensorLike, LU_pivots: TensorLike) -> Tensor:
    """Solve linear equations by the factors of their matrix: x with A x = b."""

def lu_unpack(LU_data: TensorLike, LU_pivots: TensorLike, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True) -> Any:
    """The matrices P, L and U of a factorisation A = P L U, from the form in which LAPACK gives it."""

def make_range(*args: Any) -> builtins.tuple[builtins.int, ...]:
    """Python's `range` as a tuple: `make_range(end)`, `make_range(start, end)`, `make_range(start, end, step)`."""

def margin_ranking_loss(input1: TensorLike, input2: TensorLike, target: TensorLike, margin: builtins.float = 0.0, reduction: builtins.str = 'mean') -> Tensor:
    """max(0, -target (input1 - input2) + margin), reduced."""

def masked_fill(input_x: TensorLike, mask: TensorLike, value: TensorLike) -> Tensor:
    """The input with `value` where the mask holds."""

def masked_select(input: TensorLike, mask: TensorLike) -> Tensor:
    """The elements where a mask is true, in row-major order."""

def matmul(input: TensorLike, other: TensorLike, *, transpose_a: Any = False, transpose_b: Any = False) -> Tensor:
    """The matrix product: y[…, m, n] = sum over k of input[…, m, k] other[…, k, n]."""

def matrix_band_part(x: TensorLike, lower: Any, upper: Any) -> Tensor:
    """The diagonals of matrices around the main one; zero elsewhere."""

def matrix_determinant(input: TensorLike) -> Tensor:
    """The determinants of matrices; see `det`."""

def matrix_exp(input: TensorLike) -> Tensor:
    """The exponentials of matrices: the sum of xᵏ / k!."""

def matrix_norm(A: TensorLike, ord: Any = 'fro', axis: Any = (-2, -1), keepdims: Any = False, *, dtype: Any = None) -> Tensor:
    """The norm of matrices."""

def matrix_power(input: TensorLike, n: Any) -> Tensor:
    """Square matrices to an integer power, by repeated squaring; a negative one is a power of the inverse."""

def matrix_solve(matrix: TensorLike, rhs: TensorLike, adjoint: Any = False) -> Tensor:
    """Solve linear equations: x with matrix @ x = rhs."""

def max(input: TensorLike, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None) -> builtins.tuple[Tensor, Tensor]:
    """The largest elements along an axis and their positions; see `argmax_with_value` and `amax`."""

def max_pool1d(x: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: builtins.bool = False, ceil_mode: builtins.bool = False) -> Any:
    """The largest element in each window of sequences (N, C, L) or (C, L): `max_pool2d` of planes one row high."""

def max_pool2d(x: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: Any = False, ceil_mode: Any = False) -> Any:
    """The largest element in each window."""

def max_pool3d(x: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest element in each window of volumes."""

def max_unpool1d(x: TensorLike, indices: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Zeros in which each maximum of a `max_pool1d` stands where it came from: see `max_unpool2d`."""

def max_unpool2d(x: TensorLike, indices: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Zeros in which each maximum of a `max_pool2d` stands where it came from."""

def max_unpool3d(x: TensorLike, indices: TensorLike, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Zeros in which each maximum of a `max_pool3d` stands where it came from: see `max_unpool2d`."""

def maximum(input: TensorLike, other: TensorLike) -> Tensor:
    """The larger of two elements; NaN where either is NaN."""

def mean(x: TensorLike, axis: Any = None, keep_dims: Any = False) -> Tensor:
    """The mean over axes: sum / count. Integers and bools are averaged in float64 and give float32."""

def median(input: TensorLike, axis: Any = -1, keepdims: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The median along an axis, the lower of the two in the middle where there are two, and where it stands (int64)."""

def meshgrid(*inputs: TensorLike, indexing: builtins.str = 'xy') -> builtins.tuple[Tensor, ...]:
    """Coordinates of a grid, one tensor for each axis."""

def min(input: TensorLike, axis: Any = None, keepdims: Any = False, *, initial: Any = None, where: Any = None) -> builtins.tuple[Tensor, Tensor]:
    """The smallest elements along an axis and their positions; see `max`."""

def minimum(input: TensorLike, other: TensorLike) -> Tensor:
    """The smaller of two elements; NaN where either is NaN."""

def mish(x: TensorLike) -> Tensor:
    """x · tanh(softplus(x)), element by element."""

def mixed_precision_cast(dst_type: DType, x: Any) -> Any:
    """The floating tensors of a nesting of tuples, lists and dicts in another floating type; all else as it is."""

def mm(input: TensorLike, mat2: TensorLike) -> Tensor:
    """The product of two matrices (M, K) and (K, N); see `matmul`."""

def mod(input: TensorLike, other: TensorLike) -> Tensor:
    """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""

def moveaxis(x: TensorLike, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places, the others kept in order. A view."""

def movedim(x: TensorLike, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places, as `moveaxis`."""

def mse_loss(input: TensorLike, target: TensorLike, reduction: Any = 'mean') -> Tensor:
    """(input - target)², reduced."""

def msort(input: TensorLike) -> Tensor:
    """The elements in order along the first axis."""

def mul(input: TensorLike, other: TensorLike) -> Tensor:
    """input · other, element by element; of bools, whether both are true."""

def mul_no_nan(input: TensorLike, other: TensorLike) -> Tensor:
    """input · other, and 0 where `other` is 0, be the input infinite or NaN."""

def multi_margin_loss(input: TensorLike, target: TensorLike, p: builtins.int = 1, margin: builtins.float = 1, weight: TensorLike | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """The sum over the other classes i of max(0, weight[y] (margin - x[y] + x[i]))^p / C for a label y; reduced."""

def multilabel_margin_loss(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean') -> Tensor:
    """The sum over labels j and classes i that are none of max(0, 1 - x[j] + x[i]) / C; reduced."""

def multilabel_soft_margin_loss(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """The mean over classes of the binary cross entropy of sigmoid(input); reduced."""

def multinomial(input: TensorLike, num_samples: Any, replacement: Any = True, seed: Any = None) -> Tensor:
    """Indices drawn with probabilities proportional to weights."""

def multinomial_with_replacement(x: TensorLike, seed: Any = None, offset: Any = 0, numsamples: Any = 1, replacement: Any = False) -> Tensor:
    """Indices drawn, with replacement, with probabilities proportional to weights; see `multinomial`."""

def multiply(input: TensorLike, other: TensorLike) -> Tensor:
    """input · other, element by element; of bools, whether both are true."""

def mv(mat: TensorLike, vec: TensorLike) -> Tensor:
    """The product of a matrix (M, K) and a vector (K,); see `matmul`."""

def mvlgamma(input: TensorLike, p: Any) -> Tensor:
    """Logarithm of the multivariate gamma function of p dimensions, element by element: log(pi) p (p - 1) / 4 + the sum of lgamma(input - j / 2) for j from 0 to p - 1."""

def nan_to_num(input: TensorLike, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """The input with finite numbers for what is not finite."""

def nanmean(input: TensorLike, axis: Any = None, keepdims: Any = False, *, dtype: Any = None) -> Tensor:
    """The mean over axes of what is not NaN; NaN where nothing is left."""

def nanmedian(input: TensorLike, axis: Any = -1, keepdims: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The median along an axis of what is not NaN, and where it stands; see `median`."""

def nanquantile(input: TensorLike, q: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
    """The quantiles along an axis of what is not NaN; NaN where nothing is left. See `quantile`."""

def nansum(input: TensorLike, axis: Any = None, keepdims: Any = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes with NaN counted as zero; integers and bools are added as int64."""

def narrow(input: TensorLike, axis: Any, start: Any, length: Any) -> Tensor:
    """`length` elements along an axis, from `start` on. A view."""

def ne(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input != other, element by element. NaN differs from everything, itself included."""

def neg(input: TensorLike) -> Tensor:
    """-input, element by element."""

def negative(input: TensorLike) -> Tensor:
    """-input, element by element."""

def nextafter(input: TensorLike, other: TensorLike) -> Tensor:
    """The next floating-point number from the input in the direction of `other`, element by element."""

def nll_loss(inputs: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: builtins.int = -100, reduction: builtins.str = 'mean', label_smoothing: builtins.float = 0.0) -> Tensor:
    """The negative log-likelihood of class labels: for a label y and log-probabilities x, -w[y] x[y]."""

def nms_with_mask(bboxes: TensorLike, iou_threshold: builtins.float = 0.5) -> builtins.tuple[Tensor, Tensor, Tensor]:
    """Of boxes that overlap, the best one: greedy non-maximum suppression."""

def nonzero(input: TensorLike, *, as_tuple: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, ...]:
    """The coordinates of the elements that are not zero, in row-major order."""

def norm(A: TensorLike, ord: Any = None, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The norm of vectors or matrices."""

def normal(shape: Any, mean: Any, stddev: Any, seed: Any = None) -> Tensor:
    """Numbers from normal distributions."""

def not_equal(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input != other, element by element. NaN differs from everything, itself included."""

def numel(input: TensorLike) -> builtins.int:
    """The number of elements."""

def one_hot(indices: TensorLike, depth: Any, on_value: Any = 1, off_value: Any = 0, axis: Any = -1) -> Tensor:
    """Vectors in which one element, that of an index, has another value than all others."""

def ones(shape: Any, dtype: Any = None) -> Tensor:
    """A tensor of ones."""

def ones_like(input: TensorLike, *, dtype: Any = None) -> Tensor:
    """Ones of the shape, and the type unless another is given, of a tensor."""

def orgqr(input: TensorLike, input2: TensorLike) -> Tensor:
    """The first columns of a product of reflections, as `geqrf` gives them: q of the QR factors."""

def ormqr(input: TensorLike, tau: TensorLike, other: TensorLike, left: builtins.bool = True, transpose: builtins.bool = False) -> Tensor:
    """A product of reflections, as `geqrf` gives them, times matrices: q @ other."""

def outer(input: TensorLike, vec2: TensorLike) -> Tensor:
    """All products of the elements of two vectors: y[i, j] = input[i] vec2[j]."""

def pad(input_x: TensorLike, padding: Any, mode: Any = 'constant', value: Any = None) -> Tensor:
    """Elements added in front of and behind axes."""

def padding(x: TensorLike, pad_dim_size: builtins.int = 8) -> Tensor:
    """Zeros behind a last axis of length 1."""

def partial(func: Callable, *args: Any, **kwargs: Any) -> Callable:
    """A function with its first arguments fixed, and those given by name."""

def pdist(input: TensorLike, p: Any = 2.0) -> Tensor:
    """The distances between all pairs of rows, each pair once: those above the diagonal of `cdist(input, input, p)`."""

def permute(input: TensorLike, axis: Any) -> Tensor:
    """The axes in another order, as `transpose`."""

def pinv(x: TensorLike, *, atol: Any = None, rtol: Any = None, hermitian: Any = False) -> Tensor:
    """The pseudoinverses of matrices (Moore-Penrose): singular values that are small count as zero."""

def pixel_shuffle(input: TensorLike, upscale_factor: builtins.int) -> Tensor:
    """Channels turned into pixels: (*, C r², H, W) to (*, C, H r, W r)."""

def pixel_unshuffle(input: TensorLike, downscale_factor: builtins.int) -> Tensor:
    """Pixels turned into channels: (*, C, H r, W r) to (*, C r², H, W); the inverse of `pixel_shuffle`."""

def place(input: TensorLike, shape: Any, path: Any) -> Tensor:
    """Zeros of `shape` in which the view behind `path` holds the input."""

def poisson(shape: Any, mean: Any, seed: Any = None) -> Tensor:
    """Numbers from Poisson distributions, float32."""

def poisson_nll_loss(input: TensorLike, target: TensorLike, log_input: builtins.bool = True, full: builtins.bool = False, eps: builtins.float = 1e-08, reduction: builtins.str = 'mean') -> Tensor:
    """The negative logarithm of the Poisson distribution, up to log(target!): exp(input) - target · input; reduced."""

def polar(abs: TensorLike, angle: TensorLike) -> Tensor:
    """The complex numbers of these sizes and angles: abs · (cos angle + i sin angle)."""

def polygamma(n: Any, input: TensorLike) -> Tensor:
    """The derivative number n of digamma, element by element."""

def positive(input: TensorLike) -> Tensor:
    """A copy of the input: Python's unary `+`."""

def pow(input: TensorLike, exponent: TensorLike) -> Tensor:
    """input to the power of `exponent`, element by element: Python's `**`."""

def prelu(input: TensorLike, weight: TensorLike) -> Tensor:
    """max(input, 0) + weight · min(input, 0), with a slope for each channel."""

def print_(*input_x: Any) -> builtins.int:
    """Print the arguments line by line, tensors with shape and type; gives 1, as MindSpore's operator."""

def prod(input: TensorLike, axis: Any = None, keep_dims: Any = False, dtype: Any = None) -> Tensor:
    """The product over axes; that of floating-point elements is computed in float64 and rounded once."""

def qr(input: TensorLike, mode: Any = 'reduced') -> builtins.tuple[Tensor, Tensor]:
    """Matrices as products of one with orthonormal columns and an upper triangle: input = q r."""

def quantile(input: TensorLike, q: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
    """The quantiles along an axis: of n elements in order, what lies at the place q (n - 1), linearly between neighbours."""

def rad2deg(x: TensorLike) -> Tensor:
    """Angles in radians as degrees: x · 180 / pi."""

def rand(*size: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Numbers from the uniform distribution on [0, 1)."""

def rand_like(input: TensorLike, seed: Any = None, *, dtype: Any = None) -> Tensor:
    """Numbers from the uniform distribution on [0, 1), in the shape, and the type unless another is given, of a tensor."""

def randint(low: Any, high: Any, size: Any, seed: Any = None, *, dtype: Any = None) -> Tensor:
    """Integers from low to high - 1, all equally likely."""

def randint_like(input: TensorLike, low: Any, high: Any, seed: Any = None, *, dtype: Any = None) -> Tensor:
    """Integers from low to high - 1, in the shape, and the type unless another is given, of a tensor."""

def randn(*size: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Numbers from the standard normal distribution."""

def randn_like(input: TensorLike, seed: Any = None, *, dtype: Any = None) -> Tensor:
    """Numbers from the standard normal distribution, in the shape, and the type unless another is given, of a tensor."""

def random_categorical(logits: TensorLike, num_sample: Any, seed: Any = 0, dtype: Any = ...) -> Tensor:
    """Indices drawn with probabilities softmax(logits)."""

def random_gamma(shape: Any, alpha: TensorLike, seed: Any = None) -> Tensor:
    """Numbers from gamma distributions with scale 1, `shape` of them for each element of `alpha`."""

def random_poisson(shape: Any, rate: TensorLike, seed: Any = None, dtype: Any = ...) -> Tensor:
    """Numbers from Poisson distributions, `shape` of them for each element of `rate`."""

def randperm(n: Any, seed: Any = 0, offset: Any = 0, dtype: Any = ...) -> Tensor:
    """The integers from 0 to n - 1 in random order."""

def range(start: Any, end: Any, step: Any = 1, maxlen: Any = 1000000) -> Tensor:
    """Numbers at equal distances, as `arange`."""

def rank(input_x: TensorLike) -> builtins.int:
    """The number of axes."""

def ravel(input: TensorLike) -> Tensor:
    """All elements in one axis."""

def real(input: TensorLike) -> Tensor:
    """The real part. Of a complex tensor a view: what is written to it is written to the tensor."""

def real_div(input: TensorLike, other: TensorLike) -> Tensor:
    """input / other, element by element: Python's `/`."""

def reciprocal(input: TensorLike) -> Tensor:
    """1 / input, element by element."""

def reduce_max(x: TensorLike, axis: Any = (), keep_dims: Any = False) -> Tensor:
    """The largest element over axes; NaN if one is NaN."""

def reduce_mean(x: TensorLike, axis: Any = None, keep_dims: Any = False) -> Tensor:
    """The mean over axes: sum / count. Integers and bools are averaged in float64 and give float32."""

def reduce_min(x: TensorLike, axis: Any = (), keep_dims: Any = False) -> Tensor:
    """The smallest element over axes; NaN if one is NaN. Its gradient is shared evenly by all that are smallest."""

def reduce_sum(x: TensorLike, axis: Any = (), keep_dims: Any = False, dtype: Any = None) -> Tensor:
    """The sum over axes. float32 and half precision are added with a float64 total and rounded once."""

def relu(input: TensorLike) -> Tensor:
    """max(input, 0), element by element."""

def relu6(x: TensorLike) -> Tensor:
    """min(max(x, 0), 6), element by element."""

def remainder(input: TensorLike, other: TensorLike) -> Tensor:
    """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""

def renorm(input: TensorLike, p: Any, axis: Any, maxnorm: Any) -> Tensor:
    """Scale the parts of a tensor along an axis down to a norm of at most `maxnorm`."""

def repeat_elements(x: TensorLike, rep: Any, axis: Any = 0) -> Tensor:
    """Each part along an axis `rep` times in a row, as `repeat_interleave`."""

def repeat_interleave(input: TensorLike, repeats: Any, axis: Any = None) -> Tensor:
    """Each element, or each part along an axis, several times in a row."""

def reshape(input: TensorLike, shape: Any) -> Tensor:
    """The same elements, in row-major order, with other axes."""

def reshape_as(input: TensorLike, other: TensorLike) -> Tensor:
    """`input` reshaped to the shape of `other`."""

def resize_bicubic(input: TensorLike, size: Any, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> Tensor:
    """Images (N, C, H, W) of another size, by cubic interpolation along both axes; arguments as in `resize_bilinear`."""

def resize_bilinear(input: TensorLike, size: Any, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> Tensor:
    """Images (N, C, H, W) of another size, by linear interpolation along both axes."""

def resize_nearest_neighbor(input: TensorLike, size: Any, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> Tensor:
    """Images (N, C, H, W) of another size, made of the nearest pixels; arguments as in `resize_bilinear`."""

def reverse(x: TensorLike, axis: Any) -> Tensor:
    """The elements in reverse order along axes, as `flip`."""

def reverse_sequence(x: TensorLike, seq_lengths: TensorLike, seq_dim: Any = 0, batch_dim: Any = 0) -> Tensor:
    """The first elements along an axis in reverse order, as many as lengths say; the others stay."""

def rfft(input: TensorLike, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The discrete Fourier transform of real numbers: that of `fft` up to the middle, the rest being its conjugate."""

def rfft2(input: TensorLike, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """`rfftn` along the last two axes, unless others are named."""

def rfftfreq(n: builtins.int, d: builtins.float = 1.0, dtype: Any = None) -> Tensor:
    """The frequencies of a discrete Fourier transform of n real samples, none of them negative."""

def rfftn(input: TensorLike, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """`fftn` of real numbers, up to the middle of the last of the axes."""

def rint(input: TensorLike) -> Tensor:
    """The nearest whole number; halves go to the even one."""

def rms_norm(x: TensorLike, gamma: TensorLike, epsilon: Any = 1e-06) -> builtins.tuple[Tensor, Tensor]:
    """Divide by the root of the mean square over the last axes: y = x r · gamma, r = 1 / sqrt(mean(x²) + epsilon)."""

def roll(input: TensorLike, shifts: Any, dims: Any = None) -> Tensor:
    """The elements moved along axes; what leaves at one end comes in at the other."""

def rot90(input: TensorLike, k: Any = 1, dims: Any = (0, 1)) -> Tensor:
    """Turned by 90 degrees in the plane of two axes, `k` times, from the first towards the second."""

def round(input: TensorLike, decimals: Any = 0) -> Tensor:
    """The nearest number with so many decimals; halves go to the even one."""

def row_stack(tensors: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors below each other, as `vstack`."""

def rrelu(input: TensorLike, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333) -> Tensor:
    """max(input, 0) + a · min(input, 0) with a slope a drawn for each element from [lower, upper)."""

def rsqrt(input: TensorLike) -> Tensor:
    """1 / sqrt(input), element by element."""

def scalar_to_array(input_x: Any) -> Tensor:
    """A number as a 0-d tensor."""

def scalar_to_tensor(input_x: Any, dtype: Any = 'float32') -> Tensor:
    """A number as a 0-d tensor of an element type."""

def scaled_dot_product_attention(query: TensorLike, key: TensorLike, value: TensorLike, attn_mask: TensorLike | None = None, dropout_p: builtins.float = 0.0, is_causal: builtins.bool = False, scale: builtins.float | None = None) -> Tensor:
    """Averages of values, weighted by how well keys fit queries: softmax(scale · Q Kᵀ + mask) V."""

def scatter(input: TensorLike, axis: Any, index: TensorLike, src: Any) -> Tensor:
    """A copy in which elements are replaced: for axis 0, `out[index[i, j], j] = src[i, j]`."""

def scatter_add(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates are added to the parts of a Parameter along its first axis that indices name, in place."""

def scatter_div(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates divide the parts of a Parameter along its first axis that indices name, in place."""

def scatter_max(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates that are larger replace the parts of a Parameter along its first axis that indices name, in place."""

def scatter_min(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates that are smaller replace the parts of a Parameter along its first axis that indices name, in place."""

def scatter_mul(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates multiply the parts of a Parameter along its first axis that indices name, in place."""

def scatter_nd(indices: TensorLike, updates: TensorLike, shape: Any) -> Tensor:
    """Zeros with updates added at the places whose coordinates stand along the last axis of the indices."""

def scatter_nd_add(input_x: Any, indices: TensorLike, updates: Any, use_locking: builtins.bool = False) -> Tensor:
    """Updates are added to what a Parameter holds at places given by their coordinates, in place."""

def scatter_nd_div(input_x: Any, indices: TensorLike, updates: Any, use_locking: builtins.bool = False) -> Tensor:
    """Updates divide what a Parameter holds at places given by their coordinates, in place."""

def scatter_nd_max(input_x: Any, indices: TensorLike, updates: Any, use_locking: builtins.bool = False) -> Tensor:
    """Updates that are larger replace what a Parameter holds at places given by their coordinates, in place."""

def scatter_nd_min(input_x: Any, indices: TensorLike, updates: Any, use_locking: builtins.bool = False) -> Tensor:
    """Updates that are smaller replace what a Parameter holds at places given by their coordinates, in place."""

def scatter_nd_mul(input_x: Any, indices: TensorLike, updates: Any, use_locking: builtins.bool = False) -> Tensor:
    """Updates multiply what a Parameter holds at places given by their coordinates, in place."""

def scatter_nd_sub(input_x: Any, indices: TensorLike, updates: Any, use_locking: builtins.bool = False) -> Tensor:
    """Updates are subtracted from what a Parameter holds at places given by their coordinates, in place."""

def scatter_nd_update(input_x: Any, indices: TensorLike, updates: Any, use_locking: builtins.bool = False) -> Tensor:
    """Updates replace what a Parameter holds at places given by their coordinates, in place."""

def scatter_sub(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates are subtracted from the parts of a Parameter along its first axis that indices name, in place."""

def scatter_update(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates replace the parts of a Parameter along its first axis that indices name, in place."""

def searchsorted(sorted_sequence: TensorLike, values: Any, *, out_int32: Any = False, right: Any = False, side: Any = None, sorter: TensorLike | None = None) -> Tensor:
    """Where values belong in sorted rows: how many elements of the row are less (`right`: not greater)."""

def select(condition: Any, input: Any, other: Any) -> Tensor:
    """`input` where the condition holds, else `other`: `where` under MindSpore's older name."""

def select_scatter(input: TensorLike, src: TensorLike, axis: Any, index: Any) -> Tensor:
    """A copy in which `src` stands at an index of an axis."""

def selu(input_x: TensorLike) -> Tensor:
    """1.0507 · elu(input, 1.6733), element by element: keeps mean 0 and variance 1 from layer to layer."""

def sequence_mask(lengths: TensorLike, maxlen: Any = None) -> Tensor:
    """Masks that are true for as many elements as lengths say."""

def sgn(input: TensorLike) -> Tensor:
    """-1, 0 or 1 for negative, zero and positive elements; NaN for NaN."""

def shape(input_x: Any) -> builtins.tuple[builtins.int, ...]:
    """The lengths of the axes."""

def shuffle(x: TensorLike, seed: Any = None) -> Tensor:
    """The parts along the first axis in random order."""

def sigmoid(input: TensorLike) -> Tensor:
    """1 / (1 + e^-input), element by element."""

def sign(input: TensorLike) -> Tensor:
    """-1, 0 or 1 for negative, zero and positive elements; NaN for NaN."""

def signbit(input: TensorLike) -> Tensor:
    """Whether the sign of an element is minus: true of -0.0 too."""

def silu(input: TensorLike) -> Tensor:
    """input · sigmoid(input), element by element."""

def sin(input: TensorLike) -> Tensor:
    """Sine, element by element."""

def sinc(input: TensorLike) -> Tensor:
    """sin(pi · input) / (pi · input), and 1 at 0, element by element."""

def sinh(input: TensorLike) -> Tensor:
    """Hyperbolic sine, element by element."""

def size(input_x: TensorLike) -> builtins.int:
    """The number of elements."""

def slice(input_x: TensorLike, begin: Any, size: Any) -> Tensor:
    """A box: `size[i]` elements along axis i, from `begin[i]` on. A view."""

def slice_scatter(input: TensorLike, src: TensorLike, axis: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Tensor:
    """A copy in which `src` stands at a slice of an axis."""

def slogdet(input: TensorLike) -> builtins.tuple[Tensor, Tensor]:
    """The signs of the determinants of matrices and the logarithms of their magnitudes."""

def smooth_l1_loss(input: TensorLike, target: TensorLike, beta: builtins.float = 1.0, reduction: builtins.str = 'none') -> Tensor:
    """d² / (2 beta) where d = |input - target| < beta, else d - beta / 2; reduced."""

def soft_margin_loss(input: TensorLike, target: TensorLike, reduction: builtins.str = 'mean') -> Tensor:
    """log(1 + exp(-target · input)), reduced."""

def softmax(input: TensorLike, axis: Any = -1, *, dtype: Any = None) -> Tensor:
    """Probabilities from logits: y = exp(x - max x) / sum(exp(x - max x)) along one axis."""

def softmax_cross_entropy_with_logits(logits: TensorLike, labels: TensorLike, axis: Any = -1) -> Tensor:
    """The cross entropy of logits with probabilities, for each row: -sum(labels · log_softmax(logits)) along an axis."""

def softmin(x: TensorLike, axis: Any = -1, *, dtype: Any = None) -> Tensor:
    """`softmax` of -x: the smallest gets the largest probability."""

def softplus(input: TensorLike, beta: TensorLike = 1, threshold: TensorLike = 20) -> Tensor:
    """log(1 + e^(beta · input)) / beta, and the input itself where beta · input > threshold, element by element."""

def softshrink(input: TensorLike, lambd: TensorLike = 0.5) -> Tensor:
    """The input moved towards 0 by lambd, and 0 where |input| <= lambd, element by element."""

def softsign(x: TensorLike) -> Tensor:
    """x / (1 + |x|), element by element."""

def sort(input_x: TensorLike, axis: Any = -1, descending: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The elements in order along an axis, and where each was."""

def space_to_depth(x: TensorLike, block_size: builtins.int) -> Tensor:
    """Move blocks of an image to channels."""

def split(tensor: TensorLike, split_size_or_sections: Any, axis: Any = 0) -> builtins.tuple[Tensor, ...]:
    """Neighbouring parts along an axis."""

def sqrt(input: TensorLike) -> Tensor:
    """Square root, element by element."""

def square(input: TensorLike) -> Tensor:
    """input², element by element."""

def squared_difference(input: Any, other: Any) -> Tensor:
    """(input - other)², element by element."""

def squeeze(input: TensorLike, axis: Any = None) -> Tensor:
    """Drop axes of length 1: all, or those among the named that have it. A view."""

def stack(tensors: Sequence[TensorLike] | Tensor, axis: Any = 0) -> Tensor:
    """Tensors of one shape, side by side along a new axis."""

def standard_laplace(shape: Any, seed: Any = None) -> Tensor:
    """Numbers from the Laplace distribution with mean 0 and scale 1, float32."""

def standard_normal(shape: Any, seed: Any = None) -> Tensor:
    """Numbers from the standard normal distribution, float32."""

def std(input: TensorLike, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Tensor:
    """The standard deviation over axes, the square root of `var`. Where it is zero its gradient is zero."""

def std_mean(input: TensorLike, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """Standard deviation and mean over axes, in one pass over memory; see `std`."""

def stft(x: TensorLike, n_fft: builtins.int, hop_length: Any = None, win_length: Any = None, window: TensorLike | None = None, center: builtins.bool = True, pad_mode: builtins.str = 'REFLECT', normalized: builtins.bool = False, onesided: Any = None, return_complex: Any = None) -> Tensor:
    """The Fourier transforms of the parts of signals that a window shows as it moves along."""

def stop_gradient(value: TensorLike) -> Tensor:
    """The same values, through which no gradient flows. A view."""

def strided_slice(input_x: TensorLike, begin: Any, end: Any, strides: Any, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0) -> Tensor:
    """Python's slicing, `input_x[begin[0]:end[0]:strides[0], …]`, in numbers. A view."""

def sub(input: TensorLike, other: TensorLike) -> Tensor:
    """input - other, element by element."""

def subtract(input: TensorLike, other: TensorLike, *, alpha: Any = 1) -> Tensor:
    """input - alpha · other, element by element."""

def sum(input: TensorLike, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes; integers and bools are added as int64. See `reduce_sum`."""

def sum_to(input: TensorLike, shape: Sequence[builtins.int]) -> Tensor:
    """Undo a broadcast: sum over the axes that were added or stretched."""

def svd(input: TensorLike, full_matrices: Any = False, compute_uv: Any = True) -> Any:
    """The singular values of matrices, largest first, and their vectors: input = u diag(s) vᵀ (of complex ones vᴴ)."""

def swapaxes(input: TensorLike, axis0: Any, axis1: Any) -> Tensor:
    """Two axes exchanged. A view."""

def swapdims(input: TensorLike, dim0: Any, dim1: Any) -> Tensor:
    """Two axes exchanged, as `swapaxes`."""

def take(input: TensorLike, index: TensorLike) -> Tensor:
    """The elements that indices name in row-major order."""

def tan(input: TensorLike) -> Tensor:
    """Tangent, element by element."""

def tanh(input: TensorLike) -> Tensor:
    """Hyperbolic tangent, element by element."""

def tanhshrink(input: TensorLike) -> Tensor:
    """input - tanh(input), element by element."""

def tensor_add(input: TensorLike, other: TensorLike) -> Tensor:
    """input + other, element by element; of bools, whether either is true."""

def tensor_div(input: TensorLike, other: TensorLike) -> Tensor:
    """input / other, element by element: Python's `/`."""

def tensor_dot(x1: TensorLike, x2: TensorLike, axes: Any) -> Tensor:
    """The sum of products over several axes of both tensors."""

def tensor_exp(input: TensorLike) -> Tensor:
    """e to the power of the element."""

def tensor_floordiv(input: TensorLike, other: TensorLike) -> Tensor:
    """floor(input / other), element by element: Python's `//`."""

def tensor_ge(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input >= other, element by element; false where either is NaN."""

def tensor_gt(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input > other, element by element; false where either is NaN."""

def tensor_le(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input <= other, element by element; false where either is NaN."""

def tensor_lt(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input < other, element by element; false where either is NaN."""

def tensor_mod(input: TensorLike, other: TensorLike) -> Tensor:
    """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""

def tensor_mul(input: TensorLike, other: TensorLike) -> Tensor:
    """input · other, element by element; of bools, whether both are true."""

def tensor_pow(input: TensorLike, exponent: TensorLike) -> Tensor:
    """input to the power of `exponent`, element by element: Python's `**`."""

def tensor_scatter_add(input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor:
    """A copy in which updates are added to what is at places given by their coordinates."""

def tensor_scatter_div(input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor:
    """A copy in which updates divide what is at places given by their coordinates."""

def tensor_scatter_elements(input_x: TensorLike, indices: TensorLike, updates: TensorLike, axis: Any = 0, reduction: Any = 'none') -> Tensor:
    """A copy in which elements are changed: for axis 0, `out[indices[i, j], j]` is combined with `updates[i, j]`."""

def tensor_scatter_max(input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor:
    """A copy in which updates that are larger replace what is at places given by their coordinates."""

def tensor_scatter_min(input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor:
    """A copy in which updates that are smaller replace what is at places given by their coordinates."""

def tensor_scatter_mul(input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor:
    """A copy in which updates multiply what is at places given by their coordinates."""

def tensor_scatter_sub(input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor:
    """A copy in which updates are subtracted from what is at places given by their coordinates."""

def tensor_scatter_update(input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor:
    """A copy in which updates replace what is at places given by their coordinates."""

def tensor_split(input: TensorLike, indices_or_sections: Any, axis: Any = 0) -> builtins.tuple[Tensor, ...]:
    """Neighbouring parts along an axis, cut at given places or into parts as equal as can be."""

def tensor_sub(input: TensorLike, other: TensorLike) -> Tensor:
    """input - other, element by element."""

def threshold(input: TensorLike, thr: TensorLike, value: TensorLike) -> Tensor:
    """The input where it is greater than thr, else value, element by element."""

def tile(input: TensorLike, dims: Any) -> Tensor:
    """The tensor several times along each axis."""

def top_k(input_x: TensorLike, k: builtins.int, sorted: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """The k largest elements of the last axis and their positions; see `topk`."""

def topk(input: TensorLike, k: Any, dim: Any = None, largest: Any = True, sorted: Any = True) -> builtins.tuple[Tensor, Tensor]:
    """The k largest elements along an axis, and where each stands; of equal ones the first."""

def trace(input: TensorLike, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Tensor:
    """The sum of a diagonal."""

def transpose(input: TensorLike, input_perm: Any) -> Tensor:
    """The axes in another order."""

def trapz(y: TensorLike, x: TensorLike | None = None, *, dx: Any = 1.0, dim: Any = -1) -> Tensor:
    """The integral along an axis by the trapezoidal rule: Σ (x_{k+1} - x_k) (y_k + y_{k+1}) / 2."""

def tril(input: TensorLike, diagonal: Any = 0) -> Tensor:
    """The lower triangle of matrices: zero where column - row > diagonal."""

def tril_indices(row: Any, col: Any, offset: Any = 0, *, dtype: Any = ...) -> Tensor:
    """The coordinates of the lower triangle of a matrix, in row-major order."""

def triplet_margin_loss(anchor: TensorLike, positive: TensorLike, negative: TensorLike, margin: builtins.float = 1.0, p: builtins.float = 2, eps: builtins.float = 1e-06, swap: builtins.bool = False, reduction: builtins.str = 'mean') -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) with d(a, b) = |a - b + eps|_p; reduced."""

def triu(input: TensorLike, diagonal: Any = 0) -> Tensor:
    """The upper triangle of matrices: zero where column - row < diagonal."""

def triu_indices(row: Any, col: Any, offset: Any = 0, *, dtype: Any = ...) -> Tensor:
    """The coordinates of the upper triangle of a matrix, in row-major order."""

def true_divide(input: TensorLike, other: TensorLike) -> Tensor:
    """input / other, element by element: Python's `/`."""

def trunc(input: TensorLike) -> Tensor:
    """The element without what stands behind its point."""

def truncate_div(input: TensorLike, other: TensorLike) -> Tensor:
    """input / other, rounded towards zero, element by element."""

def truncate_mod(input: TensorLike, other: TensorLike) -> Tensor:
    """input - trunc(input / other) · other, which has the sign of the input, element by element: C's `fmod`."""

def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = ..., seed: Any = None) -> Tensor:
    """Numbers from a normal distribution without what is more than two standard deviations from the mean."""

def tuple_to_array(input_x: Any) -> Tensor:
    """A tensor of a tuple of numbers of one type: int32 or float32."""

def typeof(x: Any) -> Any:
    """The element type of a tensor, or the class of another object."""

def unbind(input: TensorLike, dim: Any = 0) -> builtins.tuple[Tensor, ...]:
    """The parts along an axis, without it."""

def unflatten(input: TensorLike, dim: Any, sizes: Any) -> Tensor:
    """Make several axes of one."""

def unfold(input: TensorLike, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of images as columns."""

def uniform(shape: Any, minval: Any, maxval: Any, seed: Any = None, dtype: Any = ...) -> Tensor:
    """Numbers from the uniform distribution on [minval, maxval)."""

def unique(input: TensorLike) -> builtins.tuple[Tensor, Tensor]:
    """The different elements in the order in which they first occur, and for each element the number of its kind."""

def unique_consecutive(input: TensorLike, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    """The elements without those that equal their predecessor."""

def unique_with_pad(x: TensorLike, pad_num: Any) -> builtins.tuple[Tensor, Tensor]:
    """As `unique`, with the values filled up to the number of elements of `x`."""

def unroll(input: TensorLike) -> builtins.tuple[Tensor, ...]:
    """The parts along the first axis, copied: what `unbind` gives as views, with a gradient that is one `stack`."""

def unsorted_segment_max(input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor:
    """For each number, the largest of the parts of a tensor that have it."""

def unsorted_segment_min(input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor:
    """For each number, the smallest of the parts of a tensor that have it."""

def unsorted_segment_prod(input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor:
    """For each number, the product of the parts of a tensor that have it."""

def unsorted_segment_sum(input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor:
    """For each number, the sum of the parts of a tensor that have it."""

def unsqueeze(input: TensorLike, dim: Any) -> Tensor:
    """Add an axis of length 1, as `expand_dims`."""

def unstack(input_x: TensorLike, axis: Any = 0) -> builtins.tuple[Tensor, ...]:
    """The parts along an axis, without it, as `unbind`."""

def upsample(input: TensorLike, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None, recompute_scale_factor: builtins.bool | None = None) -> Tensor:
    """`interpolate` under the name that older programs use."""

def vander(x: TensorLike, N: Any = None) -> Tensor:
    """Powers of the elements of a vector, the highest first: y[i, j] = x[i]^(N - 1 - j)."""

def var(input: TensorLike, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Tensor:
    """The variance over axes: Σ(x - mean)² / (count - ddof)."""

def var_mean(input: TensorLike, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """Variance and mean over axes, in one pass over memory; see `var`."""

def vecdot(x: TensorLike, y: TensorLike, *, axis: Any = -1) -> Tensor:
    """The sum of products along an axis of two tensors that broadcast."""

def vector_norm(x: TensorLike, ord: Any = 2, axis: Any = None, keepdims: Any = False, *, dtype: Any = None) -> Tensor:
    """The norm of vectors: (sum of |x|ᵖ)^(1/p) over axes."""

def view_as(input: TensorLike, other: TensorLike) -> Tensor:
    """`input` reshaped to the shape of `other`."""

def view_as_complex(input: TensorLike) -> Tensor:
    """Pairs of real numbers along the last axis as complex ones. A view where the parts of each lie side by side."""

def view_as_real(input: TensorLike) -> Tensor:
    """Complex numbers as real ones, the parts along a new last axis. A view."""

def vsplit(input: TensorLike, indices_or_sections: Any) -> builtins.tuple[Tensor, ...]:
    """Parts along the first axis; see `tensor_split`."""

def vstack(inputs: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors below each other: along the first axis; 1-d tensors are rows."""

def where(condition: TensorLike, input: TensorLike, other: TensorLike) -> Tensor:
    """`input` where the condition holds, else `other`."""

def write_back(input: TensorLike, value: TensorLike, path: Any) -> Tensor:
    """The input with `value` in the view behind `path`: what an in-place write to a view makes of its base."""

def xdivy(x: TensorLike, y: TensorLike) -> Tensor:
    """x / y, and 0 where x is 0, element by element."""

def xlogy(input: TensorLike, other: TensorLike) -> Tensor:
    """input · log(other), and 0 where the input is 0, element by element."""

def zeros(size: Any, dtype: Any = None) -> Tensor:
    """A tensor of zeros."""

def zeros_like(input: TensorLike, *, dtype: Any = None) -> Tensor:
    """Zeros of the shape, and the type unless another is given, of a tensor."""

def zeta(input: TensorLike, other: TensorLike) -> Tensor:
    """Hurwitz's zeta function, the sum of (other + k)^-input for k = 0, 1, 2, …; element by element."""

__all__ = [
    "ACos", "ACosGrad", "Abs", "AbsGrad", "AccumulateNV2", "Acosh", "AcoshGrad", "Adam", "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "Add", "AddExt", "AddN", "Addcdiv", "Addcmul",
    "AdjustHue", "AdjustSaturation", "AffineGrid", "AllGather", "AllReduce", "AlltoAll", "Angle", "ApplyAdaMax",
    "ApplyAdadelta", "ApplyAdagrad", "ApplyAdagradV2", "ApplyAdamWithAmsgrad", "ApplyAddSign", "ApplyCenteredRMSProp",
    "ApplyFtrl", "ApplyGradientDescent", "ApplyMomentum", "ApplyPowerSign", "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent", "ApplyRMSProp", "ApproximateEqual", "ArgMaxWithValue", "ArgMinWithValue", "Argmax",
    "Argmin", "Asin", "AsinGrad", "Asinh", "AsinhGrad", "Assign", "AssignAdd", "AssignSub", "Atan", "Atan2", "AtanGrad",
    "Atanh", "AvgPool", "AvgPool3D", "AvgPoolGrad", "BCEWithLogitsLoss", "Barrier", "BatchMatMul", "BatchNorm",
    "BatchNormGrad", "BatchToSpace", "BatchToSpaceND", "Bernoulli", "BesselI0", "BesselI0e", "BesselI1", "BesselI1e",
    "BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", "Betainc", "BiasAdd",
    "BiasAddGrad", "BinaryCrossEntropy", "BinaryCrossEntropyGrad", "Bincount", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
    "BoundingBoxDecode", "BoundingBoxEncode", "Broadcast", "BroadcastTo", "Bucketize", "CTCGreedyDecoder", "CTCLoss",
    "CTCLossV2", "Cast", "Cdist", "CdistGrad", "CeLU", "Ceil", "ChannelShuffle", "CheckNumerics", "CheckValid", "Cholesky",
    "CholeskyInverse", "CholeskySolve", "Col2Im", "CombinedNonMaxSuppression", "Complex", "ComplexAbs", "Concat",
    "ConcatOffset", "Conj", "ConjugateTranspose", "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput",
    "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "CopySign", "Copysign", "Cos", "Cosh", "CountNonZero", "CropAndResize",
    "Cross", "CumProd", "CumSum", "Cummax", "Cummin", "CumulativeLogsumexp", "Custom", "CustomRegOp", "DType",
    "DataFormatDimMap", "DataFormatVecPermute", "DataType", "Dense", "Depend", "DepthToSpace", "Diag", "Digamma", "Div",
    "DivNoNan", "Dot", "Dropout", "Dropout2D", "Dropout3D", "DropoutGrad", "DynamicRNN", "Eig", "Einsum", "Elu", "EluGrad",
    "EmbeddingLookup", "Equal", "EqualCount", "Erf", "Erfc", "Erfinv", "EuclideanNorm", "Exp", "Expand", "ExpandDims",
    "Expm1", "Eye", "FFTWithSize", "FastGeLU", "FastGeLUGrad", "FastGelu", "Fill", "FillDiagonal", "FillV2", "Fills",
    "Flatten", "FlattenGrad", "FloatStatus", "Floor", "FloorDiv", "FloorMod", "Fmax", "Fmin", "ForiLoop", "GLU", "Gamma",
    "Gather", "GatherD", "GatherNd", "GatherV2", "Gcd", "GeLU", "GeLUGrad", "Gelu", "Geqrf", "Ger", "GradOperation",
    "Greater", "GreaterEqual", "GridSampler2D", "GridSampler3D", "HSVToRGB", "HShrink", "HShrinkGrad", "HSigmoid",
    "HSigmoidGrad", "HSwish", "HSwishGrad", "Hardtanh", "Heaviside", "HistogramFixedWidth", "HistogramSummary",
    "HookBackward", "HyperMap", "Hypot", "IOU", "Identity", "IdentityN", "Igamma", "IgammaGradA", "Igammac", "Im2Col",
    "Imag", "ImageSummary", "InTopK", "IndexAdd", "IndexFill", "IndexPut", "InplaceAdd", "InplaceAddExt", "InplaceSub",
    "InplaceSubExt", "InplaceUpdate", "InplaceUpdateV2", "InsertGradientOf", "Inv", "InvGrad", "Invert",
    "InvertPermutation", "IsClose", "IsFinite", "IsInf", "IsNan", "KLDivLoss", "L2Loss", "L2Normalize", "L2NormalizeGrad",
    "LRN", "LayerNorm", "LayerNormGrad", "Lcm", "LeftShift", "Lerp", "Less", "LessEqual", "Lgamma", "LinSpace", "ListDiff",
    "Load", "Log", "Log1p", "LogMatrixDeterminant", "LogSigmoid", "LogSoftmax", "LogSoftmaxGrad", "LogSpace", "LogicalAnd",
    "LogicalNot", "LogicalOr", "LogicalXor", "Logit", "LogitGrad", "LowerBound", "LpNorm", "Lstsq", "LuSolve", "LuUnpack",
    "Map", "MaskedFill", "MaskedScatter", "MaskedSelect", "MaskedSelectGrad", "MatMul", "MatrixBandPart",
    "MatrixDeterminant", "MatrixDiagPartV3", "MatrixDiagV3", "MatrixExp", "MatrixInverse", "MatrixPower", "MatrixSetDiagV3",
    "MatrixSolve", "MatrixTriangularSolve", "MaxPool", "MaxPool3D", "MaxPoolGrad", "MaxPoolGradWithArgmax",
    "MaxPoolWithArgmax", "MaxPoolWithArgmaxV2", "MaxUnpool2D", "MaxUnpool3D", "Maximum", "MaximumGrad", "Median",
    "Meshgrid", "Minimum", "MinimumGrad", "MirrorPad", "MirrorPadGrad", "Mish", "Mod", "Mul", "MulNoNan", "MultiMarginLoss",
    "MultilabelMarginLoss", "Multinomial", "MultitypeFuncGraph", "Mvlgamma", "NLLLoss", "NMSWithMask",
    "NPUAllocFloatStatus", "NPUClearFloatStatus", "NPUGetFloatStatus", "NanToNum", "Neg", "NextAfter",
    "NonMaxSuppressionV3", "NonMaxSuppressionWithOverlaps", "NonZero", "NotEqual", "NthElement", "OneHot", "Ones",
    "OnesLike", "OnesLikeExt", "Orgqr", "Ormqr", "PReLU", "PReLUGrad", "Pack", "Pad", "Padding", "Partial", "Pdist",
    "PdistGrad", "Poisson", "Polar", "Polygamma", "PopulationCount", "Pow", "Primitive", "PrimitiveWithCheck",
    "PrimitiveWithInfer", "Print", "PyFunc", "Qr", "Quantile", "RGBToHSV", "ROIAlign", "RaggedRange", "RandomCategorical",
    "RandomChoiceWithMask", "RandomGamma", "RandomPoisson", "RandomShuffle", "Randperm", "Range", "Rank", "ReLU", "ReLU6",
    "ReLU6Grad", "Real", "RealDiv", "Reciprocal", "ReciprocalGrad", "ReduceAll", "ReduceAny", "ReduceMax", "ReduceMean",
    "ReduceMin", "ReduceOp", "ReduceProd", "ReduceScatter", "ReduceStd", "ReduceSum", "ReluGrad", "Renorm", "Reshape",
    "ResizeBicubic", "ResizeBilinear", "ResizeBilinearGrad", "ResizeBilinearV2", "ResizeLinear1D", "ResizeNearestNeighbor",
    "ResizeNearestNeighborGrad", "ResizeNearestNeighborV2", "ReverseSequence", "ReverseV2", "RightShift", "Rint", "Roll",
    "Round", "Rsqrt", "RsqrtGrad", "SGD", "ScalarSummary", "ScalarToTensor", "Scan", "ScatterAdd", "ScatterDiv",
    "ScatterMax", "ScatterMin", "ScatterMul", "ScatterNd", "ScatterNdAdd", "ScatterNdDiv", "ScatterNdMax", "ScatterNdMin",
    "ScatterNdMul", "ScatterNdSub", "ScatterNdUpdate", "ScatterNonAliasingAdd", "ScatterSub", "ScatterUpdate", "SeLU",
    "SearchSorted", "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum", "Select", "SequenceAddN",
    "Shape", "Shift", "SiLU", "SiLUGrad", "Sigmoid", "SigmoidCrossEntropyWithLogits", "SigmoidCrossEntropyWithLogitsGrad",
    "SigmoidGrad", "Sign", "Sin", "Sinc", "Sinh", "Size", "Slice", "SliceGrad", "SmoothL1Loss", "SmoothL1LossGrad",
    "SoftMarginLoss", "SoftMarginLossGrad", "SoftShrink", "SoftShrinkGrad", "Softmax", "SoftmaxCrossEntropyWithLogits",
    "SoftmaxGrad", "Softplus", "SoftplusGrad", "Softsign", "Sort", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth",
    "SparseApplyAdagrad", "SparseApplyAdagradV2", "SparseApplyFtrl", "SparseGatherV2",
    "SparseSoftmaxCrossEntropyWithLogits", "SparseToDense", "Split", "SplitV", "Sqrt", "SqrtGrad", "Square", "SquareSumAll",
    "SquaredDifference", "Squeeze", "Stack", "StandardLaplace", "StandardNormal", "StopGradient", "StridedSlice",
    "StridedSliceGrad", "Sub", "SubExt", "SumExt", "Svd", "Tan", "Tanh", "TanhGrad", "Tanhshrink", "TensorAdd", "TensorDot",
    "TensorScatterAdd", "TensorScatterDiv", "TensorScatterElements", "TensorScatterMax", "TensorScatterMin",
    "TensorScatterMul", "TensorScatterSub", "TensorScatterUpdate", "TensorShape", "TensorSummary", "Threshold", "Tile",
    "TopK", "Trace", "Transpose", "TridiagonalMatMul", "Tril", "TrilIndices", "TripletMarginLoss", "Triu", "TriuIndices",
    "Trunc", "TruncateDiv", "TruncateMod", "TruncatedNormal", "TupleToArray", "TupleToTensor", "UniformInt", "UniformReal",
    "Unique", "UniqueConsecutive", "UniqueWithPad", "Unpack", "UnravelIndex", "UnsortedSegmentMax", "UnsortedSegmentMin",
    "UnsortedSegmentProd", "UnsortedSegmentSum", "Unstack", "UpperBound", "UpsampleNearest3D", "UpsampleTrilinear3D",
    "WhileLoop", "Xdivy", "Xlogy", "Zeros", "ZerosLike", "ZerosLikeExt", "Zeta", "_primexpr", "abs", "absolute",
    "accumulate_n", "acos", "acosh", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "add", "add_flags", "addbmm", "addcdiv", "addcmul",
    "addmm", "addmv", "addn", "addr", "adjoint", "affine_grid", "alias", "all", "allclose", "amax", "amin", "aminmax",
    "angle", "any", "approximate_equal", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "argmax", "argmax_with_value", "argmin", "argmin_with_value", "argsort", "argwhere", "asin", "asinh", "assemble",
    "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "avg_pool1d",
    "avg_pool2d", "avg_pool3d", "baddbmm", "bartlett_window", "batch_dot", "batch_norm", "bernoulli", "bessel_i0",
    "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e",
    "bessel_y0", "bessel_y1", "betainc", "bias_add", "bidense", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "bincount", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "blackman_window", "block_diag", "bmm", "bounding_box_decode", "bounding_box_encode", "broadcast_to", "bucketize",
    "cartesian_prod", "cast", "cat", "cdist", "ceil", "celu", "channel_shuffle", "check_valid", "choice_with_mask",
    "cholesky", "cholesky_inverse", "cholesky_solve", "chunk", "clamp", "clip", "clip_by_global_norm", "clip_by_norm",
    "clip_by_value", "column_stack", "combinations", "complex", "concat", "cond", "conj", "constexpr", "conv1d", "conv2d",
    "conv3d", "conv_transpose1d", "conv_transpose2d", "copy", "copy_to", "copysign", "core", "cos", "cosh",
    "cosine_embedding_loss", "cosine_similarity", "count_nonzero", "cov", "cross", "cross_entropy", "ctc_greedy_decoder",
    "ctc_loss", "cummax", "cummin", "cumprod", "cumsum", "custom_vjp", "deg2rad", "dense", "depend", "depth_to_space",
    "derivative", "det", "diag", "diag_embed", "diagflat", "diagonal", "diagonal_scatter", "diff", "digamma", "dist", "div",
    "div_no_nan", "divide", "dot", "dropout", "dropout1d", "dropout2d", "dropout3d", "dsplit", "dstack", "dtype", "eig",
    "eigvals", "einsum", "elu", "embedding", "empty", "empty_like", "eq", "equal", "erf", "erfc", "erfinv",
    "euclidean_norm", "exp", "exp2", "expand", "expand_as", "expand_dims", "expm1", "exponential", "eye", "fast_gelu",
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "fill", "fills", "fix", "flatten", "flip", "fliplr", "flipud",
    "float_power", "floor", "floor_div", "floor_divide", "floor_mod", "fmax", "fmin", "fmod", "fold", "frac", "full",
    "full_like", "gamma", "gather", "gather_d", "gather_elements", "gather_nd", "gaussian_nll_loss", "gcd", "ge", "gelu",
    "geqrf", "ger", "get_grad", "glu", "grad", "greater", "greater_equal", "grid_sample", "group_norm", "gru_cell", "gt",
    "gumbel_softmax", "hamming_window", "hann_window", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "heaviside",
    "hfft", "hfft2", "hfftn", "hinge_embedding_loss", "histc", "hsplit", "hstack", "huber_loss", "hypot", "i0", "identity",
    "ifft", "ifft2", "ifftn", "ifftshift", "igamma", "igammac", "ihfft", "ihfft2", "ihfftn", "imag", "in_top_k",
    "index_add", "index_fill", "index_put", "index_select", "index_view", "inner", "inplace_add", "inplace_index_add",
    "inplace_sub", "inplace_update", "instance_norm", "interpolate", "inv", "inverse", "invert", "iou", "irfft", "irfft2",
    "irfftn", "is_complex", "is_sequence_shape_unknown", "is_sequence_value_unknown", "is_tensor", "isclose", "isconstant",
    "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "jacfwd", "jacrev", "jet", "jvp",
    "kaiser_window", "kernel", "kl_div", "kron", "kthvalue", "l1_loss", "l2_normalize", "laplace", "layer_norm", "lcm",
    "ldexp", "le", "leaky_relu", "lerp", "less", "less_equal", "lgamma", "linearize", "linspace", "log", "log10", "log1p",
    "log2", "log_matrix_determinant", "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid", "logspace", "logsumexp", "lp_pool1d", "lp_pool2d",
    "lrn", "lstm_cell", "lstsq", "lt", "lu_solve", "lu_unpack", "make_range", "margin_ranking_loss", "masked_fill",
    "masked_select", "matmul", "matrix_band_part", "matrix_determinant", "matrix_exp", "matrix_norm", "matrix_power",
    "matrix_solve", "max", "max_pool1d", "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "maximum", "mean", "median", "meshgrid", "min", "minimum", "mish", "mixed_precision_cast", "mm", "mod", "moveaxis",
    "movedim", "ms_kernel", "mse_loss", "msort", "mul", "mul_no_nan", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "multinomial", "multinomial_with_replacement", "multiply", "mv", "mvlgamma",
    "nan_to_num", "nanmean", "nanmedian", "nanquantile", "nansum", "narrow", "ne", "neg", "negative", "nextafter",
    "nll_loss", "nms_with_mask", "nonzero", "norm", "normal", "not_equal", "numel", "one_hot", "ones", "ones_like", "orgqr",
    "ormqr", "outer", "pad", "padding", "partial", "pdist", "permute", "pinv", "pixel_shuffle", "pixel_unshuffle", "place",
    "poisson", "poisson_nll_loss", "polar", "polygamma", "positive", "pow", "prelu", "prim_attr_register", "print_", "prod",
    "qr", "quantile", "rad2deg", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
    "random_categorical", "random_gamma", "random_poisson", "randperm", "range", "rank", "ravel", "real", "real_div",
    "reciprocal", "reduce_max", "reduce_mean", "reduce_min", "reduce_sum", "relu", "relu6", "remainder", "renorm",
    "repeat_elements", "repeat_interleave", "reshape", "reshape_as", "resize_bicubic", "resize_bilinear",
    "resize_nearest_neighbor", "reverse", "reverse_sequence", "rfft", "rfft2", "rfftfreq", "rfftn", "rint", "rms_norm",
    "roll", "rot90", "round", "row_stack", "rrelu", "rsqrt", "scalar_to_array", "scalar_to_tensor",
    "scaled_dot_product_attention", "scatter", "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul",
    "scatter_nd", "scatter_nd_add", "scatter_nd_div", "scatter_nd_max", "scatter_nd_min", "scatter_nd_mul",
    "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update", "searchsorted", "select", "select_scatter",
    "selu", "sequence_mask", "sgn", "shape", "shuffle", "sigmoid", "sign", "signbit", "silu", "sin", "sinc", "sinh", "size",
    "slice", "slice_scatter", "slogdet", "smooth_l1_loss", "soft_margin_loss", "softmax",
    "softmax_cross_entropy_with_logits", "softmin", "softplus", "softshrink", "softsign", "sort", "space_to_depth", "split",
    "sqrt", "square", "squared_difference", "squeeze", "stack", "standard_laplace", "standard_normal", "std", "std_mean",
    "stft", "stop_gradient", "strided_slice", "sub", "subtract", "sum", "sum_to", "svd", "swapaxes", "swapdims", "take",
    "tan", "tanh", "tanhshrink", "tensor_add", "tensor_div", "tensor_dot", "tensor_exp", "tensor_floordiv", "tensor_ge",
    "tensor_gt", "tensor_le", "tensor_lt", "tensor_mod", "tensor_mul", "tensor_pow", "tensor_scatter_add",
    "tensor_scatter_div", "tensor_scatter_elements", "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_mul",
    "tensor_scatter_sub", "tensor_scatter_update", "tensor_split", "tensor_sub", "threshold", "tile", "top_k", "topk",
    "trace", "transpose", "trapz", "tril", "tril_indices", "triplet_margin_loss", "triu", "triu_indices", "true_divide",
    "trunc", "truncate_div", "truncate_mod", "truncated_normal", "tuple_to_array", "typeof", "unbind", "unflatten",
    "unfold", "uniform", "unique", "unique_consecutive", "unique_with_pad", "unroll", "unsorted_segment_max",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sum", "unsqueeze", "unstack", "upsample",
    "value_and_grad", "vander", "var", "var_mean", "vecdot", "vector_norm", "view_as", "view_as_complex", "view_as_real",
    "vjp", "vmap", "vsplit", "vstack", "where", "write_back", "xdivy", "xlogy", "zeros", "zeros_like", "zeta",
]

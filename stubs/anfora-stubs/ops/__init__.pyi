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
from anfora.sparse import COOTensor as make_coo_tensor
from anfora.sparse import COOTensor as make_sparse_tensor
from anfora.sparse import CSRTensor as make_csr_tensor
from anfora.sparse import RowTensor as make_row_tensor
from anfora.sparse import RowTensor as make_row_tensor_inner


class _Made(Primitive):
    def __init__(self) -> None: ...

class _Any(_Made):
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class ACos(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ACosGrad(_Any): ...

class Abs(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class AbsGrad(_Any): ...

class AccumulateNV2(_Made):
    def __call__(self, x: Sequence[TensorLike] | Tensor) -> Tensor: ...

class Acosh(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class AcoshGrad(_Any): ...

class Adam(_Any):
    def __init__(self, use_locking: builtins.bool = False, use_nesterov: builtins.bool = False) -> None: ...

class AdamWeightDecay(_Any):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...

class AdaptiveAvgPool2D(_Any):
    def __init__(self, output_size: Any) -> None: ...

class AdaptiveAvgPool3D(_Any):
    def __init__(self, output_size: Any) -> None: ...

class AdaptiveMaxPool2D(_Any):
    def __init__(self, output_size: Any) -> None: ...

class AdaptiveMaxPool3D(_Any): ...

class Add(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class AddExt(_Any): ...

class AddN(_Made):
    def __call__(self, x: Any) -> Tensor: ...

class Addcdiv(_Made):
    def __call__(self, input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor: ...

class Addcmul(_Made):
    def __call__(self, input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor: ...

class AdjustHue(_Any): ...

class AdjustSaturation(_Any): ...

class AffineGrid(_Any):
    def __init__(self, align_corners: Any = False) -> None: ...

class AllGather(_Any):
    def __init__(self, group: builtins.str = 'mccl_world_group') -> None: ...

class AllReduce(_Any):
    def __init__(self, op: builtins.str = 'sum', group: builtins.str = 'mccl_world_group') -> None: ...

class AlltoAll(_Any):
    def __init__(self, split_count: builtins.int, split_dim: builtins.int, concat_dim: builtins.int, group: builtins.str = 'mccl_world_group') -> None: ...

class Angle(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ApplyAdaMax(_Any): ...

class ApplyAdadelta(_Any): ...

class ApplyAdagrad(_Any):
    def __init__(self, update_slots: builtins.bool = True) -> None: ...

class ApplyAdagradDA(_Any):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...

class ApplyAdagradV2(_Any):
    def __init__(self, epsilon: builtins.float, update_slots: builtins.bool = True) -> None: ...

class ApplyAdamWithAmsgrad(_Any):
    def __init__(self, beta1: builtins.float = 0.9, beta2: builtins.float = 0.999, epsilon: builtins.float = 1e-08, use_locking: builtins.bool = False) -> None: ...

class ApplyAddSign(_Any): ...

class ApplyCenteredRMSProp(_Any):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...

class ApplyFtrl(_Any):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...

class ApplyGradientDescent(_Any): ...

class ApplyMomentum(_Any):
    def __init__(self, use_nesterov: builtins.bool = False, use_locking: builtins.bool = False, gradient_scale: builtins.float = 1.0) -> None: ...

class ApplyPowerSign(_Any): ...

class ApplyProximalAdagrad(_Any):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...

class ApplyProximalGradientDescent(_Any): ...

class ApplyRMSProp(_Any):
    def __init__(self, use_locking: builtins.bool = False) -> None: ...

class ApproximateEqual(_Any):
    def __init__(self, tolerance: Any = 1e-05) -> None: ...

class ArgMaxWithValue(_Any):
    def __init__(self, axis: builtins.int = 0, keep_dims: builtins.bool = False) -> None: ...

class ArgMinWithValue(_Any):
    def __init__(self, axis: builtins.int = 0, keep_dims: builtins.bool = False) -> None: ...

class Argmax(_Any):
    def __init__(self, axis: builtins.int = -1, output_type: Any = ...) -> None: ...

class Argmin(_Any):
    def __init__(self, axis: builtins.int = -1, output_type: Any = ...) -> None: ...

class Asin(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class AsinGrad(_Any): ...

class Asinh(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class AsinhGrad(_Any): ...

class Assert(_Any):
    def __init__(self, summarize: builtins.int = 3) -> None: ...

class Assign(_Made):
    def __call__(self, variable: Any, value: Any) -> Any: ...

class AssignAdd(_Made):
    def __call__(self, variable: Any, value: Any) -> Any: ...

class AssignSub(_Made):
    def __call__(self, variable: Any, value: Any) -> Any: ...

class Atan(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Atan2(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class AtanGrad(_Any): ...

class Atanh(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class AvgPool(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...

class AvgPool3D(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int = 0, data_format: builtins.str = 'NCDHW') -> None: ...

class AvgPoolGrad(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...

class BCEWithLogitsLoss(_Any):
    def __init__(self, reduction: Any = 'mean') -> None: ...

class Barrier(_Any):
    def __init__(self, group: builtins.str = 'mccl_world_group') -> None: ...

class BartlettWindow(_Any):
    def __init__(self, periodic: Any = True, dtype: Any = ...) -> None: ...

class BatchMatMul(_Any):
    def __init__(self, transpose_a: Any = False, transpose_b: Any = False) -> None: ...

class BatchNorm(_Any):
    def __init__(self, is_training: builtins.bool = False, epsilon: builtins.float = 1e-05, momentum: builtins.float = 0.1, data_format: builtins.str = 'NCHW') -> None: ...

class BatchNormGrad(_Any):
    def __init__(self, is_training: builtins.bool = False, epsilon: builtins.float = 1e-05, data_format: builtins.str = 'NCHW') -> None: ...

class BatchToSpace(_Any):
    def __init__(self, block_size: Any, crops: Any) -> None: ...

class BatchToSpaceND(_Any):
    def __init__(self, block_shape: Any, crops: Any) -> None: ...

class Bernoulli(_Any):
    def __init__(self, seed: Any = -1, offset: Any = 0) -> None: ...

class BesselI0(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselI0e(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselI1(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselI1e(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselJ0(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselJ1(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselK0(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselK0e(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselK1(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselK1e(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselY0(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class BesselY1(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Betainc(_Made):
    def __call__(self, a: TensorLike, b: TensorLike, x: TensorLike) -> Tensor: ...

class BiasAdd(_Any):
    def __init__(self, data_format: Any = 'NCHW') -> None: ...

class BiasAddGrad(_Any):
    def __init__(self, data_format: builtins.str = 'NCHW') -> None: ...

class BinaryCrossEntropy(_Any):
    def __init__(self, reduction: Any = 'mean') -> None: ...

class BinaryCrossEntropyGrad(_Any):
    def __init__(self, reduction: builtins.str = 'mean') -> None: ...

class Bincount(_Made):
    def __call__(self, input: TensorLike, weights: TensorLike | None = None, minlength: Any = 0) -> Tensor: ...

class BitwiseAnd(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class BitwiseOr(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class BitwiseXor(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class BlackmanWindow(_Any):
    def __init__(self, periodic: Any = True, dtype: Any = ...) -> None: ...

class BoundingBoxDecode(_Any):
    def __init__(self, max_shape: Any, means: Any = ..., stds: Any = ..., wh_ratio_clip: Any = 0.016) -> None: ...

class BoundingBoxEncode(_Any):
    def __init__(self, means: Any = ..., stds: Any = ...) -> None: ...

class Broadcast(_Any):
    def __init__(self, root_rank: builtins.int, group: builtins.str = 'mccl_world_group') -> None: ...

class BroadcastTo(_Any):
    def __init__(self, shape: Any) -> None: ...

class Bucketize(_Any):
    def __init__(self, boundaries: Any) -> None: ...

class CTCGreedyDecoder(_Any):
    def __init__(self, merge_repeated: Any = True) -> None: ...

class CTCLoss(_Any):
    def __init__(self, preprocess_collapse_repeated: builtins.bool = False, ctc_merge_repeated: builtins.bool = True, ignore_longer_outputs_than_inputs: builtins.bool = False) -> None: ...

class CTCLossV2(_Any):
    def __init__(self, blank: builtins.int = 0, reduction: builtins.str = 'none', zero_infinity: builtins.bool = False) -> None: ...

class Cast(_Made):
    def __call__(self, input: TensorLike, dtype: Any) -> Tensor: ...

class Cauchy(_Any):
    def __init__(self, size: Any, median: Any = 0.0, sigma: Any = 1.0) -> None: ...

class Cdist(_Any):
    def __init__(self, p: Any = 2.0) -> None: ...

class CdistGrad(_Any):
    def __init__(self, p: builtins.float = 2.0) -> None: ...

class CeLU(_Any):
    def __init__(self, alpha: Any = 1.0) -> None: ...

class Ceil(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ChannelShuffle(_Any):
    def __init__(self, group: Any) -> None: ...

class CheckNumerics(_Any): ...

class CheckValid(_Made):
    def __call__(self, bboxes: TensorLike, img_metas: TensorLike) -> Tensor: ...

class Cholesky(_Any):
    def __init__(self, upper: Any = False) -> None: ...

class CholeskyInverse(_Any):
    def __init__(self, upper: Any = False) -> None: ...

class CholeskySolve(_Any):
    def __init__(self, upper: Any = False) -> None: ...

class Coalesce(_Any): ...

class Col2Im(_Any):
    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None: ...

class CombinedNonMaxSuppression(_Any):
    def __init__(self, pad_per_class: builtins.bool = False, clip_boxes: builtins.bool = True) -> None: ...

class CompareAndBitpack(_Any): ...

class Complex(_Made):
    def __call__(self, real: TensorLike, imag: TensorLike) -> Tensor: ...

class ComplexAbs(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Concat(_Any):
    def __init__(self, axis: Any = 0) -> None: ...

class ConcatOffset(_Any):
    def __init__(self, N: builtins.int = 2, axis: builtins.int = 0) -> None: ...

class Conj(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ConjugateTranspose(_Any): ...

class ControlDepend(_Any):
    def __init__(self, depend_mode: Any = 0) -> None: ...

class Conv2D(_Any):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, mode: builtins.int = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...

class Conv2DBackpropFilter(_Any):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, pad_mode: builtins.str = 'valid', pad: Any = 0, pad_list: Any = None, mode: builtins.int = 1, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...

class Conv2DBackpropInput(_Any):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, pad_mode: builtins.str = 'valid', pad: Any = 0, pad_list: Any = None, mode: builtins.int = 1, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...

class Conv2DTranspose(_Any):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, pad_mode: builtins.str = 'valid', pad: Any = 0, pad_list: Any = None, mode: builtins.int = 1, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...

class Conv3D(_Any):
    def __init__(self, out_channel: builtins.int, kernel_size: Any, mode: builtins.int = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, data_format: builtins.str = 'NCHW') -> None: ...

class Conv3DTranspose(_Any):
    def __init__(self, in_channel: builtins.int, out_channel: builtins.int, kernel_size: Any, mode: builtins.int = 1, pad_mode: builtins.str = 'valid', pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: builtins.int = 1, output_padding: Any = 0, data_format: builtins.str = 'NCDHW') -> None: ...

class CopySign(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Copysign(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Cos(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Cosh(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class CountNonZero(_Any):
    def __init__(self, dims: Any = ()) -> None: ...

class CropAndResize(_Any):
    def __init__(self, method: builtins.str = 'bilinear', extrapolation_value: builtins.float = 0.0) -> None: ...

class Cross(_Any):
    def __init__(self, dim: Any = -65530) -> None: ...

class CumProd(_Any):
    def __init__(self, exclusive: Any = False, reverse: Any = False) -> None: ...

class CumSum(_Any):
    def __init__(self, exclusive: Any = False, reverse: Any = False) -> None: ...

class Cummax(_Any):
    def __init__(self, axis: Any) -> None: ...

class Cummin(_Any):
    def __init__(self, axis: Any) -> None: ...

class CumulativeLogsumexp(_Any):
    def __init__(self, exclusive: builtins.bool = False, reverse: builtins.bool = False) -> None: ...

class DType(_Made):
    def __call__(self, input_x: Any) -> Any: ...

class DataFormatDimMap(_Any):
    def __init__(self, src_format: builtins.str = 'NHWC', dst_format: builtins.str = 'NCHW') -> None: ...

class DataFormatVecPermute(_Any):
    def __init__(self, src_format: builtins.str = 'NHWC', dst_format: builtins.str = 'NCHW') -> None: ...

class Dense(_Made):
    def __call__(self, input: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor: ...

class Depend(_Made):
    def __call__(self, value: Any, expr: Any) -> Any: ...

class DepthToSpace(_Any):
    def __init__(self, block_size: Any) -> None: ...

class Diag(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class DiagPart(_Any): ...

class Digamma(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Div(_Made):
    def __call__(self, input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor: ...

class DivNoNan(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Dot(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Dropout(_Any):
    def __init__(self, keep_prob: builtins.float = 0.5, Seed0: builtins.int = 0, Seed1: builtins.int = 0) -> None: ...

class Dropout2D(_Any):
    def __init__(self, keep_prob: Any = 0.5) -> None: ...

class Dropout3D(_Any):
    def __init__(self, keep_prob: Any = 0.5) -> None: ...

class DropoutGrad(_Any):
    def __init__(self, keep_prob: Any = 0.5) -> None: ...

class DynamicRNN(_Any):
    def __init__(self, cell_type: builtins.str = 'LSTM', direction: builtins.str = 'UNIDIRECTIONAL', cell_depth: builtins.int = 1, use_peephole: builtins.bool = False, keep_prob: builtins.float = 1.0, cell_clip: builtins.float = -1.0, num_proj: builtins.int = 0, time_major: builtins.bool = True, activation: builtins.str = 'tanh', forget_bias: builtins.float = 0.0, is_training: builtins.bool = True) -> None: ...

class EditDistance(_Any):
    def __init__(self, normalize: builtins.bool = True) -> None: ...

class Eig(_Any):
    def __init__(self, compute_v: Any = False) -> None: ...

class Einsum(_Any):
    def __init__(self, equation: Any) -> None: ...

class Elu(_Any):
    def __init__(self, alpha: Any = 1.0) -> None: ...

class EluGrad(_Any): ...

class EmbeddingLookup(_Any): ...

class Eps(_Any): ...

class Equal(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class EqualCount(_Any): ...

class Erf(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Erfc(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Erfinv(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class EuclideanNorm(_Any):
    def __init__(self, keep_dims: Any = False) -> None: ...

class Exp(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Expand(_Made):
    def __call__(self, input_x: TensorLike, size: Any) -> Tensor: ...

class ExpandDims(_Made):
    def __call__(self, input_x: TensorLike, axis: Any) -> Tensor: ...

class Expm1(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ExtractVolumePatches(_Any):
    def __init__(self, kernel_size: Any, strides: Any, padding: builtins.str) -> None: ...

class Eye(_Made):
    def __call__(self, n: Any, m: Any = None, dtype: Any = None) -> Tensor: ...

class FFTWithSize(_Any):
    def __init__(self, signal_ndim: builtins.int, inverse: builtins.bool, real: builtins.bool, norm: builtins.str = 'backward', onesided: builtins.bool = True, signal_sizes: Any = ()) -> None: ...

class FastGeLU(_Made):
    def __call__(self, x: TensorLike) -> Tensor: ...

class FastGeLUGrad(_Any): ...

class FastGelu(_Made):
    def __call__(self, x: TensorLike) -> Tensor: ...

class Fill(_Made):
    def __call__(self, type: Any, shape: Any, value: Any) -> Tensor: ...

class FillDiagonal(_Any):
    def __init__(self, fill_value: Any, wrap: Any = False) -> None: ...

class FillV2(_Any): ...

class Fills(_Any): ...

class Flatten(_Made):
    def __call__(self, input: TensorLike, order: Any = 'C', *, start_dim: Any = 1, end_dim: Any = -1) -> Tensor: ...

class FlattenGrad(_Any): ...

class FloatStatus(_Any): ...

class Floor(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class FloorDiv(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class FloorMod(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Fmax(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Fmin(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class ForiLoop(_Any): ...

class FractionalMaxPool3DWithFixedKsize(_Any):
    def __init__(self, ksize: Any, output_shape: Any, data_format: Any = 'NCDHW') -> None: ...

class FractionalMaxPoolWithFixedKsize(_Any):
    def __init__(self, ksize: Any, output_shape: Any, data_format: Any = 'NCHW') -> None: ...

class GLU(_Any):
    def __init__(self, axis: Any = -1) -> None: ...

class Gamma(_Any):
    def __init__(self, seed: Any = 0, seed2: Any = 0) -> None: ...

class Gather(_Any):
    def __init__(self, batch_dims: Any = 0) -> None: ...

class GatherD(_Made):
    def __call__(self, x: TensorLike, dim: Any, index: TensorLike) -> Tensor: ...

class GatherNd(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike) -> Tensor: ...

class GatherV2(_Any): ...

class Gcd(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class GeLU(_Any): ...

class GeLUGrad(_Any): ...

class Gelu(_Any): ...

class Geqrf(_Made):
    def __call__(self, input: TensorLike) -> builtins.tuple[Tensor, Tensor]: ...

class Ger(_Made):
    def __call__(self, input: TensorLike, vec2: TensorLike) -> Tensor: ...

class Greater(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class GreaterEqual(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class GridSampler2D(_Any):
    def __init__(self, interpolation_mode: Any = 'bilinear', padding_mode: Any = 'zeros', align_corners: Any = False) -> None: ...

class GridSampler3D(_Any):
    def __init__(self, interpolation_mode: Any = 'bilinear', padding_mode: Any = 'zeros', align_corners: Any = False) -> None: ...

class HSVToRGB(_Any): ...

class HShrink(_Any):
    def __init__(self, lambd: Any = 0.5) -> None: ...

class HShrinkGrad(_Any):
    def __init__(self, lambd: Any = 0.5) -> None: ...

class HSigmoid(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class HSigmoidGrad(_Any): ...

class HSwish(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class HSwishGrad(_Any): ...

class HammingWindow(_Any):
    def __init__(self, periodic: Any = True, alpha: Any = 0.54, beta: Any = 0.46, dtype: Any = ...) -> None: ...

class Hardtanh(_Any):
    def __init__(self, min_val: Any = -1.0, max_val: Any = 1.0) -> None: ...

class Heaviside(_Made):
    def __call__(self, input: TensorLike, values: TensorLike) -> Tensor: ...

class Histogram(_Any):
    def __init__(self, bins: builtins.int = 100, min: builtins.float = 0.0, max: builtins.float = 0.0) -> None: ...

class HistogramFixedWidth(_Any):
    def __init__(self, nbins: builtins.int, dtype: Any = 'int32') -> None: ...

class HistogramSummary(_Any): ...

class HookBackward(_Any):
    def __init__(self, f: Callable) -> None: ...

class Hypot(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class IOU(_Any):
    def __init__(self, mode: Any = 'iou') -> None: ...

class Identity(_Made):
    def __call__(self, x: TensorLike) -> Tensor: ...

class IdentityN(_Any): ...

class Igamma(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class IgammaGradA(_Any): ...

class Igammac(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Im2Col(_Any):
    def __init__(self, ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> None: ...

class Imag(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ImageSummary(_Any): ...

class InTopK(_Any):
    def __init__(self, k: Any) -> None: ...

class IndexAdd(_Any):
    def __init__(self, axis: Any, use_lock: Any = True, check_index_bound: Any = True) -> None: ...

class IndexFill(_Made):
    def __call__(self, x: TensorLike, axis: Any, index: TensorLike, value: Any) -> Tensor: ...

class IndexPut(_Any):
    def __init__(self, accumulate: Any = 0) -> None: ...

class InplaceAdd(_Any):
    def __init__(self, indices: Any) -> None: ...

class InplaceAddExt(_Any): ...

class InplaceIndexAdd(_Any):
    def __init__(self, axis: Any) -> None: ...

class InplaceSub(_Any):
    def __init__(self, indices: Any) -> None: ...

class InplaceSubExt(_Any): ...

class InplaceUpdate(_Any):
    def __init__(self, indices: Any) -> None: ...

class InplaceUpdateV2(_Any): ...

class InsertGradientOf(_Any):
    def __init__(self, f: Callable) -> None: ...

class Inv(_Any): ...

class InvGrad(_Any): ...

class Invert(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class InvertPermutation(_Any): ...

class IsClose(_Any):
    def __init__(self, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> None: ...

class IsFinite(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class IsInf(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class IsNan(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class KLDivLoss(_Any):
    def __init__(self, reduction: Any = 'mean') -> None: ...

class L2Loss(_Any): ...

class L2Normalize(_Any):
    def __init__(self, axis: Any = 0, epsilon: Any = 0.0001) -> None: ...

class L2NormalizeGrad(_Any):
    def __init__(self, axis: Any = 0, epsilon: Any = 0.0001) -> None: ...

class LRN(_Any):
    def __init__(self, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, norm_region: Any = 'ACROSS_CHANNELS') -> None: ...

class LayerNorm(_Any):
    def __init__(self, begin_norm_axis: builtins.int = 1, begin_params_axis: builtins.int = 1, epsilon: builtins.float = 1e-07) -> None: ...

class LayerNormGrad(_Any):
    def __init__(self, begin_norm_axis: builtins.int = 1, begin_params_axis: builtins.int = 1) -> None: ...

class Lcm(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class LeftShift(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Lerp(_Made):
    def __call__(self, input: TensorLike, end: TensorLike, weight: TensorLike) -> Tensor: ...

class LerpScalar(_Any): ...

class Less(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class LessEqual(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Lgamma(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class LinSpace(_Made):
    def __call__(self, start: TensorLike, end: TensorLike, steps: Any) -> Tensor: ...

class ListDiff(_Any):
    def __init__(self, out_idx: Any = ...) -> None: ...

class Load(_Any): ...

class Log(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Log1p(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class LogMatrixDeterminant(_Made):
    def __call__(self, input: TensorLike) -> builtins.tuple[Tensor, Tensor]: ...

class LogNormalReverse(_Any):
    def __init__(self, mean: Any = 1.0, std: Any = 2.0) -> None: ...

class LogSigmoid(_Made):
    def __call__(self, x: TensorLike) -> Tensor: ...

class LogSoftmax(_Any):
    def __init__(self, axis: Any = -1) -> None: ...

class LogSoftmaxGrad(_Any):
    def __init__(self, axis: Any = -1) -> None: ...

class LogSpace(_Any):
    def __init__(self, steps: Any = 10, base: Any = 10, dtype: Any = ...) -> None: ...

class LogUniformCandidateSampler(_Any):
    def __init__(self, num_true: builtins.int = 1, num_sampled: builtins.int = 5, unique: builtins.bool = True, range_max: builtins.int = 5, seed: builtins.int = 0, remove_accidental_hits: builtins.bool = False) -> None: ...

class LogicalAnd(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class LogicalNot(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class LogicalOr(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class LogicalXor(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Logit(_Any):
    def __init__(self, eps: Any = -1.0) -> None: ...

class LogitGrad(_Any):
    def __init__(self, eps: Any = -1.0) -> None: ...

class LowerBound(_Any):
    def __init__(self, out_type: Any = ...) -> None: ...

class LpNorm(_Any):
    def __init__(self, axis: Any, p: Any = 2, keep_dims: Any = False, epsilon: Any = 1e-12) -> None: ...

class Lstsq(_Any):
    def __init__(self, fast: builtins.bool = True, l2_regularizer: builtins.float = 0.0) -> None: ...

class LuSolve(_Any): ...

class LuUnpack(_Any):
    def __init__(self, unpack_data: Any = True, unpack_pivots: Any = True) -> None: ...

class MaskedFill(_Made):
    def __call__(self, input_x: TensorLike, mask: TensorLike, value: TensorLike) -> Tensor: ...

class MaskedScatter(_Any): ...

class MaskedSelect(_Made):
    def __call__(self, input: TensorLike, mask: TensorLike) -> Tensor: ...

class MaskedSelectGrad(_Any): ...

class MatMul(_Any):
    def __init__(self, transpose_a: Any = False, transpose_b: Any = False) -> None: ...

class MatrixBandPart(_Made):
    def __call__(self, x: TensorLike, lower: Any, upper: Any) -> Tensor: ...

class MatrixDeterminant(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class MatrixDiagPartV3(_Any):
    def __init__(self, align: builtins.str = 'RIGHT_LEFT') -> None: ...

class MatrixDiagV3(_Any):
    def __init__(self, align: builtins.str = 'RIGHT_LEFT') -> None: ...

class MatrixExp(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class MatrixInverse(_Any):
    def __init__(self, adjoint: builtins.bool = False) -> None: ...

class MatrixLogarithm(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class MatrixPower(_Any):
    def __init__(self, n: Any) -> None: ...

class MatrixSetDiagV3(_Any):
    def __init__(self, align: builtins.str = 'RIGHT_LEFT') -> None: ...

class MatrixSolve(_Any):
    def __init__(self, adjoint: Any = False) -> None: ...

class MatrixSolveLs(_Any):
    def __init__(self, fast: builtins.bool = True) -> None: ...

class MatrixTriangularSolve(_Any):
    def __init__(self, lower: builtins.bool = True, adjoint: builtins.bool = False) -> None: ...

class MaxPool(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...

class MaxPool3D(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'VALID', pad_list: Any = 0, ceil_mode: builtins.bool | None = None, data_format: builtins.str = 'NCDHW') -> None: ...

class MaxPool3DWithArgmax(_Any):
    def __init__(self, ksize: Any, strides: Any, pads: Any, dilation: Any = (1, 1, 1), ceil_mode: Any = False, data_format: Any = 'NCDHW', argmax_type: Any = ...) -> None: ...

class MaxPoolGrad(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...

class MaxPoolGradWithArgmax(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid') -> None: ...

class MaxPoolWithArgmax(_Any):
    def __init__(self, kernel_size: Any = 1, strides: Any = 1, pad_mode: builtins.str = 'valid', data_format: builtins.str = 'NCHW') -> None: ...

class MaxPoolWithArgmaxV2(_Any):
    def __init__(self, kernel_size: Any, strides: Any = None, pads: Any = 0, dilation: Any = (1, 1), ceil_mode: builtins.bool = False, argmax_type: Any = ...) -> None: ...

class MaxUnpool2D(_Any):
    def __init__(self, ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: builtins.str = 'NCHW') -> None: ...

class MaxUnpool3D(_Any):
    def __init__(self, ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: builtins.str = 'NCHW') -> None: ...

class Maximum(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class MaximumGrad(_Any):
    def __init__(self, grad_x: Any = True, grad_y: Any = True) -> None: ...

class Median(_Any):
    def __init__(self, global_median: builtins.bool = False, axis: builtins.int = 0, keep_dims: builtins.bool = False, ignore_nan: builtins.bool = False) -> None: ...

class Meshgrid(_Any):
    def __init__(self, indexing: Any = 'xy') -> None: ...

class Minimum(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class MinimumGrad(_Any):
    def __init__(self, grad_x: Any = True, grad_y: Any = True) -> None: ...

class MirrorPad(_Any):
    def __init__(self, mode: builtins.str = 'REFLECT') -> None: ...

class MirrorPadGrad(_Any):
    def __init__(self, mode: builtins.str = 'REFLECT') -> None: ...

class Mish(_Made):
    def __call__(self, x: TensorLike) -> Tensor: ...

class Mod(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Mul(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class MulNoNan(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class MultiMarginLoss(_Any):
    def __init__(self, p: Any = 1, margin: Any = 1.0, reduction: Any = 'mean') -> None: ...

class MultilabelMarginLoss(_Any):
    def __init__(self, reduction: Any = 'mean') -> None: ...

class Multinomial(_Any):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0, dtype: Any = ...) -> None: ...

class MultinomialWithReplacement(_Any):
    def __init__(self, numsamples: Any, replacement: Any = False) -> None: ...

class Mvlgamma(_Any):
    def __init__(self, p: Any) -> None: ...

class NLLLoss(_Any):
    def __init__(self, reduction: builtins.str = 'mean', ignore_index: builtins.int = -100) -> None: ...

class NMSWithMask(_Any):
    def __init__(self, iou_threshold: Any = 0.5) -> None: ...

class NPUAllocFloatStatus(_Any): ...

class NPUClearFloatStatus(_Any): ...

class NPUGetFloatStatus(_Any): ...

class NanToNum(_Any):
    def __init__(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> None: ...

class Neg(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class NextAfter(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class NoRepeatNGram(_Any):
    def __init__(self, ngram_size: builtins.int = 1) -> None: ...

class NonDeterministicInts(_Any):
    def __init__(self, dtype: Any = ...) -> None: ...

class NonMaxSuppressionV3(_Any): ...

class NonMaxSuppressionWithOverlaps(_Any): ...

class NonZero(_Made):
    def __call__(self, input: TensorLike, *, as_tuple: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, ...]: ...

class NotEqual(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class NthElement(_Any):
    def __init__(self, reverse: builtins.bool = False) -> None: ...

class NuclearNorm(_Any):
    def __init__(self, dim: Any = None, keepdim: builtins.bool = False) -> None: ...

class OneHot(_Any):
    def __init__(self, axis: Any = -1) -> None: ...

class Ones(_Made):
    def __call__(self, shape: Any, dtype: Any = None) -> Tensor: ...

class OnesLike(_Made):
    def __call__(self, input: TensorLike, *, dtype: Any = None) -> Tensor: ...

class OnesLikeExt(_Any): ...

class Orgqr(_Made):
    def __call__(self, input: TensorLike, input2: TensorLike) -> Tensor: ...

class Ormqr(_Any):
    def __init__(self, left: Any = True, transpose: Any = False) -> None: ...

class PReLU(_Made):
    def __call__(self, input: TensorLike, weight: TensorLike) -> Tensor: ...

class PReLUGrad(_Any): ...

class Pack(_Any):
    def __init__(self, axis: builtins.int = 0) -> None: ...

class Pad(_Any):
    def __init__(self, paddings: Any) -> None: ...

class PadV3(_Any):
    def __init__(self, mode: builtins.str = 'constant', paddings_contiguous: builtins.bool = True) -> None: ...

class Padding(_Any):
    def __init__(self, pad_dim_size: Any = 8) -> None: ...

class ParallelConcat(_Any): ...

class ParameterizedTruncatedNormal(_Any):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...

class Partial(_Any): ...

class Pdist(_Any):
    def __init__(self, p: Any = 2.0) -> None: ...

class PdistGrad(_Any):
    def __init__(self, p: Any = 2.0) -> None: ...

class Poisson(_Any):
    def __init__(self, seed: Any = 0, seed2: Any = 0) -> None: ...

class Polar(_Made):
    def __call__(self, abs: TensorLike, angle: TensorLike) -> Tensor: ...

class Polygamma(_Made):
    def __call__(self, n: Any, input: TensorLike) -> Tensor: ...

class PopulationCount(_Any): ...

class Pow(_Made):
    def __call__(self, input: TensorLike, exponent: TensorLike) -> Tensor: ...

class Print(_Made):
    def __call__(self, *input_x: Any) -> builtins.int: ...

class Qr(_Any):
    def __init__(self, full_matrices: Any = False) -> None: ...

class Quantile(_Any):
    def __init__(self, dim: builtins.int | None = None, keep_dims: builtins.bool = False, ignore_nan: builtins.bool = False) -> None: ...

class RGBToHSV(_Any): ...

class ROIAlign(_Any):
    def __init__(self, pooled_height: builtins.int, pooled_width: builtins.int, spatial_scale: builtins.float, sample_num: builtins.int = 2, roi_end_mode: builtins.int = 1) -> None: ...

class RaggedRange(_Any):
    def __init__(self, Tsplits: Any = ...) -> None: ...

class RandomCategorical(_Any):
    def __init__(self, dtype: Any = ...) -> None: ...

class RandomChoiceWithMask(_Any):
    def __init__(self, count: builtins.int = 256, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...

class RandomGamma(_Any):
    def __init__(self, seed: Any = 0, seed2: Any = 0) -> None: ...

class RandomPoisson(_Any):
    def __init__(self, seed: Any = 0, seed2: Any = 0, dtype: Any = ...) -> None: ...

class RandomShuffle(_Any):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...

class Randperm(_Any):
    def __init__(self, max_length: builtins.int = 1, pad: builtins.int = -1, dtype: Any = ...) -> None: ...

class RandpermV2(_Any):
    def __init__(self, seed: Any = 0, offset: Any = 0, dtype: Any = ...) -> None: ...

class Range(_Any):
    def __init__(self, maxlen: Any = 1000000) -> None: ...

class Rank(_Made):
    def __call__(self, input_x: TensorLike) -> builtins.int: ...

class ReLU(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ReLU6(_Made):
    def __call__(self, x: TensorLike) -> Tensor: ...

class ReLU6Grad(_Any): ...

class Real(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class RealDiv(_Made):
    def __call__(self, input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor: ...

class Reciprocal(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class ReciprocalGrad(_Any): ...

class ReduceAll(_Any):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...

class ReduceAny(_Any):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...

class ReduceMax(_Any):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...

class ReduceMean(_Any):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...

class ReduceMin(_Any):
    def __init__(self, keep_dims: builtins.bool = False) -> None: ...

class ReduceProd(_Any):
    def __init__(self, keep_dims: Any = False) -> None: ...

class ReduceScatter(_Any):
    def __init__(self, op: builtins.str = 'sum', group: builtins.str = 'mccl_world_group') -> None: ...

class ReduceStd(_Any):
    def __init__(self, axis: Any = (), unbiased: builtins.bool = True, keep_dims: builtins.bool = False) -> None: ...

class ReduceSum(_Any):
    def __init__(self, keep_dims: builtins.bool = False, skip_mode: builtins.bool = False) -> None: ...

class ReluGrad(_Any): ...

class Renorm(_Any):
    def __init__(self, p: Any, dim: Any, maxnorm: Any) -> None: ...

class Reshape(_Made):
    def __call__(self, input: TensorLike, shape: Any) -> Tensor: ...

class ResizeArea(_Any):
    def __init__(self, align_corners: builtins.bool = False) -> None: ...

class ResizeBicubic(_Any):
    def __init__(self, align_corners: Any = False, half_pixel_centers: Any = False) -> None: ...

class ResizeBilinear(_Any):
    def __init__(self, size: Any, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> None: ...

class ResizeBilinearGrad(_Any):
    def __init__(self, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> None: ...

class ResizeBilinearV2(_Any):
    def __init__(self, align_corners: Any = False, half_pixel_centers: Any = False) -> None: ...

class ResizeLinear1D(_Any):
    def __init__(self, coordinate_transformation_mode: builtins.str = 'align_corners') -> None: ...

class ResizeNearestNeighbor(_Any):
    def __init__(self, size: Any, align_corners: builtins.bool = False, half_pixel_centers: builtins.bool = False) -> None: ...

class ResizeNearestNeighborGrad(_Any):
    def __init__(self, align_corners: builtins.bool = False) -> None: ...

class ResizeNearestNeighborV2(_Any):
    def __init__(self, align_corners: Any = False, half_pixel_centers: Any = False) -> None: ...

class ReverseSequence(_Any):
    def __init__(self, seq_dim: Any, batch_dim: Any = 0) -> None: ...

class ReverseV2(_Any):
    def __init__(self, axis: Any) -> None: ...

class RightShift(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Rint(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Roll(_Any):
    def __init__(self, shifts: Any, dims: Any = None) -> None: ...

class Round(_Made):
    def __call__(self, input: TensorLike, decimals: Any = 0) -> Tensor: ...

class Rsqrt(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class RsqrtGrad(_Any): ...

class SGD(_Any):
    def __init__(self, dampening: builtins.float = 0.0, weight_decay: builtins.float = 0.0, nesterov: builtins.bool = False) -> None: ...

class STFT(_Any):
    def __init__(self, n_fft: Any, hop_length: Any, win_length: Any, normalized: Any, onesided: Any, return_complex: Any) -> None: ...

class ScalarSummary(_Any): ...

class ScalarToTensor(_Made):
    def __call__(self, input_x: Any, dtype: Any = 'float32') -> Tensor: ...

class Scan(_Any): ...

class ScatterAdd(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterDiv(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterMax(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterMin(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterMul(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNd(_Made):
    def __call__(self, indices: TensorLike, updates: TensorLike, shape: Any) -> Tensor: ...

class ScatterNdAdd(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNdDiv(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNdMax(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNdMin(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNdMul(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNdSub(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNdUpdate(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterNonAliasingAdd(_Any): ...

class ScatterSub(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class ScatterUpdate(_Any):
    def __init__(self, use_locking: Any = False) -> None: ...

class SeLU(_Made):
    def __call__(self, input_x: TensorLike) -> Tensor: ...

class SearchSorted(_Any):
    def __init__(self, dtype: Any = ..., right: Any = False) -> None: ...

class SegmentMax(_Any): ...

class SegmentMean(_Any): ...

class SegmentMin(_Any): ...

class SegmentProd(_Any): ...

class SegmentSum(_Any): ...

class Select(_Made):
    def __call__(self, condition: Any, input: Any, other: Any) -> Tensor: ...

class SequenceAddN(_Made):
    def __call__(self, x: Any) -> Tensor: ...

class Shape(_Made):
    def __call__(self, input_x: Any) -> builtins.tuple[builtins.int, ...]: ...

class Shift(_Any):
    def __init__(self, periods: builtins.int = 1, axis: builtins.int = -1) -> None: ...

class SiLU(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class SiLUGrad(_Any): ...

class Sigmoid(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class SigmoidCrossEntropyWithLogits(_Any): ...

class SigmoidCrossEntropyWithLogitsGrad(_Any): ...

class SigmoidGrad(_Any): ...

class Sign(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Sin(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Sinc(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Sinh(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Size(_Made):
    def __call__(self, input_x: TensorLike) -> builtins.int: ...

class Slice(_Made):
    def __call__(self, input_x: TensorLike, begin: Any, size: Any) -> Tensor: ...

class SliceGrad(_Any): ...

class SmoothL1Loss(_Any):
    def __init__(self, beta: Any = 1.0, reduction: Any = 'none') -> None: ...

class SmoothL1LossGrad(_Any):
    def __init__(self, beta: Any = 1.0, reduction: Any = 'none') -> None: ...

class SoftMarginLoss(_Any):
    def __init__(self, reduction: Any = 'mean') -> None: ...

class SoftMarginLossGrad(_Any):
    def __init__(self, reduction: Any = 'mean') -> None: ...

class SoftShrink(_Any):
    def __init__(self, lambd: Any = 0.5) -> None: ...

class SoftShrinkGrad(_Any):
    def __init__(self, lambd: Any = 0.5) -> None: ...

class Softmax(_Any):
    def __init__(self, axis: Any = -1) -> None: ...

class SoftmaxCrossEntropyWithLogits(_Any): ...

class SoftmaxGrad(_Any):
    def __init__(self, axis: Any = -1) -> None: ...

class Softplus(_Made):
    def __call__(self, input: TensorLike, beta: TensorLike = 1, threshold: TensorLike = 20) -> Tensor: ...

class SoftplusGrad(_Any): ...

class Softsign(_Made):
    def __call__(self, x: TensorLike) -> Tensor: ...

class Sort(_Any):
    def __init__(self, axis: Any = -1, descending: Any = False) -> None: ...

class SpaceToBatch(_Any):
    def __init__(self, block_size: Any, paddings: Any) -> None: ...

class SpaceToBatchND(_Any):
    def __init__(self, block_shape: Any, paddings: Any) -> None: ...

class SpaceToDepth(_Any):
    def __init__(self, block_size: Any) -> None: ...

class SparseApplyAdagrad(_Any):
    def __init__(self, lr: builtins.float, update_slots: builtins.bool = True, use_locking: builtins.bool = False) -> None: ...

class SparseApplyAdagradV2(_Any):
    def __init__(self, lr: builtins.float, epsilon: builtins.float, use_locking: builtins.bool = False, update_slots: builtins.bool = True) -> None: ...

class SparseApplyFtrl(_Any):
    def __init__(self, lr: builtins.float, l1: builtins.float, l2: builtins.float, lr_power: builtins.float, use_locking: builtins.bool = False) -> None: ...

class SparseGatherV2(_Any): ...

class SparseSlice(_Any): ...

class SparseSoftmaxCrossEntropyWithLogits(_Any):
    def __init__(self, is_grad: builtins.bool = False) -> None: ...

class SparseTensorDenseAdd(_Any): ...

class SparseTensorDenseMatmul(_Any):
    def __init__(self, adjoint_st: builtins.bool = False, adjoint_dt: builtins.bool = False) -> None: ...

class SparseToDense(_Any): ...

class Split(_Any):
    def __init__(self, axis: builtins.int = 0, output_num: builtins.int = 1) -> None: ...

class SplitV(_Any):
    def __init__(self, size_splits: Any, split_dim: builtins.int, num_split: builtins.int) -> None: ...

class Sqrt(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class SqrtGrad(_Any): ...

class Square(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class SquareSumAll(_Any): ...

class SquaredDifference(_Made):
    def __call__(self, input: Any, other: Any) -> Tensor: ...

class Squeeze(_Any):
    def __init__(self, axis: Any = ()) -> None: ...

class Stack(_Any):
    def __init__(self, axis: builtins.int = 0) -> None: ...

class StandardLaplace(_Any):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...

class StandardNormal(_Any):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...

class StopGradient(_Made):
    def __call__(self, value: TensorLike) -> Tensor: ...

class StridedSlice(_Any):
    def __init__(self, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0) -> None: ...

class StridedSliceGrad(_Any):
    def __init__(self, **masks: builtins.int) -> None: ...

class Sub(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class SubExt(_Any): ...

class SumExt(_Any): ...

class Svd(_Any):
    def __init__(self, full_matrices: Any = False, compute_uv: Any = True) -> None: ...

class Tan(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class Tanh(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class TanhGrad(_Any): ...

class Tanhshrink(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class TensorAdd(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class TensorDot(_Made):
    def __call__(self, x1: TensorLike, x2: TensorLike, axes: Any) -> Tensor: ...

class TensorScatterAdd(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...

class TensorScatterDiv(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...

class TensorScatterElements(_Any):
    def __init__(self, axis: Any = 0, reduction: Any = 'none') -> None: ...

class TensorScatterMax(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...

class TensorScatterMin(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...

class TensorScatterMul(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...

class TensorScatterSub(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...

class TensorScatterUpdate(_Made):
    def __call__(self, input_x: TensorLike, indices: TensorLike, updates: Any) -> Tensor: ...

class TensorShape(_Any): ...

class TensorSummary(_Any): ...

class Threshold(_Any):
    def __init__(self, threshold: Any, value: Any) -> None: ...

class Tile(_Made):
    def __call__(self, input: TensorLike, dims: Any) -> Tensor: ...

class TopK(_Any):
    def __init__(self, sorted: Any = True) -> None: ...

class Trace(_Made):
    def __call__(self, input: TensorLike, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Tensor: ...

class Transpose(_Made):
    def __call__(self, input: TensorLike, input_perm: Any) -> Tensor: ...

class TridiagonalMatMul(_Any): ...

class Tril(_Any):
    def __init__(self, diagonal: Any = 0) -> None: ...

class TrilIndices(_Any):
    def __init__(self, row: Any, col: Any, offset: Any = 0, dtype: Any = ...) -> None: ...

class TripletMarginLoss(_Any):
    def __init__(self, p: Any = 2, swap: Any = False, eps: Any = 1e-06, reduction: Any = 'mean') -> None: ...

class Triu(_Any):
    def __init__(self, diagonal: Any = 0) -> None: ...

class TriuIndices(_Any):
    def __init__(self, row: Any, col: Any, offset: Any = 0, dtype: Any = ...) -> None: ...

class Trunc(_Made):
    def __call__(self, input: TensorLike) -> Tensor: ...

class TruncateDiv(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class TruncateMod(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class TruncatedNormal(_Any):
    def __init__(self, dtype: Any = ..., seed: Any = 0, seed2: Any = 0) -> None: ...

class TupleToArray(_Made):
    def __call__(self, input_x: Any) -> Tensor: ...

class TupleToTensor(_Any): ...

class UniformCandidateSampler(_Any):
    def __init__(self, num_true: builtins.int = 1, num_sampled: builtins.int = 5, unique: builtins.bool = True, range_max: builtins.int = 5, seed: builtins.int = 0, remove_accidental_hits: builtins.bool = False) -> None: ...

class UniformInt(_Any):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...

class UniformReal(_Any):
    def __init__(self, seed: builtins.int = 0, seed2: builtins.int = 0) -> None: ...

class Unique(_Made):
    def __call__(self, input: TensorLike) -> builtins.tuple[Tensor, Tensor]: ...

class UniqueConsecutive(_Any):
    def __init__(self, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> None: ...

class UniqueWithPad(_Made):
    def __call__(self, x: TensorLike, pad_num: Any) -> builtins.tuple[Tensor, Tensor]: ...

class Unpack(_Any):
    def __init__(self, axis: Any = 0, num: Any = None) -> None: ...

class UnravelIndex(_Any): ...

class UnsortedSegmentMax(_Made):
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...

class UnsortedSegmentMin(_Made):
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...

class UnsortedSegmentProd(_Made):
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...

class UnsortedSegmentSum(_Made):
    def __call__(self, input_x: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Tensor: ...

class Unstack(_Any):
    def __init__(self, axis: Any = 0, num: Any = None) -> None: ...

class UpperBound(_Any):
    def __init__(self, out_type: Any = ...) -> None: ...

class UpsampleNearest3D(_Any): ...

class UpsampleTrilinear3D(_Any):
    def __init__(self, align_corners: Any = False) -> None: ...

class WhileLoop(_Any): ...

class Xdivy(_Made):
    def __call__(self, x: TensorLike, y: TensorLike) -> Tensor: ...

class Xlogy(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

class Zeros(_Made):
    def __call__(self, size: Any, dtype: Any = None) -> Tensor: ...

class ZerosLike(_Made):
    def __call__(self, input: TensorLike, *, dtype: Any = None) -> Tensor: ...

class ZerosLikeExt(_Any): ...

class Zeta(_Made):
    def __call__(self, input: TensorLike, other: TensorLike) -> Tensor: ...

def abs(input: TensorLike) -> Tensor:
    """|input|, element by element."""

def abs_(input: TensorLike) -> Tensor:
    """As `abs`, in place: the tensor takes the values of the result, and is given back."""

absolute = abs

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

def add_(self: TensorLike, other: Any, *, alpha: Any = 1) -> Tensor:
    """As `add`, in place: the tensor takes the values of the result, and is given back."""

def add_flags(fn: Any = None, **flags: builtins.bool) -> Any:
    """Accepted for MindSpore programs, which say with it how a function or Cell is compiled: the flags are kept in `_func_graph_flags`, without effect; gives the function. Without one it is a decorator."""

def addbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (the sum of the products of matrices (B, M, K) and (B, K, N)); see `addmm`."""

def addcdiv(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 / tensor2, element by element."""

def addcdiv_(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
    """As `addcdiv`, in place: the tensor takes the values of the result, and is given back."""

def addcmul(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
    """input + value · tensor1 · tensor2, element by element."""

def addcmul_(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, value: TensorLike = 1) -> Tensor:
    """As `addcmul`, in place: the tensor takes the values of the result, and is given back."""

def addmm(input: TensorLike, mat1: TensorLike, mat2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2)."""

def addmm_(input: TensorLike, mat1: TensorLike, mat2: TensorLike, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """As `addmm`, in place: the tensor takes the values of the result, and is given back."""

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

arccos = acos

arccosh = acosh

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

asin = arcsin

asinh = arcsinh

def assemble(parts: Sequence[TensorLike] | Tensor, shape: Any, paths: Any) -> Tensor:
    """Zeros of `shape` to which each part is added, in the view behind its path. No two of these views meet, so each element is written once: a part's plus zero, which makes zero of -0."""

def assign(variable: Any, value: Any) -> Any:
    """Write a value, broadcast and converted, into a Parameter or tensor; gives what was written to."""

def assign_add(variable: Any, value: Any) -> Any:
    """Add a value to a Parameter or tensor, in place."""

def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract a value from a Parameter or tensor, in place."""

atan = arctan

atan2 = arctan2

atanh = arctanh

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

def batch_to_space_nd(input_x: Any, block_shape: Any, crops: Any) -> Tensor: ...

def bernoulli(input: TensorLike, p: Any = 0.5, seed: Any = None) -> Tensor:
    """Ones with probability p, else zeros."""

def bernoulli_(self: TensorLike, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill the tensor with ones, with probability p (a number, or a tensor of them), and zeros."""

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

def bitwise_and_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `bitwise_and`, in place: the tensor takes the values of the result, and is given back."""

def bitwise_left_shift(input: TensorLike, other: TensorLike) -> Tensor:
    """input · 2 ** other, modulo 2 ** bits, for integers."""

def bitwise_not(input: TensorLike) -> Tensor:
    """The other bits: -input - 1 for signed integers; of bools, the opposite."""

def bitwise_not_(input: TensorLike) -> Tensor:
    """As `bitwise_not`, in place: the tensor takes the values of the result, and is given back."""

def bitwise_or(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that either integer has; of bools, whether either is true."""

def bitwise_or_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `bitwise_or`, in place: the tensor takes the values of the result, and is given back."""

def bitwise_right_shift(input: TensorLike, other: TensorLike) -> Tensor:
    """floor(input / 2 ** other) for integers."""

def bitwise_xor(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that exactly one of the integers has; of bools, whether exactly one is true."""

def bitwise_xor_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `bitwise_xor`, in place: the tensor takes the values of the result, and is given back."""

def blackman_window(window_length: Any, periodic: Any = True, *, dtype: Any = None) -> Tensor:
    """Blackman's window, 0.42 - 0.5 cos(2 pi place) + 0.08 cos(4 pi place)."""

def block_diag(*inputs: TensorLike) -> Tensor:
    """The matrix that is zero but for matrices along its diagonal."""

def bmm(input_x: TensorLike, mat2: TensorLike) -> Tensor:
    """The products of matrices (…, M, K) and (…, K, N), item by item of equal leading axes; see `matmul`."""

def bool_and(a: Any, b: Any) -> Tensor:
    """Same as a & b."""

def bool_eq(a: Any, b: Any) -> Tensor:
    """Same as a == b."""

def bool_not(a: Any) -> Tensor:
    """Same as not a."""

def bool_or(a: Any, b: Any) -> Tensor:
    """Same as a | b."""

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

def ceil_(input: TensorLike) -> Tensor:
    """As `ceil`, in place: the tensor takes the values of the result, and is given back."""

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

def clamp_(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """As `clamp`, in place: the tensor takes the values of the result, and is given back."""

clip = clamp

def clip_by_global_norm(x: Any, clip_norm: builtins.float = 1.0, use_norm: Any = None) -> builtins.tuple[Tensor, ...]:
    """Shrink tensors by one factor so that the norm of all their elements is at most `clip_norm`."""

def clip_by_norm(x: Any, max_norm: builtins.float, norm_type: builtins.float = 2.0, error_if_nonfinite: builtins.bool = False) -> Any:
    """Shrink a tensor, or tensors together, so that the norm of all elements is at most `max_norm`."""

def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """The input, or each of several, brought into a range, element by element."""

def coalesce(x_indices: Any, x_values: Any, x_shape: Any) -> Tensor: ...

def col2im(input_x: Any, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Tensor: ...

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

def control_depend(src: Any, dst: Any, depend_mode: builtins.int = 0) -> Any:
    """Accepted for programs of MindSpore 1, which say by it that `src` is done before `dst`: it is, since the order of the program holds."""

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

def coo_abs(x: Any) -> Any:
    """`ops.abs` of the values of a COOTensor; its places stay."""

def coo_acos(x: Any) -> Any:
    """`ops.acos` of the values of a COOTensor; its places stay."""

def coo_acosh(x: Any) -> Any:
    """`ops.acosh` of the values of a COOTensor; its places stay."""

def coo_add(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A COOTensor as `coo_add` names it."""

def coo_asin(x: Any) -> Any:
    """`ops.asin` of the values of a COOTensor; its places stay."""

def coo_asinh(x: Any) -> Any:
    """`ops.asinh` of the values of a COOTensor; its places stay."""

def coo_atan(x: Any) -> Any:
    """`ops.atan` of the values of a COOTensor; its places stay."""

def coo_atanh(x: Any) -> Any:
    """`ops.atanh` of the values of a COOTensor; its places stay."""

def coo_ceil(x: Any) -> Any:
    """`ops.ceil` of the values of a COOTensor; its places stay."""

def coo_concat(sp_input: Any, concat_dim: builtins.int = 0) -> Any:
    """Matrices one behind the other along an axis."""

def coo_cos(x: Any) -> Any:
    """`ops.cos` of the values of a COOTensor; its places stay."""

def coo_cosh(x: Any) -> Any:
    """`ops.cosh` of the values of a COOTensor; its places stay."""

def coo_exp(x: Any) -> Any:
    """`ops.exp` of the values of a COOTensor; its places stay."""

def coo_expm1(x: Any) -> Any:
    """`ops.expm1` of the values of a COOTensor; its places stay."""

def coo_floor(x: Any) -> Any:
    """`ops.floor` of the values of a COOTensor; its places stay."""

def coo_inv(x: Any) -> Any:
    """`ops.reciprocal` of the values of a COOTensor; its places stay."""

def coo_isfinite(x: Any) -> Any:
    """`ops.isfinite` of the values of a COOTensor; its places stay."""

def coo_isinf(x: Any) -> Any:
    """`ops.isinf` of the values of a COOTensor; its places stay."""

def coo_isnan(x: Any) -> Any:
    """`ops.isnan` of the values of a COOTensor; its places stay."""

def coo_log(x: Any) -> Any:
    """`ops.log` of the values of a COOTensor; its places stay."""

def coo_log1p(x: Any) -> Any:
    """`ops.log1p` of the values of a COOTensor; its places stay."""

def coo_neg(x: Any) -> Any:
    """`ops.neg` of the values of a COOTensor; its places stay."""

def coo_relu(x: Any) -> Any:
    """`ops.relu` of the values of a COOTensor; its places stay."""

def coo_relu6(x: Any) -> Any:
    """`ops.relu6` of the values of a COOTensor; its places stay."""

def coo_round(x: Any) -> Any:
    """`ops.round` of the values of a COOTensor; its places stay."""

def coo_sigmoid(x: Any) -> Any:
    """`ops.sigmoid` of the values of a COOTensor; its places stay."""

def coo_sin(x: Any) -> Any:
    """`ops.sin` of the values of a COOTensor; its places stay."""

def coo_sinh(x: Any) -> Any:
    """`ops.sinh` of the values of a COOTensor; its places stay."""

def coo_softsign(x: Any) -> Any:
    """`ops.softsign` of the values of a COOTensor; its places stay."""

def coo_sqrt(x: Any) -> Any:
    """`ops.sqrt` of the values of a COOTensor; its places stay."""

def coo_square(x: Any) -> Any:
    """`ops.square` of the values of a COOTensor; its places stay."""

def coo_tan(x: Any) -> Any:
    """`ops.tan` of the values of a COOTensor; its places stay."""

def coo_tanh(x: Any) -> Any:
    """`ops.tanh` of the values of a COOTensor; its places stay."""

def coo_tensor_get_dense_shape(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A COOTensor as `coo_tensor_get_dense_shape` names it."""

def coo_tensor_get_indices(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A COOTensor as `coo_tensor_get_indices` names it."""

def coo_tensor_get_values(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A COOTensor as `coo_tensor_get_values` names it."""

def copy(input: TensorLike) -> Tensor:
    """A copy in memory of its own, contiguous."""

def copy_(self: TensorLike, src: Any, non_blocking: builtins.bool = False) -> Tensor:
    """Write a tensor or number, broadcast and converted, into the memory of this one."""

def copy_to(input: TensorLike, value: TensorLike) -> Tensor:
    """Write `value`, broadcast and converted, into the memory of `input`; gives `input`."""

def copysign(input: TensorLike, other: TensorLike) -> Tensor:
    """|input| with the sign of `other`, element by element; -0.0 has a sign too."""

def core(fn: Any = None, **flags: builtins.bool) -> Any:
    """`add_flags` with the flag `core`."""

def cos(input: TensorLike) -> Tensor:
    """Cosine, element by element."""

def cos_(input: TensorLike) -> Tensor:
    """As `cos`, in place: the tensor takes the values of the result, and is given back."""

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

def crop_and_resize(image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: Any = 'bilinear', extrapolation_value: Any = 0.0) -> Tensor: ...

def cross(input: TensorLike, other: TensorLike, dim: Any = None) -> Tensor:
    """The cross products of vectors of length 3."""

def cross_entropy(input: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: builtins.int = -100, reduction: builtins.str = 'mean', label_smoothing: builtins.float = 0.0) -> Tensor:
    """The cross entropy of logits with class labels or class probabilities."""

def csr_abs(x: Any) -> Any:
    """`ops.abs` of the values of a CSRTensor; its places stay."""

def csr_acos(x: Any) -> Any:
    """`ops.acos` of the values of a CSRTensor; its places stay."""

def csr_acosh(x: Any) -> Any:
    """`ops.acosh` of the values of a CSRTensor; its places stay."""

def csr_add(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_add` names it."""

def csr_asin(x: Any) -> Any:
    """`ops.asin` of the values of a CSRTensor; its places stay."""

def csr_asinh(x: Any) -> Any:
    """`ops.asinh` of the values of a CSRTensor; its places stay."""

def csr_atan(x: Any) -> Any:
    """`ops.atan` of the values of a CSRTensor; its places stay."""

def csr_atanh(x: Any) -> Any:
    """`ops.atanh` of the values of a CSRTensor; its places stay."""

def csr_ceil(x: Any) -> Any:
    """`ops.ceil` of the values of a CSRTensor; its places stay."""

def csr_cos(x: Any) -> Any:
    """`ops.cos` of the values of a CSRTensor; its places stay."""

def csr_cosh(x: Any) -> Any:
    """`ops.cosh` of the values of a CSRTensor; its places stay."""

def csr_div(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_div` names it."""

def csr_exp(x: Any) -> Any:
    """`ops.exp` of the values of a CSRTensor; its places stay."""

def csr_expm1(x: Any) -> Any:
    """`ops.expm1` of the values of a CSRTensor; its places stay."""

def csr_floor(x: Any) -> Any:
    """`ops.floor` of the values of a CSRTensor; its places stay."""

def csr_gather(csr_tensor_indptr: TensorLike, indices: TensorLike, dense: TensorLike, *shape: Any) -> Tensor:
    """The elements of a dense matrix at the places of a CSRTensor."""

def csr_inv(x: Any) -> Any:
    """`ops.reciprocal` of the values of a CSRTensor; its places stay."""

def csr_isfinite(x: Any) -> Any:
    """`ops.isfinite` of the values of a CSRTensor; its places stay."""

def csr_isinf(x: Any) -> Any:
    """`ops.isinf` of the values of a CSRTensor; its places stay."""

def csr_isnan(x: Any) -> Any:
    """`ops.isnan` of the values of a CSRTensor; its places stay."""

def csr_log(x: Any) -> Any:
    """`ops.log` of the values of a CSRTensor; its places stay."""

def csr_log1p(x: Any) -> Any:
    """`ops.log1p` of the values of a CSRTensor; its places stay."""

def csr_mul(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_mul` names it."""

def csr_mv(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_mv` names it."""

def csr_neg(x: Any) -> Any:
    """`ops.neg` of the values of a CSRTensor; its places stay."""

def csr_reduce_sum(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_reduce_sum` names it."""

def csr_relu(x: Any) -> Any:
    """`ops.relu` of the values of a CSRTensor; its places stay."""

def csr_relu6(x: Any) -> Any:
    """`ops.relu6` of the values of a CSRTensor; its places stay."""

def csr_round(x: Any) -> Any:
    """`ops.round` of the values of a CSRTensor; its places stay."""

def csr_sigmoid(x: Any) -> Any:
    """`ops.sigmoid` of the values of a CSRTensor; its places stay."""

def csr_sin(x: Any) -> Any:
    """`ops.sin` of the values of a CSRTensor; its places stay."""

def csr_sinh(x: Any) -> Any:
    """`ops.sinh` of the values of a CSRTensor; its places stay."""

def csr_softmax(logits: Any, dtype: Any) -> Any:
    """A softmax of each row's values."""

def csr_softsign(x: Any) -> Any:
    """`ops.softsign` of the values of a CSRTensor; its places stay."""

def csr_sqrt(x: Any) -> Any:
    """`ops.sqrt` of the values of a CSRTensor; its places stay."""

def csr_square(x: Any) -> Any:
    """`ops.square` of the values of a CSRTensor; its places stay."""

def csr_tan(x: Any) -> Any:
    """`ops.tan` of the values of a CSRTensor; its places stay."""

def csr_tanh(x: Any) -> Any:
    """`ops.tanh` of the values of a CSRTensor; its places stay."""

def csr_tensor_get_dense_shape(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_tensor_get_dense_shape` names it."""

def csr_tensor_get_indices(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_tensor_get_indices` names it."""

def csr_tensor_get_indptr(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_tensor_get_indptr` names it."""

def csr_tensor_get_values(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_tensor_get_values` names it."""

def csr_to_coo(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_to_coo` names it."""

def csr_to_dense(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A CSRTensor as `csr_to_dense` names it."""

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

deepcopy = copy

def deg2rad(x: TensorLike) -> Tensor:
    """Angles in degrees as radians: x · pi / 180."""

def dense(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor:
    """A dense layer: y = x wᵀ + b, the bias added before the sum is rounded."""

def dense_to_sparse_coo(tensor: TensorLike) -> Any:
    """What of a matrix is no zero, with its places."""

def dense_to_sparse_csr(tensor: Any) -> Tensor: ...

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

def dict_getitem(a: Any, b: Any) -> Tensor:
    """Same as a[b]."""

def dict_setitem(mapping: Any, key: Any, value: Any) -> Tensor: ...

def diff(x: TensorLike, n: Any = 1, axis: Any = -1, prepend: TensorLike | None = None, append: TensorLike | None = None) -> Tensor:
    """The differences of neighbours along an axis, y_k = x_{k+1} - x_k, taken n times; of bools, whether they differ."""

def digamma(input: TensorLike) -> Tensor:
    """The derivative of log(gamma(input)), element by element."""

def dist(input: TensorLike, other: TensorLike, p: Any = 2) -> Tensor:
    """The norm of the difference of two tensors that broadcast; see `vector_norm`."""

def div(input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
    """input / other, element by element, rounded where asked."""

def div_(input: TensorLike, other: TensorLike, *, rounding_mode: Any = None) -> Tensor:
    """As `div`, in place: the tensor takes the values of the result, and is given back."""

def div_no_nan(input: TensorLike, other: TensorLike) -> Tensor:
    """input / other, and 0 where `other` is 0, element by element."""

divide = div

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

def dyn_shape(input_x: Any) -> Tensor: ...

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

def eps(x: Any) -> Tensor: ...

def eq(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether input == other, element by element. NaN equals nothing."""

equal = eq

def erf(input: TensorLike) -> Tensor:
    """The error function: 2 / sqrt(pi) times the integral of exp(-t²) from 0 to the element."""

def erf_(input: TensorLike) -> Tensor:
    """As `erf`, in place: the tensor takes the values of the result, and is given back."""

def erfc(input: TensorLike) -> Tensor:
    """1 - erf(input), accurate where that is small, element by element."""

def erfinv(input: TensorLike) -> Tensor:
    """The inverse of the error function, element by element."""

def erfinv_(input: TensorLike) -> Tensor:
    """As `erfinv`, in place: the tensor takes the values of the result, and is given back."""

def euclidean_norm(x: TensorLike, axis: Any = (), keep_dims: Any = False) -> Tensor:
    """The square root of the sum of squares over axes, computed in float64."""

def exp(input: TensorLike) -> Tensor:
    """e to the power of the element."""

def exp2(input: TensorLike) -> Tensor:
    """2 to the power of the element."""

def exp_(input: TensorLike) -> Tensor:
    """As `exp`, in place: the tensor takes the values of the result, and is given back."""

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

def exponential_(self: TensorLike, lambd: builtins.float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random numbers of the exponential distribution of mean 1 / lambd."""

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

def fill_(self: TensorLike, value: Any) -> Tensor:
    """Set every element to a value, in place."""

def fill_diagonal_(self: TensorLike, fill_value: Any, wrap: builtins.bool = False) -> Tensor:
    """Set the main diagonal to a value, in place; see `fill_diagonal`."""

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

def floor_(input: TensorLike) -> Tensor:
    """As `floor`, in place: the tensor takes the values of the result, and is given back."""

def floor_div(input: TensorLike, other: TensorLike) -> Tensor:
    """floor(input / other), element by element: Python's `//`."""

def floor_div_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `floor_div`, in place: the tensor takes the values of the result, and is given back."""

floor_divide = floor_div

def floor_divide_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `floor_divide`, in place: the tensor takes the values of the result, and is given back."""

def floor_mod(input: TensorLike, other: TensorLike) -> Tensor:
    """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`."""

floordiv = floor_div

floormod = floor_mod

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

greater_equal = ge

def grid_sample(input: TensorLike, grid: TensorLike, mode: builtins.str = 'bilinear', padding_mode: builtins.str = 'zeros', align_corners: builtins.bool = False) -> Tensor:
    """Images looked at in given places."""

def group_norm(input: TensorLike, num_groups: builtins.int, weight: TensorLike | None = None, bias: TensorLike | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Normalise groups of neighbouring channels in each image: y = (x - mean) / sqrt(variance + eps) · weight + bias."""

def gru_cell(input_gates: TensorLike, state_gates: TensorLike, state: TensorLike) -> Tensor:
    """One step of a GRU, from what its gates get: with a = input_gates and b = state_gates,"""

gt = greater

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

def hastype(value: Any, kind: Any) -> builtins.bool: ...

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

i0 = bessel_i0

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

def in_dict(key: Any, mapping: Any) -> Tensor: ...

def in_top_k(x1: TensorLike, x2: TensorLike, k: builtins.int) -> Tensor:
    """Whether the element that a target names is among the k largest of its row."""

def index_add(x: Any, indices: TensorLike, y: Any, axis: Any, use_lock: builtins.bool = True, check_index_bound: builtins.bool = True) -> Tensor:
    """Add parts of `y` to the parts of `x` along an axis that indices name."""

def index_add_(self: TensorLike, *args: Any, **names: Any) -> Tensor:
    """Add parts along an axis, in place: `x.index_add_(dim, index, source, alpha=1)`."""

def index_copy_(self: TensorLike, dim: Any, index: TensorLike, tensor: Any) -> Tensor:
    """Replace parts along an axis, in place."""

def index_fill(x: TensorLike, axis: Any, index: TensorLike, value: Any) -> Tensor:
    """A copy in which the parts along an axis that indices name hold one value."""

def index_fill_(self: TensorLike, dim: Any, index: TensorLike, value: Any) -> Tensor:
    """Set parts along an axis to one value, in place."""

def index_put(input: TensorLike, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
    """A copy in which the places `input[indices]` hold values."""

def index_put_(self: TensorLike, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
    """Set, or with `accumulate` add, values at the places `x[indices]`, in place."""

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

def inplace_sigmoid(input: Any) -> Tensor: ...

def inplace_sub(x: TensorLike, v: Any, indices: Any) -> Tensor:
    """A copy in which values are subtracted from the parts along the first axis that indices name."""

def inplace_update(x: TensorLike, v: Any, indices: Any) -> Tensor:
    """A copy in which values replace the parts along the first axis that indices name."""

def instance_norm(input: TensorLike, weight: TensorLike | None = None, bias: TensorLike | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Normalise each channel of each image on its own: `group_norm` with as many groups as channels."""

def interpolate(input: TensorLike, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None, recompute_scale_factor: builtins.bool | None = None) -> Tensor:
    """Images, sequences or volumes of another size."""

intopk = in_top_k

def inv(input: TensorLike) -> Tensor:
    """1 / input, element by element."""

def inverse(input: TensorLike) -> Tensor:
    """The inverses of matrices."""

invert = bitwise_not

def iou(anchor_boxes: TensorLike, gt_boxes: TensorLike, mode: builtins.str = 'iou') -> Tensor:
    """How much each box overlaps each other one: the common area by the area of both together."""

def irfft(input: TensorLike, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of `rfft`: real numbers."""

def irfft2(input: TensorLike, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """`irfftn` along the last two axes, unless others are named."""

def irfftn(input: TensorLike, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of `rfftn`: real numbers."""

def is_(a: Any, b: Any) -> Tensor:
    """Same as a is b."""

def is_complex(input: TensorLike) -> builtins.bool:
    """Whether the element type is complex."""

def is_floating_point(input: Any) -> Tensor: ...

def is_nonzero(input: TensorLike) -> builtins.bool: ...

def is_not(a: Any, b: Any) -> Tensor:
    """Same as a is not b."""

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

less_equal = le

def lgamma(input: TensorLike) -> Tensor:
    """log |gamma(input)|, element by element."""

def linspace(start: TensorLike, end: TensorLike, steps: Any) -> Tensor:
    """`steps` numbers at equal distances, from `start` to `end`, both included."""

list_equal = bool_eq

list_getitem = dict_getitem

def list_len(obj: Any) -> Tensor:
    """Return the number of items in a container."""

def list_setitem(items: Any, index: builtins.int, value: Any) -> Any:
    """A copy of a list or tuple with another item."""

def log(input: TensorLike) -> Tensor:
    """Natural logarithm, element by element."""

def log10(input: TensorLike) -> Tensor:
    """Logarithm to the base 10, element by element."""

def log1p(input: TensorLike) -> Tensor:
    """log(1 + input), accurate near 0, element by element."""

def log2(input: TensorLike) -> Tensor:
    """Logarithm to the base 2, element by element."""

def log2_(input: TensorLike) -> Tensor:
    """As `log2`, in place: the tensor takes the values of the result, and is given back."""

def log_(input: TensorLike) -> Tensor:
    """As `log`, in place: the tensor takes the values of the result, and is given back."""

def log_matrix_determinant(input: TensorLike) -> builtins.tuple[Tensor, Tensor]:
    """The signs of determinants and the logarithms of their magnitudes; see `slogdet`."""

def log_softmax(logits: TensorLike, axis: Any = -1) -> Tensor:
    """Logarithm of the softmax along one axis: y = x - max x - log(sum(exp(x - max x)))."""

def log_uniform_candidate_sampler(true_classes: Any, num_true: Any = 1, num_sampled: Any = 5, unique: Any = True, range_max: Any = 5, seed: Any = 0) -> Tensor: ...

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

def logical_and_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `logical_and`, in place: the tensor takes the values of the result, and is given back."""

def logical_not(input: TensorLike) -> Tensor:
    """Whether an element is false, that is, zero."""

def logical_not_(input: TensorLike) -> Tensor:
    """As `logical_not`, in place: the tensor takes the values of the result, and is given back."""

def logical_or(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether either element is true, that is, not zero."""

def logical_or_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `logical_or`, in place: the tensor takes the values of the result, and is given back."""

def logical_xor(input: TensorLike, other: TensorLike) -> Tensor:
    """Whether exactly one of the elements is true, that is, not zero."""

def logical_xor_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `logical_xor`, in place: the tensor takes the values of the result, and is given back."""

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

lt = less

def lu_solve(b: TensorLike, LU_data: TensorLike, LU_pivots: TensorLike) -> Tensor:
    """Solve linear equations by the factors of their matrix: x with A x = b."""

def lu_unpack(LU_data: TensorLike, LU_pivots: TensorLike, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True) -> Any:
    """The matrices P, L and U of a factorisation A = P L U, from the form in which LAPACK gives it."""

def make_dict(keys: Any, values: Any) -> Tensor: ...

def make_list(*items: Any) -> Tensor: ...

def make_range(*args: Any) -> builtins.tuple[builtins.int, ...]:
    """Python's `range` as a tuple: `make_range(end)`, `make_range(start, end)`, `make_range(start, end, step)`."""

def make_slice(start: Any, stop: Any, step: Any) -> Tensor: ...

def make_tuple(*items: Any) -> Tensor: ...

def margin_ranking_loss(input1: TensorLike, input2: TensorLike, target: TensorLike, margin: builtins.float = 0.0, reduction: builtins.str = 'mean') -> Tensor:
    """max(0, -target (input1 - input2) + margin), reduced."""

def masked_fill(input_x: TensorLike, mask: TensorLike, value: TensorLike) -> Tensor:
    """The input with `value` where the mask holds."""

def masked_fill_(input_x: TensorLike, mask: TensorLike, value: TensorLike) -> Tensor:
    """As `masked_fill`, in place: the tensor takes the values of the result, and is given back."""

def masked_scatter_(self: TensorLike, mask: TensorLike, tensor: TensorLike) -> Tensor:
    """As `masked_scatter`, in place: the tensor takes the values of the result, and is given back."""

def masked_select(input: TensorLike, mask: TensorLike) -> Tensor:
    """The elements where a mask is true, in row-major order."""

def matmul(input: TensorLike, other: TensorLike, *, transpose_a: Any = False, transpose_b: Any = False) -> Tensor:
    """The matrix product: y[…, m, n] = sum over k of input[…, m, k] other[…, k, n]."""

def matrix_band_part(x: TensorLike, lower: Any, upper: Any) -> Tensor:
    """The diagonals of matrices around the main one; zero elsewhere."""

def matrix_determinant(input: TensorLike) -> Tensor:
    """The determinants of matrices; see `det`."""

def matrix_diag(x: Any, k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0, align: Any = 'RIGHT_LEFT') -> Tensor: ...

def matrix_diag_part(x: Any, k: Any, padding_value: Any, align: Any = 'RIGHT_LEFT') -> Tensor: ...

def matrix_exp(input: TensorLike) -> Tensor:
    """The exponentials of matrices: the sum of xᵏ / k!."""

def matrix_logarithm(input: TensorLike) -> Tensor:
    """The principal logarithms of complex matrices: those of which `matrix_exp` is the input, and whose eigenvalues have imaginary parts in (-π, π]."""

def matrix_norm(A: TensorLike, ord: Any = 'fro', axis: Any = (-2, -1), keepdims: Any = False, *, dtype: Any = None) -> Tensor:
    """The norm of matrices."""

def matrix_power(input: TensorLike, n: Any) -> Tensor:
    """Square matrices to an integer power, by repeated squaring; a negative one is a power of the inverse."""

def matrix_set_diag(x: Any, diagonal: Any, k: Any = 0, align: Any = 'RIGHT_LEFT') -> Tensor: ...

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

def mirror_pad(input_x: Any, paddings: Any, mode: Any) -> Tensor: ...

def mish(x: TensorLike) -> Tensor:
    """x · tanh(softplus(x)), element by element."""

def mixed_precision_cast(dst_type: DType, x: Any) -> Any:
    """The floating tensors of a nesting of tuples, lists and dicts in another floating type; all else as it is."""

def mm(input: TensorLike, mat2: TensorLike) -> Tensor:
    """The product of two matrices (M, K) and (K, N); see `matmul`."""

mod = floor_mod

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

def mul_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `mul`, in place: the tensor takes the values of the result, and is given back."""

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

multiply = mul

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

def neg_(input: TensorLike) -> Tensor:
    """As `neg`, in place: the tensor takes the values of the result, and is given back."""

negative = neg

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

def normal_(self: TensorLike, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random numbers of a normal distribution."""

not_equal = ne

def not_in_dict(key: Any, mapping: Any) -> Tensor: ...

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

def population_count(input_x: Any) -> Tensor: ...

def positive(input: TensorLike) -> Tensor:
    """A copy of the input: Python's unary `+`."""

def pow(input: TensorLike, exponent: TensorLike) -> Tensor:
    """input to the power of `exponent`, element by element: Python's `**`."""

def pow_(input: TensorLike, exponent: TensorLike) -> Tensor:
    """As `pow`, in place: the tensor takes the values of the result, and is given back."""

pows = pow

def prelu(input: TensorLike, weight: TensorLike) -> Tensor:
    """max(input, 0) + weight · min(input, 0), with a slope for each channel."""

def print_(*input_x: Any) -> builtins.int:
    """Print the arguments line by line, tensors with shape and type; gives 1, as MindSpore's operator."""

def prod(input: TensorLike, axis: Any = None, keep_dims: Any = False, dtype: Any = None) -> Tensor:
    """The product over axes; that of floating-point elements is computed in float64 and rounded once."""

def put_(self: TensorLike, index: TensorLike, source: Any, accumulate: builtins.bool = False) -> Tensor:
    """Set, or with `accumulate` add, values at indices in row-major order, in place."""

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

def random_(self: TensorLike, from_: builtins.int = 0, to: builtins.int | None = None, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random integers from `from_` to below `to`; `random_(n)` is from 0 to below n."""

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

reciprocal = inv

def reciprocal_(input: TensorLike) -> Tensor:
    """As `reciprocal`, in place: the tensor takes the values of the result, and is given back."""

def reduce_max(x: TensorLike, axis: Any = (), keep_dims: Any = False) -> Tensor:
    """The largest element over axes; NaN if one is NaN."""

reduce_mean = mean

def reduce_min(x: TensorLike, axis: Any = (), keep_dims: Any = False) -> Tensor:
    """The smallest element over axes; NaN if one is NaN. Its gradient is shared evenly by all that are smallest."""

def reduce_sum(x: TensorLike, axis: Any = (), keep_dims: Any = False, dtype: Any = None) -> Tensor:
    """The sum over axes. float32 and half precision are added with a float64 total and rounded once."""

def reduced_shape(shape: Sequence[builtins.int], axes: Any) -> builtins.tuple[builtins.int, ...]:
    """A shape after a reduction over axes that stay, with one element; all of them where none is named."""

def relu(input: TensorLike) -> Tensor:
    """max(input, 0), element by element."""

def relu6(x: TensorLike) -> Tensor:
    """min(max(x, 0), 6), element by element."""

def relu_(input: TensorLike) -> Tensor:
    """As `relu`, in place: the tensor takes the values of the result, and is given back."""

remainder = floor_mod

def remainder_(input: TensorLike, other: TensorLike) -> Tensor:
    """As `remainder`, in place: the tensor takes the values of the result, and is given back."""

def renorm(input: TensorLike, p: Any, axis: Any, maxnorm: Any) -> Tensor:
    """Scale the parts of a tensor along an axis down to a norm of at most `maxnorm`."""

def repeat_elements(x: TensorLike, rep: Any, axis: Any = 0) -> Tensor:
    """Each part along an axis `rep` times in a row, as `repeat_interleave`."""

def repeat_interleave(input: TensorLike, repeats: Any, axis: Any = None) -> Tensor:
    """Each element, or each part along an axis, several times in a row."""

def reshape(input: TensorLike, shape: Any) -> Tensor:
    """The same elements, in row-major order, with other axes."""

reshape_ = reshape

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

def round_(input: TensorLike, decimals: Any = 0) -> Tensor:
    """As `round`, in place: the tensor takes the values of the result, and is given back."""

def row_stack(tensors: Sequence[TensorLike] | Tensor) -> Tensor:
    """Tensors below each other, as `vstack`."""

def row_tensor_add(x: Any, y: Any) -> Tensor: ...

def row_tensor_get_dense_shape(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A RowTensor as `row_tensor_get_dense_shape` names it."""

def row_tensor_get_indices(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A RowTensor as `row_tensor_get_indices` names it."""

def row_tensor_get_values(x: Any, *args: Any, **kwargs: Any) -> Any:
    """A RowTensor as `row_tensor_get_values` names it."""

def rrelu(input: TensorLike, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333) -> Tensor:
    """max(input, 0) + a · min(input, 0) with a slope a drawn for each element from [lower, upper)."""

def rsqrt(input: TensorLike) -> Tensor:
    """1 / sqrt(input), element by element."""

def rsqrt_(input: TensorLike) -> Tensor:
    """As `rsqrt`, in place: the tensor takes the values of the result, and is given back."""

def scalar_add(a: Any, b: Any) -> Tensor:
    """Same as a + b."""

def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """A number as Python's of the type that an element type is of."""

def scalar_div(a: Any, b: Any) -> Tensor:
    """Same as a / b."""

scalar_eq = bool_eq

def scalar_floordiv(a: Any, b: Any) -> Tensor:
    """Same as a // b."""

def scalar_ge(a: Any, b: Any) -> Tensor:
    """Same as a >= b."""

def scalar_gt(a: Any, b: Any) -> Tensor:
    """Same as a > b."""

def scalar_le(a: Any, b: Any) -> Tensor:
    """Same as a <= b."""

def scalar_log(x: Any) -> Tensor: ...

def scalar_lt(a: Any, b: Any) -> Tensor:
    """Same as a < b."""

def scalar_max(x: Any, y: Any) -> Tensor: ...

def scalar_min(x: Any, y: Any) -> Tensor: ...

def scalar_mod(a: Any, b: Any) -> Tensor:
    """Same as a % b."""

def scalar_mul(a: Any, b: Any) -> Tensor:
    """Same as a * b."""

def scalar_ne(a: Any, b: Any) -> Tensor:
    """Same as a != b."""

def scalar_pow(a: Any, b: Any) -> Tensor:
    """Same as a ** b."""

def scalar_sub(a: Any, b: Any) -> Tensor:
    """Same as a - b."""

def scalar_to_array(input_x: Any) -> Tensor:
    """A number as a 0-d tensor."""

def scalar_to_tensor(input_x: Any, dtype: Any = 'float32') -> Tensor:
    """A number as a 0-d tensor of an element type."""

def scalar_uadd(a: Any) -> Tensor:
    """Same as +a."""

def scalar_usub(a: Any) -> Tensor:
    """Same as -a."""

def scaled_dot_product_attention(query: TensorLike, key: TensorLike, value: TensorLike, attn_mask: TensorLike | None = None, dropout_p: builtins.float = 0.0, is_causal: builtins.bool = False, scale: builtins.float | None = None) -> Tensor:
    """Averages of values, weighted by how well keys fit queries: softmax(scale · Q Kᵀ + mask) V."""

def scatter(input: TensorLike, axis: Any, index: TensorLike, src: Any) -> Tensor:
    """A copy in which elements are replaced: for axis 0, `out[index[i, j], j] = src[i, j]`."""

def scatter_(self: TensorLike, *args: Any, **names: Any) -> Tensor:
    """`x.scatter_(dim, index, src)`: replace the elements that indices name along an axis, in place."""

def scatter_add(input_x: Any, indices: TensorLike, updates: Any) -> Tensor:
    """Updates are added to the parts of a Parameter along its first axis that indices name, in place."""

def scatter_add_(self: TensorLike, *args: Any, **names: Any) -> Tensor:
    """`x.scatter_add_(dim, index, src)`: add to the elements that indices name along an axis, in place."""

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
    """-1, 0 or 1 for negative, zero and positive elements; NaN for NaN. Of complex numbers input / |input|, 0 at 0."""

def shape(input_x: Any) -> builtins.tuple[builtins.int, ...]:
    """The lengths of the axes."""

def shape_(input_x: Any) -> Tensor: ...

def shape_mul(iterable: Any, *, start: Any = 1) -> Tensor:
    """Calculate the product of all the elements in the input iterable."""

def shuffle(x: TensorLike, seed: Any = None) -> Tensor:
    """The parts along the first axis in random order."""

def sigmoid(input: TensorLike) -> Tensor:
    """1 / (1 + e^-input), element by element."""

def sigmoid_(input: TensorLike) -> Tensor:
    """As `sigmoid`, in place: the tensor takes the values of the result, and is given back."""

sign = sgn

def sign_(input: TensorLike) -> Tensor:
    """As `sign`, in place: the tensor takes the values of the result, and is given back."""

def signbit(input: TensorLike) -> Tensor:
    """Whether the sign of an element is minus: true of -0.0 too."""

def silu(input: TensorLike) -> Tensor:
    """input · sigmoid(input), element by element."""

def sin(input: TensorLike) -> Tensor:
    """Sine, element by element."""

def sin_(input: TensorLike) -> Tensor:
    """As `sin`, in place: the tensor takes the values of the result, and is given back."""

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

def soft_shrink(input: TensorLike, lambd: TensorLike = 0.5) -> Tensor:
    """The input moved towards 0 by lambd, and 0 where |input| <= lambd, element by element."""

def softmax(input: TensorLike, axis: Any = -1, *, dtype: Any = None) -> Tensor:
    """Probabilities from logits: y = exp(x - max x) / sum(exp(x - max x)) along one axis."""

def softmax_cross_entropy_with_logits(logits: TensorLike, labels: TensorLike, axis: Any = -1) -> Tensor:
    """The cross entropy of logits with probabilities, for each row: -sum(labels · log_softmax(logits)) along an axis."""

def softmin(x: TensorLike, axis: Any = -1, *, dtype: Any = None) -> Tensor:
    """`softmax` of -x: the smallest gets the largest probability."""

def softplus(input: TensorLike, beta: TensorLike = 1, threshold: TensorLike = 20) -> Tensor:
    """log(1 + e^(beta · input)) / beta, and the input itself where beta · input > threshold, element by element."""

softshrink = soft_shrink

def softsign(x: TensorLike) -> Tensor:
    """x / (1 + |x|), element by element."""

def sort(input_x: TensorLike, axis: Any = -1, descending: Any = False) -> builtins.tuple[Tensor, Tensor]:
    """The elements in order along an axis, and where each was."""

def space_to_batch_nd(input_x: Any, block_size: Any, paddings: Any) -> Tensor: ...

def space_to_depth(x: TensorLike, block_size: builtins.int) -> Tensor:
    """Move blocks of an image to channels."""

def split(tensor: TensorLike, split_size_or_sections: Any, axis: Any = 0) -> builtins.tuple[Tensor, ...]:
    """Neighbouring parts along an axis."""

def sqrt(input: TensorLike) -> Tensor:
    """Square root, element by element."""

def sqrt_(input: TensorLike) -> Tensor:
    """As `sqrt`, in place: the tensor takes the values of the result, and is given back."""

def square(input: TensorLike) -> Tensor:
    """input², element by element."""

def square_(input: TensorLike) -> Tensor:
    """As `square`, in place: the tensor takes the values of the result, and is given back."""

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

stop_gradient_ = stop_gradient

def strided_slice(input_x: TensorLike, begin: Any, end: Any, strides: Any, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0) -> Tensor:
    """Python's slicing, `input_x[begin[0]:end[0]:strides[0], …]`, in numbers. A view."""

string_concat = scalar_add

string_eq = bool_eq

def sub(input: TensorLike, other: TensorLike) -> Tensor:
    """input - other, element by element."""

def sub_(self: TensorLike, other: Any, *, alpha: Any = 1) -> Tensor:
    """As `sub`, in place: the tensor takes the values of the result, and is given back."""

def subtract(input: TensorLike, other: TensorLike, *, alpha: Any = 1) -> Tensor:
    """input - alpha · other, element by element."""

def subtract_(self: TensorLike, other: Any, *, alpha: Any = 1) -> Tensor:
    """As `subtract`, in place: the tensor takes the values of the result, and is given back."""

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

def switch(condition: Any, then: Any, other: Any) -> Tensor: ...

def t(input: Any) -> Tensor: ...

def take(input: TensorLike, index: TensorLike) -> Tensor:
    """The elements that indices name in row-major order."""

def tan(input: TensorLike) -> Tensor:
    """Tangent, element by element."""

def tanh(input: TensorLike) -> Tensor:
    """Hyperbolic tangent, element by element."""

def tanh_(input: TensorLike) -> Tensor:
    """As `tanh`, in place: the tensor takes the values of the result, and is given back."""

def tanhshrink(input: TensorLike) -> Tensor:
    """input - tanh(input), element by element."""

tensor_add = add

tensor_div = real_div

def tensor_dot(x1: TensorLike, x2: TensorLike, axes: Any) -> Tensor:
    """The sum of products over several axes of both tensors."""

tensor_exp = exp

tensor_expm1 = expm1

tensor_floordiv = floor_div

tensor_ge = ge

tensor_gt = greater

tensor_le = le

tensor_lt = less

tensor_mod = floor_mod

tensor_mul = mul

tensor_muls = mul

tensor_pow = pow

tensor_range = range

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

tensor_slice = slice

def tensor_split(input: TensorLike, indices_or_sections: Any, axis: Any = 0) -> builtins.tuple[Tensor, ...]:
    """Neighbouring parts along an axis, cut at given places or into parts as equal as can be."""

tensor_sub = sub

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

true_divide = real_div

trunc = fix

def trunc_(input: TensorLike) -> Tensor:
    """As `trunc`, in place: the tensor takes the values of the result, and is given back."""

def truncate_div(input: TensorLike, other: TensorLike) -> Tensor:
    """input / other, rounded towards zero, element by element."""

truncate_mod = fmod

def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = ..., seed: Any = None) -> Tensor:
    """Numbers from a normal distribution without what is more than two standard deviations from the mean."""

def tuple_div(x: Any, y: Any) -> Tensor: ...

tuple_equal = bool_eq

tuple_getitem = dict_getitem

tuple_len = list_len

def tuple_reversed(items: Any) -> Tensor: ...

tuple_setitem = list_setitem

def tuple_to_array(input_x: Any) -> Tensor:
    """A tensor of a tuple of numbers of one type: int32 or float32."""

def type_as(input: Any, other: Any) -> Tensor: ...

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

def uniform_(self: TensorLike, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random numbers from `from_` to `to`."""

def uniform_candidate_sampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = 0, remove_accidental_hits: Any = False) -> Tensor: ...

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
    """The sum of products along an axis of two tensors that broadcast; of complex numbers `x` is conjugated."""

def vector_norm(x: TensorLike, ord: Any = 2, axis: Any = None, keepdims: Any = False, *, dtype: Any = None) -> Tensor:
    """The norm of vectors: (sum of |x|ᵖ)^(1/p) over axes."""

view_as = reshape_as

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

def zero_(self: TensorLike) -> Tensor:
    """Set every element to zero, in place."""

def zeros(size: Any, dtype: Any = None) -> Tensor:
    """A tensor of zeros."""

def zeros_like(input: TensorLike, *, dtype: Any = None) -> Tensor:
    """Zeros of the shape, and the type unless another is given, of a tensor."""

def zeta(input: TensorLike, other: TensorLike) -> Tensor:
    """Hurwitz's zeta function, the sum of (other + k)^-input for k = 0, 1, 2, …; element by element."""

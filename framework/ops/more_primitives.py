"""Class forms of operators, continued: those that programs use less. `primitives.py` tells what a line means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.dtype import as_dtype, complex64, float32, int32, int64
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.composite import composite
from anfora.ops.families import normalize_axes
from anfora.ops.windows import each_axis, padding_of

__all__ = ["MORE", "MORE_PLAIN"]

#: Classes without arguments, whose call is that of a function.
MORE_PLAIN = {
    "BesselI0": "bessel_i0", "BesselI0e": "bessel_i0e", "BesselI1": "bessel_i1", "BesselI1e": "bessel_i1e",
    "BesselJ0": "bessel_j0", "BesselJ1": "bessel_j1", "BesselK0": "bessel_k0", "BesselK0e": "bessel_k0e",
    "BesselK1": "bessel_k1", "BesselK1e": "bessel_k1e", "BesselY0": "bessel_y0", "BesselY1": "bessel_y1",
    "Betainc": "betainc", "Igamma": "igamma", "Igammac": "igammac", "Zeta": "zeta",
    "CheckValid": "check_valid", "Fmax": "fmax", "Fmin": "fmin", "SequenceAddN": "addn",
    "MatrixBandPart": "matrix_band_part",
    "UniqueWithPad": "unique_with_pad",
}  # fmt: skip


# -- along axes -------------------------------------------------------------------------------------------------------


def _std(axis: Any = (), unbiased: bool = True, keep_dims: bool = False) -> Callable:
    return lambda input_x: ops.std_mean(input_x, axis, int(unbiased), keep_dims)


def _median(global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False) -> Callable:
    find = ops.nanmedian if ignore_nan else ops.median

    def call(x: Tensor) -> tuple[Tensor, Tensor]:
        return find(x.reshape(-1), 0) if global_median else find(x, axis, keep_dims)

    return call


def _quantile(dim: int | None = None, keep_dims: bool = False, ignore_nan: bool = False) -> Callable:
    find = ops.nanquantile if ignore_nan else ops.quantile
    return lambda input, q: find(input, q, dim, keep_dims)


def _difference(out_idx: Any = int32) -> Callable:
    """The elements that the second tensor has not, and their places."""

    def call(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        places = ops.argwhere(ops.logical_not(ops.isin(x, y))).reshape(-1)
        return ops.gather(x, places, 0), places.astype(out_idx)

    return call


def _rank_element(reverse: bool = False) -> Callable:
    """The element of a rank along the last axis."""

    def call(input: Tensor, n: Any) -> Tensor:
        n = int(n)
        if not 0 <= n < input.shape[-1]:
            raise OpValueError(f"NthElement: there is no element {n} among {input.shape[-1]}", arg="n")
        return ops.sort(input, -1, reverse)[0][..., n]

    return call


# -- images and volumes -----------------------------------------------------------------------------------------------


def _plain_sides(name: str, pad_mode: str, pad: Any) -> Any:
    mode = str(pad_mode).lower()
    if mode not in ("valid", "same", "pad"):
        raise OpValueError(f'{name}: `pad_mode` must be "valid", "same" or "pad", but got {pad_mode!r}', arg="pad_mode")
    if mode != "pad" and any(pad if isinstance(pad, (tuple, list)) else (pad,)):
        raise OpValueError(f'{name}: padding needs `pad_mode` "pad", but got {pad_mode!r}', arg="pad")
    return {"valid": 0, "same": "same", "pad": pad}[mode]


def _max_pool3d(
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "VALID",
    pad_list: Any = 0,
    ceil_mode: bool | None = None,
    data_format: str = "NCDHW",
) -> Callable:
    sides = _plain_sides("MaxPool3D", pad_mode, pad_list)
    return lambda x: ops.max_pool3d(x, kernel_size, strides, sides, 1, bool(ceil_mode))


def _avg_pool3d(
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    data_format: str = "NCDHW",
) -> Callable:
    sides = _plain_sides("AvgPool3D", pad_mode, pad)
    return lambda x: ops.avg_pool3d(x, kernel_size, strides, sides, ceil_mode, count_include_pad, divisor_override)


def _transposed_volumes(
    in_channel: int,
    out_channel: int,
    kernel_size: Any,
    mode: int = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    output_padding: Any = 0,
    data_format: str = "NCDHW",
) -> Callable:
    """The gradient of `Conv3D` to its input, which is as large as padding and step tell."""
    forward = ops.Conv3D(in_channel, kernel_size, 1, pad_mode, pad, stride, dilation, group)
    steps, spreads = each_axis("Conv3DTranspose", "stride", stride, 3), each_axis("", "dilation", dilation, 3)
    sides, more = padding_of("Conv3DTranspose", pad, 3), each_axis("", "output_padding", output_padding, 3, 0)

    @composite
    def call(dout: Tensor, weight: Tensor) -> Tensor:
        sizes = [
            n * s if pad_mode == "same" else (n - 1) * s - before - behind + d * (k - 1) + 1 + extra
            for n, s, before, behind, d, k, extra in zip(
                dout.shape[2:], steps, sides[::2], sides[1::2], spreads, weight.shape[2:], more
            )
        ]
        shape = (dout.shape[0], weight.shape[1] * group, *sizes)
        return ops.vjp(lambda x: forward(x, weight), ops.zeros(shape, dout.dtype))[1](dout)[0]

    return call


def _unpool(function: str) -> Callable:
    def make(
        ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: str = "NCHW"
    ) -> Callable:
        step = strides if strides not in (0, (0, 0), (0, 0, 0)) else None
        unpool = getattr(ops, function)
        return lambda x, argmax: unpool(x, argmax, ksize, step, pads, tuple(output_shape) or None)

    return make


def _unfold(ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> Callable:
    """Windows as an axis of their own: (N, C, elements of a window, windows)."""
    window = each_axis("Im2Col", "ksizes", ksizes)

    def call(x: Tensor) -> Tensor:
        columns = ops.unfold(x, window, dilations, pads, strides)
        return columns.reshape(x.shape[0], x.shape[1], window[0] * window[1], columns.shape[-1])

    return call


def _fold(kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Callable:
    def call(x: Tensor, output_size: Any) -> Tensor:
        size = tuple(output_size.tolist()) if isinstance(output_size, Tensor) else output_size
        columns = x.reshape(x.shape[0], x.shape[1] * x.shape[2], x.shape[3])
        return ops.fold(columns, size, kernel_size, dilation, padding, stride)

    return call


@composite
def _to_batch(x: Tensor, blocks: Any, sides: Any) -> Tensor:
    """Blocks of the last axes become examples, after zeros were put around: (N b…, C, …)."""
    flat = [n for pair in reversed(sides) for n in pair]
    x = ops.pad(x, flat) if any(flat) else x
    blocks = each_axis("SpaceToBatchND", "block_shape", blocks, len(sides))
    first = x.ndim - len(blocks)
    if any(n % b for n, b in zip(x.shape[first:], blocks)):
        raise OpValueError(f"SpaceToBatchND: blocks of {blocks} do not fit into {x.shape[first:]}", arg="block_shape")
    cut = [k for n, b in zip(x.shape[first:], blocks) for k in (n // b, b)]
    parts = x.reshape(*x.shape[:first], *cut)
    inner = [first + 2 * i + 1 for i in range(len(blocks))]
    outer = [first + 2 * i for i in range(len(blocks))]
    parts = parts.permute(*inner, *range(first), *outer)
    return parts.reshape(-1, *x.shape[1:first], *(n // b for n, b in zip(x.shape[first:], blocks)))


@composite
def _from_batch(x: Tensor, blocks: Any, crops: Any) -> Tensor:
    """Examples become blocks of the last axes, from whose ends parts are cut: undoes `_to_batch`."""
    blocks = each_axis("BatchToSpaceND", "block_shape", blocks, len(crops))
    count = 1
    for b in blocks:
        count *= b
    if x.shape[0] % count:
        raise OpValueError(f"BatchToSpaceND: {x.shape[0]} examples are no blocks of {blocks}", arg="block_shape")
    first = x.ndim - len(blocks)
    parts = x.reshape(*blocks, x.shape[0] // count, *x.shape[1:])
    order = [*range(len(blocks), len(blocks) + first)]
    for i in range(len(blocks)):
        order += [len(blocks) + first + i, i]
    lengths = [n * b for n, b in zip(x.shape[first:], blocks)]
    whole = parts.permute(*order).reshape(x.shape[0] // count, *x.shape[1:first], *lengths)
    cut = tuple(slice(before, n - behind) for n, (before, behind) in zip(lengths, crops))
    return whole[(*(slice(None),) * first, *cut)]


# -- random numbers ---------------------------------------------------------------------------------------------------


def _dropout(function: str) -> Callable:
    """A class of the share that is kept, whose call gives what was kept and where."""

    def make(keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> Callable:
        drop = getattr(ops, function)

        def call(x: Tensor) -> tuple[Tensor, Tensor]:
            scaled = drop(ops.ones_like(x), 1 - keep_prob)
            return x * scaled, scaled != 0

        return call

    return make


# -- loops ------------------------------------------------------------------------------------------------------------


def _while(cond_func: Callable, loop_func: Callable, init_val: Any) -> Any:
    value = init_val
    while cond_func(value):
        value = loop_func(value)
    return value


def _for(lower: Any, upper: Any, loop_func: Callable, init_val: Any, unroll: bool = True) -> Any:
    value = init_val
    for i in range(int(lower), int(upper)):
        value = loop_func(i, value)
    return value


def _scan(loop_func: Callable, init: Any, xs: Any, length: int | None = None, unroll: bool = True) -> tuple[Any, list]:
    """The last state, and what was given beside each; `loop_func` takes the state and an element of `xs`."""
    count = len(xs) if length is None else length
    if xs is not None and len(xs) != count:
        raise OpValueError(f"Scan: `length` is {length}, but `xs` has {len(xs)} elements", arg="length")
    state, given = init, []
    for i in range(count):
        state, y = loop_func(state, None if xs is None else xs[i])
        given.append(y)
    return state, given


# -- others -----------------------------------------------------------------------------------------------------------


def _float_status(*args: Any) -> Any:
    raise NotImplementedError("the status register of an NPU; ops.FloatStatus looks at the elements of a tensor")


def _integer_inverse(x: Tensor) -> Tensor:
    """1 / x, in whole numbers where x is of integers."""
    return ops.truncate_div(ops.ones_like(x), x) if x.dtype.is_integer else ops.reciprocal(x)


def _shift(periods: int = 1, axis: int = -1) -> Callable:
    """Elements moved along an axis; `fill_value` stands where they came from."""

    def call(x: Tensor, fill_value: Any) -> Tensor:
        [along] = normalize_axes("Shift", axis, x.ndim)
        n = x.shape[along]
        moved = ops.roll(x, periods, along)
        place = ops.arange(n).reshape(*(n if i == along else 1 for i in range(x.ndim)))
        return ops.where(place < periods if periods >= 0 else place >= n + periods, ops.full_like(x, fill_value), moved)

    return call


def _dense(indices: Tensor, values: Tensor, sparse_shape: Any) -> Tensor:
    shape = tuple(sparse_shape.tolist()) if isinstance(sparse_shape, Tensor) else tuple(sparse_shape)
    return ops.scatter_nd(indices, values, shape)


def _transform(
    signal_ndim: int, inverse: bool, real: bool, norm: str = "backward", onesided: bool = True, signal_sizes: Any = ()
) -> Callable:
    """A Fourier transform along the last axes."""
    dim = tuple(range(-signal_ndim, 0))
    if not real:
        return lambda x: (ops.ifftn if inverse else ops.fftn)(x, None, dim, norm)
    if not inverse:
        return lambda x: (ops.rfftn if onesided else ops.fftn)(x, None, dim, norm)
    if not onesided:
        return lambda x: ops.real(ops.ifftn(x, None, dim, norm))
    return lambda x: ops.irfftn(x, tuple(signal_sizes) or None, dim, norm)


def _nll_loss(reduction: str = "mean", ignore_index: int = -100) -> Callable:
    """The loss, and the sum of the weights of the targets."""

    @composite
    def call(logits: Tensor, labels: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        counted = labels != ignore_index
        weights = ops.gather(weight, ops.where(counted, labels, ops.zeros_like(labels)), 0) * counted.astype(
            weight.dtype
        )
        return ops.nll_loss(logits, labels, weight, ignore_index, reduction), weights.sum()

    return call


#: Classes with arguments: functions from these to the function of the call.
MORE: dict[str, Callable] = {
    # along axes
    "ReduceStd": _std,
    "EuclideanNorm": lambda keep_dims=False: lambda x, axes=(): ops.euclidean_norm(x, tuple(axes), keep_dims),
    "CountNonZero": lambda dims=(): lambda x: ops.count_nonzero(x, dims or ()),
    "Median": _median,
    "Quantile": _quantile,
    "NthElement": _rank_element,
    "ListDiff": _difference,
    "LpNorm": lambda axis, p=2, keep_dims=False, epsilon=1e-12: (
        lambda input: ops.vector_norm(input, p, axis, keep_dims)
    ),
    "ReverseSequence": lambda seq_dim, batch_dim=0: (
        lambda x, seq_lengths: ops.reverse_sequence(x, seq_lengths, seq_dim, batch_dim)
    ),
    "Roll": lambda shifts, dims=None: lambda input: ops.roll(input, shifts, dims),
    "Renorm": lambda p, dim, maxnorm: lambda input: ops.renorm(input, p, dim, maxnorm),
    "SearchSorted": lambda dtype=int64, right=False: (
        lambda sorted_sequence, values, sorter=None: ops.searchsorted(
            sorted_sequence, values, right=right, sorter=sorter
        ).astype(dtype)
    ),
    "LowerBound": lambda out_type=int32: lambda sorted_x, values: ops.searchsorted(sorted_x, values).astype(out_type),
    "UpperBound": lambda out_type=int32: (
        lambda sorted_x, values: ops.searchsorted(sorted_x, values, right=True).astype(out_type)
    ),
    "UniqueConsecutive": lambda return_inverse=False, return_counts=False, dim=None: (
        lambda x: ops.unique_consecutive(x, return_inverse, return_counts, dim)
    ),
    "InTopK": lambda k: lambda x1, x2: ops.in_top_k(x1, x2, k),
    "Shift": _shift,
    # numbers
    "Inv": lambda: _integer_inverse,
    "EqualCount": lambda: lambda x, y: ops.equal(x, y).astype(x.dtype).sum(dtype=x.dtype).reshape(1),
    "SquareSumAll": lambda: lambda x, y: (ops.square(x).sum(), ops.square(y).sum()),
    "Logit": lambda eps=-1.0: lambda input: ops.logit(input, None if eps < 0 else eps),
    "Mvlgamma": lambda p: lambda x: ops.mvlgamma(x, p),
    "Bucketize": lambda boundaries: lambda input: ops.bucketize(input, list(boundaries)).astype(int32),
    "NanToNum": lambda nan=None, posinf=None, neginf=None: lambda x: ops.nan_to_num(x, nan, posinf, neginf),
    "GLU": lambda axis=-1: lambda x: ops.glu(x, axis),
    # matrices
    "Einsum": lambda equation: lambda inputs: ops.einsum(equation, *inputs),
    "Cholesky": lambda upper=False: lambda input_x: ops.cholesky(input_x, upper),
    "CholeskyInverse": lambda upper=False: lambda x: ops.cholesky_inverse(x, upper),
    "CholeskySolve": lambda upper=False: lambda x1, x2: ops.cholesky_solve(x1, x2, upper),
    "MatrixSolve": lambda adjoint=False: lambda matrix, rhs: ops.matrix_solve(matrix, rhs, adjoint),
    "Svd": lambda full_matrices=False, compute_uv=True: lambda input: ops.svd(input, full_matrices, compute_uv),
    "Eig": lambda compute_v=False: lambda x: ops.eig(x) if compute_v else (ops.eigvals(x), ops.zeros((), complex64)),
    "Ormqr": lambda left=True, transpose=False: lambda input, tau, other: ops.ormqr(input, tau, other, left, transpose),
    "FFTWithSize": _transform,
    "Qr": lambda full_matrices=False: lambda x: ops.qr(x, "complete" if full_matrices else "reduced"),
    "Pdist": lambda p=2.0: lambda x: ops.pdist(x, float(p)),
    "TrilIndices": lambda row, col, offset=0, dtype=int32: (
        lambda: ops.tril_indices(row, col, offset, dtype=as_dtype(dtype))
    ),
    "TriuIndices": lambda row, col, offset=0, dtype=int32: (
        lambda: ops.triu_indices(row, col, offset, dtype=as_dtype(dtype))
    ),
    # places
    "EmbeddingLookup": lambda: (
        lambda input_params, input_indices, offset: ops.gather(input_params, input_indices - offset, 0)
    ),
    "SparseGatherV2": lambda: lambda input_params, input_indices, axis: ops.gather(input_params, input_indices, axis),
    "ScatterNonAliasingAdd": lambda: ops.scatter_nd_add,
    "SparseToDense": lambda: _dense,
    "IndexPut": lambda accumulate=0: lambda x1, x2, indices: ops.index_put(x1, indices, x2, bool(accumulate)),
    # images and volumes
    "MaxPool3D": _max_pool3d,
    "AvgPool3D": _avg_pool3d,
    "AdaptiveAvgPool3D": lambda output_size: lambda x: ops.adaptive_avg_pool3d(x, output_size),
    "AdaptiveMaxPool3D": lambda: lambda x, output_size: ops.adaptive_max_pool3d(x, tuple(map(int, output_size)), True),
    "Conv3DTranspose": _transposed_volumes,
    "MaxUnpool2D": _unpool("max_unpool2d"),
    "MaxUnpool3D": _unpool("max_unpool3d"),
    "Im2Col": _unfold,
    "Col2Im": _fold,
    "GridSampler2D": lambda interpolation_mode="bilinear", padding_mode="zeros", align_corners=False: (
        lambda input_x, grid: ops.grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)
    ),
    "AffineGrid": lambda align_corners=False: lambda theta, size: ops.affine_grid(theta, tuple(size), align_corners),
    "ResizeBicubic": lambda align_corners=False, half_pixel_centers=False: (
        lambda image, size: ops.resize_bicubic(image, tuple(map(int, size)), align_corners, half_pixel_centers)
    ),
    "ResizeNearestNeighborV2": lambda align_corners=False, half_pixel_centers=False: (
        lambda image, size: ops.resize_nearest_neighbor(image, tuple(map(int, size)), align_corners, half_pixel_centers)
    ),
    "DepthToSpace": lambda block_size: lambda x: ops.depth_to_space(x, block_size),
    "SpaceToDepth": lambda block_size: lambda x: ops.space_to_depth(x, block_size),
    "SpaceToBatch": lambda block_size, paddings: lambda x: _to_batch(x, block_size, paddings),
    "BatchToSpace": lambda block_size, crops: lambda x: _from_batch(x, block_size, crops),
    "SpaceToBatchND": lambda block_shape, paddings: lambda x: _to_batch(x, block_shape, paddings),
    "BatchToSpaceND": lambda block_shape, crops: lambda x: _from_batch(x, block_shape, crops),
    "ChannelShuffle": lambda group: lambda x: ops.channel_shuffle(x, group),
    # boxes
    "IOU": lambda mode="iou": lambda anchor_boxes, gt_boxes: ops.iou(anchor_boxes, gt_boxes, mode),
    "NMSWithMask": lambda iou_threshold=0.5: lambda bboxes: ops.nms_with_mask(bboxes, iou_threshold),
    "BoundingBoxEncode": lambda means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0): (
        lambda anchor_box, groundtruth_box: ops.bounding_box_encode(anchor_box, groundtruth_box, means, stds)
    ),
    "BoundingBoxDecode": lambda max_shape, means=(0.0,) * 4, stds=(1.0,) * 4, wh_ratio_clip=0.016: (
        lambda anchor_box, deltas: ops.bounding_box_decode(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip)
    ),
    # parts of tensors, and tuples
    "InplaceAdd": lambda indices: lambda x, input_v: ops.inplace_add(x, input_v, indices),
    "InplaceSub": lambda indices: lambda x, input_v: ops.inplace_sub(x, input_v, indices),
    "InplaceUpdate": lambda indices: lambda x, v: ops.inplace_update(x, v, indices),
    "InplaceUpdateV2": lambda: lambda x, indices, v: ops.inplace_update(x, v, indices),
    "InplaceAddExt": lambda: lambda input, other, alpha=1: input.add_(other * alpha),
    "InplaceSubExt": lambda: lambda input, other, alpha=1: input.sub_(other * alpha),
    "TupleToTensor": lambda: lambda input_tuple, dtype=None: Tensor(input_tuple, dtype),
    # losses
    "NLLLoss": _nll_loss,
    "MultiMarginLoss": lambda p=1, margin=1.0, reduction="mean": (
        lambda inputs, target, weight=None: ops.multi_margin_loss(inputs, target, p, margin, weight, reduction)
    ),
    "TripletMarginLoss": lambda p=2, swap=False, eps=1e-6, reduction="mean": (
        lambda x, positive, negative, margin: ops.triplet_margin_loss(
            x, positive, negative, float(margin), p, eps, swap, reduction
        )
    ),
    # random numbers
    "Dropout": _dropout("dropout"),
    "Dropout2D": lambda keep_prob=0.5: _dropout("dropout2d")(keep_prob),
    "Dropout3D": lambda keep_prob=0.5: _dropout("dropout3d")(keep_prob),
    "Bernoulli": lambda seed=-1, offset=0: lambda x, p: ops.bernoulli(x, p, None if seed < 0 else seed),
    "TruncatedNormal": lambda dtype=float32, seed=0, seed2=0: (
        lambda shape: ops.truncated_normal(tuple(shape), dtype=as_dtype(dtype), seed=seed or seed2 or None)
    ),
    "Gamma": lambda seed=0, seed2=0: lambda shape, alpha, beta: ops.gamma(shape, alpha, beta, seed or seed2 or None),
    "Poisson": lambda seed=0, seed2=0: (
        lambda shape, mean: ops.poisson(tuple(shape), mean, seed or seed2 or None).astype(int32)
    ),
    "RandomCategorical": lambda dtype=int64: (
        lambda logits, num_sample, seed=0: ops.random_categorical(logits, int(num_sample), seed, as_dtype(dtype))
    ),
    # what only other devices have
    "NPUAllocFloatStatus": lambda: _float_status,
    "NPUClearFloatStatus": lambda: _float_status,
    "NPUGetFloatStatus": lambda: _float_status,
    # loops
    "WhileLoop": lambda: _while,
    "ForiLoop": lambda: _for,
    "Scan": lambda: _scan,
}

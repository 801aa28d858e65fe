"""`anfora.mint` has the signatures, defaults and element types that MindSpore documents."""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, mint
from anfora.mint import nn
from anfora.mint.nn import functional as F

#: By MindSpore 2.10's documentation. Left out are forms that are several: `max`, `randint`.
DOCUMENTED = """
mint
    abs(input)
    acos(input)
    acosh(input)
    add(input, other, *, alpha=1)
    addbmm(input, batch1, batch2, *, beta=1, alpha=1)
    addcdiv(input, tensor1, tensor2, *, value=1)
    addmm(input, mat1, mat2, *, beta=1, alpha=1)
    addmv(input, mat, vec, *, beta=1, alpha=1)
    all(input, dim=None, keepdim=False)
    allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)
    amax(input, dim=(), keepdim=False)
    amin(input, dim=(), keepdim=False)
    any(input, dim=None, keepdim=False)
    arange(start=0, end=None, step=1, *, dtype=None)
    arccos(input)
    arccosh(input)
    arcsin(x)
    arcsinh(input)
    arctan(input)
    arctan2(input, other)
    arctanh(input)
    argmax(input, dim=None, keepdim=False)
    argmin(input, dim=None, keepdim=False)
    argsort(input, dim=-1, descending=False, stable=False)
    asin(input)
    asinh(input)
    atan(input)
    atan2(input, other)
    atanh(input)
    baddbmm(input, batch1, batch2, *, beta=1, alpha=1)
    bernoulli(input, *, generator=None)
    bincount(input, weights=None, minlength=0)
    bitwise_and(input, other)
    bitwise_not(input)
    bitwise_or(input, other)
    bitwise_xor(input, other)
    bmm(input, mat2)
    broadcast_to(input, shape)
    cat(tensors, dim=0)
    cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary")
    ceil(input)
    chunk(input, chunks, dim=0)
    clamp(input, min=None, max=None)
    clone(input)
    concat(tensors, dim=0)
    conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    cos(input)
    cosh(input)
    count_nonzero(input, dim=None)
    cross(input, other, dim=None)
    cummax(input, dim)
    cummin(input, dim)
    cumprod(input, dim, dtype=None)
    cumsum(input, dim, dtype=None)
    diag(input, diagonal=0)
    diff(input, n=1, dim=-1, prepend=None, append=None)
    div(input, other, *, rounding_mode=None)
    divide(input, other, *, rounding_mode=None)
    dot(input, other)
    dstack(tensors)
    einsum(equation, *operands)
    empty(*size, dtype=None, device=None, pin_memory=False)
    empty_like(input, *, dtype=None, device=None, pin_memory=False)
    eq(input, other)
    erf(input)
    erfc(input)
    erfinv(input)
    exp(input)
    exp2(input)
    expm1(input)
    eye(n, m=None, dtype=None)
    flip(input, dims)
    float_power(input, exponent)
    floor(input)
    floor_divide(input, other)
    fmod(input, other)
    frac(input)
    full(size, fill_value, *, dtype=None)
    full_like(input, fill_value, *, dtype=None)
    gather(input, dim, index)
    gcd(input, other)
    greater(input, other)
    greater_equal(input, other)
    gt(input, other)
    histc(input, bins=100, min=0, max=0)
    hstack(tensors)
    imag(input)
    index_add(input, dim, index, source, *, alpha=1)
    index_select(input, dim, index)
    inverse(input)
    isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)
    isfinite(input)
    isinf(input)
    isnan(tensor)
    isneginf(input)
    kthvalue(input, k, dim=-1, keepdim=False)
    le(input, other)
    lerp(input, end, weight)
    less(input, other)
    less_equal(input, other)
    log(input)
    log10(input)
    log1p(input)
    log2(input)
    logaddexp(input, other)
    logaddexp2(input, other)
    logical_and(input, other)
    logical_not(input)
    logical_or(input, other)
    logical_xor(input, other)
    logsumexp(input, dim, keepdim=False)
    lt(input, other)
    masked_select(input, mask)
    matmul(input, other)
    maximum(input, other)
    mean(input, dim=None, keepdim=False, *, dtype=None)
    median(input, dim=None, keepdim=False)
    meshgrid(*tensors, indexing=None)
    minimum(input, other)
    mm(input, mat2)
    mul(input, other)
    multinomial(input, num_samples, replacement=False, *, generator=None)
    mv(input, vec)
    nan_to_num(input, nan=None, posinf=None, neginf=None)
    nansum(input, dim=None, keepdim=False, *, dtype=None)
    narrow(input, dim, start, length)
    ne(input, other)
    neg(input)
    negative(input)
    nonzero(input, *, as_tuple=False)
    norm(input, p="fro", dim=None, keepdim=False, *, dtype=None)
    normal(mean=0.0, std=1.0, size=None, generator=None)
    not_equal(input, other)
    ones_like(input, *, dtype=None)
    outer(input, vec2)
    permute(input, dims)
    pow(input, exponent)
    prod(input, dim=None, keepdim=False, *, dtype=None)
    rand(*size, generator=None, dtype=None, device=None)
    rand_like(input, *, dtype=None, device=None)
    randn(*size, generator=None, dtype=None, device=None)
    randn_like(input, *, dtype=None, device=None)
    randperm(n, *, generator=None, dtype=int64)
    ravel(input)
    real(input)
    reciprocal(input)
    remainder(input, other)
    repeat_interleave(input, repeats, dim=None, *, output_size=None)
    roll(input, shifts, dims=None)
    round(input, *, decimals=0)
    rsqrt(input)
    scatter(input, dim, index, src)
    scatter_add(input, dim, index, src)
    searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None)
    select(input, dim, index)
    sigmoid(input)
    sign(input)
    sin(input)
    sinc(input)
    sinh(input)
    softmax(input, dim, *, dtype=None)
    sort(input, *, dim=-1, descending=False, stable=False)
    split(tensor, split_size_or_sections, dim=0)
    sqrt(input)
    square(input)
    stack(tensors, dim=0)
    std(input, dim=None, *, correction=1, keepdim=False)
    std_mean(input, dim=None, *, correction=1, keepdim=False)
    sub(input, other, *, alpha=1)
    sum(input, dim=None, keepdim=False, *, dtype=None)
    swapaxes(input, axis0, axis1)
    take(input, index)
    tan(input)
    tanh(input)
    tile(input, dims)
    topk(input, k, dim=-1, largest=True, sorted=True)
    trace(input)
    triangular_solve(b, A, upper=True, transpose=False, unitriangular=False)
    transpose(input, dim0, dim1)
    tril(input, diagonal=0)
    triu(input, diagonal=0)
    unbind(input, dim=0)
    unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)
    unsqueeze(input, dim)
    var(input, dim=None, *, correction=1, keepdim=False)
    var_mean(input, dim=None, *, correction=1, keepdim=False)
    vdot(input, other)
    where(condition, input=None, other=None)
    xlogy(input, other)
    zeros_like(input, *, dtype=None)
mint.linalg
    inv(input)
    matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None)
    norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)
    qr(A, mode="reduced")
    vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None)
mint.nn
    AdaptiveAvgPool1d(output_size)
    AdaptiveAvgPool2d(output_size)
    AdaptiveAvgPool3d(output_size)
    AdaptiveMaxPool1d(output_size, return_indices=False)
    AdaptiveMaxPool2d(output_size, return_indices=False)
    AvgPool1d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)
    AvgPool2d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)
    AvgPool3d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)
    BCELoss(weight=None, reduction="mean")
    BCEWithLogitsLoss(weight=None, reduction="mean", pos_weight=None)
    BatchNorm1d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, dtype=None)
    BatchNorm2d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, dtype=None)
    BatchNorm3d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, dtype=None)
    ConstantPad1d(padding, value)
    ConstantPad2d(padding, value)
    ConstantPad3d(padding, value)
    Conv1d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", dtype=None)
    Conv2d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", dtype=None)
    Conv3d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", dtype=None)
    ConvTranspose2d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
        bias=True, dilation=1, padding_mode="zeros", dtype=None)
    CosineEmbeddingLoss(margin=0.0, reduction="mean")
    ELU(alpha=1.0, inplace=False)
    Flatten(start_dim=1, end_dim=-1)
    Fold(output_size, kernel_size, dilation=1, padding=0, stride=1)
    GELU(approximate="none")
    GroupNorm(num_groups, num_channels, eps=1e-05, affine=True, dtype=None)
    Hardshrink(lambd=0.5)
    Hardsigmoid()
    Hardswish()
    Hardtanh(min_val=-1.0, max_val=1.0, inplace=False)
    KLDivLoss(reduction="mean", log_target=False)
    L1Loss(reduction="mean")
    Linear(in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None)
    LogSigmoid()
    LogSoftmax(dim=None)
    MSELoss(reduction="mean")
    MaxUnpool2d(kernel_size, stride=None, padding=0)
    Mish()
    PReLU(num_parameters=1, init=0.25, dtype=None)
    PixelShuffle(upscale_factor)
    ReLU()
    ReLU6(inplace=False)
    ReflectionPad1d(padding)
    ReflectionPad2d(padding)
    ReflectionPad3d(padding)
    ReplicationPad1d(padding)
    ReplicationPad2d(padding)
    ReplicationPad3d(padding)
    SELU()
    SiLU(inplace=False)
    Sigmoid()
    SmoothL1Loss(reduction="mean", beta=1.0)
    SoftMarginLoss(reduction="mean")
    Softmax(dim=None)
    Tanh()
    Threshold(threshold, value, inplace=False)
    Unfold(kernel_size, dilation=1, padding=0, stride=1)
    Upsample(size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None)
    UpsamplingBilinear2d(size=None, scale_factor=None)
    UpsamplingNearest2d(size=None, scale_factor=None)
    ZeroPad1d(padding)
    ZeroPad2d(padding)
    ZeroPad3d(padding)
mint.nn.functional
    adaptive_avg_pool1d(input, output_size)
    adaptive_avg_pool2d(input, output_size)
    adaptive_avg_pool3d(input, output_size)
    adaptive_max_pool1d(input, output_size, return_indices=False)
    adaptive_max_pool2d(input, output_size, return_indices=False)
    avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)
    avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None)
    avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None)
    batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)
    binary_cross_entropy(input, target, weight=None, reduction="mean")
    binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None)
    conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)
    cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean")
    cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0)
    dropout(input, p=0.5, training=True, inplace=False)
    dropout2d(input, p=0.5, training=True, inplace=False)
    elu(input, alpha=1.0, inplace=False)
    elu_(input, alpha=1.0)
    embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False)
    fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)
    gelu(input, *, approximate="none")
    glu(input, dim=-1)
    grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None)
    group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)
    hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)
    hardtanh_(input, min_val=-1, max_val=1)
    interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None)
    kl_div(input, target, reduction="mean", log_target=False)
    layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)
    leaky_relu(input, negative_slope=0.01)
    linear(input, weight, bias=None)
    log_softmax(input, dim=None, *, dtype=None)
    logsigmoid(input)
    max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
    max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None)
    mse_loss(input, target, reduction="mean")
    nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean")
    normalize(input, p=2.0, dim=1, eps=1e-12)
    one_hot(tensor, num_classes=-1)
    pad(input, pad, mode="constant", value=None)
    pixel_shuffle(input, upscale_factor)
    prelu(input, weight)
    relu(input, inplace=False)
    relu6(input, inplace=False)
    relu_(input)
    sigmoid(input)
    sigmoid_(input)
    silu(input, inplace=False)
    soft_margin_loss(input, target, reduction="mean")
    softmax(input, dim=None, dtype=None)
    tanh(input)
    threshold(input, threshold, value, inplace=False)
    threshold_(input, threshold, value)
    unfold(input, kernel_size, dilation=1, padding=0, stride=1)
    upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None)
mint.optim
    Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0, amsgrad=False, *, maximize=False)
    AdamW(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False)
    FusedAdamW(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False)
    SGD(params, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False)
mint.special
    erfc(input)
    exp2(input)
    expm1(input)
    log1p(input)
    log_softmax(input, dim=None, *, dtype=None)
    round(input)
    sinc(input)
"""


def documented():
    module = ""
    for line in DOCUMENTED.replace(",\n        ", ", ").strip().splitlines():
        if not line.startswith(" "):
            module = line
        else:
            name, _, form = line.strip().partition("(")
            yield f"{module}.{name}", f"({form}"


def parameters(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name, form", list(documented()))
def test_the_signature_is_the_documented_one(name, form):
    module, _, last = name.rpartition(".")
    scope = {"int64": ms.int64}
    exec(f"def wanted{form}: pass", scope)
    assert parameters(getattr(importlib.import_module(f"anfora.{module}"), last)) == parameters(scope["wanted"])


def test_no_other_names_are_taken():
    for call in (lambda: mint.sum(Tensor([1.0]), axis=0), lambda: mint.stack([Tensor([1.0])], axis=0)):
        with pytest.raises(TypeError, match=r"axis[^$]*dim"):
            call()


X = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]], np.float32)
S = np.array([[2.0, 1.0, -1.0], [0.5, 1.5, 2.0], [3.0, 1.0, 4.0]], np.float32)
B, SQUARE = Tensor(np.ascontiguousarray(X.T)), Tensor(S)
IMAGE = np.arange(32.0, dtype=np.float32).reshape(1, 2, 4, 4)

#: (call, result, element type); by numpy, or worked out.
CALLS = [
    (lambda: mint.topk(Tensor(X), 1)[1], [[0], [1]], ms.int64),
    (lambda: mint.argmin(Tensor(X), 1), [1, 2], ms.int64),
    (lambda: mint.cummin(Tensor(X), 1)[1], [[0, 1, 1], [0, 0, 2]], ms.int64),
    (lambda: mint.count_nonzero(Tensor(X)), 6, ms.int64),
    (lambda: mint.softmax(Tensor([0, 0]), 0, dtype=ms.float64), [0.5, 0.5], ms.float64),
    (lambda: F.softmax(Tensor([0, 0]), dtype=ms.float32), [0.5, 0.5], ms.float32),
    (lambda: mint.where(Tensor(X) < 0)[1], [1, 2], ms.int64),
    (lambda: mint.squeeze(Tensor(IMAGE), (0, 1)).sum((1, 2)), IMAGE[0].sum((1, 2)), ms.float32),
    (lambda: mint.squeeze(Tensor([[1.0]]), ()), [[1.0]], ms.float32),
    (lambda: mint.norm(Tensor(X)), np.linalg.norm(X), ms.float32),
    (lambda: mint.norm(Tensor(X), "nuc"), np.linalg.norm(X, "nuc"), ms.float32),
    (lambda: mint.norm(Tensor(X), 1, 0, True), np.abs(X).sum(0, keepdims=True), ms.float32),
    (lambda: mint.norm(Tensor(X), float("inf"), 1, dtype=ms.float64), np.abs(X).max(1), ms.float64),
    (lambda: mint.amax(Tensor(X)), 4.0, ms.float32),
    (lambda: mint.real(Tensor(X)), X, ms.float32),
    (lambda: mint.imag(Tensor(X)), 0 * X, ms.float32),
    (lambda: mint.addcdiv(Tensor(X), Tensor(X), Tensor(X), value=2), X + 2, ms.float32),
    (lambda: mint.cross(Tensor(X), Tensor(X[::-1].copy()), 1), np.cross(X, X[::-1]), ms.float32),
    (lambda: mint.cdist(Tensor(X), Tensor(X), 1.0, "donot_use_mm_for_euclid_dist")[0, 1], 12.0, ms.float32),
    (lambda: mint.conv2d(Tensor(IMAGE), Tensor(np.ones((1, 2, 4, 4), np.float32)), padding=0), [[[[496.0]]]], ms.float32),
    (lambda: mint.triangular_solve(B, SQUARE)[0], np.linalg.solve(np.triu(S), X.T), ms.float32),
    (lambda: mint.triangular_solve(B, SQUARE, False, True)[0], np.linalg.solve(np.tril(S).T, X.T), ms.float32),
    (
        lambda: mint.triangular_solve(B, SQUARE, unitriangular=True)[0],
        np.linalg.solve(np.triu(S, 1) + np.eye(3), X.T), ms.float32,
    ),
    (lambda: F.leaky_relu(Tensor([-1.0])), [-0.01], ms.float32),
    (lambda: F.gelu(Tensor([1.0])), [0.8413447], ms.float32),
    (lambda: nn.GELU("tanh")(Tensor([1.0])), [0.841192], ms.float32),
    (lambda: F.smooth_l1_loss(Tensor([0.0, 0.0]), Tensor([0.5, 3.0])), (0.125 + 2.5) / 2, ms.float32),
    (lambda: F.avg_pool2d(Tensor(IMAGE), 2), IMAGE.reshape(1, 2, 2, 2, 2, 2).mean((3, 5)), ms.float32),
    (lambda: nn.LayerNorm((4, 4), eps=0.0)(Tensor(IMAGE)).sum(), 0.0, ms.float32),
    (lambda: nn.LayerNorm(4)(Tensor(IMAGE))[0, 0, 0, 3], 1.5 / np.sqrt(1.25 + 1e-5), ms.float32),
    (lambda: nn.Threshold(1.0, 9.0)(Tensor([0.0, 3.0])), [9.0, 3.0], ms.float32),
    (lambda: nn.PReLU(2, 0.5)(Tensor(-IMAGE)), -0.5 * IMAGE, ms.float32),
    (lambda: nn.GroupNorm(2, 2, eps=0.0)(Tensor(IMAGE))[0, 1].std(), 1.0, ms.float32),
]  # fmt: skip


@pytest.mark.parametrize("call, wanted, dtype", [pytest.param(*c, id=str(i)) for i, c in enumerate(CALLS)])
def test_values_and_types(call, wanted, dtype):
    found = call()
    assert found.dtype is dtype and found.shape == np.shape(wanted)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=2e-6, atol=1e-5)


@pytest.mark.parametrize("name", ["relu", "sigmoid", "elu", "hardtanh", "threshold"])
def test_functions_that_write_into_their_tensor(name):
    x = Tensor(X)
    given = (1.0, 9.0) if name == "threshold" else ()
    wanted = getattr(F, name)(x, *given).tolist()
    assert getattr(F, f"{name}_")(x, *given) is x and x.tolist() == wanted


#: The parameters that layers have, by MindSpore; those behind | are not trained.
PARAMETERS = {
    "BatchNorm2d(2)": "weight bias | running_mean running_var num_batches_tracked",
    "BatchNorm2d(2, affine=False)": "| running_mean running_var num_batches_tracked",
    "BatchNorm2d(2, track_running_stats=False)": "weight bias |",
    "BatchNorm1d(2)": "weight bias | running_mean running_var num_batches_tracked",
    "BatchNorm3d(2)": "weight bias | running_mean running_var num_batches_tracked",
    "GroupNorm(1, 2)": "weight bias |", "GroupNorm(1, 2, affine=False)": "| weight bias",
    "LayerNorm(2)": "weight bias |", "Embedding(2, 2)": "weight |", "Linear(2, 2)": "weight bias |",
    "Conv1d(2, 2, 3)": "weight bias |", "Conv2d(2, 2, 3, bias=False)": "weight |", "PReLU()": "weight |",
}  # fmt: skip


@pytest.mark.parametrize("made", PARAMETERS)
def test_the_parameters_of_a_layer(made):
    layer = eval(f"nn.{made}", {"nn": nn})
    trained, _, others = PARAMETERS[made].partition("|")
    told = [(p.name, p.requires_grad) for p in layer.get_parameters()]
    assert told == [(name, True) for name in trained.split()] + [(name, False) for name in others.split()]


def moments(x):
    return x.mean((0, 2, 3)), x.var((0, 2, 3), ddof=1)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("momentum", [0.25, None])
def test_batch_norm_counts_and_follows(momentum, mode):
    batches = [IMAGE, IMAGE[:, ::-1] ** 2, IMAGE + 1]
    layer = nn.BatchNorm2d(2, momentum=momentum).set_train()
    mean, var = np.zeros(2), np.ones(2)
    ms.set_context(mode=mode)
    try:
        for i, x in enumerate(batches):
            y = layer(Tensor(np.ascontiguousarray(x)))
            share = 1 / (i + 1) if momentum is None else momentum
            mean, var = mean + share * (moments(x)[0] - mean), var + share * (moments(x)[1] - var)
        layer.set_train(False)
        still = layer(Tensor(IMAGE))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert layer.num_batches_tracked.item() == 3 and abs(y.asnumpy().mean((0, 2, 3))).max() < 1e-6
    np.testing.assert_allclose(layer.running_mean.asnumpy(), mean, rtol=1e-5)
    np.testing.assert_allclose(layer.running_var.asnumpy(), var, rtol=1e-5)
    wanted = (IMAGE - mean.reshape(1, 2, 1, 1)) / np.sqrt(var.reshape(1, 2, 1, 1) + 1e-5)
    np.testing.assert_allclose(still.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_batch_norm_without_running_moments_takes_those_of_the_batch():
    layer = nn.BatchNorm2d(2, track_running_stats=False).set_train(False)
    assert abs(layer(Tensor(IMAGE)).asnumpy().mean((0, 2, 3))).max() < 1e-6


def test_the_padding_row_of_an_embedding_has_no_gradient():
    layer = nn.Embedding(3, 2, padding_idx=1)
    gradient = ms.grad(lambda: layer(Tensor([0, 1, 1, 2])).sum(), None, layer.weight)()
    assert gradient.tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]] and layer.weight[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_one_example_may_come_alone(axes):
    function = getattr(F, f"conv{axes}d")
    random = np.random.default_rng(5)
    x, w = random.standard_normal((2, *(5,) * axes)), random.standard_normal((3, 2, *(3,) * axes))
    x, w = Tensor(x, ms.float32), Tensor(w, ms.float32)
    alone = function(x, w, padding=1, stride=2)
    assert alone.shape == (3, *(3,) * axes)
    assert alone.tolist() == function(x.reshape(1, *x.shape), w, padding=1, stride=2)[0].tolist()


def test_one_example_of_a_transposed_convolution_may_come_alone():
    random = np.random.default_rng(5)
    x, w = (Tensor(random.standard_normal(shape), ms.float32) for shape in ((2, 4, 4), (2, 3, 3, 3)))
    alone = F.conv_transpose2d(x, w, stride=2)
    assert alone.shape == (3, 9, 9) and alone.tolist() == F.conv_transpose2d(x[None], w, stride=2)[0].tolist()


def test_one_dimensional_convolutions():
    layer = nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2)
    x, w, b = np.random.default_rng(1).standard_normal((2, 4, 7)), layer.weight.asnumpy(), layer.bias.asnumpy()
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1)))
    wanted = np.zeros((2, 6, 4))
    for o in range(6):
        part = wide[:, 2 * (o // 3) : 2 * (o // 3) + 2]
        for at in range(4):
            wanted[:, o, at] = (part[:, :, 2 * at : 2 * at + 3] * w[o]).sum((1, 2)) + b[o]
    np.testing.assert_allclose(layer(Tensor(x, ms.float32)).asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    assert abs(w).max() <= 1 / np.sqrt(6)
    with pytest.raises(ValueError, match="groups"):
        nn.Conv1d(3, 4, 3, groups=2)

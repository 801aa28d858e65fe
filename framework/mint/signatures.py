"""The one table of mint's functions: each with its signature, as MindSpore documents it.

A line is a name with its signature. The function of `ops` of that name is called with the arguments in their order, those
behind `*` by name. Where that is not so, an expression stands behind `=`, in which `ops` and the names below are known.
What is longer is a function of its own (`mint/__init__.py`, `mint/nn/functional.py`).
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.dtype import int64
from anfora.core.tensor import Tensor
from anfora.ops.composite import composite

__all__ = ["FUNCTIONAL", "FUNCTIONS", "LINALG", "SPECIAL", "made"]

FUNCTIONS = """
abs(input)
acos(input)
acosh(input)
addbmm(input, batch1, batch2, *, beta=1, alpha=1)
addcdiv(input, tensor1, tensor2, *, value=1) = ops.addcdiv(input, tensor1, tensor2, value)
addcmul(input, tensor1, tensor2, *, value=1) = ops.addcmul(input, tensor1, tensor2, value)
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
argmin(input, dim=None, keepdim=False) = ops.argmin(input, dim, keepdim).astype(int64)
asin(input)
asinh(input)
atan(input)
atan2(input, other)
atanh(input)
baddbmm(input, batch1, batch2, *, beta=1, alpha=1)
bincount(input, weights=None, minlength=0)
bitwise_and(input, other)
bitwise_not(input)
bitwise_or(input, other)
bitwise_xor(input, other)
bmm(input, mat2)
broadcast_to(input, shape)
cat(tensors, dim=0)
cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary") = ops.cdist(x1, x2, p)
ceil(input)
chunk(input, chunks, dim=0)
clamp(input, min=None, max=None)
clip(input, min=None, max=None)
clone(input) = ops.copy(input)
concat(tensors, dim=0)
cos(input)
cosh(input)
count_nonzero(input, dim=None) = ops.count_nonzero(input, () if dim is None else dim, False, int64)
cross(input, other, dim=None) = ops.cross(input, other, dim=dim)
cummax(input, dim)
cummin(input, dim) = with_positions(ops.cummin(input, dim))
cumprod(input, dim, dtype=None)
diff(input, n=1, dim=-1, prepend=None, append=None)
div(input, other, *, rounding_mode=None)
divide(input, other, *, rounding_mode=None)
dot(input, other)
dstack(tensors)
einsum(equation, *operands) = ops.einsum(equation, *operands)
empty(*size, dtype=None, device=None, pin_memory=False) = ops.empty(*size, dtype=dtype, device=device)
empty_like(input, *, dtype=None, device=None, pin_memory=False) = ops.empty_like(input, dtype=dtype, device=device)
eq(input, other)
equal(input, other)
erf(input)
erfc(input)
erfinv(input)
exp(input)
exp2(input)
expm1(input)
eye(n, m=None, dtype=None)
fix(input)
flip(input, dims)
float_power(input, exponent)
floor(input)
floor_divide(input, other)
fmod(input, other)
frac(input)
full(size, fill_value, *, dtype=None)
full_like(input, fill_value, *, dtype=None)
gather(input, dim, index) = Tensor.gather(input, dim, index)
gcd(input, other)
ge(input, other) = ops.greater_equal(input, other)
greater(input, other)
greater_equal(input, other)
gt(input, other)
histc(input, bins=100, min=0, max=0)
hstack(tensors)
imag(input)
index_add(input, dim, index, source, *, alpha=1) = Tensor.index_add(input, dim, index, source, alpha=alpha)
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
minimum(input, other)
mm(input, mat2)
mul(input, other)
mv(input, vec)
nan_to_num(input, nan=None, posinf=None, neginf=None)
nansum(input, dim=None, keepdim=False, *, dtype=None)
narrow(input, dim, start, length)
ne(input, other)
neg(input)
negative(input)
nonzero(input, *, as_tuple=False)
not_equal(input, other)
ones_like(input, *, dtype=None)
outer(input, vec2)
permute(input, dims)
polar(abs, angle)
pow(input, exponent)
ravel(input)
real(input)
reciprocal(input)
remainder(input, other)
repeat_interleave(input, repeats, dim=None, *, output_size=None) = ops.repeat_interleave(input, repeats, dim)
reshape(input, shape)
roll(input, shifts, dims=None)
round(input, *, decimals=0) = ops.round(input, decimals)
rsqrt(input)
scatter(input, dim, index, src) = Tensor.scatter(input, dim, index, src)
scatter_add(input, dim, index, src) = Tensor.scatter_add(input, dim, index, src)
searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None)
select(input, dim, index) = Tensor.select(input, dim, index)
sigmoid(input)
sign(input)
sin(input)
sinc(input)
sinh(input)
softmax(input, dim, *, dtype=None) = ops.softmax(of_type(input, dtype), dim)
split(tensor, split_size_or_sections, dim=0)
sqrt(input)
square(input)
squeeze(input, dim=None) = squeezed(input, dim)
stack(tensors, dim=0)
sum(input, dim=None, keepdim=False, *, dtype=None)
swapaxes(input, axis0, axis1)
t(input) = Tensor.t(input)
take(input, index)
tan(input)
tanh(input)
tile(input, dims)
topk(input, k, dim=-1, largest=True, sorted=True) = with_positions(ops.topk(input, k, dim, largest, sorted))
transpose(input, dim0, dim1) = ops.swapaxes(input, dim0, dim1)
tril(input, diagonal=0)
triu(input, diagonal=0)
trunc(input)
unbind(input, dim=0)
unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)
unsqueeze(input, dim)
vdot(input, other) = ops.dot(ops.conj(input), other)
xlogy(input, other)
zeros_like(input, *, dtype=None)
"""

_POOL = "stride=None, padding=0, ceil_mode=False, count_include_pad=True"
_POOLED = "input, kernel_size, stride or kernel_size, padding, ceil_mode, count_include_pad"

FUNCTIONAL = f"""
adaptive_avg_pool1d(input, output_size)
adaptive_avg_pool2d(input, output_size)
adaptive_avg_pool3d(input, output_size)
adaptive_max_pool2d(input, output_size, return_indices=False)
avg_pool1d(input, kernel_size, {_POOL}) = ops.avg_pool1d({_POOLED})
avg_pool2d(input, kernel_size, {_POOL}, divisor_override=None) = ops.avg_pool2d({_POOLED}, divisor_override or 0)
avg_pool3d(input, kernel_size, {_POOL}, divisor_override=None) = ops.avg_pool3d({_POOLED}, divisor_override or 0)
batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)
binary_cross_entropy(input, target, weight=None, reduction="mean")
conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)
cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean")
cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0)
embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False)
fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)
gelu(input, *, approximate="none") = ops.gelu(input, approximate)
glu(input, dim=-1)
grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None) = \
ops.grid_sample(input, grid, mode, padding_mode, bool(align_corners))
group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)
hardshrink(input, lambd=0.5)
hardsigmoid(input)
hardswish(input)
hardtanh_(input, min_val=-1, max_val=1) = input.copy_(ops.hardtanh(input, min_val, max_val))
elu_(input, alpha=1.0) = input.copy_(ops.elu(input, alpha))
interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None)
l1_loss(input, target, reduction="mean")
layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)
leaky_relu(input, negative_slope=0.01)
logsigmoid(input)
max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None)
mish(input)
mse_loss(input, target, reduction="mean")
nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean")
pad(input, pad, mode="constant", value=None)
pixel_shuffle(input, upscale_factor)
prelu(input, weight)
relu_(input) = input.copy_(ops.relu(input))
selu(input)
sigmoid(input)
sigmoid_(input) = input.copy_(ops.sigmoid(input))
smooth_l1_loss(input, target, reduction="mean", beta=1.0) = ops.smooth_l1_loss(input, target, beta, reduction)
soft_margin_loss(input, target, reduction="mean")
softplus(input, beta=1, threshold=20)
softshrink(input, lambd=0.5)
tanh(input)
threshold_(input, threshold, value) = input.copy_(ops.threshold(input, threshold, value))
unfold(input, kernel_size, dilation=1, padding=0, stride=1)
upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None)
"""

LINALG = """
inv(input) = ops.inverse(input)
matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None)
norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)
qr(A, mode="reduced")
vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None)
"""

SPECIAL = """
erfc(input)
exp2(input)
expm1(input)
log1p(input)
round(input)
sinc(input)
"""


def with_positions(found: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Values and where they stand, int64 as all places in mint."""
    return found[0], found[1].astype(int64)


def squeezed(input: Tensor, dim: Any) -> Tensor:
    """Without axes of length 1: all, or those among the named that have it; of no names none."""
    if isinstance(dim, (tuple, list)) and not dim:
        return ops.reshape(input, input.shape)
    return ops.squeeze(input, dim)


def of_type(input: Tensor, dtype: Any) -> Tensor:
    """A tensor in the type that a function is asked to compute in."""
    return input if dtype is None else input.astype(dtype)


def made(table: str, module: str) -> dict[str, Callable[[], Callable]]:
    """What makes the functions of a table, by name."""
    found: dict[str, Callable[[], Callable]] = {}
    for line in table.strip().splitlines():
        form, _, expression = line.partition(" = ")
        name = form.partition("(")[0]
        found[name] = functools.partial(_function, name, form, expression, module)
    return found


def _function(name: str, form: str, expression: str, module: str) -> Callable:
    """One function: that of `ops`, if it has the same signature, or one in front of it."""
    scope: dict[str, Any] = {"ops": ops, "Tensor": Tensor, "int64": int64, "with_positions": with_positions}
    scope |= {"of_type": of_type, "squeezed": squeezed, "__name__": module}
    behind = re.search(r"\bops\.(\w+)\(", expression)
    own: Any = getattr(ops, behind[1] if behind else name, None)
    if not expression:
        exec(f"def {form}: pass", scope)
        parameters = inspect.signature(scope[name]).parameters.values()
        if str(inspect.signature(scope[name])) == _plain(own):
            return composite(own)
        scope["own"] = own
        given = [f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name for p in parameters]
        expression = f"own({', '.join(given)})"
    # frames of this package are no place of the user's
    exec(compile(f"def {form}:\n    return {expression}\n", __file__, "exec"), scope)
    function: Any = scope[name]
    function.__annotations__ = _annotations(function, own, by_place="own" in scope)
    if name.endswith("_"):
        function.__doc__ = f"`{name[:-1]}`, written into the tensor, which is given back."
    elif own is not None:
        whole = inspect.getdoc(own) or ""
        function.__doc__ = (
            whole if "own" in scope else f"{whole.partition(chr(10) * 2)[0]}\n\nSee `ops.{own.__name__}`."
        )
        told = _signature_of(own).return_annotation
        if told is not inspect.Signature.empty and expression.startswith(("own(", "ops.")):
            function.__annotations__["return"] = told
    function.__module__, function.__qualname__ = module, name
    return composite(function)


_TENSORS = ("input", "index", "source")


def _annotations(function: Callable, own: Any, by_place: bool) -> dict[str, Any]:
    """Which parameters are tensors: those of the function behind, and those that always are."""
    theirs = [] if own is None else list(_signature_of(own).parameters.values())
    found = {}
    for place, name in enumerate(inspect.signature(function).parameters):
        same = theirs[place : place + 1] if by_place else [p for p in theirs if p.name == name]
        if same and same[0].annotation is not inspect.Parameter.empty:
            found[name] = same[0].annotation
        elif not by_place and name in _TENSORS:
            found[name] = "Tensor"
    return found


def _signature_of(function: Any) -> inspect.Signature:
    return function.signature if hasattr(function, "signature") else inspect.signature(function)


def _plain(function: Any) -> str:
    """The signature of a function, without annotations."""
    told = _signature_of(function)
    parameters = [p.replace(annotation=p.empty) for p in told.parameters.values()]
    return str(inspect.Signature(parameters))

"""Every operator at three sizes, forward and backward, beside torch.

    python benchmarks/operators.py --torch PYTHON                   the whole table: rows that are behind, and the means
    python benchmarks/operators.py --torch PYTHON --only pad --sizes 8 --all

Both libraries stay alive, each in a process of its own, and take turns on each row. The figure of a row is the median of
its rounds, each the time of a call in a run of some milliseconds; a row is behind if its ratio, anfora to torch,
is above 1.15 in two of three runs of the table. Sizes are lengths of a square: 8 (256 bytes of float32), 128 (64 KiB),
2048 (16 MiB).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Elementwise functions of one tensor, by name in torch and in anfora.mint.
UNARY = """
    abs neg sign ceil floor round trunc frac exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan
    sinh cosh tanh asin acos atan asinh atanh sigmoid erf erfc erfinv sinc nan_to_num isfinite isnan isinf logical_not
"""
BINARY = """
    add sub mul div maximum minimum atan2 fmod remainder floor_divide logaddexp eq ne lt le gt ge logical_and
    logical_or logical_xor
"""
REDUCING = "sum mean prod amax amin var std argmax argmin logsumexp norm all any count_nonzero median"
ACTIVATIONS = """
    elu selu celu gelu silu mish hardswish hardsigmoid hardtanh softplus softsign leaky_relu logsigmoid relu6 hardshrink
    softshrink tanhshrink
"""


def _rows(text: str) -> dict[str, list[str]]:
    lines = [[part.strip() for part in line.split(" | ")] for line in text.strip().splitlines()]
    return {name: sentences for name, *sentences in lines}


#: Operators that are a sentence of their own: name, the expression, and that of anfora where it differs. `L` is torch or
#: anfora.mint, `F` torch.nn.functional or its like, `O` anfora.ops; x and y are float, p positive, m a mask, k integers.
SENTENCES = _rows("""
    x + 1 | x + 1
    x - y | x - y
    x * y.T | x * y.T
    x + row | x + y[0]
    x + column | x + y[:, :1]
    -x | -x
    x ** 2 | x ** 2
    x ** 0.5 | p ** 0.5
    1 / x | 1 / p
    x // y | x // p
    x % y | x % p
    x > y | x > y
    clamp | L.clamp(x, -0.5, 0.5)
    where | L.where(m, x, y)
    masked_fill | x.masked_fill(m, 1.0)
    lerp | L.lerp(x, y, 0.3)
    addcmul | L.addcmul(x, y, p, value=0.5)
    cumsum | L.cumsum(x, 1)
    cumsum axis 0 | L.cumsum(x, 0)
    cumprod | L.cumprod(x, 1) | O.cumprod(x, 1)
    cummax | L.cummax(x, 1)[0]
    logcumsumexp | L.logcumsumexp(x, 1) | O.logcumsumexp(x, 1)
    diff | L.diff(x) | O.diff(x)
    sort | L.sort(x, 1)[0] | O.sort(x, 1)[0]
    argsort | L.argsort(x, 1)
    topk | L.topk(x, 4, 1)[0]
    unique | L.unique(k)
    searchsorted | L.searchsorted(s, x)
    bincount | L.bincount(k[0])
    histc | L.histc(x, 10, -1.0, 1.0)
    kthvalue | x.kthvalue(2)[0]
    matmul | x @ y
    mv | x @ y[0] | O.matmul(x, y[0])
    dot | L.dot(f, h)
    outer | L.outer(x[0], y[0])
    bmm | L.bmm(b, b)
    addmm | L.addmm(x, x, y)
    einsum | L.einsum('ij,kj->ik', x, y)
    cross | L.cross(t, u, dim=1) | O.cross(t, u, dim=1)
    cdist | L.cdist(x[:64], y[:64])
    trace | L.trace(x)
    tril | L.tril(x)
    triu | L.triu(x)
    diag | L.diag(x)
    reshape | x.reshape(-1)
    transpose | x.T
    transposed copy | x.T.contiguous()
    squeeze | x.squeeze()
    x[:, None] | x[:, None]
    x[1] | x[1]
    x[1:3] | x[1:3]
    x[:, 1] | x[:, 1]
    x[..., ::2] | x[..., ::2]
    flip | L.flip(x, (0,))
    roll | L.roll(x, 1, 0)
    expand | x[:, None].expand(-1, 2, -1)
    repeat | x.repeat(2, 2)
    tile | L.tile(x, (2, 2))
    repeat_interleave | L.repeat_interleave(x, 2, 0)
    split | x.split(2)[0]
    chunk | x.chunk(4)[0]
    unbind | x[:8].unbind(0)[0]
    cat | L.cat((x, y), 1)
    stack | L.stack((x, y), 1)
    meshgrid | L.meshgrid(x[0], y[0], indexing='ij')[0]
    x[idx] | x[i]
    x[idx, idx] | x[i, i]
    x[mask] | x[m]
    masked_select | L.masked_select(x, m)
    nonzero | L.nonzero(m)
    gather | L.gather(x, 1, k)
    index_select | L.index_select(x, 0, i)
    scatter | L.scatter(x, 1, k, y)
    scatter_add | L.scatter_add(x, 1, k, y)
    index_add | L.index_add(x, 0, i, y[:2])
    take | L.take(x, k[0]) | O.take(x, k[0])
    one_hot | F.one_hot(k[0], K)
    embedding | F.embedding(k[0], x)
    softmax | F.softmax(x, 1)
    softmax axis 0 | F.softmax(x, 0)
    log_softmax | F.log_softmax(x, 1)
    layer_norm | F.layer_norm(x, (K,))
    dropout | F.dropout(x, 0.5)
    linear | F.linear(x, y)
    mse_loss | F.mse_loss(x, y)
    l1_loss | F.l1_loss(x, y)
    cross_entropy | F.cross_entropy(x, k[0])
    bce | F.binary_cross_entropy(p, p)
    smooth_l1 | F.smooth_l1_loss(x, y)
    nll_loss | F.nll_loss(x, k[0])
    kl_div | F.kl_div(x, p)
    normalize | F.normalize(x)
    glu | F.glu(x, 1)
    conv2d | F.conv2d(a, c, padding=1)
    max_pool2d | F.max_pool2d(a, 2)
    avg_pool2d | F.avg_pool2d(a, 2)
    avg_pool3d | F.avg_pool3d(a[None], 2) | O.avg_pool3d(a[None], 2)
    adaptive_avg_pool2d | F.adaptive_avg_pool2d(a, 2)
    adaptive_max_pool2d | F.adaptive_max_pool2d(a, 2) | O.adaptive_max_pool2d(a, 2)
    unfold | F.unfold(a, 2)
    interpolate nearest | F.interpolate(a, scale_factor=2.0)
    interpolate bilinear | F.interpolate(a, scale_factor=2.0, mode='bilinear')
    interpolate linear | F.interpolate(a[0], scale_factor=2.0, mode='linear')
    pad constant | F.pad(x, (1, 1))
    pad replicate | F.pad(a, (1, 1, 1, 1), mode='replicate')
    pad reflect | F.pad(a, (1, 1, 1, 1), mode='reflect')
    grid_sample | F.grid_sample(a, g, align_corners=False)
    batch_norm | F.batch_norm(a, None, None, training=True)
    group_norm | F.group_norm(a, 2)
    sum axis 1 | L.sum(x, 1)
    sum axis 0 | L.sum(x, 0)
    mean axis 1 | L.mean(x, 1)
    max axis 1 | L.max(x, 1)[0]
    amax axis 0 | L.amax(x, 0)
    var axis 1 | L.var(x, 1)
    argmax axis 1 | L.argmax(x, 1)
    median axis 1 | L.median(x, 1)[0]
    norm axis 1 | L.norm(x, 2, 1)
    astype int | x.int()
    astype double | x.double()
    astype half | x.half()
    clone | x.clone()
    contiguous | x.contiguous()
    int64 add | k + k
    int64 // | k // 3
    int64 % | k % 3
    int64 sum | k.sum()
    int64 mul | k * k
    float64 add | d + d
    float64 exp | L.exp(d)
    float64 matmul | d @ d
    float64 sum | d.sum()
    float16 add | e + e
    float16 sum | e.sum()
    bfloat16 add | w + w
    bfloat16 sum | w.sum()
    bfloat16 matmul | w @ w
    bitwise_and | k & 3
    shift | k << 1
    inverse | L.inverse(q)
    svd | L.linalg.svd(x[:64, :64])[1] | O.svd(x[:64, :64])[0]
    qr | L.linalg.qr(x[:64, :64])[0] | O.qr(x[:64, :64])[0]
    cholesky | L.linalg.cholesky(q[:64, :64]) | O.cholesky(q[:64, :64])
    relu | F.relu(x)
    hypot | L.hypot(x, p) | O.hypot(x, p)
    pow | L.pow(p, y)
    xlogy | L.xlogy(x, p)
    logsumexp axis 1 | L.logsumexp(x, 1)
    std axis 1 | L.std(x, 1)
    prod axis 1 | L.prod(x, 1)
    amin axis 1 | L.amin(x, 1)
    all axis 1 | L.all(m, 1)
    any axis 0 | L.any(m, 0)
    argmin axis 0 | L.argmin(x, 0)
    nansum | L.nansum(x) | O.nansum(x)
    nanmean | L.nanmean(x) | O.nanmean(x)
    var_mean | L.var_mean(x)[0] | O.var_mean(x)[0]
    aminmax | L.aminmax(x)[0] | O.aminmax(x)[0]
    unique_consecutive | L.unique_consecutive(k) | O.unique_consecutive(k)[0]
    isclose | L.isclose(x, y)
    equal | L.equal(x, y)
    heaviside | L.heaviside(x, y) | O.heaviside(x, y)
    logaddexp2 | L.logaddexp2(x, y) | O.logaddexp2(x, y)
    copysign | L.copysign(x, y) | O.copysign(x, y)
    float_power | L.float_power(p, y) | O.float_power(p, y)
    deg2rad | L.deg2rad(x) | O.deg2rad(x)
    lgamma | L.lgamma(p) | O.lgamma(p)
    digamma | L.digamma(p) | O.digamma(p)
    gcd | L.gcd(k, k) | O.gcd(k, k)
    bitwise_or | L.bitwise_or(k, k)
    bitwise_xor | L.bitwise_xor(k, k)
    bitwise_not | L.bitwise_not(k)
    rot90 | L.rot90(x, 1, (0, 1)) | O.rot90(x, 1, (0, 1))
    fliplr | L.fliplr(x) | O.fliplr(x)
    diagonal | L.diagonal(x) | O.diagonal(x)
    diag_embed | L.diag_embed(x[:8, :8]) | O.diag_embed(x[:8, :8])
    movedim | L.movedim(a, 1, 3) | O.movedim(a, 1, 3)
    permute | L.permute(a, (0, 2, 3, 1))
    unsqueeze | L.unsqueeze(x, 1)
    flatten | L.flatten(a, 1)
    narrow | L.narrow(x, 0, 1, 3)
    hstack | L.hstack((x, y)) | O.hstack((x, y))
    vstack | L.vstack((x, y)) | O.vstack((x, y))
    dstack | L.dstack((x, y)) | O.dstack((x, y))
    column_stack | L.column_stack((x, y)) | O.column_stack((x, y))
    block_diag | L.block_diag(x[:8], y[:8]) | O.block_diag(x[:8], y[:8])
    cartesian_prod | L.cartesian_prod(x[0], y[0]) | O.cartesian_prod(x[0], y[0])
    kron | L.kron(x[:8, :8], y[:8, :8]) | O.kron(x[:8, :8], y[:8, :8])
    tensordot | L.tensordot(x, y, 1) | O.tensor_dot(x, y, 1)
    inner | L.inner(x[0], y[0]) | O.inner(x[0], y[0])
    vander | L.vander(x[0, :8]) | O.vander(x[0, :8])
    baddbmm | L.baddbmm(b, b, b)
    addbmm | L.addbmm(b[0], b, b) | O.addbmm(b[0], b, b)
    addmv | L.addmv(x[0], x, y[0])
    addr | L.addr(x, x[0], y[0]) | O.addr(x, x[0], y[0])
    chained matmul | x @ y @ x
    take_along_dim | L.take_along_dim(x, k, 1) | O.gather_elements(x, 1, k)
    index_fill | L.index_fill(x, 0, i, 2.0) | O.index_fill(x, 0, i, 2.0)
    masked_scatter | x.masked_scatter(m, y)
    bucketize | L.bucketize(x, s) | O.searchsorted(s, x)
    nanmedian | L.nanmedian(x) | O.nanmedian(x)
    quantile | L.quantile(x, 0.3) | O.quantile(x, 0.3)
    trapezoid | L.trapezoid(x, dim=1) | O.trapz(x, dim=1)
    cov | L.cov(x) | O.cov(x)
    renorm | L.renorm(x, 2, 0, 1.0) | O.renorm(x, 2, 0, 1.0)
    dist | L.dist(x, y) | O.dist(x, y)
    threshold | F.threshold(x, 0.1, 0.0)
    prelu | F.prelu(x, s[:1])
    hinge_embedding_loss | F.hinge_embedding_loss(x, y) | O.hinge_embedding_loss(x, y)
    huber_loss | F.huber_loss(x, y) | O.huber_loss(x, y)
    soft_margin_loss | F.soft_margin_loss(x, y) | O.soft_margin_loss(x, y)
    cosine_similarity | F.cosine_similarity(x, y) | O.cosine_similarity(x, y)
    triplet_margin_loss | F.triplet_margin_loss(x, y, p) | O.triplet_margin_loss(x, y, p)
    margin_ranking_loss | F.margin_ranking_loss(x, y, p) | O.margin_ranking_loss(x, y, p)
    gaussian_nll_loss | F.gaussian_nll_loss(x, y, p) | O.gaussian_nll_loss(x, y, p)
    bce_with_logits | F.binary_cross_entropy_with_logits(x, p)
    softmin | F.softmin(x, 1) | O.softmin(x, 1)
    instance_norm | F.instance_norm(a) | O.instance_norm(a)
    lrn | F.local_response_norm(a, 3) | O.lrn(a, 3)
    pixel_shuffle | F.pixel_shuffle(a[:, :4 * (a.shape[1] // 4)], 2) | O.pixel_shuffle(a[:, :4 * (a.shape[1] // 4)], 2)
    pixel_unshuffle | F.pixel_unshuffle(a, 2) | O.pixel_unshuffle(a, 2)
    fold | F.fold(F.unfold(a, 2), a.shape[2:], 2)
    conv1d | F.conv1d(a[:, :, 0], c[..., 0], padding=1)
    conv3d | F.conv3d(a[:1, :, None], c[:, :, None], padding=(0, 1, 1))
    conv_transpose2d | F.conv_transpose2d(a, c)
    max_pool1d | F.max_pool1d(a[0], 2) | O.max_pool1d(a[0], 2)
    avg_pool1d | F.avg_pool1d(a[0], 2) | O.avg_pool1d(a[0], 2)
    adaptive_avg_pool1d | F.adaptive_avg_pool1d(a[0], 2) | O.adaptive_avg_pool1d(a[0], 2)
    lp_pool2d | F.lp_pool2d(a, 2, 2) | O.lp_pool2d(a, 2, 2)
    affine_grid | F.affine_grid(t[:4].reshape(2, 2, 3), (2, 1, K, K)) | O.affine_grid(t[:4].reshape(2, 2, 3), (2, 1, K, K))
    attention | F.scaled_dot_product_attention(b, b, b) | O.scaled_dot_product_attention(b, b, b)
    int64 max | k.max()
    int64 min axis 1 | k.amin(1)
    int64 compare | k < 3
    int64 cumsum | L.cumsum(k, 1)
    int64 sort | L.sort(k, 1)[0] | O.sort(k, 1)[0]
    float64 softmax | F.softmax(d, 1)
    float64 div | d / (d + 3)
    float16 mul | e * e
    bfloat16 softmax | F.softmax(w, 1)
    bfloat16 gelu | F.gelu(w)
    bool and | m & m
    bool sum | m.sum()
    det | L.linalg.det(q[:64, :64]) | O.det(q[:64, :64])
    matrix_power | L.linalg.matrix_power(x[:64, :64], 3) | O.matrix_power(x[:64, :64], 3)
    vector_norm | L.linalg.vector_norm(x) | O.vector_norm(x)
    mean of squares | (x * x).mean()
    rms | x * L.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) | x * L.rsqrt((x * x).mean(-1, keep_dims=True) + 1e-6)
""")
#: Operators that have no gradient, or write in place: forward alone.
PLAIN = _rows("""
    zeros | L.zeros((K, K))
    ones | L.ones((K, K))
    full | L.full((K, K), 2.0)
    empty | L.empty((K, K))
    zeros_like | L.zeros_like(x)
    ones_like | L.ones_like(x)
    full_like | L.full_like(x, 2.0)
    arange | L.arange(K * K)
    linspace | L.linspace(0, 1, K)
    eye | L.eye(K)
    rand | L.rand((K, K))
    randn | L.randn((K, K))
    randint | L.randint(0, 9, (K, K))
    randperm | L.randperm(K)
    bernoulli | L.bernoulli(p)
    multinomial | L.multinomial(p, 2)
    add_ | x.add_(y)
    add_ number | x.add_(0.5)
    sub_ | x.sub_(y)
    mul_ | x.mul_(y)
    mul_ number | x.mul_(0.5)
    div_ | x.div_(p)
    exp_ | z.exp_()
    sqrt_ | z.sqrt_()
    tanh_ | x.tanh_()
    sigmoid_ | x.sigmoid_()
    relu_ | x.relu_()
    neg_ | x.neg_()
    clamp_ | x.clamp_(-0.5, 0.5)
    masked_fill_ | x.masked_fill_(m, 1.0)
    zero_ | x.zero_()
    fill_ | x.fill_(2.0)
    copy_ | x.copy_(y)
    copy_ transposed | x.copy_(y.T)
    addcmul_ | x.addcmul_(y, p, value=0.5) | x.addcmul_(y, p, 0.5)
    view add_ | x[1:3].add_(y[1:3])
    normal_ | x.normal_()
    uniform_ | x.uniform_()
    assign_sub | x.sub_(y) | O.assign_sub(x, y)
    assign_add | x.add_(y) | O.assign_add(x, y)
    x[...] = v | x.__setitem__(..., 2.0)
    x[1] = v | x.__setitem__(1, 2.0)
    x[1:3] = y | x.__setitem__(slice(1, 3), y[1:3])
    x[:, 1] = v | x.__setitem__((slice(None), 1), 2.0)
    x[1, 2] = v | x.__setitem__((1, 2), 2.0)
    x[idx] = v | x.__setitem__(i, 2.0)
    x[i, j] = v | x.__setitem__((i, i), 2.0)
    x[idx] = y | x.__setitem__(i, y[:2])
    x[mask] = v | x.__setitem__(m, 2.0)
    scatter_ | x.scatter_(1, k, y)
    index_add_ | x.index_add_(0, i, y[:2])
    index_fill_ | x.index_fill_(0, i, 2.0)
""")
for _name in UNARY.split():
    SENTENCES[_name] = [
        f"L.{_name}({'p' if _name.startswith(('log', 'sqrt', 'rsqrt', 'a', 'erfinv', 'recip')) else 'x'})"
    ]
SENTENCES |= {_name: [f"L.{_name}(x, p)"] for _name in BINARY.split()}
SENTENCES |= {_name: [f"L.{_name}(x)", f"(getattr(L, '{_name}', None) or O.{_name})(x)"] for _name in REDUCING.split()}
SENTENCES |= {
    _name: [f"F.{_name}(x)", f"(getattr(F, '{_name}', None) or O.{_name})(x)"] for _name in ACTIVATIONS.split()
}
SIZES = (8, 128, 2048)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--torch", metavar="PYTHON", required=True, help="a Python that has torch")
    options.add_argument("--only", default="", help="rows whose names hold a word")
    options.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--all", action="store_true", help="print each row, not those alone that are behind")
    options.add_argument("--forward", action="store_true", help="leave gradients out")
    given = options.parse_args()
    workers = [Worker(sys.executable, "anfora", given.threads), Worker(given.torch, "torch", given.threads)]
    rows = [name for name in (*SENTENCES, *PLAIN) if given.only in name]
    try:
        for size in given.sizes:
            for backward in (False,) if given.forward else (False, True):
                table(rows, size, backward, workers, given)
    finally:
        for worker in workers:
            worker.stop()


def table(rows: list[str], size: int, backward: bool, workers: list[Worker], given: argparse.Namespace) -> None:
    """Print a column: the rows that are behind, the worst first, and the geometric mean of the ratios."""
    ratios = {}
    for name in rows:
        if backward and name in PLAIN:
            continue
        times: list[list[float]] = [[], []]
        for _ in range(given.rounds):
            answers = [worker.ask(name, size, backward) for worker in workers]
            for found, answer in zip(times, answers):
                if "time" in answer:
                    found.append(answer["time"])
            if not all(times):
                errors = [answer.get("error", "") for answer in answers]
                if errors[0] and not errors[1]:
                    print(f"    {name}: {errors[0]}")
                break
        if all(times):
            ours, theirs = map(statistics.median, times)
            ratios[name] = ours / theirs, ours, theirs
    if not ratios:
        return
    behind = {name: row for name, row in ratios.items() if row[0] > 1.15}
    mean = math.exp(statistics.fmean(math.log(row[0]) for row in ratios.values()))
    what = "forward and backward" if backward else "forward"
    print(f"{size}×{size} {what}: {len(ratios)} rows, geometric mean {mean:.2f}, behind by over 15 %: {len(behind)}")
    shown = ratios if given.all else behind
    for name, (ratio, ours, theirs) in sorted(shown.items(), key=lambda item: -item[1][0]):
        print(f"    {name:24}{ours * 1e6:12.2f} µs{theirs * 1e6:12.2f} µs{ratio:8.2f}", flush=True)


class Worker:
    """A process that measures one library."""

    def __init__(self, python: str, library: str, threads: int) -> None:
        command = f"import runpy; runpy.run_path({str(Path(__file__).resolve())!r}, run_name='served')"
        self.process = subprocess.Popen(
            [python, "-c", command, library, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, name: str, size: int, backward: bool) -> dict:
        print(json.dumps([name, size, backward]), file=self.process.stdin, flush=True)
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline() or '{"error": "the process has ended"}')

    def stop(self) -> None:
        self.process.kill()


# -- in the process of a library --------------------------------------------------------------------------------------


def serve(library: str, threads: int) -> None:
    scopes: dict[int, dict] = {}
    kept: dict[tuple, tuple[Callable, int]] = {}
    for line in sys.stdin:
        name, size, backward = json.loads(line)
        try:
            if size not in scopes:
                scopes.clear()
                kept.clear()
                scopes[size] = scope_of(library, size, threads)
            if (name, backward) not in kept:
                kept.clear()
                kept[name, backward] = prepared(library, name, scopes[size], backward)
            run, count = kept[name, backward]
            start = time.perf_counter()
            for _ in range(count):
                run()
            print(json.dumps({"time": (time.perf_counter() - start) / count}), flush=True)
        except Exception as error:
            print(json.dumps({"error": f"{type(error).__name__}: {error}"[:160].replace("\n", " ")}), flush=True)


def scope_of(library: str, size: int, threads: int) -> dict[str, Any]:
    """The names that sentences use."""
    import numpy as np

    random = np.random.default_rng(0)
    n = size
    side = max(n // 4, 4)
    channels = max(1, min(8, n // 16)) * 2
    arrays = {
        "x": random.uniform(-1, 1, (n, n)), "y": random.uniform(-1, 1, (n, n)), "p": random.uniform(0.1, 0.9, (n, n)),
        "z": np.ones((n, n)), "f": random.uniform(-1, 1, n * n), "h": random.uniform(-1, 1, n * n),
        "s": np.sort(random.uniform(-1, 1, n)), "q": np.eye(n) * n + random.uniform(-1, 1, (n, n)) * 0.1,
        "t": random.uniform(-1, 1, (n * n // 4, 3)), "u": random.uniform(-1, 1, (n * n // 4, 3)),
        "b": random.uniform(-1, 1, (4, n // 2, n // 2)), "a": random.uniform(-1, 1, (2, channels, side, side)),
        "c": random.uniform(-1, 1, (channels, channels, 3, 3)), "g": random.uniform(-1, 1, (2, side, side, 2)),
    }  # fmt: skip
    arrays["q"] = (arrays["q"] + arrays["q"].T) / 2
    numbers = {name: array.astype(np.float32) for name, array in arrays.items()}
    numbers |= {"k": random.integers(0, n, (n, n)), "i": np.array([1, 3]), "m": arrays["x"] > 0, "d": arrays["x"]}
    if library == "torch":
        import torch

        torch.set_num_threads(threads)
        scope: dict[str, Any] = {name: torch.tensor(array) for name, array in numbers.items()}
        scope |= {"L": torch, "F": torch.nn.functional, "e": scope["x"].half(), "w": scope["x"].bfloat16()}
    else:
        import anfora
        from anfora import Tensor, mint, ops

        anfora.set_num_threads(threads)
        scope = {name: Tensor(array) for name, array in numbers.items()}
        scope |= {"L": mint, "F": mint.nn.functional, "O": ops}
        scope |= {"e": scope["x"].astype(anfora.float16), "w": scope["x"].astype(anfora.bfloat16)}
    return scope | {"K": n}


def prepared(library: str, name: str, scope: dict, backward: bool) -> tuple[Callable, int]:
    """A function that does it once, and how often to do it in a round."""
    sentences = SENTENCES.get(name) or PLAIN[name]
    text = sentences[-1] if library == "anfora" else sentences[0]
    own = dict(scope)
    for each in "xzpt":  # that are written to, or followed
        own[each] = scope[each].clone()
    if backward:
        run = _with_gradient(text, own)
    else:
        run = eval(f"lambda: {text}", own)
    for _ in range(3):
        run()
    start = time.perf_counter()
    run()
    return run, max(1, min(2000, int(0.003 / max(time.perf_counter() - start, 1e-7))))


def _with_gradient(text: str, own: dict) -> Callable:
    used = set(re.findall(r"\b[a-z]\b", text))
    name = next((each for each in "xptadqbfew" if each in used), "")
    if not name:
        raise ValueError("it has no gradient")
    leaf = own[name] = own[name].clone()
    leaf.requires_grad = True
    out = eval(text, own)
    if not out.requires_grad:
        raise ValueError("it has no gradient")
    gradient = (out * 0 + 1).detach()
    code = compile(text, name, "eval")

    def run() -> None:
        leaf.grad = None
        eval(code, own).backward(gradient)

    return run


if __name__ == "__main__":
    main()
elif __name__ == "served":
    serve(sys.argv[1], int(sys.argv[2]))

"""Class forms of operators, the last part: windows in time, distances of sequences, candidates, sparse matrices as tensors.

`primitives.py` tells what a line means. What depends on the values of tensors alone (which candidates are drawn, how many
edits lie between two sequences) is read from them, and has no gradient. Random numbers are ours, from the default generator
or from the stream of a seed that is not zero; MindSpore's are others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora import ops
from anfora.core.dtype import as_dtype, float32, float64, int64, uint8
from anfora.core.errors import OpRuntimeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.composite import composite
from anfora.ops.rare_primitives import _number, _numbers, _one_of

__all__ = ["SELDOM"]


# -- elements ---------------------------------------------------------------------------------------------------------


def _asserted(summarize: int = 3) -> Callable:
    def call(condition: Any, input_data: Any) -> Tensor:
        if not bool(condition):
            shown = "\n".join(f"input data: {np.ravel(each.asnumpy())[:summarize]}" for each in input_data)
            raise OpRuntimeError(f"Assert: the condition is false\n{shown}", arg="condition")
        return Tensor(0)

    return call


@composite
def _packed(x: Tensor, threshold: Any) -> Tensor:
    """Eight comparisons with a threshold as the bits of a byte, the first as its highest."""
    if x.ndim == 0 or x.shape[-1] % 8:
        raise OpValueError(
            f"CompareAndBitpack needs a multiple of 8 elements a row, but the shape is {x.shape}", arg="x"
        )
    bits = ops.greater(x, threshold).reshape((*x.shape[:-1], x.shape[-1] // 8, 8))
    return (bits.astype(int64) * Tensor([128, 64, 32, 16, 8, 4, 2, 1], int64)).sum(-1).astype(uint8)


@composite
def _diagonal(input_x: Tensor) -> Tensor:
    half = input_x.ndim // 2
    if input_x.ndim % 2 or input_x.shape[:half] != input_x.shape[half:]:
        raise OpValueError(f"DiagPart needs a shape that says itself twice, but got {input_x.shape}", arg="input_x")
    n = math.prod(input_x.shape[:half])
    return ops.diagonal(input_x.reshape((n, n))).reshape(input_x.shape[:half])


def _nuclear(dim: Any = None, keepdim: bool = False) -> Callable:
    @composite
    def call(x: Tensor) -> Tensor:
        axes = (0, 1) if dim is None else tuple(dim)
        return ops.norm(x, ord="nuc", dim=axes, keepdim=keepdim)

    return call


def _counted(bins: int = 100, min: float = 0.0, max: float = 0.0) -> Callable:
    return lambda x: ops.histc(x, bins, min, max)


# -- shapes -----------------------------------------------------------------------------------------------------------


def _padded(mode: str = "constant", paddings_contiguous: bool = True) -> Callable:
    _one_of("PadV3", "mode", mode, ("constant", "reflect", "edge", "circular"))

    def call(x: Tensor, paddings: Any, constant_value: Any = None) -> Tensor:
        sides = tuple(map(int, _numbers(paddings)))
        if not paddings_contiguous:  # all that stand in front, then all behind
            half = len(sides) // 2
            sides = tuple(itertools.chain.from_iterable(zip(sides[:half], sides[half:])))
        value = 0 if constant_value is None else _number(constant_value)
        if mode == "constant":
            return ops.pad(x, sides, mode, value)
        return ops.pad(x, sides, "replicate" if mode == "edge" else mode)

    return call


def _volumes(kernel_size: Any, strides: Any, padding: str) -> Callable:
    """Windows of (N, C, D, H, W) as channels: what stands at one place of the windows, of all channels, is neighbours."""
    _one_of("ExtractVolumePatches", "padding", padding.upper(), ("SAME", "VALID"))
    lengths, steps = (tuple(each)[-3:] if not isinstance(each, int) else (each,) * 3 for each in (kernel_size, strides))

    @composite
    def call(input_x: Tensor) -> Tensor:
        x = input_x
        if padding.upper() == "SAME":
            sides: list[int] = []
            for n, k, s in zip(reversed(x.shape[2:]), reversed(lengths), reversed(steps)):
                short = max((-(-n // s) - 1) * s + k - n, 0)
                sides += [short // 2, short - short // 2]
            x = ops.pad(x, tuple(sides))
        counts = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], lengths, steps)]
        parts = []
        for start in itertools.product(*map(range, lengths)):
            where = tuple(slice(a, a + (m - 1) * s + 1, s) for a, m, s in zip(start, counts, steps))
            parts.append(x[(slice(None), slice(None), *where)])
        return ops.concat(parts, 1)

    return call


def _areas(align_corners: bool = False) -> Callable:
    """Means of the areas of an image (N, H, W, C) that the pixels of the result cover."""

    def shares(length: int, wanted: int) -> np.ndarray:
        scale = (length - 1) / (wanted - 1) if align_corners and wanted > 1 else length / wanted
        edges = np.arange(wanted + 1)[:, None] * scale
        covered = np.minimum(edges[1:], np.arange(length) + 1) - np.maximum(edges[:-1], np.arange(length))
        covered = np.maximum(covered, 0)
        covered[:, -1] += np.maximum(edges[1:, 0] - np.maximum(edges[:-1, 0], length), 0)  # beyond it, the last pixel
        return (covered / covered.sum(1, keepdims=True)).astype(np.float32)

    def call(images: Tensor, size: Any) -> Tensor:
        rows, columns = map(int, _numbers(size))
        first = ops.tensor_dot(Tensor(shares(images.shape[1], rows)), images.astype(float32), ((1,), (1,)))
        second = ops.tensor_dot(Tensor(shares(images.shape[2], columns)), first, ((1,), (2,)))
        return ops.transpose(second, (2, 1, 0, 3))

    return call


def _least_squares(fast: bool = True) -> Callable:
    """The x of least |A x - b|² + λ |x|², by the equation (AᵀA + λ) x = Aᵀ b, solved by its Cholesky factor."""

    @composite
    def call(matrix: Tensor, rhs: Tensor, l2_regularizer: Any) -> Tensor:
        transposed = ops.conj(ops.swapaxes(matrix, -1, -2)) if matrix.dtype.is_complex else matrix.swapaxes(-1, -2)
        eye = ops.eye(matrix.shape[-1], matrix.shape[-1], matrix.dtype)
        normal = ops.matmul(transposed, matrix) + eye * _number(l2_regularizer)
        return ops.cholesky_solve(ops.matmul(transposed, rhs), ops.cholesky(normal))

    return call


# -- sequences --------------------------------------------------------------------------------------------------------


def _edits(normalize: bool = True) -> Callable:
    """How many insertions, deletions and changes lead from one sequence to another, for sequences that are the rows of
    sparse tensors: V. I. Levenshtein, Soviet Physics Doklady 10 (1966)."""

    def rows(indices: Tensor, values: Tensor) -> dict[tuple[int, ...], list]:
        found: dict[tuple[int, ...], list] = {}
        for (*place, _), value in sorted(zip(indices.tolist(), values.tolist()), key=lambda each: each[0]):
            found.setdefault(tuple(place), []).append(value)
        return found

    def distance(one: list, other: list) -> int:
        before = list(range(len(other) + 1))
        for i, mine in enumerate(one, 1):
            now = [i]
            for j, theirs in enumerate(other, 1):
                now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (mine != theirs)))
            before = now
        return before[-1]

    def call(
        hypothesis_indices: Tensor, hypothesis_values: Tensor, hypothesis_shape: Tensor,
        truth_indices: Tensor, truth_values: Tensor, truth_shape: Tensor,
    ) -> Tensor:  # fmt: skip
        given, true = rows(hypothesis_indices, hypothesis_values), rows(truth_indices, truth_values)
        sizes = np.maximum(hypothesis_shape.asnumpy(), truth_shape.asnumpy())[:-1]
        result = np.zeros(sizes, np.float32)
        for place in np.ndindex(*sizes):
            one, other = given.get(place, []), true.get(place, [])
            count = float(distance(one, other))
            if normalize:
                count = count / len(other) if other else float("inf") if one else 0.0
            result[place] = count
        return Tensor(result)

    return call


def _without_repetition(ngram_size: int = 1) -> Callable:
    """The least number for words that would end a sequence of `ngram_size` words which has been there already."""

    def call(state_seq: Tensor, log_probs: Tensor) -> Tensor:
        told, scores = state_seq.asnumpy(), log_probs.asnumpy().copy()
        least = np.finfo(scores.dtype).min
        for place in np.ndindex(*told.shape[:-1]):
            words = told[place].tolist()
            last = words[len(words) - ngram_size + 1 :]
            for start in range(len(words) - ngram_size + 1):
                if words[start : start + ngram_size - 1] == last:
                    scores[(*place, words[start + ngram_size - 1])] = least
        return Tensor(scores)

    return call


# -- random numbers ---------------------------------------------------------------------------------------------------


def _units(count: int, seed: int) -> Tensor:
    return ops.rand(count, seed=seed or None).astype(float64)


def _log(number: int) -> Tensor:
    return ops.log(Tensor(number, float64))


def _candidates(name: str, probability: Callable[[Any, int], Any], choose: Callable[[Any, int], Any]) -> Callable:
    """Classes that are no answers, for a loss over some of very many. Given are the drawn, and how often the true and the
    drawn are expected among as many: G. Jean et al., On Using Very Large Target Vocabulary (ACL 2015)."""

    def make(
        num_true: int = 1, num_sampled: int = 5, unique: bool = True, range_max: int = 5, seed: int = 0,
        remove_accidental_hits: bool = False,
    ) -> Callable:  # fmt: skip
        if unique and num_sampled > range_max:
            raise OpValueError(f"{name}: {range_max} classes have no {num_sampled} different ones", arg="num_sampled")

        def call(true_classes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
                raise OpValueError(
                    f"{name} needs (n, {num_true}) classes, but got {true_classes.shape}", arg="true_classes"
                )
            drawn: list[int] = []
            tries = 0
            while len(drawn) < num_sampled:
                for each in choose(_units(num_sampled, seed + tries if seed else 0), range_max).tolist():
                    tries += 1
                    each = min(int(each), range_max - 1)
                    if not unique or each not in drawn:
                        drawn.append(each)
                    if len(drawn) == num_sampled:
                        break

            def expected(classes: Any) -> Tensor:
                p = probability(Tensor(classes, float64), range_max)
                return (-ops.expm1(ops.log1p(-p) * tries) if unique else p * tries).astype(float32)

            return Tensor(drawn, true_classes.dtype), expected(true_classes.asnumpy()), expected(drawn)

        return call

    return make


def _truncated(seed: int = 0, seed2: int = 0) -> Callable:
    """Normal numbers between bounds, a row of the result for each mean: by the inverse of the distribution function."""

    def call(shape: Any, mean: Tensor, stdevs: Tensor, min: Tensor, max: Tensor) -> Tensor:
        sizes = tuple(map(int, _numbers(shape)))
        across = (-1, *(1 for _ in sizes[1:]))
        m, s, low, high = (each.reshape(-1).reshape(across) for each in (mean, stdevs, min, max))
        a, b = (ops.erf((each - m) / (s * 2**0.5)) for each in (low, high))
        u = ops.rand(*sizes, seed=seed or seed2 or None)
        return ops.clamp(m + s * 2**0.5 * ops.erfinv(a + (b - a) * u), low, high)

    return call


# -- sparse matrices as tensors ---------------------------------------------------------------------------------------


def _dense_sum(x1_indices: Tensor, x1_values: Tensor, x1_shape: Any, x2: Tensor) -> Tensor:
    return ops.tensor_scatter_add(x2, x1_indices, x1_values)


def _dense_product(adjoint_st: bool = False, adjoint_dt: bool = False) -> Callable:
    def call(indices: Tensor, values: Tensor, sparse_shape: Any, dense: Tensor) -> Tensor:
        shape = tuple(map(int, _numbers(sparse_shape)))
        rows, columns, height = indices[:, 0], indices[:, 1], shape[0]
        if adjoint_st:
            rows, columns, height = columns, rows, shape[1]
            values = ops.conj(values) if values.dtype.is_complex else values
        if adjoint_dt:
            dense = ops.conj(dense).T if dense.dtype.is_complex else dense.T
        parts = ops.gather(dense, columns, 0) * values.reshape((-1, 1))
        return ops.unsorted_segment_sum(parts, rows, height)

    return call


def _sliced(indices: Tensor, values: Tensor, shape: Any, start: Any, size: Any) -> tuple[Tensor, Tensor, Tensor]:
    where, first = indices.asnumpy(), np.array(_numbers(start))
    length = np.minimum(_numbers(size), np.array(_numbers(shape)) - first)
    kept = np.flatnonzero(((where >= first) & (where < first + length)).all(1))
    chosen = Tensor(kept, int64)
    return Tensor(where[kept] - first, int64), ops.gather(values, chosen, 0), Tensor(length, int64)


def _coalesced(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Each place once, in order; values of the same place are added. Places are columns."""
    places, which = np.unique(x_indices.asnumpy(), axis=1, return_inverse=True)
    values = ops.unsorted_segment_sum(x_values, Tensor(which.reshape(-1), int64), places.shape[1])
    return Tensor(places, x_indices.dtype), values, x_shape


# -- steps ------------------------------------------------------------------------------------------------------------


def _dual_averaging(use_locking: bool = False) -> Callable:
    """Duchi, Hazan & Singer, Adaptive Subgradient Methods (JMLR 2011), the primal-dual form."""

    def call(
        var: Tensor, gradient_accumulator: Tensor, gradient_squared_accumulator: Tensor, grad: Tensor, lr: Any, l1: Any,
        l2: Any, global_step: Any,
    ) -> Tensor:  # fmt: skip
        total = ops.assign(gradient_accumulator, gradient_accumulator + grad)
        squares = ops.assign(gradient_squared_accumulator, gradient_squared_accumulator + grad * grad)
        pulled = ops.sign(total) * ops.maximum(ops.abs(total) - l1 * global_step, 0)
        return ops.assign(var, -pulled * lr / (l2 * global_step * lr + ops.sqrt(squares)))

    return call


def _adam_with_decay(use_locking: bool = False) -> Callable:
    """Adam without its corrections, with a decay of its own: Loshchilov & Hutter, Decoupled Weight Decay (ICLR 2019)."""

    def call(
        var: Tensor, m: Tensor, v: Tensor, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, gradient: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        ops.assign(m, m * beta1 + gradient * (1 - beta1))
        ops.assign(v, v * beta2 + gradient * gradient * (1 - beta2))
        return ops.assign(var, var - lr * (m / (ops.sqrt(v) + epsilon) + decay * var)), m, v

    return call


#: Classes: functions from their arguments to the function of the call.
SELDOM: dict[str, Callable] = {
    # windows in time
    "BartlettWindow": lambda periodic=True, dtype=float32: (
        lambda window_length: ops.bartlett_window(int(_number(window_length)), periodic, dtype=as_dtype(dtype))
    ),
    "BlackmanWindow": lambda periodic=True, dtype=float32: (
        lambda window_length: ops.blackman_window(int(_number(window_length)), periodic, dtype=as_dtype(dtype))
    ),
    "HammingWindow": lambda periodic=True, alpha=0.54, beta=0.46, dtype=float32: (
        lambda length: ops.hamming_window(int(_number(length)), periodic, alpha, beta, dtype=as_dtype(dtype))
    ),
    "STFT": lambda n_fft, hop_length, win_length, normalized, onesided, return_complex: (
        lambda x, window: ops.stft(
            x, n_fft, hop_length, win_length, window, False, "reflect", normalized, onesided, return_complex
        )
    ),
    # elements
    "Assert": _asserted,
    "CompareAndBitpack": lambda: _packed,
    "DiagPart": lambda: _diagonal,
    "Eps": lambda: lambda x: ops.full_like(x, float(np.finfo(x.dtype.numpy).eps)),
    "Histogram": _counted,
    "LerpScalar": lambda: lambda input, end, weight: ops.lerp(input, end, weight),
    "NuclearNorm": _nuclear,
    # shapes
    "ExtractVolumePatches": _volumes,
    "PadV3": _padded,
    "ParallelConcat": lambda: lambda values: ops.concat(values),
    "ResizeArea": _areas,
    "InplaceIndexAdd": lambda axis: lambda var, indices, updates: ops.assign(
        var, ops.index_add(ops.copy(var), indices, updates, axis)
    ),
    # windows of images
    "MaxPool3DWithArgmax": lambda ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format="NCDHW",
        argmax_type=int64: lambda x: ops.max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True),
    "FractionalMaxPoolWithFixedKsize": lambda ksize, output_shape, data_format="NCHW": (
        lambda input_x, random_samples: ops.fractional_max_pool2d(
            input_x, ksize, output_shape, return_indices=True, _random_samples=random_samples
        )
    ),
    "FractionalMaxPool3DWithFixedKsize": lambda ksize, output_shape, data_format="NCDHW": (
        lambda x, random_samples: ops.fractional_max_pool3d(
            x, ksize, output_shape, return_indices=True, _random_samples=random_samples
        )
    ),
    # equations, sequences
    "MatrixSolveLs": _least_squares,
    "EditDistance": _edits,
    "NoRepeatNGram": _without_repetition,
    # random numbers
    "Cauchy": lambda size, median=0.0, sigma=1.0: (
        lambda: ops.tan((ops.rand(*size) - 0.5) * math.pi) * sigma + median
    ),
    "LogNormalReverse": lambda mean=1.0, std=2.0: lambda input: ops.exp(ops.randn_like(input) * std + mean),
    "LogUniformCandidateSampler": _candidates(
        "LogUniformCandidateSampler",
        lambda classes, count: ops.log((classes + 2) / (classes + 1)) / _log(count + 1),
        lambda units, count: ops.exp(units * _log(count + 1)) - 1,
    ),
    "UniformCandidateSampler": _candidates(
        "UniformCandidateSampler",
        lambda classes, count: ops.full_like(classes, 1 / count),
        lambda units, count: units * count,
    ),
    "MultinomialWithReplacement": lambda numsamples, replacement=False: (
        lambda x, seed, offset: ops.multinomial(x, numsamples, replacement, int(_number(seed)) or None)
    ),
    "NonDeterministicInts": lambda dtype=int64: (
        lambda shape: ops.randint(0, 2**31 - 1, _numbers(shape), dtype=as_dtype(dtype))
    ),
    "ParameterizedTruncatedNormal": _truncated,
    "RandpermV2": lambda seed=0, offset=0, dtype=int64: (
        lambda n: ops.randperm(int(_number(n)), seed or None, dtype=as_dtype(dtype))
    ),
    # sparse matrices as tensors
    "Coalesce": lambda: _coalesced,
    "SparseSlice": lambda: _sliced,
    "SparseTensorDenseAdd": lambda: _dense_sum,
    "SparseTensorDenseMatmul": _dense_product,
    # steps
    "AdamWeightDecay": _adam_with_decay,
    "ApplyAdagradDA": _dual_averaging,
}  # fmt: skip

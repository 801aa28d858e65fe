"""Signals: windows, Fourier transforms, which are products with matrices here, mel scales."""

from __future__ import annotations

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.tensor import Tensor
from anfora.onnx.table import Float, Int, dtype_of, reads

_TURN = 6.283185307179586


def _window(kind: str, *factors: float) -> None:
    @reads(kind)
    def window(size: Int, *, output_datatype=1, periodic=1):
        size = int(size)
        angle = Tensor(np.arange(size) * (_TURN / max(size if periodic else size - 1, 1)))
        total = factors[0]
        for k, factor in enumerate(factors[1:], 1):
            total = total + factor * ops.cos(angle * k)
        return ops.cast(total, dtype_of(output_datatype))


_window("HannWindow", 0.5, -0.5)
_window("HammingWindow", 25 / 46, -21 / 46)
_window("BlackmanWindow", 0.42, -0.5, 0.08)


def _waves(rows, columns):
    """Cosine and sine of 2π j k / n as float64 (rows, n); the products are taken modulo n, so no digit is lost."""
    n = columns
    turns = np.outer(np.arange(rows), np.arange(n)) % n
    line = Tensor(np.arange(n) * (_TURN / n))
    places = Tensor(turns)
    return ops.gather(ops.cos(line), places, 0), ops.gather(ops.sin(line), places, 0)


def _fourier(real, imaginary, length, inverse):
    """Along the last axis, brought to a length."""

    def sized(x):
        n = x.shape[-1]
        if n >= length:
            return ops.narrow(x, x.ndim - 1, 0, length)
        return ops.concat((x, ops.zeros((*x.shape[:-1], length - n), x.dtype)), -1)

    cosine, sine = _waves(length, length)
    if inverse:
        sine = -sine
    re = sized(ops.cast(real, dt.float64))
    y_re, y_im = ops.matmul(re, cosine), -ops.matmul(re, sine)
    if imaginary is not None:
        im = sized(ops.cast(imaginary, dt.float64))
        y_re, y_im = y_re + ops.matmul(im, sine), y_im + ops.matmul(im, cosine)
    return (y_re / length, y_im / length) if inverse else (y_re, y_im)


@reads("DFT")
def dft(input, dft_length: Int = None, axis: Int = None, *, inverse=0, onesided=0, version):
    axis = (1 if version < 20 else -2) if axis is None else int(axis)
    axis = axis % input.ndim
    parts = [ops.swapaxes(input[..., i], axis, input.ndim - 2) for i in range(input.shape[-1])]
    n = input.shape[axis]
    if inverse and onesided:  # from one half to real numbers
        length = 2 * (n - 1) if dft_length is None else int(dft_length)
        re, im = parts
        end = n - 1 if length % 2 == 0 else n
        mirror = [ops.flip(part[..., 1:end], (part.ndim - 1,)) for part in (re, im)]
        re, im = ops.concat((re, mirror[0]), -1), ops.concat((im, -mirror[1]), -1)
        found = [_fourier(re, im, length, True)[0]]
    else:
        length = n if dft_length is None else int(dft_length)
        found = list(_fourier(parts[0], parts[1] if len(parts) > 1 else None, length, bool(inverse)))
        if onesided:
            found = [part[..., : length // 2 + 1] for part in found]
    return ops.cast(ops.stack(tuple([ops.swapaxes(part, axis, input.ndim - 2) for part in found]), -1), input.dtype)


@reads("STFT")
def stft(signal, frame_step: Int, window=None, frame_length: Int = None, *, onesided=1):
    length = int(frame_length) if frame_length is not None else window.shape[0]
    step, n = int(frame_step), signal.shape[1]
    count = (n - length) // step + 1
    places = Tensor(np.arange(count)[:, None] * step + np.arange(length))
    parts = [ops.gather(signal[..., i], places, 1) for i in range(signal.shape[-1] if signal.ndim == 3 else 1)]
    if window is not None:
        parts = [part * window for part in parts]
    found = _fourier(parts[0], parts[1] if len(parts) > 1 else None, length, False)
    if onesided:
        found = tuple([part[..., : length // 2 + 1] for part in found])
    return ops.cast(ops.stack(found, -1), signal.dtype)


@reads("MelWeightMatrix")
def mel_weights(
    num_mel_bins: Int, dft_length: Int, sample_rate: Int, lower_edge_hertz: Float, upper_edge_hertz: Float, *,
    output_datatype=1,
):  # fmt: skip
    bins, length = int(num_mel_bins), int(dft_length)
    ends = Tensor(np.array([lower_edge_hertz, upper_edge_hertz], np.float64))
    low, high = (2595 * ops.log10(1 + ends / 700)).tolist()
    mels = Tensor(np.arange(bins + 2) * ((high - low) / (bins + 2)) + low)
    hertz = 700 * (ops.pow(Tensor(10.0, dt.float64), mels / 2595) - 1)
    edges = np.floor((length + 1) * hertz.asnumpy() / sample_rate).astype(np.int64)
    made = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        lower, center, higher = edges[i : i + 3]
        if center == lower:
            made[center, i] = 1
        for j in range(lower, center + 1):
            if center > lower:
                made[j, i] = (j - lower) / (center - lower)
        for j in range(center, higher):
            made[j, i] = (higher - j) / (higher - center)
    return Tensor(made, dtype_of(output_datatype))

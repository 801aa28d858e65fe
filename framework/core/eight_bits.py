"""Floating-point numbers of eight bits: what their 256 codes mean, and the nearest code of a number.

                    sign, exponent, fraction    largest    what is larger
    float8_e4m3fn   1, 4, 3                     448        NaN: there is no infinity
    float8_e5m2     1, 5, 2                     57344      infinity
    hifloat8        1, then a prefix that says how the other seven bits are shared: three of fraction near 1, one or none
                    far from it                 32768      infinity; zero has no sign

Numbers go to the nearest code; halfway between two to the even one, for hifloat8 to the larger. Tensors keep the codes in a
uint8 array. Nothing is computed with them: they are converted.
"""

from __future__ import annotations

import functools

import numpy as np

from anfora.core.dtype import DType, float8_e4m3fn, float8_e5m2, hifloat8

__all__ = ["decode", "encode"]


def _ieee(code: int, fraction: int, bias: int) -> float:
    """The number of a code with a fraction of some bits behind its exponent."""
    exponent, part = code >> fraction, (code & (1 << fraction) - 1) / (1 << fraction)
    return float(part * 2.0 ** (1 - bias) if exponent == 0 else (1 + part) * 2.0 ** (exponent - bias))


#: Prefixes of hifloat8, each with its bits and the bits of the exponent behind it; that has a sign, and its first one bit
#: is left out. What remains is the fraction.
_PREFIXES = ((0b11, 2, 4), (0b10, 2, 3), (0b01, 2, 2), (0b001, 3, 1), (0b0001, 4, 0))


def _hifloat(code: int) -> float:
    for prefix, bits, width in _PREFIXES:
        if code >> 7 - bits == prefix:
            fraction = 7 - bits - width
            field = code >> fraction & (1 << width) - 1
            sign, size = (field >> width - 1, field & (1 << width - 1) - 1 | 1 << width - 1) if width else (0, 0)
            return float((1 + (code & (1 << fraction) - 1) / (1 << fraction)) * 2.0 ** (-size if sign else size))
    return 2.0 ** (code - 23) if code else 0.0


def _positive(dtype: DType) -> tuple[list[float], int, int]:
    """The numbers of the codes below 128, the code of what is too large, and that of NaN."""
    if dtype is hifloat8:
        return [_hifloat(code) for code in range(128)], 0x6F, 0x80
    if dtype is float8_e4m3fn:
        return [_ieee(code, 3, 7) for code in range(128)], 0x7F, 0x7F
    return [_ieee(code, 2, 15) for code in range(128)], 0x7C, 0x7E


@functools.cache
def _numbers(dtype: DType) -> np.ndarray:
    """The numbers of all codes."""
    numbers, large, nan = _positive(dtype)
    numbers[large] = np.inf
    if dtype is float8_e5m2:
        numbers[large + 1 :] = [np.nan] * 3
    elif dtype is float8_e4m3fn:
        numbers[nan] = np.nan
    both = np.array([*numbers, *(-number for number in numbers)], np.float32)
    if dtype is hifloat8:
        both[nan] = np.nan
    both.setflags(write=False)
    return both


@functools.cache
def _steps(dtype: DType) -> tuple[np.ndarray, np.ndarray]:
    """The codes of the numbers from zero upwards, the last one for what is too large; and where one ends and the next
    begins: a number that is not below a bound has the code behind it."""
    numbers, large, _ = _positive(dtype)
    codes = np.array(
        sorted((c for c in range(128) if dtype is hifloat8 or c <= large), key=numbers.__getitem__), np.uint8
    )
    values = np.array(numbers)[codes]
    bounds = (values[:-1] + values[1:]) / 2
    goes_down = np.zeros(len(bounds), bool) if dtype is hifloat8 else codes[:-1] % 2 == 0
    bounds[goes_down] = np.nextafter(bounds[goes_down], np.inf)
    return codes, bounds


def decode(codes: np.ndarray, dtype: DType) -> np.ndarray:
    """The numbers of codes, as float32."""
    return np.asarray(_numbers(dtype)[codes])


def encode(array: np.ndarray, dtype: DType) -> np.ndarray:
    """The nearest codes of numbers."""
    numbers = np.asarray(array, np.float64)
    codes, bounds = _steps(dtype)
    found = np.asarray(codes[np.searchsorted(bounds, np.abs(numbers), "right")])
    found = np.where(np.isnan(numbers), np.uint8(_positive(dtype)[2]), found)
    is_signed = np.signbit(numbers) & ((dtype is not hifloat8) | (found != 0))  # zero has no sign there
    return np.where(is_signed, found | 0x80, found).astype(np.uint8)

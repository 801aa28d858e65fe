"""Images of bytes as planes of float32: (x − mean) / std, channel by channel, in one pass over the memory.

A step reads C vectors of L bytes, which hold L pixels, and picks the bytes of each channel out of them by C − 1 shuffles.
Each element is one subtraction and one division in float32, rounded as IEEE 754 says; no order is left open.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from anfora.kernel.build import recipe
from anfora.kernel.emit import F32, Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.target import target

__all__ = ["normal_planes"]


@recipe
def planes(channels: int) -> Module:
    """words: source out | pixels of an image | mean std. Units are images."""
    fn = Function("kernel", [("ptr", "words")])
    source, out = (fn.word(HEADER + i).pointer() for i in range(2))
    pixels = fn.word(HEADER + 2)
    means, stds = (
        [fn.load(fn.word(HEADER + 3 + i).pointer(), F32, channel) for channel in range(channels)] for i in range(2)
    )
    lanes = target().vector_bytes // F32.bytes
    whole = pixels // lanes * lanes
    with fn.loop(fn.word(0), fn.word(1)) as image:
        here = source + image * pixels * channels
        there = [out + (image * channels + channel) * pixels * F32.bytes for channel in range(channels)]

        def store(bytes_: Value, channel: int, pixel: Value) -> None:
            fn.store((bytes_.to("f32") - means[channel]) / stds[channel], there[channel] + pixel * F32.bytes)

        with fn.loop(0, whole, lanes) as pixel:
            at = here + pixel * channels
            parts = [fn.load(at + i * lanes, Type("u8", lanes)) for i in range(channels)]
            for channel in range(channels):
                store(_picked(fn, parts, channel), channel, pixel)
        with fn.loop(whole, pixels) as pixel:
            for channel in range(channels):
                store(fn.load(here + pixel * channels + channel, Type("u8")), channel, pixel)
    fn.ret(0)
    return fn.module


def _picked(fn: Function, parts: list[Value], channel: int) -> Value:
    """The bytes of one channel out of vectors that follow each other: each shuffle adds those that lie in one more part."""
    lanes = parts[0].type.lanes
    places = [lane * len(parts) + channel for lane in range(lanes)]
    found = parts[0]
    for number, part in enumerate(parts[1:], 1):
        picked = []
        for lane, place in enumerate(places):
            where, inside = divmod(place, lanes)
            if where == number:
                picked.append(lanes + inside)
            else:
                picked.append(inside if number == 1 and where == 0 else lane)
        found = fn.shuffle(found, part, picked)
    return found


@functools.cache
def _function(channels: int) -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(planes.address(channels))


def normal_planes(images: np.ndarray, mean: np.ndarray, std: np.ndarray, out: np.ndarray) -> None:
    """Write (images − mean) / std, without the lock of the interpreter.

    Args:
        images: (N, H, W, C) uint8, contiguous, C from 2 to 4.
        mean, std: (C,) float32.
        out: (N, C, H, W) float32, contiguous.
    """
    count, height, width, channels = images.shape
    words = (ctypes.c_int64 * (HEADER + 5))(
        0, count, 0, images.ctypes.data, out.ctypes.data, height * width, mean.ctypes.data, std.ctypes.data
    )
    _function(channels)(words)

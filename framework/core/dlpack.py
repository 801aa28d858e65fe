"""DLPack: arrays of other libraries (torch, jax, numpy, …) in and out, without a copy.

A capsule of theirs is read here and not by numpy, which has no bfloat16, and before 2.1 cannot tell what must not be
written to. It stays alive with the array that is made of it, and frees the memory when it goes. Of ours, numpy makes the
capsule; the 16 bits of bfloat16 travel as uint16, and the type that the capsule names is written over.

    struct DLTensor { void *data; struct { int32 type, id; } device; int32 ndim; struct { uint8 code, bits; uint16 lanes; }
                      dtype; int64 *shape, *strides; uint64 byte_offset; }
    struct DLManagedTensor { DLTensor; … }                                          capsule "dltensor"
    struct DLManagedTensorVersioned { uint32 major, minor; void *context, *deleter; uint64 flags; DLTensor; }
                                                                                    capsule "dltensor_versioned"
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from anfora.core import dtype as dt
from anfora.core.dtype import DType
from anfora.core.errors import OpBufferError

__all__ = ["CPU", "capsule_of", "is_producer", "taken"]

CPU = (1, 0)  #: where memory lies, as DLPack tells it
_HOST = (1, 3, 11)  #: kinds of devices whose memory is the CPU's: its own, and what CUDA and ROCm have pinned of it
_CODES = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "c", 6: "b"}
_TYPES = {(dtype.code.rstrip("0123456789"), dtype.bits): dtype for dtype in dt.ALL}
_BFLOAT = 4
_READ_ONLY = 1

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
    )  # fmt: skip


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor),
    )  # fmt: skip


def is_producer(value: Any) -> bool:
    """Whether something hands out its memory through DLPack."""
    kind = type(value)
    return hasattr(kind, "__dlpack__") and hasattr(kind, "__dlpack_device__")


def capsule_of(array: np.ndarray, dtype: DType, stream: Any, max_version: Any, dl_device: Any, copy: Any) -> Any:
    """The capsule of an array, which holds elements of `dtype`; see the standard's `__dlpack__`."""
    if stream is not None:
        raise OpBufferError(f"memory of the CPU has no streams, but `stream` is {stream!r}")
    if dl_device is not None and tuple(dl_device) != CPU:
        raise OpBufferError(f"the tensor lies on the CPU, {CPU}, and cannot be handed out on {tuple(dl_device)}")
    if dtype.is_eight_bits:
        raise OpBufferError(
            f"a {dtype} tensor is not handed out through DLPack; convert it first, e.g. x.astype(float32)"
        )
    array = np.array(array, order="C") if copy else array
    # numpy before 2.1 makes capsules without a version alone, which every consumer takes
    capsule = array.__dlpack__(**{"max_version": max_version} if _NEW and max_version is not None else {})
    if dtype is dt.bfloat16:
        _content(capsule)[0].code = _BFLOAT
    return capsule


_NEW = tuple(int(n) for n in np.__version__.split(".")[:2]) >= (2, 1)


def _content(capsule: Any) -> tuple[_Tensor, bool | None]:
    """What a capsule points to, and whether it must not be written to; None: one without a version does not tell."""
    if _name(capsule) == b"dltensor":
        return _Tensor.from_address(_pointer(capsule, b"dltensor")), None
    whole = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
    if whole.major != 1:
        raise BufferError(f"version {whole.major} of DLPack is not known here")
    return whole.tensor, bool(whole.flags & _READ_ONLY)


class _Taken:
    """Makes `np.asarray` give the memory of a capsule, which it keeps alive."""

    __slots__ = ("__array_interface__", "capsule")

    def __init__(self, capsule: Any, interface: dict[str, Any]) -> None:
        self.capsule, self.__array_interface__ = capsule, interface


def taken(source: Any, trusting: bool = False) -> tuple[np.ndarray, DType]:
    """The memory of a producer as an array, and its element type. What may not be written to is not writeable.

    Args:
        trusting: of memory of which nobody tells whether it may be written to (jax's, which it takes for unchanging), think
            that it may.
    Raises:
        OpBufferError: it does not lie on the CPU, its type is none of ours, or the producer hands out nothing, and why.
    """
    device = tuple(int(n) for n in source.__dlpack_device__())
    if device[0] not in _HOST:
        raise OpBufferError(
            f"the {type(source).__name__} lies on the device {device}, and not on the CPU, {CPU}",
            help="move it to the CPU first.",
        )
    try:
        try:
            capsule = source.__dlpack__(max_version=(1, 0))
        except TypeError:  # one from before there were versions
            capsule = source.__dlpack__()
        tensor, told = _content(capsule)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise OpBufferError(f"the {type(source).__name__} cannot be taken through DLPack: {error}") from error
    dtype = _TYPES.get((_CODES.get(tensor.code, ""), tensor.bits))
    if dtype is None or tensor.lanes != 1:
        kind = {**_CODES, 5: "complex"}.get(tensor.code, f"code {tensor.code}")
        raise OpBufferError(
            f"the {type(source).__name__} has elements of the type {kind} of {tensor.bits} bits, which tensors lack"
        )
    shape = tuple(tensor.shape[: tensor.ndim])
    if 0 in shape:
        return np.empty(shape, dtype.storage), dtype
    strides = tuple(n * dtype.itemsize for n in tensor.strides[: tensor.ndim]) if tensor.strides else None
    read_only = not trusting if told is None else told
    interface = {
        "version": 3, "data": (tensor.data + tensor.offset, read_only), "shape": shape, "strides": strides,
        "typestr": dtype.storage.str,
    }  # fmt: skip
    array = np.asarray(_Taken(capsule, interface))
    return array if array.flags.aligned else array.copy(), dtype

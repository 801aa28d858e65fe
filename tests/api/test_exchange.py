"""Arrays of other libraries, in and out: DLPack, the buffer protocol, einops."""

from __future__ import annotations

import array
import ctypes
import gc
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.core.errors import OpRuntimeError

KINDS = [dtype for dtype in ms.core.dtype.ALL if dtype is not ms.bfloat16]


class Producer:
    """An array of a library that is no numpy: `__dlpack__` as it was before there were versions, or with them."""

    def __init__(self, held, device=(1, 0), versions=True):
        self.held, self.device = held, device
        if not versions:
            self.__class__ = Older

    def __dlpack__(self, **kwargs):
        return self.held.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.device


class Older(Producer):
    def __dlpack__(self, stream=None):
        return self.held.__dlpack__()


class Refusing(Producer):
    def __dlpack__(self, **kwargs):
        raise BufferError("it requires a gradient")


@pytest.mark.parametrize("versions", [True, False])
@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_a_producer_is_taken_with_its_type(dtype, versions):
    held = np.array([[1, 0, 1], [0, 0, 1]]).astype(dtype.storage)[:, ::2]
    copied = Tensor(Producer(held, versions=versions))
    shared = ms.from_dlpack(Producer(held, versions=versions), copy=False)
    assert copied.dtype is shared.dtype is dtype and copied.tolist() == shared.tolist() == held.tolist()
    held[0, 0] = 0
    assert copied[0, 0].item() == 1 and shared[0, 0].item() == 0
    shared[1, 1] = 0
    assert held[1, 1] == 0 and np.shares_memory(shared.asnumpy(), held)
    kind = ms.complex64 if dtype.is_complex else ms.float16
    assert Tensor(Producer(held), kind).dtype is kind


def test_bfloat16_passes():
    x = Tensor([1.0, 3.140625, -2.0], ms.bfloat16)
    y = ms.from_dlpack(Producer(x), copy=False)
    assert y.dtype is ms.bfloat16 and y.tolist() == [1.0, 3.140625, -2.0]
    y[1] = 7
    assert x.tolist() == [1.0, 7.0, -2.0]
    assert Tensor(Producer(x)).dtype is ms.bfloat16 and Tensor(Producer(x, versions=False)).tolist() == x.tolist()


def test_the_capsule_names_bfloat16():
    class Managed(ctypes.Structure):  # a DLTensor, by the header of DLPack
        _fields_ = [
            ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
            ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ]  # fmt: skip

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    for dtype, code in ((ms.bfloat16, 4), (ms.float16, 2), (ms.uint16, 1)):
        capsule = Tensor([[1.0, 2.0]], dtype).__dlpack__()
        told = Managed.from_address(pointer(capsule, b"dltensor"))
        assert (told.code, told.bits, told.lanes, told.ndim, told.device_type) == (code, 16, 1, 2, 1)


def test_what_the_standard_lets_a_consumer_ask_for():
    x = Tensor([1.0, 2.0])
    assert x.__dlpack_device__() == (1, 0)
    copied = np.from_dlpack(Producer(Taken(x, copy=True)))
    assert copied.tolist() == [1.0, 2.0] and not np.shares_memory(copied, x.asnumpy())
    assert np.shares_memory(np.from_dlpack(Producer(Taken(x, dl_device=(1, 0), copy=False))), x.asnumpy())
    for asked in ({"dl_device": (2, 0)}, {"stream": 1}):
        with pytest.raises(BufferError):
            x.__dlpack__(**asked)


class Taken:
    def __init__(self, tensor, **asked):
        self.tensor, self.asked = tensor, asked

    def __dlpack__(self, **kwargs):
        return self.tensor.__dlpack__(**{**kwargs, **self.asked})


class Versioned(ctypes.Structure):  # by the header of DLPack
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
    ]  # fmt: skip


def capsule_of(held, major, flags, lanes=1):
    """A capsule with a version, without strides and with an offset."""
    shape = (ctypes.c_int64 * 1)(held.size - 1)
    made = Versioned(major, 0, None, None, flags, held.ctypes.data, 1, 0, 1, 0, 32, lanes, shape, None, held.itemsize)
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return capsule(ctypes.addressof(made), b"dltensor_versioned", None), made


def test_a_library_may_say_that_its_memory_must_not_be_written_to():
    held = np.arange(3, dtype=np.int32)
    capsule, alive = capsule_of(held, 1, 1)

    class Immutable(Producer):
        def __dlpack__(self, **kwargs):
            return capsule

    x = ms.from_dlpack(Immutable(held))
    x[0] = 5
    assert held.tolist() == [0, 1, 2] and x.tolist() == [5, 2]
    with pytest.raises(BufferError, match="written"):
        ms.from_dlpack(Immutable(held), copy=False)
    alive.flags = 0
    ms.from_dlpack(Immutable(held), copy=False)[0] = 7
    assert held.tolist() == [0, 7, 2]
    for field, value, words in (("major", 2, "version 2"), ("lanes", 4, "int|i of 32"), ("bits", 4, "4 bits")):
        before = getattr(alive, field)
        setattr(alive, field, value)
        with pytest.raises(BufferError, match=words):
            ms.from_dlpack(Immutable(held))
        setattr(alive, field, before)


def test_empty_arrays_and_numbers():
    for held in (np.zeros((0, 3), np.float32), np.float32(2.5) * np.ones(()), np.ones((2, 1, 3))[::-1, :, ::2]):
        found = ms.from_dlpack(Producer(np.asarray(held)))
        assert found.shape == np.shape(held) and found.tolist() == np.asarray(held).tolist()


def test_memory_that_must_not_be_written_to_is_copied():
    held = np.arange(3.0)
    held.flags.writeable = False
    x = ms.from_dlpack(held)
    x[0] = 5
    assert held[0] == 0 and x.tolist() == [5.0, 1.0, 2.0] and x.dtype is ms.float64
    with pytest.raises(BufferError, match="written"):
        ms.from_dlpack(held, copy=False)
    unsaid = Producer(np.arange(3.0), versions=False)
    ms.from_dlpack(unsaid)[0] = 5
    assert unsaid.held[0] == 0
    free = np.arange(3.0)
    ms.from_dlpack(free, copy=True)[0] = 5
    assert free[0] == 0


@pytest.mark.parametrize("take", [Tensor, ms.from_dlpack])
@pytest.mark.parametrize(
    "given, words",
    [
        (Producer(np.ones(2), device=(2, 0)), "CPU"),
        (Refusing(np.ones(2)), "requires a gradient"),
    ],
    ids=["elsewhere", "refused"],
)
def test_what_cannot_be_taken_is_refused_in_words(take, given, words):
    with pytest.raises(BufferError, match=words):
        take(given)


def test_from_dlpack_takes_arrays_alone():
    with pytest.raises(TypeError, match="list"):
        ms.from_dlpack([1, 2])


def test_the_memory_lives_as_long_as_the_tensor():
    held = np.arange(4.0)
    x = ms.from_dlpack(Producer(held), copy=False)
    wanted = held.tolist()
    del held
    gc.collect()
    assert x.tolist() == wanted


def test_gradients_are_those_of_the_time_of_use():
    held = np.array([2.0, 3.0], np.float32)
    x = ms.from_dlpack(Producer(held), copy=False).requires_grad_()
    y = (x * x).sum()
    held[:] = 0
    y.backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_arrays_with_a_type_keep_it():
    assert Tensor(array.array("d", [0.1])).dtype is ms.float64
    assert Tensor(memoryview(np.array([0.1]))).dtype is ms.float64
    assert Tensor(memoryview(b"\1\2")).tolist() == [1, 2] and Tensor([0.1]).dtype is ms.float32


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python asks classes for buffers from 3.12 on")
def test_a_tensor_is_a_buffer():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with memoryview(x) as view:
        assert (view.format, view.shape, view.readonly) == ("f", (2, 2), False) and bytes(view) == x.asnumpy().tobytes()
        view[0, 1] = 7
    assert x.tolist() == [[1.0, 7.0], [3.0, 4.0]] and memoryview(x.T).strides == (4, 8)
    assert np.asarray(x) is not x and np.shares_memory(np.asarray(x), x.asnumpy())
    assert np.asarray(Tensor([1.5], ms.bfloat16)).dtype == np.float32
    with pytest.raises(BufferError):
        memoryview(Tensor([1.5], ms.bfloat16))
    with pytest.raises(OpRuntimeError, match="asnumpy"):
        ms.grad(lambda v: memoryview(v) and v.sum())(x)


def test_numpys_view_is_the_memory():
    x = Tensor([1.0, 2.0])
    memoryview(np.asarray(x))[0] = 5.0
    assert x.tolist() == [5.0, 2.0]


def test_frombuffer():
    held = bytearray(range(12))
    x = ms.frombuffer(held, ms.int16, 3, 2)
    np.testing.assert_array_equal(x.asnumpy(), np.frombuffer(held, np.int16, 3, 2))
    held[2] = 77
    assert x[0].item() == np.frombuffer(held, np.int16)[1]
    fixed = ms.frombuffer(bytes(held), ms.uint8)
    fixed[0] = 5
    assert held[0] == 0 and fixed[0].item() == 5
    for wrong, kind in (((held, ms.int64), ValueError), ((held, ms.int8, 13), ValueError), ((3, ms.int8), TypeError)):
        with pytest.raises(kind, match="frombuffer: "):
            ms.frombuffer(*wrong)


# -- einops -----------------------------------------------------------------------------------------------------------

IMAGES = np.random.default_rng(3).standard_normal((2, 6, 4)).astype(np.float32)


def mixed(x):
    """Some of each word of einops."""
    import einops

    y = einops.rearrange(x, "b (h w) c -> b c h w", h=2)
    packed, sizes = einops.pack([y, x], "b *")
    one, other = einops.unpack(packed, sizes, "b *")
    z = einops.reduce(y, "b c h w -> b c", "max") * einops.repeat(
        einops.reduce(x, "b n c -> b", "mean"), "b -> b c", c=4
    )
    return (z + einops.einsum(one[..., 0, :], one[..., 1, :], "b c w, b c w -> b c")).sum() + other[:, 0].sum()


PATTERNS = [
    ("rearrange", "b n c -> c (b n)", {}), ("rearrange", "b (h w) c -> h b w c", {"h": 3}),
    ("rearrange", "b n c -> b 1 n 1 c", {}), ("repeat", "b n c -> b (n k) c", {"k": 2}),
    ("repeat", "b n c -> k b n c", {"k": 3}), ("reduce", "b n c -> b c", {"reduction": "mean"}),
    ("reduce", "b (n k) c -> n c", {"reduction": "max", "k": 2}), ("reduce", "b n c -> n", {"reduction": "min"}),
    ("reduce", "b n c -> b 1 1", {"reduction": "sum"}), ("reduce", "b n c ->", {"reduction": "prod"}),
]  # fmt: skip


@pytest.mark.parametrize("wrapped", [Tensor, Parameter])
@pytest.mark.parametrize("word, pattern, named", PATTERNS)
def test_einops_gives_what_it_gives_for_numpy(word, pattern, named, wrapped):
    import einops

    found = getattr(einops, word)(wrapped(Tensor(IMAGES)), pattern, **named)
    assert isinstance(found, Tensor)
    np.testing.assert_allclose(found.asnumpy(), getattr(einops, word)(IMAGES, pattern, **named), rtol=1e-5)


def test_einops_takes_lists_and_says_shapes():
    import einops

    stacked = einops.rearrange([Tensor(IMAGES[0]), Tensor(IMAGES[1])], "b n c -> n b c")
    assert stacked.tolist() == IMAGES.transpose(1, 0, 2).tolist()
    assert einops.parse_shape(Tensor(IMAGES), "b _ c") == {"b": 2, "c": 4}
    assert isinstance(einops.asnumpy(Tensor(IMAGES)), np.ndarray)
    with pytest.raises(einops.EinopsError):
        einops.rearrange(Tensor(IMAGES), "b n -> n b")


def test_einops_has_gradients_in_both_modes():
    x = Tensor(IMAGES)
    value, gradient = ms.value_and_grad(mixed)(x)
    np.testing.assert_allclose(value.item(), mixed(IMAGES), rtol=1e-5)
    by_hand = ms.grad(by_operators)(x)
    np.testing.assert_allclose(gradient.asnumpy(), by_hand.asnumpy(), rtol=1e-5, atol=1e-6)
    compiled = ms.jit(ms.value_and_grad(mixed))
    for _ in range(3):
        again = compiled(x)
        assert again[0].tolist() == value.tolist() and again[1].tolist() == gradient.tolist()


def by_operators(x):
    """`mixed` in operators."""
    y = ops.transpose(x.reshape(2, 2, 3, 4), (0, 3, 1, 2))
    z = ops.amax(y, (2, 3)) * ops.mean(x, (1, 2)).reshape(2, 1)
    return (z + (y[..., 0, :] * y[..., 1, :]).sum(-1)).sum() + x[:, 0].sum()


class Patches(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(IMAGES[0, :4]), name="weight")

    def construct(self, x):
        import einops

        return einops.rearrange(x, "b n c -> (b n) c") @ einops.rearrange(self.weight, "i o -> o i")


def test_einops_in_a_network():
    net = Patches()
    by_weight = ms.grad(lambda: net(Tensor(IMAGES)).sum(), None, net.weight)()
    np.testing.assert_allclose(by_weight.asnumpy(), np.tile(IMAGES.reshape(-1, 4).sum(0), (4, 1)), rtol=1e-4)


@pytest.mark.parametrize("first", ["import anfora, einops", "import einops, anfora", "import einops._backends, anfora"])
def test_either_may_be_imported_first(first):
    program = f"""
        {first}
        assert einops.rearrange(anfora.Tensor([[1, 2]]), "a b -> b a").tolist() == [[1], [2]]
        import sys
        assert not [f for f in sys.meta_path if type(f).__module__ == "anfora.interop.neighbours"]
        assert einops._backends.__spec__.loader.get_source("einops._backends")
        assert type(einops._backends.__loader__).__module__ == "_frozen_importlib_external"
    """
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(program)], check=True)

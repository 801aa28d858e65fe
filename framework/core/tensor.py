"""Tensor: a handle on memory, with an element type, a shape and, under a tape, a history.

The buffer is a numpy array; several tensors may see the same memory (views). Operators and most methods are not written
here: `anfora.ops.methods` is the one table from which both modes take them.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core import dlpack, memory, slots
from anfora.core import dtype as dt
from anfora.core.abstract import Layout, TensorType
from anfora.core.arguments import answers
from anfora.core.border import NumpyBorder, refuse_followed
from anfora.core.dtype import DType, as_dtype
from anfora.core.eight_bits import decode, encode
from anfora.core.errors import OpBufferError, OpRuntimeError, OpTypeError, OpValueError, lost_parts
from anfora.core.habits import teach
from anfora.core.hooks import HookHandle
from anfora.core.shown import shown

if TYPE_CHECKING:  # what the table in ops/methods.py gives, as the stubs have it
    from anfora.core.tensor_methods import TensorMethods
else:
    TensorMethods = NumpyBorder

__all__ = [
    "Tensor", "Tensors", "from_buffer", "from_dlpack", "from_numpy", "frombuffer", "is_operand", "leave_to_tape", "move",
    "tensor", "wrap",
]  # fmt: skip


class Tensor(TensorMethods):
    """An array of numbers of one type, with operators, methods and gradients.

    Args:
        input_data: a number, a nested list or tuple of numbers, a numpy array, a Tensor, or the array of another library,
            through DLPack or as numpy reads it. The data is copied.
        dtype: the element type; taken from the data when not given (Python floats are float32, ints int64, bools bool).
        shape: with `init`: the shape of the tensor to be made. Without data and `init` a shape may have None for lengths
            that are not known, or be left out: such a tensor has no data, and describes an input to `Cell.set_inputs`.
        init: an initializer, which fills the tensor.
        const_arg: whether a compiled function may take the tensor as a constant when it is an argument; see
            `set_const_arg`. Changes no result.

    Raises:
        OpTypeError: the data is no array of numbers.
        OpValueError: `shape` is given together with data of another shape.

    Example:
        >>> Tensor([[1, 2], [3, 4]], float32).sum()
        Tensor(shape=[], dtype=Float32, value= 10)
    """

    # _array    the buffer or a view of it                 _layout  element type, shape, strides
    # _node     what produced it on the tape, or None      _base    for a view, the tensor it was taken from
    # _epoch    None or an Epoch (memory.py), another one when the memory or its history is replaced; a view whose epoch is
    #           not its base's is refreshed
    # _path     for a view, the view operators from the base to it
    # _mark     None, SAVED or an Export (memory.py)
    __slots__ = ("_array", "_base", "_epoch", "_layout", "_mark", "_node", "_path", "__dict__", "__weakref__")

    _array: np.ndarray
    _layout: Layout
    _node: Any
    _base: Tensor | None
    _epoch: memory.Epoch | None
    _path: tuple
    _mark: Any

    def __init__(
        self,
        input_data: Any = None,
        dtype: Any = None,
        shape: Any = None,
        init: Any = None,
        const_arg: bool = False,
        device: Any = None,
    ) -> None:
        if init is not None:
            if shape is None or dtype is None:
                raise OpValueError("Tensor needs `shape` and `dtype` together with `init`")
            size = (shape,) if isinstance(shape, int) else tuple(shape)
            buffer, kind = init(size, as_dtype(dtype)), as_dtype(dtype)
        elif input_data is None:
            if dtype is None:
                raise OpTypeError("Tensor needs data, or `shape` and `dtype` with `init`")
            kind = as_dtype(dtype)
            size = (shape,) if shape is None or isinstance(shape, int) else tuple(shape)
            if any(n is None or n < 0 for n in size):
                _fill(self, None, UnknownLayout.of(kind, (-2,) if shape is None else size))
                return
            buffer = np.zeros(size, kind.storage)
        else:
            buffer, kind = buffer_of(input_data, None if dtype is None else as_dtype(dtype))
            if shape is not None and tuple(shape) != buffer.shape:
                raise OpValueError(f"Tensor: the data has shape {buffer.shape}, but `shape` says {tuple(shape)}")
        _fill(self, buffer, TensorType(kind, buffer.shape).contiguous)
        if const_arg:
            self.set_const_arg(const_arg)

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._layout.shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._layout.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._layout.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._layout.size

    @property
    def itemsize(self) -> int:
        """Bytes an element."""
        return self._layout.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._layout.size * self._layout.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from an element to its neighbour along each axis."""
        return current(self)._layout.strides

    @property
    def has_init(self) -> bool:
        """Whether the data is still to be made by an initializer; never so here."""
        return False

    @property
    def init(self) -> None:
        """The initializer that is still to make the data; None, since tensors are filled when they are made."""
        return None

    @property
    def init_finished(self) -> bool:
        """Whether the data has been made; always so here."""
        return True

    def init_data(self, slice_index: Any = None, shape: Any = None, opt_shard_group: Any = None) -> Tensor:
        """Tensors are filled when they are made; gives the tensor."""
        return self

    @property
    def const_arg(self) -> bool:
        """Whether a compiled function may take the tensor as a constant when it is an argument."""
        return self.__dict__.get("_const_arg", False)

    def set_const_arg(self, const_arg: bool = True) -> Tensor:
        """Say whether a compiled function may take the tensor as a constant when it is an argument; gives the tensor.

        Raises:
            OpTypeError: that is no bool.
        Example:
            >>> Tensor(1).set_const_arg().const_arg
            True
        """
        if not isinstance(const_arg, bool):
            raise OpTypeError(f"`const_arg` must be a bool, but got {type(const_arg).__name__}", arg="const_arg")
        self.__dict__["_const_arg"] = const_arg
        return self

    @property
    def device(self) -> str:
        """Where the memory lies: "CPU"."""
        return "CPU"

    def dim(self) -> int:
        """The number of axes."""
        return len(self._layout.shape)

    def nelement(self) -> int:
        """The number of elements."""
        return self._layout.size

    numel = nelement

    def stride(self, dim: int | None = None) -> Any:
        """Elements (not bytes) from an element to its neighbour, along each axis or along `dim`."""
        steps = tuple(s // self.itemsize for s in self.strides)
        return steps if dim is None else steps[dim]

    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return current(self)._layout.is_contiguous

    def element_size(self) -> int:
        """Bytes an element."""
        return self._layout.dtype.itemsize

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """A tensor that shares the memory of a numpy array; see the function of that name.

        Example:
            >>> Tensor.from_numpy(np.ones(2)).tolist()
            [1.0, 1.0]
        """
        return from_numpy(array)

    def storage_offset(self) -> int:
        """Elements from the start of the memory to the first element."""
        array = current(self)._array
        owner = memory.root(array)
        return (array.ctypes.data - owner.ctypes.data) // self.itemsize

    # -- to numbers and arrays ----------------------------------------------------------------------------------------

    def asnumpy(self) -> np.ndarray:
        """The tensor as a numpy array that shares its memory: writing to one is seen in the other.

        A gradient is never falsified by such a write: where the tape needs the values, it keeps them for itself.
        bfloat16 and floating-point numbers of eight bits have no numpy type and come as a float32 copy.
        """
        return _shared(self) if _is_numpys(self._layout.dtype) else self._plain()

    numpy = asnumpy

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        refuse_followed(self, "DLPack", None)
        return dlpack.capsule_of(_shared(self), self._layout.dtype, stream, max_version, dl_device, copy)

    def __buffer__(self, flags: int) -> memoryview:
        """The memory, for `memoryview` and who else takes buffers; Python asks from 3.12 on."""
        if not _is_numpys(self._layout.dtype):
            raise OpBufferError(f"a {self._layout.dtype} tensor has no buffer: Python's buffers have no such type")
        refuse_followed(self, "a buffer", None)
        shared: Any = _shared(self)
        return shared.__buffer__(flags)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """`anfora.numpy`, by the array API standard.

        Raises:
            OpValueError: another version is asked for than those that it meets.
        """
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise OpValueError(f"anfora.numpy meets the array API standard 2024.12, but {api_version!r} is asked for")
        return import_module("anfora.numpy")

    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
        """The tensor: there is the device "CPU" alone.

        Raises:
            OpValueError: another device, or a stream, is asked for.
        Example:
            >>> Tensor([1]).to_device("CPU").tolist()
            [1]
        """
        if str(device).upper() != "CPU" or stream is not None:
            raise OpValueError(f'there is the device "CPU" alone, but got {device!r}', arg="device")
        return self

    def item(self, *index: int) -> Any:
        """The element at a flat index or at one index an axis (the only element, without arguments) as a Python
        number: a bool, int, float or complex."""
        if not index and self._layout.size != 1:
            raise OpValueError(
                f"item() needs a tensor of one element, but got {self._layout.type}",
                help="give the index of an element, or use tolist().",
            )
        array = self._plain()
        try:
            return array.item(*index)
        except IndexError as error:
            raise _index_error(str(error)) from None

    def tolist(self) -> Any:
        """The elements as (nested lists of) Python numbers."""
        return self._plain().tolist()

    def _plain(self) -> np.ndarray:
        """The values as numpy shows them; not to be written to."""
        array = _need_data(current(self))._array
        return as_numpy(array, self._layout.dtype)

    def _single(self, what: str) -> Any:
        if self._layout.size != 1:
            raise OpValueError(
                f"Only one element tensors can be converted to Python scalars: {what}() of a tensor needs one element, "
                f"but got {self._layout.type}",
                help="reduce it first, e.g. x.sum(), x.any() or x.all()." if what == "bool" else None,
            )
        return self._plain().item()

    def __bool__(self) -> bool:
        return bool(self._single("bool"))

    def __int__(self) -> int:
        return int(self._single("int"))

    def __float__(self) -> float:
        return float(self._single("float"))

    def __complex__(self) -> complex:
        return complex(self._single("complex"))

    def __index__(self) -> int:
        value = self._single("index")
        if not isinstance(value, int):
            raise OpTypeError(f"only an integer tensor can be used as an index, but got {self._layout.type}")
        return int(value)

    def __format__(self, spec: str) -> str:
        if spec and self._layout.size == 1 and not self._layout.shape:
            return format(self._single("format"), spec)
        return format(str(self), spec)

    # -- as a sequence ------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        if not self._layout.shape:
            raise OpTypeError("len() of a 0-d tensor")
        return self._layout.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self._layout.shape:
            raise OpTypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(self._layout.shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any()) if isinstance(value, (Tensor, int, float, complex, np.generic)) else False

    # -- printing -----------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return str(self._plain())

    def __repr__(self) -> str:
        digits = {dt.float16: 4}.get(self.dtype, 8) if _is_numpys(self.dtype) else None
        start = "\n" if self.ndim > 1 else " "
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value={start}{shown(self._plain(), digits)})"

    # -- identity, copies ---------------------------------------------------------------------------------------------

    __hash__ = object.__hash__

    def __copy__(self) -> Tensor:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> Tensor:
        if self._node is not None and not self.is_leaf:
            raise OpRuntimeError(
                "a tensor that was computed under the tape cannot be copied with copy(): its history would be lost",
                help="x.copy() copies and keeps the gradient, copy.copy(x.detach()) drops it.",
            )
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        source = current(self)
        if source._array is None:
            _fill(twin, None, source._layout)
        else:
            _need_data(source)
            _fill(twin, np.array(source._array, order="C"), source._layout.type.contiguous)
        state = {name: value for name, value in self.__dict__.items() if name != "_hooks"}
        twin.__dict__.update(copy.deepcopy(state, memo))
        if self.requires_grad:
            twin.requires_grad = True
        return twin

    def __reduce_ex__(self, protocol: Any) -> tuple:
        if self._node is not None and not self.is_leaf:
            raise OpRuntimeError(
                "a tensor that was computed under the tape cannot be pickled: its history would be lost",
                help="pickle x.detach().",
            )
        state = {name: value for name, value in self.__dict__.items() if name != "_hooks"}
        array = np.ascontiguousarray(_need_data(current(self))._array).reshape(self.shape)  # it turns 0-d into 1-d
        return _restore, (type(self), array, self._layout.dtype, self.requires_grad, state)

    # -- gradients ----------------------------------------------------------------------------------------------------

    @property
    def is_leaf(self) -> bool:
        """Whether no operator of the tape computed it."""
        node = current(self)._node
        return node is None or node.is_leaf

    @property
    def requires_grad(self) -> bool:
        """Whether operators on it are recorded. May be set for tensors that no operator computed."""
        return current(self)._node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not self.is_leaf:
            if value:
                return
            raise OpRuntimeError(
                "requires_grad can only be changed on a tensor that was not computed by an operator",
                help="x.detach() gives the same values without a history.",
            )
        if bool(value) != (self._node is not None):
            if value:
                self._node = make_leaf(self)
                if "_hooks" in self.__dict__:
                    self._node.hooks = {0: self.__dict__.pop("_hooks")}
            else:
                if self.hooks():
                    self.__dict__["_hooks"] = self._hook_table()
                self._node = None

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad` and return the tensor."""
        self.requires_grad = requires_grad
        return self

    #: The gradient that `backward()` has added up, or None.
    grad: Tensor | None = None

    def backward(self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False) -> None:
        """Add the gradients of this tensor to `.grad` of every leaf that it was computed from.

        Args:
            gradient: the gradient of this tensor; 1 when not given, and then it must have one element.
            retain_graph: keep what is needed to do it again; as `create_graph` when not given.
            create_graph: record what is done, so that `.grad` can be differentiated.
        Raises:
            OpRuntimeError: nothing it was computed from requires a gradient, or the graph has been used up.
        Example:
            >>> x = Tensor([1., 2.]).requires_grad_(); (x * x).sum().backward(); x.grad.tolist()
            [2.0, 4.0]
        """
        slots.backward(self, gradient, retain_graph, create_graph)

    def register_hook(self, hook: Callable[[Tensor], Any]) -> HookHandle:
        """Call `hook(gradient)` when the gradient of this tensor is known; what it returns replaces the gradient.

        A tensor that requires no gradient keeps its hooks until one is taken by it.

        Raises:
            OpTypeError: the hook is no function.
        Example:
            >>> x = Tensor(3.0)
            >>> with x.register_hook(lambda g: g * 10):
            ...     grad(lambda x: x * x)(x).item(), len(x.hooks())
            (60.0, 1)
        """
        if not callable(hook):
            raise OpTypeError(f"a hook must be a function, but got {type(hook).__name__}")
        table = self._hook_table()
        handle = HookHandle(table)
        table[handle.handle_id] = hook
        return handle

    def _hook_table(self) -> dict:
        node = current(self)._node
        return self.__dict__.setdefault("_hooks", {}) if node is None else node.hook_table()

    def hooks(self) -> list[Callable]:
        """The hooks of this tensor, in the order in which they are called."""
        return list(self._hook_table().values()) if self._node is not None or "_hooks" in self.__dict__ else []

    def retain_grad(self) -> None:
        """Let `backward()` fill `.grad` of this tensor too, though an operator computed it."""
        if self.is_leaf or self.__dict__.get("_retains"):
            return
        own = weakref.ref(self)

        def keep(gradient: Tensor) -> None:
            tensor = own()
            if tensor is not None:
                tensor.grad = gradient if tensor.grad is None else tensor.grad + gradient

        self.register_hook(keep)
        self.__dict__["_retains"] = True


answers(Tensor)
teach(Tensor, "Tensor")

Tensors = Sequence[Tensor]  #: in the signature of an operator: any number of tensors


# -- making tensors ---------------------------------------------------------------------------------------------------


def _fill(self: Tensor, array: np.ndarray | None, layout: Layout) -> None:
    self._array, self._layout = array, layout  # type: ignore[assignment]
    self._node = self._base = self._mark = self._epoch = None
    self._path = ()


def wrap(array: np.ndarray, layout: Layout, node: Any = None) -> Tensor:
    """A tensor on a buffer that belongs to it."""
    self = Tensor.__new__(Tensor)
    self._array, self._layout, self._node = array, layout, node
    self._base = self._mark = self._epoch = None
    self._path = ()
    return self


def from_buffer(array: np.ndarray, dtype: DType) -> Tensor:
    """A tensor on an array of the storage type of `dtype`, any strides."""
    return wrap(array, Layout(TensorType(dtype, array.shape), array.strides))


def tensor(input_data: Any = None, dtype: Any = None, shape: Any = None, init: Any = None, const_arg: bool = False):
    """Make a Tensor; the arguments are those of `Tensor`.

    Example:
        >>> tensor([1, 2], float32).tolist()
        [1.0, 2.0]
    """
    return Tensor(input_data, dtype, shape, init, const_arg)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares the memory of a numpy array: writing to one is seen in the other.

    Arrays that are not aligned, not in the machine's byte order or of a type that tensors lack are refused.
    Example:
        >>> array = np.zeros(2, np.float32)
        >>> x = from_numpy(array)
        >>> array[0] = 5
        >>> x.tolist()
        [5.0, 0.0]
    """
    if not isinstance(array, np.ndarray):
        raise OpTypeError(f"from_numpy needs a numpy array, but got {type(array).__name__}", arg="array")
    dtype = as_dtype(array.dtype)
    if not array.flags.aligned or not array.dtype.isnative:
        raise OpValueError("from_numpy needs an aligned array in the machine's byte order", help="use Tensor(array).")
    return _on_foreign(array, dtype)


def frombuffer(buffer: Any, dtype: Any, count: int = -1, offset: int = 0) -> Tensor:
    """A tensor of one axis that shares the memory of an object with Python's buffer protocol, such as a bytearray.

    Args:
        buffer: the object; one that cannot be written to is copied.
        dtype: how its bytes are read.
        count: how many elements there are; all by default.
        offset: bytes to leave out in front.
    Raises:
        OpTypeError: the object has no buffer.
        OpValueError: its bytes are no whole elements, or fewer than asked for.
    Example:
        >>> frombuffer(bytearray([1, 2, 3, 4]), ms.int16, offset=2).tolist()
        [1027]
    """
    try:
        array = np.frombuffer(buffer, as_dtype(dtype).numpy, count, offset)
    except TypeError as error:
        raise OpTypeError(f"frombuffer: {error}", arg="buffer") from error
    except ValueError as error:
        raise OpValueError(f"frombuffer: {error}", arg="buffer") from error
    return from_numpy(array if array.flags.writeable else array.copy())


def _on_foreign(array: np.ndarray, dtype: DType) -> Tensor:
    """A tensor on memory that the outside sees."""
    export = memory.Export()
    holder = memory.root(array)
    result = from_buffer(array[...] if array.ndim else array.reshape(()), dtype)
    export.watch(holder)
    result._mark = export
    return result


def from_dlpack(x: Any, *, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array, of torch, jax or numpy, say: writing to one is seen in the other.

    Args:
        x: an array with `__dlpack__`, on the CPU.
        copy: True: the tensor has memory of its own. None: also where the array must not be written to, and where its
            library does not say whether it may be (jax, for one). False: never.
    Raises:
        OpTypeError: it has no `__dlpack__`.
        OpBufferError: the memory lies elsewhere, has a type that tensors lack, or must not be written to (`copy=False`).
    Example:
        >>> array = np.zeros(2, np.float32)
        >>> x = from_dlpack(array)
        >>> array[0] = 5
        >>> x.tolist()
        [5.0, 0.0]
    """
    if not dlpack.is_producer(x):
        raise OpTypeError(f"from_dlpack needs an array with __dlpack__, but got {type(x).__name__}", arg="x")
    if (
        isinstance(x, np.ndarray) and x.dtype.isnative and x.flags.aligned
    ):  # it says what may be written to, in any version
        array, dtype = x, as_dtype(x.dtype)
    else:
        array, dtype = dlpack.taken(x, trusting=copy is False or isinstance(x, Tensor))
    if copy is False and not array.flags.writeable:
        raise OpBufferError(f"the {type(x).__name__} must not be written to, and is not to be copied")
    if copy or not array.flags.writeable:
        return wrap(np.array(array, order="C"), TensorType(dtype, array.shape).contiguous)
    return _on_foreign(array, dtype)


def buffer_of(data: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    """A fresh contiguous buffer with the given values, and its element type."""
    is_plain = type(data) in _NUMBERS or (type(data) in _SEQUENCES and _holds_numbers(data))
    if isinstance(data, Tensor):
        source, kind = _need_data(current(data))._array, data._layout.dtype
    elif not is_plain and not isinstance(data, (np.ndarray, np.generic)) and dlpack.is_producer(data):
        source, kind = dlpack.taken(data)
    else:
        if not is_plain and isinstance(data, (list, tuple)):
            data = _unpack(data)
        try:
            source = np.asarray(data)
        except ValueError:
            raise OpValueError(
                f"a tensor is made of nested lists of equal lengths, but got {_describe(data)}", arg="input_data"
            ) from None
        if source.dtype.kind not in "biufc" and source.dtype.name not in dt.FOREIGN:
            raise OpTypeError(
                f"a tensor is made of numbers, but got {_describe(data)}",
            )
        kind = as_dtype(source.dtype)
        if kind is dt.float64 and (is_plain or (isinstance(data, (int, float, list, tuple)) and not _has_numpy(data))):
            kind = dt.float32  # Python floats
        elif kind is dt.uint64 and not isinstance(data, (np.ndarray, np.generic)):
            raise OpValueError(f"the integer {data!r} does not fit into int64")
    dtype = dtype or kind
    if kind.is_complex and not (dtype.is_complex or dtype.is_bool):
        _lose_parts(data, kind, dtype)
        source, kind = source.real, kind.part
    return convert(source, kind, dtype), dtype


def _lose_parts(data: Any, kind: DType, dtype: DType) -> None:
    """Complex data for a tensor of a real type: of an array it is a conversion as by `astype`, numbers are refused."""
    from anfora.core import advice  # which knows Cells, by their places, and so tensors

    if not (isinstance(data, np.ndarray) or dlpack.is_producer(data)):
        raise lost_parts(dtype, "input_data", kind.name)
    advice.warn(advice.losing_parts(kind, dtype))


def convert(array: np.ndarray, kind: DType, dtype: DType) -> np.ndarray:
    """A contiguous copy of a buffer of element type `kind` with element type `dtype`, rounded to nearest even."""
    if kind is dtype and array.dtype == dtype.storage:
        return np.array(array, order="C")
    if array.dtype.name in dt.FOREIGN:  # as other packages have it
        if dtype is kind:
            return np.array(array, order="C").view(dtype.storage)
        array = array.astype(np.float32)
    elif kind is dtype:
        with np.errstate(all="ignore"):  # Python floats may be too large for float32
            return np.array(array, dtype.storage, order="C")
    if array.dtype == kind.storage:
        array = as_numpy(array, kind)
    if array.dtype.kind == "c" and not dtype.is_complex:
        assert dtype.is_bool, f"bug in this library: imaginary parts would be lost on the way to {dtype}"
        array = array != 0
    if dtype is dt.bfloat16:
        return numpy_to_bfloat16(array)
    if dtype.is_eight_bits:
        return encode(array, dtype)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(array.astype(dtype.storage)).reshape(array.shape)


def is_operand(value: Any) -> bool:
    """Whether Python's operators take a value beside a tensor; others are left to their own class."""
    return isinstance(value, (Tensor, int, float, complex, np.generic, np.ndarray, list, tuple))


def _is_numpys(dtype: DType) -> bool:
    """Whether numpy has an element type."""
    return dtype.numpy is dtype.storage


def as_numpy(array: np.ndarray, dtype: DType) -> np.ndarray:
    """A buffer as numpy shows its numbers: itself, or a copy as float32 where numpy lacks the type."""
    if dtype.is_eight_bits:
        return decode(array, dtype)
    return bfloat16_to_numpy(array) if dtype is dt.bfloat16 else array


def bfloat16_to_numpy(bits: np.ndarray) -> np.ndarray:
    """bfloat16 bits as float32 numbers."""
    wide = bits.astype(np.uint32)
    np.left_shift(wide, np.uint32(16), out=wide)  # of a 0-d array, `<< 16` makes another type in numpy 1
    return wide.view(np.float32)


def numpy_to_bfloat16(array: np.ndarray) -> np.ndarray:
    """Numbers as bfloat16 bits: rounded to nearest even, NaN kept."""
    with np.errstate(all="ignore"):
        single = np.ascontiguousarray(array, np.float32).reshape(np.shape(array))
    bits = single.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    quiet = ((bits >> 16) & 0x8000 | 0x7FC0).astype(np.uint16)
    return np.where(np.isnan(single), quiet, rounded)


_NUMBERS, _SEQUENCES = frozenset({bool, int, float}), frozenset({list, tuple})


def _holds_numbers(data: Any) -> bool:
    """Whether a nesting of lists and tuples holds but Python's own numbers, which numpy reads as they are."""
    kinds = set(map(type, data))
    return kinds <= _NUMBERS or (kinds <= _SEQUENCES and all(map(_holds_numbers, data)))


def _unpack(data: Any) -> Any:
    """Nested sequences with tensors among the leaves, as numpy can read them."""
    if isinstance(data, (list, tuple)):
        return type(data)(map(_unpack, data)) if type(data) in (list, tuple) else list(map(_unpack, data))
    if not isinstance(data, Tensor):
        return data
    refuse_followed(data, "a tensor made of a list", "stack")
    return data._plain()


def _has_numpy(data: Any) -> bool:
    """Whether a nested sequence holds numpy values, whose element type then counts."""
    if isinstance(data, (list, tuple)):
        return any(map(_has_numpy, data))
    return isinstance(data, (np.ndarray, np.generic))


def _describe(data: Any) -> str:
    return f"{type(data).__name__} {data!r:.60}" if not isinstance(data, np.ndarray) else f"an array of {data.dtype}"


def _restore(cls: type[Tensor], array: np.ndarray, dtype: DType, requires_grad: bool, state: dict) -> Tensor:
    self = cls.__new__(cls)
    _fill(self, array, TensorType(dtype, array.shape).contiguous)
    self.__dict__.update(state)
    if requires_grad:
        self.requires_grad = True
    return self


def _index_error(message: str) -> Exception:
    from anfora.core.errors import OpIndexError

    return OpIndexError(message)


# -- views and sharing ------------------------------------------------------------------------------------------------


def current(tensor: Tensor) -> Tensor:
    """The tensor itself, after a view whose base has moved or got a new history was brought up to date."""
    base = tensor._base
    if base is not None and tensor._epoch is not base._epoch:
        refresh(tensor)
    return tensor


class UnknownLayout(Layout):
    """The layout of a tensor without data, of which not all lengths (-1), or none and not even their number (-2), are
    known."""

    __slots__ = ()

    @classmethod
    def of(cls, dtype: DType, shape: tuple[int | None, ...]) -> UnknownLayout:
        self = object.__new__(cls)
        self.dtype, self.shape = dtype, tuple(-1 if n is None else n for n in shape)
        self.strides, self.is_contiguous, self.native = (), False, None
        return self

    @property
    def type(self) -> Any:  # type: ignore[override]
        raise _no_data(self)

    @property
    def size(self) -> Any:  # type: ignore[override]
        raise _no_data(self)


def _no_data(layout: Layout) -> OpTypeError:
    return OpTypeError(f"a tensor of unknown lengths, {layout.dtype}{list(layout.shape)}, has no data")


def _need_data(tensor: Tensor) -> Tensor:
    """The tensor, somebody being about to look at its data."""
    if tensor._array is None:
        raise _no_data(tensor._layout)
    if slots.watcher.recorder is not None:
        slots.watcher.recorder.note_read(tensor)
    return tensor


def refresh(view: Tensor) -> None:
    """Take a view from its base again. Filled by `anfora.eager`, which knows the view operators."""
    raise NotImplementedError("views need anfora.eager")


def make_leaf(tensor: Tensor) -> Any:
    """The tape's mark of a tensor that gradients are wanted for. Filled by `anfora.eager`."""
    import anfora.eager  # noqa: F401

    return globals()["make_leaf"](tensor)


def view_array(base: np.ndarray, layout: Layout, offset: int) -> np.ndarray:
    """A numpy view: the elements at `offset` bytes from the first element of `base`."""
    owner = memory.root(base)
    if owner.flags.c_contiguous and owner.size:
        start = offset if base is owner else base.ctypes.data - owner.ctypes.data + offset
        return np.ndarray(layout.shape, layout.dtype.storage, owner, start, layout.strides)
    return np.asarray(memory.Window(owner, base.ctypes.data + offset, layout))


def _shared(tensor: Tensor) -> np.ndarray:
    """The memory of a tensor, handed out to somebody who may write to it."""
    leave_to_tape(_need_data(current(tensor)))
    owner = tensor if tensor._base is None else tensor._base
    if not isinstance(owner._mark, memory.Export):
        owner._mark = memory.Export()
    return owner._mark.hand_out(current(tensor)._array)


def leave_to_tape(tensor: Tensor) -> bool:
    """The one door in front of each write to the memory of a tensor: what a living node of a tape holds is left to it, and
    the tensor, with what it is a view of and all views of that, moves to a copy.

    Gives whether it has moved. Other tensors on the memory are to be taken from their base again then, see `current`.
    """
    owner = tensor if tensor._base is None else tensor._base
    if owner._mark is not memory.SAVED:
        return False
    owner._mark = None
    if not memory.is_shared(owner):
        return False
    recorder = slots.watcher.recorder
    if recorder is None:
        move(owner)
    elif not recorder.note_move(owner):
        return False
    if owner is not tensor:
        current(tensor)
    return True


def move(tensor: Tensor) -> None:
    """Give a tensor, which is no view, a copy of its memory. Its elements lie in it as they did."""
    tensor._array = memory.twin(tensor._array)
    tensor._epoch = memory.Epoch(tensor._epoch or memory.NEVER_MOVED)

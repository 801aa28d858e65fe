"""What a Cell keeps beside its parameters, and how all of it goes out and comes back: buffers, state dicts and their hooks.

A buffer is a tensor among a Cell's attributes that belongs to its state and is not trained. The Cell knows it by its name
alone: the tensor itself lies where every attribute lies.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.hooks import HookHandle
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor

if TYPE_CHECKING:
    from anfora.core.cell import Cell

__all__ = ["EXTRA", "Buffer", "CellNameError", "State", "StatefulCell", "StateError"]

#: Ends the key of what `get_extra_state` gives.
EXTRA = "_extra_state"


class CellNameError(OpValueError, KeyError):
    """A child, parameter or buffer cannot have that name; MindSpore raises a KeyError for it."""


class StateError(OpValueError, RuntimeError):
    """A state dict does not fit a Cell; MindSpore raises a RuntimeError for it."""


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` gives: the keys that were not there, and those that nothing takes."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class State:
    """Of one Cell: its buffers' names, each with whether it is saved, and the hooks of its state."""

    __slots__ = ("buffers", "load_post", "load_pre", "post", "pre")

    def __init__(self) -> None:
        self.buffers: dict[str, bool] = {}
        self.pre: dict[int, Callable] = {}
        self.post: dict[int, Callable] = {}
        self.load_pre: dict[int, Callable] = {}
        self.load_post: dict[int, Callable] = {}


_NOTHING = State()


class _OfBuffers(type(Tensor)):  # type: ignore[misc]  # the metaclass of tensors is what it is
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.__dict__.get("_is_buffer", False)


class Buffer(Tensor, metaclass=_OfBuffers):
    """A tensor that is registered as a buffer by the Cell to whose attribute it is assigned; it shares the data's memory.

    Args:
        data: tensor.
        persistent: whether it goes into the Cell's state dict.

    Raises:
        OpTypeError: the data is no tensor.
        OpValueError: there is no data.
    Example:
        >>> net = nn.Cell()
        >>> net.steps = _Buffer(Tensor([0, 0]))
        >>> [name for name, _ in net.named_buffers()], isinstance(net.steps, _Buffer)
        (['steps'], True)
    """

    def __new__(cls, data: Tensor, *, persistent: bool = True) -> Tensor:  # type: ignore[misc]
        if data is None:
            raise OpValueError("a Buffer is made of a tensor, but got None", arg="data")
        if not isinstance(data, Tensor):
            raise OpTypeError(f"a Buffer is made of a tensor, but got {type(data).__name__}", arg="data")
        made = data.detach()
        made.__dict__.update(_is_buffer=True, persistent=bool(persistent))
        return made


#: MindSpore's name.
_Buffer = Buffer


class StatefulCell:
    """The part of a Cell that is its state."""

    if TYPE_CHECKING:

        @property
        def _cells(self) -> dict[str, Cell]: ...

        @property
        def _params(self) -> dict[str, Parameter]: ...

        def cells_and_names(self, cells: set | None = None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]: ...

    # -- buffers ------------------------------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Attach a tensor that belongs to the Cell's state and is not trained, running means for example.

        It is the attribute of that name, and goes with the parameters into `state_dict`.

        Args:
            name: the attribute, without a dot, not taken by anything but a buffer.
            tensor: the buffer; None keeps the place.
            persistent: whether it goes into `state_dict`.

        Raises:
            OpTypeError: the name is no string, or the buffer no tensor.
            CellNameError: the name is empty, holds a dot or is taken.
        Example:
            >>> net = nn.Cell()
            >>> net.register_buffer("mean", Tensor([1., 2.]))
            >>> net.mean.tolist(), list(net.state_dict())
            ([1.0, 2.0], ['mean'])
        """
        if not isinstance(name, str):
            raise OpTypeError(f"the name of a buffer must be a string, but got {type(name).__name__}")
        if not name or "." in name:
            raise CellNameError(f"the name of a buffer must not be empty or hold a dot, but got {name!r}")
        buffers = self._own_state().buffers
        if hasattr(self, name) and name not in buffers:
            raise CellNameError(f"{type(self).__name__} has an attribute '{name}' already")
        checked_buffer(name, tensor)
        buffers[name] = bool(persistent)
        self.__dict__[name] = tensor

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted names, behind a prefix; those of children with `recurse`; each once, or wherever it
        is with `remove_duplicate=False`."""
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for path, cell in cells:
            for name, buffer, _ in buffers_of(cell):
                if not (remove_duplicate and id(buffer) in seen):
                    seen.add(id(buffer))
                    yield f"{path}.{name}" if path else name, buffer

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once; those of children with `recurse`."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name.

        Raises:
            AttributeError: a Cell on the way or the buffer is not there, or what is there is no buffer.
        """
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        buffer = getattr(cell, name)
        if name not in _state_of(cell).buffers:
            raise AttributeError(f"'{target}' of {type(self).__name__} is no buffer, but a {type(buffer).__name__}")
        return buffer

    def get_sub_cell(self, target: str) -> Cell:
        """The Cell of a dotted name; this one for an empty name.

        Raises:
            AttributeError: a Cell on the way is not there, or what is there is no Cell.
        Example:
            >>> nn.SequentialCell(nn.ReLU(), nn.SequentialCell(nn.Tanh())).get_sub_cell("1.0")
            Tanh()
        """
        cell: Any = self
        for name in target.split(".") if target else ():
            found = cell._cells.get(name)
            if found is None:
                held = getattr(cell, name)  # or the error of an attribute that there is not
                raise AttributeError(
                    f"'{name}' of '{target}' is no Cell, but {type(held).__name__ if held is not None else None}"
                )
            cell = found
        return cell

    # -- state dicts --------------------------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: dict | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """The whole state by dotted names, each behind `prefix`: the parameters, the buffers that are saved, and what
        `get_extra_state` of Cells gives. They are the tensors themselves, no copies.

        Args:
            args: destination, prefix and keep_vars, in that order.
            destination: a dict to add to; a new one when there is none.
            prefix: stands before every name.
            keep_vars: accepted for programs of others: the tensors are never copied.

        Raises:
            OpTypeError: an argument is of another type.
        Example:
            >>> list(nn.Dense(2, 2).state_dict(prefix="fc."))
            ['fc.weight', 'fc.bias']
        """
        by_place = dict(zip(("destination", "prefix", "keep_vars"), args))
        destination = by_place.get("destination") if destination is None else destination
        prefix = prefix or by_place.get("prefix", "")
        keep_vars = keep_vars or by_place.get("keep_vars", False)
        if destination is not None and not isinstance(destination, dict):
            raise OpTypeError(f"state_dict needs a dict for `destination`, but got {type(destination).__name__}")
        if not isinstance(prefix, str):
            raise OpTypeError(f"state_dict needs a string for `prefix`, but got {type(prefix).__name__}")
        if not isinstance(keep_vars, bool):
            raise OpTypeError(f"state_dict needs a bool for `keep_vars`, but got {type(keep_vars).__name__}")
        found: dict[str, Any] = _Destination() if destination is None else destination
        _save(self, found, prefix, keep_vars)
        return found

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Add the state of this Cell alone; subclasses may have their own."""
        for name, parameter in self._params.items():
            destination[prefix + name] = parameter
        for name, buffer, persistent in buffers_of(self):
            if persistent:
                destination[prefix + name] = buffer
        if type(self).get_extra_state is not StatefulCell.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Take what `state_dict` gave: values are written into the parameters and buffers, converted to their types.

        Args:
            state_dict: tensors by dotted names.
            strict: whether a key that is missing, or that nothing takes, is an error.

        Returns:
            the keys that were missing, and those that nothing takes.
        Raises:
            OpTypeError: no mapping is given.
            StateError: a value is no tensor or of another shape, or keys are missing or too many; nothing is changed then
                (where a hook may still forgive keys, it is called on what has come).
        Example:
            >>> a, b = nn.Dense(2, 2), nn.Dense(2, 2)
            >>> b.load_state_dict(a.state_dict())
            <All keys matched successfully>
            >>> bool((a.weight == b.weight).all())
            True
        """
        if not isinstance(state_dict, Mapping):
            raise OpTypeError(f"load_state_dict needs a dict, but got {type(state_dict).__name__}", arg="state_dict")
        work = _Loading(self, state_dict)
        work.read(self, work.given, "")
        if not any(_state_of(cell).load_post for _, cell in self.cells_and_names()):
            work.refuse(strict)
        else:
            work.refuse(strict=False)
        for write in work.writes:
            write()
        work.call_post_hooks(self)
        work.refuse(strict)
        return work.keys

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take the state of this Cell alone; subclasses may have their own. Of a call of `load_state_dict` the values are
        written when everything was found right."""
        for hook in tuple(_state_of(self).load_pre.values()):
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        held: dict[str, Tensor] = dict(self._params)
        held.update((name, buffer) for name, buffer, persistent in buffers_of(self) if persistent)
        for name, tensor in held.items():
            key = prefix + name
            if key not in state_dict:
                missing_keys.extend([key] * strict)
                continue
            value = state_dict[key]
            if not isinstance(value, Tensor):
                error_msgs.append(f"'{key}' needs a tensor, but got {type(value).__name__}")
            elif value.shape != tensor.shape:
                error_msgs.append(f"'{key}' has shape {tensor.shape}, but the value has {value.shape}")
            else:
                _later(state_dict, _writing(tensor, value))
        extra, takes_extra = prefix + EXTRA, type(self).set_extra_state is not StatefulCell.set_extra_state
        if takes_extra and extra in state_dict:
            state = state_dict[extra]
            _later(state_dict, lambda: self.set_extra_state(state))
        elif takes_extra:
            missing_keys.extend([extra] * strict)
        if not strict:
            return
        for key in state_dict:
            if not key.startswith(prefix) or (key == extra and takes_extra):
                continue
            name, _, below = key[len(prefix) :].partition(".")
            if name not in self._cells if below else name not in held:
                unexpected_keys.append(key)

    def get_extra_state(self) -> Any:
        """What else is to be kept in `state_dict`; to be written by subclasses, together with `set_extra_state`."""
        raise RuntimeError(f"{type(self).__name__} has no get_extra_state() of its own")

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` gave; to be written by subclasses."""
        raise RuntimeError(f"{type(self).__name__} has no set_extra_state() of its own")

    # -- hooks --------------------------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Callable) -> HookHandle:
        """Call `hook(cell, prefix, keep_vars)` before the state of this Cell is collected."""
        return self._state_hook("pre", hook)

    def register_state_dict_post_hook(self, hook: Callable) -> HookHandle:
        """Call `hook(cell, state_dict, prefix, local_metadata)` when the state of this Cell and those below is
        collected; it may change the dict, and gives nothing."""
        return self._state_hook("post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> HookHandle:
        """Call `hook(cell, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)` before
        this Cell looks into a state dict; it may change the dict, which is a copy."""
        return self._state_hook("load_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Callable) -> HookHandle:
        """Call `hook(cell, incompatible_keys)` when the values are written; it may change the lists, by which `strict` is
        decided, and gives nothing."""
        return self._state_hook("load_post", hook)

    def _state_hook(self, kind: str, hook: Callable) -> HookHandle:
        if not callable(hook):
            raise OpTypeError(f"a hook must be a function, but got {type(hook).__name__}")
        table = getattr(self._own_state(), kind)
        handle = HookHandle(table)
        table[handle.handle_id] = hook
        return handle

    def _own_state(self) -> State:
        state = _state_of(self)
        if state is _NOTHING:
            state = self.__dict__["_state"] = State()
        return state


def checked_buffer(name: str, value: Any) -> None:
    """Refuse what cannot be the buffer of a name."""
    if value is not None and (not isinstance(value, Tensor) or isinstance(value, Parameter)):
        raise OpTypeError(f"the buffer '{name}' must be a tensor or None, but got {type(value).__name__}")


class _Destination(OrderedDict):
    """What `state_dict` makes; hooks and loading find by `_metadata` what belongs to a path."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._metadata: dict[str, dict] = OrderedDict()


class _Given(OrderedDict):
    """A state dict on its way into a Cell, and where writes are put off to."""

    writes: list[Callable[[], Any]]


class _Loading:
    """One call of `load_state_dict`."""

    def __init__(self, cell: Any, state_dict: Mapping[str, Any]) -> None:
        self.label = type(cell).__name__
        self.metadata = getattr(state_dict, "_metadata", None) or {}
        self.writes: list[Callable[[], Any]] = []
        self.keys = IncompatibleKeys([], [])
        self.errors: list[str] = []
        self.given = self._part(state_dict, "")

    def _part(self, state_dict: Mapping[str, Any], prefix: str) -> _Given:
        part = _Given((key, value) for key, value in state_dict.items() if key.startswith(prefix))
        part.writes = self.writes
        return part

    def read(self, cell: Any, given: _Given, prefix: str) -> None:
        metadata = self.metadata.get(prefix[:-1], {})
        cell._load_from_state_dict(given, prefix, metadata, True, *self.keys, self.errors)
        for name, child in cell._cells.items():
            below = f"{prefix}{name}."
            self.read(child, self._part(given, below), below)

    def call_post_hooks(self, cell: Any) -> None:
        for child in cell._cells.values():
            self.call_post_hooks(child)
        for hook in tuple(_state_of(cell).load_post.values()):
            if hook(cell, self.keys) is not None:
                raise StateError("a hook of load_state_dict gives nothing: it changes the lists that it gets")

    def refuse(self, strict: bool) -> None:
        lines = list(self.errors)
        if strict:
            for what, keys in zip(("missing", "unexpected"), self.keys):
                if keys:
                    lines.append(f"{what} keys: " + ", ".join(map(repr, keys)))
        if lines:
            raise StateError(f"the state dict does not fit {self.label}:\n  " + "\n  ".join(lines), arg="state_dict")


def _save(cell: Any, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
    metadata: dict = {}
    if isinstance(destination, _Destination):
        destination._metadata[prefix[:-1]] = metadata
    state = _state_of(cell)
    for hook in tuple(state.pre.values()):
        hook(cell, prefix, keep_vars)
    cell._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in cell._cells.items():
        _save(child, destination, f"{prefix}{name}.", keep_vars)
    for hook in tuple(state.post.values()):
        if hook(cell, destination, prefix, metadata) is not None:
            raise StateError("a hook of state_dict gives nothing: it changes the dict that it gets")


def _state_of(cell: Any) -> State:
    return cell.__dict__.get("_state", _NOTHING)


def buffers_of(cell: Any) -> Iterator[tuple[str, Tensor, bool]]:
    """The buffers that a Cell has itself: name, tensor, whether it is saved."""
    for name, persistent in _state_of(cell).buffers.items():
        tensor = cell.__dict__.get(name)
        if tensor is not None:
            yield name, tensor, persistent


def _later(state_dict: dict[str, Any], write: Callable[[], Any]) -> None:
    if isinstance(state_dict, _Given):
        state_dict.writes.append(write)
    else:
        write()


def _writing(tensor: Tensor, value: Tensor) -> Callable[[], Any]:
    if isinstance(tensor, Parameter):
        return lambda: tensor.set_data(value.detach().astype(tensor.dtype))
    return lambda: tensor.__setitem__(..., value.detach().astype(tensor.dtype))

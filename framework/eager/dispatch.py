"""The call of an operator in PyNative mode: find the entry, allocate, run, wrap, record.

This is the path that knows everything: conversions, views, in-place writes, sequences of tensors, errors. Calls that
have been seen before and are plain (tensors, Python numbers, no attributes or bound ones, one result) never come here:
`kernel/glue.py` serves them natively from the same entries.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core import advice, memory, slots
from anfora.core import tensor as core_tensor
from anfora.core.abstract import Layout
from anfora.core.dtype import DType, as_dtype, bfloat16, complex64, complex128, float32, float64
from anfora.core.errors import AnforaError, OpRuntimeError, OpTypeError, OpValueError
from anfora.core.op import Op, by_own_names
from anfora.core.parameter import Parameter
from anfora.core.refusal import INNER, refusal
from anfora.core.span import calling_frame, frame_position, locate
from anfora.core.tensor import Tensor, current, leave_to_tape, numpy_to_bfloat16, view_array, wrap
from anfora.eager import autocast, batched, in_place, operators, tape
from anfora.eager.entry import Entry, entry_for, freeze, plain_number, tensor_maker, thaw
from anfora.eager.tape import Followed, Leaf, Node, Output
from anfora.kernel import glue
from anfora.kernel.build import answering, is_asking
from anfora.kernel.change import TAPED, UNTAPED
from anfora.kernel.given import ARGUMENTS, OUTPUTS
from anfora.kernel.site import Front, NativeEntry, Site

__all__ = ["apply", "bound", "call", "comes_again", "measured", "native_method", "observe", "without_kernels"]


def call(op: Op, args: tuple, kwargs: dict) -> Any:
    """Run an operator on the arguments of a call."""
    if op.is_quick and slots.watcher.recorder is None:  # who may want to know of each number by itself
        known = op.caches.get("calls")
        if known is None:
            known = op.caches["calls"] = {}
        count = len(op.tensors)
        key = _call_key(args[count:], kwargs) if kwargs or len(args) > count else ()
        if key is not None and len(args) >= count:
            function = known.get(key)
            if function is None:
                if not comes_again(known, key):
                    return call_fully(op, args, kwargs)
                function = known[key] = _function_for(op, args[count:], kwargs)
            if not kwargs and op.is_basic:
                _learn(op, args[count:], function)
            return function(*args[:count])
    elif slots.watcher.recorder is None:
        kept = op.caches.get("kept")
        if kept is None:

            def fully(*args: Any, **kwargs: Any) -> Any:
                return call_fully(op, args, by_own_names(op, kwargs) if kwargs else kwargs)

            fully.__name__ = op.name
            kept = op.caches["kept"] = slots.kept_calls(fully)
            if op.is_basic and glue.available():
                op.called_through(kept)
        return kept(*args, **kwargs)
    return call_fully(op, args, kwargs)


def _learn(op: Op, attributes: tuple, function: Callable) -> None:
    """Let calls with the same attributes go to their function without Python."""
    front = op.caches.get("front")
    if front is None:
        if not glue.available():
            return

        def slow(*args: Any, **kwargs: Any) -> Any:
            return Op.__call__(op, *args, **kwargs)

        slow.__name__ = op.name
        front = op.caches["front"] = Front(slow, len(op.tensors))
        op.called_through(front.call)
    front.learn(attributes, function)


def comes_again(known: dict, key: tuple) -> bool:
    """Whether a call of which nothing is kept has come before: one that comes a second time is kept."""
    if key in known:
        return True
    if len(known) >= _MOST_CALLS:
        known.clear()
    known[key] = None
    return False


_MOST_CALLS = 256


def _call_key(attributes: tuple, kwargs: dict) -> tuple | None:
    """Attributes as a key that is fast to make; None for those that need `freeze`."""
    key: list[Any] = []
    for value in (*attributes, *kwargs.values()):
        kind = value.__class__
        if kind is tuple or kind is list:
            for item in value:
                if item.__class__ is not int:
                    inner = _call_key(value, {})
                    if inner is None:
                        return None
                    key.append((tuple, *inner))
                    break
            else:
                key.append(tuple(value))
        elif kind is int or kind is bool or kind is str or value is None or kind is DType:
            key.append((kind, value))
        elif kind is float and value == value:
            key.append((kind, value if value else str(value)))  # zeros have signs
        else:
            return None
    return (*key, *kwargs)


def _function_for(op: Op, attributes: tuple, kwargs: dict) -> Any:
    """The operator with these attributes as a function of its tensors."""
    if any(name in op.tensors for name in kwargs):
        count = len(op.tensors)
        return lambda *tensors: call_fully(op, (*tensors[:count], *attributes), kwargs)
    try:
        _, given = op.bind((*(None for _ in op.tensors), *attributes), kwargs)
    except AnforaError as error:
        raise locate_error(error, op) from None
    return bound(op, **given)


def call_fully(op: Op, args: tuple, kwargs: dict) -> Any:
    """Run an operator in the way that knows everything."""
    inputs: Sequence = ()
    attributes: dict = {}
    try:
        inputs, attributes = op.bind(args, kwargs)
        given = tuple((name, freeze(value)) for name, value in attributes.items()) if attributes else ()
        return apply(op, inputs, given)
    except AnforaError as error:
        raise locate_error(error, op) from error.__cause__
    except INNER as error:
        told = explained(error, op, inputs, attributes)
        raise told from told.__cause__


def apply(op: Op, inputs: list, given: tuple) -> Any:
    """Run an operator on tensor arguments (one a parameter) and frozen attributes."""
    if is_asking():
        with answering():
            return apply(op, inputs, given)
    if autocast.state.dtype is not None:
        apart = autocast.take_bias(op, inputs)
        total = None if apart is None else autocast.with_bias(op, apply(op, apart[0], given), apart[1])
        if total is not None:
            return total
        inputs = autocast.convert(op, inputs)
    keys: list[Any] = []
    flat: list[Any] = []
    for name, value in zip(op.tensors, inputs):
        if value.__class__ is not Tensor or name in op.variadic:
            if name in op.variadic:
                value = _sequence(op, name, value)
                flat += value
                keys.append(tuple(_key(item) for item in value))
                continue
            value = _operand(op, name, value)
            if value.__class__ is complex:
                return apply(op, _with_complex_tensors(op, inputs), given)
        flat.append(value)
        keys.append(_key(value))
    if batched.state.depth:
        result = batched.run(op, keys, flat, given)
        if result is not NotImplemented:
            return result
    entry = entry_for(op, tuple(keys), given)
    if entry.sentence is not None:
        values = iter(flat)
        grouped = [[next(values) for _ in key] if key.__class__ is tuple else next(values) for key in keys]
        return entry.sentence(*grouped, **{name: thaw(value) for name, value in given})
    return run(entry, flat)


def _with_complex_tensors(op: Op, inputs: list) -> list:
    """Arguments with Python's complex numbers made tensors, whose parts are as wide as the widest they meet."""
    values = [x if name in op.variadic else _operand(op, name, x) for name, x in zip(op.tensors, inputs)]
    met = {x.dtype.part for x in values if isinstance(x, Tensor)}
    dtype = complex128 if float64 in met or not met else complex64
    return [Tensor(x, dtype) if x.__class__ is complex else x for x in values]


def _key(value: Any) -> Any:
    if isinstance(value, Tensor):
        if value._base is not None and value._epoch is not value._base._epoch:
            current(value)
        return value._layout
    return None if value is None else value.__class__


def _takes(op: Op, value: Any) -> bool:
    """Whether an operator, written as Python's, takes a value beside a tensor.

    A list is no tensor, so it is not equal to one: else `x in ([1, 2], x)` would fail where the shapes differ.
    """
    if op.name in ("equal", "not_equal") and isinstance(value, (list, tuple)):
        return False
    return core_tensor.is_operand(value)


def is_plain(value: Any) -> bool:
    """Whether an argument is a tensor or one of Python's own numbers, and so comes to its entry as it is."""
    return isinstance(value, Tensor) or value.__class__ in (float, int, bool)


def _operand(op: Op, name: str, value: Any) -> Any:
    """An argument as a tensor, a Python number or None."""
    if is_plain(value):
        return value
    if value is None:
        if name in op.optional:
            return None
        raise OpTypeError(f"{op.name} needs a tensor for `{name}`, but got None", arg=name)
    if isinstance(value, np.generic):  # a number like Python's: it takes the tensor's type
        number = value.item()
        return number if number.__class__ in (float, int, bool, complex) else Tensor(value)
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _stacked(value)
    if isinstance(value, (np.ndarray, list, tuple)):
        return Tensor(value)
    if isinstance(value, (int, float)):
        return plain_number(value)
    if isinstance(value, complex):
        return complex(value)
    raise OpTypeError(f"{op.name} needs a tensor for `{name}`, but got {type(value).__name__}", arg=name)


def _holds_tensors(value: Any) -> bool:
    """Whether a nesting of lists and tuples holds tensors and nothing else."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_holds_tensors, value))
    return isinstance(value, Tensor)


def _stacked(value: Any) -> Tensor:
    """A nesting of tensors as one; their gradients come through."""
    if isinstance(value, Tensor):
        return value
    return operators.stack(list(map(_stacked, value)))


def _sequence(op: Op, name: str, value: Any) -> list:
    if isinstance(value, Tensor) and value.ndim:
        return list(value)
    if not isinstance(value, (tuple, list)):
        raise OpTypeError(
            f"{op.name} needs a tuple or list of tensors for `{name}`, but got {type(value).__name__}", arg=name
        )
    return [_operand(op, name, item) for item in value]


# -- running an entry -------------------------------------------------------------------------------------------------


def run(entry: Entry, flat: list) -> Any:
    """Run a planned call on its flat inputs; a recorder is told."""
    if entry.is_advised:
        _advise(entry, flat)
    recorder = slots.watcher.recorder
    return run_now(entry, flat) if recorder is None else recorder.run(entry, flat)


def _advise(entry: Entry, flat: list) -> None:
    """Warn of what a call is hardly meant to do; on all examples at once, that has been done for one."""
    if batched.state.depth:
        return
    if entry.advice is not None:
        advice.warn(entry.advice)
    if entry.widens and _widens_a_network(flat):
        advice.warn(
            f"{entry.op.name}: float64 data meets a float32 parameter, and what follows is float64: convert the data, "
            "e.g. x.astype(float32)"
        )


def _widens_a_network(flat: list) -> bool:
    """Whether a parameter of float32 meets data of float64, which no parameter is behind."""
    wide = [x for x in flat if isinstance(x, Tensor) and x.dtype is float64]
    is_data = all(not isinstance(x, Parameter) and (x._node is None or x._node.is_leaf) for x in wide)
    return is_data and any(isinstance(x, Parameter) and x.dtype is float32 for x in flat)


#: Who measures, or None: called with a function and its arguments, an entry and its inputs, to call it.
observer: Callable | None = None


def measured(run: Callable, entry: Entry, flat: list) -> Any:
    """Run a planned call; who measures does it."""
    return run(entry, flat) if observer is None else observer(run, entry, flat)


def run_now(entry: Entry, flat: list) -> Any:
    """Run a planned call on its flat inputs."""
    return _run(entry, flat) if observer is None else observer(_run, entry, flat)


def _run(entry: Entry, flat: list) -> Any:
    op = entry.op
    mask = 0
    if glue.is_recording():
        for i, value in enumerate(flat):
            if value.__class__ not in (float, int, bool) and value is not None and value._node is not None:
                mask |= 1 << i
        mask &= entry.followed
    if op.writes is not None:
        return _write(entry, flat, mask)
    if entry.view is not None:
        return _view(entry, flat, mask)
    if _is_idle or slots.watcher.planned is not None:
        if slots.watcher.planned is not None:
            slots.watcher.planned.append(entry)
        arrays = [np.zeros(layout.shape, layout.dtype.storage) for layout in entry.outputs]
    elif op.python_rule is not None:
        arrays = _run_python(entry, flat)
    else:
        numbers = _numbers(entry, flat)
        arrays = [np.empty(layout.shape, layout.dtype.storage) for layout in entry.outputs]
        code = glue.launch(entry.program, *numbers, *arrays)
        if code:
            raise _failure(entry, flat, code)
    make = tensor_maker()
    if not mask:
        if not entry.is_tuple:
            return make(arrays[0], entry.outputs[0], None)
        return tuple(make(array, layout, None) for array, layout in zip(arrays, entry.outputs))
    node = tape.record(entry, mask, flat, arrays, here())
    if not entry.is_tuple:
        result = make(arrays[0], entry.outputs[0], node)
        _mark_outputs(entry, mask, len(flat), (result,))
        return result
    results = tuple(make(a, lay, Output(node, i)) for i, (a, lay) in enumerate(zip(arrays, entry.outputs)))
    _mark_outputs(entry, mask, len(flat), results)
    return results


def _run_python(entry: Entry, flat: list) -> list[np.ndarray]:
    """The buffers of the results of an operator that runs in Python."""
    rule = entry.op.python_rule
    assert rule is not None
    values = [None if x is None else np.asarray(x._plain() if isinstance(x, Tensor) else x) for x in flat]
    with np.errstate(all="ignore"):
        results = rule(*(values[group] for group in entry.groups), **entry.attributes)
    arrays = []
    for layout, result in zip(entry.outputs, results if entry.is_tuple else (results,)):
        result = np.asarray(result)
        assert result.shape == layout.shape, (
            f"bug in this library: {entry.op.name} gave {result.shape}, not {layout.shape}"
        )
        arrays.append(core_tensor.convert(result, as_dtype(result.dtype), layout.dtype))
    return arrays


def _mark_outputs(entry: Entry, mask: int, count: int, results: Sequence[Tensor]) -> None:
    for slot in entry.recipe(mask).saves:
        if slot >= count:
            results[slot - count]._mark = memory.SAVED


def _numbers(entry: Entry, flat: list) -> list:
    """The arrays of the inputs; Python numbers as 0-d arrays."""
    arrays: list[Any] = []
    for i, value in enumerate(flat):
        if isinstance(value, Tensor):
            arrays.append(value._array)
        elif value is None:
            arrays.append(None)
        else:
            layout = entry.inputs[i]
            assert layout is not None
            arrays.append(number_array(value, layout.dtype, entry.op))
    return arrays


def number_array(value: float, dtype: DType, op: Op) -> np.ndarray:
    """A Python number as a 0-d buffer; integers must fit."""
    if dtype is bfloat16:
        return numpy_to_bfloat16(np.array(value, np.float64))
    if dtype.is_integer:
        bounds = np.iinfo(dtype.storage)
        if not bounds.min <= value <= bounds.max:
            raise OpValueError(f"{op.name}: the number {value} does not fit into {dtype}")
    if value.__class__ is float and -3e38 < value < 3e38 and dtype.bits >= 32:  # it does not overflow
        return np.array(value, dtype.storage)
    with np.errstate(over="ignore"):
        try:
            return np.array(value, dtype.storage)
        except OverflowError:
            raise OpValueError(f"{op.name}: the number {value} is too large for {dtype}") from None


def here() -> tuple:
    place = slots.watcher.place
    return frame_position(calling_frame(3)) if place is None else place


def _failure(entry: Entry, flat: list, code: int) -> AnforaError:
    """The error behind a kernel's failure code."""
    rule = entry.op.fault_rule
    assert rule is not None, f"{entry.op.name} failed at {code - 1}, and has no fault rule"
    values = [np.asarray(x._plain()) if isinstance(x, Tensor) else x for x in flat]
    grouped = [values[group] for group in entry.groups]
    return rule(code - 1, *grouped, **entry.attributes)


def locate_error(error: AnforaError, op: Op) -> AnforaError:
    """Give an error its place, once."""
    if error.place is None:
        error.place = locate(error.arg, op.order)
    return error


def explained(error: Exception, op: Op, inputs: Sequence, attributes: dict) -> Exception:
    """The refusal of an argument that has caused an error of Python's; the error itself where none is to blame."""
    shown = {name: thaw(freeze(value)) for name, value in attributes.items()}  # as the rules see them, by any way in
    given = (*zip(op.tensors, inputs), *shown.items())
    tensors = set(op.tensors) - op.variadic
    found = refusal(op.name, given, tensors, op.optional, lambda: op.signature, error)
    return error if found is None else locate_error(found, op)


# -- views ------------------------------------------------------------------------------------------------------------


def _view(entry: Entry, flat: list, mask: int) -> Tensor:
    """A tensor that shares the memory of the first operand."""
    source = flat[0]
    layout, offset = entry.view  # type: ignore[misc]
    if not isinstance(source, Tensor):
        source = Tensor(source, layout.dtype)
    node = tape.record(entry, mask, (source, *flat[1:]), (), here()) if mask else None
    view = wrap(view_array(source._array, layout, offset), layout, node)
    base = source if source._base is None else source._base
    view._base = base
    view._epoch = base._epoch
    own = entry.attributes
    if entry.op is operators.standing_for:
        own = Followed()
        own.node = node
    view._path = (*source._path, (entry.op, own))
    return view


def _entry_of_step(op: Op, layout: Layout, attributes: dict) -> Entry:
    """The entry of a step in the path of a view."""
    layouts = (layout, *(None for _ in op.tensors[1:]))
    return entry_for(op, layouts, tuple((name, freeze(value)) for name, value in attributes.items()))


def refresh(view: Tensor) -> None:
    """Take a view from its base again, after the base has moved or got a new history.

    When that happens, at the first look at the view, means nothing: the nodes count as recorded right after that of the
    base, so that gradients are added up in one order, and a transform leaves the view to be taken again. Where the base has
    only moved, the history of the view stays.
    """
    base = view._base
    assert base is not None
    keeps_history = _history_of(view) is _history_of(base)
    array, layout, node = base._array, base._layout, base._node
    if node is not None and tape.transforms.depth and not keeps_history:
        tape.transforms.touched.append(view)
    start: float = 0 if keeps_history else _tick_of(node)
    steps = len(view._path)
    for step, (op, attributes) in enumerate(view._path, 1):
        entry = _entry_of_step(op, layout, attributes)
        assert entry.view is not None, "bug in this library: a view of a tensor that was moved cannot be a view"
        if keeps_history:
            pass
        elif type(attributes) is Followed:
            node = attributes.node
            start = _tick_of(node)
        elif node is not None:
            holder = wrap(array, layout, node)
            flat = (holder, *(None for _ in op.tensors[1:]))
            node = tape.record(entry, 1 & entry.followed, flat, (), (None, 0)) if entry.followed else None
            if node is not None:
                node.tick = start + step / (steps + 1)
        layout, offset = entry.view
        array = view_array(array, layout, offset)
    view._array, view._layout = array, layout
    if not keeps_history and (node is not None or view._node is None or not view._node.is_leaf):
        view._node = node
    view._epoch = base._epoch


def _history_of(tensor: Tensor) -> Any:
    """What stays the same as long as a tensor, or what it is a view of, gets no new history."""
    return (tensor._epoch or memory.NEVER_MOVED).history


def _tick_of(node: Any) -> float:
    return 0 if node is None else (tape.taken_apart(node).node if type(node) is Output else node).tick


def entry_of_alias(layout: Layout) -> tuple[Entry, tuple]:
    """The entry of an alias of a tensor, and its step in the path of a view."""
    entry = entry_for(operators.alias, (layout,), ())
    return entry, ((operators.alias, entry.attributes),)


# -- in-place writes --------------------------------------------------------------------------------------------------


def _write(entry: Entry, flat: list, mask: int) -> Tensor | tuple[Tensor, ...]:
    """Run an operator that writes arguments in place, and give these a new history."""
    op = entry.op
    targets: list[Tensor] = [flat[i] for i in entry.written]
    assert len(targets) == 1 or not entry.followed, f"{op.name} writes several tensors, and has a gradient"
    recorded = bool(mask) or (glue.is_recording() and not op.is_untaped and any(map(has_history, targets)))
    if recorded and is_effect(entry, flat, mask):
        mask, recorded = 0, False
    for target in targets:
        check_writable(target, op, recorded)
    node = (
        tape.record(entry, mask, flat, (), here()) if mask else None
    )  # no operator that writes saves what it has written
    if any([leave_to_tape(target) for target in targets]):  # noqa: C419
        for value in flat:
            if isinstance(value, Tensor):
                current(value)
    numbers = _numbers(entry, flat)
    written = [target._array for target in targets]
    for i, array in enumerate(numbers):  # an overlapping source is read before the write
        if i not in entry.written and array is not None and any(np.may_share_memory(array, w) for w in written):
            numbers[i] = memory.twin(array)
    if slots.watcher.planned is not None:
        slots.watcher.planned.append(entry)
    elif not _is_idle:
        code = glue.launch(entry.program, *numbers, *written)
        if code:
            raise _failure(entry, flat, code)
    for target in targets:
        new_history(target, node, recorded)
    return tuple(targets) if entry.is_tuple else targets[0]


def is_effect(entry: Entry, flat: list, mask: int) -> bool:
    """Whether a write leaves no history: what is written to is a Parameter that is trained, or lies in one.

    A Parameter stays a leaf, as one does that `assign` writes to: what reads it from now on has the gradient of what it is
    then. A value that has a gradient itself would lose it, and is refused.
    """
    if not writes_a_leaf(entry, flat):
        return False
    if mask & ~sum(1 << i for i in entry.written):
        raise OpRuntimeError(
            f"{entry.op.name} would write a value that has a gradient into a Parameter that is trained: the gradient would "
            "be lost, since a Parameter is a leaf",
            arg=entry.op.writes,
            help="write x.detach(), or compute with p + x instead; ops.assign(p, x) writes without a gradient.",
        )
    return True


def writes_a_leaf(entry: Entry, flat: list) -> bool:
    """Whether a call writes to a Parameter that is trained."""
    return any(is_trained(flat[i]) for i in entry.written)


def is_trained(tensor: Any) -> bool:
    """Whether a tensor is a leaf that a program trains, or a view of one that is not followed by itself."""
    base = tensor if tensor._base is None else tensor._base
    return _is_trained_leaf(base) and not is_followed_by_itself(tensor)


def _is_trained_leaf(base: Tensor) -> bool:
    return isinstance(base, Parameter) and base._node is not None and base._node.is_leaf


def is_followed_by_itself(tensor: Tensor) -> bool:
    """Whether a tensor has a history beside that of what it is a view of: an argument of a transform, and what
    `assign_add` gives."""
    return any(type(attributes) is Followed for _, attributes in tensor._path)


def has_history(target: Tensor) -> bool:
    """Whether somebody follows the memory of a tensor."""
    base = target if target._base is None else target._base
    if base._node is not None or target._node is not None:
        return True
    return any(type(attributes) is Followed and attributes.node is not None for _, attributes in target._path)


def check_writable(target: Tensor, op: Op, is_recorded: bool) -> None:
    """Refuse a write that Python's memory model or the tape cannot carry."""
    base = target if target._base is None else target._base
    if not target._array.flags.writeable:
        stands_for = base.__dict__.get("_stands_for")
        if stands_for is None:
            raise OpValueError(f"{op.name}: the memory of the tensor may not be written to", arg=op.writes)
        cell, name = stands_for
        raise OpRuntimeError(
            f"{op.name}: {cell} computes in {target.dtype}, and its parameter `{name}` is a converted copy meanwhile: what "
            "is written to that would be lost",
            arg=op.writes,
            help=f"write self.{name} = …, set requires_grad=False, or do not use to_float here.",
        )
    if is_recorded and base._node is not None and base._node.is_leaf and not stays_a_leaf(target):
        raise OpRuntimeError(
            f"{op.name} would change in place a leaf tensor that requires a gradient: its gradient would have no meaning",
            arg=op.writes,
            help="write to a copy, x = x.copy(), or do it under no_grad().",
        )
    strides = target._layout.strides
    if any(s == 0 and n > 1 for s, n in zip(strides, target._layout.shape)):
        raise OpValueError(
            f"{op.name}: several elements of the tensor lie in one place of memory (it was broadcast)",
            arg=op.writes,
            help="write to a copy: x = x.copy().",
        )


def stays_a_leaf(target: Tensor) -> bool:
    """Whether what is written has its history in the target alone, and the Parameter that this lies in stays a leaf."""
    return target._base is not None and _is_trained_leaf(target._base) and is_followed_by_itself(target)


def new_history(target: Tensor, node: Node | None, is_recorded: bool) -> None:
    """After a write: `target` is the result of `node`; its base holds it, and other views will ask their base. A write
    that is not recorded changes no history."""
    if not is_recorded:
        return
    base = target._base
    if tape.transforms.depth:
        tape.transforms.touched.append(target if base is None else base)
    target._node = node
    if base is None:
        target._epoch = memory.Epoch()
        return
    array, layout = base._array, base._layout
    for step, (op, attributes) in enumerate(target._path, 1):
        entry = _entry_of_step(op, layout, attributes)
        layout, offset = entry.view  # type: ignore[misc]
        array = view_array(array, layout, offset)
        if type(attributes) is Followed:
            attributes.node = _written(wrap(array, layout, attributes.node), target, target._path[step:])
    if not stays_a_leaf(target):
        base._node = _written(base, target, target._path)
    base._epoch = memory.Epoch()
    target._epoch = base._epoch


def _written(whole: Tensor, target: Tensor, path: tuple) -> Any:
    """The history of a tensor after a write to the view of it behind a path."""
    if not path:
        return target._node
    names = tuple((op.name, tuple((n, freeze(v)) for n, v in attributes.items())) for op, attributes in path)
    entry = entry_for(operators.write_back, (whole._layout, target._layout), (("path", names),))
    mask = ((whole._node is not None) | (target._node is not None) << 1) & entry.followed
    return tape.record(entry, mask, (whole, target), (whole._array,), (None, 0)) if mask else None


def assign(parameter: Tensor, value: Tensor) -> None:
    """Write a tensor into a parameter: new data, of which the parameter stays a leaf."""
    _assignment()(parameter, value)


@functools.cache
def _assignment() -> Callable:
    def in_python(parameter: Tensor, value: Tensor) -> Tensor:
        with tape.recording(False):
            return operators.copy_to(parameter, value)

    return native_change(operators.copy_to, in_python, UNTAPED)


# -- the native path --------------------------------------------------------------------------------------------------


def _make_site(
    op: Op,
    given: tuple,
    order: tuple[int, ...] | None,
    is_python: bool = False,
    groups: tuple[int | slice, ...] | None = None,
) -> tuple[Site | None, Any]:
    """The native site of an operator with fixed attributes, if it can have one, and the Python function behind it.

    `order` says which argument of the caller each tensor parameter is, for reflected operators. One of Python's operators
    gives NotImplemented for foreign objects, so that Python asks their class. `groups` says which arguments of the caller
    are those of each tensor parameter, where some of these are sequences.
    """
    thawed = {name: thaw(value) for name, value in given}

    def slow(*args: Any, **kwargs: Any) -> Any:
        glue.claim()
        if is_python:
            for value in args:
                if not _takes(op, value):
                    return NotImplemented
        if groups is None and (kwargs or len(args) != len(op.tensors)):
            if order is not None and len(args) == len(order):
                args = tuple(args[i] for i in order)
            return call_fully(op, args, {**thawed, **kwargs})
        inputs = list(args) if order is None else [args[i] for i in order]
        if groups is not None:
            inputs = [args[group] for group in groups]
        try:
            result = apply(op, inputs, given)
        except AnforaError as error:
            raise locate_error(error, op) from error.__cause__
        except INNER as error:
            told = explained(error, op, inputs, thawed)
            raise told from told.__cause__
        if site is None or slots.watcher.recorder is not None or slots.watcher.planned is not None:
            return result
        first = result[0] if result.__class__ is tuple and result else result
        if first.__class__ is not batched.Batched:  # these are never native
            _teach(site, op, inputs, given, order, groups)
        return result

    slow.__name__ = op.name
    slow.__doc__ = op.__doc__
    slow.__signature__ = op.signature  # type: ignore[attr-defined]
    is_native = (groups is not None or not op.variadic) and glue.available()
    site = Site(slow, writes=op.writes is not None) if is_native else None
    return site, slow


def native_method(op: Op, order: tuple[int, ...] | None, is_python: bool) -> Any:
    """An operator as a method of Tensor; `is_python`: one of Python's operators."""
    site, slow = _make_site(op, (), order, is_python)
    return (site and site.method(Tensor)) or slow


def native_change(op: Op | str | None, in_python: Callable, untaped: int = TAPED, name: str | None = None) -> Any:
    """A function, or a method of this name, that computes an operator and writes the result into its first argument: see
    `in_place.native_change`. "item" stands for `x[key] = value`."""
    if isinstance(op, str):
        site = in_place.native_set_item(in_python, name or op)
    else:
        site = in_place.native_change(op, in_python, untaped, name)
    return in_python if site is None else (site.method(Tensor) or in_python) if name else site.call


def bound(op: Op, count: int | None = None, /, **attributes: Any) -> Any:
    """An operator with its attributes fixed, as a function of tensors: of `count` where it is one of a sequence."""
    groups = None if count is None else (slice(0, count),)
    site, slow = _make_site(op, tuple((name, freeze(value)) for name, value in attributes.items()), None, groups=groups)
    return site.call if site is not None else slow


def _teach(
    site: Site, op: Op, inputs: list, given: tuple, order: tuple[int, ...] | None, groups: tuple | None = None
) -> None:
    """Let the native path serve the next call like this one."""
    if groups is not None:
        inputs = [x for value, group in zip(inputs, groups) for x in (value if isinstance(group, slice) else (value,))]
    if len(inputs) > ARGUMENTS or not all(value is None or is_plain(value) for value in inputs):
        return  # some argument is another one by the time it comes to its entry
    keys = list(map(_key, inputs))
    grouped = keys if groups is None else [tuple(keys[g]) if isinstance(g, slice) else keys[g] for g in groups]
    entry = entry_for(op, tuple(grouped), given)
    if entry.sentence is not None:
        return
    if op.writes is not None:
        change = in_place.written(entry, keys) if order is None and not _goes_by_python(entry) else None
        if change is not None:
            site.add(change)
        return
    if _goes_by_python(entry):
        return
    if order is None or order == tuple(range(len(keys))):
        site.add(_native(entry, keys))
    elif entry.view is None:
        site.add(_native(entry.reordered(order), [keys[order.index(i)] for i in range(len(order))]))


def _goes_by_python(entry: Entry) -> bool:
    """Whether native code cannot serve a call."""
    if entry.sentence is not None:
        return True
    if len(entry.outputs) > OUTPUTS or entry.op.python_rule is not None:
        return True
    if entry.view is not None and (entry.numbers or len(entry.inputs) > 1):  # a number has no memory to look at
        return True
    return entry.is_advised  # which depends on who holds the data, as no layout tells


def caller(entry: Entry, inputs: list) -> Callable:
    """A function of the inputs of a planned call that runs it."""

    def slow(*flat: Any) -> Any:
        glue.claim()
        for value in flat:
            if isinstance(value, Tensor):
                current(value)
        try:
            return run(entry, list(flat))
        except AnforaError as error:
            raise locate_error(error, entry.op) from error.__cause__

    slow.__name__ = entry.op.name
    keys = list(map(_key, inputs))
    if not glue.available() or len(inputs) > ARGUMENTS or _goes_by_python(entry):
        return slow
    writes = entry.op.writes is not None
    known = in_place.written(entry, keys) if writes else _native(entry, keys)
    if known is None:
        return slow
    site = Site(slow, writes=writes)
    site.add(known)
    return site.call


def _native(entry: Entry, keys: list) -> NativeEntry:
    count = len(keys)
    scalars = in_place.number_codes(entry, keys)
    recipes = {
        mask: entry.recipe(mask)
        for mask in range(1, 1 << count)
        if mask & entry.followed == mask and all(isinstance(keys[i], Layout) for i in range(count) if mask >> i & 1)
    }
    offset, step = (entry.view[1], ((entry.op, entry.attributes),)) if entry.view is not None else (0, ())
    return NativeEntry(
        tuple(keys), entry.program, entry.outputs, scalars, entry.followed, recipes, offset, step, entry.is_tuple
    )


def watch(recorder: Any) -> None:
    """Let a recorder see what this thread does; None lets nobody."""
    slots.watcher.recorder = recorder
    glue.watch(threading.get_ident(), recorder is not None)


def observe(function: Callable | None) -> None:
    """Let a function measure all operators of PyNative mode; None lets nobody."""
    global observer
    observer = function
    glue.watch(observe, function is not None)


@contextlib.contextmanager
def without_kernels() -> Iterator[None]:
    """Let operators, in all threads of the process, give tensors of zeros and write nothing: what they take and give, the
    tape and all refusals are as ever, and no kernel runs."""
    global _is_idle
    before, was_idle = observer, _is_idle
    observe(_looked_on)  # no call goes past `run_now`
    _is_idle = True
    try:
        yield
    finally:
        _is_idle = was_idle
        observe(before)


_is_idle = False


def _looked_on(run: Callable, entry: Entry, flat: list) -> Any:
    return run(entry, flat)


def install() -> None:
    """Fill the slots of core."""
    slots.watch = watch
    slots.dispatch = call
    slots.native_method = native_method
    slots.bound = bound
    slots.native_change = native_change
    slots.assign = assign
    slots.is_trained = is_trained
    slots.is_followed_by_itself = is_followed_by_itself
    core_tensor.refresh = refresh
    core_tensor.make_leaf = Leaf

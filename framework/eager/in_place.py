"""Writes in place on the native path: `x.add_(y)`, `x.fill_(2)`, `ops.assign_sub(p, g)`.

Written down, such a call is an operator and a write of its result (`ops/forms.py`), and that is what graph mode records.
What it means for memory alone can be done at once: the operator's own loop with the tensor in the place of the result,
or, where the result has another element type or the data may be refused, a workspace and a copy in the same program. The
native call (`kernel/change.py`) leaves to Python whatever has more to it: histories, memory that a tape holds, operands
that lie across the tensor.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from anfora.core import slots
from anfora.core.abstract import Layout, TensorType
from anfora.core.op import Op, registry
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.eager.entry import Entry, entry_for
from anfora.kernel import glue
from anfora.kernel.change import (
    ABSENT,
    ANYWHERE,
    APART,
    ARRAY,
    DOTS,
    IN_STEP,
    ITEMS,
    NEW_AXIS,
    NUMBER,
    SLICE,
    TAPED,
    UNTAPED,
    UNTAPED_TO_PARAMETERS,
)
from anfora.kernel.executor import Program
from anfora.kernel.given import ARGUMENTS
from anfora.kernel.loops import plan_copy, plan_elementwise, plan_fill
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.site import NativeChange, Site
from anfora.ops.indexing import plan_set_item

__all__ = ["changes", "item_words", "native_change", "native_set_item", "number_codes", "set_item", "written"]


def number_codes(entry: Entry, keys: list) -> tuple[str | None, ...]:
    """For each argument that is a number, the code in which it is passed."""
    return tuple(
        entry.inputs[i].dtype.code if isinstance(key, type) else None  # type: ignore[union-attr]
        for i, key in enumerate(keys)
    )


def written(entry: Entry, keys: list, untaped: int = TAPED) -> NativeChange | None:
    """The native form of an operator that writes its first argument."""
    if entry.written != (0,) or not _has_places(keys[0]):
        return None
    hazards = _hazards(keys, entry.program)
    untaped = UNTAPED if entry.op.is_untaped else untaped
    return NativeChange(tuple(keys), entry.program, number_codes(entry, keys), hazards, untaped)


def native_change(op: Op | None, in_python: Callable, untaped: int = TAPED, name: str | None = None) -> Site | None:
    """The site of a function that computes an operator and writes the result into its first argument; None where there
    is no native path.

    Args:
        op: the operator, of all its tensors by position; None for one that sets to zero.
        in_python: the function itself.
        untaped: whether the write is an effect that no tape follows; see kernel/change.py.
        name: of the method, if it is one.
    """
    if not glue.available():
        return None

    def slow(*args: Any, **kwargs: Any) -> Any:
        glue.claim()
        result = in_python(*args, **kwargs)
        if slots.watcher.recorder is None and not kwargs and result is args[0]:
            change = changes(op, args, untaped)
            if change is not None:
                site.add(change)
        return result

    _as(slow, in_python, name)
    site = Site(slow, writes=1)
    return site


def native_set_item(in_python: Callable, name: str) -> Site | None:
    """The site of `x[key] = value`; None where there is no native path."""
    if not glue.available():
        return None

    def slow(*args: Any, **kwargs: Any) -> Any:
        glue.claim()
        result = in_python(*args, **kwargs)
        if slots.watcher.recorder is None and len(args) == 3:
            change = set_item(*args)
            if change is not None:
                site.add(change)
        return result

    _as(slow, in_python, name)
    site = Site(slow, writes=2)
    return site


def _as(function: Any, other: Any, name: str | None) -> None:
    """Let a function tell of itself what another does."""
    function.__name__ = function.__qualname__ = name or other.__name__
    function.__doc__ = other.__doc__
    function.__signature__ = inspect.signature(other)


def set_item(x: Tensor, key: Any, value: Any) -> NativeChange | None:
    """The native form of `x[key] = value`, which has been done."""
    items = key if type(key) is tuple else (key,)
    words = item_words(items)
    arrays = [item for item in items if isinstance(item, Tensor)]
    kind = value._layout if isinstance(value, Tensor) else value.__class__
    plain = all(type(y) in (Tensor, Parameter) for y in (x, *arrays)) and (
        kind in (float, int, bool) if isinstance(kind, type) else type(value) in (Tensor, Parameter)
    )
    if words is None or not plain or len(arrays) > ARGUMENTS - 2:
        return None
    target, layouts = x._layout, [y._layout for y in arrays]
    keys = [target, kind, *layouts]
    number = kind if isinstance(kind, Layout) else TensorType(target.dtype, ()).contiguous
    planned = plan_set_item(target, items, number, layouts)
    if planned is None:
        return None
    plan, part, axes = planned
    if not _has_places(part[0]):
        return None
    program = Program(plan, computes=registry["copy_to"])
    in_step = _is_in_step(program) and not arrays
    hazards = [IN_STEP if in_step and layout is part[0] else APART for layout in (target, number, *layouts)]
    codes = (None, None if isinstance(kind, Layout) else target.dtype.code, *(None for _ in arrays))
    return NativeChange(tuple(keys), program, codes, tuple(hazards), UNTAPED_TO_PARAMETERS, part, words, axes)


def item_words(items: tuple) -> tuple[int, ...] | None:
    """The words of a key, as native code makes them; None for one that it does not read."""
    if len(items) > ITEMS:
        return None
    words: list[int] = []
    for item in items:
        bounds = [0, 0, 0]
        if type(item) is int:
            tag = NUMBER
        elif item is None:
            tag = NEW_AXIS
        elif item is ...:
            tag = DOTS
        elif type(item) is slice:
            tag, bounds = SLICE, [item.start, item.stop, item.step]
            if not all(bound is None or type(bound) is int for bound in bounds):
                return None
            bounds = [ABSENT if bound is None else bound for bound in bounds]
        elif isinstance(item, Tensor):
            tag = ARRAY
        else:
            return None
        words += [tag, *bounds]
    return tuple(words)


def changes(op: Op | None, args: tuple, untaped: int) -> NativeChange | None:
    """The native form of a call that has been done."""
    keys = [x._layout if isinstance(x, Tensor) else None if x is None else x.__class__ for x in args]
    plain = all(isinstance(key, Layout) or key in (None, float, int, bool) for key in keys)
    if not plain or not isinstance(keys[0], Layout) or len(args) > ARGUMENTS or not _has_places(keys[0]):
        return None
    target: Layout = keys[0]
    if op is None:
        is_plain = len(args) == 1
        return NativeChange(tuple(keys), _zero(target), (None,), (APART,), untaped) if is_plain else None
    if len(args) != len(op.tensors) or op.variadic or op.is_random:
        return None
    entry = entry_for(op, tuple(keys), ())
    if entry.sentence is not None:
        return None
    if op.writes is not None:
        return None if entry.is_advised else written(entry, keys, untaped)
    if entry.is_advised or entry.is_tuple or entry.program is None or entry.outputs[0].shape != target.shape:
        return None
    program, is_in_step = _into(entry, target)
    hazards = _hazards(keys, program) if is_in_step else (ANYWHERE,) * len(keys)
    return NativeChange(tuple(keys), program, number_codes(entry, keys), hazards, untaped)


def _into(entry: Entry, target: Layout) -> tuple[Program, bool]:
    """A program that puts the result of a call into memory of a layout, and whether it may write before all is read."""
    planner = Planner(entry.inputs, (target,))
    out = Buffer.of(len(entry.inputs), target)
    steps = entry.program.plan.steps
    elements = steps[0].elements if len(steps) == 1 else None
    if elements is not None and not entry.may_fail and entry.outputs[0].dtype is target.dtype:
        [(_, kind)] = elements.outputs
        plan_elementwise(planner, elements.body, elements.inputs, [(out, kind)], elements.nanoseconds)
        return Program(planner.finish(), computes=entry.op), True
    result = planner.workspace(entry.outputs[0].dtype, *target.shape)
    operands = [None if layout is None else Buffer.of(i, layout) for i, layout in enumerate(entry.inputs)]
    assert entry.op.kernel_rule is not None
    entry.op.kernel_rule(planner, *(operands[group] for group in entry.groups), result, **entry.attributes)
    plan_copy(planner, result, out)
    return Program(planner.finish(), computes=entry.op), False


def _zero(target: Layout) -> Program:
    planner = Planner((target,), (target,))
    out = Buffer.of(1, target)
    if out.is_contiguous:
        plan_fill(planner, out, 0)
    else:
        zero = planner.workspace(target.dtype)
        plan_fill(planner, zero, 0)
        plan_copy(planner, zero, out)
    return Program(planner.finish(), computes=registry["copy_to"])


def _has_places(layout: Layout) -> bool:
    """Whether each element has a place of its own in memory."""
    return all(step or length <= 1 for step, length in zip(layout.strides, layout.shape))


def _hazards(keys: list, program: Program) -> tuple[int, ...]:
    """How the arguments of a program that writes the first of them may lie to it: where it goes element by element, they
    may be the same elements."""
    in_step = _is_in_step(program)
    return tuple(IN_STEP if in_step and key is keys[0] else APART for key in keys)


def _is_in_step(program: Program) -> bool:
    """Whether a program reads and writes its operands element by element."""
    assert program.plan is not None
    steps = program.plan.steps
    return len(steps) == 1 and steps[0].elements is not None

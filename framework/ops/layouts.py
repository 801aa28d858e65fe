"""Views as arithmetic on layouts: shapes and strides in, shapes, strides and an offset out. No data is touched."""

from __future__ import annotations

from anfora.core.abstract import Layout, TensorType

__all__ = ["broadcast", "diagonal", "index", "permute", "reshape", "through"]

Index = tuple  #: of int, (start, stop, step) or None, one for each axis of the argument (None adds an axis)


def reshape(layout: Layout, shape: tuple[int, ...]) -> Layout | None:
    """The same elements with other axes; None if strides cannot say that."""
    kind = TensorType(layout.dtype, shape)
    if layout.is_contiguous:
        return kind.contiguous
    old = [(n, s) for n, s in zip(layout.shape, layout.strides) if n != 1]
    strides: list[int] = []
    position = 0
    new = list(shape)
    at = 0
    while at < len(new):
        if new[at] == 1:
            strides.append(0)
            at += 1
            continue
        if position == len(old):
            return None
        # The next old axes and the next new axes that hold equally many elements.
        old_end, new_end = position + 1, at + 1
        old_size, new_size = old[position][0], new[at]
        while old_size != new_size:
            if new_size < old_size:
                new_size *= new[new_end]
                new_end += 1
            else:
                old_size *= old[old_end][0]
                old_end += 1
        for (_, outer), (n, inner) in zip(old[position : old_end - 1], old[position + 1 : old_end]):
            if outer != n * inner:
                return None
        step = old[old_end - 1][1]
        block = []
        for length in reversed(new[at:new_end]):
            block.append(step)
            step *= length
        strides += reversed(block)
        position, at = old_end, new_end
    return Layout(kind, tuple(strides))


def permute(layout: Layout, axes: tuple[int, ...]) -> Layout:
    """The axes in another order."""
    shape = tuple(layout.shape[a] for a in axes)
    return Layout(TensorType(layout.dtype, shape), tuple(layout.strides[a] for a in axes))


def broadcast(layout: Layout, shape: tuple[int, ...]) -> Layout:
    """Stretched to a larger shape: what is repeated has stride 0."""
    lead = len(shape) - layout.ndim
    strides = tuple(
        0 if i < lead or layout.shape[i - lead] != n else layout.strides[i - lead] for i, n in enumerate(shape)
    )
    return Layout(TensorType(layout.dtype, shape), strides)


def index(layout: Layout, items: Index) -> tuple[Layout, int]:
    """Basic indexing with normalised items: an integer takes one element and drops the axis, (start, length, step)
    takes some, None adds an axis. The layout and its offset in bytes."""
    shape: list[int] = []
    strides: list[int] = []
    offset = 0
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
            strides.append(0)
            continue
        step = layout.strides[axis]
        if isinstance(item, tuple):
            start, length, stride = item
            shape.append(length)
            strides.append(step * stride)
            offset += start * step if length else 0
        else:
            offset += item * step
        axis += 1
    kind = TensorType(layout.dtype, (*shape, *layout.shape[axis:]))
    return Layout(kind, (*strides, *layout.strides[axis:])), offset if kind.size else 0


def diagonal(layout: Layout, offset: int, rows: int, columns: int) -> tuple[Layout, int]:
    """The elements whose coordinates along two axes differ by `offset`, along a new last axis, and their offset in
    bytes."""
    n, m = layout.shape[rows], layout.shape[columns]
    length = max(min(n + min(offset, 0), m - max(offset, 0)), 0)
    rest = [axis for axis in range(layout.ndim) if axis not in (rows, columns)]
    shape = (*(layout.shape[axis] for axis in rest), length)
    step = layout.strides[rows] + layout.strides[columns]
    start = offset * layout.strides[columns] if offset > 0 else -offset * layout.strides[rows]
    kind = TensorType(layout.dtype, shape)
    return Layout(kind, (*(layout.strides[axis] for axis in rest), step)), start if kind.size else 0


def through(layout: Layout, path: tuple) -> tuple[Layout, int] | None:
    """The layout and offset behind a path of view operators, given as (name, attributes); None if a step copies."""
    from anfora.core.op import registry

    offset = 0
    for name, attributes in path:
        rule = registry[name].view_rule
        assert rule is not None
        step = rule(layout, **dict(attributes))
        if step is None:
            return None
        layout, offset = step[0], offset + step[1]
    return layout, offset

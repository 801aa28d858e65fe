"""Which processes hold the same part of a parameter, and which of them writes it into a checkpoint.

A layout says how the devices form a matrix, and along which of its axes a parameter is cut. It is a tuple as MindSpore has
it: the lengths of the matrix; for each axis of the parameter the axis of the matrix that cuts it, counted from the last, or
-1; and in the sixth place, if anywhere, the group over which an optimizer has cut it once more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anfora.communication.world import get_group_size, get_process_group_ranks, get_rank
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError

__all__ = ["get_parameter_redundancy", "remove_param_redundancy"]

Groups = tuple[tuple[int, ...], ...]


def get_parameter_redundancy(
    layout_obj: Mapping[str, Sequence[Any]] | Cell, initial_rank: int | None = None
) -> dict[str, Groups]:
    """For each parameter the groups of processes that hold the same part of it.

    Args:
        layout_obj: from names to layouts; or a Cell, of whose parameters all processes hold the whole.
        initial_rank: the first process of the matrix; None for that of the matrix in which this process is.
    Returns:
        dict in the order of names; of each parameter the groups, sorted by the part, with the processes in ascending order.
    Raises:
        OpTypeError: `layout_obj` is something else.
        OpValueError: a parameter is cut along an axis that the matrix does not have, or the processes that hold the same
            part cannot be shared out evenly among the optimizer's group.
    Example:
        >>> get_parameter_redundancy({"w": ([2, 2], [0, -1]), "b": ([2, 2], [-1])}, initial_rank=0)
        {'b': ((0, 1, 2, 3),), 'w': ((0, 2), (1, 3))}
    """
    if isinstance(layout_obj, Cell):
        everybody = (tuple(get_process_group_ranks()),)
        return dict.fromkeys(sorted(parameter.name for parameter in layout_obj.get_parameters()), everybody)
    if not isinstance(layout_obj, Mapping):
        raise OpTypeError(
            f"get_parameter_redundancy needs a dict of layouts or a Cell, but got {type(layout_obj).__name__}",
            arg="layout_obj",
        )
    return {name: _groups(name, layout_obj[name], initial_rank) for name in sorted(layout_obj)}


def _groups(name: str, layout: Sequence[Any], initial_rank: int | None) -> Groups:
    matrix, cuts = layout[:2]
    count = math.prod(matrix)
    first = get_rank() // count * count if initial_rank is None else initial_rank
    used = sorted({cut for cut in cuts if cut != -1})
    if used and not 0 <= used[0] <= used[-1] < len(matrix):
        raise OpValueError(f"{name} is cut along {cuts}, but the matrix {matrix} of devices has {len(matrix)} axes")
    places = np.indices(matrix).reshape(len(matrix), -1)
    found: dict[tuple[int, ...], list[int]] = {}
    for rank, place in enumerate(places.T.tolist(), first):
        found.setdefault(tuple(place[-1 - cut] for cut in used), []).append(rank)
    groups = tuple(tuple(found[part]) for part in sorted(found))
    return tuple(_shared_out(name, groups, layout[5])) if len(layout) > 5 and layout[5] else groups


def _shared_out(name: str, groups: Groups, sharing: str) -> Iterator[tuple[int, ...]]:
    """The groups of a parameter of which an optimizer's group holds a part each. MindSpore makes the name of such a group
    of the number of its processes and a mark: `4-11650191013956257822`."""
    head = sharing.partition("-")[0]
    size = int(head) if head.isdecimal() else get_group_size(sharing)
    for ranks in groups:
        if len(ranks) % size:
            raise OpValueError(f"{name}: {len(ranks)} processes hold the same part, which {size} cannot share evenly")
        yield from (ranks[i::size] for i in range(size))


def remove_param_redundancy(
    param_redundancy_dict: Mapping[str, Groups], keep_redundancy: int = 1
) -> dict[int, set[str]]:
    """Share out who writes which parameter, so that each part is written `keep_redundancy` times and all write alike much.

    Args:
        param_redundancy_dict: what `get_parameter_redundancy` gives.
        keep_redundancy: how often each part is written; where fewer processes hold it, all of them write it.
    Returns:
        dict from the number of a process to the names of the parameters that it writes.
    Example:
        >>> remove_param_redundancy({"b": ((0, 1),), "w": ((0, 1),)})
        {0: {'b'}, 1: {'w'}}
    """
    names: dict[tuple[int, ...], list[str]] = {}
    for name, groups in param_redundancy_dict.items():
        for ranks in groups:
            names.setdefault(ranks, []).append(name)
    writes: dict[int, set[str]] = {}
    for copy in range(keep_redundancy):
        for ranks, held in names.items():
            for turn, name in enumerate(held, copy):
                writes.setdefault(ranks[turn % len(ranks)], set()).add(name)
    return writes

"""Names of weights in another library's file, as names of a Cell's parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError

__all__ = ["TORCH", "Source", "sources"]

_AFFINE = {"gamma": "weight", "beta": "bias"}
_MOVING = {**_AFFINE, "moving_mean": "running_mean", "moving_variance": "running_var"}
_TABLE = {"embedding_table": "weight"}
_LAYER = {"dense1": "linear1", "dense2": "linear2"}

#: What torch calls attributes of our layers, where it is something else; "" where torch has no layer in between.
TORCH: dict[str, dict[str, str]] = {
    "anfora.nn.normalization._BatchNorm": _MOVING,
    "anfora.nn.normalization.BatchNorm3d": {"bn2d": ""},
    "anfora.nn.normalization._InstanceNorm": _MOVING,
    "anfora.nn.normalization.LayerNorm": _AFFINE,
    "anfora.nn.normalization.GroupNorm": _AFFINE,
    "anfora.nn.embedding.Embedding": _TABLE,
    "anfora.nn.embedding.EmbeddingLookup": _TABLE,
    "anfora.nn.activation.PReLU": {"a": "weight"},
    "anfora.nn.transformer._Layer": _LAYER,
}

#: Layers whose kernel has an axis of length 1 here, and none in torch.
_FLAT = {"anfora.nn.conv.Conv1d", "anfora.nn.conv.Conv1dTranspose"}


class Source(NamedTuple):
    """Where a parameter's value comes from.

    Attributes:
        name: in the file.
        shape: from the file's shape to the parameter's, where they differ.
    """

    name: str
    shape: Callable[[tuple[int, ...]], tuple[int, ...]] | None = None


def sources(
    net: Cell, given: Mapping[str, Any], rename: Any, prefixes: bool = False
) -> tuple[dict[str, Source], list[str]]:
    """For the names of a Cell's parameters, what is given for them; and the names that are given for none.

    Args:
        rename: as of `load_param_into_net`.
        prefixes: whether a parameter whose name is not given has what is given under its name behind a prefix.
    Raises:
        OpTypeError: `rename` is none of what it may be.
        OpValueError: an expression is none, or two names become one.
    """
    rules = list(rename) if isinstance(rename, (list, tuple)) else [] if rename is None else [rename]
    by_torch = any(isinstance(rule, str) and rule == "torch" for rule in rules)
    changes = [_change(rule) for rule in rules if not (isinstance(rule, str) and rule == "torch")]
    known: dict[str, str] = {}
    for name in given:
        found: Any = name
        for change in changes:
            found = change(found) if found else found
        if not found:
            continue
        if found in known:
            raise OpValueError(f"`rename` makes {found!r} of both {known[found]!r} and {name!r}", arg="rename")
        known[found] = name
    if by_torch:
        wanted = dict(_names_of_torch(net, "", set()))
    else:
        wanted = {parameter.name: Source(parameter.name) for parameter in net.get_parameters()}
    here = {name: Source(known[source.name], source.shape) for name, source in wanted.items() if source.name in known}
    if prefixes:
        here.update(_behind_prefixes([name for name in wanted if name not in here], given))
    used = {source.name for source in here.values()}
    return here, [n for n in given if n not in used and not (by_torch and n.endswith("num_batches_tracked"))]


def _behind_prefixes(missing: list[str], given: Mapping[str, Any]) -> Iterator[tuple[str, Source]]:
    """The missing names that are given behind a prefix, with what is given.

    A prefix is what stands before a missing name in the first given one that ends so, and serves all missing names that are
    given behind it before another is looked for, as in MindSpore.
    """
    waiting = dict.fromkeys(missing)
    for name in missing:
        full = next((other for other in given if other.endswith(name)), None) if name in waiting else None
        if full is None:
            continue
        prefix = full.removesuffix(name)
        for served in [other for other in waiting if prefix + other in given]:
            del waiting[served]
            yield served, Source(prefix + served)


def _change(rule: Any) -> Callable[[str], Any]:
    """What a rule makes of a name."""
    if isinstance(rule, Mapping):
        try:
            pairs = [(re.compile(old), new) for old, new in rule.items()]
        except (re.error, TypeError) as error:
            raise OpValueError(f"`rename`: {error} in one of {list(rule)}", arg="rename") from None

        def change(name: str) -> str:
            for old, new in pairs:
                name = old.sub(new, name)
            return name

        return change
    if not callable(rule):
        raise OpTypeError(
            f'`rename` is "torch", a dict from regular expressions, a function, or a list of these, but got {rule!r:.60}',
            arg="rename",
        )
    return rule


def _names_of_torch(cell: Cell, path: str, seen: set[int]) -> Iterator[tuple[str, Source]]:
    """The names of parameters, and what torch would call them in a network that is built so."""
    kinds = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(cell).__mro__]
    words = next((TORCH[kind] for kind in kinds if kind in TORCH), {})
    flat = any(kind in _FLAT for kind in kinds)
    for name, parameter in cell._params.items():
        if id(parameter) not in seen:
            seen.add(id(parameter))
            widen = (lambda shape: (*shape[:-1], 1, *shape[-1:])) if flat and name == "weight" else None
            yield parameter.name, Source(path + words.get(name, name), widen)
    for name, child in cell._cells.items():
        word = words.get(name, name)
        yield from _names_of_torch(child, f"{path}{word}." if word else path, seen)

"""The nearest of the names that there are, for error texts about one that there is not."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["MissingName", "below", "did_you_mean", "missing_in", "names_of", "nearest", "suggested"]


class MissingName(AttributeError):
    """A module of this package has no such name; the text says which comes nearest.

    Attributes:
        module: the module's name;  missing: the name that was asked for.
    """

    def __init__(self, module: str, missing: str) -> None:
        super().__init__(module, missing)
        self.module, self.missing = module, missing
        self.name = missing  # Python adds a suggestion of its own where an error does not have this

    def __str__(self) -> str:  # looks for the nearest where somebody reads it: `hasattr` does not
        from anfora.core.habits import word_for

        text = f"module '{self.module}' has no attribute '{self.missing}'"
        word = word_for(self.missing, "module")
        if word is not None:
            return f"{text}; {word.removesuffix('.')}"
        better = suggested(self.module, self.missing)
        return f"{text}; did you mean '{better}'?" if better else text


def missing_in(module: str, home: str | None = None) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has all its names: it knows MindSpore's paths below it too.

    Args:
        home: a module whose names MindSpore has at this path as well.
    """

    def __getattr__(name: str) -> Any:
        if home is not None and name in names_of(home):
            return getattr(importlib.import_module(home), name)
        return below(module, name)

    return __getattr__


def below(module: str, name: str) -> Any:
    """What a module has that no file of it defines: one of MindSpore's paths, which stand there from the start."""
    found = sys.modules.get(f"{module}.{name}")
    if found is None:
        raise MissingName(module, name)
    return found


#: Where a name may stand that a program looks for elsewhere, the most used first.
_PLACES = (
    "anfora", "anfora.nn", "anfora.ops", "anfora.dataset", "anfora.dataset.vision", "anfora.dataset.transforms",
    "anfora.train", "anfora.common.initializer", "anfora.numpy", "anfora.mint",
)  # fmt: skip


def suggested(module: str, name: str) -> str | None:
    """What a program may have meant that has asked a module of this package for a name: a name of that module, as it
    stands there, or one of another module, with the module in front; None where nothing comes near."""
    names = names_of(module)
    for known in names:
        if _letters(known) == _letters(name):
            return known
    for place in _PLACES:
        if name in _public(place):
            return f"{place}.{name}"
    return nearest(name, names)


def names_of(module: str) -> list[str]:
    """The public names of a module, and the modules below it, as far as they are loaded."""
    return [*_public(module), *(n.rpartition(".")[2] for n in list(sys.modules) if n.rpartition(".")[0] == module)]


def _public(module: str) -> list[str]:
    try:
        found = importlib.import_module(module)
    except ImportError:
        return []
    own = vars(found)
    names = dir(found) if "__dir__" in own or "__all__" not in own else own["__all__"]
    return [name for name in names if not name.startswith("__")]


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that comes nearest: the same letters, whatever their case and underscores, or nearly; None where none is.

    Example:
        >>> from anfora.core.nearest import nearest
        >>> nearest("batchnorm2d", ["BatchNorm1d", "BatchNorm2d"]), nearest("Dens", ["Dense", "Conv2d"])
        ('BatchNorm2d', 'Dense')
    """
    import difflib  # brings much, and is needed where a program ends

    by_letters: dict[str, list[str]] = {}
    for known in names:
        if known.startswith("_") <= name.startswith("_"):
            by_letters.setdefault(_letters(known), []).append(known)
    found = difflib.get_close_matches(_letters(name), by_letters, 1, 0.75)
    return difflib.get_close_matches(name, by_letters[found[0]], 1, 0.0)[0] if found else None


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'X'?` with the nearest name, or nothing."""
    found = nearest(name, names)
    return f"; did you mean '{found}'?" if found else ""

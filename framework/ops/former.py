"""Names that arguments of functions had in other versions of MindSpore: `logsumexp(x, axis=1)`, `where(mask, x=a, y=b)`.

A program is written for one version, and says the names of that one. Each function takes those beside its own, where they
can mean nothing else. The names of other libraries are no concern of this table: they are errors that name our word
(`core/habits.py`).

    former_names   of one function, by what it takes
    FORMER        the names that are not of the two groups
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["FORMER", "former_names"]

#: What the first operand is called, and the second: by each name the others, with it.
_OPERANDS = tuple(
    {own: {other: own for other in names if other != own} for own in names}
    for names in (("input", "x", "input_x", "x1"), ("other", "y", "x2"))
)

#: The names by function, with those of today.
FORMER: dict[str, dict[str, str]] = {
    "argmax": {"axis": "dim", "keepdims": "keepdim"},
    "binary_cross_entropy_with_logits": {"logits": "input", "label": "target"},
    "dstack": {"inputs": "tensors"},
    "logsumexp": {"axis": "dim", "keep_dims": "keepdim"},
    "pad": {"paddings": "padding"},
    "relu": {"input_x": "input"},
    "select": {"cond": "condition"},
    "softmax": {"logits": "input"},
    "tile": {"multiples": "dims"},
    "true_divide": {"dividend": "input", "divisor": "other"},
    "unique_consecutive": {"return_idx": "return_inverse", "axis": "dim"},
}


def former_names(name: str, takes: Sequence[str]) -> dict[str, str]:
    """The further names of a function's arguments, with those that it takes."""
    found = {other: own for other, own in FORMER.get(name, {}).items() if other not in takes and own in takes}
    for group in _OPERANDS:
        taken = group.keys() & takes
        if len(taken) == 1:
            found = {**group[taken.pop()], **found}
    return found

"""Cells in notebooks: a tree that opens, with the parameters of each Cell."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anfora.core.cell import Cell

__all__ = ["as_html"]

_STYLE = "margin-left:1.2em;font-family:monospace"


def as_html(cell: Cell, name: str = "") -> str:
    """A Cell with its children and parameters as nested `details`; the outermost is open.

    Args:
        name: under which it stands in its parent.
    """
    parameters = list(cell.parameters_and_names(expand=False))
    children = list(cell.name_cells().items())
    head = f"{f'{escape(name)}: ' if name else ''}<b>{escape(type(cell).__name__)}</b>({escape(cell.extend_repr())})"
    count = sum(parameter.size for parameter in cell.get_parameters())
    if count:
        head += f" <small>{count:,} parameters</small>"
    lines = [
        f'<div style="{_STYLE}">{escape(key.rpartition(".")[2])}: {escape(str(parameter.shape))} {parameter.dtype}'
        f"{'' if parameter.requires_grad else ' <small>not trained</small>'}</div>"
        for key, parameter in parameters
    ]
    lines += [as_html(child, key) for key, child in children]
    margin = "font-family:monospace" if not name else _STYLE
    if not lines:
        return f'<div style="{margin}">{head}</div>'
    opened = "" if name else ' open=""'
    return f'<details style="{margin}"{opened}><summary>{head}</summary>{"".join(lines)}</details>'

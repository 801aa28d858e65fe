"""What to write instead of an instruction that there is not: by what its name means, else by how it is spelled."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["suggestion"]

#: What to write for what other languages call these names: instructions, and what makes them mean the same.
MEANINGS = {
    "relu": ("max_scalar", "max_scalar t1 0->t2"),
    "relu6": ("max_scalar, min_scalar", "max_scalar t1 0->t2, then min_scalar t2 6->t2"),
    "clip clamp clip_by_value hardtanh": (
        "max_scalar, min_scalar", "max_scalar with the lower bound, then min_scalar with the upper"
    ),
    "maximum fmax": ("max", "max t1 t2->t3"),
    "minimum fmin": ("min", "min t1 t2->t3"),
    "amax reduce_max max_reduce": ("reducemax", "reducemax t1 v1->t2"),
    "amin reduce_min min_reduce": ("reducemin", "reducemin t1 v1->t2"),
    "reduce_sum sum_all add_reduce": ("sum", "sum t1 v1->t2"),
    "reduce_prod product": ("prod", "prod t1 v1->t2"),
    "mean average reduce_mean": ("sum, div_scalar", "sum t1 v1->t2, then div_scalar by the number of elements"),
    "neg negative": ("mul_scalar", "mul_scalar t1 -1->t2"),
    "abs absolute fabs": ("mul_scalar, max", "mul_scalar t1 -1->t2, then max t1 t2->t2"),
    "square sqr": ("mul", "mul t1 t1->t2"),
    "rsqrt": ("sqrt, rdiv_scalar", "sqrt t1->t2, then rdiv_scalar t2 1->t2"),
    "reciprocal inv": ("rdiv_scalar", "rdiv_scalar t1 1->t2"),
    "sigmoid logistic": (
        "mul_scalar, exp, add_scalar, rdiv_scalar",
        "mul_scalar t1 -1->t2, exp t2->t2, add_scalar t2 1->t2, rdiv_scalar t2 1->t2",
    ),
    "ln": ("log", "log t1->t2"),
    "power": ("pow", "pow t1 t2->t3, pow_scalar t1 a1->t2 for a number"),
    "plus addition": ("add", "add t1 t2->t3"),
    "subtract minus": ("sub", "sub t1 t2->t3"),
    "multiply times hadamard": ("mul", "mul t1 t2->t3"),
    "divide truediv true_divide quotient": ("div", "div t1 t2->t3"),
    "modulo rem remainder fmod": ("mod", "mod t1 t2->t3"),
    "dot mm bmm gemm mv linear": ("matmul", "matmul t1 t2->t3"),
    "view resize flatten squeeze unsqueeze expand_dims": ("reshape", "reshape t1 v1->t2"),
    "permute swapaxes moveaxis t": ("transpose", "transpose t1 v1->t2"),
    "expand expand_as broadcast stretch": ("broadcastTo", "broadcastTo t1 v1->t2"),
    "cat stack join concatenate": ("concat", "concat t1 t2 a1->t3"),
    "gather take index_select embedding lookup": ("indexselect", "indexselect t1 t2 a1->t3"),
    "tile": ("repeat", "repeat t1 v1->t2"),
    "cast astype convert to": ("todtype", "todtype t1->t2"),
    "select if cond masked_select": ("where", "where t1 t2 t3->t4"),
    "eq": ("equal", "equal t1 t2->t3"),
    "lt": ("less", "less t1 t2->t3"),
    "gt": ("greater", "greater t1 t2->t3"),
    "copy clone assign identity move mov": ("copytensor", "copytensor t1->t2"),
    "fill full ones set": ("constant", "constant a1->t1"),
    "zeros empty new alloc tensor": ("newtensor", "newtensor@T v1->t1, which is filled with zeros"),
    "delete del free": ("deltensor", "deltensor t1, argdel a1"),
    "let arg var": ("argset", "argset@T 1->a1"),
    "range linspace iota": ("arange", "arange a1 a2->t1: start and step"),
    "rand random": ("uniform", "uniform a1 a2->t1"),
    "randn gauss gaussian": ("normal", "normal a1 a2->t1: mean and deviation"),
}  # fmt: skip

_BY_NAME = {name.replace("_", ""): meant for names, meant in MEANINGS.items() for name in names.split()}


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """The sentence that helps whoever wrote an unknown name; None where nothing is near.

    Example:
        >>> suggestion("relu", ["max_scalar"])
        'did you mean max_scalar: max_scalar t1 0->t2'
        >>> suggestion("ad", ["add", "sub"])
        'did you mean add'
    """
    spelled = name.lower().replace("_", "")
    by_spelling = {key.lower().replace("_", ""): key for key in known}
    if spelled in by_spelling:
        return f"did you mean {by_spelling[spelled]}"
    found = [spelled] if spelled in _BY_NAME else difflib.get_close_matches(spelled, [*by_spelling, *_BY_NAME], 1)
    if not found:
        return None
    if found[0] in by_spelling:
        return f"did you mean {by_spelling[found[0]]}"
    instead, form = _BY_NAME[found[0]]
    return f"did you mean {instead}: {form}"

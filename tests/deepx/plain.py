"""deepx IR in plain numpy, from the specification's tables: canonical text in, a dictionary of cells out.

It knows nothing of the package, checks nothing, and is only right for right programs.
"""

from __future__ import annotations

import re

import numpy as np

DTYPES = {name: np.dtype(name) for name in ("float16", "float32", "float64", "int64", "int32", "int16", "int8", "bool")}


def weight(a, b):
    return np.where(a > b, 1.0, np.where(a == b, 0.5, 0.0))


def axes_of(v, rank):
    return tuple(sorted({int(d) % rank for d in v})) if len(v) else tuple(range(rank))


def others(x, axes):
    """The product of all other elements along the axes, one element at a time."""
    out = np.empty_like(x)
    for place in np.ndindex(x.shape):
        line = tuple(slice(None) if i in axes else n for i, n in enumerate(place))
        rest = x[line].copy()
        rest[tuple(n for i, n in enumerate(place) if i in axes)] = 1
        out[place] = rest.prod()
    return out


def keep(x, v):
    return tuple(1 if i in axes_of(v, x.ndim) else n for i, n in enumerate(x.shape))


def take_back(x, i, a, g):
    out = np.zeros_like(x)
    moved = np.moveaxis(out, a, 0)
    rows = np.moveaxis(g.reshape((*x.shape[:a], i.size, *x.shape[a + 1 :])), a, 0)
    np.add.at(moved, i.ravel(), rows)
    return out


def unstretch(g, shape):
    g = g.sum(tuple(range(g.ndim - len(shape))))
    return g.sum(tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1), keepdims=True)


def unroll(x, v, g):
    for axis, times in enumerate(v):
        g = sum(np.split(g, times, axis)) if times else np.zeros((*g.shape[:axis], x.shape[axis], *g.shape[axis + 1 :]))
    return g


def ties(x, v, g, y):
    won = x == y.reshape(keep(x, v))
    return g.reshape(keep(x, v)) * won / won.sum(axes_of(v, x.ndim), keepdims=True)


#: name: (result, gradients of the tensor operands from operands, g and the result)
RULES = {
    "add": (lambda x, y: x + y, lambda x, y, g, z: (g, g)),
    "add_scalar": (lambda x, a: x + a, lambda x, a, g, z: (g,)),
    "sub": (lambda x, y: x - y, lambda x, y, g, z: (g, -g)),
    "mul": (lambda x, y: x * y, lambda x, y, g, z: (g * y, g * x)),
    "mul_scalar": (lambda x, a: x * a, lambda x, a, g, z: (g * a,)),
    "div": (lambda x, y: x / y, lambda x, y, g, z: (g / y, -g * z / y)),
    "div_scalar": (lambda x, a: x / a, lambda x, a, g, z: (g / a,)),
    "mod": (lambda x, y: x % y, lambda x, y, g, z: (g, -g * np.floor(x / y))),
    "mod_scalar": (lambda x, a: x % a, lambda x, a, g, z: (g,)),
    "exp": (np.exp, lambda x, g, z: (g * z,)),
    "sqrt": (np.sqrt, lambda x, g, z: (g / (2 * z),)),
    "log": (np.log, lambda x, g, z: (g / x,)),
    "sum": (
        lambda x, v: x.sum(axes_of(v, x.ndim)),
        lambda x, v, g, z: (np.broadcast_to(g.reshape(keep(x, v)), x.shape),),
    ),
    "max": (np.maximum, lambda x, y, g, z: (g * weight(x, y), g * (1 - weight(x, y)))),
    "max_scalar": (np.maximum, lambda x, a, g, z: (g * weight(x, a),)),
    "min": (np.minimum, lambda x, y, g, z: (g * weight(y, x), g * (1 - weight(y, x)))),
    "min_scalar": (np.minimum, lambda x, a, g, z: (g * weight(a, x),)),
    "copytensor": (lambda x: x, lambda x, g, z: (g,)),
    "sub_scalar": (lambda x, a: x - a, lambda x, a, g, z: (g,)),
    "rsub_scalar": (lambda x, a: a - x, lambda x, a, g, z: (-g,)),
    "rdiv_scalar": (lambda x, a: a / x, lambda x, a, g, z: (-g * a / x**2,)),
    "pow": (np.power, lambda x, y, g, z: (g * y * x ** (y - 1), np.where((x == 0) & (y > 0), 0, g * z * np.log(x)))),
    "pow_scalar": (np.power, lambda x, a, g, z: (g * a * x ** (a - 1),)),
    "sin": (np.sin, lambda x, g, z: (g * np.cos(x),)),
    "cos": (np.cos, lambda x, g, z: (-g * np.sin(x),)),
    "tanh": (np.tanh, lambda x, g, z: (g * (1 - z**2),)),
    "prod": (
        lambda x, v: x.prod(axes_of(v, x.ndim)),
        lambda x, v, g, z: (g.reshape(keep(x, v)) * others(x, axes_of(v, x.ndim)),),
    ),
    "reducemax": (lambda x, v: x.max(axes_of(v, x.ndim)), lambda x, v, g, z: (ties(x, v, g, z),)),
    "reducemin": (lambda x, v: x.min(axes_of(v, x.ndim)), lambda x, v, g, z: (ties(x, v, g, z),)),
    "matmul": (
        lambda x, y: x @ y,
        lambda x, y, g, z: (g @ np.swapaxes(y, -1, -2), np.swapaxes(x, -1, -2) @ g),
    ),
    "reshape": (lambda x, v: x.reshape(v), lambda x, v, g, z: (g.reshape(x.shape),)),
    "transpose": (lambda x, v: x.transpose(v), lambda x, v, g, z: (g.transpose(np.argsort(np.array(v) % x.ndim)),)),
    "broadcastTo": (lambda x, v: np.broadcast_to(x, v), lambda x, v, g, z: (unstretch(g, x.shape),)),
    "indexselect": (lambda x, i, a: np.take(x, i, a), lambda x, i, a, g, z: (take_back(x, i, a, g), None)),
    "repeat": (np.tile, lambda x, v, g, z: (unroll(x, v, g),)),
    "equal": (lambda x, y: x == y, None),
    "less": (lambda x, y: x < y, None),
    "greater": (lambda x, y: x > y, None),
    "equal_scalar": (lambda x, a: x == a, None),
    "less_scalar": (lambda x, a: x < a, None),
    "greater_scalar": (lambda x, a: x > a, None),
    "where": (lambda m, x, y: np.where(m != 0, x, y), lambda m, x, y, g, z: (None, g * (m != 0), g * (m == 0))),
    "todtype": (lambda x: x, lambda x, g, z: (g,)),
}


def interpret(text: str, cells: dict | None = None) -> dict:
    """Run canonical text; tensors and vectors are arrays, arguments are numpy scalars."""
    cells = {} if cells is None else cells
    with np.errstate(all="ignore"):
        for line in text.splitlines():
            if line:
                step(line, cells)
    return cells


def step(line: str, cells: dict) -> None:
    left, arrow, right = re.fullmatch(r"(.*?)(?:(->|<-)(.*))?", line).groups()
    head, *words = re.findall(r"\[[^]]*\]|[^\s]+", left)
    op, _, dtype = head.partition("@")
    names = [word.partition("(")[0] for word in words]
    if op == "argset":
        values = np.array([DTYPES[dtype].type(word) for word in words], DTYPES[dtype])
        cells[right] = values[0] if right[0] == "a" else values
        return
    if op in ("argdel", "deltensor"):
        del cells[names[0]]
        return

    def value(name, op=op):
        if name[0] == "[":
            return np.array([int(number) for number in name[1:-1].split()])
        if name not in cells:
            return int(name) if op in ("concat", "indexselect") else DTYPES[dtype].type(name)
        held = cells[name]
        if name[0] == "v":
            return tuple(int(n) for n in held) if op != "fromvec" else held
        if name[0] == "a" and op not in ("concat", "indexselect"):
            return DTYPES[dtype].type(held)
        return held

    if op == "newtensor":
        cells[right] = np.zeros(tuple(value(names[0])), DTYPES[dtype])
        return
    result = right.partition("(")[0]
    out = cells[result]
    operands = [value(name) for name in names]
    if arrow == "->":
        if op == "constant":
            new = np.full(out.shape, operands[0])
        elif op == "arange":
            steps = np.arange(out.size).astype(np.float64 if out.dtype.kind == "f" else np.int64)
            new = operands[0].astype(steps.dtype) + steps * operands[1].astype(steps.dtype)
        elif op == "fromvec":
            new = operands[0].astype(out.dtype)
        elif op == "concat":
            new = np.concatenate(operands[:-1], operands[-1])
        else:
            new = RULES[op][0](*operands)
        cells[result] = np.asarray(new).astype(out.dtype).reshape(out.shape)
        return
    given = re.search(r"\((.*)\)", right).group(1)
    g = cells[given]
    if op == "concat":
        ends = np.cumsum([x.shape[operands[-1]] for x in operands[:-1]])[:-1]
        contributions = np.split(g, ends, operands[-1])
    else:
        contributions = RULES[op][1](*operands, g, out)
    new = {}
    tensors = [word for word in words if word[0] == "t"]
    for word, contribution in zip(tensors, contributions):
        grad = word.partition("(")[2].rstrip(")")
        if grad != "_":
            start = new.get(grad, 0 if grad == given else cells[grad])
            new[grad] = (start + contribution).astype(cells[grad].dtype)
    cells.update({name: value.reshape(cells[name].shape) for name, value in new.items()})

"""Every instruction: what stands where, which shapes fit, what it computes, and what backward adds.

`t1 += …` of the specification is the rule named `t1`. Rules are written in operators, so the same kernels run here as
everywhere else. Reductions take an empty vector as all axes. Ties: `max` and `min` give a half to either side, `reducemax`
and `reducemin` share evenly.
"""

from __future__ import annotations

import math
from typing import Any

from anfora import ops
from anfora.core.dtype import float64, int64
from anfora.core.tensor import Tensor
from anfora.deepx.errors import Fault
from anfora.deepx.forms import TensorSpec, form

Shapes = list[tuple[int, ...]]
Vector = tuple[int, ...]

# -- shapes -----------------------------------------------------------------------------------------------------------


def axis(a1: int, rank: int, place: str) -> int:
    """An axis counted from the front."""
    if not -rank <= a1 < rank:
        raise Fault("E-SHAPE", f"axis {a1} is out of range for {rank} axes", place)
    return a1 % rank


def alike(like1: TensorSpec, like2: TensorSpec) -> Shapes:
    if like1.shape != like2.shape:
        raise Fault("E-SHAPE", f"operands of one shape are needed, but they are {like1} and {like2}", "t2")
    return [like1.shape]


def same(like1: TensorSpec) -> Shapes:
    return [like1.shape]


def any_shape(like: TensorSpec) -> Shapes:
    return [like.shape]


def reduced_axes(v1: Vector, rank: int) -> tuple[int, ...]:
    return tuple(sorted({axis(number, rank, "v1") for number in v1})) if v1 else tuple(range(rank))


def kept(like1: TensorSpec, v1: Vector) -> tuple[int, ...]:
    """The shape of a reduction whose axes stay, with length 1."""
    gone = reduced_axes(v1, len(like1.shape))
    return tuple(1 if i in gone else n for i, n in enumerate(like1.shape))


def reduction(like1: TensorSpec, v1: Vector) -> Shapes:
    gone = reduced_axes(v1, len(like1.shape))
    removed = tuple(n for i, n in enumerate(like1.shape) if i not in gone)
    return [removed, kept(like1, v1)] + ([(1,)] if not removed else [])


def nonempty_reduction(like1: TensorSpec, v1: Vector) -> Shapes:
    if any(like1.shape[i] == 0 for i in reduced_axes(v1, len(like1.shape))):
        raise Fault("E-SHAPE", f"no extreme of no elements: t1 is {like1}", "t1")
    return reduction(like1, v1)


def product(like1: TensorSpec, like2: TensorSpec) -> Shapes:
    left, right = like1.shape, like2.shape
    fits = len(left) >= 2 and len(left) == len(right) and left[:-2] == right[:-2] and left[-1] == right[-2]
    if not fits:
        raise Fault("E-SHAPE", f"(…, m, k) and (…, k, n) are needed, but they are {like1} and {like2}", "t2")
    return [(*left[:-1], right[-1])]


def reshaped(like1: TensorSpec, v1: Vector) -> Shapes:
    if any(n < -1 for n in v1) or v1.count(-1) > 1:
        raise Fault("E-SHAPE", f"{list(v1)} is no shape; one length may be -1", "v1")
    size, known = math.prod(like1.shape), math.prod(n for n in v1 if n != -1)
    if -1 in v1 and (known == 0 or size % known):
        raise Fault("E-SHAPE", f"{like1} cannot be {list(v1)}: no length fits for -1", "v1")
    shape = tuple(size // known if n == -1 else n for n in v1)
    if math.prod(shape) != size:
        raise Fault("E-SHAPE", f"{like1} has {size} elements, {list(v1)} has {math.prod(shape)}", "v1")
    return [shape]


def order(v1: Vector, rank: int) -> tuple[int, ...]:
    found = tuple(axis(number, rank, "v1") for number in v1)
    if sorted(found) != list(range(rank)):
        raise Fault("E-SHAPE", f"{list(v1)} is no order of {rank} axes", "v1")
    return found


def transposed(like1: TensorSpec, v1: Vector) -> Shapes:
    return [tuple(like1.shape[i] for i in order(v1, len(like1.shape)))]


def inverse(v1: Vector) -> tuple[int, ...]:
    found = order(v1, len(v1))
    return tuple(found.index(i) for i in range(len(found)))


def broadcast(like1: TensorSpec, v1: Vector) -> Shapes:
    if any(n < 0 for n in v1):
        raise Fault("E-SHAPE", f"{list(v1)} is no shape", "v1")
    tail = v1[len(v1) - len(like1.shape) :] if len(v1) >= len(like1.shape) else None
    if tail is None or any(n not in (1, m) for n, m in zip(like1.shape, tail)):
        raise Fault("E-SHAPE", f"{like1} does not broadcast to {list(v1)}", "v1")
    return [v1]


def joined(likes: list[TensorSpec], a1: int) -> Shapes:
    first = likes[0].shape
    along = axis(a1, len(first), "a1")
    for like in likes:
        rest = [n for i, n in enumerate(like.shape) if i != along]
        if len(like.shape) != len(first) or rest != [n for i, n in enumerate(first) if i != along]:
            raise Fault("E-SHAPE", f"{likes[0]} and {like} do not fit together along axis {along}", "t")
    return [(*first[:along], sum(like.shape[along] for like in likes), *first[along + 1 :])]


def taken(like1: TensorSpec, like2: TensorSpec, a1: int) -> Shapes:
    along = axis(a1, len(like1.shape), "a1")
    return [(*like1.shape[:along], *like2.shape, *like1.shape[along + 1 :])]


def tiled(like1: TensorSpec, v1: Vector) -> Shapes:
    if len(v1) != len(like1.shape) or any(n < 0 for n in v1):
        raise Fault("E-SHAPE", f"{list(v1)} does not say how often for each axis of {like1}", "v1")
    return [tuple(n * times for n, times in zip(like1.shape, v1))]


def chosen(like1: TensorSpec, like2: TensorSpec, like3: TensorSpec) -> Shapes:
    if not like1.shape == like2.shape == like3.shape:
        raise Fault("E-SHAPE", f"operands of one shape are needed, but they are {like1}, {like2} and {like3}", "t1")
    return [like1.shape]


def listed(v1: tuple, like: TensorSpec) -> Shapes:
    if len(v1) != math.prod(like.shape):
        raise Fault("E-SHAPE", f"{len(v1)} numbers cannot fill {like}", "v1")
    return [like.shape]


# -- parts of rules ---------------------------------------------------------------------------------------------------


def half_to_ties(g: Tensor, wins: Tensor, ties: Tensor) -> Tensor:
    """g where the operand won, half of it where it tied, else 0."""
    return ops.where(wins, g, ops.where(ties, ops.mul(g, 0.5), ops.zeros_like(g)))


def spread(g: Tensor, like1: TensorSpec, v1: Vector) -> Tensor:
    """The gradient of a reduction at every element of what was reduced."""
    return ops.broadcast_to(ops.reshape(g, kept(like1, v1)), like1.shape)


def shared_by_ties(g: Tensor, t1: Tensor, like1: TensorSpec, v1: Vector, out: Tensor) -> Tensor:
    winners = ops.cast(ops.equal(t1, spread(out, like1, v1)), like1.dtype)
    count = ops.reduce_sum(winners, reduced_axes(v1, t1.ndim), True)
    return ops.mul(spread(g, like1, v1), ops.div(winners, count))


def product_of_others(t1: Tensor, v1: Vector) -> Tensor:
    """For each element, the product of all others that are reduced with it."""
    gone = reduced_axes(v1, t1.ndim)
    turn = (*(i for i in range(t1.ndim) if i not in gone), *gone)
    turned = ops.transpose(t1, turn)
    stay = turned.shape[: t1.ndim - len(gone)]
    rows = ops.reshape(turned, (*stay, math.prod(turned.shape[len(stay) :])))
    before = ops.cumprod(rows, len(stay), exclusive=True)
    after = ops.cumprod(rows, len(stay), exclusive=True, reverse=True)
    return ops.transpose(ops.reshape(ops.mul(before, after), turned.shape), inverse(turn))


def taken_back(g: Tensor, t2: Tensor, like1: TensorSpec, a1: int) -> Tensor:
    along = axis(a1, len(like1.shape), "a1")
    shape = (*like1.shape[:along], t2.size, *like1.shape[along + 1 :])
    zeros = ops.zeros(like1.shape, like1.dtype)
    return ops.index_add(zeros, ops.reshape(ops.cast(t2, int64), (-1,)), ops.reshape(g, shape), along)


def untiled(g: Tensor, like1: TensorSpec, v1: Vector) -> Tensor:
    split = [n for pair in zip(v1, like1.shape) for n in pair]
    return ops.reduce_sum(ops.reshape(g, tuple(split)), tuple(range(0, len(split), 2))) if split else g


def parts(g: Tensor, likes: list[TensorSpec], a1: int) -> list[Tensor]:
    """The gradient of a concatenation, cut into those of its operands."""
    along, start, found = axis(a1, g.ndim, "a1"), 0, []
    for like in likes:
        stop = start + like.shape[along]
        found.append(g[(slice(None),) * along + (slice(start, stop),)])
        start = stop
    return found


def power_slope(g: Tensor, t1: Tensor, exponent: Any) -> Tensor:
    slope = ops.mul(exponent, ops.pow(t1, ops.sub(exponent, 1)))
    return ops.mul(g, ops.where(ops.equal(exponent, 0), ops.zeros_like(slope), slope))


def exponent_slope(g: Tensor, t1: Tensor, t2: Tensor, out: Tensor) -> Tensor:
    flat = ops.logical_and(ops.equal(t1, 0), ops.greater(t2, 0))
    return ops.mul(g, ops.where(flat, ops.zeros_like(out), ops.mul(out, ops.log(t1))))


def ramp(a1: Any, a2: Any, like: TensorSpec) -> Tensor:
    """a1 + k · a2 for k = 0, 1, …, computed in the widest type of its kind and rounded once."""
    wide = float64 if like.dtype.is_float else int64
    steps = ops.arange(math.prod(like.shape), dtype=wide)
    return ops.reshape(ops.cast(ops.add(ops.mul(steps, a2), a1), like.dtype), like.shape)


def seed_of(number: int | None) -> int | None:
    return None if number is None else number % 2**64


def draw_uniform(a1: Any, a2: Any, a3: int | None, like: TensorSpec) -> Tensor:
    if not a1 < a2:
        raise Fault("E-OPERAND", f"there is no number in [{a1}, {a2})", "a2")
    if like.dtype.is_integer:
        return ops.randint(a1, a2, like.shape, seed_of(a3), dtype=like.dtype)
    low, high = Tensor(a1, like.dtype), Tensor(a2, like.dtype)
    return ops.uniform(like.shape, low, high, seed_of(a3), dtype=like.dtype)


def draw_normal(a1: float, a2: float, a3: int | None, like: TensorSpec) -> Tensor:
    return ops.add(ops.mul(ops.randn(*like.shape, dtype=like.dtype, seed=seed_of(a3)), a2), a1)


def drop(t1: Tensor, a1: float, a2: int) -> Tensor:
    if not 0 <= a1 < 1:
        raise Fault("E-OPERAND", f"the share of elements that are dropped must be in [0, 1), but is {a1}", "a1")
    return ops.dropout(t1, a1, seed=seed_of(a2))


# -- cells ------------------------------------------------------------------------------------------------------------
# What these do to cells is in cells.py and machine.py.

form("argset", "l*->x", kinds="fib")
form("argdel", "x", kinds="fib")
form("newtensor", "v1->t", kinds="fib")
form("deltensor", "t1", kinds="fib")

# -- without backward -------------------------------------------------------------------------------------------------

form("constant", "a1->t", shape=any_shape, kinds="fib",
     forward=lambda a1, like: ops.full(like.shape, a1, dtype=like.dtype))  # fmt: skip
form("arange", "a1 a2->t", shape=any_shape, forward=ramp)
form("uniform", "a1 a2 a3:int?->t", shape=any_shape, forward=draw_uniform)

# -- elementwise ------------------------------------------------------------------------------------------------------

form("add", "t1 t2->t", shape=alike, forward=lambda t1, t2: ops.add(t1, t2), t1=lambda g: g, t2=lambda g: g)
form("add_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.add(t1, a1), t1=lambda g: g)
form("sub", "t1 t2->t", shape=alike, forward=lambda t1, t2: ops.sub(t1, t2), t1=lambda g: g, t2=lambda g: ops.neg(g))
form("mul", "t1 t2->t", shape=alike, forward=lambda t1, t2: ops.mul(t1, t2),
     t1=lambda g, t2: ops.mul(g, t2), t2=lambda g, t1: ops.mul(g, t1))  # fmt: skip
form("mul_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.mul(t1, a1), t1=lambda g, a1: ops.mul(g, a1))
form("div", "t1 t2->t", shape=alike, kinds="f", forward=lambda t1, t2: ops.div(t1, t2),
     t1=lambda g, t2: ops.div(g, t2), t2=lambda g, t2, out: ops.div(ops.mul(ops.neg(g), out), t2))  # fmt: skip
form("div_scalar", "t1 a1->t", shape=same, kinds="f", forward=lambda t1, a1: ops.div(t1, a1),
     t1=lambda g, a1: ops.div(g, a1))  # fmt: skip
form("mod", "t1 t2->t", shape=alike, forward=lambda t1, t2: ops.remainder(t1, t2),
     t1=lambda g: g, t2=lambda g, t1, t2: ops.mul(ops.neg(g), ops.floor(ops.div(t1, t2))))  # fmt: skip
form("mod_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.remainder(t1, a1), t1=lambda g: g)
form("exp", "t1->t", shape=same, kinds="f", forward=lambda t1: ops.exp(t1), t1=lambda g, out: ops.mul(g, out))
form("sqrt", "t1->t", shape=same, kinds="f", forward=lambda t1: ops.sqrt(t1),
     t1=lambda g, out: ops.div(g, ops.mul(out, 2)))  # fmt: skip
form("log", "t1->t", shape=same, kinds="f", forward=lambda t1: ops.log(t1), t1=lambda g, t1: ops.div(g, t1))
form("max", "t1 t2->t", shape=alike, forward=lambda t1, t2: ops.maximum(t1, t2),
     t1=lambda g, t1, t2: half_to_ties(g, ops.greater(t1, t2), ops.equal(t1, t2)),
     t2=lambda g, t1, t2: ops.sub(g, half_to_ties(g, ops.greater(t1, t2), ops.equal(t1, t2))))  # fmt: skip
form("max_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.maximum(t1, a1),
     t1=lambda g, t1, a1: half_to_ties(g, ops.greater(t1, a1), ops.equal(t1, a1)))  # fmt: skip
form("min", "t1 t2->t", shape=alike, forward=lambda t1, t2: ops.minimum(t1, t2),
     t1=lambda g, t1, t2: half_to_ties(g, ops.less(t1, t2), ops.equal(t1, t2)),
     t2=lambda g, t1, t2: ops.sub(g, half_to_ties(g, ops.less(t1, t2), ops.equal(t1, t2))))  # fmt: skip
form("min_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.minimum(t1, a1),
     t1=lambda g, t1, a1: half_to_ties(g, ops.less(t1, a1), ops.equal(t1, a1)))  # fmt: skip
form("sum", "t1 v1->t", shape=reduction,
     forward=lambda t1, v1: ops.reduce_sum(t1, reduced_axes(v1, t1.ndim)) if t1.ndim else t1, t1=spread)  # fmt: skip

# -- the extension ----------------------------------------------------------------------------------------------------

form("fromvec", "v1:value->t", shape=listed, kinds="fib",
     forward=lambda v1, like: ops.reshape(Tensor(list(v1) or ops.zeros((0,)), like.dtype), like.shape))  # fmt: skip
form("copytensor", "t1->t", shape=same, kinds="fib", forward=lambda t1: t1, t1=lambda g: g)
form("sub_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.sub(t1, a1), t1=lambda g: g)
form("rsub_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.sub(a1, t1), t1=lambda g: ops.neg(g))
form("rdiv_scalar", "t1 a1->t", shape=same, kinds="f", forward=lambda t1, a1: ops.div(a1, t1),
     t1=lambda g, t1, a1: ops.div(ops.mul(ops.neg(g), a1), ops.mul(t1, t1)))  # fmt: skip
form("pow", "t1 t2->t", shape=alike, forward=lambda t1, t2: ops.pow(t1, t2),
     t1=lambda g, t1, t2: power_slope(g, t1, t2), t2=exponent_slope)  # fmt: skip
form("pow_scalar", "t1 a1->t", shape=same, forward=lambda t1, a1: ops.pow(t1, a1),
     t1=lambda g, t1, a1: power_slope(g, t1, ops.full_like(t1, a1)))  # fmt: skip
form("sin", "t1->t", shape=same, kinds="f", forward=lambda t1: ops.sin(t1), t1=lambda g, t1: ops.mul(g, ops.cos(t1)))
form("cos", "t1->t", shape=same, kinds="f", forward=lambda t1: ops.cos(t1),
     t1=lambda g, t1: ops.neg(ops.mul(g, ops.sin(t1))))  # fmt: skip
form("tanh", "t1->t", shape=same, kinds="f", forward=lambda t1: ops.tanh(t1),
     t1=lambda g, out: ops.mul(g, ops.sub(1, ops.mul(out, out))))  # fmt: skip
form("prod", "t1 v1->t", shape=reduction,
     forward=lambda t1, v1: ops.prod(t1, reduced_axes(v1, t1.ndim)) if t1.ndim else t1,
     t1=lambda g, t1, v1, like1: ops.mul(spread(g, like1, v1), product_of_others(t1, v1)))  # fmt: skip
form("reducemax", "t1 v1->t", shape=nonempty_reduction,
     forward=lambda t1, v1: ops.reduce_max(t1, reduced_axes(v1, t1.ndim)) if t1.ndim else t1,
     t1=shared_by_ties)  # fmt: skip
form("reducemin", "t1 v1->t", shape=nonempty_reduction,
     forward=lambda t1, v1: ops.reduce_min(t1, reduced_axes(v1, t1.ndim)) if t1.ndim else t1,
     t1=shared_by_ties)  # fmt: skip
form("matmul", "t1 t2->t", shape=product, forward=lambda t1, t2: ops.matmul(t1, t2),
     t1=lambda g, t2: ops.matmul(g, ops.swapaxes(t2, -1, -2)),
     t2=lambda g, t1: ops.matmul(ops.swapaxes(t1, -1, -2), g))  # fmt: skip
form("reshape", "t1 v1->t", shape=reshaped, kinds="fib", forward=lambda t1, like: ops.reshape(t1, like.shape),
     t1=lambda g, like1: ops.reshape(g, like1.shape))  # fmt: skip
form("transpose", "t1 v1->t", shape=transposed, kinds="fib",
     forward=lambda t1, v1: ops.transpose(t1, order(v1, t1.ndim)) if t1.ndim else t1,
     t1=lambda g, v1: ops.transpose(g, inverse(v1)) if g.ndim else g)  # fmt: skip
form("broadcastTo", "t1 v1->t", shape=broadcast, kinds="fib", forward=lambda t1, v1: ops.broadcast_to(t1, v1),
     t1=lambda g, like1: ops.sum_to(g, like1.shape))  # fmt: skip
form("concat", "t* a1:int->t", shape=joined, kinds="fib",
     forward=lambda t, a1: ops.concat(tuple(t), axis(a1, t[0].ndim, "a1")), t=parts)  # fmt: skip
form("indexselect", "t1 t2:int a1:int->t", shape=taken, kinds="fib",
     forward=lambda t1, t2, a1: ops.gather(t1, t2, axis(a1, t1.ndim, "a1")), t1=taken_back)  # fmt: skip
form("repeat", "t1 v1->t", shape=tiled, kinds="fib", forward=lambda t1, v1: ops.tile(t1, v1) if v1 else t1,
     t1=untiled)  # fmt: skip
for _name, _compare in (("equal", ops.equal), ("less", ops.less), ("greater", ops.greater)):
    form(_name, "t1 t2->t:mask", shape=alike, kinds="fib", typed_by="t1",
         forward=lambda t1, t2, compare=_compare: compare(t1, t2))  # fmt: skip
    form(f"{_name}_scalar", "t1 a1->t:mask", shape=same, kinds="fib", typed_by="t1",
         forward=lambda t1, a1, compare=_compare: compare(t1, a1))  # fmt: skip
form("where", "t1:mask t2 t3->t", shape=chosen, kinds="fib",
     forward=lambda t1, t2, t3: ops.where(ops.not_equal(t1, 0), t2, t3),
     t2=lambda g, t1: ops.where(ops.not_equal(t1, 0), g, ops.zeros_like(g)),
     t3=lambda g, t1: ops.where(ops.not_equal(t1, 0), ops.zeros_like(g), g))  # fmt: skip
form("todtype", "t1:any->t", shape=same, kinds="fib", forward=lambda t1, like: ops.cast(t1, like.dtype),
     t1=lambda g, like1: ops.cast(g, like1.dtype))  # fmt: skip
form("normal", "a1 a2 a3:int?->t", shape=any_shape, kinds="f", forward=draw_normal)
form("dropout", "t1 a1 a2:int->t", shape=same, kinds="f", forward=drop, t1=lambda g, a1, a2: drop(g, a1, a2))

# -- input and output, which a machine must be allowed ----------------------------------------------------------------

form("print", "t1", kinds="fib")
form("save", "t1", kinds="fib")
form("load", "t1", kinds="fib")

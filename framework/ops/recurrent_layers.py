"""Layers of recurrent cells over whole sequences, each one operator: in each step a product of the state with its weight,
and what the cell makes of that and of its share of the input.

The weight is packed once for all steps. The gradient goes back through the steps, with one product in each; that of the
weight is one product over all steps and examples. The tape keeps what the gates were, so none is computed again.
`recurrent.py` has single steps, `anfora.nn.recurrent` the layers.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import common_dtype, op
from anfora.core.tensor import Tensor
from anfora.kernel import recurrent as bodies
from anfora.kernel.bodies import fma, select, tanh
from anfora.kernel.emit import Value
from anfora.kernel.gemm import Repeated, plan_matmul
from anfora.kernel.loops import of_type, plan_copy, plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.recurrent import gates_of
from anfora.ops import activation
from anfora.ops.comparison import where
from anfora.ops.creation import ones_like, zeros_like
from anfora.ops.joining import chunk, concat, stack, unbind
from anfora.ops.linear import matmul
from anfora.ops.reduction import reduce_sum
from anfora.ops.shape import expand_dims, reshape

__all__ = ["gru_layer", "lstm_layer", "rnn_layer"]


# -- what they share: types ---------------------------------------------------------------------------------------------


def _types(name: str, gates: int, shares: Any, weight: Any, bias: Any, **states: Any) -> tuple[TensorType, TensorType]:
    """The types of a state and of one after each step; refuses operands that do not fit."""
    given = {"shares": shares, "weight": weight, "bias": bias, **states}
    for arg, x in given.items():
        if x is not None and not x.dtype.is_float:
            raise OpTypeError(f"{name} needs a floating-point tensor for `{arg}`, but got {x!r}", arg=arg)
    if shares.ndim != 3 or not shares.shape[0] or shares.shape[2] % gates:
        raise OpValueError(
            f"{name} needs `shares` of shape [steps, examples, {gates} · units], at least one step, but got {shares!r}",
            arg="shares",
        )
    steps, rows, width = shares.shape
    units = width // gates
    wanted = {"weight": (width, units), "bias": (width,), **dict.fromkeys(states, (rows, units))}
    for arg, shape in wanted.items():
        x = given[arg]
        if x is not None and x.shape != shape:
            raise OpValueError(f"{name} needs `{arg}` of shape {list(shape)}, but got {x!r}", arg=arg)
    dtype = common_dtype(*(x for x in given.values() if x is not None))
    return TensorType(dtype, (rows, units)), TensorType(dtype, (steps, rows, units))


def _widened(states: TensorType, gates: int) -> TensorType:
    return TensorType(states.dtype, (*states.shape[:2], gates * states.shape[2]))


# -- what they share: kernels -------------------------------------------------------------------------------------------


def _order(steps: int, backwards: bool) -> list[int]:
    """The numbers of the steps in the order in which they are done."""
    return list(reversed(range(steps)) if backwards else range(steps))


def _step(x: Buffer, t: int) -> Buffer:
    return replace(x, shape=x.shape[1:], strides=x.strides[1:]).moved(t * x.strides[0])


def _each(p: Planner, body: Callable, inputs: Sequence[Buffer], outputs: Sequence[Buffer], nanoseconds: float) -> None:
    """Add the step that applies a body to each unit of each example."""
    elem = compute_elem(outputs[0].code)
    plan_elementwise(p, body, [(x, elem) for x in inputs], [(x, elem) for x in outputs], nanoseconds)


class _Product:
    """The product of the state with the weight, of each step: h wᵀ, the bias, and what else there is to add, in this order;
    then a function."""

    def __init__(self, p: Planner, weight: Buffer, bias: Buffer | None, like: Buffer, function: Any = None) -> None:
        self.p, self.function = p, function
        self.weight = Repeated(of_type(p, weight, like.dtype).permuted((1, 0)))
        self.bias = () if bias is None else ((of_type(p, bias, like.dtype), "n"),)

    def plan(self, h: Buffer, out: Buffer, share: Buffer | None = None) -> None:
        operands = self.bias if share is None else (*self.bias, (share, "mn"))
        plan_matmul(self.p, h, self.weight, out, epilogue=_sum_of(self.function), operands=operands)


@functools.cache
def _sum_of(function: Callable | None) -> Callable:
    def body(*terms: Value) -> Value:
        total = functools.reduce(operator.add, terms)
        return total if function is None else function(total)

    return body


def _present(*buffers: Buffer | None) -> list[Buffer]:
    return [x for x in buffers if x is not None]


def _total(terms: Sequence[Value]) -> Value | float:
    return functools.reduce(operator.add, terms) if terms else 0.0


# -- what they share: gradients -----------------------------------------------------------------------------------------


def _before(start: Tensor, states: Tensor, backwards: bool) -> Tensor:
    """The states before each step, from those behind it."""
    first = expand_dims(start, 0)
    return concat((states[1:], first) if backwards else (first, states[:-1]), 0)


def _to_weight(gradient: Tensor, states: Tensor) -> Tensor:
    """The gradient to the weight, from that of its products with the states: one product over all steps and examples."""
    rows = gradient.shape[0] * gradient.shape[1]
    left, right = (reshape(x, (rows, x.shape[2])) for x in (gradient, states))
    return matmul(left, right, transpose_a=True)


def _to_bias(gradient: Tensor, bias_type: Any) -> Tensor | None:
    return None if bias_type is None else reduce_sum(gradient, (0, 1))


def _parts(x: Tensor | None, count: int, steps: int) -> list:
    """For each step its tensor, or the tuple of so many parts of it; None for each where there is none."""
    if x is None:
        return [None] * steps
    return list(unbind(x)) if count == 1 else [chunk(step, count, 1) for step in unbind(x)]


def _plus(*terms: Tensor | None) -> Tensor:
    return functools.reduce(operator.add, [x for x in terms if x is not None])


def _behind(values: list[Tensor], order: list[int], zero: Tensor) -> list[Tensor]:
    """For each step what is said of the state behind it by the next one."""
    found = [zero] * len(order)
    for t, following in itertools.pairwise(order):
        found[t] = values[following]
    return found


# -- LSTM ---------------------------------------------------------------------------------------------------------------


@op
def lstm_layer(
    shares: Tensor, weight: Tensor, bias: Tensor | None, hidden: Tensor, cell: Tensor, *, backwards=False
) -> tuple[Tensor, ...]:
    """An LSTM over T steps, from what its gates get of the input: `lstm_cell` of shares[t] and `dense(h, weight, bias)`.

    Args:
        shares: float tensor (T, N, 4 H), for the gates i, f, g and o.
        weight, bias: float tensors (4 H, H) and (4 H,).
        hidden, cell: h and c before the first step, float tensors (N, H).
        backwards: whether the last step is done first.
    Returns:
        h after each step (T, N, H), h and c after the last (N, H); and what the gradient starts from, the gates
        (T, N, 4 H) and c after each step (T, N, H). All of the promoted type.
    Raises:
        OpTypeError: an argument is not floating point.
        OpValueError: shapes do not fit, or there is no step.
    Gradient:
        Needs the gates and all h and c.
    Source:
        Hochreiter & Schmidhuber, Neural Computation 9 (1997); with forget gates, Gers et al. (2000).
    """


@lstm_layer.infer
def _(shares, weight, bias, hidden, cell, *, backwards):
    state, states = _types("lstm_layer", 4, shares, weight, bias, hidden=hidden, cell=cell)
    return states, state, state, _widened(states, 4), states


@lstm_layer.kernel
def _(
    p: Planner, shares: Buffer, weight: Buffer, bias: Buffer | None, hidden: Buffer, cell: Buffer, output: Buffer,
    h_n: Buffer, c_n: Buffer, gates: Buffer, cells: Buffer, *, backwards,
):  # fmt: skip
    if not output.size:
        return
    shares, h, c = (of_type(p, x, output.dtype) for x in (shares, hidden, cell))
    product, sums = _Product(p, weight, bias, output), p.workspace(output.dtype, *gates.shape[1:])
    for t in _order(output.shape[0], backwards):
        product.plan(h, sums, _step(shares, t))
        before, h, c = c, _step(output, t), _step(cells, t)
        _each(p, bodies.lstm_step, [*gates_of(sums, 4), before], [h, c, *gates_of(_step(gates, t), 4)], 2.5)
    plan_copy(p, h, h_n)
    plan_copy(p, c, c_n)


@lstm_layer.vjp("shares", "weight", "bias", "hidden", "cell")
def _(weight, bias_type, hidden, cell, out0, out3, out4, *, backwards, g):
    shares, h, c = lstm_layer_gradient(weight, cell, out3, out4, *g, backwards=backwards)
    return shares, _to_weight(shares, _before(hidden, out0, backwards)), _to_bias(shares, bias_type), h, c


@op
def lstm_layer_gradient(
    weight: Tensor, cell: Tensor, gates: Tensor, cells: Tensor, g_output: Tensor | None, g_hidden: Tensor | None,
    g_cell: Tensor | None, g_gates: Tensor | None, g_cells: Tensor | None, *, backwards,
):  # fmt: skip
    """The gradients of `lstm_layer` to the shares (T, N, 4 H), to h and to c, from those of its results."""


@lstm_layer_gradient.infer
def _(weight, cell, gates, cells, g_output, g_hidden, g_cell, g_gates, g_cells, *, backwards):
    state = TensorType(gates.dtype, cell.shape)
    return TensorType(gates.dtype, gates.shape), state, state


@functools.cache
def _lstm_back(of_h: int, of_c: int, copies: int) -> Callable:
    """The body of a step back that gets so many gradients of h and of c, to be added, and then those of the gates; gives
    that of c, and so many times those of the sums."""

    def body(i: Value, f: Value, g: Value, o: Value, c: Value, new: Value, *given: Value) -> tuple[Value, ...]:
        gh, gc = _total(given[:of_h]), _total(given[of_h : of_h + of_c])
        *to_sums, to_c = bodies.lstm_step_gradient(i, f, g, o, c, new, gh, gc, *given[of_h + of_c :])
        return to_c, *to_sums * copies

    return body


_SET = 4096  #: rows at multiples of so many bytes lie in one set of the first-level cache


def _beside(p: Planner, rows: Buffer) -> Buffer | None:
    """Room for a copy of rows that a product reads better than where they lie; None where they lie well. A product would
    pack them by a step of its own."""
    if rows.shape[0] == 1 or rows.strides[0] % _SET:
        return None
    wide = p.workspace(rows.dtype, rows.shape[0], rows.shape[1] + 64 // rows.dtype.itemsize)
    return replace(wide, shape=rows.shape)


@lstm_layer_gradient.kernel
def _(
    p: Planner, weight: Buffer, cell: Buffer, gates: Buffer, cells: Buffer, g_output: Buffer | None,
    g_hidden: Buffer | None, g_cell: Buffer | None, g_gates: Buffer | None, g_cells: Buffer | None, to_shares: Buffer,
    to_h: Buffer, to_c: Buffer, *, backwards,
):  # fmt: skip
    if not gates.size:
        return
    repeated, cell = Repeated(of_type(p, weight, gates.dtype)), of_type(p, cell, gates.dtype)
    order = _order(gates.shape[0], backwards)
    room = [p.workspace(gates.dtype, *cell.shape) for _ in range(3)]  # c is read while the one before is written
    beside = _beside(p, _step(to_shares, 0))
    h, c = g_hidden, g_cell
    for number in reversed(range(len(order))):
        t = order[number]
        before = _step(cells, order[number - 1]) if number else cell
        of_h = _present(g_output and _step(g_output, t), h)
        of_c = _present(g_cells and _step(g_cells, t), c)
        of_gates = gates_of(_step(g_gates, t), 4) if g_gates else []
        h, c = (room[2], room[number % 2]) if number else (to_h, to_c)
        backs = _present(_step(to_shares, t), beside)
        inputs = [*gates_of(_step(gates, t), 4), before, _step(cells, t), *of_h, *of_c, *of_gates]
        outputs = [c, *(gate for back in backs for gate in gates_of(back, 4))]
        _each(p, _lstm_back(len(of_h), len(of_c), len(backs)), inputs, outputs, 1.5)
        plan_matmul(p, backs[-1], repeated, h)


@lstm_layer_gradient.vjp("weight", "cell", "gates", "cells", "g_output", "g_hidden", "g_cell", "g_gates", "g_cells")
def _(weight, cell, gates, cells, g_output, g_hidden, g_cell, g_gates, g_cells, out0, *, backwards, g):
    # A step back gives k n i (1 - i), k c f (1 - f), k i (1 - n²), gh t o (1 - o) and k f with t = tanh(c') and
    # k = gc + gh o (1 - t²), where g_gates adds to what stands before the slopes i (1 - i) and so on. The sum of their
    # products with the given u is s, and s_x its derivative by x.
    steps = gates.shape[0]
    order, zero = _order(steps, backwards), zeros_like(cell)
    gate, top = _parts(gates, 4, steps), _parts(activation.tanh(cells), 1, steps)
    before, from_h = _parts(_before(cell, cells, backwards), 1, steps), _parts(matmul(out0, weight), 1, steps)
    of_output, of_cells = _parts(g_output, 1, steps), _parts(g_cells, 1, steps)
    of_gates = _parts(g_gates, 4, steps) if g_gates is not None else [(zero,) * 4] * steps
    gh, k = [zero] * steps, [zero] * steps
    behind, gc = g_hidden, g_cell
    for t in reversed(order):  # the gradients of h and of c that each step has got
        _, f, _, o = gate[t]
        gh[t] = _plus(zero, of_output[t], behind)
        k[t] = _plus(zero, of_cells[t], gc) + gh[t] * o * (1.0 - top[t] * top[t])
        behind, gc = from_h[t], k[t] * f

    u_shares = _parts(g[0], 1, steps)
    u_h, u_c = (zero if x is None else x for x in g[1:])
    met, s_before, s_cells, s_gates, s_given, s_output, s_states = ([zero] * steps for _ in range(7))
    for t in order:
        (i, f, n, o), (ei, ef, en, eo), c = gate[t], of_gates[t], before[t]
        met[t] = u_h
        ui, uf, un, uo = chunk(_plus(matmul(u_h, weight, transpose_b=True), u_shares[t]), 4, 1)
        di, df, dn, do, dt = i * (1.0 - i), f * (1.0 - f), 1.0 - n * n, o * (1.0 - o), 1.0 - top[t] * top[t]
        s_k = ui * n * di + uf * c * df + un * i * dn + u_c * f
        s_i = (k[t] * n + ei) * ui * (1.0 - 2.0 * i) + k[t] * un * dn
        s_f = (k[t] * c + ef) * uf * (1.0 - 2.0 * f) + k[t] * u_c
        s_n = k[t] * ui * di - 2.0 * (k[t] * i + en) * un * n
        s_o = (gh[t] * top[t] + eo) * uo * (1.0 - 2.0 * o) + s_k * gh[t] * dt
        s_gates[t], s_given[t] = concat((s_i, s_f, s_n, s_o), 1), concat((ui * di, uf * df, un * dn, uo * do), 1)
        s_before[t], s_cells[t] = k[t] * uf * df, gh[t] * (uo * do - 2.0 * s_k * o * top[t]) * dt
        u_h, u_c = s_k * o * dt + uo * top[t] * do, s_k
        s_output[t], s_states[t] = u_h, u_c
    return (
        _to_weight(out0, stack(met)),
        s_before[order[0]],
        stack(s_gates),
        stack([x + y for x, y in zip(s_cells, _behind(s_before, order, zero))]),
        None if g_output is None else stack(s_output),
        None if g_hidden is None else u_h,
        None if g_cell is None else u_c,
        None if g_gates is None else stack(s_given),
        None if g_cells is None else stack(s_states),
    )


# -- GRU ----------------------------------------------------------------------------------------------------------------


@op
def gru_layer(
    shares: Tensor, weight: Tensor, bias: Tensor | None, hidden: Tensor, *, backwards=False
) -> tuple[Tensor, ...]:
    """A GRU over T steps, from what its gates get of the input: `gru_cell` of shares[t] and `dense(h, weight, bias)`.

    Args:
        shares: float tensor (T, N, 3 H), for the gates r, z and n.
        weight, bias: float tensors (3 H, H) and (3 H,).
        hidden: h before the first step, float tensor (N, H).
        backwards: whether the last step is done first.
    Returns:
        h after each step (T, N, H) and after the last (N, H); and what the gradient starts from, r, z, n and the state's
        share of n (T, N, 4 H). All of the promoted type.
    Raises:
        OpTypeError: an argument is not floating point.
        OpValueError: shapes do not fit, or there is no step.
    Gradient:
        Needs the gates and all h.
    Source:
        Cho et al., arXiv:1406.1078 (2014); with the product r b_n after the matrix product.
    """


@gru_layer.infer
def _(shares, weight, bias, hidden, *, backwards):
    state, states = _types("gru_layer", 3, shares, weight, bias, hidden=hidden)
    return states, state, _widened(states, 4)


@gru_layer.kernel
def _(
    p: Planner, shares: Buffer, weight: Buffer, bias: Buffer | None, hidden: Buffer, output: Buffer, h_n: Buffer,
    gates: Buffer, *, backwards,
):  # fmt: skip
    if not output.size:
        return
    shares, h = of_type(p, shares, output.dtype), of_type(p, hidden, output.dtype)
    product, sums = _Product(p, weight, bias, output), p.workspace(output.dtype, *shares.shape[1:])
    for t in _order(output.shape[0], backwards):
        product.plan(h, sums)
        before, h = h, _step(output, t)
        inputs = [*gates_of(_step(shares, t), 3), *gates_of(sums, 3), before]
        _each(p, bodies.gru_step, inputs, [h, *gates_of(_step(gates, t), 4)], 1.5)
    plan_copy(p, h, h_n)


@gru_layer.vjp("shares", "weight", "bias", "hidden")
def _(weight, bias_type, hidden, out0, out2, *, backwards, g):
    shares, products, h = gru_layer_gradient(weight, hidden, out0, out2, *g, backwards=backwards)
    return shares, _to_weight(products, _before(hidden, out0, backwards)), _to_bias(products, bias_type), h


@op
def gru_layer_gradient(
    weight: Tensor, hidden: Tensor, output: Tensor, gates: Tensor, g_output: Tensor | None, g_hidden: Tensor | None,
    g_gates: Tensor | None, *, backwards,
):  # fmt: skip
    """The gradients of `gru_layer` to the shares and to the products of the state (T, N, 3 H), and to h."""


@gru_layer_gradient.infer
def _(weight, hidden, output, gates, g_output, g_hidden, g_gates, *, backwards):
    sums = TensorType(gates.dtype, (*gates.shape[:2], weight.shape[0]))
    return sums, sums, TensorType(gates.dtype, hidden.shape)


@functools.cache
def _gru_back(of_h: int) -> Callable:
    """The body of a step back that gets so many gradients of h, to be added, and then those of the gates."""

    def body(r: Value, z: Value, n: Value, q: Value, h: Value, *given: Value) -> tuple[Value, ...]:
        total: Any = _total(given[:of_h])
        dr, dz, dn, dq, dh = bodies.gru_step_gradient(r, z, n, q, h, total, *given[of_h:])
        return dr, dz, dn, dr, dz, dq, dh

    return body


@gru_layer_gradient.kernel
def _(
    p: Planner, weight: Buffer, hidden: Buffer, output: Buffer, gates: Buffer, g_output: Buffer | None,
    g_hidden: Buffer | None, g_gates: Buffer | None, to_shares: Buffer, to_products: Buffer, to_h: Buffer, *, backwards,
):  # fmt: skip
    if not gates.size:
        return
    repeated, hidden = Repeated(of_type(p, weight, gates.dtype)), of_type(p, hidden, gates.dtype)
    order = _order(gates.shape[0], backwards)
    direct, room = p.workspace(gates.dtype, *hidden.shape), p.workspace(gates.dtype, *hidden.shape)
    h = g_hidden
    for number in reversed(range(len(order))):
        t = order[number]
        before = _step(output, order[number - 1]) if number else hidden
        of_h = _present(g_output and _step(g_output, t), h)
        of_gates = gates_of(_step(g_gates, t), 4) if g_gates else []
        h, products = room if number else to_h, _step(to_products, t)
        outputs = [*gates_of(_step(to_shares, t), 3), *gates_of(products, 3), direct]
        _each(p, _gru_back(len(of_h)), [*gates_of(_step(gates, t), 4), before, *of_h, *of_gates], outputs, 1.5)
        plan_matmul(p, products, repeated, h, epilogue=_sum_of(None), operands=((direct, "mn"),))


@gru_layer_gradient.vjp("weight", "hidden", "output", "gates", "g_output", "g_hidden", "g_gates")
def _(weight, hidden, output, gates, g_output, g_hidden, g_gates, out1, *, backwards, g):
    # With to_n = gh (1 - z) and d = to_n (1 - n²), a step back gives d q r (1 - r), gh (h - n) z (1 - z) and d to the
    # shares, the same with d r for d to the products, and gh z to h beside what its product gives. g_gates adds to what
    # stands before the slopes. The sum of all with the given u is s, and s_x its derivative by x.
    steps = gates.shape[0]
    order, zero = _order(steps, backwards), zeros_like(hidden)
    gate, before = _parts(gates, 4, steps), _parts(_before(hidden, output, backwards), 1, steps)
    from_h, of_output = _parts(matmul(out1, weight), 1, steps), _parts(g_output, 1, steps)
    of_gates = _parts(g_gates, 4, steps) if g_gates is not None else [(zero,) * 4] * steps
    gh, behind = [zero] * steps, g_hidden
    for t in reversed(order):  # the gradient of h that each step has got
        gh[t] = _plus(zero, of_output[t], behind)
        behind = from_h[t] + gh[t] * gate[t][1]

    u_shares, u_products = _parts(g[0], 3, steps), _parts(g[1], 1, steps)
    u_h = zero if g[2] is None else g[2]
    met, s_before, s_gates, s_given, s_output = ([zero] * steps for _ in range(5))
    for t in order:
        (r, z, n, q), (er, ez, en, _eq), h = gate[t], of_gates[t], before[t]
        met[t] = u_h
        ur, uz, uq = chunk(_plus(matmul(u_h, weight, transpose_b=True), u_products[t]), 3, 1)
        un = zero
        if u_shares[t] is not None:
            ur, uz, un = ur + u_shares[t][0], uz + u_shares[t][1], u_shares[t][2]
        dr, dz, dn = r * (1.0 - r), z * (1.0 - z), 1.0 - n * n
        to_n = gh[t] * (1.0 - z) + en
        d = to_n * dn
        s_d = un + uq * r + ur * q * dr
        s_r = (d * q + er) * ur * (1.0 - 2.0 * r) + uq * d
        s_z = (gh[t] * (h - n) + ez) * uz * (1.0 - 2.0 * z) + gh[t] * (u_h - s_d * dn)
        s_n = -2.0 * n * to_n * s_d - uz * gh[t] * dz
        s_gates[t], s_given[t] = concat((s_r, s_z, s_n, ur * d * dr), 1), concat((ur * dr, uz * dz, s_d * dn, uq), 1)
        s_before[t] = uz * gh[t] * dz
        u_h = s_d * dn * (1.0 - z) + uz * (h - n) * dz + u_h * z
        s_output[t] = u_h
    return (
        _to_weight(out1, stack(met)),
        s_before[order[0]],
        stack(_behind(s_before, order, zero)),
        stack(s_gates),
        None if g_output is None else stack(s_output),
        None if g_hidden is None else u_h,
        None if g_gates is None else stack(s_given),
    )


# -- RNN ----------------------------------------------------------------------------------------------------------------


@op
def rnn_layer(
    shares: Tensor, weight: Tensor, bias: Tensor | None, hidden: Tensor, *, nonlinearity="tanh", backwards=False
) -> tuple[Tensor, ...]:
    """A simple recurrent layer over T steps: h' = f(shares[t] + dense(h, weight, bias)).

    Args:
        shares: float tensor (T, N, H).
        weight, bias: float tensors (H, H) and (H,).
        hidden: h before the first step, float tensor (N, H).
        nonlinearity: f, "tanh" or "relu".
        backwards: whether the last step is done first.
    Returns:
        h after each step (T, N, H) and after the last (N, H), of the promoted type.
    Raises:
        OpTypeError: an argument is not floating point.
        OpValueError: shapes do not fit, there is no step, or `nonlinearity` is another.
    Gradient:
        Needs all h.
    Source:
        Elman, Cognitive Science 14 (1990).
    """


@rnn_layer.infer
def _(shares, weight, bias, hidden, *, nonlinearity, backwards):
    if nonlinearity not in ("tanh", "relu"):
        raise OpValueError(
            f"rnn_layer needs 'tanh' or 'relu' for `nonlinearity`, but got {nonlinearity!r}", arg="nonlinearity"
        )
    state, states = _types("rnn_layer", 1, shares, weight, bias, hidden=hidden)
    return states, state


def _relu(x: Value) -> Value:
    return select(x < 0.0, 0.0, x)  # NaN stays


@rnn_layer.kernel
def _(
    p: Planner, shares: Buffer, weight: Buffer, bias: Buffer | None, hidden: Buffer, output: Buffer, h_n: Buffer, *,
    nonlinearity, backwards,
):  # fmt: skip
    if not output.size:
        return
    shares, h = of_type(p, shares, output.dtype), of_type(p, hidden, output.dtype)
    product = _Product(p, weight, bias, output, tanh if nonlinearity == "tanh" else _relu)
    for t in _order(output.shape[0], backwards):
        before, h = h, _step(output, t)
        product.plan(before, h, _step(shares, t))
    plan_copy(p, h, h_n)


@rnn_layer.vjp("shares", "weight", "bias", "hidden")
def _(weight, bias_type, hidden, out0, *, nonlinearity, backwards, g):
    shares, h = rnn_layer_gradient(weight, out0, *g, nonlinearity=nonlinearity, backwards=backwards)
    return shares, _to_weight(shares, _before(hidden, out0, backwards)), _to_bias(shares, bias_type), h


@op
def rnn_layer_gradient(
    weight: Tensor, output: Tensor, g_output: Tensor | None, g_hidden: Tensor | None, *, nonlinearity, backwards
):  # fmt: skip
    """The gradients of `rnn_layer` to the shares (T, N, H) and to h, from those of its results."""


@rnn_layer_gradient.infer
def _(weight, output, g_output, g_hidden, *, nonlinearity, backwards):
    return TensorType(output.dtype, output.shape), TensorType(output.dtype, output.shape[1:])


def _tanh_back(h: Value, *given: Value) -> Value:
    return _total(given) * fma(-h, h, 1.0)


def _relu_back(h: Value, *given: Value) -> Value:
    return select(h > 0.0, _total(given), 0.0)


@rnn_layer_gradient.kernel
def _(
    p: Planner, weight: Buffer, output: Buffer, g_output: Buffer | None, g_hidden: Buffer | None, to_shares: Buffer,
    to_h: Buffer, *, nonlinearity, backwards,
):  # fmt: skip
    if not output.size:
        return
    repeated, room = Repeated(of_type(p, weight, output.dtype)), p.workspace(output.dtype, *to_h.shape)
    order, h = _order(output.shape[0], backwards), g_hidden
    for t in reversed(order):
        of_h = _present(g_output and _step(g_output, t), h)
        h, back = room if t != order[0] else to_h, _step(to_shares, t)
        _each(p, _tanh_back if nonlinearity == "tanh" else _relu_back, [_step(output, t), *of_h], [back], 0.3)
        plan_matmul(p, back, repeated, h)


@rnn_layer_gradient.vjp("weight", "output", "g_output", "g_hidden")
def _(weight, output, g_output, g_hidden, out0, *, nonlinearity, backwards, g):
    # A step back gives gh f', with f' = 1 - h² or whether h is positive.
    steps = output.shape[0]
    order, zero = _order(steps, backwards), zeros_like(output[0])
    is_tanh = nonlinearity == "tanh"
    slopes = 1.0 - output * output if is_tanh else where(output > 0, ones_like(output), zeros_like(output))
    slope, from_h = _parts(slopes, 1, steps), _parts(matmul(out0, weight), 1, steps)
    of_output, u_shares = _parts(g_output, 1, steps), _parts(g[0], 1, steps)
    gh, behind = [zero] * steps, g_hidden
    for t in reversed(order):
        gh[t], behind = _plus(zero, of_output[t], behind), from_h[t]
    u_h = zero if g[1] is None else g[1]
    met, by_slope, s_output = [zero] * steps, [zero] * steps, [zero] * steps
    for t in order:
        met[t] = u_h
        u = _plus(matmul(u_h, weight, transpose_b=True), u_shares[t])
        by_slope[t], u_h = u * gh[t], u * slope[t]
        s_output[t] = u_h
    return (
        _to_weight(out0, stack(met)),
        -2.0 * output * stack(by_slope) if is_tanh else None,
        None if g_output is None else stack(s_output),
        None if g_hidden is None else u_h,
    )

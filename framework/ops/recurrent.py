"""Recurrent cells: what happens in one step of an LSTM or GRU once the matrix products are done.

The products are two dense layers, of the input (for all steps at once) and of the state. A cell takes both, side by side
for its gates, and does the rest in one pass. Layers are written with them in `anfora.nn.recurrent`.

The gradient of a cell computes its gates again, so that the tape keeps its arguments alone; the gradient of that is written
in operators.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import common_dtype, op
from anfora.core.tensor import Tensor
from anfora.kernel import recurrent as bodies
from anfora.kernel.loops import plan_copy, plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.recurrent import gates_of
from anfora.ops.activation import sigmoid, tanh
from anfora.ops.creation import zeros_like, zeros_of
from anfora.ops.families import folded
from anfora.ops.joining import chunk, concat, stack

__all__ = ["gru_cell", "lstm_cell", "unroll"]


def _check(name: str, count: int, state_name: str, input_gates: Any, state_gates: Any, state: Any) -> None:
    """Refuse what is no floating-point (N, count · H), (N, count · H) and (N, H)."""
    for arg, x in (("input_gates", input_gates), ("state_gates", state_gates), (state_name, state)):
        if not x.dtype.is_float:
            raise OpTypeError(
                f"{name} needs a floating-point tensor for `{arg}`, but got {x!r}",
                arg=arg,
                help="convert it first, e.g. x.astype(float32).",
            )
        if x.ndim != 2:
            raise OpValueError(f"{name} needs two axes for `{arg}`, (examples, units), but got {x!r}", arg=arg)
    rows, units = state.shape
    for arg, x in (("input_gates", input_gates), ("state_gates", state_gates)):
        if x.shape != (rows, count * units):
            raise OpValueError(
                f"{name} needs {count} gates of {units} units for each of {rows} examples, [{rows}, {count * units}], for "
                f"`{arg}`, but got {x!r}",
                arg=arg,
            )


def _plan(p: Planner, body: Any, inputs: list[Buffer], outputs: list[Buffer], nanoseconds: float) -> None:
    code = next((x.code for x in (*inputs, *outputs) if x.code == "f64"), inputs[0].code)
    elem = compute_elem(code)
    plan_elementwise(p, body, [(x, elem) for x in inputs], [(x, elem) for x in outputs], nanoseconds)


def _gates(count: int, a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    """The sums of the two shares of each gate, before the activations."""
    return chunk(a + b, count, 1)


# -- LSTM -------------------------------------------------------------------------------------------------------------


@op
def lstm_cell(input_gates: Tensor, state_gates: Tensor, cell_state: Tensor) -> tuple[Tensor, Tensor]:
    """One step of an LSTM, from what its gates get: with a = input_gates + state_gates = (a_i, a_f, a_g, a_o),

        c' = σ(a_f) c + σ(a_i) tanh(a_g)        h' = σ(a_o) tanh(c')

    Args:
        input_gates, state_gates: float tensors (N, 4 H): for the gates i, f, g and o what comes from the input and from
            the state, weights and biases included.
        cell_state: c, float tensor (N, H).
    Returns:
        (h', c'), tensors (N, H) of the promoted type.
    Raises:
        OpTypeError: an argument is not floating point.
        OpValueError: shapes do not fit.
    Gradient:
        Needs the arguments; gates are computed again.
    Source:
        Hochreiter & Schmidhuber, Neural Computation 9 (1997); with forget gates, Gers et al. (2000).
    Example:
        >>> h, c = lstm_cell(Tensor([[0., 0., 100., 100.]]), Tensor([[0., 0., 0., 0.]]), Tensor([[1.]]))
        >>> c.tolist()
        [[1.0]]
    """


@lstm_cell.infer
def _(input_gates, state_gates, cell_state):
    _check("lstm_cell", 4, "cell_state", input_gates, state_gates, cell_state)
    kind = TensorType(common_dtype(input_gates, state_gates, cell_state), cell_state.shape)
    return kind, kind


@lstm_cell.kernel
def _(p: Planner, a: Buffer, b: Buffer, c: Buffer, h_out: Buffer, c_out: Buffer):
    _plan(p, bodies.lstm, [*gates_of(a, 4), *gates_of(b, 4), c], [h_out, c_out], 2.5)


@lstm_cell.vjp("input_gates", "state_gates", "cell_state")
def _(input_gates, state_gates, cell_state, *, g):
    gates, cell = lstm_cell_gradient(input_gates, state_gates, cell_state, *g)
    return gates, gates, cell


folded(lstm_cell, 2, count=3)


@op
def lstm_cell_gradient(
    input_gates: Tensor, state_gates: Tensor, cell_state: Tensor, g_h: Tensor | None, g_c: Tensor | None
):  # fmt: skip
    """The gradients of `lstm_cell` to the gates (N, 4 H) and to the cell state, from those of h' and c'."""


@lstm_cell_gradient.infer
def _(input_gates, state_gates, cell_state, g_h, g_c):
    dtype = common_dtype(input_gates, state_gates, cell_state)
    return TensorType(dtype, input_gates.shape), TensorType(dtype, cell_state.shape)


@lstm_cell_gradient.kernel
def _(
    p: Planner, a: Buffer, b: Buffer, c: Buffer, g_h: Buffer | None, g_c: Buffer | None, gates: Buffer, cell: Buffer
):  # fmt: skip
    body = bodies.lstm_gradient if g_h and g_c else bodies.lstm_gradient_to_h if g_h else bodies.lstm_gradient_to_c
    given = [g for g in (g_h, g_c) if g is not None]
    _plan(p, body, [*gates_of(a, 4), *gates_of(b, 4), c, *given], [*gates_of(gates, 4), cell], 3.5)


@lstm_cell_gradient.vjp("input_gates", "state_gates", "cell_state", "g_h", "g_c")
def _(input_gates, state_gates, cell_state, g_h, g_c, *, g):
    # With t = tanh(c') and k = g_c + g_h o (1 - t²) the gradients are k g i (1 - i), k c f (1 - f), k i (1 - g²),
    # g_h t o (1 - o) and k f; s is their product with the given u, and s_x its derivative by x.
    c, zero = cell_state, zeros_like(cell_state)
    ai, af, ag, ao = _gates(4, input_gates, state_gates)
    i, f, n, o = sigmoid(ai), sigmoid(af), tanh(ag), sigmoid(ao)
    ui, uf, ug, uo = (zero,) * 4 if g[0] is None else chunk(g[0], 4, 1)
    uc = zero if g[1] is None else g[1]
    gh, gc = (zero if x is None else x for x in (g_h, g_c))
    t = tanh(f * c + i * n)
    di, df, dn, do, dt = i * (1.0 - i), f * (1.0 - f), 1.0 - n * n, o * (1.0 - o), 1.0 - t * t
    k = gc + gh * o * dt
    s_k = ui * n * di + uf * c * df + ug * i * dn + uc * f
    s_new = (uo * gh * do - 2.0 * s_k * gh * o * t) * dt
    s_i = (k * (ui * n * (1.0 - 2.0 * i) + ug * dn) + s_new * n) * di
    s_f = (k * (uf * c * (1.0 - 2.0 * f) + uc) + s_new * c) * df
    s_n = (k * (ui * di - 2.0 * ug * i * n) + s_new * i) * dn
    s_o = (s_k * gh * dt + uo * gh * t * (1.0 - 2.0 * o)) * do
    gates = concat((s_i, s_f, s_n, s_o), 1)
    s_gh = None if g_h is None else s_k * o * dt + uo * t * do
    return gates, gates, k * uf * df + s_new * f, s_gh, None if g_c is None else s_k


# -- GRU --------------------------------------------------------------------------------------------------------------


@op
def gru_cell(input_gates: Tensor, state_gates: Tensor, state: Tensor):
    """One step of a GRU, from what its gates get: with a = input_gates and b = state_gates,

        r = σ(a_r + b_r)    z = σ(a_z + b_z)    n = tanh(a_n + r b_n)    h' = (1 - z) n + z h

    Args:
        input_gates, state_gates: float tensors (N, 3 H): for the gates r, z and n what comes from the input and from the
            state, weights and biases included.
        state: h, float tensor (N, H).
    Returns:
        h', tensor (N, H) of the promoted type.
    Raises:
        OpTypeError: an argument is not floating point.
        OpValueError: shapes do not fit.
    Gradient:
        Needs the arguments; gates are computed again.
    Source:
        Cho et al., arXiv:1406.1078 (2014); with the product r b_n after the matrix product.
    Example:
        >>> gru_cell(Tensor([[0., 100., 5.]]), Tensor([[0., 0., 0.]]), Tensor([[0.25]])).tolist()
        [[0.25]]
    """


@gru_cell.infer
def _(input_gates, state_gates, state):
    _check("gru_cell", 3, "state", input_gates, state_gates, state)
    return TensorType(common_dtype(input_gates, state_gates, state), state.shape)


@gru_cell.kernel
def _(p: Planner, a: Buffer, b: Buffer, h: Buffer, out: Buffer):
    _plan(p, bodies.gru, [*gates_of(a, 3), *gates_of(b, 3), h], [out], 1.5)


@gru_cell.vjp("input_gates", "state_gates", "state")
def _(input_gates, state_gates, state, *, g):
    return gru_cell_gradient(input_gates, state_gates, state, g)


folded(gru_cell, 2, count=3)


@op
def gru_cell_gradient(input_gates: Tensor, state_gates: Tensor, state: Tensor, gradient: Tensor):
    """The gradients of `gru_cell` to its arguments."""


@gru_cell_gradient.infer
def _(input_gates, state_gates, state, gradient):
    dtype = common_dtype(input_gates, state_gates, state)
    return tuple(TensorType(dtype, x.shape) for x in (input_gates, state_gates, state))


@gru_cell_gradient.kernel
def _(p: Planner, a: Buffer, b: Buffer, h: Buffer, gradient: Buffer, a_out: Buffer, b_out: Buffer, h_out: Buffer):
    *_, last = gates_of(b_out, 3)
    outputs = [*gates_of(a_out, 3), last, h_out]
    _plan(p, bodies.gru_gradient, [*gates_of(a, 3), *gates_of(b, 3), h, gradient], outputs, 2.5)
    shared = 2 * h.shape[1]
    plan_copy(p, *(replace(x, shape=(x.shape[0], shared)) for x in (a_out, b_out)))


@gru_cell_gradient.vjp("input_gates", "state_gates", "state", "gradient")
def _(input_gates, state_gates, state, gradient, *, g):
    # The gradients are p b_n r (1 - r), q (h - n) z (1 - z) and p = q (1 - z) (1 - n²) to both shares of r, z and n but
    # for b_n, to which it is p r; and q z to h, for the incoming gradient q.
    h, q, zero = state, gradient, zeros_like(state)
    (ar, az, an), (br, bz, bn) = chunk(input_gates, 3, 1), chunk(state_gates, 3, 1)
    r, z = sigmoid(ar + br), sigmoid(az + bz)
    n = tanh(an + r * bn)
    ua = (zero,) * 3 if g[0] is None else chunk(g[0], 3, 1)
    ub = (zero,) * 3 if g[1] is None else chunk(g[1], 3, 1)
    ur, uz, un, ubn, uh = ua[0] + ub[0], ua[1] + ub[1], ua[2], ub[2], zero if g[2] is None else g[2]
    dr, dz, dn = r * (1.0 - r), z * (1.0 - z), 1.0 - n * n
    p = q * (1.0 - z) * dn
    s_p = ur * bn * dr + un + ubn * r
    s_n = (-2.0 * s_p * q * (1.0 - z) * n - uz * q * dz) * dn  # by what stands in tanh
    s_r = (p * (ur * bn * (1.0 - 2.0 * r) + ubn) + s_n * bn) * dr
    s_z = (q * (uz * (h - n) * (1.0 - 2.0 * z) + uh - s_p * dn)) * dz
    a = concat((s_r, s_z, s_n), 1)
    b = concat((s_r, s_z, p * ur * dr + s_n * r), 1)
    return a, b, uz * q * dz, s_p * (1.0 - z) * dn + uz * (h - n) * dz + uh * z


# -- steps ------------------------------------------------------------------------------------------------------------


@op
def unroll(input: Tensor) -> tuple[Tensor, ...]:
    """The parts along the first axis, copied: what `unbind` gives as views, with a gradient that is one `stack`.

    Args:
        input: tensor (T, …).
    Returns:
        tuple of T tensors.
    Raises:
        OpValueError: `input` has no axis, or its first has length 0.
    Example:
        >>> [x.tolist() for x in unroll(Tensor([[1, 2], [3, 4]]))]
        [[1, 2], [3, 4]]
    """


@unroll.infer
def _(input):
    if not input.ndim or not input.shape[0]:
        raise OpValueError(
            f"unroll needs a tensor with at least one part along its first axis, but got {input!r}", arg="input"
        )
    return (TensorType(input.dtype, input.shape[1:]),) * input.shape[0]


@unroll.kernel
def _(p: Planner, input: Buffer, *parts: Buffer):
    for i, part in enumerate(parts):
        if part.size:
            row = replace(input, shape=input.shape[1:], strides=input.strides[1:])
            plan_copy(p, row.moved(i * input.strides[0]), part)


@unroll.vjp("input")
def _(input_type, out0_type, *, g):
    zero = zeros_of(out0_type) if any(x is None for x in g) else None
    return stack([zero if x is None else x for x in g], 0)

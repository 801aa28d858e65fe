"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anfora import ops
from anfora.core.errors import OpValueError
from anfora.onnx.shapes import stacked, unstacked
from anfora.onnx.table import reads, writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX: a step is written in its operators ----------------------------------------------------------------------


def _gates(w: Writer, x: Value, count: int) -> tuple[Value, ...]:
    return w.node("Split", x, count=count, axis=1, num_outputs=count if w.opset >= 18 else None)


@writes("lstm_cell")
def _(w: Writer, input_gates, state_gates, cell_state):
    dtype = w.out[0].dtype
    a, b, c = (w.cast(x, dtype) for x in (input_gates, state_gates, cell_state))
    h, cell, *_ = _lstm(w, w.node("Add", a, b), c)
    return h, cell


def _lstm(w: Writer, sums: Value, c: Value) -> tuple[Value, ...]:
    """h and c after a step, and the gates."""
    a_i, a_f, a_g, a_o = _gates(w, sums, 4)
    i, f, g, o = w.node("Sigmoid", a_i), w.node("Sigmoid", a_f), w.node("Tanh", a_g), w.node("Sigmoid", a_o)
    cell = w.node("Add", w.node("Mul", f, c), w.node("Mul", i, g))
    return w.node("Mul", o, w.node("Tanh", cell)), cell, i, f, g, o


@writes("gru_cell")
def _(w: Writer, input_gates, state_gates, state):
    h, *_ = _gru(w, *(w.cast(x, w.dtype) for x in (input_gates, state_gates, state)))
    return h


def _gru(w: Writer, a: Value, b: Value, h: Value) -> tuple[Value, ...]:
    """h after a step, the gates, and the state's share of n."""
    (a_r, a_z, a_n), (b_r, b_z, b_n) = _gates(w, a, 3), _gates(w, b, 3)
    r = w.node("Sigmoid", w.node("Add", a_r, b_r))
    z = w.node("Sigmoid", w.node("Add", a_z, b_z))
    n = w.node("Tanh", w.node("Add", a_n, w.node("Mul", r, b_n)))
    return w.node("Add", n, w.node("Mul", z, w.node("Sub", h, n))), r, z, n, b_n


def _layer(
    w: Writer,
    shares: Value,
    weight: Value,
    bias: Value | None,
    states: Sequence[Value],
    backwards: bool,
    step: Callable,
) -> tuple[Value, ...]:
    """All steps: `step(share, product, states)` gives the new states and what is kept of the step, of which h is first.
    Gives what is kept of all steps, and the last states."""
    steps = shares.shape[0]
    if not isinstance(steps, int):
        w.refuse("a recurrent layer over a free number of steps")
    dtype = w.out[0].dtype
    shares, weight, *states = (w.cast(x, dtype) for x in (shares, weight, *states))
    bias = None if bias is None else w.cast(bias, dtype)
    parts = unstacked(w, shares, steps)
    kept: list[Any] = [None] * steps
    for t in reversed(range(steps)) if backwards else range(steps):
        states, kept[t] = step(parts[t], w.node("Gemm", states[0], weight, bias, transB=1), *states)
    return *(stacked(w, x) for x in zip(*kept)), *states


@writes("lstm_layer")
def _(w: Writer, shares, weight, bias, hidden, cell, backwards):
    def step(share: Value, product: Value, h: Value, c: Value) -> tuple:
        h, c, *gates = _lstm(w, w.node("Add", product, share), c)
        return (h, c), (h, w.node("Concat", *gates, axis=1), c)

    output, gates, cells, h, c = _layer(w, shares, weight, bias, (hidden, cell), backwards, step)
    return output, h, c, gates, cells


@writes("gru_layer")
def _(w: Writer, shares, weight, bias, hidden, backwards):
    def step(share: Value, product: Value, h: Value) -> tuple:
        h, *gates = _gru(w, share, product, h)
        return (h,), (h, w.node("Concat", *gates, axis=1))

    output, gates, h = _layer(w, shares, weight, bias, (hidden,), backwards, step)
    return output, h, gates


@writes("rnn_layer")
def _(w: Writer, shares, weight, bias, hidden, nonlinearity, backwards):
    def step(share: Value, product: Value, h: Value) -> tuple:
        h = w.node("Tanh" if nonlinearity == "tanh" else "Relu", w.node("Add", product, share))
        return (h,), (h,)

    return _layer(w, shares, weight, bias, (hidden,), backwards, step)


# -- from ONNX --------------------------------------------------------------------------------------------------------

#: Activations by ONNX's names in lower case; alpha and beta, with their defaults.
_ACTIVATIONS = {
    "relu": (lambda x, a, b: ops.relu(x), 0.0, 0.0),
    "tanh": (lambda x, a, b: ops.tanh(x), 0.0, 0.0),
    "sigmoid": (lambda x, a, b: ops.sigmoid(x), 0.0, 0.0),
    "affine": (lambda x, a, b: a * x + b, 1.0, 0.0),
    "leakyrelu": (lambda x, a, b: ops.where(x < 0, a * x, x), 0.01, 0.0),
    "thresholdedrelu": (lambda x, a, b: ops.where(x > a, x, ops.zeros_like(x)), 1.0, 0.0),
    "scaledtanh": (lambda x, a, b: a * ops.tanh(b * x), 1.0, 1.0),
    "hardsigmoid": (lambda x, a, b: ops.clamp(a * x + b, 0, 1), 0.2, 0.5),
    "elu": (lambda x, a, b: ops.where(x >= 0, x, a * ops.expm1(x)), 1.0, 0.0),
    "softsign": (lambda x, a, b: ops.softsign(x), 0.0, 0.0),
    "softplus": (lambda x, a, b: ops.logaddexp(x, ops.zeros_like(x)), 0.0, 0.0),
}


def _activations(names, alphas, betas, default, count):
    names = [name.lower() for name in (names or default * count)]
    rest_a, rest_b = list(alphas or ()), list(betas or ())
    made = []
    for name in names:
        if name not in _ACTIVATIONS:
            raise OpValueError(f"the activation {name!r} is not known")
        function, alpha, beta = _ACTIVATIONS[name]
        a = rest_a.pop(0) if rest_a and alpha else alpha
        b = rest_b.pop(0) if rest_b and beta else beta
        made.append(lambda x, function=function, a=a, b=b: function(x, a, b))
    per = len(default)
    return [made[i * per : (i + 1) * per] for i in range(count)]


def _run(X, W, R, B, sequence_lens, states, layout, direction, hidden, gates, step):
    """All steps in each direction: `step(direction, shares, state's share, states)` gives the new states."""
    if layout:
        X = ops.transpose(X, (1, 0, 2))
        states = [None if s is None else ops.transpose(s, (1, 0, 2)) for s in states]
    length, batch, _ = X.shape
    count = W.shape[0]
    lines, lasts = [], []
    for d in range(count):
        w_bias = None if B is None else B[d, : gates * hidden]
        r_bias = None if B is None else B[d, gates * hidden :]
        shares = ops.dense(X, W[d], w_bias)
        now = [ops.zeros((batch, hidden), X.dtype) if s is None else s[d] for s in states]
        line = [None] * length
        backward = direction == "reverse" or d == 1
        for t in reversed(range(length)) if backward else range(length):
            new = step(d, shares[t], R[d], r_bias, now)
            if sequence_lens is None:
                now, line[t] = new, new[0]
            else:
                goes_on = ops.expand_dims(t < sequence_lens, 1)
                line[t] = ops.where(goes_on, new[0], ops.zeros_like(new[0]))
                now = [ops.where(goes_on, after, before) for after, before in zip(new, now)]
        lines.append(ops.stack(tuple(line), 0))
        lasts.append(now)
    y = ops.stack(tuple(lines), 1)  # (T, D, N, H)
    ends = [ops.stack(tuple([last[i] for last in lasts]), 0) for i in range(len(states))]
    if layout:
        y = ops.transpose(y, (2, 0, 1, 3))
        ends = [ops.transpose(end, (1, 0, 2)) for end in ends]
    return (y, *ends)


def _bounded(x, clip):
    return x if clip is None else ops.clamp(x, -clip, clip)


@reads("RNN")
def rnn(
    X, W, R, B=None, sequence_lens=None, initial_h=None, *, activation_alpha=None, activation_beta=None,
    activations=None, clip=None, direction="forward", hidden_size=None, layout=0, output_sequence=0, outputs,
):  # fmt: skip
    hidden = R.shape[-1]
    acts = _activations(activations, activation_alpha, activation_beta, ["Tanh"], W.shape[0])

    def step(d, share, r, bias, states):
        return [acts[d][0](_bounded(share + ops.dense(states[0], r, bias), clip))]

    found = _run(X, W, R, B, sequence_lens, [initial_h], layout, direction, hidden, 1, step)
    return found[:outputs] if outputs > 1 else found[0]


@reads("GRU")
def gru(
    X, W, R, B=None, sequence_lens=None, initial_h=None, *, activation_alpha=None, activation_beta=None,
    activations=None, clip=None, direction="forward", hidden_size=None, layout=0, linear_before_reset=0,
    output_sequence=0, outputs,
):  # fmt: skip
    hidden = R.shape[-1]
    acts = _activations(activations, activation_alpha, activation_beta, ["Sigmoid", "Tanh"], W.shape[0])

    def step(d, share, r, bias, states):
        [h] = states
        n = hidden
        zr_bias = None if bias is None else bias[: 2 * n]
        h_bias = None if bias is None else bias[2 * n :]
        both = acts[d][0](_bounded(share[:, : 2 * n] + ops.dense(h, r[: 2 * n], zr_bias), clip))
        z, reset = both[:, :n], both[:, n:]
        if linear_before_reset:
            inner = reset * ops.dense(h, r[2 * n :], h_bias)
        else:
            inner = ops.dense(reset * h, r[2 * n :], h_bias)
        new = acts[d][1](_bounded(share[:, 2 * n :] + inner, clip))
        return [(1 - z) * new + z * h]

    found = _run(X, W, R, B, sequence_lens, [initial_h], layout, direction, hidden, 3, step)
    return found[:outputs] if outputs > 1 else found[0]


@reads("LSTM")
def lstm(
    X, W, R, B=None, sequence_lens=None, initial_h=None, initial_c=None, P=None, *, activation_alpha=None,
    activation_beta=None, activations=None, clip=None, direction="forward", hidden_size=None, input_forget=0, layout=0,
    output_sequence=0, outputs,
):  # fmt: skip
    n = R.shape[-1]
    acts = _activations(activations, activation_alpha, activation_beta, ["Sigmoid", "Tanh", "Tanh"], W.shape[0])

    def step(d, share, r, bias, states):
        h, c = states
        f, g, o_act = acts[d]
        total = share + ops.dense(h, r, bias)
        i, o, forget, cell = (total[:, k * n : (k + 1) * n] for k in range(4))
        if P is not None:
            i, forget = i + P[d, :n] * c, forget + P[d, 2 * n :] * c
        i = f(_bounded(i, clip))
        forget = 1 - i if input_forget else f(_bounded(forget, clip))
        new = forget * c + i * g(_bounded(cell, clip))
        if P is not None:
            o = o + P[d, n : 2 * n] * new
        return [f(_bounded(o, clip)) * o_act(new), new]

    found = _run(X, W, R, B, sequence_lens, [initial_h, initial_c], layout, direction, n, 4, step)
    return found[:outputs] if outputs > 1 else found[0]

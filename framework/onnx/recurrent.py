"""Recurrent layers."""

from __future__ import annotations

from anfora.onnx.table import writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX: a step is written in its operators ----------------------------------------------------------------------


def _gates(w: Writer, x: Value, count: int) -> tuple[Value, ...]:
    return w.node("Split", x, count=count, axis=1, num_outputs=count if w.opset >= 18 else None)


@writes("lstm_cell")
def _(w: Writer, input_gates, state_gates, cell_state):
    dtype = w.out[0].dtype
    a, b, c = (w.cast(x, dtype) for x in (input_gates, state_gates, cell_state))
    i, f, g, o = _gates(w, w.node("Add", a, b), 4)
    kept = w.node("Mul", w.node("Sigmoid", f), c)
    cell = w.node("Add", kept, w.node("Mul", w.node("Sigmoid", i), w.node("Tanh", g)))
    return w.node("Mul", w.node("Sigmoid", o), w.node("Tanh", cell)), cell


@writes("gru_cell")
def _(w: Writer, input_gates, state_gates, state):
    a, b, h = (w.cast(x, w.dtype) for x in (input_gates, state_gates, state))
    (a_r, a_z, a_n), (b_r, b_z, b_n) = _gates(w, a, 3), _gates(w, b, 3)
    r = w.node("Sigmoid", w.node("Add", a_r, b_r))
    z = w.node("Sigmoid", w.node("Add", a_z, b_z))
    n = w.node("Tanh", w.node("Add", a_n, w.node("Mul", r, b_n)))
    return w.node("Add", n, w.node("Mul", z, w.node("Sub", h, n)))

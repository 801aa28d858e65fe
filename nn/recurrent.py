"""Recurrent layers: RNN, LSTM and GRU, over whole sequences or one step at a time.

Sequences are (T, N, I): steps, examples, features; (N, T, I) with `batch_first`. The input's share of all gates is one
dense layer over all steps; all steps are one operator then (`ops/recurrent_layers.py`). Where examples end at different
steps, each step is one dense layer of the state and one fused operator (`ops/recurrent.py`).

Parameters begin uniform within ± 1 / √hidden_size. G being 1 for RNN, 3 (r, z, n) for GRU and 4 (i, f, g, o) for LSTM,
layer k has weight_ih_lk (G·H, I), weight_hh_lk (G·H, H), bias_ih_lk and bias_hh_lk (G·H,); those of the backward direction
end in `_reverse`. Cells for one step have the same without `_lk`.
"""

from __future__ import annotations

import math
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn import initial
from anfora.nn.checks import choice, flag, number, positive_int
from anfora.nn.dropout import Dropout
from anfora.ops.initializer import Uniform
from anfora.ops.recurrent_layers import gru_layer, lstm_layer, rnn_layer

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"]

State = tuple[Tensor, ...]  # of one layer in one direction: (h,), or (h, c) of an LSTM


# -- one step ---------------------------------------------------------------------------------------------------------


class _Kind:
    """What tells the kinds apart: how many gates there are, and a step from the two shares of their values."""

    gates = 1
    states: tuple[str, ...] = ("hx",)  #: what a state consists of

    def step(self, from_input: Tensor, from_state: Tensor, state: State) -> State:
        raise NotImplementedError

    def layer(
        self, shares: Tensor, weight: Tensor, bias: Tensor | None, state: State, is_backward: bool
    ) -> tuple[Tensor, State]:
        """All steps: the states h of all, and the state after the last; `step` has what happens in one."""
        raise NotImplementedError


class _Simple(_Kind):
    """h' = f(a + b)."""

    def __init__(self, nonlinearity: str) -> None:
        self.nonlinearity = nonlinearity

    def step(self, from_input: Tensor, from_state: Tensor, state: State) -> State:
        total = from_input + from_state
        return (ops.tanh(total) if self.nonlinearity == "tanh" else ops.relu(total),)

    def layer(
        self, shares: Tensor, weight: Tensor, bias: Tensor | None, state: State, is_backward: bool
    ) -> tuple[Tensor, State]:
        output, h = rnn_layer(
            shares, weight, bias, *state, nonlinearity=self.nonlinearity, backwards=is_backward
        )  # fmt: skip
        return output, (h,)


class _Gru(_Kind):
    gates = 3

    def step(self, from_input: Tensor, from_state: Tensor, state: State) -> State:
        return (ops.gru_cell(from_input, from_state, state[0]),)

    def layer(
        self, shares: Tensor, weight: Tensor, bias: Tensor | None, state: State, is_backward: bool
    ) -> tuple[Tensor, State]:
        output, h, _ = gru_layer(shares, weight, bias, *state, backwards=is_backward)
        return output, (h,)


class _Lstm(_Kind):
    gates = 4
    states = ("h_0", "c_0")

    def step(self, from_input: Tensor, from_state: Tensor, state: State) -> State:
        return ops.lstm_cell(from_input, from_state, state[1])

    def layer(
        self, shares: Tensor, weight: Tensor, bias: Tensor | None, state: State, is_backward: bool
    ) -> tuple[Tensor, State]:
        output, h, c, _, _ = lstm_layer(shares, weight, bias, *state, backwards=is_backward)
        return output, (h, c)


class _OneStep(Cell):
    """What cells for one step share."""

    def __init__(self, kind: _Kind, input_size: int, hidden_size: int, has_bias: bool, dtype: Any) -> None:
        super().__init__()
        name = type(self).__name__
        self._kind = kind
        self.input_size = positive_int(name, "input_size", input_size)
        self.hidden_size = positive_int(name, "hidden_size", hidden_size)
        self.has_bias = flag(name, "has_bias", has_bias)
        init, rows = Uniform(1 / math.sqrt(hidden_size)), kind.gates * hidden_size
        self.weight_ih = initial.parameter(name, "weight_ih", init, (rows, input_size), dtype)
        self.weight_hh = initial.parameter(name, "weight_hh", init, (rows, hidden_size), dtype)
        self.bias_ih = initial.parameter(name, "bias_ih", init, (rows,), dtype) if has_bias else None
        self.bias_hh = initial.parameter(name, "bias_hh", init, (rows,), dtype) if has_bias else None

    def _advance(self, x: Tensor, state: State | None) -> State:
        name = type(self).__name__
        if x.ndim != 2 or x.shape[1] != self.input_size:
            raise OpValueError(
                f"{name} needs an input of shape (examples, {self.input_size}), but got {x.shape}", arg="x"
            )
        shape = (x.shape[0], self.hidden_size)
        state = _state_or_zeros(name, self._kind.states, state, shape, x)
        from_input = ops.dense(x, self.weight_ih, self.bias_ih)
        return self._kind.step(from_input, ops.dense(state[0], self.weight_hh, self.bias_hh), state)

    def extend_repr(self) -> str:
        return f"input_size={self.input_size}, hidden_size={self.hidden_size}, has_bias={self.has_bias}"


def _state_or_zeros(name: str, parts: tuple[str, ...], state: Any, shape: tuple[int, ...], x: Tensor) -> State:
    """The given state, checked, or zeros."""
    if state is None:
        return (ops.zeros(shape, x.dtype if x.dtype.is_float else float32),) * len(parts)
    if (
        not isinstance(state, (tuple, list))
        or not all(isinstance(part, Tensor) for part in state)
        or len(state) != len(parts)
    ):
        need = "a tensor" if len(parts) == 1 else f"a tuple ({', '.join(parts)}) of tensors"
        raise OpTypeError(f"{name} needs {need} for `hx`, but got {type(state).__name__}", arg="hx")
    for part, tensor in zip(parts, state):
        if tensor.shape != shape:
            raise OpValueError(f"{name} needs the shape {shape} for `{part}`, but got {tensor.shape}", arg="hx")
    return tuple(state)


def _single(state: Any) -> Any:
    """The state of RNN and GRU, a tensor, as a state of one part."""
    return (state,) if isinstance(state, Tensor) else state


class RNNCell(_OneStep):
    """One step of an RNN: h' = f(W_ih x + b_ih + W_hh h + b_hh).

    Args:
        input_size, hidden_size: I and H.
        has_bias: whether there are b_ih and b_hh.
        nonlinearity: "tanh" or "relu".
        dtype: of the parameters.
    Input, output:
        x (N, I), h (N, H), zeros when None; h' (N, H).

    Example:
        >>> RNNCell(3, 5)(ops.ones((2, 3)), ops.zeros((2, 5))).shape
        (2, 5)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: Any = float32,
    ) -> None:
        kind = _Simple(choice("RNNCell", "nonlinearity", nonlinearity, ("tanh", "relu")))
        super().__init__(kind, input_size, hidden_size, has_bias, dtype)
        self.nonlinearity = nonlinearity

    def construct(self, x: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._advance(x, _single(hx))[0]


class GRUCell(_OneStep):
    """One step of a GRU; `ops.gru_cell` has the formula.

    Args:
        input_size, hidden_size: I and H.
        has_bias: whether there are biases.
        dtype: of the parameters.
    Input, output:
        x (N, I), h (N, H), zeros when None; h' (N, H).

    Example:
        >>> GRUCell(3, 5)(ops.ones((2, 3)), ops.zeros((2, 5))).shape
        (2, 5)
    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = float32) -> None:
        super().__init__(_Gru(), input_size, hidden_size, has_bias, dtype)

    def construct(self, x: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._advance(x, _single(hx))[0]


class LSTMCell(_OneStep):
    """One step of an LSTM; `ops.lstm_cell` has the formula.

    Args:
        input_size, hidden_size: I and H.
        has_bias: whether there are biases.
        dtype: of the parameters.
    Input, output:
        x (N, I) and (h, c), each (N, H), zeros when None; (h', c').

    Example:
        >>> h, c = LSTMCell(3, 5)(ops.ones((2, 3)), (ops.zeros((2, 5)), ops.zeros((2, 5))))
        >>> h.shape, c.shape
        ((2, 5), (2, 5))
    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = float32) -> None:
        super().__init__(_Lstm(), input_size, hidden_size, has_bias, dtype)

    def construct(self, x: Tensor, hx: State | None = None) -> State:
        return self._advance(x, hx)


# -- sequences --------------------------------------------------------------------------------------------------------


class _Sequence(Cell):
    """What layers over sequences share."""

    def __init__(
        self,
        kind: _Kind,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        has_bias: bool,
        batch_first: bool,
        dropout: float,
        bidirectional: bool,
        dtype: Any,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self._kind = kind
        self.input_size = positive_int(name, "input_size", input_size)
        self.hidden_size = positive_int(name, "hidden_size", hidden_size)
        self.num_layers = positive_int(name, "num_layers", num_layers)
        self.has_bias = flag(name, "has_bias", has_bias)
        self.batch_first = flag(name, "batch_first", batch_first)
        self.dropout = number(name, "dropout", dropout, least=0.0, below=1.0)
        self.bidirectional = flag(name, "bidirectional", bidirectional)
        if dropout and num_layers == 1:
            raise OpValueError(
                f"{name}: `dropout` stands between layers, of which there is one; it must be 0, but got {dropout}",
                arg="dropout",
            )
        self.dropout_op = Dropout(p=self.dropout) if dropout else None
        self._paths = [f"l{k}{way}" for k in range(num_layers) for way in self._ways]
        init, rows = Uniform(1 / math.sqrt(hidden_size)), kind.gates * hidden_size
        widths = [
            input_size if k == 0 else hidden_size * len(self._ways) for k in range(num_layers) for _ in self._ways
        ]
        parts: list[tuple[str, Any]] = [("weight_ih", lambda width: (rows, width))]
        parts.append(("weight_hh", lambda width: (rows, hidden_size)))
        if has_bias:
            parts += [("bias_ih", lambda width: (rows,)), ("bias_hh", lambda width: (rows,))]
        for part, shape in parts:
            for path, width in zip(self._paths, widths):
                full = f"{part}_{path}"
                setattr(self, full, initial.parameter(name, full, init, shape(width), dtype))

    @property
    def _ways(self) -> tuple[str, ...]:
        """What the names of each direction's parameters end in."""
        return ("", "_reverse") if self.bidirectional else ("",)

    def _run(self, x: Tensor, state: Any, seq_length: Any) -> tuple[Tensor, State]:
        """The output of the last layer, and the states (layers · directions, N, H) after the last step."""
        name, kind, ways = type(self).__name__, self._kind, len(self._ways)
        if x.ndim != 3 or x.shape[2] != self.input_size:
            order = "examples, steps" if self.batch_first else "steps, examples"
            raise OpValueError(
                f"{name} needs an input of shape ({order}, {self.input_size}), but got {x.shape}", arg="x"
            )
        if self.batch_first:
            x = ops.swapaxes(x, 0, 1)
        shape = (self.num_layers * ways, x.shape[1], self.hidden_size)
        state = _state_or_zeros(name, kind.states, state, shape, x)
        starts = list(zip(*(ops.unbind(part) for part in state)))
        masks = None if seq_length is None else _masks(name, seq_length, x)
        ends: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout_op is not None:
                x = self.dropout_op(x)
            outputs = []
            for way in range(ways):
                path = layer * ways + way
                output, end = self._pass(x, starts[path], self._paths[path], way == 1, masks)
                outputs.append(output)
                ends.append(end)
            x = outputs[0] if ways == 1 else ops.concat(outputs, 2)
        if self.batch_first:
            x = ops.swapaxes(x, 0, 1)
        return x, tuple(ops.stack(parts) for parts in zip(*ends))

    def _pass(
        self, x: Tensor, state: State, path: str, is_backward: bool, masks: tuple[Tensor, ...] | None
    ) -> tuple[Tensor, State]:
        """One layer in one direction: its output (T, N, H), and its state after the last step."""
        parameters = self.__dict__
        bias_ih, bias_hh = parameters.get(f"bias_ih_{path}"), parameters.get(f"bias_hh_{path}")
        weight_hh = parameters[f"weight_hh_{path}"]
        from_input = ops.dense(x, parameters[f"weight_ih_{path}"], bias_ih)
        if masks is None:
            return self._kind.layer(from_input, weight_hh, bias_hh, state, is_backward)
        shares = ops.unroll(from_input)
        outputs: list[Any] = [None] * len(shares)
        for t in reversed(range(len(shares))) if is_backward else range(len(shares)):
            new = self._kind.step(shares[t], ops.dense(state[0], weight_hh, bias_hh), state)
            state = tuple(ops.where(masks[t], after, before) for after, before in zip(new, state))
            outputs[t] = ops.where(masks[t], new[0], ops.zeros_like(new[0]))
        return ops.stack(outputs), state

    def extend_repr(self) -> str:
        return (
            f"input_size={self.input_size}, hidden_size={self.hidden_size}, num_layers={self.num_layers}, "
            f"has_bias={self.has_bias}, batch_first={self.batch_first}, dropout={self.dropout}, "
            f"bidirectional={self.bidirectional}"
        )


def _masks(name: str, seq_length: Any, x: Tensor) -> tuple[Tensor, ...]:
    """For each step, which examples (N, 1) are still going on."""
    lengths = seq_length if isinstance(seq_length, Tensor) else Tensor(seq_length)
    if not lengths.dtype.is_integer:
        raise OpTypeError(f"{name} needs integers for `seq_length`, but got {lengths.dtype}", arg="seq_length")
    steps, count = x.shape[:2]
    if lengths.shape != (count,):
        raise OpValueError(
            f"{name} needs a length for each of {count} examples in `seq_length`, but got the shape {lengths.shape}",
            arg="seq_length",
        )
    return tuple(t < ops.expand_dims(lengths, 1) for t in range(steps))


class RNN(_Sequence):
    """Layers of h' = f(W_ih x + b_ih + W_hh h + b_hh) over sequences.

    Args:
        input_size, hidden_size: I and H.
        num_layers: layers, each of which gets the output of the one below.
        nonlinearity: f, "tanh" or "relu".
        has_bias: whether there are biases.
        batch_first: see the head of this module.
        dropout: probability that an element between layers becomes 0 while training.
        bidirectional: whether each layer has a second half that begins at the end; D is 2 then, else 1.
        dtype: of the parameters.
    Input, output:
        x (T, N, I); hx (num_layers · D, N, H), zeros when None; seq_length (N,): how long each example is, T when None.
        Gives y (T, N, D·H), zeros behind the end of an example, and the state h_n (num_layers · D, N, H) at its end.

    Example:
        >>> y, h_n = RNN(3, 5, num_layers=2, batch_first=True)(ops.ones((4, 7, 3)))
        >>> y.shape, h_n.shape
        ((4, 7, 5), (2, 4, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = float32,
    ) -> None:
        kind = _Simple(choice("RNN", "nonlinearity", nonlinearity, ("tanh", "relu")))
        super().__init__(
            kind, input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )  # fmt: skip
        self.nonlinearity = nonlinearity

    def construct(self, x: Tensor, hx: Tensor | None = None, seq_length: Any = None) -> tuple[Tensor, Tensor]:
        y, (h,) = self._run(x, _single(hx), seq_length)
        return y, h


class GRU(_Sequence):
    """Layers of gated recurrent units over sequences; `ops.gru_cell` has the formula.

    Args:
        input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype: see RNN.
    Input, output:
        as those of RNN.

    Example:
        >>> y, h = nn.GRU(3, 5, batch_first=True)(ops.ones((2, 4, 3)))
        >>> y.shape, h.shape
        ((2, 4, 5), (1, 2, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            _Gru(), input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )

    def construct(self, x: Tensor, hx: Tensor | None = None, seq_length: Any = None) -> tuple[Tensor, Tensor]:
        y, (h,) = self._run(x, _single(hx), seq_length)
        return y, h


class LSTM(_Sequence):
    """Layers of long short-term memory over sequences; `ops.lstm_cell` has the formula.

    Args:
        input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype: see RNN.
    Input, output:
        as those of RNN, with the states (h_0, c_0) and (h_n, c_n), each (num_layers · D, N, H).

    Example:
        >>> net = LSTM(3, 5, bidirectional=True)
        >>> y, (h_n, c_n) = net(ops.ones((7, 4, 3)), seq_length=Tensor([7, 1, 2, 3]))
        >>> y.shape, h_n.shape, net.weight_ih_l0_reverse.shape
        ((7, 4, 10), (2, 4, 5), (20, 3))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            _Lstm(), input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )

    def construct(self, x: Tensor, hx: State | None = None, seq_length: Any = None) -> tuple[Tensor, State]:
        return self._run(x, hx, seq_length)

"""A writer of programs, and layers in instructions.

`Writer` makes a cell for each result, so a program reads as a sequence of expressions. Its methods named after layers are
the lowerings: each says what it does in instructions, and where a tie is decided differently from the framework's layer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from anfora.core.errors import OpValueError
from anfora.deepx.cells import Cells, TensorSpec
from anfora.deepx.errors import DeepxError, Fault
from anfora.deepx.forms import FORMS, call
from anfora.deepx.program import DTYPES, Instruction, Operand, Program

__all__ = ["Writer", "export"]

_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def export(network: Any, inputs: Any) -> NoReturn:
    """A network or function as a program.

    Args:
        network: a Cell or a function.
        inputs: what it is called with.
    Raises:
        NotImplementedError: always; it needs graph mode, which is being built. A `Writer` writes programs by hand.
    """
    raise NotImplementedError(
        "deepx.export needs graph mode, which compiles a network to a graph and is not there yet; "
        "write the program with deepx.Writer, whose methods are the lowerings of layers"
    )


class Writer:
    """Writes a program instruction by instruction.

    Args:
        inputs: what is bound before a run, by name: tensors, arrays or `TensorSpec`s. Constants that lowerings need (index
            vectors of convolutions, say) are bound too; they are added to `bindings`.

    Attributes:
        bindings: constants to bind, by name.

    Example:
        >>> writer = Writer({"tx": TensorSpec(float32, (2, 3))})
        >>> ty = writer.relu("tx")
        >>> print(writer.program)
        argset@int64 2 3->v1
        newtensor@float32 v1->t1
        argset@float32 0.0->a1
        max_scalar@float32 tx a1->t1
    """

    def __init__(self, inputs: Mapping[str, Any] | None = None) -> None:
        self._cells = Cells(inputs)
        self._lines: list[Instruction] = []
        self._counts = {"t": 0, "a": 0, "v": 0}
        self._numbers: dict[tuple, str] = {}
        self.bindings: dict[str, np.ndarray] = {}

    @property
    def program(self) -> Program:
        """What has been written."""
        return Program(self._lines)

    def spec(self, name: str) -> TensorSpec:
        """Type and shape of a tensor."""
        return self._cells.specs[name]

    # -- instructions -----------------------------------------------------------------------------------------------

    def _fresh(self, kind: str) -> str:
        while True:
            self._counts[kind] += 1
            name = f"{kind}{self._counts[kind]}"
            if name not in self._cells:
                return name

    def _line(self, op: str, operands: Sequence[str], result: str, dtype: str) -> None:
        instruction = Instruction(op, tuple(Operand(name) for name in operands), (Operand(result),), dtype)
        self._cells.commit(self._cells.resolve(instruction))
        self._lines.append(instruction)

    def _held(self, kind: str, dtype: str, values: tuple) -> str:
        """The name of an argument or vector that holds these numbers."""
        key = (kind, dtype, tuple(map(repr, values)))
        if key not in self._numbers:
            name = self._numbers[key] = self._fresh(kind)
            instruction = Instruction("argset", tuple(map(Operand, values)), (Operand(name),), dtype)
            self._cells.commit(self._cells.resolve(instruction))
            self._lines.append(instruction)
        return self._numbers[key]

    def vector(self, *values: int) -> str:
        """The name of a vector of integers."""
        return self._held("v", "int64", tuple(int(value) for value in values))

    def new(self, spec: TensorSpec) -> str:
        """The name of a new tensor of zeros."""
        name, shape = self._fresh("t"), self.vector(*spec.shape)
        self._line("newtensor", [shape], name, _NAMES[spec.dtype])
        return name

    def bind(self, value: Any) -> str:
        """The name of a constant, which is added to `bindings`."""
        name = self._fresh("t")
        while name in self.bindings:
            name = self._fresh("t")
        self.bindings[name] = np.asarray(value)
        self._cells = _with_input(self._cells, name, self.bindings[name])
        return name

    def emit(self, op: str, *operands: Any, shape: Sequence[int] | None = None, dtype: Any = None) -> str:
        """Write an instruction and the cells it needs.

        Args:
            op: its name.
            operands: names of tensors; numbers, where an argument stands; lists of integers, where a vector stands.
            shape, dtype: of the result, where the operands do not tell: of several possible shapes the first is taken, and
                the type of the first tensor.
        Returns:
            the name of the result.
        Raises:
            DeepxError: the operands do not fit.
        """
        form = FORMS.get(op)
        if form is None or form.result is None or form.result.kind != "t":
            raise DeepxError("E-OP", f"there is no instruction {op!r} that gives a tensor")
        specs = self._cells.specs
        for x in operands:
            if isinstance(x, str) and x not in specs:
                raise DeepxError("E-UNDEF", f"{op}: the tensor {x} does not exist")
        tensors = [specs[x] for x in operands if isinstance(x, str)]
        kind = dtype or next((s.dtype for s, p in zip(tensors, form.operands) if p.role == ""), tensors[0].dtype)
        if shape is None:
            known: dict[str, Any] = {"likes": tensors}
            known |= {f"like{i}": spec for i, spec in enumerate(tensors, 1)}
            vectors = [tuple(x) for x in operands if isinstance(x, (list, tuple))]
            known |= {f"v{i}": vector for i, vector in enumerate(vectors, 1)}
            known |= {f"a{i}": x for i, x in enumerate((x for x in operands if isinstance(x, (int, float))), 1)}
            assert form.shape is not None
            try:
                shape = call(form.shape, known)[0]
            except Fault as fault:
                raise DeepxError(fault.code, f"{op}: {fault.message}", help=fault.help) from None
        made = DTYPES["int8"] if form.result.role == "mask" else kind
        result = self.new(TensorSpec(made, tuple(shape)))
        words = []
        places = {place.kind: place for place in form.operands}
        for operand in operands:
            if isinstance(operand, str):
                words.append(operand)
            elif isinstance(operand, (list, tuple)):
                words.append(self.vector(*operand))
            else:
                whole = places["a"].role == "int"
                words.append(
                    self._held("a", "int64" if whole else _NAMES[kind], (operand if whole else _as(operand, kind),))
                )
        self._line(op, words, result, _NAMES[kind])
        return result

    # -- lowerings in base instructions -------------------------------------------------------------------------------

    def neg(self, x: str) -> str:
        """-x."""
        return self.emit("mul_scalar", x, -1)

    def sub_constant(self, x: str, c: float) -> str:
        """x - c."""
        return self.emit("add_scalar", x, -c)

    def constant_sub(self, c: float, x: str) -> str:
        """c - x."""
        return self.emit("add_scalar", self.neg(x), c)

    def constant_div(self, c: float, x: str) -> str:
        """c / x."""
        spec = self.spec(x)
        return self.emit("div", self.emit("constant", c, shape=spec.shape, dtype=spec.dtype), x)

    def relu(self, x: str) -> str:
        """max(x, 0). At x = 0 the gradient is half of what arrives; that of `ops.relu` is 0."""
        return self.emit("max_scalar", x, 0)

    def square(self, x: str) -> str:
        """x²."""
        return self.emit("mul", x, x)

    def abs(self, x: str) -> str:
        """|x|, with gradient 0 at 0."""
        return self.emit("max", x, self.neg(x))

    def mean(self, x: str, axes: Sequence[int] = ()) -> str:
        """The mean over axes, or over all; they are removed."""
        total = self.emit("sum", x, list(axes))
        return self.emit(
            "div_scalar", total, math.prod(self.spec(x).shape) // max(math.prod(self.spec(total).shape), 1)
        )

    def sigmoid(self, x: str) -> str:
        """1 / (1 + e^-x)."""
        return self.constant_div(1, self.emit("add_scalar", self.emit("exp", self.neg(x)), 1))

    def tanh(self, x: str) -> str:
        """2 · sigmoid(2x) - 1."""
        return self.emit("add_scalar", self.emit("mul_scalar", self.sigmoid(self.emit("mul_scalar", x, 2)), 2), -1)

    def clip(self, x: str, low: float, high: float) -> str:
        """x between two bounds. At a bound the gradient is half of what arrives."""
        return self.emit("max_scalar", self.emit("min_scalar", x, high), low)

    def power(self, x: str, n: int) -> str:
        """x to the power of a small positive integer, by repeated products."""
        if n < 1:
            raise OpValueError(f"power: n must be at least 1, but is {n}")
        result = x
        for _ in range(n - 1):
            result = self.emit("mul", result, x)
        return result

    # -- lowerings with the extension ---------------------------------------------------------------------------------

    def dense(self, x: str, weight: str, bias: str | None = None) -> str:
        """x · weightᵀ + bias. x: (B, I), weight: (O, I), bias: (O,)."""
        out = self.emit("matmul", x, self.emit("transpose", weight, [1, 0]))
        return (
            out if bias is None else self.emit("add", out, self.emit("broadcastTo", bias, list(self.spec(out).shape)))
        )

    def flatten(self, x: str) -> str:
        """(B, …) as (B, n)."""
        batch, *rest = self.spec(x).shape
        return self.emit("reshape", x, [batch, math.prod(rest)])

    def conv2d(self, x: str, weight: str, bias: str | None = None, stride: int = 1, padding: int = 0) -> str:
        """A convolution as one matrix product over windows (im2col).

        Args:
            x: (B, C, H, W).   weight: (K, C, R, S).   bias: (K,) or None.
            stride: step of the window.   padding: zeros around the image.
        Returns:
            (B, K, P, Q).
        """
        batch, channels, height, width = self.spec(x).shape
        filters, _, rows, columns = self.spec(weight).shape
        index, down, across = _windows(channels, height, width, rows, columns, stride, padding)
        flat = self.emit("reshape", x, [batch, channels * height * width])
        if padding:  # one more column, of zeros, for what lies outside of the image
            spec = TensorSpec(self.spec(x).dtype, (batch, 1))
            flat = self.emit("concat", flat, self.new(spec), 1)
        # index: (P·Q, C·R·S)
        taken = self.emit("indexselect", flat, self.bind(index), 1)
        matrix = self.emit("reshape", taken, [batch * down * across, channels * rows * columns])
        filter_rows = self.emit("reshape", weight, [filters, channels * rows * columns])
        out = self.dense(matrix, filter_rows, bias)
        split = self.emit("reshape", out, [batch, down * across, filters])
        return self.emit("reshape", self.emit("transpose", split, [0, 2, 1]), [batch, filters, down, across])

    def _pooled(self, op: str, x: str, size: int, stride: int) -> str:
        batch, channels, height, width = self.spec(x).shape
        index, down, across = _windows(1, height, width, size, size, stride, 0)
        flat = self.emit("reshape", x, [batch * channels, height * width])
        windows = self.emit("indexselect", flat, self.bind(index), 1)
        return self.emit("reshape", self.emit(op, windows, [2]), [batch, channels, down, across])

    def max_pool2d(self, x: str, size: int, stride: int | None = None) -> str:
        """The maximum of each window. Equal maxima share the gradient; that of `ops.max_pool2d` goes to the first."""
        return self._pooled("reducemax", x, size, stride or size)

    def avg_pool2d(self, x: str, size: int, stride: int | None = None) -> str:
        """The mean of each window."""
        return self.emit("div_scalar", self._pooled("sum", x, size, stride or size), size * size)

    def log_softmax(self, x: str) -> str:
        """Along the last axis, which the maximum is first subtracted from."""
        shape = self.spec(x).shape
        column = (*shape[:-1], 1)
        last = [len(shape) - 1]
        largest = self.emit("broadcastTo", self.emit("reducemax", x, last, shape=column), list(shape))
        shifted = self.emit("sub", x, largest)
        total = self.emit("sum", self.emit("exp", shifted), last, shape=column)
        return self.emit("sub", shifted, self.emit("broadcastTo", self.emit("log", total), list(shape)))

    def cross_entropy(self, logits: str, one_hot: str) -> str:
        """The mean over rows of -log softmax at the label. logits, one_hot: (B, n)."""
        picked = self.emit("mul", self.log_softmax(logits), one_hot)
        return self.emit("div_scalar", self.emit("sum", picked, []), -self.spec(logits).shape[0])


def _as(number: float, dtype: Any) -> int | float:
    return float(number) if dtype.is_float else int(number)


def _with_input(cells: Cells, name: str, value: np.ndarray) -> Cells:
    """The cells with one more that is bound."""
    cells.table |= Cells({name: value}).table
    return cells


def _windows(
    channels: int, height: int, width: int, rows: int, columns: int, stride: int, padding: int
) -> tuple[np.ndarray, int, int]:
    """Where the elements of each window stand in a flattened image; one past the end for what lies outside."""
    down, across = (height + 2 * padding - rows) // stride + 1, (width + 2 * padding - columns) // stride + 1
    if down < 1 or across < 1:
        raise DeepxError("E-SHAPE", f"a window of {rows}×{columns} does not fit into an image of {height}×{width}")
    p, q, c, r, s = np.ogrid[:down, :across, :channels, :rows, :columns]
    y, x = p * stride + r - padding, q * stride + s - padding
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    index = np.where(inside, (c * height + y) * width + x, channels * height * width)
    return index.reshape(down * across, channels * rows * columns), down, across

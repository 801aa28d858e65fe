"""A writer of programs, and layers in instructions.

`Writer` makes a cell for each result, so a program reads as a sequence of expressions. Its methods named after layers are
the lowerings: each says what it does in instructions, and where a tie is decided differently from the framework's layer.
`operators.py` has one for each operator, made of these; `export.py` uses them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Union

import numpy as np

from anfora.core.errors import OpValueError
from anfora.deepx.cells import Cells, TensorSpec
from anfora.deepx.errors import DeepxError, Fault
from anfora.deepx.forms import FORMS, Form, call
from anfora.deepx.program import DTYPES, Instruction, Operand, Program

__all__ = ["Writer"]

#: One number for both axes of an image, or two; one for all four ends, or (top, bottom, left, right).
Pair = Union[int, Sequence[int]]
Ends = Union[int, Sequence[int]]

_NAMES = {dtype: name for name, dtype in DTYPES.items()}


#: What there is without the extension table.
BASE = frozenset({
    "constant", "arange", "uniform", "add", "add_scalar", "sub", "mul", "mul_scalar", "div", "div_scalar", "mod",
    "mod_scalar", "exp", "sqrt", "log", "sum", "max", "max_scalar", "min", "min_scalar",
})  # fmt: skip


class Writer:
    """Writes a program instruction by instruction.

    Args:
        inputs: what is bound before a run, by name: tensors, arrays or `TensorSpec`s. Constants that lowerings need (index
            vectors of convolutions, say) are bound too; they are added to `bindings`.
        base_only: whether to do without the extension table; a lowering that needs it is refused.

    Attributes:
        bindings: constants to bind, by name.
        meta: what is written behind the instructions from here on, see `Instruction`.

    Example:
        >>> writer = Writer({"tx": TensorSpec(float32, (2, 3))})
        >>> ty = writer.relu("tx")
        >>> print(writer.program)
        argset@int64 2 3->v1
        newtensor@float32 v1->t1
        argset@float32 0.0->a1
        max_scalar@float32 tx a1->t1
    """

    def __init__(self, inputs: Mapping[str, Any] | None = None, *, base_only: bool = False) -> None:
        self.base_only = base_only
        self.meta: dict[str, Any] = {}
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

    def rename(self, old: str, new: str) -> None:
        """Give a tensor that the program makes another name."""

        def named(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
            return tuple(Operand(new) if operand.value == old else operand for operand in operands)

        self._lines = [replace(x, operands=named(x.operands), results=named(x.results)) for x in self._lines]
        self._cells.table[new] = self._cells.table.pop(old)

    # -- instructions -----------------------------------------------------------------------------------------------

    def _fresh(self, kind: str) -> str:
        while True:
            self._counts[kind] += 1
            name = f"{kind}{self._counts[kind]}"
            if name not in self._cells:
                return name

    def _line(self, op: str, operands: Sequence[str], result: str, dtype: str) -> None:
        meta = {} if op == "newtensor" else dict(self.meta)
        instruction = Instruction(op, tuple(Operand(name) for name in operands), (Operand(result),), dtype, meta=meta)
        self._cells.commit(self._cells.resolve(instruction))
        self._lines.append(instruction)

    def _held(self, kind: str, dtype: str, values: tuple) -> str:
        """The name of an argument or vector that holds these numbers."""
        if DTYPES[dtype].is_float:  # as it is read back
            values = tuple(_rounded(value, DTYPES[dtype]) for value in values)
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
        self.know(name, self.bindings[name])
        return name

    def know(self, name: str, value: Any) -> None:
        """Let one more tensor be bound before a run."""
        self._cells.table |= Cells({name: value}).table

    def emit(self, op: str, *operands: Any, shape: Sequence[int] | None = None, dtype: Any = None) -> str:
        """Write an instruction and the cells it needs.

        Args:
            op: its name.
            operands: names of tensors; numbers, where an argument stands; lists of integers, where a vector stands.
            shape, dtype: of the result, where the operands do not tell: of several possible shapes the first is taken, and
                the type of the first tensor; int8 for a mask.
        Returns:
            the name of the result.
        Raises:
            DeepxError: the operands do not fit.
        """
        form = FORMS.get(op)
        if form is None or form.result is None or form.result.kind != "t":
            raise DeepxError("E-OP", f"there is no instruction {op!r} that gives a tensor")
        if self.base_only and op not in BASE:
            raise DeepxError("E-OP", f"{op} is in the extension table, and only base instructions are wanted")
        specs = self._cells.specs
        for x in operands:
            if isinstance(x, str) and x not in specs:
                raise DeepxError("E-UNDEF", f"{op}: the tensor {x} does not exist")
        tensors = [specs[x] for x in operands if isinstance(x, str)]
        is_mask = form.result.role == "mask"
        kind = dtype if dtype is not None and not is_mask else _type_of(form, tensors)
        if shape is None:
            shape = _shape_of(form, tensors, operands)
        made = (dtype or DTYPES["int8"]) if is_mask else kind
        result = self.new(TensorSpec(made, tuple(shape)))
        words = [self._word(operand, form, kind) for operand in operands]
        self._line(op, words, result, _NAMES[kind])
        return result

    def _word(self, operand: Any, form: Form, kind: Any) -> str:
        """An operand as it stands in an instruction."""
        if isinstance(operand, str):
            return operand
        if isinstance(operand, (list, tuple)):
            return self.vector(*operand)
        whole = {place.kind: place.role for place in form.operands}["a"] == "int"
        return self._held("a", "int64" if whole else _NAMES[kind], (operand if whole else _as(operand, kind),))

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

    def broadcast(self, x: str, shape: Sequence[int]) -> str:
        """x stretched to a shape. With base instructions alone, a constant is bound once more in that shape."""
        if self.spec(x).shape == tuple(shape):
            return x
        if self.base_only and x in self.bindings:
            return self.bind(np.broadcast_to(self.bindings[x], tuple(shape)))
        return self.emit("broadcastTo", x, list(shape))

    def reshape(self, x: str, shape: Sequence[int]) -> str:
        """The elements of x in another shape."""
        return x if self.spec(x).shape == tuple(shape) else self.emit("reshape", x, list(shape))

    def cast(self, x: str, dtype: Any) -> str:
        """x in another element type."""
        return x if self.spec(x).dtype is dtype else self.emit("todtype", x, dtype=dtype)

    def dense(self, x: str, weight: str, bias: str | None = None) -> str:
        """x · weightᵀ + bias. x: (B, I), weight: (O, I), bias: (O,)."""
        out = self.emit("matmul", x, self.emit("transpose", weight, [1, 0]))
        return out if bias is None else self.emit("add", out, self.broadcast(bias, self.spec(out).shape))

    def flatten(self, x: str) -> str:
        """(B, …) as (B, n)."""
        batch, *rest = self.spec(x).shape
        return self.emit("reshape", x, [batch, math.prod(rest)])

    def conv2d(
        self, x: str, weight: str, bias: str | None = None, stride: Pair = 1, padding: Ends = 0, dilation: Pair = 1,
        groups: int = 1,
    ) -> str:  # fmt: skip
        """A convolution as one matrix product over windows (im2col), or one for each group of channels.

        Args:
            x: (B, C, H, W).   weight: (K, C / groups, R, S).   bias: (K,) or None.
            stride: step of the window.   padding: zeros around the image, one number or (top, bottom, left, right).
            dilation: distance of the elements of a window.   groups: into how many groups channels are split.
        Returns:
            (B, K, P, Q).
        """
        batch, channels, *image = self.spec(x).shape
        filters, depth, *window = self.spec(weight).shape
        index, _, (down, across) = _windows(channels, image, window, stride, padding, dilation)
        flat = self._with_zeros(self.emit("reshape", x, [batch, channels * math.prod(image)]), index)
        size, points = depth * math.prod(window), down * across
        taken = self.emit("indexselect", flat, self.bind(index), 1)
        if groups == 1:
            matrix = self.emit("reshape", taken, [batch * points, size])
            out = self.dense(matrix, self.emit("reshape", weight, [filters, size]), bias)
        else:
            split = self.emit("reshape", taken, [batch * points, groups, size])
            rows = self.emit("reshape", weight, [groups, filters // groups, size])
            product = self.emit(
                "matmul", self.emit("transpose", split, [1, 0, 2]), self.emit("transpose", rows, [0, 2, 1])
            )
            out = self.emit("reshape", self.emit("transpose", product, [1, 0, 2]), [batch * points, filters])
            if bias is not None:
                out = self.emit("add", out, self.broadcast(bias, self.spec(out).shape))
        turned = self.emit("transpose", self.emit("reshape", out, [batch, points, filters]), [0, 2, 1])
        return self.emit("reshape", turned, [batch, filters, down, across])

    def _with_zeros(self, flat: str, index: np.ndarray) -> str:
        """Rows with one more column, of zeros, where indices name it: for what lies outside of an image."""
        rows, length = self.spec(flat).shape
        if not (index == length).any():
            return flat
        return self.emit("concat", flat, self.new(TensorSpec(self.spec(flat).dtype, (rows, 1))), 1)

    def max_pool2d(
        self, x: str, size: Pair, stride: Pair | None = None, padding: Ends = 0, dilation: Pair = 1,
        ceil_mode: bool = False,
    ) -> str:  # fmt: skip
        """The maximum of each window. Equal maxima share the gradient; that of `ops.max_pool2d` goes to the first."""
        batch, channels, *image = self.spec(x).shape
        steps = size if stride is None else stride
        index, outside, (down, across) = _windows(1, image, size, steps, padding, dilation, ceil_mode)
        # What lies outside is replaced by something inside: the maximum, and where its gradient goes, are the same.
        inside = np.take_along_axis(index, np.argmin(outside, 1, keepdims=True), 1)
        flat = self.emit("reshape", x, [batch * channels, math.prod(image)])
        windows = self.emit("indexselect", flat, self.bind(np.where(outside, inside, index)), 1)
        return self.emit("reshape", self.emit("reducemax", windows, [2]), [batch, channels, down, across])

    def avg_pool2d(
        self, x: str, size: Pair, stride: Pair | None = None, padding: Ends = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor: int | None = None,
    ) -> str:  # fmt: skip
        """The mean of each window; see `ops.avg_pool2d` for what counts."""
        batch, channels, *image = self.spec(x).shape
        steps = size if stride is None else stride
        index, outside, (down, across) = _windows(1, image, size, steps, padding, 1, ceil_mode)
        flat = self._with_zeros(self.emit("reshape", x, [batch * channels, math.prod(image)]), index)
        sums = self.emit("sum", self.emit("indexselect", flat, self.bind(index), 1), [2])
        counted = ~_beyond(image, size, steps, padding, (down, across)) if count_include_pad else ~outside
        counts = counted.sum(1) if divisor is None else np.full(len(index), divisor)
        if (counts == counts[0]).all():
            means = self.emit("div_scalar", sums, int(counts[0]))
        else:
            divisors = self.bind(counts.astype(self.spec(x).dtype.storage))
            means = self.emit("div", sums, self.broadcast(divisors, self.spec(sums).shape))
        return self.emit("reshape", means, [batch, channels, down, across])

    def _shifted(self, x: str, axis: int) -> tuple[str, tuple[int, ...]]:
        """x minus its maximum along an axis, and the shape of that."""
        shape = self.spec(x).shape
        column = tuple(1 if i == axis else n for i, n in enumerate(shape))
        largest = self.broadcast(self.emit("reducemax", x, [axis], shape=column), shape)
        return self.emit("sub", x, largest), column

    def softmax(self, x: str, axis: int | None = None) -> str:
        """e^x over its sum along an axis, by default the last."""
        shape = self.spec(x).shape
        axis = len(shape) - 1 if axis is None else axis
        shifted, column = self._shifted(x, axis)
        powers = self.emit("exp", shifted)
        return self.emit("div", powers, self.broadcast(self.emit("sum", powers, [axis], shape=column), shape))

    def log_softmax(self, x: str, axis: int | None = None) -> str:
        """The logarithm of softmax along an axis, by default the last, which the maximum is first subtracted from."""
        shape = self.spec(x).shape
        axis = len(shape) - 1 if axis is None else axis
        shifted, column = self._shifted(x, axis)
        total = self.emit("sum", self.emit("exp", shifted), [axis], shape=column)
        return self.emit("sub", shifted, self.broadcast(self.emit("log", total), shape))

    def cross_entropy(self, logits: str, one_hot: str) -> str:
        """The mean over rows of -log softmax at the label. logits, one_hot: (B, n)."""
        picked = self.emit("mul", self.log_softmax(logits), one_hot)
        return self.emit("div_scalar", self.emit("sum", picked, []), -self.spec(logits).shape[0])


def _shape_of(form: Form, tensors: list[TensorSpec], operands: tuple) -> tuple[int, ...]:
    """The shape of what an instruction gives; of several possible ones the first.

    Raises:
        DeepxError: the operands do not fit.
    """
    known: dict[str, Any] = {"likes": tensors}
    known |= {f"like{i}": spec for i, spec in enumerate(tensors, 1)}
    vectors = [tuple(x) for x in operands if isinstance(x, (list, tuple))]
    known |= {f"v{i}": vector for i, vector in enumerate(vectors, 1)}
    known |= {f"a{i}": x for i, x in enumerate((x for x in operands if isinstance(x, (int, float))), 1)}
    assert form.shape is not None
    try:
        return call(form.shape, known)[0]
    except Fault as fault:
        raise DeepxError(fault.code, f"{form.name}: {fault.message}", help=fault.help) from None


def _type_of(form: Form, tensors: Sequence[TensorSpec]) -> Any:
    """The element type that operands give an instruction."""
    return next((s.dtype for s, p in zip(tensors, form.operands) if p.role == ""), tensors[0].dtype)


def _rounded(value: float, dtype: Any) -> float:
    """The number of an element type; what is too large stays, and is refused."""
    with np.errstate(over="ignore"):
        found = float(dtype.numpy.type(value))
    return found if math.isfinite(found) else value


def _as(number: float, dtype: Any) -> int | float:
    return float(number) if dtype.is_float else int(number)


# -- windows ----------------------------------------------------------------------------------------------------------


def _two(value: Pair) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)  # type: ignore[return-value]


def _four(padding: Ends) -> tuple[int, int, int, int]:
    return (padding,) * 4 if isinstance(padding, int) else tuple(padding)  # type: ignore[return-value]


def _counts(
    image: Sequence[int], window: Sequence[int], steps: Sequence[int], ends: Sequence[int], far: Sequence[int],
    ceil_mode: bool,
) -> tuple[int, int]:  # fmt: skip
    """How many windows there are down and across."""
    found = []
    for axis in (0, 1):
        before, after = ends[2 * axis], ends[2 * axis + 1]
        room = image[axis] + before + after - far[axis] * (window[axis] - 1) - 1
        if room < 0:
            raise DeepxError(
                "E-SHAPE", f"a window of {window[0]}×{window[1]} does not fit into an image of {image[0]}×{image[1]}"
            )
        count = room // steps[axis] + 1
        # A last window that hangs over the end must start inside.
        if ceil_mode and room % steps[axis] and count * steps[axis] < image[axis] + before:
            count += 1
        found.append(count)
    return found[0], found[1]


def _places(
    window: Pair, stride: Pair, padding: Ends, dilation: Pair, counts: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The rows and columns of an image that windows see, as arrays over (down, across, channels, window)."""
    (rows, columns), steps, ends, far = _two(window), _two(stride), _four(padding), _two(dilation)
    p, q, _, r, s = np.ogrid[: counts[0], : counts[1], :1, :rows, :columns]
    return p * steps[0] + r * far[0] - ends[0], q * steps[1] + s * far[1] - ends[2]


def _windows(
    channels: int, image: Sequence[int], window: Pair, stride: Pair, padding: Ends, dilation: Pair,
    ceil_mode: bool = False,
) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:  # fmt: skip
    """Where the elements of each window stand in a flattened image, one past the end for what lies outside; which do
    lie outside; and how many windows there are down and across."""
    height, width = image
    counts = _counts(image, _two(window), _two(stride), _four(padding), _two(dilation), ceil_mode)
    y, x = _places(window, stride, padding, dilation, counts)
    outside = (y < 0) | (y >= height) | (x < 0) | (x >= width)
    index = (np.arange(channels)[:, None, None] * height + y) * width + x
    index, outside = np.broadcast_arrays(np.where(outside, channels * height * width, index), outside)
    rows = counts[0] * counts[1]
    return index.reshape(rows, -1), np.ascontiguousarray(outside).reshape(rows, -1), counts


def _beyond(image: Sequence[int], window: Pair, stride: Pair, padding: Ends, counts: Sequence[int]) -> np.ndarray:
    """Which elements of each window lie outside of the padded image, too: those do not count in a mean."""
    ends = _four(padding)
    y, x = _places(window, stride, padding, 1, counts)
    beyond = (y >= image[0] + ends[1]) | (x >= image[1] + ends[3])
    return beyond.reshape(counts[0] * counts[1], -1)

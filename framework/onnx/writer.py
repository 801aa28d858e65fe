"""From a program to a model of ONNX: values with names, and the sentences that the rows of the table use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from anfora.core import dtype as dt
from anfora.core.abstract import TensorType
from anfora.core.dtype import DType
from anfora.core.errors import OpValueError
from anfora.core.op import Op, Weak, common_dtype
from anfora.core.span import Span
from anfora.core.tensor import Tensor, current
from anfora.core.tree import leaves
from anfora.graph.ir import PRIMITIVES
from anfora.graph.ir.primitives import Primitive
from anfora.onnx.program import Length, Program, Ref, Row, Shaped, Varying
from anfora.onnx.table import WRITES, code_of

__all__ = ["Unwritten", "Value", "Writer", "meeting"]


#: Operators that give a view of their argument, whatever its strides.
_VIEWS = ("index_view", "transpose", "expand_dims", "squeeze", "diagonal")


class Unwritten(OpValueError):
    """What ONNX has no form for, or not in this version."""


class Value:
    """A tensor of the model.

    Attributes:
        name: in the model.
        dtype: its element type.
        shape: its lengths, numbers and Lengths.
        array: its numbers, if it is a constant.
    """

    def __init__(self, name: str, dtype: DType, shape: tuple | None = None) -> None:
        self.name, self.dtype, self._shape = name, dtype, shape
        self.array: np.ndarray | None = None

    @property
    def shape(self) -> tuple:
        assert self._shape is not None, self.name
        return self._shape

    @property
    def ndim(self) -> int:
        return len(self.shape)


class _Drawn:
    """Seed and offset of random numbers, which a runtime has of its own."""


class Writer:
    """Writes one program.

    Args:
        program: what is written.
        weights: the tensors of the last inputs, by their names.
        opset: the version of ONNX's operators.
        sources: for each free length an input and its axis.
    Attributes:
        out: the type of what the row at hand gives, `dtype` its element type; tuples where there are several.
    """

    def __init__(
        self, program: Program, weights: dict[str, Tensor], opset: int, sources: dict[str, tuple[str, int]]
    ) -> None:
        import onnx

        self.onnx, self.opset, self.program = onnx, opset, program
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.out: Any = None
        self.span: Span | None = None
        self._sources = sources
        self._names: set[str] = set()
        self._constants: dict[tuple, Value] = {}
        self._lengths: dict[Length, Value] = {}
        self._count: dict[str, int] = {}
        self._at = 0
        self._moving, self._movers = _moving_averages(program)
        self._found: list[Any] = []
        self.inputs: list[Value] = []
        for name, abstract in program.inputs:
            self._names.add(name)
            value = Value(name, abstract.dtype, abstract.shape)
            self.inputs.append(value)
            if name in weights:
                self.initializers.append(self._tensor(current(weights[name]), name))

    # -- sentences for the rows ---------------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The element type of the result."""
        return self.out.dtype

    def node(
        self,
        kind: str,
        *inputs: Any,
        dtype: DType | None = None,
        count: int | None = None,
        dtypes: Sequence = (),
        **attributes: Any,
    ) -> Any:
        """A node of the model.

        Args:
            kind: ONNX's operator.
            inputs: Values; None where one is left out.
            dtype: the element type of the result; that of the first input when not given.
            count: how many results it has, where these are several; a tuple comes.
            dtypes: their element types.
            attributes: ONNX's; None is left out.
        """
        given = {}
        for name, value in attributes.items():
            if value is None:
                continue
            given[name] = self._plain(kind, name, value)
        first = next((value for value in inputs if value is not None), None)
        if dtype is None:
            dtype = dt.float32 if first is None else first.dtype
        made = [
            Value(self._fresh(kind.lower()), kind_) for kind_ in (dtypes or [dtype] * (1 if count is None else count))
        ]
        names = [value.name if value is not None else "" for value in inputs]
        while names and not names[-1]:
            names.pop()
        self.nodes.append(
            self.onnx.helper.make_node(kind, names, [value.name for value in made], name=f"{made[0].name}", **given)
        )
        if self.span is not None:
            self.nodes[-1].doc_string = str(self.span)
        return made[0] if count is None else tuple(made)

    def value(self, given: Any, dtype: DType | None = None) -> Value:
        """A tensor or number as a Value of an element type."""
        if isinstance(given, Value):
            return given if dtype is None or given.dtype is dtype else self.cast(given, dtype)
        assert dtype is not None
        if isinstance(given, Length):
            return self.cast(self.squeeze(self.ints((given,)), (0,)), dtype)
        self.refuse_varying(given)
        return self.constant(given, dtype)

    def cast(self, value: Any, dtype: DType) -> Value:
        """A tensor with another element type."""
        if not isinstance(value, Value):
            return self.value(value, dtype)
        if value.dtype is dtype:
            return value
        made = self.node("Cast", value, dtype=dtype, to=code_of(dtype))
        made._shape = value._shape
        return made

    def constant(self, given: Any, dtype: DType = dt.int64) -> Value:
        """Numbers as a tensor of the model; equal ones are one."""
        tensor = Tensor(given if isinstance(given, Tensor) else np.asarray(given), dtype)
        key = (dtype, tensor.shape, tensor._array.tobytes())
        if key not in self._constants:
            name = self._fresh("constant")
            self.nodes.append(
                self.onnx.helper.make_node("Constant", [], [name], name=name, value=self._tensor(tensor, name))
            )
            self._constants[key] = Value(name, dtype, tensor.shape)
            self._constants[key].array = tensor.asnumpy()
        return self._constants[key]

    def ints(self, values: Iterable[Any]) -> Value:
        """Integers as a tensor of one axis; free lengths among them are taken from the inputs when it runs."""
        values = tuple(values)
        self.refuse_varying(values)
        if not any(isinstance(value, Length) for value in values):
            return self.constant(np.array(values, np.int64))
        parts: list[Value] = []
        fixed: list[int] = []
        for value in values:
            if isinstance(value, Length):
                if fixed:
                    parts.append(self.constant(np.array(fixed, np.int64)))
                parts.append(self._length(value))
                fixed = []
            else:
                fixed.append(value)
        if fixed:
            parts.append(self.constant(np.array(fixed, np.int64)))
        return parts[0] if len(parts) == 1 else self.node("Concat", *parts, axis=0)

    def axes(self, kind: str, x: Value, axes: Sequence[int], since: int, **attributes: Any) -> Value:
        """A node whose axes are an input from a version on, and an attribute before."""
        if self.opset >= since:
            return self.node(kind, x, self.ints(axes), **attributes)
        return self.node(kind, x, axes=list(axes), **attributes)

    def reduce(self, kind: str, x: Value, axes: Sequence[int], keep: bool) -> Value:
        """A reduction; over no axes it is the tensor itself."""
        since = 13 if kind == "ReduceSum" else 18
        if self.opset >= since:
            return self.node(kind, x, self.ints(axes), keepdims=int(keep), noop_with_empty_axes=1)
        return self.node(kind, x, axes=list(axes), keepdims=int(keep)) if axes else self.node("Identity", x)

    def reshape(self, x: Value, shape: Sequence[Any]) -> Value:
        """The same elements with other axes."""
        self.refuse_varying(shape)
        free = [i for i, length in enumerate(shape) if isinstance(length, Length)]
        if len(free) == 1 and 0 not in shape:
            shape = [-1 if isinstance(length, Length) else length for length in shape]
        made = self.node("Reshape", x, self.ints(shape), allowzero=1 if 0 in shape else None)
        made._shape = None
        return made

    def expand(self, x: Value, shape: Sequence[Any]) -> Value:
        """Stretched to a shape."""
        return self.node("Expand", x, self.ints(shape))

    def unsqueeze(self, x: Value, axes: Sequence[int]) -> Value:
        """New axes of length 1."""
        return self.node("Unsqueeze", x, self.ints(axes)) if axes else x

    def squeeze(self, x: Value, axes: Sequence[int]) -> Value:
        """Without some axes of length 1."""
        return self.node("Squeeze", x, self.ints(axes)) if axes else x

    def slice(self, x: Value, parts: dict[int, tuple]) -> Value:
        """Parts of axes: (start, end, step) for each."""
        if not parts:
            return x
        starts, ends, steps = zip(*parts.values())
        return self.node("Slice", x, self.ints(starts), self.ints(ends), self.ints(parts), self.ints(steps))

    def transpose(self, x: Value, axes: Sequence[int]) -> Value:
        """The axes in another order."""
        return x if list(axes) == list(range(len(axes))) else self.node("Transpose", x, perm=list(axes))

    def one(self, given: Any, what: str) -> float:
        """A number that must be known, since ONNX has an attribute for it."""
        if isinstance(given, Value) or not isinstance(given, (int, float)):
            raise Unwritten(f"ONNX takes {what} as a number that is known when the file is written")
        return float(given)

    def moving(self) -> tuple[Value, Value, float] | None:
        """The moving averages of the batch norm at hand, and how much of them is kept; None where it has none."""
        if self._at not in self._moving:
            return None
        mean, variance, keep = map(self._given, self._moving[self._at])
        return mean, variance, self.one(keep, "the momentum of batch norm")

    def known(self, value: Any) -> np.ndarray | None:
        """The numbers of a constant."""
        return value.array if isinstance(value, Value) else None

    def refuse(self, why: str) -> NoReturn:
        """The row cannot write this case."""
        raise Unwritten(why)

    def refuse_varying(self, value: Any) -> None:
        if isinstance(value, Varying):
            raise Unwritten(f"{value.example!r} follows from a free length in another way than by sums and products")
        if isinstance(value, Shaped):
            value = value.shape
            self.refuse_varying(value)
        if isinstance(value, (tuple, list)):
            for item in value:
                self.refuse_varying(item)

    def _refuse_complex(self, tree: Any) -> None:
        """Complex numbers have types in ONNX, but next to no operators."""
        for leaf in leaves(tree):
            if isinstance(leaf, (Tensor, TensorType, Shaped)) and leaf.dtype.is_complex:
                raise Unwritten(f"{leaf.dtype.name} numbers, which ONNX's operators do not take")

    # -- the program --------------------------------------------------------------------------------------------------

    def run(self) -> list[Value]:
        """Write all rows; gives the results.

        Raises:
            OpValueError: all that cannot be written, with the places.
        """
        refused: dict[str, None] = {}
        found = self._found
        for at, row in enumerate(self.program.rows):
            self._at = at
            self.span, self.out = row.span, row.abstract
            try:
                self.refuse_varying(row.abstract)
                self._refuse_complex((row.abstract, row.args))
                args = tuple(map(self._given, row.args))
                if any(arg is Unwritten for arg in leaves(args)):
                    found.append(Unwritten)
                elif at in self._movers:  # batch norm in training does it
                    found.append(None)
                elif isinstance(row.function, Op) and row.function.writes:
                    found.append(self._in_place(row, args))
                elif isinstance(row.function, Op):
                    found.append(self._operator(row.function, args))
                else:
                    found.append(self._primitive(row.function, args))
            except Unwritten as error:
                found.append(Unwritten)
                place = row.span.told(error.message) if row.span else f"  {error.message}"
                refused[place] = None
        if refused:
            made = OpValueError(f"{self.program.name} cannot be written as ONNX of version {self.opset}")
            made.place = "\n".join(refused)
            raise made
        self.span = None
        return [self._output(i, value) for i, value in enumerate(leaves(self._given(self.program.output)))]

    def _given(self, arg: Any) -> Any:
        """What an argument of a row stands for."""
        if isinstance(arg, Ref):
            return self.inputs[-1 - arg.row] if arg.row < 0 else self._found[arg.row]
        if isinstance(arg, (tuple, list)):
            return type(arg)(map(self._given, arg))
        return self.constant(arg, arg.dtype) if isinstance(arg, Tensor) else arg

    def _output(self, number: int, value: Any) -> Value:
        if not isinstance(value, Value):
            raise OpValueError(
                f"{self.program.name} cannot be written as ONNX: a result of it is {value!r}, which is no tensor"
            )
        return value

    def _operator(self, op: Op, args: tuple) -> Any:
        if op.name not in WRITES:
            raise Unwritten(f"the operator {op.name} has no form in ONNX")
        named = dict(zip(op.order, args))
        for name in op.order[len(args) :]:
            named[name] = op.attributes.get(name)
        for name in op.attributes:
            if isinstance(named[name], Varying):
                self.refuse_varying(named[name])
        made = WRITES[op.name](self, **named)
        for value, kind in zip(leaves(made), _types(self.out)):
            if isinstance(value, Value):
                if value.dtype is not kind.dtype:
                    raise AssertionError(f"{op.name} is written as {value.dtype}, and is {kind.dtype}")
                if value._shape is None:
                    value._shape = kind.shape
        return made

    # -- writes in place: the tensor that owns the memory, and all views of it, are other values from there on -----------

    def _in_place(self, row: Row, args: tuple) -> Any:
        target = dict(zip(row.function.order, row.args))[row.function.writes]
        root, path = self._way_to(target)
        named = dict(zip(row.function.order, args))
        new = self._written(row.function, named)
        views = [at for at in range(self._at) if self._is_view(at) and self._owner(Ref(at)) == root]
        out = self.out
        if path:
            self.out = Shaped(self._found[root].dtype, self._found[root].shape)
            new = WRITES["write_back"](self, self._found[root], new, path)
            new._shape = self._found[root].shape
        self._found[root] = new
        for at in views:
            self.out = self.program.rows[at].abstract
            self._found[at] = self._operator(self.program.rows[at].function, self._given(self.program.rows[at].args))
        self.out = out
        return self._given(target)

    def _written(self, op: Op, named: dict[str, Any]) -> Value:
        """What an operator puts into the memory of its argument."""
        old = named[str(op.writes)]
        if op.name == "copy_to":
            new = self.value(named["value"], old.dtype)
            if tuple(new.shape) != tuple(old.shape):
                new = self.expand(new, old.shape)
        elif op.name == "write_where":
            new = self.node("Where", named["mask"], self.value(named["value"], old.dtype), old, dtype=old.dtype)
        elif op.name.removesuffix("_") in WRITES:
            new = WRITES[op.name.removesuffix("_")](self, **named)
        else:
            raise Unwritten(f"the operator {op.name} has no form in ONNX")
        new._shape = old.shape
        return new

    def _is_view(self, at: int) -> bool:
        function = self.program.rows[at].function
        return isinstance(function, Op) and function.view_rule is not None

    def _source(self, at: int) -> Any:
        """What a view is a view of."""
        row = self.program.rows[at]
        return dict(zip(row.function.order, row.args))[row.function.tensors[0]]

    def _owner(self, arg: Any) -> int | None:
        """The row that has made the memory of a tensor; None where the program has it from outside."""
        while isinstance(arg, Ref) and arg.row >= 0 and self._is_view(arg.row):
            arg = self._source(arg.row)
        return arg.row if isinstance(arg, Ref) and arg.row >= 0 else None

    def _way_to(self, arg: Any) -> tuple[int, tuple]:
        """The row that has made the memory of a tensor, and the views that lead from there to it."""
        root = self._owner(arg)
        if root is None:
            raise Unwritten("a write into an input, a weight or a constant, which a file leaves as they are")
        for at, row in enumerate(self.program.rows):
            if self._is_view(at) and row.function.name not in _VIEWS and self._owner(Ref(at)) == root:
                raise Unwritten(f"a write into memory of which {row.function.name} may make a view or a copy")
        path: list[tuple] = []
        while arg.row != root:
            row = self.program.rows[arg.row]
            named = dict(zip(row.function.order, row.args))
            path.insert(0, (row.function.name, tuple((name, named[name]) for name in row.function.attributes)))
            arg = self._source(arg.row)
        return root, tuple(path)

    def _primitive(self, function: Any, args: tuple) -> Any:
        if not isinstance(function, Primitive):
            raise Unwritten("what the program makes inside has no form in ONNX")
        name = function.name
        if name in ("make_tuple", "make_list"):
            return tuple(args)
        if name in ("load", "depend", "no_history"):  # there is no tape
            return args[0]
        if name == "update_state":
            return None
        if name == "draw":
            return (_Drawn(), _Drawn())
        if name == "getitem" and isinstance(args[0], tuple) and isinstance(args[1], int):
            return args[0][args[1]]
        if any(isinstance(arg, (Length, Varying)) for arg in args):
            if name in ("add", "sub", "mul") and all(isinstance(arg, (int, Length)) for arg in args):
                return PRIMITIVES[name].function(*args)
            return Varying(next(arg for arg in args if isinstance(arg, (Length, Varying))))
        if all(isinstance(arg, (bool, int, float)) for arg in args):
            return function.function(*args)
        raise Unwritten(f"`{name}` has no form in ONNX")

    def _length(self, length: Length) -> Value:
        """A free length as a tensor of one axis."""
        if length in self._lengths:
            return self._lengths[length]
        total: Value | None = None
        if length.name is not None:
            source, axis = self._sources[length.name]
            [x] = [value for value in self.inputs if value.name == source]
            total = self.node("Shape", x, dtype=dt.int64, start=axis, end=axis + 1)
        else:
            for names, factor in length.terms.items():
                parts = [self._length(Length({(name,): 1})) for name in names]
                if factor != 1 or not parts:
                    parts.append(self.constant([factor]))
                product = parts[0]
                for part in parts[1:]:
                    product = self.node("Mul", product, part)
                total = product if total is None else self.node("Add", total, product)
        assert total is not None
        self._lengths[length] = total
        return total

    def _plain(self, kind: str, name: str, value: Any) -> Any:
        if isinstance(value, (Length, Varying)) or (
            isinstance(value, (tuple, list)) and any(isinstance(item, (Length, Varying)) for item in value)
        ):
            raise Unwritten(f"{kind} of ONNX takes `{name}` as numbers, but {value!r} follows from a free length")
        return value

    def _fresh(self, stem: str) -> str:
        while True:
            number = self._count[stem] = self._count.get(stem, -1) + 1
            name = f"{stem}_{number}"
            if name not in self._names:
                self._names.add(name)
                return name

    def _tensor(self, tensor: Tensor, name: str) -> Any:
        """A tensor of the file; the bits are those of the memory, little endian."""
        array = np.ascontiguousarray(current(tensor)._array)
        made = self.onnx.TensorProto(name=name, data_type=code_of(tensor.dtype), dims=tensor.shape)
        made.raw_data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        return made


def _moving_averages(program: Program) -> tuple[dict[int, tuple], set[int]]:
    """For each batch norm in training that moves averages of the network these, and how much of them is kept; and the rows
    that move them. Averages that something else reads too are not among them: a file would show it the old ones."""
    found: dict[int, dict[int, tuple]] = {}
    users: dict[Any, int] = {}
    for each in leaves([*(row.args for row in program.rows), program.output]):
        if isinstance(each, Ref):
            users[each] = users.get(each, 0) + 1
    for at, row in enumerate(program.rows):
        if isinstance(row.function, Op) and row.function.name == "move_average" and isinstance(row.args[1], Ref):
            [average, value, keep, _] = row.args
            source = program.rows[value.row] if value.row >= 0 else None
            is_own = isinstance(average, Ref) and average.row < 0 and users[average] == 1
            if is_own and source is not None and source.function is PRIMITIVES["getitem"]:
                norm, place = source.args
                if isinstance(norm, Ref) and norm.row >= 0 and _is_batch_norm(program.rows[norm.row]):
                    found.setdefault(norm.row, {})[place] = (average, keep, at)
    whole = {norm: both for norm, both in found.items() if set(both) == {1, 2}}
    moving = {norm: (both[1][0], both[2][0], both[1][1]) for norm, both in whole.items()}
    return moving, {each[2] for both in whole.values() for each in both.values()}


def _is_batch_norm(row: Row) -> bool:
    return isinstance(row.function, Op) and row.function.name == "channel_norm" and row.args[3] == 0


def _types(abstract: Any) -> list[Any]:
    return [item for item in leaves(abstract) if isinstance(item, (TensorType, Shaped))]


def meeting(*values: Any) -> DType:
    """The element type in which tensors and numbers meet."""
    return common_dtype(
        *(TensorType(v.dtype, ()) if isinstance(v, Value) else Weak(type(v)) for v in values if v is not None)
    )

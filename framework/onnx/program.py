"""The graph of a network as rows, in which lengths may follow from those of the inputs.

A recorded graph holds for the shapes that it was recorded with. For the lengths that are to be free, the network is
recorded a few times, with other lengths; the graphs must be the same but for integers, and these must follow from the
lengths by sums and products, which more recordings check. An integer that does so is a `Length`. Whatever else differs is
noted as `Varying`, and refused where something asks for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType
from anfora.core.errors import AnforaError, OpValueError
from anfora.core.span import Span
from anfora.core.tensor import Tensor, current
from anfora.graph.ir import AnfNode, CNode, FuncGraph, ValueNode
from anfora.graph.ir.structure import Structure
from anfora.graph_files import branches_refused

__all__ = ["Length", "Ref", "Row", "Program", "Varying", "lengths_in", "merged", "program_of"]


class Length:
    """An integer that follows from the free lengths: a sum of products of them.

    Args:
        terms: the factor of each product, by the sorted names of the lengths in it; () is the constant.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[tuple[str, ...], int]) -> None:
        self.terms = {names: factor for names, factor in terms.items() if factor}

    @property
    def name(self) -> str | None:
        """Its name, if it is one of the lengths itself."""
        [(names, factor)] = self.terms.items() if len(self.terms) == 1 else [((), 0)]
        return names[0] if len(names) == 1 and factor == 1 else None

    def __str__(self) -> str:
        return " + ".join(
            "·".join([*([str(factor)] if factor != 1 or not names else []), *names])
            for names, factor in sorted(self.terms.items(), reverse=True)
        )

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Length) and other.terms == self.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def _with(self, other: Any, sign: int) -> Any:
        if not isinstance(other, (int, Length)):
            return NotImplemented
        terms = dict(self.terms)
        for names, factor in (other.terms if isinstance(other, Length) else {(): other}).items():
            terms[names] = terms.get(names, 0) + sign * factor
        return _length(terms)

    def __add__(self, other: Any) -> Any:
        return self._with(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, -1)

    def __neg__(self) -> Any:
        return _length({names: -factor for names, factor in self.terms.items()})

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, (int, Length)):
            return NotImplemented
        terms: dict[tuple[str, ...], int] = {}
        for (a, m), (b, n) in itertools.product(
            self.terms.items(), (other.terms if isinstance(other, Length) else {(): other}).items()
        ):
            names = tuple(sorted((*a, *b)))
            terms[names] = terms.get(names, 0) + m * n
        return _length(terms)

    __rmul__ = __mul__


def _length(terms: Mapping[tuple[str, ...], int]) -> int | Length:
    made = Length(terms)
    return made if any(made.terms) else made.terms.get((), 0)


@dataclass(frozen=True)
class Varying:
    """What follows from the free lengths in another way than by sums and products."""

    example: Any


@dataclass(frozen=True)
class Ref:
    """What a row gives; negative numbers are inputs and weights, counted from -1."""

    row: int


@dataclass
class Row:
    """One call.

    Attributes:
        function: an operator, or a primitive of the IR.
        args: what it is called with: Refs, constants, and tuples of these.
        abstract: the types of what it gives; shapes may hold Lengths.
        span: where the program says so.
    """

    function: Any
    args: tuple
    abstract: Any
    span: Span | None


@dataclass
class Program:
    """A flat graph: rows, inputs and weights with their types, and what is given back."""

    name: str
    inputs: list[tuple[str, Any]]
    rows: list[Row]
    output: Any


def program_of(graph: FuncGraph) -> Program:
    """The rows of a graph.

    Raises:
        OpValueError: it has functions inside, loops for example.
    """
    structure = Structure(graph)
    if len(structure.graphs) > 1:
        raise branches_refused(graph.name, "ONNX", structure)
    number: dict[AnfNode, int] = {parameter: -1 - i for i, parameter in enumerate(graph.parameters)}

    def argument(node: AnfNode) -> Any:
        return node.value if isinstance(node, ValueNode) else Ref(number[node])

    rows: list[Row] = []
    output: Any = None
    for call in structure.schedules[graph]:
        if call is graph.return_:
            output = argument(call.args[0])
            continue
        number[call] = len(rows)
        rows.append(Row(_function(call), tuple(map(argument, call.args)), call.abstract, call.span))
    inputs = [(str(parameter.name), parameter.abstract) for parameter in graph.parameters]
    return Program(graph.name, inputs, rows, output)


def _function(call: CNode) -> Any:
    if not isinstance(call.fn, ValueNode):
        raise OpValueError(f"a function that is worked out cannot be written as ONNX{_at(call.span)}")
    return call.fn.value


def _at(span: Span | None) -> str:
    return f" ({span})" if span is not None else ""


# -- lengths that are free --------------------------------------------------------------------------------------------


def merged(
    record: Callable[[Mapping[str, int]], Program], lengths: Mapping[str, int], given: Mapping[str, int]
) -> Program:
    """One program for all lengths.

    Args:
        record: the program for some lengths.
        lengths: the names of the free ones, and one that a recording takes, at least 2.
        given: those that the inputs have.
    Raises:
        OpValueError: the programs differ in more than numbers.
    """
    names = tuple(lengths)
    corners = list(itertools.product((0, 1), repeat=len(names)))
    programs = [record({name: lengths[name] + up for name, up in zip(names, corner)}) for corner in corners]
    points: list[Mapping[str, int]] = [
        {name: n + up for (name, n), up in zip(lengths.items(), corner)} for corner in corners
    ]
    for check in ({name: n + 2 for name, n in lengths.items()}, given, dict.fromkeys(lengths, 1)):
        if check in points:
            continue
        try:
            programs.append(record(check))
        except AnforaError:
            if check == given or 1 not in check.values():
                raise
            continue  # the network has no meaning for a single one, batch norm in training for example
        points.append(check)
    fit = _Fit(names, corners, points)
    first = programs[0]
    for other in programs[1:]:
        if len(other.rows) != len(first.rows):
            raise OpValueError("the network does something else for other lengths")
    rows = []
    for same in zip(*(program.rows for program in programs)):
        row = same[0]
        if any(other.function is not row.function for other in same):
            raise OpValueError(f"the network does something else for other lengths{_at(row.span)}")
        args = fit([each.args for each in same])
        rows.append(Row(row.function, args, fit([each.abstract for each in same]), row.span))
    inputs = [
        (each[0][0], fit([abstract for _, abstract in each])) for each in zip(*(program.inputs for program in programs))
    ]
    return Program(first.name, inputs, rows, fit([program.output for program in programs]))


class _Fit:
    """From a value in each recording to what they are for all lengths."""

    def __init__(self, names: Sequence[str], corners: Sequence[tuple], points: Sequence[Mapping[str, int]]) -> None:
        self.names, self.corners, self.points = names, corners, points

    def __call__(self, values: Sequence[Any]) -> Any:
        first = values[0]
        if isinstance(first, (tuple, list)) and all(
            type(each) is type(first) and len(each) == len(first) for each in values
        ):
            return type(first)(self(items) for items in zip(*values))
        if isinstance(first, TensorType) and all(isinstance(each, TensorType) for each in values):
            shape = self([each.shape for each in values])
            return Shaped(first.dtype, shape)
        if all(type(each) is int for each in values):
            return self._length(values)
        return first if all(_same(first, each) for each in values) else Varying(first)

    def _length(self, values: Sequence[int]) -> Any:
        if len(set(values)) == 1:
            return values[0]
        # The corners differ by one in some lengths, so alternating sums of them are the factors of (length - its base).
        made: Any = 0
        base = self.points[0]
        for chosen in self.corners:
            factor = sum(
                (-1) ** (sum(chosen) - sum(corner)) * value
                for corner, value in zip(self.corners, values)
                if all(c <= k for c, k in zip(corner, chosen))
            )
            product: Any = factor
            for name, is_chosen in zip(self.names, chosen):
                if is_chosen:
                    product = (Length({(name,): 1}) - base[name]) * product
            made = made + product
        for point, value in zip(self.points, values):
            terms = made.terms if isinstance(made, Length) else {(): made}
            if sum(factor * int(np.prod([point[name] for name in names])) for names, factor in terms.items()) != value:
                return Varying(values[0])
        return made


@dataclass(frozen=True)
class Shaped:
    """The type of a tensor whose lengths may be free."""

    dtype: DType
    shape: tuple


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor):
        if not isinstance(b, Tensor) or a.dtype is not b.dtype:
            return False
        x, y = current(a)._array, current(b)._array
        return x.shape == y.shape and x.tobytes() == y.tobytes()
    if type(a) is float and type(b) is float:
        return a == b or (a != a and b != b)
    return a is b or (type(a) is type(b) and bool(a == b))


def lengths_in(value: Any) -> Iterator[Length]:
    """The free lengths in a tree."""
    if isinstance(value, Length):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from lengths_in(item)

"""From a model of ONNX to a graph: each node is a call of the row that reads its operator.

Lengths of tensors and what is worked out of them (`Shape`, `Gather`, `Concat` and the like on a few integers) stay numbers
of Python: a `Reshape` that gets its shape from there needs no look at data, so the graph is compiled as a whole.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from anfora.core import dtype as dt
from anfora.core.errors import OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, from_buffer
from anfora.graph.ir import PRIMITIVES, AnfNode, FuncGraph, ValueNode
from anfora.onnx.sizes import SIZES, as_tensor
from anfora.onnx.table import DTYPES, READS, Read, dtype_of

__all__ = ["Scope", "numbers", "read_model", "tensor_of"]

_LARGEST = 64  #: constants of so many elements may be numbers of Python


def read_model(onnx: Any, model: Any, where: str, folder: Any) -> tuple[FuncGraph, list[tuple[str, Any]]]:
    """The graph of a model, with its weights, and its inputs with their types.

    Raises:
        OpValueError: it is damaged, or has an operator that is not known.
    """
    versions = {each.domain or "ai.onnx": each.version for each in model.opset_import}
    if len(model.functions):
        model = onnx.inliner.inline_local_functions(model)
    reader = _Reader(onnx, where, versions.get("ai.onnx", 1), folder, model)
    return reader.read()


class Scope:
    """The names that a graph sees: its own, and those of the graphs around it."""

    def __init__(self, graph: FuncGraph, outer: Scope | None) -> None:
        self.graph, self.outer = graph, outer
        self.nodes: dict[str, AnfNode] = {}

    def find(self, name: str) -> AnfNode | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.nodes:
                return scope.nodes[name]
            scope = scope.outer
        return None


class _Reader:
    def __init__(self, onnx: Any, where: str, version: int, folder: Any, model: Any) -> None:
        self.onnx, self.where, self.version, self.folder, self.model = onnx, where, version, folder, model
        self.weights: dict[str, Parameter] = {}
        self.ranks: dict[AnfNode, int] = {}  #: values that are numbers of Python, 0 for one and 1 for a tuple
        self._tensors: dict[AnfNode, AnfNode] = {}
        self._depth = 0
        told = {each.key: each.value for each in model.metadata_props}
        self.trainable: set[str] | None = None
        try:
            names = json.loads(told["anfora.trainable"]) if "anfora.trainable" in told else None
            self.trainable = None if names is None else {str(name) for name in names}
        except (ValueError, TypeError, RecursionError):
            raise self.error("its list of what is trained is no list") from None

    def error(self, message: str, help: str | None = None) -> OpValueError:
        return OpValueError(f"{self.where}: {message}", help=help)

    def read(self) -> tuple[FuncGraph, list[tuple[str, Any]]]:
        proto = self.model.graph
        graph = FuncGraph(proto.name or "graph")
        scope = Scope(graph, None)
        held = {each.name for each in proto.initializer}
        inputs = [(each.name, each.type) for each in proto.input if each.name not in held]
        for name, _ in inputs:
            self.bind(scope, name, graph.parameter(name))
        self.body(proto, scope)
        outputs = [self.value(scope, each.name, "a result") for each in proto.output]
        if not outputs:
            raise self.error("its graph has no results")
        graph.output = outputs[0] if len(outputs) == 1 else graph.apply(PRIMITIVES["make_tuple"], *outputs)
        graph.weights = self.weights
        return graph, inputs

    def bind(self, scope: Scope, name: str, node: AnfNode) -> None:
        if not name:
            return
        if name in scope.nodes:
            raise self.error(f"the name {name!r} stands for two values")
        scope.nodes[name] = node

    def body(self, proto: Any, scope: Scope) -> None:
        """Read what a graph holds: weights, then nodes."""
        for each in proto.initializer:
            tensor = tensor_of(self.onnx, each, self.folder, self.error)
            self.bind(scope, each.name, self.weight(scope, each.name, tensor))
        for each in proto.sparse_initializer:
            self.bind(scope, each.values.name, ValueNode(self.sparse(each)))
        for node in proto.node:
            self.node(scope, node)

    def weight(self, scope: Scope, name: str, tensor: Tensor) -> AnfNode:
        """A weight of the file: floating-point numbers with axes are Parameters, others constants."""
        if not tensor.dtype.is_float or not tensor.ndim or scope.outer is not None:
            return ValueNode(tensor)
        is_trained = self.trainable is None or name in self.trainable
        self.weights[name] = Parameter(tensor, name=name, requires_grad=is_trained)
        return scope.graph.parameter(name)

    def sparse(self, proto: Any) -> Tensor:
        values = tensor_of(self.onnx, proto.values, self.folder, self.error)
        places = tensor_of(self.onnx, proto.indices, self.folder, self.error).asnumpy()
        shape = tuple(proto.dims)
        if int(np.prod(shape)) > 1 << 28 or min(shape, default=0) < 0:
            raise self.error(f"a sparse tensor of the shape {list(shape)}")
        dense = np.zeros(shape, values._array.dtype)
        try:
            if places.ndim == 1:
                dense.reshape(-1)[places] = values._array
            else:
                dense[tuple(places.T)] = values._array
        except (IndexError, ValueError):
            raise self.error("a sparse tensor has elements outside of it") from None
        return from_buffer(dense, values.dtype)

    def value(self, scope: Scope, name: str, user: str) -> AnfNode:
        """A tensor by its name."""
        node = scope.find(name)
        if node is None:
            raise self.error(f"{user} uses {name!r}, which nothing before it makes")
        if node in self.ranks:
            if node not in self._tensors:
                owner = node.graph if isinstance(node.graph, FuncGraph) else scope.graph
                self._tensors[node] = owner.apply(as_tensor, node)
            return self._tensors[node]
        return node

    # -- nodes --------------------------------------------------------------------------------------------------------

    def node(self, scope: Scope, proto: Any) -> None:
        kind = proto.op_type
        called = f"the {kind} {proto.name!r}" if proto.name else f"a {kind}"
        if proto.domain not in ("", "ai.onnx"):
            raise self.error(f"{called} is an operator of {proto.domain!r}, which is not known")
        given = self.attributes(scope, proto, called)
        if kind == "Constant":
            self.bind(scope, proto.output[0], ValueNode(self.constant(given, called)))
            return
        if kind not in READS:
            raise self.error(f"{called} is an operator that is not known")
        if self.sized(scope, proto, given):
            return
        row = READS[kind]
        places = self.inputs(scope, proto, row, called)
        call = self.call(scope, row, places, given, proto, called)
        call.name = proto.output[0] if len(proto.output) == 1 else None
        if len(proto.output) == 1:
            self.bind(scope, proto.output[0], call)
            return
        for number, name in enumerate(proto.output):
            if name:
                part = scope.graph.apply(PRIMITIVES["getitem"], call, number, name=name)
                self.bind(scope, name, part)

    def inputs(self, scope: Scope, proto: Any, row: Read, called: str) -> list[AnfNode | None]:
        places: list[AnfNode | None] = []
        for name in proto.input:
            node = scope.find(name) if name else None
            if name and node is None:
                self.value(scope, name, called)
            places.append(node)
        if len(places) > len(row.inputs) and not row.rest:
            raise self.error(f"{called} has {len(places)} inputs, and takes {len(row.inputs)}")
        made: list[AnfNode | None] = []
        for number, (name, node) in enumerate(zip(proto.input, places)):
            wanted = row.kinds.get(row.inputs[number], "") if number < len(row.inputs) else ""
            if node is None:
                made.append(None)
            elif wanted in ("Ints", "Floats", "Int", "Float"):
                made.append(self.known(scope, node, wanted, called))
            else:
                if wanted == "State" and name in self.weights:
                    self.weights[name].requires_grad = False
                made.append(self.value(scope, name, called))
        return made

    def known(self, scope: Scope, node: AnfNode, wanted: str, called: str) -> AnfNode:
        """The numbers of a tensor, at once where it is a constant."""
        if node in self.ranks:
            if wanted == "Ints" and self.ranks[node] == 0:
                return scope.graph.apply(_alone, node)
            if wanted == "Int" and self.ranks[node] == 1:
                return scope.graph.apply(PRIMITIVES["getitem"], node, 0)
            return node
        if isinstance(node, ValueNode) and isinstance(node.value, Tensor):
            try:
                return ValueNode(numbers(node.value, wanted))
            except OpValueError as error:
                raise self.error(f"{called}: {error.message}") from None
        return scope.graph.apply(numbers, node, wanted)

    def call(self, scope: Scope, row: Read, places: list, given: dict[str, Any], proto: Any, called: str) -> Any:
        """The call of a row. What stands behind places that are left out, and attributes, is given by name."""
        names = row.inputs
        for name in given:
            if name not in row.names:
                raise self.error(f"{called} has the attribute `{name}`, which is not known")
        named: dict[str, Any] = dict(given)
        if "version" in row.names:
            named["version"] = self.version
        if "outputs" in row.names:
            named["outputs"] = max((i + 1 for i, name in enumerate(proto.output) if name), default=0)
        while len(places) > 0 and places[-1] is None and not row.rest:
            places.pop()
        for name in names[: len(places)]:
            named.pop(name, None)
        for name in row.needed:
            if name not in names[: len(places)] and name not in named:
                raise self.error(f"{called} lacks its `{name}`")
        if any(isinstance(value, AnfNode) for value in named.values()):
            form = (*("" for _ in places), *(f"{name}=" for name in named))
            return scope.graph.apply(PRIMITIVES["apply"], row.function, form, *places, *named.values())
        function = functools.partial(row.function, **named) if named else row.function
        return scope.graph.apply(function, *places)

    def attributes(self, scope: Scope, proto: Any, called: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        kinds = self.onnx.AttributeProto
        for each in proto.attribute:
            if each.name in found:
                raise self.error(f"{called} has the attribute `{each.name}` twice")
            if each.type == kinds.GRAPH:
                found[each.name] = ValueNode(self.function(scope, each.g, called))
            elif each.type == kinds.TENSOR:
                found[each.name] = tensor_of(self.onnx, each.t, self.folder, self.error)
            elif each.type == kinds.SPARSE_TENSOR:
                found[each.name] = self.sparse(each.sparse_tensor)
            elif each.type == kinds.INT:
                found[each.name] = int(each.i)
            elif each.type == kinds.FLOAT:
                found[each.name] = float(each.f)
            elif each.type == kinds.STRING:
                found[each.name] = each.s.decode("utf-8", "replace")
            elif each.type == kinds.INTS:
                found[each.name] = tuple(map(int, each.ints))
            elif each.type == kinds.FLOATS:
                found[each.name] = tuple(map(float, each.floats))
            elif each.type == kinds.STRINGS:
                found[each.name] = tuple(text.decode("utf-8", "replace") for text in each.strings)
            elif each.type == kinds.TYPE_PROTO:
                found[each.name] = each.tp.WhichOneof("value")
            else:
                raise self.error(f"{called}: the attribute `{each.name}` is of a kind that is not known")
        return found

    def function(self, scope: Scope, proto: Any, called: str) -> FuncGraph:
        """A graph in an attribute: a closure of what stands around it."""
        self._depth += 1
        if self._depth > 50:
            raise self.error(f"{called}: more than 50 graphs stand one inside the other")
        graph = FuncGraph(proto.name or "body")
        inner = Scope(graph, scope)
        for each in proto.input:
            self.bind(inner, each.name, graph.parameter(each.name))
        self.body(proto, inner)
        outputs = [self.value(inner, each.name, "a result") for each in proto.output]
        graph.output = graph.apply(PRIMITIVES["make_tuple"], *outputs)
        self._depth -= 1
        return graph

    def constant(self, given: dict[str, Any], called: str) -> Tensor:
        if len(given) != 1:
            raise self.error(f"{called} has {len(given)} values, and needs one")
        [(name, value)] = given.items()
        if name in ("value", "sparse_value") and isinstance(value, Tensor):
            return value
        if name in ("value_int", "value_ints"):
            return Tensor(np.array(value, np.int64))
        if name in ("value_float", "value_floats"):
            return Tensor(np.array(value, np.float32))
        raise self.error(f"{called}: anfora has no tensors of texts")

    # -- numbers of Python --------------------------------------------------------------------------------------------

    def sized(self, scope: Scope, proto: Any, given: dict[str, Any]) -> bool:
        """Read a node that works with lengths on numbers of Python, if it is one."""
        row = SIZES.get(proto.op_type)
        if row is None or len(proto.output) != 1:
            return False
        if row.starts:  # from a tensor
            node = scope.find(proto.input[0]) if len(proto.input) == 1 else None
            if node is None or node in self.ranks:
                return False
            arguments: list[Any] = [node]
            ranks: list[int] = []
        else:
            arguments, ranks = [], []
            known = False
            for name in proto.input:
                node = scope.find(name) if name else None
                if node is None:
                    return False
                if node in self.ranks:
                    known = True
                    ranks.append(self.ranks[node])
                    arguments.append(node)
                elif isinstance(node, ValueNode) and isinstance(node.value, Tensor) and _is_small(node.value):
                    ranks.append(node.value.ndim)
                    arguments.append(ValueNode(numbers(node.value, "Ints" if node.value.ndim else "Int")))
                else:
                    return False
            if not known:
                return False
        rank = row.rank(tuple(ranks), given, arguments, self.version)
        if rank is None:
            return False
        function = functools.partial(row.function, **given) if given else row.function
        made = scope.graph.apply(function, *arguments, name=proto.output[0])
        self.ranks[made] = rank
        self.bind(scope, proto.output[0], made)
        return True


def _alone(number: int) -> tuple[int]:
    return (number,)


def _is_small(tensor: Tensor) -> bool:
    return tensor.dtype is dt.int64 and tensor.ndim <= 1 and tensor.size <= _LARGEST


def numbers(tensor: Any, wanted: str) -> Any:
    """The numbers of a tensor: a tuple for "Ints" and "Floats", one for "Int" and "Float"."""
    found = tensor.reshape(-1).tolist() if isinstance(tensor, Tensor) else list(tensor)
    if wanted in ("Ints", "Floats"):
        return tuple(found)
    if len(found) != 1:
        raise OpValueError(f"one number is needed, but there are {len(found)}")
    return found[0]


def tensor_of(onnx: Any, proto: Any, folder: Any, error: Any) -> Tensor:
    """A tensor of a file.

    Raises:
        OpValueError: its bytes are not those of its shape, or lie outside of the folder.
    """
    called = f"the tensor {proto.name!r}" if proto.name else "a tensor"
    if proto.data_type not in DTYPES:
        try:
            dtype_of(proto.data_type)
        except OpValueError as why:
            raise error(f"{called}: {why.message}") from None
    dtype = dtype_of(proto.data_type)
    shape = tuple(proto.dims)
    if any(length < 0 for length in shape):
        raise error(f"{called} has the shape {list(shape)}")
    size = 1
    for length in shape:
        size *= length
    itemsize = dtype.itemsize
    if proto.data_location == onnx.TensorProto.EXTERNAL:
        data = _external(proto, folder, size * itemsize, called, error)
    elif proto.HasField("raw_data"):
        data = proto.raw_data
    else:
        return _typed(proto, dtype, shape, size, called, error)
    if len(data) != size * itemsize:
        raise error(f"{called} has {len(data)} bytes, but its shape {list(shape)} needs {size * itemsize}")
    array = np.frombuffer(data, dtype.storage.newbyteorder("<"), size).reshape(shape)
    if dtype is dt.bool_:
        array = array.view(np.uint8) != 0
    return from_buffer(np.array(array, dtype.storage, order="C"), dtype)


#: The field of a tensor's message that holds its numbers, by element type; all others lie in `int32_data`.
_FIELDS = {
    dt.float32: "float_data", dt.float64: "double_data", dt.int64: "int64_data", dt.uint32: "uint64_data",
    dt.uint64: "uint64_data",
}  # fmt: skip


def _typed(proto: Any, dtype: Any, shape: tuple, size: int, called: str, error: Any) -> Tensor:
    given = getattr(proto, _FIELDS.get(dtype, "int32_data"))
    if len(given) != size:
        raise error(f"{called} has {len(given)} elements, but its shape {list(shape)} needs {size}")
    if dtype in (dt.float16, dt.bfloat16):
        array = np.array(given, np.int64).astype(np.uint16).view(dtype.storage)
    else:
        array = np.array(given, np.float64 if dtype.is_float else None).astype(dtype.storage)
    return from_buffer(array.reshape(shape), dtype)


def _external(proto: Any, folder: Any, size: int, called: str, error: Any) -> bytes:
    """The bytes of a tensor in another file, which must lie in the folder of the model."""
    told: Mapping[str, str] = {each.key: each.value for each in proto.external_data}
    location = told.get("location", "")
    if folder is None or not location:
        raise error(f"{called} lies in another file, and none is known")
    try:
        root = folder.resolve()
        file = (root / location).resolve()
        if not file.is_relative_to(root) or file == root:
            raise error(f"{called} lies in {location!r}, which is outside of the model's folder")
        offset, length = int(told.get("offset", "0")), int(told.get("length", size))
        if offset < 0 or length != size or offset + length > file.stat().st_size:
            raise error(
                f"{called} has {length} bytes from {offset} on in {location!r}, which do not fit its shape or the file"
            )
        with file.open("rb") as opened:
            opened.seek(offset)
            return opened.read(length)
    except (OSError, ValueError) as why:
        if isinstance(why, OpValueError):
            raise
        raise error(f"{called}: {location!r} cannot be read ({why})") from None

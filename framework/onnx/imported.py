"""Files of ONNX as networks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.graph.ir import GraphError
from anfora.graph.ir.verify import verify
from anfora.nn.graph_cell import GraphCell
from anfora.onnx.library import library
from anfora.onnx.reader import read_model
from anfora.onnx.table import DTYPES

__all__ = ["OnnxCell", "load"]


class OnnxCell(GraphCell):
    """A network that was read from a file of ONNX. Made by `anfora.onnx.load`.

    Attributes:
        input_names: the names of its inputs, in the order of a call.
    Inputs:
        tensors of the types, and the lengths, that the file says.
    Raises:
        OpTypeError: an input of another element type, or too few or many.
        OpValueError: an input of another shape.
    """

    def __init__(self, graph: Any, inputs: list[tuple[str, Any]]) -> None:
        super().__init__(graph)
        self.input_names = tuple([name for name, _ in inputs])
        self._wanted = tuple([(name, *_type_of(kind)) for name, kind in inputs])

    def construct(self, *inputs: Any) -> Any:
        if len(inputs) != len(self._wanted):
            raise OpTypeError(f"{self._graph.name} takes {len(self._wanted)} inputs, but got {len(inputs)}")
        for value, (name, dtype, shape) in zip(inputs, self._wanted):
            if dtype is None or not isinstance(value, Tensor):
                continue
            if value.dtype is not dtype:
                raise OpTypeError(
                    f"{self._graph.name} needs {dtype} for the input {name!r}, but got {value.dtype}",
                    help=f"convert it first, e.g. {name}.astype({dtype.name}).",
                )
            if shape is not None and not _fits(shape, value.shape):
                wanted = ", ".join(["any" if length is None else str(length) for length in shape])
                raise OpValueError(
                    f"{self._graph.name} needs the shape [{wanted}] for the input {name!r}, but got {list(value.shape)}"
                )
        return self._graph(*inputs, *self._weights)


def _fits(wanted: tuple, shape: tuple) -> bool:
    return len(wanted) == len(shape) and all(a is None or a == b for a, b in zip(wanted, shape))


def _type_of(kind: Any) -> tuple[Any, tuple | None]:
    """Element type and lengths of an input, None where the file does not say."""
    if kind.WhichOneof("value") != "tensor_type":
        return None, None
    told = kind.tensor_type
    if not told.HasField("shape"):
        return DTYPES.get(told.elem_type), None
    lengths = [int(each.dim_value) if each.HasField("dim_value") else None for each in told.shape.dim]
    return DTYPES.get(told.elem_type), tuple(lengths)


def load(source: Any) -> OnnxCell:
    """Read a network from a file of ONNX.

    Floating-point weights with axes become its Parameters, under their names; numbers without axes, and those that stand in
    the nodes, stay constants. What training does otherwise than running is the file's matter: batch norm with
    `training_mode` takes the moments of the batch and moves its averages, dropout with it drops.

    Args:
        source: the file; its bytes; or a `ModelProto` of the library onnx.
    Returns:
        a Cell, which runs in both modes and can be trained.
    Raises:
        OpRuntimeError: the library onnx is not installed.
        OpValueError: the file cannot be read, is damaged, or has an operator or an element type that is not known.
    Example:
        >>> import tempfile
        >>> from anfora import Tensor, export, nn, onnx
        >>> net, x = nn.Dense(3, 2), Tensor([[1.0, 2.0, 3.0]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export(net, x, file_name=f"{folder}/net", file_format="ONNX")
        ...     again = onnx.load(f"{folder}/net.onnx")
        >>> [p.name for p in again.trainable_params()], (again(x) == net(x)).all().item()
        (['weight', 'bias'], True)
    """
    onnx = library()

    folder = None
    if isinstance(source, onnx.ModelProto):
        model, where = source, source.graph.name or "the model"
    else:
        if isinstance(source, (bytes, bytearray)):
            data, where = bytes(source), "the model"
        elif isinstance(source, (str, os.PathLike)):
            file = Path(os.fsdecode(source))
            where, folder = repr(str(file)), file.parent
            try:
                data = file.read_bytes()
            except OSError as error:
                raise OpValueError(f"{where} cannot be read: {error.strerror}") from error
        else:
            raise OpTypeError(f"load needs a file, bytes or a model of onnx, but got {type(source).__name__}")
        model = onnx.ModelProto()
        try:
            model.ParseFromString(data)
        except Exception as error:  # protobuf has several, of which none is public
            raise OpValueError(f"{where} is damaged, or no file of ONNX ({error})") from None
    if not model.ir_version or (not len(model.graph.node) and not len(model.graph.output)):
        raise OpValueError(f"{where} is damaged, or no file of ONNX: it has no graph")
    try:
        graph, inputs = read_model(onnx, model, where, folder)
        verify(graph)
        return OnnxCell(graph, inputs)
    except GraphError as error:
        raise OpValueError(f"{where}: {error.message}") from None
    except (RecursionError, UnicodeError, OverflowError, MemoryError) as error:
        raise OpValueError(f"{where} is damaged ({type(error).__name__}: {error})") from None

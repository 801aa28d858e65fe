"""Networks as files: the graph of what a network does for inputs of some shapes, and its weights.

    export(net, x, file_name="net", file_format="MINDIR")       writes net.mindir; "ONNX" net.onnx (onnx/), "C" a library
                                                                (c_files.py)
    net = nn.GraphCell(load("net.mindir"))                      runs it, and trains it further, without its source

A file is one of safetensors: the weights, and in its metadata the complete text of the graph (graph/ir/text.py) and a
digest. What is read back are tensors, numbers, texts, and operators of this library, so no file can run code.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.cell import Cell
from anfora.core.dtype import DType
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, registry
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current
from anfora.core.tree import tensors
from anfora.graph.ir import PRIMITIVES, CNode, FuncGraph, GraphError, ValueNode, reading
from anfora.graph.ir.primitives import Primitive, U
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.text import complete
from anfora.graph.ir.values import Unresolved
from anfora.graph.ir.verify import verify
from anfora.graph.machine.operations import IN_PLACE
from anfora.graph.tell import analysis
from anfora.graph.tell.watched import FallbackError, Watched
from anfora.interop.checkpoint import load_checkpoint, read_state, write_with_state

__all__ = ["export", "load"]

_FORMAT = 1
_OTHERS = {"AIR": "a format of Ascend's tools"}
_ENDINGS = {"MINDIR": ".mindir", "ONNX": ".onnx", "C": ""}
_OPTIONS = {
    "MINDIR": (),
    "ONNX": ("opset_version", "dynamic_axes", "input_names", "output_names"),
    "C": ("cpu", "batch_sizes"),
}


def export(
    net: Cell | Callable, *inputs: Any, file_name: str | os.PathLike, file_format: str = "MINDIR", **options: Any
) -> None:
    """Write what a network does as a file that runs without its source.

    The network is called once with the inputs; its Parameters, those of a function's variables from outside, and the random
    generator are as before then. The file holds for inputs of these shapes and types, in the network's present state of
    training (`set_train`).

    Args:
        net: a Cell, or a function of tensors.
        inputs: tensors, as for a call.
        file_name: the file; `.mindir` or `.onnx` is added if it has no such ending. For C what comes in front of the
            endings: an object file (`.o`), its header (`.h`), and where `cc` or `ld` is, a shared object (`.so`).
        file_format: "MINDIR", "ONNX" for other libraries (`pip install anfora[onnx]`), or "C" for programs without Python
            (Linux).
        options: for C:
            `cpu`, the CPU that it is compiled for, by LLVM's name ("x86-64-v3"); this machine's if not given.
            `batch_sizes`, lengths of the first axis of all inputs that are as long as the first one, of which each call
            names one; if not given, the library is for inputs of these shapes.
            For ONNX:
            `opset_version`, the version of its operators, from 17 to the newest that the library knows; 21 if not given.
            `dynamic_axes`, axes that may have any length, by name: {"x": {0: "batch", 2: "height"}}. If not given that is
            the first axis of all inputs that are as long as the first one; where the network has no meaning for other
            lengths, a warning says why, and the file holds for these. Axes of a `Tensor(shape=[None, 3], dtype=…)` that are
            None are free too.
            `input_names`, `output_names`: else those of the network's parameters, and `output`, or `output0` and so on.
    Raises:
        OpTypeError: another option, or an input that holds no tensor.
        OpValueError: another format, something in the graph that a file cannot hold: an object of the program, or an
            operator that ONNX or C has no form for; the value of an option.
        OpRuntimeError: the library onnx is not installed; the linker fails; for C, the system is not Linux.
        FallbackError: a part of the network is left to the interpreter; all are listed.
    Example:
        >>> import tempfile
        >>> from anfora import nn
        >>> net = nn.Dense(3, 2)
        >>> x = Tensor([[1.0, 2.0, 3.0]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export(net, x, file_name=f"{folder}/dense", file_format="MINDIR")
        ...     again = nn.GraphCell(load(f"{folder}/dense.mindir"))
        >>> (again(x) == net(x)).all().item()
        True
    """
    if file_format not in _ENDINGS:
        why = f" ({_OTHERS[file_format]})" if file_format in _OTHERS else ""
        raise OpValueError(
            f"export: `file_format` must be 'MINDIR', 'ONNX' or 'C', but got {file_format!r}{why}", arg="file_format"
        )
    for name in options:
        if name not in _OPTIONS[file_format]:
            raise OpTypeError(f"export has no option `{name}` for {file_format}")
    if not callable(net):
        raise OpTypeError(f"export needs a Cell or a function, but got {type(net).__name__}", arg="net")
    if file_format != "ONNX":
        for x in inputs:
            if isinstance(x, Tensor) and -1 in x.shape:
                raise OpValueError(
                    f"export: a file of {file_format} holds for inputs of given lengths, but one has {list(x.shape)}",
                    arg="inputs",
                    help="give a tensor with data; file_format='ONNX' leaves axes free.",
                )
    file = Path(os.fsdecode(file_name))
    ending = _ENDINGS[file_format]
    if file_format == "C":
        from anfora.c_files import export as write_c  # which most programs do without

        write_c(net, inputs, file.with_suffix("") if file.suffix in (".o", ".h", ".so") else file, **options)
        return
    file = file if file.suffix == ending else file.with_name(f"{file.name}{ending}")
    if file_format == "ONNX":
        from anfora.onnx.export import export as write  # which most programs do without

        write(net, inputs, file, **options)
        return
    graph, weights = graph_of(net, inputs)
    _refuse(graph, f"{_name(net)} cannot be written: its graph holds")
    text = complete(graph)
    trainable = [name for name, tensor in weights.items() if tensor.requires_grad]
    told = {
        "mindir": _FORMAT,
        "graph": text,
        "weights": list(weights),
        "trainable": trainable,
        "digest": _digest(text, weights),
    }
    write_with_state(weights, file, {}, "safetensors", False, json.dumps(told).encode())


def load(file_name: str | os.PathLike, **options: Any) -> FuncGraph:
    """Read what `export` has written.

    Args:
        file_name: the file.
        options: none of MindSpore's is known here.
    Returns:
        the graph, with its weights as `weights`: give it to `nn.GraphCell`.
    Raises:
        OpTypeError: an option.
        OpValueError: the file cannot be read, is damaged, is MindSpore's own, or names something that is no operator of
            this library.
    Example:
        >>> import tempfile
        >>> from anfora import nn
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export(nn.ReLU(), Tensor([1.0]), file_name=f"{folder}/relu")
        ...     load(f"{folder}/relu.mindir")(Tensor([-4.0])).tolist()
        [0.0]
    """
    if options:
        raise OpTypeError(f"load has no option `{next(iter(options))}`")
    file = Path(os.fsdecode(file_name))
    told = _told(file)
    try:
        graph = reading.read(told["graph"])
        verify(graph)
    except GraphError as error:
        raise OpValueError(f"{str(file)!r}: {error.message}") from None
    _refuse(graph, f"{str(file)!r} is refused: its graph holds")
    names = [str(name) for name in told["weights"]]
    read: dict[str, Any] = load_checkpoint(file, format="safetensors") if names else {}
    if set(read) != set(names) or not all(isinstance(value, Parameter) for value in read.values()):
        raise OpValueError(f"{str(file)!r} is damaged: its weights are not those of its graph")
    read = {name: read[name] for name in names}  # the library forgets the order
    if _digest(told["graph"], read) != told["digest"]:
        raise OpValueError(f"{str(file)!r} is damaged: its content is not what its digest says")
    if [parameter.name for parameter in graph.parameters[len(graph.parameters) - len(names) :]] != names:
        raise OpValueError(f"{str(file)!r} is damaged: its weights are not those of its graph")
    for name, weight in read.items():
        weight.requires_grad = name in told["trainable"]
    graph.weights = read
    return graph


def names_of_inputs(net: Cell | Callable, count: int) -> list[str]:
    """What a network calls its inputs; `input0` … where it has no name for each."""
    function = net.construct if isinstance(net, Cell) else net
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return names if len(names) == count else [f"input{i}" for i in range(count)]


def branches_refused(name: str, file_format: str, structure: Structure) -> OpValueError:
    """The error of a program of several graphs, where a format of files holds one."""
    calls = [call for schedule in structure.schedules.values() for call in schedule]
    looks = [call.span for call in calls if call.calls(PRIMITIVES["switch"]) and call.span is not None]
    what = (
        "it goes on by what lies in a tensor" if looks else "it has a loop that is not unrolled, or a function inside"
    )
    error = OpValueError(
        f"{name} cannot be written as {file_format}: {what}",
        help="`ops.where` instead of `if`, say; a file of the format MINDIR holds branches and loops."
        if looks
        else "shorter loops over ranges are unrolled; a file of the format MINDIR holds branches and loops.",
    )
    error.place = "\n".join(span.told("the data of a tensor") for span in looks) or None
    return error


def graph_of(net: Cell | Callable, inputs: tuple) -> tuple[FuncGraph, dict[str, Tensor]]:
    """The graph of a call, and the tensors of the program that are its last parameters."""
    for value in inputs:
        if not any(True for _ in tensors(value)):
            raise OpTypeError(f"export takes tensors as inputs, but got {type(value).__name__}")

    def call(*inputs: Any) -> Any:
        return net(*inputs)

    lowered = analysis.lower(Watched(call), inputs, {}, compiles=False, fixed=True)
    if lowered.error is not None:
        raise lowered.error
    _refuse_places(net, [place.shown for place in (*lowered.unsupported, *lowered.unknown)])
    graph = lowered.graph
    _refuse_places(net, list(_looks(graph)))
    made = [node.name for node in graph.parameters[len(inputs) :] if node.name not in lowered.weights]
    if made:
        raise OpValueError(
            f"{_name(net)} cannot be written: what it calls {made[0]} is a tensor that the call makes itself",
            help="keep it in a variable of the call, and not in an object.",
        )
    for number, node in enumerate(graph.parameters[: len(inputs)]):
        node.name = f"input{number}" if len(inputs) > 1 else "input"
    graph.name = _name(net)
    for each in Structure(graph).graphs:  # where the file is read, there is no program that could have changed
        each.guards = []
    return graph, _in_order(net, graph, lowered.weights)


def _looks(graph: FuncGraph) -> Iterator[str]:
    """The places where the graph leaves something to the interpreter, or goes on in a way of which nothing is known."""
    schedules = Structure(graph).schedules
    unknown = {owner for owner, calls in schedules.items() if any(call.calls(PRIMITIVES["record"]) for call in calls)}
    for calls in schedules.values():
        for call in calls:
            if call.calls(PRIMITIVES["interpret"]):
                text, reason = (node.value for node in call.args[:2])  # type: ignore[attr-defined]
                yield call.span.told(reason) if call.span is not None else f"  {text}: {reason}"
            elif call.span is not None and call.calls(PRIMITIVES["switch"]) and _any_unknown(call, unknown):
                yield call.span.told("the data of a tensor")


def _any_unknown(branch: CNode, unknown: set[Any]) -> bool:
    """Whether one of the ways on from a branch has not been seen."""
    ways = (
        way.args[0] if isinstance(way, CNode) and way.calls(PRIMITIVES["partial"]) else way for way in branch.args[1:]
    )
    return any(
        isinstance(way, ValueNode) and (way.value is PRIMITIVES["record"] or way.value in unknown) for way in ways
    )


def _refuse_places(net: Any, places: list[str]) -> None:
    if places:
        error = FallbackError(
            f"{_name(net)} cannot be written as a file: the interpreter is needed for a part of it",
            help="a file holds what follows from shapes, types and tensors: no numbers taken from these, say.",
        )
        error.place = "\n".join(dict.fromkeys(places))
        raise error


def _in_order(net: Any, graph: FuncGraph, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors that a graph finds by itself, in the order of the network, which its last parameters get too."""
    order = {id(parameter): i for i, parameter in enumerate(net.get_parameters())} if isinstance(net, Cell) else {}
    names = sorted(weights, key=lambda name: order.get(id(weights[name]), len(order)))
    first = len(graph.parameters) - len(names)
    by_name = {parameter.name: parameter for parameter in graph.parameters[first:]}
    graph._parameters = (*graph.parameters[:first], *(by_name[name] for name in names))
    return {name: weights[name] for name in names}


def _name(net: Any) -> str:
    return type(net).__name__ if isinstance(net, Cell) else getattr(net, "__name__", "function").strip("<>")


def _told(file: Path) -> dict[str, Any]:
    """What the metadata of a file tell."""
    try:
        with file.open("rb") as opened:
            start = opened.read(9)
    except OSError as error:
        raise OpValueError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    if len(start) == 9 and start[8:] != b"{":
        if file.suffix == _ENDINGS["ONNX"]:
            raise OpValueError(f"{str(file)!r} is no .mindir", help="anfora.onnx.load(file) reads files of ONNX.")
        raise OpValueError(
            f"{str(file)!r} is no file that `export` of anfora has written",
            help="MindSpore's own .mindir (protobuf) is not read: load its checkpoint, or export the network anew.",
        )
    try:
        told = json.loads(read_state(file, "safetensors") or b"{}")
        if told["mindir"] != _FORMAT:
            raise OpValueError(f"{str(file)!r} has the format {told['mindir']!r}, and this anfora reads {_FORMAT}")
        if not all(isinstance(told[key], kind) for key, kind in _KINDS.items()):
            raise ValueError("a part of it has another type")
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, OpValueError):
            raise
        raise OpValueError(f"{str(file)!r} is damaged, or holds no graph ({error})") from None
    return told


_KINDS = {"graph": str, "weights": list, "trainable": list, "digest": str}


def _digest(text: str, weights: dict[str, Any]) -> str:
    """SHA-256 of a graph and its weights."""
    found = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(weights):
        tensor = current(weights[name])
        found.update(json.dumps([name, str(tensor.dtype), list(tensor.shape)]).encode())
        found.update(np.ascontiguousarray(tensor._array).tobytes())
    return found.hexdigest()


# -- what a file may hold ---------------------------------------------------------------------------------------------

#: Functions of the IR that compute, choose and bind; none of them reads attributes, or finds what the file does not hold.
_HARMLESS = {
    *(name for name, each in PRIMITIVES.items() if each.form), *(f"i{name}" for name in IN_PLACE),
    "return", "partial", "switch", "depend", "update_state", "load", "make_tuple", "make_list", "make_dict",
    "make_slice", "unpack", "draw", "leaf", "no_history", "untaped",
}  # fmt: skip
_VALUES = (bool, int, float, complex, str, bytes, range, DType, type(None), type(...))


def _refuse(graph: FuncGraph, start: str) -> None:
    """Refuse a graph that holds something else than a file may."""
    for calls in Structure(graph).schedules.values():
        for call in calls:
            for node in call.inputs:
                strange = next(_strange(node.value), None) if isinstance(node, ValueNode) else None
                if strange is not None:
                    place = f" ({call.span})" if call.span is not None else ""
                    raise OpValueError(
                        f"{start} {_described(strange)}{place}",
                        help="a file may hold tensors, numbers, texts, and operators of anfora.",
                    )


def _strange(value: Any) -> Iterator[Any]:
    """What of a constant a file may not hold."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _strange(item)
    elif isinstance(value, slice):
        yield from _strange((value.start, value.stop, value.step))
    elif isinstance(value, Primitive):
        if PRIMITIVES.get(value.name) is not value or value.name not in _HARMLESS:
            yield value
    elif isinstance(value, Op):
        if registry.get(value.name) is not value:  # one that a program has made
            yield value
    elif not (type(value) in _VALUES or value is U or type(value) is Tensor or isinstance(value, FuncGraph)):
        yield value


def _described(value: Any) -> str:
    if isinstance(value, Unresolved):
        return f"{value.name}, an object of a program"
    if isinstance(value, Primitive):
        return f"a call of `{value.name}`"
    return f"{value!r}, an object of the program"

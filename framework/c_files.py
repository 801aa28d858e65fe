"""Networks as libraries of C: an object file, its header, and, where there is a linker, a shared object.

    export(net, x, file_name="net", file_format="C")      net.o, net.h, net.so: `int net_run(const float *, …)`

The graph is that of a `.mindir` file. Each of its calls is planned anew, for the CPU that is asked for; what comes of it is
lowered as in graph mode, and put into an object by `kernel/standalone.py`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.cell import Cell
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.files import write_whole
from anfora.core.nearest import nearest
from anfora.core.op import Op
from anfora.core.span import Span
from anfora.core.tensor import Tensor, current, from_buffer
from anfora.core.tree import leaves
from anfora.eager.entry import Entry, freeze, thaw
from anfora.graph.ir import AnfNode, CNode, FuncGraph, Primitive, ValueNode
from anfora.graph.ir.planned import OperatorCall
from anfora.graph.ir.structure import Structure
from anfora.graph.lower.arena import Kind, Place, Root, Task, arrange
from anfora.graph.lower.fusion import fuse
from anfora.graph.lower.lower import Lowering, buffer_of, plan_of_copy
from anfora.graph.passes.planning import operands_of
from anfora.graph_files import branches_refused, graph_of, names_of_inputs
from anfora.kernel.build import asking
from anfora.kernel.executor import LINE, Part, joined_words
from anfora.kernel.standalone import BAD_LENGTH, LIBC, LIBM, MOST_THREADS, Library, Ready, object_of, undefined
from anfora.kernel.target import CPUS, Target, aiming, target, target_named
from anfora.ops import copy

__all__ = ["export"]

_MOST_BYTES = 1_900_000_000  #: of weights: addresses in an object reach 2 GiB


def export(
    net: Cell | Callable,
    inputs: tuple,
    file: Path,
    *,
    cpu: str | None = None,
    batch_sizes: Sequence[int] | None = None,
) -> None:
    """See `anfora.export`."""
    if sys.platform != "linux":
        raise OpRuntimeError("export to C writes object files of ELF for Linux, and this system is another")
    aim = _aim(cpu)
    if not all(isinstance(x, Tensor) for x in inputs):
        raise OpTypeError("export to C takes tensors as inputs, not containers of them", arg="inputs")
    sizes = _sizes(batch_sizes, inputs)
    names = _Names(file.name, net, len(inputs))
    recorded = [_Recorded(net, inputs if size is None else _resized(inputs, size)) for size in sizes or (None,)]
    constants = _Constants()
    with aiming(aim):
        made: list[_Made] = []
        with asking():
            for each in recorded:
                made.append(_Made(each, constants, sum(len(before.faults) for before in made)))
        _refuse_other_forms(made, sizes)
        with tempfile.TemporaryDirectory() as folder:
            blob = Path(folder) / "constants"
            blob.write_bytes(constants.blob())
            library = Library(
                names.library,
                len(inputs) + len(made[0].results),
                dict(zip(sizes or (None,), (each.ready for each in made))),
                blob,
                [text for each in made for text in each.faults],
            )
            image = object_of(library)
    needed = undefined(image)
    strange = sorted(needed - LIBC - LIBM)
    if strange:
        raise OpValueError(
            f"{made[0].name} cannot be written as C: its kernels need {', '.join(strange)}, not in the C library"
        )
    is_mathematical = bool(needed & LIBM)
    header = _header(names, library, made, sizes, aim.cpu, is_mathematical)
    _write(file, image, header, is_mathematical)


def _aim(cpu: str | None) -> Target:
    """The CPU that is asked for: by its name, or this machine's."""
    if cpu is None:
        return target()
    if isinstance(cpu, str) and cpu in CPUS:
        return target_named(cpu)
    near = nearest(cpu, CPUS) if isinstance(cpu, str) else None
    raise OpValueError(
        f"export: `cpu` names no CPU that is known here: {cpu!r}", arg="cpu",
        help=f"did you mean {near!r}?" if near else f"there are {', '.join(CPUS)}.",
    )  # fmt: skip


def _sizes(batch_sizes: Any, inputs: tuple) -> tuple[int, ...]:
    """The lengths of the first axis that are wanted; none where the caller does not name them."""
    if batch_sizes is None:
        return ()
    sizes = tuple(batch_sizes) if isinstance(batch_sizes, (tuple, list, range)) else ()
    if not sizes or len(set(sizes)) < len(sizes) or not all(type(size) is int and size > 0 for size in sizes):
        raise OpValueError(
            f"export: `batch_sizes` must be different positive numbers, but got {batch_sizes!r}", arg="batch_sizes"
        )
    if not inputs or not inputs[0].ndim:
        raise OpValueError("export: with `batch_sizes` the first input must be a tensor with axes", arg="batch_sizes")
    return sizes


def _refuse_other_forms(made: Sequence[_Made], sizes: Sequence[int]) -> None:
    """One function serves all numbers of examples: it gives as many results of the same types."""
    for size, each in zip(sizes, made):
        if [kind.dtype for kind in each.results] != [kind.dtype for kind in made[0].results]:
            raise OpValueError(
                f"export: {each.name} gives other results for {size} examples than for {sizes[0]}", arg="batch_sizes"
            )


def _resized(inputs: tuple, size: int) -> tuple:
    """The inputs with another number of examples: of those that are as long as the first one. What lies in them does not
    count."""
    length = inputs[0].shape[0]
    return tuple(
        from_buffer(np.zeros((size, *x.shape[1:]), x.dtype.storage), x.dtype) if x.ndim and x.shape[0] == length else x
        for x in inputs
    )


# -- the program ------------------------------------------------------------------------------------------------------


class _Constants:
    """Weights and constants, side by side in one block."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._at: dict[tuple, int] = {}
        self._end = 0

    def place(self, array: np.ndarray) -> int:
        """The offset of the bytes of an array; equal ones lie there once."""
        raw = np.ascontiguousarray(array).tobytes()
        key = (len(raw), raw)
        if key not in self._at:
            self._at[key] = self._end
            padding = -len(raw) % LINE
            self._parts += [raw, bytes(padding)]
            self._end += len(raw) + padding
            if self._end > _MOST_BYTES:
                raise OpValueError("a network of more than 1.9 GB of weights cannot be written as C")
        return self._at[key]

    def blob(self) -> bytes:
        return b"".join(self._parts) or bytes(LINE)


class _Recorded:
    """The graph of a network for inputs of some shapes, and the arrays of its weights, by their names."""

    def __init__(self, net: Any, inputs: tuple) -> None:
        self.graph, weights = graph_of(net, inputs)
        self.inputs = len(inputs)
        self.weights = {name: current(tensor)._array for name, tensor in weights.items()}
        for calls in Structure(self.graph).schedules.values():
            for node in (node for call in calls for node in call.inputs if isinstance(node, ValueNode)):
                for value in leaves(node.value):
                    if isinstance(value, Tensor):
                        current(value)


class _Made:
    """A recorded network, planned for the target of this thread.

    Attributes:
        name: of the network.
        inputs, results: the types of what it takes and gives, side by side.
        faults: of each operator, what there is to say of data that it refuses.
        ready: its program. The arguments are inputs, results, constants, and the arena.
    """

    def __init__(self, recorded: _Recorded, constants: _Constants, first_fault: int) -> None:
        inputs = recorded.inputs
        self.name = recorded.graph.name
        walk = _Walk(recorded.graph)
        walk.refuse()
        lowering = Lowering([(node, walk.layouts[node]) for node in walk.parameters], walk.calls, walk.results)
        walk.refuse_in(lowering)
        self.inputs = [walk.layouts[node].type for node in walk.parameters[:inputs]]
        self.results = [walk.layouts[node].type for node in walk.results]
        self.faults = [walk.fault(call) for call in walk.calls]
        for number, root in enumerate(lowering.given[:inputs]):
            root.number = number
        tasks = fuse([*lowering.tasks, *_apart(lowering, walk.results, inputs)])
        arena, workspaces = arrange(tasks)
        block = len(self.inputs) + len(self.results)
        room = block + 1 if arena else -1
        weights = zip(lowering.given[inputs:], walk.parameters[inputs:])
        held = {root: recorded.weights[str(node.name)] for root, node in weights}

        def found(place: Place | None) -> tuple[int, int]:
            if place is not None and place.root in held:
                return block, constants.place(held[place.root]) + place.offset
            if place is not None and place.root.kind is Kind.CONSTANT:
                return block, constants.place(lowering.kept[place.root.number]) + place.offset
            return buffer_of(place, room)

        numbers = {call: i for i, call in enumerate(walk.calls)}
        parts = []
        for task, spaces in zip(tasks, workspaces):
            assert task.plan is not None
            places = [found(place) for place in (*task.inputs, *task.outputs)]
            at = 0 if task.call is None else numbers[task.call]
            parts.append(Part(task.plan, places + [(room, offset) for offset in spaces], at))
        self.ready = Ready(tuple(joined_words(parts, block + 2, room)), arena, first_fault)


def _apart(lowering: Lowering, results: Sequence[AnfNode], first: int) -> list[Task]:
    """Number what is given back, from `first` on: each result gets memory of the caller's own. Gives the tasks that copy
    what lies in an input, a constant or another result, or not in the order of its elements."""
    copies = []
    for number, value in enumerate(results, first):
        place = lowering.values[value]
        root, layout = place.root, place.layout
        nbytes = layout.size * layout.dtype.itemsize
        is_whole = layout.is_contiguous and place.offset == root.origin == 0 and root.nbytes == nbytes
        if root.kind is Kind.FRESH and root.number < 0 and is_whole:
            root.number = number
            continue
        target = Root(Kind.FRESH, layout.type.contiguous, nbytes)
        target.number = number
        plan = plan_of_copy(layout, layout.type.contiguous)
        copies.append(Task(plan, [place], [Place(target, 0, layout.type.contiguous)], None))
    for value in results:
        root = lowering.values[value].root
        if root.kind is Kind.FRESH and root.number < 0:
            root.kind = Kind.ARENA
    return copies


class _Walk:
    """The calls of a graph, planned for the target of this thread.

    Attributes:
        parameters: the nodes of inputs and weights.
        layouts: of these, and of all that is computed.
        calls: in their order; results: what is given back, side by side.
    """

    def __init__(self, graph: FuncGraph) -> None:
        self.name = graph.name
        self.calls: list[OperatorCall] = []
        self.results: list[AnfNode] = []
        self.layouts: dict[AnfNode, Layout] = {}
        self._spans: dict[OperatorCall, Span | None] = {}
        self._problems: dict[str, None] = {}
        structure = Structure(graph)
        if len(structure.graphs) > 1:
            raise branches_refused(graph.name, "C", structure)
        self._graph = FuncGraph(graph.name)
        self.parameters: list[Any] = []
        for node in graph.parameters:
            assert isinstance(node.abstract, TensorType)
            self.parameters.append(self._graph.parameter(node.name, abstract=node.abstract))
            self.layouts[self.parameters[-1]] = node.abstract.contiguous
        self._values: dict[AnfNode, Any] = dict(zip(graph.parameters, self.parameters))
        for call in structure.schedules[graph]:
            if call is not graph.return_:
                self._values[call] = self._made(call)
                continue
            self.results = list(leaves(self._given(call.args[0])))
            for value in self.results:
                if not isinstance(value, AnfNode) and value is not _REFUSED:
                    self._note(f"{value!r} is a result, and no tensor", None)

    def _note(self, what: str, span: Span | None) -> Any:
        self._problems[f"  {what}" if span is None else span.told(what)] = None
        return _REFUSED

    def refuse(self) -> None:
        """Refuse what has been found, all of it."""
        if self._problems:
            error = OpValueError(
                f"{self.name} cannot be written as C",
                help="a network that is to be run is written after `set_train(False)`.",
            )
            error.place = "\n".join(self._problems)
            raise error

    def refuse_in(self, lowering: Lowering) -> None:
        """Refuse what shows when it is known where all lies."""
        for task in lowering.tasks:
            if task.plan is None:
                call = task.call
                assert call is not None
                self._note(f"{call.entry.op.name} is computed by a library of Python", self._spans[call])
        given = set(lowering.given)
        for call in self.calls:
            if any(lowering.values[call.operands[i]].root in given for i in call.entry.written):
                what = "a write into an input or a weight, which a call leaves as they are"
                self._note(f"{call.entry.op.name}: {what}", self._spans[call])
        if lowering.is_refused:
            self._note("a number does not fit into the type that it is computed in", None)
        self.refuse()

    def fault(self, call: OperatorCall) -> str:
        """What there is to say of data that a call refuses; empty if it takes any."""
        span = self._spans[call]
        where = f" ({Path(span.file).name}:{span.line})" if span is not None else ""
        return f"{call.entry.op.name} refuses its data{where}" if call.entry.may_fail else ""

    # -- values: nodes of tensors, numbers, and tuples and lists of these -------------------------------------------------

    def _given(self, node: AnfNode) -> Any:
        return self._known(node.value) if isinstance(node, ValueNode) else self._values[node]

    def _known(self, value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(map(self._known, value))
        if not isinstance(value, Tensor):
            return value
        array = np.ascontiguousarray(value._array)  # which is current: see _Recorded
        made = ValueNode(from_buffer(array, value.dtype))
        self.layouts[made] = made.value._layout
        return made

    def _made(self, call: CNode) -> Any:
        function = call.fn.value if isinstance(call.fn, ValueNode) else None
        args = [self._given(node) for node in call.args]
        found = list(leaves(args))
        if any(value is _REFUSED for value in found):
            return _REFUSED
        if not isinstance(function, (Op, Primitive)):
            return self._note("what the program makes inside has no form in C", call.span)
        name = function.name
        if any(value is _DRAWN for value in found) and (isinstance(function, Op) or name != "getitem"):
            return self._note(f"{name} draws random numbers, which go on from call to call", call.span)
        if isinstance(function, Op):
            return self._planned(function, args, call.span)
        if name in ("make_tuple", "make_list"):
            return tuple(args)
        if name in ("depend", "no_history"):  # there is no tape
            return args[0]
        if name == "load":
            return self._planned(copy, args[:1], call.span) if isinstance(args[0], AnfNode) else args[0]
        if name == "update_state":
            return None
        if name == "draw":
            return _DRAWN
        if name == "getitem" and args[0] is _DRAWN:
            return _DRAWN
        if name == "getitem" and isinstance(args[0], tuple) and isinstance(args[1], int):
            return args[0][args[1]]
        if all(isinstance(value, (bool, int, float)) for value in found):
            return function.function(*args)
        return self._note(f"`{name}` has no form in C", call.span)

    def _planned(self, op: Op, args: Sequence[Any], span: Span | None) -> Any:
        """A call of an operator, planned; gives the nodes of its results."""
        inputs, attributes = op.bind(tuple(args), {})
        keys, operands = operands_of(op, inputs, self.layouts)
        # Not of the entries that are kept: their kernels are of this machine.
        entry = Entry(op, keys, {name: thaw(freeze(value)) for name, value in attributes.items()})
        call = OperatorCall(self._graph, entry, operands)
        self.calls.append(call)
        self._spans[call] = span
        if op.writes is not None:
            written = tuple(operands[i] for i in entry.written)
            return written if op.writes in op.variadic else written[0]
        self.layouts.update(zip(call.results, entry.outputs))
        return call.parts if call.parts is not None else call


#: What stands for the seed and offset of random numbers, and for what cannot be written.
_DRAWN, _REFUSED = object(), object()


# -- the files --------------------------------------------------------------------------------------------------------

_WORDS = """
alignas alignof and asm auto bitand bitor bool break case catch char class compl const constexpr continue default delete do
double else enum explicit export extern false float for friend goto if inline int long mutable namespace new not operator or
private protected public register restrict return short signed sizeof static struct switch template this throw true try
typedef typename union unsigned using virtual void volatile while xor
"""
_KEYWORDS = frozenset(_WORDS.split())
_C_TYPES = {
    "b1": "uint8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t",
    "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "f16": "uint16_t", "bf16": "uint16_t", "f32": "float",
    "f64": "double", "c64": "float", "c128": "double",
}  # fmt: skip
_HOW = {
    "b1": "0 or 1", "f16": "IEEE binary16, as bits", "bf16": "the upper half of a float, as bits",
    "c64": "each a real and an imaginary part", "c128": "each a real and an imaginary part",
}  # fmt: skip


class _Names:
    """Names of C for a library and its arguments."""

    def __init__(self, stem: str, net: Any, inputs: int) -> None:
        self.library = _identifier(stem)
        self._taken = {"n", "workspace"}
        self.inputs = [self._free(_identifier(name)) for name in names_of_inputs(net, inputs)]

    def outputs(self, count: int) -> list[str]:
        return [self._free(name) for name in (["output"] if count == 1 else [f"output{i}" for i in range(count)])]

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _identifier(text: str) -> str:
    name = re.sub(r"[^0-9A-Za-z_]", "_", text)
    return f"_{name}" if not name or name[0].isdigit() else f"{name}_" if name in _KEYWORDS else name


def _described(kind: TensorType) -> str:
    how = f" ({_HOW[kind.dtype.code]})" if kind.dtype.code in _HOW else ""
    return f"{str(kind.dtype).lower()} {list(kind.shape)}{how}, {kind.size * kind.dtype.itemsize} bytes"


def _header(
    names: _Names, library: Library, made: Sequence[_Made], sizes: Sequence[int], cpu: str, needs_math: bool
) -> str:
    """The header of a library."""
    import anfora

    first = made[0]
    outputs = names.outputs(len(first.results))
    given = [*zip(names.inputs, first.inputs), *zip(outputs, first.results)]
    pointers = [
        f"{'const ' if i < len(first.inputs) else ''}{_C_TYPES[kind.dtype.code]} *{name}"
        for i, (name, kind) in enumerate(given)
    ]
    arguments = ", ".join([*(["int64_t n"] if sizes else []), *pointers, "void *workspace"])
    told = []
    for size, each in zip(sizes or (None,), made):
        if size is not None:
            told.append(f" * n = {size}:")
        kinds = zip([*names.inputs, *outputs], [*each.inputs, *each.results])
        told += [f" *   {name:12} {_described(kind)}" for name, kind in kinds]
    prefix, guard = library.name, f"{library.name.upper()}_H"
    fields: dict[str, Any] = {
        "name": first.name, "version": anfora.__version__, "cpu": cpu, "told": "\n".join(told), "prefix": prefix,
        "upper": prefix.upper(), "guard": guard, "arguments": arguments, "workspace": library.workspace,
        "scratch": library.scratch, "most": MOST_THREADS, "math": "Link with -lm.\n * " if needs_math else "",
        "lengths": f"\n *   {BAD_LENGTH}    n is none of the numbers above" if sizes else "",
    }  # fmt: skip
    return _HEADER.format(**fields)


_HEADER = """\
/* {name}, written by anfora {version} for the CPU {cpu}.
 *
 * Elements lie one behind the other, the last axis innermost:
 *
{told}
 *
 * {math}Results are the same bits for any number of threads, as long as the program rounds to nearest and keeps
 * subnormal numbers (-ffast-math, when a program is linked, turns these off).
 */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* Bytes of memory for what lies between the inputs and the results. */
#define {upper}_WORKSPACE {workspace}

/* Compute the results. They must not overlap with each other or with the inputs. `workspace` is {upper}_WORKSPACE
 * bytes, whatever lies in them, which no other run uses meanwhile; if it is NULL, a run takes them from malloc. What
 * each thread needs for itself, up to {scratch} bytes, is from malloc too. Any thread may call it at any time. Gives
 *
 *   0     all is well
 *   -1    there is no memory; nothing is written{lengths}
 *   > 0   the data are refused: see {prefix}_error; the results are not to be used
 */
int {prefix}_run({arguments});

/* From now on let so many threads (1 to {most}) share a run, the caller among them; gives how many these are, fewer
 * where the system makes no more. At first there is 1. Waits for a run that is shared. Called with 1 it ends all
 * threads, as it must before the library is unloaded. A process that was forked while there were threads has none: it
 * calls this before it runs. */
int {prefix}_set_threads(int threads);

/* What a code of {prefix}_run means; the text stays where it is. */
const char *{prefix}_error(int code);

#ifdef __cplusplus
}}
#endif

#endif
"""


def _write(file: Path, image: bytes, header: str, needs_math: bool) -> None:
    """Write the object, the header, and, where there is a linker, the shared object: all of them or none."""
    linked = None
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "given.o", Path(folder) / "made.so"
        given.write_bytes(image)
        command = _linking(given, made, needs_math)
        if command is not None:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
            if done.returncode:
                raise OpRuntimeError(f"{command[0]} makes no shared object of it:\n{done.stderr.strip()}")
            linked = made.read_bytes()
    parts = {".o": image, ".h": header.encode()} | ({".so": linked} if linked is not None else {})
    try:
        for ending, content in parts.items():
            write_whole(file.with_name(f"{file.name}{ending}"), content)
    except OSError as error:
        raise OpValueError(f"{str(file)!r} cannot be written: {error.strerror}") from error


def _linking(given: Path, made: Path, needs_math: bool) -> list[str] | None:
    """The command that makes a shared object, where there is one. That gets no name of its own (`-soname`): a process
    that has loaded one of this name would get it again, from whatever folder."""
    cc, ld = shutil.which("cc"), shutil.which("ld")
    mathematics = ["-lm"] if needs_math else []
    if cc is not None:
        return [cc, "-shared", "-pthread", "-Wl,-z,defs", "-o", str(made), str(given), *mathematics]
    # What is not defined in it the process has: nothing that it needs lies elsewhere than in the C library.
    return [ld, "-shared", "-o", str(made), str(given), *mathematics] if ld is not None else None

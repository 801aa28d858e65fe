"""Choices and loops, sequences, and values that may be missing."""

from __future__ import annotations

from anfora import ops
from anfora.core.errors import OpIndexError, OpValueError
from anfora.core.tensor import Tensor
from anfora.onnx.table import Int, Ints, reads


def _first(found):
    return found if len(found) > 1 else found[0]


@reads("If")
def if_(cond, *, then_branch, else_branch):
    return _first(then_branch() if cond else else_branch())


@reads("Loop")
def loop(M: Int = None, cond=None, *state, body, outputs):
    """Rounds of the body: it gets the number of the round, whether to go on, and what the round before has left."""
    kept = len(state)
    lines: list[list] | None = None
    goes_on, i = cond, 0
    while (M is None or i < M) and (goes_on is None or goes_on):
        goes_on, *found = body(Tensor(i), Tensor(True) if goes_on is None else goes_on, *state)
        state, scanned = tuple(found[:kept]), found[kept:]
        if lines is None:
            lines = [[] for _ in scanned]
        for line, value in zip(lines, scanned):
            line.append(value)
        i += 1
    if lines is None:
        if outputs > kept:
            raise OpValueError("Loop: what is stacked of no rounds has no type")
        lines = []
    return _first((*state, *(ops.stack(tuple(line), 0) for line in lines)))


@reads("Scan")
def scan(
    *values, body, num_scan_inputs, directions=None, scan_input_axes=None, scan_input_directions=None,
    scan_output_axes=None, scan_output_directions=None, version,
):  # fmt: skip
    """The body for each element of some tensors along an axis; what it leaves behind the state is stacked."""
    if version == 8:  # a batch in front, and how long each example is
        return _batched_scan(values[1:], body, num_scan_inputs, directions)
    kept = len(values) - num_scan_inputs
    state, lines = list(values[:kept]), list(values[kept:])
    axes = scan_input_axes or (0,) * num_scan_inputs
    turned = scan_input_directions or directions or (0,) * num_scan_inputs
    length = lines[0].shape[axes[0]] if lines else 0
    made = []
    for t in range(length):
        parts = [
            ops.squeeze(ops.narrow(x, a % x.ndim, length - 1 - t if back else t, 1), a % x.ndim)
            for x, a, back in zip(lines, axes, turned)
        ]
        found = body(*state, *parts)
        state, scanned = list(found[:kept]), found[kept:]
        made = made or [[] for _ in scanned]
        for line, value in zip(made, scanned):
            line.append(value)
    back = scan_output_directions or (0,) * len(made)
    along = scan_output_axes or (0,) * len(made)
    stacked = [ops.stack(tuple(line[::-1] if b else line), a) for line, b, a in zip(made, back, along)]
    return _first((*state, *stacked))


def _batched_scan(values, body, num_scan_inputs, directions):
    examples = [
        scan(
            *(value[i] for value in values),
            body=body,
            num_scan_inputs=num_scan_inputs,
            directions=directions,
            version=9,
        )
        for i in range(values[0].shape[0])
    ]
    if isinstance(examples[0], Tensor):
        return ops.stack(tuple(examples), 0)
    return tuple([ops.stack(parts, 0) for parts in zip(*examples)])


# -- sequences: lists of Python, which are never changed --------------------------------------------------------------


@reads("SequenceConstruct")
def sequence_construct(*inputs):
    return list(inputs)


@reads("SequenceEmpty")
def sequence_empty(*, dtype=1):
    return []


@reads("SequenceAt")
def sequence_at(input_sequence, position: Int):
    if not -len(input_sequence) <= position < len(input_sequence):
        raise OpIndexError(f"SequenceAt {position} of {len(input_sequence)} tensors")
    return input_sequence[position]


@reads("SequenceInsert")
def sequence_insert(input_sequence, tensor, position: Int = None):
    at = len(input_sequence) if position is None else position
    return [*input_sequence[:at], tensor, *input_sequence[at:]]


@reads("SequenceErase")
def sequence_erase(input_sequence, position: Int = None):
    at = len(input_sequence) - 1 if position is None else position % len(input_sequence)
    return [*input_sequence[:at], *input_sequence[at + 1 :]]


@reads("SequenceLength")
def sequence_length(input_sequence):
    return Tensor(len(input_sequence))


@reads("SequenceMap")
def sequence_map(input_sequence, *others, body):
    made = [
        body(item, *(other[i] if isinstance(other, (list, tuple)) else other for other in others))
        for i, item in enumerate(input_sequence)
    ]
    return _first(tuple([list(line) for line in zip(*made)]))


@reads("SplitToSequence")
def split_to_sequence(input, split: Ints = None, *, axis=0, keepdims=1):
    n = input.shape[axis]
    if split is None:
        parts = [ops.narrow(input, axis, i, 1) for i in range(n)]
        return parts if keepdims else [ops.squeeze(part, axis) for part in parts]
    return parts_of(input, split, axis, n)


def parts_of(x, lengths, axis, n):
    """Parts of an axis; one length stands for as many as it takes."""
    if len(lengths) == 1 and lengths[0] != n:
        size = lengths[0]
        lengths = [min(size, n - start) for start in range(0, n, size)]
    found, start = [], 0
    for length in lengths:
        found.append(ops.narrow(x, axis, start, length))
        start += length
    return found


@reads("ConcatFromSequence")
def concat_from_sequence(input_sequence, *, axis, new_axis=0):
    return (ops.stack if new_axis else ops.concat)(tuple(input_sequence), axis)


# -- values that may be missing: None is one --------------------------------------------------------------------------


@reads("Optional")
def optional(input=None, *, type=None):
    return input


@reads("OptionalHasElement")
def optional_has_element(input=None):
    return Tensor(input is not None)


@reads("OptionalGetElement")
def optional_get_element(input):
    if input is None:
        raise OpValueError("OptionalGetElement of a value that is missing")
    return input

"""What a checkpoint holds besides Parameters, so that a training that is stopped at any moment and resumed ends in the same
bits: where it stands, its data's order, the random generators, schedulers, the loss scale, what callbacks remember.

    collect(run)              the state of a run, plain values and arrays
    restore(run, state)       put it back
    to_bytes, from_bytes      as the bytes that stand in the file

A file is written at the end of a step (or of the training), by a callback that has others before and behind it. Those
before have done what they do at this moment, those behind have not: when the run is resumed, they do it first.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from anfora.core import dtype as dt
from anfora.core.cell import Cell
from anfora.core.errors import OpValueError
from anfora.core.files import DAMAGE
from anfora.core.random import Generator, default_generator
from anfora.core.tensor import Tensor, current, from_buffer
from anfora.optim import Optimizer
from anfora.optim.lr_scheduler import schedulers_of
from anfora.train.callback.base import Callback, RunContext

__all__ = ["collect", "from_bytes", "named", "restore", "to_bytes"]

VERSION = 1


# -- the random generators --------------------------------------------------------------------------------------------


def _generators(network: Cell) -> Iterator[tuple[str, Any]]:
    """The generators that a program draws from: the three global ones, and those that its Cells hold."""
    yield "anfora", default_generator
    yield "python", random
    yield "numpy", np.random
    for path, cell in network.cells_and_names():
        for name, value in vars(cell).items():
            if isinstance(value, (Generator, random.Random, np.random.Generator, np.random.RandomState)):
                yield f"{path}.{name}", value


def _drawn(generator: Any) -> Any:
    """Where a generator stands."""
    if isinstance(generator, Generator):
        return generator.__getstate__()
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.getstate() if hasattr(generator, "getstate") else generator.get_state()


def _let_stand(generator: Any, state: Any) -> None:
    if isinstance(generator, Generator):
        generator._seed, generator._offset = state["_seed"], state["_offset"]
    elif isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    elif hasattr(generator, "setstate"):
        generator.setstate(state)
    else:
        generator.set_state(state)


# -- the whole --------------------------------------------------------------------------------------------------------


def collect(context: RunContext, writer: Callback, moment: str) -> dict[str, Any]:
    """The state of a run.

    Args:
        context: what its callbacks are told.
        writer: the callback that writes the file.
        moment: "step" or "end": of what this is the end.
    """
    now = context.original_args()
    rows, manager = now.dataset_helper.iter, now.get("loss_scale_mananger")
    return {
        "version": VERSION,
        "moment": moment,
        "epoch": now.cur_epoch_num,
        "step": now.cur_step_num,
        "batch_num": now.batch_num,
        "net_outputs": now.get("net_outputs"),
        "stop": context.get_stop_requested(),
        "dataset": rows.state() if hasattr(rows, "state") else None,
        "random": {name: _drawn(generator) for name, generator in _generators(now.train_network)},
        "schedulers": [scheduler.state_dict() for scheduler in _schedulers(now)],
        "loss_scale": {} if manager is None else _numbers(manager),
        "callbacks": [[name, callback.state_dict()] for name, callback in named(now.list_callback)],
        "writer": next(name for name, callback in named(now.list_callback) if callback is writer),
    }


def restore(now: Any, state: dict[str, Any]) -> None:
    """Put back what `collect` gave; the Parameters are there already."""
    known = dict(named(now.list_callback))
    for name, own in state["callbacks"]:
        if name in known:
            known[name].load_state_dict(own)
    schedulers = list(_schedulers(now))
    if len(schedulers) != len(state["schedulers"]):
        raise OpValueError(
            f"the checkpoint has {len(state['schedulers'])} schedulers of learning rates, but the optimizer has "
            f"{len(schedulers)}"
        )
    for scheduler, own in zip(schedulers, state["schedulers"]):
        scheduler.load_state_dict(own)
    if now.get("loss_scale_mananger") is not None:
        vars(now.loss_scale_mananger).update(state["loss_scale"])
    for name, generator in _generators(now.train_network):
        if name in state["random"]:
            _let_stand(generator, state["random"][name])


def named(callbacks: list[Callback]) -> Iterator[tuple[str, Callback]]:
    """Callbacks by their class and how many of it come before."""
    seen: dict[str, int] = {}
    for callback in callbacks:
        kind = type(callback).__name__
        yield f"{kind}:{seen.setdefault(kind, 0)}", callback
        seen[kind] += 1


def _schedulers(now: Any) -> Iterator[Any]:
    """The schedulers of the optimizers of a run, in the order in which they were made."""
    for _, cell in now.train_network.cells_and_names():
        if isinstance(cell, Optimizer):
            yield from schedulers_of(cell)


def _numbers(manager: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(manager).items() if isinstance(value, (bool, int, float))}


# -- as bytes ---------------------------------------------------------------------------------------------------------


def to_bytes(state: Any) -> bytes:
    """A state as JSON; arrays and tensors as base64."""
    return json.dumps(_plain(state), separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    if value is None or (isinstance(value, (bool, str, int, float)) and not isinstance(value, np.generic)):
        return value
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, tuple):
        if len(value) > 64 and all(type(item) is int and 0 <= item < 2**32 for item in value):  # a Mersenne Twister
            return {"ints": _plain(np.array(value, np.uint32))}
        return {"tuple": [_plain(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_plain(name), _plain(item)] for name, item in value.items()]}
    if isinstance(value, Tensor):
        array = np.ascontiguousarray(current(value)._array)
        return {"tensor": [value.dtype.name, list(value.shape), base64.b64encode(array.tobytes()).decode()]}
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        array = np.asarray(value)
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        return {kind: [array.dtype.newbyteorder("<").str, list(array.shape), content]}
    raise OpValueError(
        f"a checkpoint cannot hold a {type(value).__name__}",
        help="what a callback's `state_dict` gives is made of numbers, strings, arrays, tensors, lists and dicts.",
    )


def from_bytes(data: bytes) -> dict[str, Any]:
    """The state that `to_bytes` was given.

    Raises:
        OpValueError: the bytes are damaged, or of a later version.
    """
    try:
        state = _full(json.loads(data))
    except DAMAGE as error:
        raise OpValueError(f"the state of the training in the checkpoint is damaged ({error})") from None
    if not isinstance(state, dict) or state.get("version") != VERSION:
        raise OpValueError("the state of the training in the checkpoint is of another version of this package")
    return state


def _full(value: Any) -> Any:
    if isinstance(value, list):
        return [_full(item) for item in value]
    if not isinstance(value, dict):
        return value
    [(kind, content)] = value.items()
    if kind == "dict":
        return {_full(name): _full(item) for name, item in content}
    if kind == "tuple":
        return tuple(_full(item) for item in content)
    if kind == "ints":
        return tuple(_full(content).tolist())
    name, shape, text = content
    raw = base64.b64decode(text, validate=True)
    if kind == "tensor":
        dtype = getattr(dt, name)
        return from_buffer(np.frombuffer(raw, dtype.storage).reshape(shape).copy(), dtype)
    array = np.frombuffer(raw, np.dtype(name)).reshape(shape).copy()
    return array if kind == "array" else array[()]

"""What processes that train one network together agree on before they begin: who writes which checkpoints, and from which
one they go on."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

from anfora.communication import exchange, world
from anfora.core.cell import Cell
from anfora.core.errors import OpValueError
from anfora.nn.reducer import DistributedGradReducer
from anfora.train.callback.checkpoint import ModelCheckpoint

__all__ = ["agree"]


def agree(name: str, network: Cell, callbacks: list[Any], found: Path | None) -> None:
    """Let one process of those with the same folder write its checkpoints, the first one.

    Args:
        name: what is called, for messages.
        network: what is called at each step; if it has no reducer of gradients, the processes train each by itself.
        callbacks: those of this process.
        found: the file that this process would go on from.
    Raises:
        OpValueError: the processes would go on from different checkpoints.
    """
    group = world.group_of(None, name)
    if group.size == 1 or not isinstance(getattr(network, "grad_reducer", None), DistributedGradReducer):
        return
    writers = [callback for callback in callbacks if isinstance(callback, ModelCheckpoint)]
    own = [_mark(callback.directory) for callback in writers]
    message = json.dumps({"folders": own, "found": None if found is None else os.path.basename(found)}).encode()
    told = [json.loads(each) for each in exchange.gather_bytes(group, name, "a training begins", message)]
    if len({each["found"] for each in told}) > 1:
        files = ", ".join(f"process {rank}: {each['found'] or 'none'}" for rank, each in enumerate(told))
        raise OpValueError(
            f"{name}: the processes would go on from different checkpoints ({files})",
            help="name one file, or a folder that all processes see.",
        )
    for callback, mark in zip(writers, own):
        callback.is_writer = not any(mark in each["folders"] for each in told[: group.rank])


def _mark(folder: Path) -> str:
    """What tells folders apart, also those of the same name on different machines."""
    return hashlib.blake2b(f"{socket.gethostname()}:{folder}".encode(), digest_size=8).hexdigest()

"""Kernels that will be wanted, compiled together in all cores.

Each operator needs some kernels, which the machine may never have compiled. One after the other that takes a second for a
small network. What a walk back is going to call follows from what the tape has: so it is gone through once without running
a kernel, and what its calls need is compiled at once. Nothing of it is kept but kernels and entries, which are as they
would have become.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from anfora.core import slots
from anfora.core.refusal import is_ours
from anfora.core.settings import log
from anfora.eager.entry import Entry
from anfora.kernel import glue
from anfora.kernel.build import compile_ahead

__all__ = ["compile_for"]


def compile_for(work: Callable[[], object]) -> None:
    """Compile what the operators need that some work calls.

    Args:
        work: only calls operators, and changes nothing that is there; they give it zeros.
    """
    with _planning() as entries:
        try:
            work()
        except Exception as error:
            if not is_ours(error):  # the handler of a signal has raised it, which came just now
                raise
            log.debug("no more is compiled ahead: %s", error)  # where it is done in earnest, it is told
    compile_ahead(lambda: [entry.plan() for entry in dict.fromkeys(entries) if entry.needs_program])


@contextlib.contextmanager
def _planning() -> Iterator[list[Entry]]:
    """Let operators of this thread give tensors of zeros; gives their entries."""
    watcher = slots.watcher
    entries: list[Entry] = []
    outer, watcher.recorder, watcher.planned = watcher.recorder, None, entries
    who = threading.get_ident(), "ahead"
    glue.watch(who, True)  # no call goes past the Python path
    try:
        yield entries
    finally:
        glue.watch(who, False)
        watcher.recorder, watcher.planned = outer, None

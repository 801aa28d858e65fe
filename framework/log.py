"""Messages of programs and of this package, under MindSpore's name: `from anfora import log as logger`.

They go to the logger "anfora" of Python's `logging`, where they are given levels, formats and files:
`logging.getLogger("anfora").setLevel("INFO")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.core.settings import log

__all__ = ["critical", "debug", "error", "get_level", "info", "warning"]

debug, info, warning, error, critical = log.debug, log.info, log.warning, log.error, log.critical

_NUMBERS = {10: "0", 20: "1", 30: "2", 40: "3", 50: "4"}


def get_level() -> str:
    """The level from which messages are kept, as MindSpore numbers them: "0" debug, "1" info, "2" warning, "3" error,
    "4" critical.

    Example:
        >>> get_level()
        '2'
    """
    return _NUMBERS[min(max(log.getEffectiveLevel() // 10 * 10, 10), 50)]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)

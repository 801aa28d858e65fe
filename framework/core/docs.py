"""Documentation that is put together; `python -OO` leaves none."""

from __future__ import annotations

__all__ = ["behind_the_first_line"]


def behind_the_first_line(documented: object) -> str:
    """What a class says behind its first line, for those that share it."""
    return (documented.__doc__ or "").partition("\n")[2].rstrip()

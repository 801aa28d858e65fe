"""Errors of tensor expressions: each has a code, the place in the text where there is one, and a hint."""

from __future__ import annotations

from pathlib import Path

from anfora.core.errors import AnforaError

__all__ = ["KernelError", "KernelWarning"]


class KernelError(AnforaError, ValueError):
    """A kernel that cannot be, or a call that does not fit it.

    Args:
        code: `K-SYNTAX`, `K-CASE`, `K-RANK`, `K-SHAPE`, `K-LHS`, `K-UNDEF`, `K-NAME`, `K-INDEX`, `K-RANGE`, `K-TYPE`
            or `K-GRAD`.
        message: what was expected and what came.
        position: where in the text of the kernel, counted in characters from 0.
        text: the text of the kernel.
        help: what to do about it.
        arg: the argument at fault, in a call.
        key: what is at fault in a case: `("ins", 2)`, `("ranges", "r")`; `("", "nam")` a key itself, `()` the whole case.
        file: the file that the text is in, where it is in one.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        position: int | None = None,
        text: str | None = None,
        help: str | None = None,
        arg: str | None = None,
        key: tuple[str | int, ...] | None = None,
        file: str | Path | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}", help=help, arg=arg)
        self.code, self.position, self.key = code, position, key
        if text is not None and position is not None:
            self.point(text, position, file)

    def point(self, text: str, position: int, file: str | Path | None = None) -> None:
        """Say that this is the place: line and column, the line, and a caret below."""
        self.place = _place(text, position, file)

    def __reduce__(self) -> tuple:
        return _rebuild, (self.code, self.message, self.help, self.arg, self.position, self.place)


def _place(text: str, position: int, file: str | Path | None) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)]
    number, column = text.count("\n", 0, position) + 1, position - start + 1
    lead = "".join("\t" if c == "\t" else " " for c in line[: column - 1])
    return f"  {f'{file}, ' if file else ''}line {number}, column {column}\n      {line}\n      {lead}^"


def _rebuild(
    code: str, message: str, help: str | None, arg: str | None, position: int | None, place: str | None
) -> KernelError:
    error = KernelError(code, message.removeprefix(f"{code}: "), position=position, help=help, arg=arg)
    error.place = place
    return error


class KernelWarning(UserWarning):
    """A kernel that means something else than it seems to."""

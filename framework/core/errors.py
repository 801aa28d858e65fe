"""Errors for a user at night: where, what was expected, what came, what to do.

    OpTypeError: log_softmax needs a floating-point tensor for `input`, but got int32[8, 10].
      train.py:21, in Net.construct  (net.head)
          return ops.log_softmax(labels)
                                 ^^^^^^
      help: convert it first, e.g. labels.astype(float32).

An error is made with its message and help; where it happened is found when an operator raises it (`locate`), or when it
is shown, from the frames of the program, outside this package. Each class is also the built-in exception that a Python
programmer would catch.
"""

from __future__ import annotations

__all__ = [
    "AnforaError", "AnforaWarning", "MissingAttribute", "OpAttributeError", "OpBufferError", "OpIndexError",
    "OpRuntimeError", "OpTypeError", "OpValueError", "OpZeroDivisionError", "lost_parts", "no_complex",
]  # fmt: skip


class AnforaError(Exception):
    """Base of the errors that this package raises.

    Args:
        message: what was expected and what came, one sentence.
        help: what to do about it.
        arg: name of the operator's argument at fault; the caret points at it.

    Example:
        >>> try:
        ...     Tensor([1.0, 2.0]) + Tensor([1.0, 2.0, 3.0])
        ... except AnforaError as error:
        ...     type(error).__name__
        'OpValueError'
    """

    def __init__(self, message: str, *, help: str | None = None, arg: str | None = None) -> None:
        super().__init__(message)
        self.message, self.help, self.arg = message, help, arg
        self.place: str | None = None  # set once, by the operator that was called, or when it is shown

    def __str__(self) -> str:
        lines = [self.message]
        if self.place is None and self.__traceback__ is not None:
            from anfora.core.span import locate_raise  # core's own modules raise these errors

            self.place = locate_raise(self.__traceback__, self.arg)
        if self.place:
            lines.append(self.place)
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple:
        return _rebuild, (type(self), self.message, self.help, self.arg, self.place)


def _rebuild(cls: type, message: str, help: str | None, arg: str | None, place: str | None) -> AnforaError:
    error = cls(message, help=help, arg=arg)
    error.place = place
    return error


class OpTypeError(AnforaError, TypeError):
    """An argument has a type or an element type that the operator does not take."""


def no_complex(name: str, given: object, arg: str) -> OpTypeError:
    """What a function says that has no meaning for complex numbers; it never drops imaginary parts instead."""
    return OpTypeError(
        f"{name} takes no complex numbers, but got {given!r}",
        arg=arg,
        help="it may be done to real(x), imag(x) or abs(x).",
    )


def lost_parts(dtype: object, arg: str | None, wide: object) -> OpTypeError:
    """What is said where a program writes complex numbers to a tensor of real ones: half of what it wrote would be lost."""
    return OpTypeError(
        f"complex numbers do not fit into a tensor of {dtype}: their imaginary parts would be lost",
        arg=arg,
        help=f"convert the tensor first, e.g. x = x.astype({wide}), or take real(value) or abs(value).",
    )


class OpValueError(AnforaError, ValueError):
    """An argument has the right type and a value or shape that does not fit."""


class OpIndexError(AnforaError, IndexError):
    """An index is outside the axis it points into."""


class OpZeroDivisionError(AnforaError, ZeroDivisionError):
    """An integer was divided by zero."""


class OpRuntimeError(AnforaError, RuntimeError):
    """The call makes no sense in this state, e.g. a gradient of memory that has been overwritten."""


class OpBufferError(AnforaError, BufferError):
    """Memory that cannot be shared with another library."""


class OpAttributeError(AnforaError, AttributeError):
    """A name that is not there."""


class MissingAttribute(OpAttributeError):
    """An object has no such attribute, or reading it has raised; where there is no other help, it names the nearest one.

    Args:
        owner: the object;  missing: the name.
    """

    def __init__(
        self, message: str, *, help: str | None = None, arg: str | None = None, owner: object = None, missing: str = ""
    ) -> None:
        super().__init__(message, help=help, arg=arg)
        self.owner, self.missing = owner, missing

    def __str__(self) -> str:
        self._find_help()
        return super().__str__()

    def __reduce__(self) -> tuple:
        self._find_help()  # another process does not have the object
        return super().__reduce__()

    def _find_help(self) -> None:
        """Looked for where somebody reads it: `hasattr` does not."""
        if self.help is not None or not self.missing:
            return
        from anfora.core.nearest import nearest

        names = dir(self.owner)
        if self.missing in names:  # Python asks `__getattr__` too where a property raises an AttributeError
            self.help = f"{self.missing} is there, but reading it raised an AttributeError."
        else:
            found = nearest(self.missing, names)
            self.help = f"did you mean {found}?" if found else None


class AnforaWarning(UserWarning):
    """What is allowed, and is hardly ever what somebody wants: told once, with the line of the program.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore", AnforaWarning)  # or "error", to stop there
        ...     load_param_into_net(nn.Dense(1, 1), {"another": Tensor([1.0])})
        (['weight', 'bias'], ['another'])
    """

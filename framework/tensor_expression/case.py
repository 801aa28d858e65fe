"""What a kernel is made from: names, element type, text; read from JSON or given as Python values, and checked."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anfora.tensor_expression import syntax
from anfora.tensor_expression.errors import KernelError
from anfora.tensor_expression.json_text import JsonText

__all__ = ["C_WORDS", "DTYPES", "Case"]

DTYPES = {
    "float": "float32", "float32": "float32", "double": "float64", "float64": "float64", "int": "int32", "int32": "int32",
}  # fmt: skip

#: Words that are no names in C.
C_WORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while""".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Case:
    """A kernel as its author gives it.

    Args:
        name: C identifier, the name of the function.
        ins: names of the inputs.
        outs: names of the results; a name in both lists has an initial value and a new one.
        data_type: `float`, `double` or `int`, for everything in the kernel.
        kernel: the text.
        grad_to: the inputs to differentiate to; None for all.
        temps: names that are kept only while the kernel runs.
        ranges: for index names, how many values they take.
        grad_name: the name of the gradient's function; None for the case's own where that begins with `grad_`, as in cases
            that are there for their gradient only, else for the name with `_grad` behind it.
        origin: the JSON text that it comes from; errors point into it.
    Raises:
        KernelError: K-CASE, or K-GRAD for `grad_to`.
    """

    name: str
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    data_type: str
    kernel: str
    grad_to: tuple[str, ...] | None = None
    temps: tuple[str, ...] = ()
    ranges: Mapping[str, int] = field(default_factory=dict)
    grad_name: str | None = None
    origin: JsonText | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for key in ("name", "grad_name"):
            name = getattr(self, key)
            is_name = isinstance(name, str) and _is_identifier(name) and name not in C_WORDS
            if not is_name and (key == "name" or name is not None):
                raise KernelError("K-CASE", f"`{key}` must be a C identifier, not {name!r}", key=(key,))
        for key in ("ins", "outs", "temps"):
            object.__setattr__(self, key, _names(key, getattr(self, key)))
        if not self.outs:
            raise KernelError("K-CASE", "`outs` is empty: a kernel needs a result", key=("outs",))
        for number, name in enumerate(self.temps):
            if name in self.ins or name in self.outs:
                other = "ins" if name in self.ins else "outs"
                raise KernelError("K-CASE", f"`{name}` is in `temps` and in `{other}`", key=("temps", number))
        if not isinstance(self.data_type, str) or self.data_type not in DTYPES:
            raise KernelError(
                "K-CASE", f"`data_type` must be one of {', '.join(DTYPES)}, not {self.data_type!r}", key=("data_type",)
            )  # fmt: skip
        if not isinstance(self.kernel, str):
            raise KernelError("K-CASE", f"`kernel` must be a text, not {type(self.kernel).__name__}", key=("kernel",))
        if not isinstance(self.ranges, Mapping):
            raise KernelError(
                "K-CASE", f"`ranges` maps index names to lengths, but is {self.ranges!r}", key=("ranges",)
            )
        for index, length in self.ranges.items():
            if not isinstance(length, int) or isinstance(length, bool) or length < 1:
                raise KernelError(
                    "K-CASE", f"the range of `{index}` must be a whole number of at least 1, not {length!r}",
                    key=("ranges", index),
                )  # fmt: skip
        object.__setattr__(self, "ranges", dict(self.ranges))
        if self.grad_to is not None:
            self._check_grad_to()

    def __hash__(self) -> int:
        return hash((self.name, self.ins, self.outs, self.data_type, self.kernel, self.grad_to, self.temps))

    @property
    def gradient_name(self) -> str:
        """The name of the gradient's function."""
        return self.grad_name or (self.name if self.name.startswith("grad_") else f"{self.name}_grad")

    @property
    def dtype(self) -> str:
        """The name of the element type: float32, float64 or int32."""
        return DTYPES[self.data_type]

    def _check_grad_to(self) -> None:
        if isinstance(self.grad_to, str) or not isinstance(self.grad_to, Sequence):
            raise KernelError("K-GRAD", f"`grad_to` is a list of names, but is {self.grad_to!r}", key=("grad_to",))
        object.__setattr__(self, "grad_to", tuple(self.grad_to))
        if not self.grad_to:
            raise KernelError(
                "K-GRAD", "`grad_to` is empty", help="leave it out to differentiate to all inputs.", key=("grad_to",)
            )
        if len(set(map(repr, self.grad_to))) < len(self.grad_to):
            raise KernelError(
                "K-GRAD", f"`grad_to` has a name twice: {', '.join(map(str, self.grad_to))}", key=("grad_to",)
            )
        if self.dtype == "int32":
            raise KernelError(
                "K-GRAD", "a kernel of whole numbers has no gradient", help="use data_type float.", key=("data_type",)
            )
        if len(self.outs) != 1:
            raise KernelError(
                "K-GRAD", f"`grad_to` needs exactly one result, but `outs` has {len(self.outs)}", key=("outs",)
            )
        for number, name in enumerate(self.grad_to):
            if name not in self.ins and name not in self.outs:
                near = difflib.get_close_matches(str(name), self.ins, 1)
                raise KernelError(
                    "K-GRAD", f"`grad_to` names {name!r}, which is no input",
                    help=f"did you mean `{near[0]}`?" if near else None, key=("grad_to", number),
                )  # fmt: skip

    @classmethod
    def of(cls, mapping: Any, origin: JsonText | None = None) -> Case:
        """The case that a mapping, such as a JSON object, describes."""
        if not isinstance(mapping, Mapping):
            raise KernelError("K-CASE", f"a case is an object with keys, not {type(mapping).__name__}", key=())
        known = ("name", "ins", "outs", "data_type", "kernel", "grad_to", "temps", "ranges", "grad_name")
        for key in known[:5]:
            if key not in mapping:
                raise KernelError(
                    "K-CASE", f"the case has no key `{key}`", help=f"it needs {', '.join(known[:5])}.", key=()
                )
        for key in mapping:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, 1)
                raise KernelError(
                    "K-CASE", f"the case has an unknown key {key!r}",
                    help=f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}.", key=("", key),
                )  # fmt: skip
        return cls(**mapping, origin=origin)

    @classmethod
    def from_json(cls, path: str | Path) -> Case:
        """The case in a JSON file."""
        try:
            text = Path(path).read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise KernelError("K-CASE", f"not text in UTF-8 in {path}, at byte {error.start}") from None
        except ValueError as error:  # a NUL in the name
            raise KernelError("K-CASE", f"{str(path)!r} is no name of a file: {error}") from None
        try:
            mapping = json.loads(text)
        except json.JSONDecodeError as error:
            raise KernelError("K-CASE", f"not JSON: {error.msg}", position=error.pos, text=text, file=path) from None
        except (ValueError, RecursionError) as error:  # a number of too many digits; brackets in too many brackets
            raise KernelError("K-CASE", f"not JSON that can be read in {path}: {error}") from None
        origin = JsonText(str(path), text)
        with origin.located():
            return cls.of(mapping, origin)

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        name: str = "kernel",
        ins: Sequence[str] | None = None,
        outs: Sequence[str] | None = None,
        data_type: str = "float",
        grad_to: Sequence[str] | None = None,
        temps: Sequence[str] = (),
        ranges: Mapping[str, int] | None = None,
        grad_name: str | None = None,
    ) -> Case:
        """The case of a text. Where they are not given, results are what is assigned and not in `temps`, in order, and
        inputs what is only read, in order."""
        if not isinstance(text, str):
            raise KernelError("K-CASE", f"a kernel is a text or a case, not {type(text).__name__}")
        if ins is None or outs is None:
            statements = syntax.parse(text)
            assigned = dict.fromkeys(s.target.name for s in statements if s.target.name not in tuple(temps))
            read = dict.fromkeys(r.name for s in statements for r in syntax.references(s.value))
            outs = tuple(assigned) if outs is None else outs
            ins = tuple(n for n in read if n not in assigned and n not in tuple(temps)) if ins is None else ins
        return cls(name, tuple(ins), tuple(outs), data_type, text,
                   grad_to, tuple(temps), ranges or {}, grad_name)  # type: ignore[arg-type]  # fmt: skip


def _names(key: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise KernelError("K-CASE", f"`{key}` is a list of names, but is {names!r}", key=(key,))
    for number, name in enumerate(names):
        if not isinstance(name, str) or not _is_identifier(name):
            raise KernelError("K-CASE", f"`{key}` has {name!r}, which is no name", key=(key, number))
        if name in names[:number]:
            raise KernelError("K-CASE", f"`{key}` has `{name}` twice", key=(key, number))
    return tuple(names)


def _is_identifier(name: str) -> bool:
    return name.isascii() and name.isidentifier()

"""Where in a JSON text its values stand, so that an error in a case points at what is wrong there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Union

from anfora.tensor_expression.errors import KernelError

__all__ = ["JsonText"]

Path = tuple[Union[str, int], ...]

_BLANK = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"[^,\]}\s]+")
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)


@dataclass(frozen=True)
class JsonText:
    """A text that is JSON, and the file that it is in."""

    file: str
    text: str

    @contextmanager
    def located(self) -> Iterator[None]:
        """Errors of a case that are raised within point into the text."""
        try:
            yield
        except KernelError as error:
            if error.position is not None:
                error.point(self.text, self.inside("kernel", error.position), self.file)
            elif error.key is not None:
                error.point(self.text, self.places.get(error.key, self.places[()]), self.file)
            raise

    @property
    def places(self) -> dict[Path, int]:
        """For each value, by its path, where it begins; under `("", key)` where a key of the outermost object does."""
        found: dict[Path, int] = {}
        self._value(self._after_blank(0), (), found)
        return found

    def inside(self, key: str, position: int) -> int:
        """Where a character of a string stands; the string is the value of a key."""
        at = self.places[key,] + 1
        for _ in range(position):
            match = _CHARACTER.match(self.text, at)
            assert match is not None
            at = match.end()
        return at

    def _after_blank(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        assert match is not None
        return match.end()

    def _value(self, at: int, path: Path, found: dict[Path, int]) -> int:
        """Note where a value begins, and those in it; returns where it ends."""
        found[path] = at
        opened = self.text[at]
        if opened not in "{[":
            match = (_STRING if opened == '"' else _SCALAR).match(self.text, at)
            assert match is not None
            return match.end()
        at = self._after_blank(at + 1)
        number = 0
        while self.text[at] not in "}]":
            key: str | int = number
            if opened == "{":
                match = _STRING.match(self.text, at)
                assert match is not None
                key = json.loads(match.group())
                if not path:
                    found["", key] = at
                at = self._after_blank(self._after_blank(match.end()) + 1)  # behind the colon
            at = self._after_blank(self._value(at, (*path, key), found))
            if self.text[at] == ",":
                at = self._after_blank(at + 1)
            number += 1
        return at + 1

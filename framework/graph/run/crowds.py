"""Points from which the program goes on in many ways: by the length of a text, by a position in it, by the size of a
picture.

    for text in texts:                        each length has a layout of its own, each layout a guard,
        loss = train_step(text)               each guard a piece of its own

The first ways are compiled as they come. Who comes with more is likely to come with more still, and a way that is taken
once is not worth its compilation: it is run by Python, until it has come some times. What tells the ways apart is what
their guards ask, and get different answers to; so a call looks up the answers in a table, and does not try way by way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anfora.graph.facts.origins import Emitter, Origin
from anfora.graph.run.guards import write_guard

__all__ = ["Crowd"]

#: Times that the same answers have come, when they are worth a compilation. To compile one more shape takes as long as five
#: to ten runs of it by Python, where all kernels are there already (benchmarks/lengths.py).
_REPEATED = 8
_MOST = 512  #: ways from one point
_MOST_ALIKE = 12  #: those among them with the same answers
_MOST_SEEN = 10_000  #: answers that are counted


class Crowd:
    """The ways from a point, by what tells them apart.

    Args:
        variants: the first ways.
    """

    def __init__(self, variants: Sequence[Any]) -> None:
        known = [_answers(variant.piece.guards) for variant in variants]
        asked, self.answers = _questions(variants[0].piece.guards, known)
        self.is_possible = bool(asked)  #: whether there is anything that tells them apart
        self._others: list[Any] = []  #: ways that do not ask all of it
        self._ways: dict[tuple | None, list[Any]] = {}
        for variant, answers in zip(variants, known):
            if all(question in answers for question in asked):
                self._ways.setdefault(tuple([answers[question] for question in asked]), []).append(variant)
            else:
                self._others.append(variant)
        self._count = len(variants)
        self._seen: Counter[tuple | None] = Counter()

    def ways(self, values: Sequence[Any]) -> list[Any]:
        """Those of the ways that may be the one from here."""
        found = self._ways.get(self.answers(values))
        if found is None:
            return self._others
        return found + self._others if self._others else found

    def add(self, answers: tuple | None, variant: Any) -> None:
        """One more way."""
        self._ways.setdefault(answers, []).append(variant)
        self._count += 1

    def is_worth_it(self, answers: tuple | None, is_patient: bool) -> bool:
        """Whether what has come now, and is none of the ways, is to become one.

        Args:
            is_patient: only if it has come some times.
        """
        if self._count >= _MOST or len(self._ways.get(answers, ())) >= _MOST_ALIKE:
            return False
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[answers] += 1
        return not is_patient or self._seen[answers] >= _REPEATED


def _questions(guards: Sequence[tuple], known: Sequence[dict]) -> tuple[list[tuple], Callable]:
    """What tells ways apart, and a function that gives the answers, from what stands in slots, or None.

    What is read from something is asked only if its type is among what all ways share, and that is checked in front of it:
    no code of the program is run. Nothing else that they share is: each way asks for it when it is run.

    Args:
        guards: of the first way.
        known: the answers of each way.
    """
    asked: list[tuple] = []
    shared: list[tuple] = []
    sure: set[Any] = set()  # paths of values of which the type is known
    for guard in guards:
        kind, origin, _ = guard
        path = _path(origin)
        question = kind, path
        if kind not in _TEXTS or not all(base.kind == "known" or _path(base) in sure for base in _bases(origin)):
            continue
        wanted = {answers[question] for answers in known if question in answers}
        if len(wanted) > 1:
            if path in sure or kind not in _OF_TENSORS_AND_CONTAINERS:
                asked.append(guard)
        elif kind in _KNOWING and all(question in answers for answers in known):
            shared.append(guard)
            sure.add(path)
    emit = Emitter()
    needed = {path for _, origin, _ in asked for path in _way_to(origin)}
    for kind, origin, payload in shared:
        if _path(origin) in needed:
            write_guard(emit, kind, origin, payload)
    parts = [_TEXTS[kind](emit, origin) for kind, origin, _ in asked]
    questions = [(kind, _path(origin)) for kind, origin, _ in asked]
    return questions, emit.function(f"({''.join(f'{part}, ' for part in parts)})")


def _way_to(origin: Origin) -> Iterator[Any]:
    """The paths of a value and of what it is read from."""
    yield _path(origin)
    for base in _bases(origin):
        yield from _way_to(base)


def _answers(guards: Sequence[tuple]) -> dict[tuple, Any]:
    """By kind of guard and path of the origin: the answer that a way wants."""
    return {(kind, _path(origin)): _ANSWERS[kind](payload) for kind, origin, payload in guards if kind in _ANSWERS}


def _bases(origin: Origin) -> list[Origin]:
    """What it is read from."""
    bases = origin.base if isinstance(origin.base, tuple) else (origin.base,)
    return [base for base in bases if isinstance(base, Origin)]


def _path(origin: Any) -> Any:
    """An origin in a form that is the same for two recordings."""
    if not isinstance(origin, Origin):
        return _constant(origin)
    base = tuple(map(_path, origin.base)) if isinstance(origin.base, tuple) else _path(origin.base)
    return origin.kind, origin.key if type(origin.key) in (int, str) else id(origin.key), base


def _constant(value: Any) -> tuple:
    """What of a constant is looked at: never a method of the program's."""
    kind = type(value)
    if kind is float or kind is complex:
        return kind, repr(value)
    return (kind, value) if kind in (int, str, bool, bytes) else (kind,)


#: By kind of guard: its payload as an answer, and the text of the question. Layouts live only as long as somebody has them.
_ANSWERS: dict[str, Callable[[Any], Any]] = {
    "layout": lambda layout: layout, "equal": _constant, "type": id, "number": id, "is": id, "length": int, "keys": len,
}  # fmt: skip
_TEXTS: dict[str, Callable[[Emitter, Origin], str]] = {
    "layout": lambda emit, origin: f"current({emit.name(origin)})._layout",
    "equal": lambda emit, origin: f"{emit.constant(_constant)}({emit.name(origin)})",
    "type": lambda emit, origin: f"{emit.constant(id)}(type({emit.name(origin)}))",
    "number": lambda emit, origin: f"{emit.constant(id)}(type({emit.name(origin)}))",
    "is": lambda emit, origin: f"{emit.constant(id)}({emit.name(origin)})",
    "length": lambda emit, origin: f"len({emit.name(origin)})",
    "keys": lambda emit, origin: f"len({emit.name(origin)})",
}
_OF_TENSORS_AND_CONTAINERS = ("layout", "length", "keys")
#: Guards that tell the type of something.
_KNOWING = ("type", "number", "is", "equal")

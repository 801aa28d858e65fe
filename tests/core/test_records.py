"""Records are what `dataclass(frozen=True)` makes, whenever the first one is made."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from functools import cached_property

import pytest

from anfora.core import records
from anfora.core.records import Record

FIELDS = """
    x: int
    y: float = 0.5
    parts: list = dataclasses.field(default_factory=list, compare=False)

    @cached_property
    def double(self): return 2 * self.x

    @classmethod
    def one(cls): return cls(1)
"""


def both():
    """A record and its twin that is a dataclass from the start."""
    scope = {"dataclasses": dataclasses, "cached_property": cached_property, "Record": Record, "__name__": __name__}
    exec(f"from __future__ import annotations\nclass Point(Record):{FIELDS}", scope)
    record = scope["Point"]
    exec(f"from __future__ import annotations\n@dataclasses.dataclass(frozen=True)\nclass Point:{FIELDS}", scope)
    return record, scope["Point"]


def answer(make):
    try:
        return repr(make())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(
    "use",
    [
        lambda P: P(1), lambda P: P(1, y=2.0), lambda P: P(), lambda P: P(1, 2, 3, 4), lambda P: P(1, z=2),
        lambda P: P.one(), lambda P: P(3).double, lambda P: P(1) == P(1), lambda P: P(1) == P(2),
        lambda P: P(1) != (1, 0.5), lambda P: hash(P(1)) == hash(P(1, 0.5, [1])), lambda P: {P(1): 2}[P(1)],
        lambda P: setattr(P(1), "x", 2), lambda P: delattr(P(1), "x"), lambda P: P(1) < P(2),
        lambda P: dataclasses.replace(P(1), x=5), lambda P: dataclasses.astuple(P(1)),
        lambda P: [each.name for each in dataclasses.fields(P(1))], lambda P: copy.deepcopy(P(1, 2, [3])),
        lambda P: P.y, lambda P: (P(1), P.__match_args__)[1], lambda P: P(1).parts is P(1).parts,
        lambda P: type("Wider", (P,), {"z": 3})(1), lambda P: isinstance(P(1), P),
    ],
)  # fmt: skip
def test_a_record_is_a_frozen_dataclass(use):
    record, twin = both()
    assert answer(lambda: use(record)) == answer(lambda: use(twin))


class Base(Record):
    x: int = 1


class Derived(Base):
    y: int = 2


def test_who_comes_first_of_a_family():
    assert repr(Derived(5)) == "Derived(x=5, y=2)" and repr(Base()) == "Base(x=1)"

    class Further(Derived):
        z: int = 3

    assert repr(Further()) == "test_who_comes_first_of_a_family.<locals>.Further(x=1, y=2, z=3)"
    assert pickle.loads(pickle.dumps(Derived(5))) == Derived(5)


@pytest.mark.parametrize("step", range(8))
def test_what_is_broken_off_is_begun_anew(step, monkeypatch):
    record, twin = both()
    real = dataclasses._set_new_attribute if step else None
    seen = []

    def stopped(cls, name, value):
        seen.append(name)
        if len(seen) == step:
            raise KeyboardInterrupt
        return real(cls, name, value)

    with monkeypatch.context() as patched:
        if real is not None:
            patched.setattr(dataclasses, "_set_new_attribute", stopped)
        try:
            record(1)
        except KeyboardInterrupt:
            assert type(record) is records._Waiting
    assert repr(record(1)) == repr(twin(1)) and record(1).parts == [] and record(1) == record(1)


def test_threads_that_meet_a_class_make_it_once():
    for _ in range(20):
        record, _ = both()
        gate, found = threading.Barrier(8), []

        def make(record=record, gate=gate, found=found):
            gate.wait()
            found.append({record(1): 1}.get(record(1)))

        threads = [threading.Thread(target=make) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert found == [1] * 8


class Late(Record):
    x: int


class _OfLate:
    def __reduce__(self):
        return object.__new__, (Late,), {"x": 3}


def test_the_first_one_may_come_by_pickle():
    found = pickle.loads(pickle.dumps(_OfLate()))
    assert repr(found) == "Late(x=3)" and found == Late(3) and hash(found) == hash(Late(3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.x = 4

"""The tags of classes: found on every CPython, and another one behind each change."""

from __future__ import annotations

from anfora.core.class_versions import NEVER, version_of


def test_a_change_of_a_class_or_of_a_base_is_told():
    class Base:
        pass

    class Kind(Base):
        pass

    seen = {NEVER}
    for change in range(6):
        for owner in (Kind, Base):
            setattr(owner, f"name{change % 3}", change)
            assert version_of(Kind) == version_of(Kind) not in seen
            seen.add(version_of(Kind))
    del Base.name0
    assert version_of(Kind) not in seen

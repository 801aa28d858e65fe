"""Variables of the environment are those of `os.environ`, also when they change."""

from __future__ import annotations

import os

from anfora.core.environment import variable


def test_a_variable_is_what_the_environment_has(monkeypatch):
    for value in ("1", "a b", "ü", "\udcff", ""):
        monkeypatch.setenv("ANFORA_OF_A_TEST", value)
        assert variable("ANFORA_OF_A_TEST") == os.environ["ANFORA_OF_A_TEST"] == value
    monkeypatch.delenv("ANFORA_OF_A_TEST")
    assert variable("ANFORA_OF_A_TEST") == ""

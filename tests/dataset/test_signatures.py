"""The names, arguments and defaults of MindSpore 2.10, written down in signatures.json."""

from __future__ import annotations

import enum
import importlib
import inspect
import json
from pathlib import Path

import pytest

TABLE = json.loads(Path(__file__).with_name("signatures.json").read_text())


def default(value):
    if value is inspect.Parameter.empty:
        return None
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    return value.__name__ if isinstance(value, type) else repr(value).replace("anfora.", "")


@pytest.mark.parametrize("name", TABLE)
def test_signature(name):
    path, _, word = name.rpartition(".")
    found = getattr(importlib.import_module(f"anfora.{path}"), word)
    if isinstance(TABLE[name], dict):
        assert {key: str(member.value) for key, member in found.__members__.items()} == TABLE[name]
        return
    parameters = inspect.signature(found).parameters.values()
    assert [[p.name, default(p.default)] for p in parameters if p.name != "self"] == TABLE[name]


def test_settings_from_a_file(tmp_path, monkeypatch):
    config = importlib.import_module("anfora.dataset.config")
    for name in ("_seed", "_times", "_workers"):
        monkeypatch.setattr(config, name, getattr(config, name))  # as they are now, afterwards
    before = config.get_prefetch_size()
    (tmp_path / "a.json").write_text('{"seed": 7, "numParallelWorkers": 1, "prefetchSize": 3, "opConnectorSize": 2}')
    config.load(str(tmp_path / "a.json"))
    assert (config.get_seed(), config.get_num_parallel_workers(), config.get_prefetch_size()) == (7, 1, 3)
    config.set_prefetch_size(before)
    with pytest.raises(RuntimeError, match="cannot be read as JSON"):
        config.load(str(tmp_path / "none.json"))
    (tmp_path / "a.json").write_text("3")
    with pytest.raises(RuntimeError, match="it holds no object"):
        config.load(str(tmp_path / "a.json"))

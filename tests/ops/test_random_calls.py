"""A sample of `benchmarks/random_calls.py`: calls with odd arguments end, and say the same each time and in both modes."""

from __future__ import annotations

import importlib.util
import pathlib
import signal
import warnings

import pytest

_FILE = pathlib.Path(__file__).parent.parent.parent / "benchmarks" / "random_calls.py"


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("random_calls", _FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    before = signal.signal(signal.SIGALRM, module._late)
    yield module
    signal.signal(signal.SIGALRM, before)


def test_calls_end_and_repeat(tool):
    known = tool.functions()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [tool.try_call(number, 7, known) for number in range(60)]
    assert not [words for words in found if words is not None and not words.startswith("inner")]

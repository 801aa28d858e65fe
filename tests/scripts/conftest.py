"""Programs that choose a mode, a number of threads and a seed for their process, run in that of the tests."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

import anfora as ms
import anfora.dataset as ds


@contextlib.contextmanager
def _settings_come_back() -> Iterator[None]:
    threads, mode, seed = ms.get_num_threads(), ms.get_context("mode"), ds.config.get_seed()
    yield
    ms.set_num_threads(threads)
    ms.set_context(mode=mode)
    ds.config.set_seed(seed)


@pytest.fixture(scope="session")
def settings_come_back() -> Callable[[], contextlib.AbstractContextManager[None]]:
    """For fixtures that run such a program."""
    return _settings_come_back


@pytest.fixture(autouse=True)
def _settings_come_back_after_a_test() -> Iterator[None]:
    with _settings_come_back():
        yield

"""The examples in docstrings run, and every public class and function has one."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import anfora
from anfora import nn, optim

MODULES = [
    "adafactor", "adagrad", "adam", "asgd", "checks", "dynamic_lr", "groups", "lamb", "lr_scheduler", "optimizer",
    "options", "options_adam", "options_sgd", "proximal", "rprop", "schedule", "sgd", "update",
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    module = importlib.import_module(f"anfora.optim.{name}")
    names = {"optim": optim, "Tensor": anfora.Tensor, "Parameter": anfora.Parameter}
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module, module.__name__, globs=names):
        runner.run(test)
    assert runner.failures == 0


@pytest.mark.parametrize("place", [optim, optim.experimental, optim.lr_scheduler], ids=lambda place: place.__name__)
def test_everything_public_has_an_example(place) -> None:
    for name in place.__all__:
        item = getattr(place, name)
        if not inspect.ismodule(item):
            assert ">>>" in (item.__doc__ or ""), name


def test_nn_has_the_same_names() -> None:
    for name in optim.__all__:
        if not inspect.ismodule(getattr(optim, name)):
            assert getattr(nn, name) is getattr(optim, name)

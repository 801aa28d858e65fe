"""What the documentation shows is what one gets: examples in docstrings, and the programs in the texts."""

from __future__ import annotations

import builtins
import doctest
import importlib
import inspect
import re

import numpy as np
import pytest
from test_package import FILES, ROOT, module_name

from anfora.core.op import Op

MODULES = [module_name(file) for file in FILES if ">>>" in file.read_text()]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name, tmp_path, monkeypatch):
    import anfora
    from anfora import nn, ops, optim

    monkeypatch.chdir(tmp_path)
    # As after `from anfora import *`, and for operators `from anfora.ops import *`, Python's own functions kept.
    known = {name: getattr(anfora, name) for name in anfora.__all__}
    known |= {name: getattr(ops, name) for name in ops.__all__ if name not in vars(builtins)}
    known |= {"anfora": anfora, "ms": anfora, "np": np, "nn": nn, "ops": ops, "optim": optim}
    module = importlib.import_module(name)
    known |= {name: value for name, value in vars(module).items() if not inspect.ismodule(value)}
    tests = doctest.DocTestFinder().find(module, name, globs=known)
    for item in vars(module).values():
        if isinstance(item, Op) and item.__module__ == name:  # an instance: the finder passes it by
            tests.append(doctest.DocTestParser().get_doctest(inspect.getdoc(item), dict(known), item.name, name, 0))
    failures = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        runner.run(test, out=failures.append)
    assert runner.failures == 0, "".join(failures)


#: A program that only makes sense for its error, or as a part, is not marked as Python.
@pytest.mark.parametrize("text", ["README.md", "docs/design.md", "docs/training.md", "CONTRIBUTING.md"])
def test_programs_in_texts_run(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for program in re.findall(r"^```python\n(.*?)^```", (ROOT / text).read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(program, text, "exec"), {"__name__": "readme"})

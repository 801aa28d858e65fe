"""The page `docs/tensor_expression.md`: its programs run, its commands too, and what it says they print they print."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import shlex
from pathlib import Path

import pytest

from anfora.tensor_expression.__main__ import main

PAGE = Path(__file__).parents[2] / "docs" / "tensor_expression.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```(?:\n+prints\n+```\n(.*?)```)?", re.S)


@pytest.mark.skipif(not PAGE.exists(), reason="the tests stand without the documentation")
def test_page(tmp_path, monkeypatch):
    """One after the other, in one folder and one namespace, as a reader would."""
    monkeypatch.chdir(tmp_path)
    scope: dict = {"__name__": "page"}
    count = 0
    for language, text, printed in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        out = io.StringIO()
        if language == "json":
            Path("conv.json").write_text(text)
        elif language == "python":
            name = f"<{PAGE.name}, program {count}>"
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)  # where `jit` looks for source
            with contextlib.redirect_stdout(out):
                exec(compile(text, name, "exec"), scope)
        elif language == "sh":
            for line in text.replace("\\\n", " ").splitlines():
                words = shlex.split(line)
                assert words[:3] == ["python", "-m", "anfora.tensor_expression"]
                with contextlib.redirect_stdout(out):
                    assert main(words[3:]) == 0
        else:
            continue
        count += 1
        if printed:
            assert out.getvalue().strip() == printed.strip()
    assert count >= 10

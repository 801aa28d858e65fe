"""The guides: each program runs, one after the other in one namespace and folder, and prints what stands below it."""

from __future__ import annotations

import contextlib
import fnmatch
import io
import linecache
import re

import pytest
from test_package import ROOT

import anfora

GUIDES = [
    "index",
    "first_network",
    "compile",
    "reproduce",
    "seeing",
    "custom_op",
    "mindir",
    "from_pytorch",
    "from_mindspore",
    "exchange",
]
PROGRAM = re.compile(r"```python\n(.*?)```\n(?:```text\n(.*?)```)?", re.S)


@pytest.mark.parametrize("guide", GUIDES)
def test_programs_run_and_print_what_is_told(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict = {"__name__": "guide"}
    programs = PROGRAM.findall((ROOT / "docs" / f"{guide}.md").read_text())
    assert programs
    try:
        for number, (text, told) in enumerate(programs):
            name = f"<{guide}.md, program {number}>"
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)  # where `jit` looks for source
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, name, "exec"), scope)
            pattern = re.sub(r"([\[?])", r"[\1]", told.strip()).replace("…", "*")
            shown = out.getvalue().strip()
            assert fnmatch.fnmatchcase(shown, pattern) or fnmatch.fnmatchcase(shown, pattern + "*" * ("…" in told))
    finally:
        anfora.set_context(mode=anfora.PYNATIVE_MODE)

"""The page on deepx IR: its programs run, and print what stands beside them; its tables name everything."""

from __future__ import annotations

import linecache
import pathlib
import re

from anfora import deepx
from anfora.deepx.errors import CODES
from anfora.deepx.forms import FORMS

TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "deepx.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def test_programs_run_and_print_what_the_page_says(capsys):
    [first] = blocks("deepx")
    known = {"text": first}
    expected = []
    for number, program in enumerate(blocks("python")):
        name = f"<docs/deepx.md, program {number}>"
        linecache.cache[name] = (len(program), None, program.splitlines(True), name)  # where `export` looks for source
        exec(compile(program, name, "exec"), known)
        expected += re.findall(r"^ *print\(.*\) +# (.*)$", program, re.MULTILINE) or blocks("text")
    expected = "\n".join(line.strip("\n") for line in expected) + "\n"
    assert capsys.readouterr().out == expected
    assert expected.count("\n") > 8


def test_the_tables_name_everything():
    _, reference = TEXT.split("## Reference")
    named = set(re.findall(r"`(\w+)", reference))
    named |= {f"{name}_scalar" for name in ("equal", "less", "greater")}  # …_scalar
    assert FORMS.keys() <= named
    assert set(re.findall(r"^\| (E-\w+)", TEXT, re.MULTILINE)) == set(CODES)
    lowerings = {name for name in vars(deepx.Writer) if not name.startswith("_")}
    assert {"relu", "dense", "conv2d", "max_pool2d", "cross_entropy"} <= lowerings

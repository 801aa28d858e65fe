"""The texts that docs/tour.md shows, made by running its program; `python tests/examples/tour.py` writes them into it.

A block of the document that is one of these texts stands behind a comment with its name: `<!-- lower -->`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import tempfile
from pathlib import Path

import anfora as ms
from anfora import Tensor
from anfora.graph.source.sources import code_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "tour.md"
BLOCK = re.compile(r"(<!-- (\w+) -->\n```text\n)(.*?)(```)", re.DOTALL)


def program(document: str) -> str:
    [text] = re.findall(r"<!-- net.py -->\n```python\n(.*?)```", document, re.DOTALL)
    return text


def texts(document: str, folder: Path) -> dict[str, str]:
    """What the program of a document gives at each stage; its file is written to the folder."""
    (folder / "net.py").write_text(program(document))
    before = Path.cwd()
    os.chdir(folder)
    ms.set_context(save_graphs=1, save_graphs_path="graphs")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            names = runpy.run_path("net.py", run_name="net")
        step = names["step"]
        report = str(ms.explain(step)(Tensor([1.0, 2.0]), 0.25))
        last = {stage: sorted(Path("graphs").glob(f"*_{stage}_*.ir"))[-1].read_text() for stage in STAGES}
        last = {stage: re.sub(r"_\d{4}\.dat", "_0001.dat", text) for stage, text in last.items()}
        anew = ms.explain(step)(Tensor([1.0, 2.0, 3.0]), 0.25)
    finally:
        ms.set_context(save_graphs=0, save_graphs_path=".")
        os.chdir(before)
    return {
        "printed": printed.getvalue(),
        "instructions": code_of(step.__wrapped__).listing() + "\n",
        "parse": last["parse"].rstrip() + "\n",
        "specialise": last["specialise"].rstrip() + "\n",
        "lower": "\n".join(last["lower"].split("\n\n")[1:3]).rstrip() + "\n",  # how it starts
        "report": re.sub(r"  time: .*\n", "  time: …\n", report) + "\n",
        "anew": "\n".join(anew.recompiles) + "\n",
    }


STAGES = ("parse", "specialise", "lower")


def filled(document: str, found: dict[str, str]) -> str:
    """The document with its blocks made anew."""
    return BLOCK.sub(lambda match: match[1] + found[match[2]] + match[4], document)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        text = DOCUMENT.read_text()
        DOCUMENT.write_text(filled(text, texts(text, Path(folder))))

"""Run a notebook in IPython, cell by cell: `python tests/examples/notebook.py FILE` prints what its cells show, as JSON;
with `--write` it puts that into the file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output


def shown(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, in the form of notebooks.

    Raises:
        Exception: what a cell raises.
    """
    shell = InteractiveShell.instance(colors="NoColor")
    values: list[dict[str, str]] = []  # of the last expression of a cell, by kind of text
    shell.displayhook.write_output_prompt = shell.displayhook.finish_displayhook = lambda: None
    shell.displayhook.write_format_data = lambda data, metadata=None: values.append(data)
    found = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        values.clear()
        with capture_output() as captured:
            result = shell.run_cell("".join(cell["source"]), store_history=True)
        result.raise_error()
        outputs: list[dict[str, Any]] = []
        if captured.stdout:
            outputs.append({"output_type": "stream", "name": "stdout", "text": captured.stdout.splitlines(True)})
        for value in values:
            data = {kind: text.splitlines(True) for kind, text in value.items()}
            count = result.execution_count
            outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
        found.append(outputs)
    return found


def main() -> None:
    file = Path(sys.argv[1])
    notebook = json.loads(file.read_text())
    outputs = shown(notebook)
    if "--write" not in sys.argv:
        print(json.dumps(outputs))
        return
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, found) in enumerate(zip(codes, outputs), 1):
        cell["outputs"], cell["execution_count"] = found, number
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

"""The words of `python -m anfora`; each is a module with a function `main(arguments)` that gives the exit status.

run.py       programs that say `import mindspore`, as they are
train.py     networks on real data, with a manifest (manifest.py); verify.py trains them again and compares
info.py      versions, processor, cache, threads: what a report of an error should have
"""

from __future__ import annotations

import importlib
import os
import sys

from anfora.core.nearest import did_you_mean

__all__ = ["WORDS", "main"]

#: Words, the modules behind them, and what the list says.
WORDS = {
    "lenet": ("anfora.examples.lenet", "train LeNet on handwritten digits"),
    "run": ("anfora.commands.run", "run a program that says `import mindspore`, as it is"),
    "train": ("anfora.commands.train", "train a network on real data; without a name, list them"),
    "verify": ("anfora.commands.verify", "train again what a manifest tells of, and compare"),
    "info": ("anfora.commands.info", "versions, processor, threads and cache of kernels"),
    "deepx": ("anfora.deepx.__main__", "check and run programs in deepx, a language of tensor operators"),
    "expression": ("anfora.tensor_expression.__main__", "show what becomes of a tensor expression"),
}


def main(arguments: list[str]) -> int:
    """Do what the first argument names, with the others."""
    word, *rest = arguments or [""]
    if word in WORDS:
        return importlib.import_module(WORDS[word][0]).main(rest)
    if word == "--version":
        import anfora

        print(f"anfora {anfora.__version__}")
        return 0
    if word in ("", "-h", "--help", "help"):
        print(_usage(), file=sys.stdout if word else sys.stderr)
        return 0 if word else 2
    where = f"; to run a program: python -m anfora run {word}" if os.path.exists(word) else did_you_mean(word, WORDS)
    print(f"python -m anfora: there is no word '{word}'{where}", file=sys.stderr)
    return 2


def _usage() -> str:
    lines = [f"  {word:12}{text}" for word, (_, text) in WORDS.items()]
    return "\n".join(
        [
            "usage: python -m anfora WORD …",
            "",
            *lines,
            "",
            "python -m anfora WORD --help tells more of a word; --version gives the version.",
        ]
    )

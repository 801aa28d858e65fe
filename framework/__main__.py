"""`python -m anfora PROGRAM`: run an example that comes with the package."""

from __future__ import annotations

import importlib
import sys

PROGRAMS = {"lenet": "train LeNet on handwritten digits"}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in PROGRAMS:
        print("usage: python -m anfora PROGRAM [options]\n")
        for name, text in PROGRAMS.items():
            print(f"  {name:10} {text}")
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    program = importlib.import_module(f"anfora.examples.{arguments[0]}")
    return program.main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

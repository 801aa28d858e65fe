"""`python -m anfora.deepx check|format|run|grad FILE`: programs in files, tensors in `.npy` files.

    check    find the errors of a program
    format   print it in canonical text
    run      run it; with --output DIR each tensor that exists at the end is written to DIR/NAME.npy
    grad     print it with its gradients (--loss, --wrt); with --output DIR run that, and write as `run` does

A wrong program, or a file that cannot be used, is told on stderr with exit status 2, and no file is written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import AnforaError
from anfora.deepx import DeepxError, Machine, check, differentiate, format, parse, run
from anfora.deepx.parser import read
from anfora.interop.npy import read_npy


class UsageError(Exception):
    """What was given on the command line cannot be used."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except (DeepxError, UsageError) as error:
        where = "" if isinstance(error, UsageError) else f"{options.file}: "
        print(f"{where}{error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m anfora.deepx", description="Check, print, run and differentiate deepx IR."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("check", "find the errors of a program"),
        ("format", "print a program in canonical text"),
        ("run", "run a program"),
        ("grad", "print a program with its gradients, and run it when --output is given"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("file", metavar="FILE", help="the program; - reads standard input")
        command.add_argument("--free", action="store_true", help="names say nothing of their kind")
        if name == "format":
            command.add_argument("--meta", action="store_true", help="keep id, author and times behind //")
            continue
        command.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy", help="bind a tensor")
        command.add_argument("--check-stale", action="store_true", help="refuse gradients of overwritten tensors")
        if name != "check":
            command.add_argument("--output", type=Path, metavar="DIR", help="where tensors are written")
        if name == "grad":
            command.add_argument("--loss", required=True, metavar="NAME", help="what is differentiated")
            command.add_argument(
                "--wrt", required=True, action="append", metavar="NAME", help="for what; may be repeated"
            )
            command.add_argument("--rename", action="store_true", help="keep overwritten values in cells of their own")
    return parser


def _run(options: argparse.Namespace) -> int:
    text = _read(options.file)
    naming = "free" if options.free else "strict"
    if options.command == "format":
        sys.stdout.write(format(parse(text, naming), options.meta))
        return 0
    inputs = _inputs(options.input)
    settings: dict[str, Any] = {"naming": naming, "check_stale": options.check_stale}
    if options.command == "check":
        check(text, inputs, **settings)
        return 0
    program = read(text, naming)
    check(program, inputs, **settings)
    if options.command == "grad":
        program = differentiate(program, options.loss, options.wrt, inputs, rename=options.rename)
        if options.output is None:
            sys.stdout.write(format(program))
            return 0
    machine = run(program, inputs, echo=True, **settings)
    if options.output is not None:
        _write(machine, options.output)
    return 0


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from None


def _inputs(given: list[str]) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not name or not equals:
            raise UsageError(f"--input needs NAME=FILE.npy, not {text!r}")
        if name in found:
            raise UsageError(f"--input binds {name} twice")
        try:
            found[name] = read_npy(file)
        except AnforaError as error:
            raise UsageError(error.message) from None
    return found


def _write(machine: Machine, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, tensor in machine.tensors.items():
            np.save(folder / f"{name}.npy", tensor.asnumpy(), allow_pickle=False)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error}") from None


if __name__ == "__main__":
    sys.exit(main())

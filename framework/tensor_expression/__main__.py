"""The command line of tensor expressions.

    python -m anfora.tensor_expression build CASE.json [--grad] [--emit c|c++|ir|tree] [-o FILE]
    python -m anfora.tensor_expression run CASE.json [--grad] --input NAME=FILE.npy … --output DIR

`build` prints a kernel, or writes it to FILE. `run` writes DIR/NAME.npy for every result; with --grad, which also takes the
gradient of the result as dNAME, DIR/dNAME.npy for every name in `grad_to` (dNAME_init for that of an in-out's initial
value). Scalars are arrays of one element. What is wrong is told on stderr, with its code; then the exit status is 2, and no
file is written.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

from anfora.core.errors import AnforaError
from anfora.core.tensor import Tensor
from anfora.interop.npy import read_npy
from anfora.tensor_expression import ir
from anfora.tensor_expression.errors import KernelError, KernelWarning
from anfora.tensor_expression.operator import Kernel, from_json, operator_of


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    warnings.showwarning = _show
    warnings.simplefilter("always", KernelWarning)
    try:
        kernel = from_json(options.case)
        return _build(kernel, options) if options.command == "build" else _run(kernel, options)
    except OSError as error:
        print(f"{error.filename or options.case}: {error.strerror or error}", file=sys.stderr)
    except AnforaError as error:
        print(error, file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m anfora.tensor_expression", description="Print and run tensor expressions."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="print a kernel")
    build.add_argument("case", type=Path, metavar="CASE.json")
    build.add_argument("--grad", action="store_true", help="its gradient instead")
    build.add_argument("--emit", choices=("c", "c++", "ir", "tree"), default="c")
    build.add_argument("-o", type=Path, dest="file", metavar="FILE", help="write it there")
    run = commands.add_parser("run", help="run a kernel")
    run.add_argument("case", type=Path, metavar="CASE.json")
    run.add_argument("--grad", action="store_true", help="its gradient instead")
    run.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy")
    run.add_argument("--output", type=Path, required=True, metavar="DIR")
    return parser


def _show(message, category, filename, lineno, file=None, line=None) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _build(kernel: Kernel, options: argparse.Namespace) -> int:
    if options.emit in ("ir", "tree"):
        text = getattr(kernel, f"grad_{options.emit}" if options.grad else options.emit)()
    else:
        text = kernel.grad_c_source(options.emit) if options.grad else kernel.c_source(options.emit)
    if options.file is None:
        sys.stdout.write(text)
    else:
        options.file.write_text(text, encoding="utf-8")
    return 0


def _run(kernel: Kernel, options: argparse.Namespace) -> int:
    given = _arrays(options.input)
    nests = kernel.gradient() if options.grad else kernel.forward
    known = {v.given for v in (*nests.inputs, *kernel.forward.inputs)}
    for name in given:
        if name not in known and name not in kernel.case.outs:  # whose initial value is ignored where it is not read
            raise KernelError("K-CASE", f"there is no input `{name}`", help=f"inputs are {', '.join(sorted(known))}.")
    result = operator_of(nests)(*(_input(kernel, v, given) for v in nests.inputs))
    results = result if isinstance(result, tuple) else (result,)
    arrays = {v.given: np.atleast_1d(tensor.asnumpy()) for v, tensor in zip(nests.outputs, results)}
    options.output.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(options.output / f"{name}.npy", array)
    return 0


def _arrays(pairs: list[str]) -> dict[str, np.ndarray]:
    arrays = {}
    for pair in pairs:
        name, sign, file = pair.partition("=")
        if not sign:
            raise KernelError("K-CASE", f"an input is given as NAME=FILE.npy, not {pair!r}")
        if name in arrays:
            raise KernelError("K-CASE", f"the input `{name}` is given twice")
        try:
            arrays[name] = read_npy(file)
        except AnforaError as error:
            raise KernelError("K-CASE", error.message) from None
    return arrays


def _input(kernel: Kernel, variable: ir.Variable, given: dict[str, np.ndarray]) -> Tensor:
    if variable.given not in given:
        is_optional = variable.given in kernel.case.outs and variable.given not in kernel.case.ins
        if not is_optional or variable.role == "cotangent":
            raise KernelError(
                "K-CASE", f"the input `{variable.given}` is missing", help=f"give --input {variable.given}=FILE.npy"
            )
        return Tensor(np.zeros(variable.shape, kernel.forward.dtype))
    array = given[variable.given]
    if array.dtype != kernel.forward.dtype:
        raise KernelError("K-TYPE", f"`{variable.given}` must be {kernel.forward.dtype}, but is {array.dtype}")
    if array.shape != variable.shape and (variable.shape or array.size != 1):
        raise KernelError(
            "K-SHAPE", f"`{variable.given}` must have shape {variable.shape or (1,)}, but has {array.shape}"
        )
    return Tensor(array)


if __name__ == "__main__":
    sys.exit(main())

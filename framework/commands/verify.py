"""`python -m anfora verify MANIFEST`: train again what a manifest tells of, and compare.

The weights are compared behind each step of which the manifest has a digest, so the first one at which they differ is
known, and a few hundred steps say nearly as much as all of them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from anfora.commands import manifest
from anfora.commands.train import Run, add_arguments_of_a_run, check_run
from anfora.data import DataError
from anfora.examples.recipes import RECIPES, recipe_class

__all__ = ["main"]

_PROG = "python -m anfora verify"


def main(arguments: list[str]) -> int:
    """0: the same weights. 1: something differs. 2: it cannot be told."""
    parser = argparse.ArgumentParser(
        prog=_PROG,
        description="Train again what a manifest tells of, and compare the weights, bit by bit.",
        epilog="The exit status is 0 if they are equal, 1 if the data or the weights differ, 2 if that cannot be told.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "manifest", type=Path, metavar="MANIFEST", help="NAME.json, as `python -m anfora train` writes it"
    )
    parser.add_argument("--steps", type=int, metavar="N", help="so many steps at most (all of the training)")
    add_arguments_of_a_run(parser)
    options = parser.parse_args(arguments)
    if options.steps is not None and options.steps < 1:
        parser.error("--steps must be at least 1")
    check_run(parser, options)
    try:
        return _verify(options)
    except (manifest.ManifestError, DataError, ValueError, OSError) as error:
        print(f"{_PROG}: {getattr(error, 'message', None) or error}", file=sys.stderr)
        return 2


def _verify(options: argparse.Namespace) -> int:
    told = manifest.read(options.manifest)
    name, file = told["recipe"], options.manifest
    if name not in RECIPES:
        raise manifest.ManifestError(f"{file}: this anfora knows no network {name!r}; it knows {', '.join(RECIPES)}")
    kind = recipe_class(name)
    unknown = set(told["settings"]) ^ set(kind.settings)
    if unknown:
        raise manifest.ManifestError(
            f"{file}: its settings differ from those of {name} here: {', '.join(sorted(unknown))}"
        )
    weights = file.parent / told["weights"]["file"]
    if weights.is_file() and manifest.file_sha256(weights) != told["weights"]["sha256"]:
        return _differs(name, f"{weights} is not the file that the manifest tells of", told)
    run = Run(kind(**told["settings"]), told["seed"], options)
    if run.data != told["data"]["sha256"]:
        return _differs(name, f"the data have the SHA-256 {run.data}, not {told['data']['sha256']}", told)
    known = {int(step): digest for step, digest in told["digests"].items()}
    steps = [step for step in sorted(known) if step <= (options.steps or told["steps"])]
    if not steps or run.steps != told["steps"]:
        raise manifest.ManifestError(f"{file}: has {told['steps']} steps and digests of {', '.join(told['digests'])}")
    digests = manifest.Digests(run.network, steps[-1])
    run.train([digests])
    for step in steps:
        found = digests.digests.get(str(step), "none")
        if found != known[step]:
            what = f"after step {step} the weights have the SHA-256 {found}, not {known[step]}"
            return _differs(name, what, told)
    all_of_them = "all" if steps[-1] == told["steps"] else f"{steps[-1]:,} of"
    extent = f"{all_of_them} {told['steps']:,} steps"
    print(f"equal: {name}, {extent}, weights {known[steps[-1]]}{_other_versions(told, '; though ')}")
    return 0


def _differs(name: str, what: str, told: dict[str, Any]) -> int:
    print(f"differs: {name}: {what}{_other_versions(told, '; also ')}")
    return 1


def _other_versions(told: dict[str, Any], link: str) -> str:
    """What else is not as it was then."""
    now = manifest.versions()
    others = [
        f"{what} is {now.get(what, 'not there')} and was {was}"
        for what, was in told["versions"].items()
        if now.get(what) != was
    ]
    return link + ", ".join(others) if others else ""

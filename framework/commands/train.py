"""`python -m anfora train NAME`: train a network on real data, with a manifest by which `verify` can tell it again."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import anfora as ms
import anfora.dataset as ds
from anfora import train
from anfora.commands import manifest
from anfora.core.nearest import did_you_mean
from anfora.data import DataError
from anfora.examples.recipes import RECIPES, Recipe, recipe_class
from anfora.train.callback.base import loss_of
from anfora.train.callback.monitors import someone_looks_on

__all__ = ["Lines", "Run", "main"]

_PROG = "python -m anfora train"


def main(arguments: list[str]) -> int:
    """Train what the first argument names; without one tell what there is."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_usage())
        return 0
    name, *rest = arguments
    if name not in RECIPES:
        hint = did_you_mean(name, RECIPES) or f"; there are {', '.join(RECIPES)}"
        print(f"{_PROG}: there is no network '{name}'{hint}", file=sys.stderr)
        return 2
    options = _parse(name, rest)
    try:
        return _train(name, options)
    except (DataError, ValueError, OSError) as error:
        print(f"{_PROG} {name}: {getattr(error, 'message', None) or error}", file=sys.stderr)
        return 2


def _usage() -> str:
    lines = [f"  {name:12}{text}" for name, (_, _, text) in RECIPES.items()]
    return "\n".join(
        [
            f"usage: {_PROG} NAME [options]",
            "",
            "Train a network on real data. Its weights go to trained/NAME, with a manifest by which `python -m anfora",
            "verify` trains it again and compares. For any number of threads and in both modes they are the same bits.",
            "",
            *lines,
            "",
            f"{_PROG} NAME --help tells the options of a network.",
        ]
    )


def _parse(name: str, arguments: list[str]) -> argparse.Namespace:
    kind = recipe_class(name)
    parser = argparse.ArgumentParser(
        prog=f"{_PROG} {name}", description=" ".join((kind.__doc__ or "").split()), allow_abbrev=False
    )
    for setting, (default, text) in kind.settings.items():
        parser.add_argument(f"--{setting}", type=type(default), default=default, help=f"{text} (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of everything random (%(default)s)")
    add_arguments_of_a_run(parser)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help=f"for the results (trained/{name})")
    parser.add_argument("--resume", action="store_true", help="go on where a training in this folder stopped")
    kind.add_arguments(parser)
    options = parser.parse_args(arguments)
    options.out = options.out or Path("trained") / name
    if options.seed < 0:
        parser.error("--seed must be at least 0")
    check_run(parser, options)
    return options


def add_arguments_of_a_run(parser: argparse.ArgumentParser) -> None:
    """How it is computed, and from which files: this changes no bit."""
    parser.add_argument(
        "--mode", choices=["graph", "pynative"], default="graph",
        help="compiled as a whole, or operator by operator (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, help="how many compute (all cores)")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the data are (found or fetched by itself)")


def check_run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.threads is not None and options.threads < 1:
        parser.error("--threads must be at least 1")


class Run:
    """A recipe with its data read, ready to be trained."""

    def __init__(self, recipe: Recipe, seed: int, options: argparse.Namespace) -> None:
        self.recipe = recipe
        recipe.load(options.data)
        self.data = manifest.data_sha256(recipe.arrays)
        ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
        if options.threads:
            ms.set_num_threads(options.threads)
        ms.set_seed(seed)
        ds.config.set_seed(seed)
        self.rows = recipe.learn()
        self.steps_an_epoch = self.rows.get_dataset_size()
        if not self.steps_an_epoch:
            raise DataError(f"there are fewer rows to learn from than the {recipe.batch} of a step")
        self.steps = self.steps_an_epoch * recipe.epochs
        self.model = recipe.model(self.steps)
        self.network = self.model.predict_network

    def train(self, callbacks: list[train.Callback], resume: Path | None = None) -> None:
        """Train as long as the callbacks let it."""
        self.model.train(self.recipe.epochs, self.rows, callbacks, resume=resume)


def _train(name: str, options: argparse.Namespace) -> int:
    kind = recipe_class(name)
    settings = {setting: getattr(options, setting) for setting in kind.settings}
    weights, told, states = options.out / f"{name}.ckpt", options.out / f"{name}.json", options.out / "states"
    if told.is_file() and kind(**_known_settings(told, name)).use(options.out, weights, options):
        return 0
    recipe = kind(**settings)
    if not options.resume:
        for state in states.glob(f"{name}*.ckpt"):
            state.unlink()
    elif told.is_file() and not any(states.glob(f"{name}*.ckpt")):
        print(f"{name}: is trained already, see {told}")
        return 0
    print(f"{name}: reading the data", flush=True)
    run = Run(recipe, options.seed, options)
    print(f"{name}: {run.steps:,} steps, {recipe.epochs} x {run.steps_an_epoch:,}, {options.mode} mode", flush=True)
    digests = manifest.Digests(run.network, run.steps, {**settings, "seed": options.seed, "data": run.data})
    saving = train.ModelCheckpoint(
        name, states, train.CheckpointConfig(save_checkpoint_steps=min(run.steps_an_epoch, 500), keep_checkpoint_max=2)
    )
    try:
        shown = [] if someone_looks_on() else [Lines()]  # where somebody does, there is a bar
        run.train([digests, *shown, saving], resume=states if options.resume else None)
    except KeyboardInterrupt:
        print(f"{_PROG} {name}: stopped; the same command with --resume goes on from the last state", file=sys.stderr)
        return 130
    ms.save_checkpoint(run.network, weights)
    recipe.save_beside(options.out)
    results = recipe.results(run.model)
    digest = manifest.file_sha256(weights)
    manifest.write(
        told,
        {
            "recipe": name, "settings": settings, "seed": options.seed,
            "data": {"sha256": run.data, **{what: _kind(array) for what, array in recipe.arrays.items()}},
            "versions": manifest.versions(), "machine": manifest.machine(),
            "run": {"mode": options.mode, "threads": ms.get_num_threads(), "seconds": round(digests.seconds, 1)},
            "steps": digests.steps, "digests": digests.digests,
            "weights": {"file": weights.name, "sha256": digest}, "results": results,
        },
    )  # fmt: skip
    for state in states.glob(f"{name}*.ckpt"):
        state.unlink()
    states.rmdir()
    print(f"{name}: {', '.join(f'{what} {value:.4f}' for what, value in results.items())}, {digests.seconds:.0f} s")
    print(f"weights   {weights}, SHA-256 {digest}")
    print(f"manifest  {told}: python -m anfora verify {told} --steps 200")
    recipe.use(options.out, weights, options)
    return 0


def _kind(array: np.ndarray) -> str:
    return f"{array.dtype} ({' x '.join(map(str, array.shape))})"


def _known_settings(told: Path, name: str) -> dict[str, Any]:
    """The settings of a network that is trained already."""
    found = manifest.read(told)
    if found["recipe"] != name:
        raise manifest.ManifestError(f"{told}: is of a {found['recipe']}")
    return found["settings"]


class Lines(train.Callback):
    """Where nobody looks on: a line at the end of an epoch, and in long ones twice a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._last = time.monotonic()

    def on_train_step_end(self, run_context: train.RunContext) -> None:
        if time.monotonic() - self._last > 30:
            self._tell(run_context)

    def on_train_epoch_end(self, run_context: train.RunContext) -> None:
        now = run_context.original_args()
        if time.monotonic() - self._last > 1 or now.cur_epoch_num == now.epoch_num:
            self._tell(run_context)

    def _tell(self, run_context: train.RunContext) -> None:
        now = run_context.original_args()
        self._last = time.monotonic()
        step = (now.cur_step_num - 1) % now.batch_num + 1
        print(
            f"epoch {now.cur_epoch_num}, step {step}/{now.batch_num}: loss {loss_of(now.net_outputs):.4g}", flush=True
        )

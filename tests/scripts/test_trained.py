"""The networks whose manifests are in the documentation, trained again for some steps, where their data are."""

from __future__ import annotations

import json
import pathlib
import re

import pytest

from anfora.commands import main
from anfora.commands.manifest import read
from anfora.data import fetched
from anfora.examples.recipes import RECIPES, gpt, mlp, recipe_class

ROOT = pathlib.Path(__file__).parents[2]
MANIFESTS = sorted((ROOT / "docs" / "manifests").glob("*.json"))
DATA = {
    "lenet": fetched._FASHION_MNIST, "resnet20": fetched._FASHION_MNIST,
    "gpt": fetched.folder_of_data() / gpt._WHEEL.file, "mlp": fetched.folder_of_data() / mlp._WHEEL.file,
}  # fmt: skip
STEPS = {"lenet": 50, "resnet20": 5, "gpt": 2, "mlp": 200}


def test_there_is_a_manifest_of_each_network():
    assert {read(file)["recipe"] for file in MANIFESTS} == set(RECIPES)
    for file in MANIFESTS:  # of the settings that are the default, but for the table
        told = read(file)
        defaults = {name: default for name, (default, _) in recipe_class(told["recipe"]).settings.items()}
        assert {**told["settings"], "set": None} == {**defaults, "set": None}
        assert told["digests"][str(told["steps"])] == told["weights"]["sha256"]


def test_the_table_says_what_the_manifests_say():
    text = (ROOT / "docs" / "trained.md").read_text()
    rows = re.findall(r"^\| \[(\w+)\]\(manifests/\1.json\) .*\| `(\w+)` \|$", text, re.M)
    assert dict(rows) == {file.stem: read(file)["weights"]["sha256"] for file in MANIFESTS}


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.stem)
def test_the_weights_are_these(file, capsys):
    name = json.loads(file.read_text())["recipe"]
    if not DATA[name].exists():
        pytest.skip(f"{DATA[name]} is not here")
    assert main(["verify", str(file), "--steps", str(STEPS[name])]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out.startswith(f"equal: {name}, {STEPS[name]} of ")

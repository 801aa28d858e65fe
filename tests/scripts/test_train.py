"""`python -m anfora train` and `verify`, on data as small as they may be."""

from __future__ import annotations

import gzip
import hashlib
import json
import pathlib
import re
import struct
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from anfora.commands import main, manifest
from anfora.data import fetched
from anfora.examples.recipes import RECIPES, recipe_class
from anfora.examples.recipes.byte_pairs import BytePairs
from anfora.examples.recipes.fashion import moved
from anfora.examples.recipes.recipe import warm_and_fall

HERE = pathlib.Path(__file__)


def idx(array: np.ndarray) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> pathlib.Path:
    """A folder with something for each network."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(1)
    for part, count in (("train", 24), ("t10k", 10)):
        labels = random.integers(0, 10, count).astype(np.uint8)
        images = random.integers(0, 128, (count, 28, 28)).astype(np.uint8) + 12 * labels[:, None, None]
        (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(images.astype(np.uint8))))
        (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(labels)))
    for i in range(60):
        (folder / f"module_{i:02}.py").write_text(f"def function_{i}(x):\n    return x + {i}\n\n\n" * 4)
    features, labels = random.standard_normal((60, 5)), random.integers(0, 3, 60)
    rows = [",".join(f"{x:.4f}" for x in row) + f",{label}" for row, label in zip(features, labels)]
    (folder / "wine_data.csv").write_text("60,5,a,b,c\n" + "\n".join(rows) + "\n")
    return folder


SMALL = {
    "lenet": ["--epochs", "2", "--batch", "4"],
    "resnet20": ["--epochs", "1", "--batch", "8"],
    "gpt": ["--batch", "8", "--context", "8", "--vocabulary", "270", "--width", "8", "--layers", "1", "--heads", "2"],
    "mlp": ["--set", "wine", "--epochs", "4", "--width", "8"],
}


def trained(name: str, data: pathlib.Path, out: pathlib.Path, *options: str) -> dict:
    assert main(["train", name, *SMALL[name], "--data", str(data), "--out", str(out), *options]) == 0
    return json.loads((out / f"{name}.json").read_text())


@pytest.mark.parametrize("name", RECIPES)
def test_weights_do_not_depend_on_mode_and_threads(name, data, tmp_path, capsys):
    told = trained(name, data, tmp_path, "--threads", "1")
    weights = (tmp_path / f"{name}.ckpt").read_bytes()
    digest = hashlib.sha256(weights).hexdigest()
    assert told["weights"] == {"file": f"{name}.ckpt", "sha256": digest}
    assert told["digests"][str(told["steps"])] == digest
    assert set(told["versions"]) == {"anfora", "python", "numpy", "numba", "llvmlite"}
    assert all(np.isfinite(value) for value in told["results"].values())
    assert set(told["settings"]) == set(recipe_class(name).settings)
    assert not (tmp_path / "states").exists()
    assert digest in capsys.readouterr().out
    verify = ["verify", str(tmp_path / f"{name}.json"), "--data", str(data)]
    assert main([*verify, "--mode", "pynative", "--threads", "3"]) == 0
    assert capsys.readouterr().out == f"equal: {name}, all {told['steps']} steps, weights {digest}\n"
    assert main([*verify, "--steps", "2", "--threads", "2"]) == 0
    told_step = told["digests"]["2"]
    assert capsys.readouterr().out == f"equal: {name}, 2 of {told['steps']} steps, weights {told_step}\n"


@pytest.fixture(scope="module")
def small(data, tmp_path_factory, settings_come_back) -> tuple[pathlib.Path, dict]:
    folder = tmp_path_factory.mktemp("small")
    with settings_come_back():
        return folder, trained("mlp", data, folder)


def changed(folder: pathlib.Path, told: dict, **what: object) -> str:
    file = folder / "mlp.json"
    file.write_text(json.dumps({**told, **what}))
    return str(file)


def test_what_differs_is_told(small, data, tmp_path, capsys):
    _, told = small
    other = {**told["digests"], "5": "0" * 64}
    arguments = ["--data", str(data)]
    assert main(["verify", changed(tmp_path, told, digests=other), *arguments]) == 1
    found = f"differs: mlp: after step 5 the weights have the SHA-256 {told['digests']['5']}, not {'0' * 64}\n"
    assert capsys.readouterr().out == found
    versions = {**told["versions"], "numpy": "1.0", "torch": "2"}
    assert main(["verify", changed(tmp_path, told, versions=versions), *arguments, "--steps", "1"]) == 0
    line = capsys.readouterr().out
    assert line.startswith("equal: mlp, 1 of ") and line.endswith(
        f"; though numpy is {np.__version__} and was 1.0, torch is not there and was 2\n"
    )
    assert main(["verify", changed(tmp_path, told, data={"sha256": "0" * 64}), *arguments]) == 1
    line = capsys.readouterr().out
    assert line == f"differs: mlp: the data have the SHA-256 {told['data']['sha256']}, not {'0' * 64}\n"
    (tmp_path / "mlp.ckpt").write_bytes(b"")
    assert main(["verify", changed(tmp_path, told), *arguments]) == 1
    assert "mlp.ckpt is not the file that the manifest tells of" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content, text",
    [
        (None, "cannot be read (No such file or directory)"),
        ("{", "it is not JSON"),
        ("[1]", "is no manifest of a training"),
        ('{"anfora manifest": 9}', "version 9, but this anfora knows 1"),
        ('{"anfora manifest": 1, "recipe": "mlp"}', "lacks settings, seed"),
        ({"recipe": "lenett"}, "knows no network 'lenett'; it knows lenet,"),
        ({"settings": {"depth": 3}}, "its settings differ from those of mlp here: batch, depth"),
        ({"digests": []}, "`digests` should be an object"),
        ({"digests": {"first": ""}}, "should be named by steps"),
        ({"steps": 7}, "has 7 steps and digests of"),
    ],
)
def test_a_manifest_that_is_none(content, text, small, data, tmp_path, capsys):
    file = tmp_path / "mlp.json"
    if isinstance(content, dict):
        changed(tmp_path, small[1], **content)
    elif content is not None:
        file.write_text(content)
    assert main(["verify", str(file), "--data", str(data)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("python -m anfora verify: ") and text in error and error.count("\n") == 1


def test_a_training_that_was_stopped_goes_on(data, tmp_path, monkeypatch, capsys):
    whole = trained("lenet", data, tmp_path / "whole")
    noting = manifest.Digests.on_train_step_end

    def stopped(self, run_context):
        noting(self, run_context)
        if self.steps == 8:  # in the second epoch; the last state is of the end of the first
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(manifest.Digests, "on_train_step_end", stopped)
        command = ["train", "lenet", *SMALL["lenet"], "--data", str(data), "--out", str(tmp_path / "out")]
        assert main(command) == 130
    assert "--resume goes on" in capsys.readouterr().err
    assert main([*command, "--resume", "--seed", "2"]) == 2
    assert "another training, with seed 1, not 2" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0
    found = json.loads((tmp_path / "out" / "lenet.json").read_text())
    same = ("settings", "seed", "data", "steps", "digests", "weights", "results")
    assert {name: found[name] for name in same} == {name: whole[name] for name in same}
    capsys.readouterr()
    assert main([*command, "--resume"]) == 0 and "is trained already" in capsys.readouterr().out


def test_the_gpt_writes(data, tmp_path, capsys):
    text = ["--generate", "def f", "--tokens", "12"]
    trained("gpt", data, tmp_path, *text)
    written = capsys.readouterr().out.partition("--steps 200\n")[2]
    assert written.startswith("def f") and len(written) > 12
    before = (tmp_path / "gpt.json").read_bytes()
    assert main(["train", "gpt", "--out", str(tmp_path), *text]) == 0  # without its data, and without training
    assert capsys.readouterr().out == written
    assert (tmp_path / "gpt.json").read_bytes() == before


def test_networks_are_listed(capsys):
    assert main(["train"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n  {name} " in text for name in RECIPES)
    assert main(["train", "lenett"]) == 2
    assert capsys.readouterr().err == ("python -m anfora train: there is no network 'lenett'; did you mean 'lenet'?\n")


@pytest.mark.parametrize(
    "arguments", [["lenet", "--epochs", "0"], ["lenet", "--threads", "0"], ["mlp", "--set", "iris"]]
)
def test_options_out_of_range(arguments, data, tmp_path, capsys):
    command = ["train", *arguments, "--data", str(data), "--out", str(tmp_path / "out")]
    try:
        status = main(command)
    except SystemExit as error:
        status = error.code
    assert status == 2 and not (tmp_path / "out").exists()
    assert arguments[1].lstrip("-") in capsys.readouterr().err.splitlines()[-1]


def test_data_that_are_not_there(data, tmp_path, monkeypatch, capsys):
    def said(*arguments: object) -> str:
        assert main(["train", *map(str, arguments), "--out", str(tmp_path / "out")]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and not (tmp_path / "out").exists()
        return error

    monkeypatch.setattr(fetched, "_FASHION_MNIST", tmp_path / "none")
    assert "apt-get install dataset-fashion-mnist" in said("lenet")
    assert "no file train-images-idx3-ubyte" in said("resnet20", "--data", tmp_path)
    assert "has 0 .py files, but at least 50" in said("gpt", "--data", tmp_path)
    assert "wine_data.csv: cannot be read" in said("mlp", "--set", "wine", "--data", tmp_path)
    assert "fewer rows to learn from than the 25" in said("lenet", "--batch", "25", "--data", data)
    assert "not enough text" in said("gpt", "--context", "3000", "--data", data)


def test_a_wheel_is_fetched_once_and_checked(tmp_path, monkeypatch):
    content = gzip.compress(b"")
    wheel = fetched.Wheel("thing==1.0", "thing-1.0-py3-none-any.whl", hashlib.sha256(content).hexdigest(), ("--pre",))
    monkeypatch.setenv("ANFORA_DATA", str(tmp_path / "kept"))
    calls = []

    class Done:
        returncode, stdout = 0, "WARNING: a line\nERROR: no such thing\n"

    def pip(command, **_):
        calls.append(command)
        if not Done.returncode:
            (pathlib.Path(command[-1]) / wheel.file).write_bytes(content)
        return Done

    monkeypatch.setattr(fetched.subprocess, "run", pip)
    Done.returncode = 1
    with pytest.raises(fetched.DataError, match=r"could not be fetched \(ERROR: no such thing\).*--data FOLDER"):
        wheel._fetched()
    Done.returncode = 0
    assert wheel._fetched() == wheel._fetched() == tmp_path / "kept" / wheel.file
    assert len(calls) == 2 and calls[0][1:6] == ["-m", "pip", "download", "thing==1.0", "--no-deps"]
    assert [file.name for file in (tmp_path / "kept").iterdir()] == [wheel.file]
    wheel._fetched().write_bytes(b"other")
    with pytest.raises(fetched.DataError, match="is not the file it should be"):
        wheel.open()


# -- the parts --------------------------------------------------------------------------------------------------------


def test_byte_pairs_are_those_that_are_most_frequent():
    text = HERE.read_bytes()[:3000]
    pairs = BytePairs.learnt(text, 290)
    words = [list(piece) for piece in re.findall(rb"\n[ \t\n]*| ?[A-Za-z_]+| ?[0-9]+| ?[^\sA-Za-z0-9_]+|\s+", text)]
    assert sum(map(len, words)) == len(text)
    for rank, pair in enumerate(pairs.pairs):  # counted anew each time
        counts = Counter(pair for word in words for pair in pairwise(word))
        assert pair == min(counts, key=lambda pair: (-counts[pair], pair))
        for word in words:
            at = 0
            while at < len(word) - 1:
                if (word[at], word[at + 1]) == pair:
                    word[at : at + 2] = [256 + rank]
                at += 1
    assert pairs.encode(text).tolist() == [token for word in words for token in word]
    for sample in (text, b"", b"aaaa", bytes(range(256)) * 2, "ä = 'ß'\n\n\tx  y".encode()):
        assert pairs.decode(pairs.encode(sample)) == sample


def test_byte_pairs_stop_where_nothing_repeats():
    assert len(BytePairs.learnt(b"abcdefg", 300)) == 256


def test_images_are_moved_whole():
    np.random.seed(0)
    images = np.arange(1, 26, dtype=np.uint8).reshape(1, 5, 5).repeat(40, 0)
    found = moved(images, 1)
    padded = np.pad(images[0], 1)
    places = [padded[i : i + 5, j : j + 5].tobytes() for i in range(3) for j in range(3)]
    assert {image.tobytes() for image in found} == set(places)


def test_rates_rise_and_fall_in_straight_lines():
    assert warm_and_fall(1.0, 10, 0.2) == [0.5, 1.0] + [(10 - i) / 8 for i in range(2, 10)]
    assert warm_and_fall(1.0, 1) == [1.0]


def test_the_digest_of_data_is_of_all_that_is_in_them():
    base = {"a": np.arange(6).reshape(2, 3)}
    others = [{"b": base["a"]}, {"a": base["a"].T}, {"a": base["a"].astype(np.int32)}, {"a": base["a"] + 1}, {}]
    others.append({"a": base["a"].reshape(3, 2)})
    digests = {manifest.data_sha256(arrays) for arrays in [base, *others]}
    assert len(digests) == 7
    big = {"a": base["a"].astype(base["a"].dtype.newbyteorder(">"))}
    assert manifest.data_sha256(big) == manifest.data_sha256(base)

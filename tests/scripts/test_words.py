"""The words of `python -m anfora`."""

from __future__ import annotations

import subprocess
import sys

import numpy
import pytest

import anfora
from anfora.alias import install, is_installed
from anfora.commands import WORDS, main
from anfora.core.nearest import nearest


def test_the_list_of_words(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n  {word} " in text for word in WORDS)
    assert main([]) == 2
    assert capsys.readouterr() == ("", text)  # who asked for nothing has made an error


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"anfora {anfora.__version__}\n"


@pytest.mark.parametrize("word", WORDS)
def test_every_word_has_help(word):
    done = subprocess.run(
        [sys.executable, "-m", "anfora", word, "--help"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0 and done.stdout.startswith("usage: python -m anfora") and not done.stderr


def test_a_word_that_is_not_there(capsys, tmp_path):
    assert main(["rn"]) == 2
    assert capsys.readouterr().err == "python -m anfora: there is no word 'rn'; did you mean 'run'?\n"
    file = tmp_path / "program.py"
    file.touch()
    assert main([str(file)]) == 2
    assert capsys.readouterr().err.endswith(f"to run a program: python -m anfora run {file}\n")


def test_info(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("ANFORA_CACHE", str(tmp_path / "kernels"))
    assert main(["info"]) == 0
    text = capsys.readouterr().out
    assert f"numpy {numpy.__version__}" in text and f"anfora      {anfora.__version__}" in text
    assert f"cache       {tmp_path / 'kernels'}: 0 files" in text
    monkeypatch.setenv("ANFORA_CACHE", "")
    assert main(["info"]) == 0
    assert "cache       off" in capsys.readouterr().out


def test_the_nearest_name():
    for asked, names, expected in (
        ("relu", ["ReLU6", "ReLU", "GELU"], "ReLU"),
        ("batch_norm", ["BatchNorm1d", "BatchNorm"], "BatchNorm"),
        ("tensr", ["Tensor", "tensor"], "tensor"),
        ("_x", ["y"], None),
        ("sotfmax", ["softmin", "softmax"], "softmax"),
        ("qqq", ["softmin", "softmax"], None),
    ):
        assert nearest(asked, names) == expected


#: Modules that have all their names, and a name that each nearly has.
ASKED = {
    "anfora": "Tensr", "anfora.nn": "Dens", "anfora.ops": "Sofmax", "anfora.optim": "Momntum", "anfora.numpy": "arrange",
    "anfora.mint": "lnspace", "anfora.mint.nn": "Conv_2d", "anfora.mint.nn.functional": "sofmax",
    "anfora.dataset": "MnistDataSets", "anfora.dataset.vision": "Resise", "anfora.ops.operations": "Softmx",
    "anfora.common.initializer": "Norml",
}  # fmt: skip


@pytest.mark.parametrize("module", ASKED)
def test_modules_name_the_nearest(module):
    from importlib import import_module

    with pytest.raises(AttributeError, match=rf"^module '{module}' has no attribute '{ASKED[module]}'; did you mean"):
        getattr(import_module(module), ASKED[module])


def test_the_finder_is_not_there_unasked():
    assert not is_installed()
    program = "import sys; sys.modules['mindspore'] = sys; import anfora.alias as a; a.install()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr.endswith("RuntimeError: mindspore is loaded already: anfora cannot take its name any more\n")
    assert callable(install)

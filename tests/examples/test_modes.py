"""The story of the two modes comes out as it is told."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import anfora as ms
from anfora.examples import modes


@pytest.fixture
def story(capsys):
    assert modes.main() == 0
    return capsys.readouterr().out


def test_the_story(story):
    assert story.count("bit-equal: True") == 2 and "False" not in story.replace("for another rate: False", "")
    for said in (
        "numbers that may vary: ['rate'] | fused: 3 operators in one loop", "compiled anew for another rate: False",
        "[6.0, 1.0, 1.0] seen: [(2,), (2,)]", "2.0 and then 5.0, because self.factor: 2 -> 5", "fibonacci(10) = 55",
        "twice: 81.0", "its gradient: 108.0", "whole must be compiled as a whole", "but one thing needs",
        "switch(%1, %2, %3)",
    ):  # fmt: skip
        assert said in story
    assert "positive" not in story.splitlines() and ms.get_context("mode") == ms.PYNATIVE_MODE


def test_images_of_another_size():
    import numpy as np

    net = modes.LeNet5(num_channel=3, image_size=64)
    images = np.ones((2, 3, 64, 64), np.float32) * 0.01
    eager = net(images)
    with ms.context(mode=ms.GRAPH_MODE):
        outputs = [net(images) for _ in range(2)]
    assert all(modes.bits(output) == modes.bits(eager) for output in outputs)


def test_the_report_in_the_readme_is_the_one_that_is_given(tmp_path, monkeypatch, capsys):
    text = (Path(__file__).parents[2] / "README.md").read_text()
    [(program, shown)] = re.findall(r"^```py\n(.*?)^```\n```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    Path("clip.py").write_text(program)
    runpy.run_path("clip.py")
    said = capsys.readouterr().out.splitlines()
    lines = [line for line in shown.splitlines() if line.strip() != "…"]
    assert len(lines) > 8 and [line for line in said if line in lines] == lines

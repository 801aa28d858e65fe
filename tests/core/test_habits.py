"""Names that other libraries have: each answers with our word, which is one that there is; and all modules know better."""

from __future__ import annotations

import builtins
import importlib
import re

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora import dataset as ds
from anfora.core.habits import HABITS, word_for
from anfora.core.nearest import MissingName


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        return self.fc(x)


def makers():
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    return {
        "Cell": net, "Optimizer": optimizer, "Tensor": ops.ones(3), "Parameter": Parameter(1.0),
        "Model": ms.Model(net, nn.MSELoss(), optimizer), "Dataset": ds.NumpySlicesDataset([1, 2]),
    }  # fmt: skip


OBJECTS = makers()
ASKED = [(kind, name) for kind in OBJECTS for words in HABITS[kind].values() for name in words]


@pytest.mark.parametrize("kind, name", ASKED)
def test_what_others_have_answers_with_our_word(kind, name):
    owner = OBJECTS[kind]
    with pytest.raises(AttributeError, match=f"'{type(owner).__name__}' object has no attribute '{name}'") as caught:
        getattr(owner, name)
    told = word_for(name, kind)
    assert told is not None and f"help: {told}" in str(caught.value)
    assert not hasattr(owner, name) and not hasattr(type(owner), name) and name not in dir(owner)


#: Where a word may be from.
PLACES = [
    *OBJECTS.values(), ms, ms.amp, ops, nn, nn.SequentialCell, ds, ds.config, ds.vision, ms.optim.lr_scheduler, builtins,
    np.ndarray,
]  # fmt: skip


@pytest.mark.parametrize("kind", HABITS)
def test_our_words_are_there(kind):
    for words in HABITS[kind].values():
        for word in words.values():
            named = {*re.findall(r"([A-Za-z_]\w*)\(", word), *re.findall(r"anfora(?:\.\w+)*\.(\w+)", word)}
            named -= {"f", "net", "optimizer"}
            assert all(any(hasattr(place, name) for place in (*PLACES, ms.mint.nn)) for name in named), word


@pytest.mark.parametrize("name", ["Module", "DataLoader", "GradientTape", "cuda"])
@pytest.mark.parametrize("module", ["anfora", "anfora.nn", "anfora.ops", "anfora.dataset", "anfora.mint.linalg"])
def test_modules_know_our_words(module, name):
    with pytest.raises(MissingName) as caught:
        getattr(importlib.import_module(module), name)
    assert word_for(name, "module").removesuffix(".") in str(caught.value)


MODULES = """
    amp boost common common.initializer communication context dataset dataset.config dataset.text dataset.transforms
    dataset.vision experimental mindrecord mint mint.linalg mint.nn mint.nn.functional mint.optim mint.special models nn
    nn.layer nn.utils numpy ops ops.operations optim optim.experimental optim.lr_scheduler train train.callback
"""


@pytest.mark.parametrize("module", MODULES.split())
def test_every_module_says_what_comes_nearest(module):
    """To a name of it, with two letters exchanged."""
    found = importlib.import_module(f"anfora.{module}")
    listed = dir(found) if "__dir__" in vars(found) or not hasattr(found, "__all__") else found.__all__
    names = [name for name in listed if not name.startswith("_") and len(name) > 4]
    for name in (names[0], names[-1]):
        wrong = name[:-2] + name[-1] + name[-2] if name[-1] != name[-2] else name + "x"
        with pytest.raises(MissingName, match="did you mean '") as caught:
            getattr(found, wrong)
        assert caught.value.missing == wrong


def test_the_program_under_another_name():
    class Forward(nn.Cell):
        def forward(self, x):
            return x

    class Call(nn.Cell):
        def call(self, x):
            return x

    for cell, name in ((Forward(), "forward"), (Call(), "call")):
        with pytest.raises(NotImplementedError, match=rf"has {name}\(\), which is called construct\(\) here"):
            cell(Tensor(1.0))


def test_arguments_by_habit():
    with pytest.raises(TypeError, match=r"what Keras calls optimizer is an argument of Model\(net, …\) here"):
        Net().compile(optimizer="adam", loss="mse")
    with pytest.raises(TypeError, match="what jax calls static_argnums is not needed here"):
        ms.jit(lambda x, n: x * n, static_argnums=1)
    with pytest.raises(TypeError, match="no device 'cuda:0'"):
        Tensor(1.0).to("cuda:0")


def test_own_attributes_win():
    class Mine(Tensor):
        def cuda(self):
            return self

    x, net = Mine([1.0]), Net()
    x.at = net.train = 3
    assert x.cuda() is x and x.at == net.train == 3


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_compiled_programs_answer_alike(mode):
    @ms.jit
    def program(x):
        if hasattr(x, "cuda"):
            return x
        try:
            return x.cuda()
        except AttributeError as error:
            return x * 2, str(error).splitlines()[0]

    for _ in range(3):
        value, text = program(Tensor(np.float32(1.5)))
        assert value.item() == 3.0 and text == "'Tensor' object has no attribute 'cuda'"

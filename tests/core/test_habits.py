"""Names that other libraries have: each answers with our word, which is one that there is; and all modules know better."""

from __future__ import annotations

import builtins
import collections
import enum
import functools
import gc
import importlib
import inspect
import re
import sys
import types

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora import dataset as ds
from anfora.core import arguments
from anfora.core.errors import AnforaError
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
    amp boost common common.initializer communication context data dataset dataset.config dataset.text dataset.transforms
    dataset.vision deepx device_context dtype experimental ir log mindrecord mint mint.linalg mint.nn mint.nn.functional
    mint.optim mint.special models multiprocessing nn nn.layer nn.probability.bijector nn.probability.distribution nn.utils
    numpy numpy.fft onnx ops ops.operations optim optim.experimental optim.lr_scheduler profiler runtime scipy scipy.fft
    scipy.linalg scipy.optimize tensor_expression train train.callback utils
"""


def test_all_modules_are_looked_at():
    assert set(ms._MODULES) <= set(MODULES.split())


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


def refusals():
    """What is made with an argument by habit; where it stands; our word."""
    from anfora import train
    from anfora.common.initializer import Normal
    from anfora.dataset import transforms, vision

    weights = [Parameter(1.0, name="w")]
    rows = ds.NumpySlicesDataset([1])
    model = ms.Model(nn.Dense(1, 1), nn.MSELoss(), nn.SGD(nn.Dense(1, 1).trainable_params(), 0.1))
    image = "what PyTorch calls transform is not needed here: data.map"
    return {
        "layer": (lambda: nn.Dense(8, 4, bias=False), "Dense", "what PyTorch calls bias is has_bias here"),
        "layer by Keras": (lambda: nn.Dense(8, units=4), "Dense", "what Keras calls units is out_channels here"),
        "convolution": (lambda: nn.Conv2d(1, 2, 3, padding_mode="reflect"), "Conv2d", r"anfora\.nn\.ReflectionPad2d"),
        "activation": (lambda: nn.ReLU(inplace=True), "ReLU", "an operator gives a new tensor"),
        "dropout": (lambda: nn.Dropout(rate=0.5), "Dropout", "what Keras calls rate is p here"),
        "inherited": (lambda: nn.L1Loss(size_average=True), "L1Loss", "what PyTorch calls size_average is reduction here"),
        "optimizer": (lambda: nn.SGD(weights, lr=0.1), "SGD", "what PyTorch calls lr is learning_rate here"),
        "two for one": (lambda: nn.Adam(weights, betas=(0.9, 0.99)), "Adam", "is beta1 and beta2 here"),
        "schedule": (lambda: nn.WarmUpLR(0.1, warmup_step=2), "WarmUpLR", "did you mean `warmup_steps`"),
        "scheduler": (
            lambda: ms.optim.lr_scheduler.StepLR(nn.SGD(weights, 0.1), 2, gama=0.1), "StepLR", "did you mean `gamma`"),
        "metric": (lambda: nn.TopKCategoricalAccuracy(K=2), "TopKCategoricalAccuracy", "did you mean `k`"),
        "model": (lambda: ms.Model(nn.ReLU(), loss=nn.MSELoss()), "Model", "what Keras calls loss is loss_fn here"),
        "callback": (lambda: train.EarlyStopping(min_deltas=1), "EarlyStopping", "did you mean `min_delta`"),
        "dataset": (lambda: ds.MnistDataset("m", transform=len), "MnistDataset", image),
        "its method": (lambda: ds.NumpySlicesDataset([1]).batch(2, drop_last=True), "batch", "is drop_remainder here"),
        "its inherited method": (lambda: rows.shuffle(size=3), "shuffle", "did you mean `buffer_size`"),
        "its iterator": (lambda: rows.create_dict_iterator(epochs=3), "create_dict_iterator", "did you mean `num_epochs`"),
        "its size": (lambda: rows.repeat(batch_size=3), "repeat", r"not an argument here: data\.batch"),
        "tensor": (lambda: Tensor([1.0], requires_grad=True), "Tensor", r"x\.requires_grad_\(\) sets it"),
        "training": (lambda: model.train(epochs=2, train_dataset=rows), "train", "what Keras calls epochs is epoch here"),
        "validation": (lambda: model.fit(2, rows, val_dataloaders=rows), "fit", "val_dataloaders is valid_dataset here"),
        "scaler": (lambda: ms.amp.StaticLossScaler(scale=2), "StaticLossScaler", "did you mean `scale_value`"),
        "profiler": (lambda: ms.Profiler(output_pat="x"), "Profiler", "did you mean `output_path`"),
        "sampler": (lambda: ds.RandomSampler(replacment=True), "RandomSampler", "did you mean `replacement`"),
        "transform": (lambda: transforms.OneHot(num_class=3), "OneHot", "did you mean `num_classes`"),
        "of images": (lambda: vision.RandomRotation(3, fill=0), "RandomRotation", "calls fill is fill_value here"),
        "initializer": (lambda: Normal(std=0.1), "Normal", "what PyTorch calls std is sigma here"),
        "parameter": (lambda: Parameter(1.0, trainable=False), "Parameter", "what Keras calls trainable is requires_grad"),
        "children": (lambda: nn.SequentialCell(a=nn.ReLU()), "SequentialCell", r"\*args"),
        "configuration": (lambda: ms.CheckpointConfig(keep_max=3), "CheckpointConfig", "keep_checkpoint_max"),
        "operator": (lambda: ops.softmax(ops.ones(3), dim=0), "softmax", "what PyTorch calls dim is axis here"),
    }  # fmt: skip


REFUSALS = refusals()


@pytest.mark.parametrize("kind", REFUSALS)
def test_arguments_that_are_not_there(kind):
    make, what, word = REFUSALS[kind]
    with pytest.raises(
        (TypeError, ValueError), match=rf"(?s)^{what} has no argument `\w+`; it takes .*{word}"
    ) as caught:
        make()
    if kind != "activation":
        assert "it takes none" not in str(caught.value)
    assert "test_habits.py" in str(caught.value) and ("^" in str(caught.value) or sys.version_info < (3, 11))


def test_arguments_through_a_class_of_the_program():
    class Narrow(nn.Dense):
        def __init__(self, width):
            super().__init__(width, 1, bias=False)

    with pytest.raises(TypeError, match=r"(?s)^Dense has no argument `bias`.*has_bias here"):
        Narrow(3)
    with pytest.raises(TypeError, match=r"Narrow\.__init__\(\) got an unexpected keyword argument 'bias'"):
        Narrow(3, bias=False)  # the program's own constructor answers as Python does


def test_errors_from_within_a_constructor_stay_what_they_are():
    class Broken(ms.common.initializer.Initializer):
        def _initialize(self, arr):
            raise TypeError("from inside")

    with pytest.raises(TypeError, match=r"^from inside$"):
        nn.Dense(2, 2, weight_init=Broken())
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'out_channels'"):
        nn.Dense(in_channels=2)


def test_words_for_arguments_are_arguments():
    """Each is taken by some public function or constructor, or named in a sentence."""
    from anfora.core.habits import ARGUMENTS

    places = [nn, ops, ds, ds.vision, ds.transforms, ms.train, ms.optim, ms.common.initializer, ms, ms.Model]
    classes = {found for place in places for name in dir(place) if callable(found := getattr(place, name, None))}
    taken = set()
    for found in classes:
        try:
            taken |= {*inspect.signature(found).parameters}
        except ValueError:
            pass
    taken |= {"keep_dims", "keepdims", "drop_remainder", "micro_batches"}
    for words in ARGUMENTS.values():
        for word in words.values():
            names = [] if isinstance(word, str) and word.endswith(".") else [word] if isinstance(word, str) else word
            assert all(part.split()[0] in taken for name in names for part in name.split(" and ")), word


def public_callables():
    """All public functions, constructors and methods of the modules, each once; those of `multiprocessing` are Python's."""
    seen: set[int] = set()
    for module in ("anfora", *(f"anfora.{name}" for name in MODULES.split() if name != "multiprocessing")):
        found = importlib.import_module(module)
        for name in getattr(found, "__all__", None) or [each for each in dir(found) if not each.startswith("_")]:
            value = getattr(found, name)
            if not callable(value) or (inspect.isclass(value) and issubclass(value, (BaseException, enum.Enum))):
                continue
            yield f"{module}.{name}", value
            for method, member in vars(value).items() if inspect.isclass(value) else ():
                if type(member) is types.FunctionType and not method.startswith("_") and id(member) not in seen:
                    seen.add(id(member))
                    yield f"{module}.{name}.{method}", functools.partial(member, None)


def test_no_function_leaves_the_program_with_pythons_own_words(monkeypatch):
    """An argument that is not there: the error is ours, or what is shown below it says what the function takes.

    Python names the function and no more, so nothing can be said where two have one name.
    """
    calls = [*public_callables()]
    functions = [each for each in gc.get_objects() if type(each) is types.FunctionType]
    monkeypatch.setattr(arguments.gc, "get_objects", lambda: functions)
    names = collections.Counter(each.__qualname__ for each in functions)
    alone = {name for name, count in names.items() if count == 1} - {*dir(builtins)}
    scope: dict = {}
    exec("def ask(call): call(no_such_argument=1)", scope)  # a program that has imported nothing with such names
    ask, silent = scope["ask"], []
    for name, call in calls:
        try:
            ask(call)
        except AnforaError:
            continue
        except Exception as error:
            asked, refused, _ = str(error).partition("() got an unexpected keyword argument")
            if refused and asked in alone and arguments.told_of(error) is None:
                silent.append((name, str(error)))
    assert silent == [] and len(calls) > 2000


def test_what_is_told_below_an_error_of_pythons():
    importlib.import_module("anfora.ir")  # has functions of the same names

    def words(call):
        with pytest.raises(TypeError) as caught:
            call()
        return arguments.told_of(caught.value)

    assert words(lambda: Net().set_train(train=True)) == "  it takes mode"
    assert words(lambda: ms.load_checkpoint("x", strict=True)).endswith("\n  help: did you mean `strict_load`?")
    assert words(lambda: ms.grad(Net(), argnums=0)).endswith("what jax calls argnums is grad_position here.")
    assert words(lambda: ops.ones(2).tolist(x=1)) == "  it takes no arguments"

    def load_checkpoint(file):
        return file

    load_checkpoint.__qualname__ = "load_checkpoint"  # as if it stood in the program by itself
    assert words(lambda: load_checkpoint(strict=True)) is None  # the program's own
    assert words(lambda: ms.load_checkpoint("x", strict=True)) is None  # which of the two?

    def written_in_c():  # as int(no=1) is refused from Python 3.13 on; a method of ours is called so too
        raise TypeError("int() got an unexpected keyword argument 'no'")

    assert words(written_in_c) is None


@pytest.mark.parametrize("jit", [lambda f: f, ms.jit])
def test_a_size_that_is_called_is_told(jit):
    with pytest.raises(TypeError) as caught:
        jit(lambda x: x.reshape(x.size(0), -1))(ops.ones((2, 3)))
    assert "help: what PyTorch calls size() is shape here" in str(arguments.told_of(caught.value))
    with pytest.raises(TypeError) as other:
        (lambda number: number(0))(3)
    assert arguments.told_of(other.value) is None

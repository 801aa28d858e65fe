"""A training that is stopped and resumed ends in the same bits as one that was not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small import Events, Stop, X, Y, data, loss, model, net

import anfora as ms
import anfora.dataset as ds
from anfora import nn, train
from anfora.core.errors import OpTypeError, OpValueError
from anfora.train.state import from_bytes, to_bytes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="lives are forks")


@pytest.mark.parametrize("mode", ["pynative", "graph"])
def test_killed_twenty_times(mode, tmp_path):
    program = Path(__file__).with_name("long_run.py")
    result = subprocess.run(
        [sys.executable, "-W", "error", str(program), mode, str(tmp_path), "20"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    same, places = result.stdout.split()
    assert same == "True"
    assert int(places) >= 10  # the lives ended at different places


def weights(trained: train.Model) -> list:
    return [parameter.tolist() for parameter in trained.train_network.get_parameters()]


def saving(folder: Path, **options) -> train.ModelCheckpoint:
    return train.ModelCheckpoint("net", folder, train.CheckpointConfig(**options))


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_events_go_on_where_they_stopped(format, tmp_path):
    whole, first, second = Events(), Events(), Events()
    expected = model()
    expected.train(2, data(), [saving(tmp_path / "a", format=format), whole])
    with pytest.raises(ZeroDivisionError):
        model().train(2, data(), [saving(tmp_path / "b", format=format), first, Stop(5, ZeroDivisionError())])
    resumed = model()
    resumed.train(2, data(), [saving(tmp_path / "b", format=format), second], resume=tmp_path / "b")
    assert weights(resumed) == weights(expected)
    # Step 5 had been saved, and the callback behind has its turn again.
    assert second.seen[2:-1] == [event.replace("-/0", "2/5") for event in whole.seen[14:-1]]
    assert sorted(os.listdir(tmp_path / "a")) == sorted(os.listdir(tmp_path / "b"))


def test_a_finished_training_goes_on_to_more_epochs(tmp_path):
    expected = model()
    expected.train(4, data())
    model().train(2, data(), saving(tmp_path, save_checkpoint_steps=4))  # the last file is of the end
    longer = model()
    longer.train(4, data(), resume=tmp_path)
    assert weights(longer) == weights(expected)


def test_shuffled_data_go_on_without_a_seed_too(tmp_path):
    seen: list[list] = []

    def rows():
        return ds.NumpySlicesDataset({"x": np.arange(6, dtype=np.float32).reshape(6, 1)}, shuffle=True).batch(1)

    class Sum(nn.Cell):
        def construct(self, x):
            return x.sum()

    note = train.LambdaCallback(
        on_train_step_end=lambda context: seen[-1].append(context.original_args().train_dataset_element[0].item())
    )
    for step in (4, 0):
        seen.append([])
        try:
            train.Model(Sum()).train(
                2, rows(), [note, saving(tmp_path), Stop(step, ZeroDivisionError())], resume=tmp_path
            )
        except ZeroDivisionError:
            pass
    assert sorted(seen[0] + seen[1][:2]) == sorted(seen[1][2:]) == [0, 1, 2, 3, 4, 5]


def test_an_empty_folder_lets_it_begin(tmp_path):
    expected, begun = model(), model()
    expected.train(1, data())
    begun.train(1, data(), saving(tmp_path / "new"), resume=tmp_path / "new")
    begun.train(1, data(), resume=tmp_path / "none")
    assert len(os.listdir(tmp_path / "new")) == 3
    expected.train(1, data())
    assert weights(begun) == weights(expected)


def test_what_cannot_be_resumed_is_refused_before_anything_changes(tmp_path):
    model().train(1, data(), saving(tmp_path))
    other = nn.Dense(2, 2)
    strange = train.Model(other, nn.MSELoss(), nn.Adam(other.trainable_params()))
    before = weights(strange)
    with pytest.raises(OpValueError, match="another network or optimizer: it has no weight"):
        strange.train(1, data(), resume=tmp_path)
    assert weights(strange) == before
    ms.save_checkpoint(model().train_network, tmp_path / "plain.ckpt")
    with pytest.raises(OpValueError, match="holds parameters only"):
        model().train(1, data(), resume=tmp_path / "plain.ckpt")
    with pytest.raises(OpValueError, match="there is no checkpoint"):
        model().train(1, data(), resume=tmp_path / "gone.ckpt")
    with pytest.raises(OpTypeError, match="`resume` must be a file or a folder"):
        model().train(1, data(), resume=3)


def test_a_callback_whose_state_is_no_data_is_told(tmp_path):
    class Odd(train.Callback):
        def state_dict(self):
            return {"function": print}

    with pytest.raises(OpValueError, match="a checkpoint cannot hold a builtin_function_or_method"):
        model().train(1, data(), [Odd(), saving(tmp_path)])
    assert os.listdir(tmp_path) == []


def test_states_come_back_as_they_were():
    state = {
        "version": 1, "a": [1, 2.5, None, True, "x", float("-inf")], "b": (1, (2,)), 3: np.arange(4).reshape(2, 2),
        "c": np.float32(0.1), "d": ms.Tensor([1.0, 2.0], ms.bfloat16), "e": tuple(range(100)), "f": {},
    }  # fmt: skip
    found = from_bytes(to_bytes(state))
    assert found[3].tolist() == [[0, 1], [2, 3]] and found[3].dtype == state[3].dtype
    assert found["d"].dtype == ms.bfloat16 and found["d"].tolist() == [1.0, 2.0]
    assert type(found["c"]) is np.float32 and found["c"] == state["c"]
    for name in ("a", "b", "e", "f"):
        assert found[name] == state[name]
    for damaged in (b"", b"{}", to_bytes(state)[:-5], to_bytes({"version": 2})):
        with pytest.raises(OpValueError, match="state of the training"):
            from_bytes(damaged)


class Clipped(nn.TrainOneStepCell):
    """A step of the program's own."""

    def construct(self, x, y):
        value, gradients = ms.value_and_grad(self.network, None, self.weights)(x, y)
        self.optimizer(ms.ops.clip_by_global_norm(gradients, 1.0))
        return value, gradients[0].sum()


def with_own_step() -> train.Model:
    made = net()
    return train.Model(Clipped(nn.WithLossCell(made, loss()), nn.Adam(made.trainable_params(), 0.01)))


def with_rates() -> train.Model:
    made = net()
    rates = [0.1, 0.05, 0.02, 0.01, 0.005, 0.001]
    return train.Model(made, loss(), nn.Momentum(made.trainable_params(), rates, 0.9))


def read_from_the_front():
    def rows():
        yield from zip(X, Y)

    return ds.GeneratorDataset(rows, ["x", "y"], shuffle=False).batch(4)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    "made, given", [(with_own_step, data), (with_rates, data), (model, read_from_the_front)],
    ids=["own step", "list of rates", "generator"],
)  # fmt: skip
def test_other_ways_to_train(mode, made, given, tmp_path):
    ms.set_context(mode=mode)
    try:
        expected, resumed = made(), made()
        expected.train(2, given())
        with pytest.raises(ZeroDivisionError):
            made().train(2, given(), (saving(tmp_path), Stop(4, ZeroDivisionError())))
        resumed.train(2, given(), resume=tmp_path)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert weights(resumed) == weights(expected)


@pytest.mark.parametrize("use", ["predict", "eval"])
def test_looking_on_changes_nothing(use):
    expected, watched = model(), model()
    expected.train(1, data())
    does = {"predict": lambda c: watched.predict(ms.Tensor(X)), "eval": lambda c: watched.eval(data(8))}
    watched.train(1, data(), train.LambdaCallback(on_train_step_end=does[use]))
    assert weights(watched) == weights(expected)

"""What goes wrong is told as everywhere here, and before anything changes."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from small import Events, Stop, X, Y, data, loss, model, net

import anfora as ms
import anfora.dataset as ds
from anfora import Tensor, nn, train
from anfora.core.errors import AnforaError, AnforaWarning, OpAttributeError, OpTypeError, OpValueError


class Old(train.Callback):
    def step_end(self, run_context):
        pass


three = {"x": X, "y": Y, "z": Y}

#: what is done, the error, a part of its text
REFUSED = {
    "metrics: no metric": (lambda: model(metrics={"acc": "x"}), OpTypeError, "names with metrics, but got 'acc': 'x'"),
    "metrics: a class": (lambda: model(metrics={"acc": nn.Accuracy}), OpTypeError, r"make one: Accuracy\(\)"),
    "metrics: unknown": (lambda: model(metrics={"nope"}), OpValueError, "there is no metric 'nope'; there are F1, acc"),
    "metrics: unknown, as Python has it": (lambda: model(metrics={"nope"}), KeyError, "no metric 'nope'"),
    "metrics: a list": (lambda: model(metrics=["acc"]), OpTypeError, "a dict of names to metrics or a set of names"),
    "eval: no metrics": (lambda: model(metrics=None).eval(data()), OpValueError, "Model.eval needs `metrics`"),
    "fit: no metrics": (lambda: model(metrics=None).fit(1, data(), data()), OpValueError, "Model.fit needs `metrics`"),
    "metrics, no loss": (lambda: train.Model(net(), metrics={"acc"}), OpValueError, "needs an `eval_network`"),
    "no network": (lambda: train.Model(3), OpTypeError, "needs a Cell for `network`"),
    "loss: a class": (lambda: train.Model(net(), nn.MSELoss), OpTypeError, r"make one: MSELoss\(\)"),
    "loss: a number": (lambda: train.Model(net(), 3), OpTypeError, "needs a loss or None for `loss_fn`"),
    "optimizer": (lambda: train.Model(net(), loss(), 3), OpTypeError, "needs an optimizer or None"),
    "option": (lambda: model(nope=1), OpValueError, r"Model has no argument `nope`; it takes network, .*scale_man"),
    "amp": (lambda: train.Model(net(), amp_level="O2"), OpValueError, "`amp_level` 'O2' needs an optimizer"),
    "amp: level": (lambda: model(amp_level="O7"), OpValueError, "`amp_level` must be one of 'O0'"),
    "scale": (
        lambda: train.Model(net(), loss_scale_manager=train.FixedLossScaleManager()), OpValueError, "needs an optimizer"
    ),
    "indexes": (
        lambda: train.Model(net(), eval_network=net(), eval_indexes=[0], metrics={"acc"}), OpValueError, "a list of three"
    ),
    "columns": (
        lambda: model().train(1, ds.NumpySlicesDataset(three, shuffle=False).batch(4)), OpValueError, "it has 3 columns"
    ),
    "dataset: a list": (lambda: model().train(1, [1, 2]), OpTypeError, "needs a dataset for `train_dataset`, but got list"),
    "dataset: empty": (lambda: model().train(1, data().skip(3)), OpValueError, "`train_dataset` is empty"),
    "valid: empty": (lambda: model().fit(1, data(), data().skip(3)), OpValueError, "`valid_dataset` is empty"),
    "eval: empty": (lambda: model().eval(data().skip(3)), OpValueError, "`valid_dataset` is empty"),
    "epoch": (lambda: model().train(0, data()), OpValueError, "needs an int >= 1 for `epoch`, but got 0"),
    "epoch: a float": (lambda: model().train(1.0, data()), OpTypeError, "needs an int for `epoch`"),
    "initial epoch": (lambda: model().train(2, data(), initial_epoch=2), OpValueError, "above `initial_epoch`"),
    "sink size": (lambda: model().train(2, data(), sink_size=0), OpValueError, "-1 or a positive int for `sink_size`"),
    "sink": (lambda: model().train(2, data(), dataset_sink_mode=1), OpTypeError, "`dataset_sink_mode`"),
    "frequency": (lambda: model().fit(2, data(), data(), valid_frequency=0), OpValueError, "`valid_frequency`"),
    "callback: a number": (lambda: model().train(2, data(), 3), OpTypeError, "must be a Callback or a list of them"),
    "callback: numbers": (lambda: model().train(2, data(), [3]), OpTypeError, "must hold callbacks, but got 3"),
    "callback: a class": (lambda: model().train(2, data(), [train.LossMonitor]), OpTypeError, r"make one: LossMonitor\(\)"),
    "callback: old": (
        lambda: model().fit(1, data(), data(), callbacks=Old()), OpValueError, "Old has step_end for both"
    ),
    "predict": (lambda: model().predict(X), OpTypeError, r"tensors, numbers or strings, but got ndarray"),
    "predict: empty": (lambda: model().predict(Tensor(np.zeros((0, 2), np.float32))), OpValueError, "an empty tensor"),
    "build": (lambda: model().build(), OpValueError, "needs `train_dataset` or `valid_dataset`"),
    "sink: steps": (lambda: train.data_sink(print, data(), sink_size=0), OpValueError, "`sink_size`"),
    "context": (lambda: train.RunContext([]), OpTypeError, "RunContext needs a dict, but got list"),
    "config": (lambda: train.CheckpointConfig(None, None, None, None), OpValueError, "must say when to save"),
    "config: info": (lambda: train.CheckpointConfig(append_info=["nope"]), OpValueError, "'epoch_num', 'step_num'"),
    "config: format": (lambda: train.CheckpointConfig(format="zip"), OpValueError, "'ckpt', 'safetensors'"),
    "checkpoint: prefix": (lambda: train.ModelCheckpoint("a/b"), OpValueError, "a string without '/' for `prefix`"),
    "checkpoint: config": (lambda: train.ModelCheckpoint("a", config=3), OpTypeError, "needs a CheckpointConfig"),
    "monitor": (lambda: train.LossMonitor(-1), OpValueError, "an int >= 0 for `per_print_times`, but got -1"),
    "factor": (lambda: train.ReduceLROnPlateau(factor=1.0), OpValueError, "> 0.0 and < 1.0 for `factor`"),
    "early: mode": (lambda: train.EarlyStopping(mode="up"), OpValueError, "'auto', 'min', 'max'"),
    "scheduler": (lambda: train.LearningRateScheduler(3), OpTypeError, "LearningRateScheduler needs a function"),
    "lambda": (lambda: train.LambdaCallback(on_train_end=3), OpTypeError, "a function for `on_train_end`"),
    "exit": (lambda: train.OnRequestExit(sig=9), OpValueError, "the signal 9 cannot be caught"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text) as caught:
        run()
    assert isinstance(caught.value, AnforaError)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_loss_that_is_none(mode):
    class Silent(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layer = nn.Dense(2, 2)

        def construct(self, x, y):
            self.layer(x)

    silent = Silent()
    ms.set_context(mode=mode)
    try:
        with pytest.raises(OpTypeError, match="None"):
            train.Model(silent, optimizer=nn.SGD(silent.trainable_params(), 0.1)).train(1, data())
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_loss_that_is_no_number():
    class Lost(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([float("nan")]), name="w")

        def construct(self, x, y):
            return (self.w * x.sum()).sum()

    lost = Lost()
    with pytest.raises(OpValueError, match="In epoch: 1 step: 1, loss is NAN or INF, training process cannot continue"):
        train.Model(lost, optimizer=nn.SGD(lost.trainable_params(), 0.1)).train(1, data(), train.LossMonitor())


def test_no_optimizer_is_told():
    with pytest.warns(AnforaWarning, match="no optimizer, so that nothing is learnt"):
        train.Model(net(), loss()).train(1, data())


def test_a_callback_that_raises_lets_all_others_be_left():
    first, second, trained = Events(), Events(), model()
    with pytest.raises(ZeroDivisionError):
        trained.train(2, data(), [first, Stop(2, ZeroDivisionError()), second])
    assert first.seen[-1] == second.seen[-1] == "exit ZeroDivisionError"
    assert first.seen[-2] == "train step_end 1/2 of 3"
    assert second.seen[-2] == "train step_begin 1/2 of 3"
    trained.train(1, data())  # nothing is left behind


def test_a_callback_that_cannot_be_entered_lets_those_before_be_left():
    class Closed(train.Callback):
        def __enter__(self):
            raise ZeroDivisionError

    first, second = Events(), Events()
    with pytest.raises(ZeroDivisionError):
        model().train(1, data(), [first, Closed(), second])
    assert (first.seen, second.seen) == (["enter", "exit ZeroDivisionError"], [])


@pytest.fixture
def interrupts():
    """Ctrl-C raises, also where the tests run in the background, in which shells let it be ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupted_in_the_middle_of_a_step(tmp_path, interrupts):
    """The signal comes while Python is inside of the loop; parameters are those of before or after an update."""

    class Interrupting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.loss, self.calls = loss(), 0

        def construct(self, logits, labels):
            self.calls += 1
            if self.calls == 2:
                os.kill(os.getpid(), 2)
            return self.loss(logits, labels)

    made = net()
    optimizer = nn.Momentum(made.trainable_params(), 0.125, 0.5)
    config = train.CheckpointConfig(save_checkpoint_steps=100, exception_save=True)
    with pytest.raises(KeyboardInterrupt):
        train.Model(made, Interrupting(), optimizer).train(1, data(), train.ModelCheckpoint("net", tmp_path, config))
    [file] = os.listdir(tmp_path)
    assert file == "net-1_2_breakpoint.ckpt"
    one_step = model()
    one_step.train(1, data(), Stop(1))
    assert ms.load_checkpoint(tmp_path / file)["0.weight"].tolist() == one_step.predict_network[0].weight.tolist()


def test_what_is_not_known_at_a_moment():
    seen = []
    note = train.LambdaCallback(on_train_begin=lambda context: seen.append(context.original_args()))
    model().train(1, data(), note)
    with pytest.raises(OpAttributeError, match="there is no 'los' at this moment"):
        seen[0].los  # noqa: B018
    assert not hasattr(seen[0], "los")


def test_a_value_that_is_not_watched_is_told(caplog):
    model().train(1, data(), train.EarlyStopping("eval_loss"))
    assert "EarlyStopping watches 'eval_loss', which is not there; there are ['loss']" in caplog.text


def test_rates_of_groups_are_refused():
    made = net()
    groups = [{"params": made.trainable_params()[:1], "lr": 0.1}, {"params": made.trainable_params()[1:], "lr": 0.2}]
    trained = train.Model(made, loss(), nn.SGD(groups, 0.1))
    with pytest.raises(OpValueError, match="one fixed learning rate, but got a ParameterTuple"):
        trained.train(1, data(), train.LearningRateScheduler(lambda rate, step: rate))
    with pytest.raises(OpValueError, match="one fixed learning rate"):
        trained.train(1, data(), train.ReduceLROnPlateau("loss"))


def test_a_request_for_the_end_by_a_signal(tmp_path):
    import signal

    before = signal.getsignal(signal.SIGTERM)

    def ask(context: train.RunContext) -> None:
        if context.original_args().cur_step_num == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    send = train.LambdaCallback(on_train_step_begin=ask)
    events = Events()
    trained = model()
    trained.train(2, data(), [send, train.OnRequestExit(directory=tmp_path, file_name="net"), events])
    assert events.seen[-2:] == ["train end 1/2 of 3", "exit"]
    assert os.listdir(tmp_path / "rank_0") == ["net_train.ckpt"]
    assert signal.getsignal(signal.SIGTERM) == before
    again, begun = model(), []
    note = train.LambdaCallback(on_train_step_begin=lambda c: begun.append(again.predict_network[0].weight.tolist()))
    again.train(1, data(), [train.OnRequestExit(directory=tmp_path, file_name="net"), note])
    assert begun[0] == trained.predict_network[0].weight.tolist()

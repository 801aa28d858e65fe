"""Which moments come when, what is printed and which files are written: as MindSpore 2.10 does on a CPU, recorded there
with the same program, in both of its modes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
from small import Events, Stop, data, model

import anfora as ms
from anfora import train


@pytest.fixture(params=["pynative", "graph"], autouse=True)
def mode(request) -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE if request.param == "graph" else ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def steps(kind: str, epoch: object, first: int, last: int, of: int) -> list[str]:
    return [f"{kind} step_{when} {epoch}/{n} of {of}" for n in range(first, last + 1) for when in ("begin", "end")]


def epoch(number: int, before: int, last: int, of: int = 3, inside: list[str] | None = None) -> list[str]:
    return [
        f"train epoch_begin {number}/{before} of {of}",
        *steps("train", number, before + 1, last, of),
        *(inside or []),
        f"train epoch_end {number}/{last} of {of}",
    ]


def evaluation(number: object) -> list[str]:
    return [
        "enter",
        f"eval begin {number}/0 of 2",
        f"eval epoch_begin {number}/0 of 2",
        *steps("eval", number, 1, 2, 2),
        f"eval epoch_end {number}/2 of 2",
        f"eval end {number}/2 of 2",
        "exit",
    ]


def whole(*epochs: list[str], end: str, of: int = 3) -> list[str]:
    return ["enter", f"train begin -/0 of {of}", *(event for e in epochs for event in e), f"train end {end}", "exit"]


CASES = {
    "train": (lambda e: model().train(2, data(), [e]), whole(epoch(1, 0, 3), epoch(2, 3, 6), end="2/6 of 3")),
    "fit": (
        lambda e: model().fit(2, data(), data(8), callbacks=[e]),
        whole(
            epoch(1, 0, 3, inside=evaluation(1)), epoch(2, 3, 6, inside=evaluation(2)), end="2/6 of 3"
        ),
    ),
    "fit, some epochs": (
        lambda e: model().fit(3, data(), data(8), valid_frequency=[2], callbacks=e),
        whole(epoch(1, 0, 3), epoch(2, 3, 6, inside=evaluation(2)), epoch(3, 6, 9), end="3/9 of 3"),
    ),
    "fit, every second epoch": (
        lambda e: model().fit(2, data(), data(8), valid_frequency=2, callbacks=e),
        whole(epoch(1, 0, 3), epoch(2, 3, 6, inside=evaluation(2)), end="2/6 of 3"),
    ),
    "eval": (lambda e: model().eval(data(8), e), evaluation("-")),
    "initial epoch": (
        lambda e: model().train(3, data(), initial_epoch=2, callbacks=[e]), whole(epoch(3, 0, 3), end="3/3 of 3")
    ),
    "sink": (
        lambda e: model().train(1, data(), [e], dataset_sink_mode=True), whole(epoch(1, 0, 3), end="1/3 of 3")
    ),
    "sink size": (
        lambda e: model().train(2, data(), [e], dataset_sink_mode=True, sink_size=2),
        whole(epoch(1, 0, 3, of=2), epoch(2, 3, 6, of=2), end="2/6 of 2", of=2),
    ),
    "stop": (lambda e: model().train(3, data(), [Stop(2), e]), whole(epoch(1, 0, 2), end="1/2 of 3")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_moments_come_in_this_order(name):
    run, expected = CASES[name]
    events = Events()
    run(events)
    assert events.seen == expected


def test_the_older_names_are_called_in_training_and_evaluation():
    seen = []

    class Old(train.Callback):
        pass

    for name in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"):
        setattr(Old, name, lambda self, context, name=name: seen.append(name))
    whole_run = ["begin", "epoch_begin", *["step_begin", "step_end"] * 3, "epoch_end", "end"]
    model().train(1, data(), callbacks=Old())
    assert seen == whole_run
    seen.clear()
    model().eval(data(8), callbacks=[Old()])
    assert seen == ["begin", "epoch_begin", *["step_begin", "step_end"] * 2, "epoch_end", "end"]


PRINTED = {
    "loss": (
        lambda: model().train(2, data(), train.LossMonitor(2)),
        ["epoch: 1 step: 2, loss is 0.72232", "epoch: 2 step: 1, loss is 0.67307", "epoch: 2 step: 3, loss is 0.71081"],
    ),
    "in fit": (
        lambda: model().fit(1, data(), data(8), callbacks=[train.LossMonitor(), train.TimeMonitor()]),
        [
            "epoch: 1 step: 1, loss is 0.67495", "epoch: 1 step: 2, loss is 0.72232", "epoch: 1 step: 3, loss is 0.79140",
            "Eval epoch time: # ms, per step time: # ms", "Eval result: epoch 1, metrics: {'acc': 0.625, 'loss': 0.68296}",
            "Train epoch time: # ms, per step time: # ms",
        ],
    ),
    "sink size": (
        lambda: model().train(1, data(), train.LossMonitor(), dataset_sink_mode=True, sink_size=2),
        ["epoch: 1 step: 1, loss is 0.67495", "epoch: 1 step: 2, loss is 0.72232", "epoch: 1 step: 1, loss is 0.79140"],
    ),
    "data time": (
        lambda: model().train(1, data(), train.TimeMonitor(data_time=True)),
        ["Train epoch time: # ms, per step time: # ms (data time: # ms)"],
    ),
    "eval": (lambda: model().eval(data(8), train.TimeMonitor()), ["Eval epoch time: # ms, per step time: # ms"]),
    "early": (
        lambda: model().fit(
            9, data(), data(8), callbacks=train.EarlyStopping("eval_loss", patience=2, min_delta=10.0, verbose=True)
        ),
        ["Epoch 00003: early stopping"],
    ),
    "early, the best again": (
        lambda: model().fit(
            9, data(), data(8),
            callbacks=[train.EarlyStopping("acc", patience=2, verbose=True, restore_best_weights=True)],
        ),
        ["Restoring model weights from the end of the best epoch.", "Epoch 00003: early stopping"],
    ),
    "plateau": (
        lambda: model().fit(
            6, data(), data(8),
            callbacks=[train.ReduceLROnPlateau(patience=2, factor=0.5, min_delta=10.0, verbose=True, cooldown=1)],
        ),
        [
            "Epoch 00003: ReduceLROnPlateau reducing learning rate to 0.0625.",
            "Epoch 00005: ReduceLROnPlateau reducing learning rate to 0.03125.",
        ],
    ),
    "plateau, a rate in float32": (
        lambda: model().fit(
            2, data(), data(8), callbacks=[train.ReduceLROnPlateau(patience=1, factor=0.7, min_delta=10.0, verbose=True)]
        ),
        ["Epoch 00002: ReduceLROnPlateau reducing learning rate to 0.0875."],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed(name, capsys):
    run, expected = PRINTED[name]
    run()
    printed = re.sub(r"\d+\.\d+ ms", "# ms", capsys.readouterr().out)
    assert re.sub(r"(\d\.\d{5})\d+", r"\1", printed).splitlines() == expected


def test_results_are_mindspores():
    history = train.History()
    trained = model()
    assert trained.fit(2, data(), data(8), callbacks=[history]) is None
    assert history.epoch == {"epoch": [1, 2]}
    expected = {"net_output": [0.79141, 0.71081], "acc": [0.625, 0.5], "loss": [0.68296, 0.68010]}
    assert list(history.history) == list(expected)
    for name, values in expected.items():
        assert history.history[name] == pytest.approx(values, abs=1e-5)
    assert model().eval(data(8)) == pytest.approx({"acc": 0.5, "loss": 0.69955}, abs=1e-5)


def test_the_mean_of_all_losses_is_watched():
    """MindSpore has that of the last step of the evaluation in "eval_loss"."""
    seen = []
    note = train.LambdaCallback(on_train_epoch_end=lambda context: seen.append(context.original_args().eval_results))
    model().fit(1, data(), data(8), callbacks=note)
    [found] = seen
    assert found["eval_loss"] == found["loss"]


def test_rates_that_a_function_sets():
    seen = []

    def halved(rate: float, step: int) -> float:
        seen.append((rate, step))
        return rate / 2

    model().train(2, data(), callbacks=[train.LearningRateScheduler(halved)])
    assert seen == [(0.125, 1), (0.0625, 2), (0.03125, 3), (0.015625, 4), (0.0078125, 5), (0.00390625, 6)]


#: CheckpointConfig, epochs, how often, the files at the end
FILES = {
    "default": (None, 2, 1, ["net-1_2.ckpt", "net-1_3.ckpt", "net-2_1.ckpt", "net-2_2.ckpt", "net-2_3.ckpt"]),
    "keep 2": ({"save_checkpoint_steps": 2, "keep_checkpoint_max": 2}, 3, 1, ["net-3_2.ckpt", "net-3_3.ckpt"]),
    "the last": ({"save_checkpoint_steps": 4}, 2, 1, ["net-2_1.ckpt", "net-2_3.ckpt"]),
    "again": ({"save_checkpoint_steps": 3}, 1, 3, ["net-1_3.ckpt", "net_1-1_3.ckpt", "net_2-1_3.ckpt"]),
    "safetensors": ({"save_checkpoint_steps": 3, "format": "safetensors"}, 1, 1, ["net-1_3.safetensors"]),
    "never": ({"save_checkpoint_steps": 0, "save_checkpoint_seconds": 0}, 1, 1, []),
    "info": (
        {"save_checkpoint_steps": 3, "append_info": ["epoch_num", "step_num", {"note": "x"}]}, 1, 1, ["net-1_3.ckpt"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_written(name, tmp_path):
    config, epochs, times, expected = FILES[name]
    for _ in range(times):
        given = None if config is None else train.CheckpointConfig(**config)
        saving = train.ModelCheckpoint("net", str(tmp_path), given)
        model().train(epochs, data(), callbacks=[saving])
    assert sorted(os.listdir(tmp_path)) == expected
    if not expected:
        return
    assert os.path.basename(saving.latest_ckpt_file_name) == expected[-1]
    found = ms.load_checkpoint(tmp_path / expected[-1])
    wanted = {"0.weight", "0.bias", "global_step", "learning_rate", "momentum", "moments.0.weight", "moments.0.bias"}
    assert wanted <= set(found)
    extra = {key: value if isinstance(value, str) else int(value) for key, value in found.items() if key not in wanted}
    assert extra == ({"epoch_num": 1, "step_num": 3, "note": "x"} if name == "info" else {})


def test_a_training_that_an_error_ends_is_saved(tmp_path):
    config = train.CheckpointConfig(save_checkpoint_steps=100, exception_save=True)
    saving, events = train.ModelCheckpoint("net", tmp_path, config), Events()
    with pytest.raises(KeyboardInterrupt):
        model().train(3, data(), callbacks=[events, saving, Stop(5, KeyboardInterrupt())])
    assert os.listdir(tmp_path) == ["net-2_2_breakpoint.ckpt"]
    assert events.seen[-1] == "exit KeyboardInterrupt"
    assert int(ms.load_checkpoint(tmp_path / "net-2_2_breakpoint.ckpt")["global_step"]) == 5


def test_a_backup_comes_and_goes(tmp_path):
    there = []
    look = train.LambdaCallback(on_train_epoch_end=lambda context: there.append(os.listdir(tmp_path)))
    model().train(2, data(), callbacks=[train.BackupAndRestore(tmp_path), look])
    assert there == [["backup.ckpt"]] * 2
    assert os.listdir(tmp_path) == []
    first = model()
    first.train(2, data(), callbacks=train.BackupAndRestore(tmp_path, delete_checkpoint=False))
    begun = []
    second = model()
    weight = second.predict_network[0].weight
    note = train.LambdaCallback(on_train_begin=lambda context: begun.append(weight.tolist()))
    second.train(1, data(), callbacks=[train.BackupAndRestore(tmp_path), note])
    assert begun == [first.predict_network[0].weight.tolist()]


def test_a_network_is_left_as_the_last_thing_needed_it():
    trained = model()
    for done, training in [(lambda: trained.train(1, data()), True), (lambda: trained.fit(2, data(), data()), False)]:
        done()
        assert trained._network.training is training

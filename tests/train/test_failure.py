"""A training that fails is saved as it stood behind its last whole step, and goes on from there in the same bits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small import Stop, data, loss, model, net

import anfora as ms
import anfora.dataset as ds
from anfora import Tensor, nn, train
from anfora.core.errors import OpTypeError, OpValueError
from anfora.dataset.functions import SampleError
from anfora.train import callback


class Failing:
    """Something that is called, and fails at one of its calls."""

    def __init__(self, at: int, error: type[BaseException] = ZeroDivisionError) -> None:
        self.left, self.error = at, error

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise self.error


class FailingLoss(nn.Cell):
    """A loss that draws random numbers, so that a step which has begun has moved a generator."""

    def __init__(self, fail: Failing) -> None:
        super().__init__()
        self.loss, self.dropout, self.fail = loss(), nn.Dropout(p=0.5), fail

    def construct(self, logits, labels):
        found = self.loss(self.dropout(logits), labels)
        self.fail()
        return found


class FailingMomentum(nn.Momentum):
    """An optimizer that fails when some parameters have their new values, and others not."""

    fail: Any = None

    def construct(self, gradients):
        self.parameters[0].set_data(self.parameters[0] + 1)
        self.fail()
        self.parameters[0].set_data(self.parameters[0] - 1)
        return super().construct(gradients)


def rows(fail: Failing):
    def row(x, y):
        fail()
        return x, y

    return ds.NumpySlicesDataset({"x": np.arange(24.0, dtype=np.float32).reshape(12, 2), "y": np.arange(12) % 2},
                                 shuffle=True).map(row, ["x", "y"], python_multiprocessing=False).batch(4)  # fmt: skip


NEVER = 1_000_000
#: What fails, at which of its calls, and behind which step of a training of 3 epochs with 3 steps each.
PLACES = [("loss", 5, 4), ("optimizer", 5, 4), ("before", 5, 4), ("behind", 5, 5), ("epoch end", 2, 6), ("data", 17, 4)]


def trained(place: str, at: int, folder: Path, error: type[BaseException] = ZeroDivisionError, **options: Any):
    """A model after a training in which something fails."""
    ms.set_seed(3)
    ds.config.set_seed(3)

    def fail(where: str) -> Failing:
        return Failing(at if where == place else NEVER, error)

    made = net()
    optimizer = FailingMomentum(made.trainable_params(), 0.125, 0.5)
    optimizer.fail = fail("optimizer")
    model = train.Model(made, FailingLoss(fail("loss")), optimizer)
    early, late, epoch = fail("before"), fail("behind"), fail("epoch end")
    before = train.LambdaCallback(on_train_step_end=lambda c: early())
    behind = train.LambdaCallback(on_train_step_end=lambda c: late(), on_train_epoch_end=lambda c: epoch())
    keeper = train.TrainFaultTolerance(folder)
    try:
        model.train(3, rows(fail("data")), [before, keeper, behind], **options)
    except (error, SampleError):  # of the data
        assert place
    else:
        assert not place
    return model, keeper


def weights(made: train.Model) -> list:
    return [parameter.tolist() for parameter in made.train_network.get_parameters()]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
@pytest.mark.parametrize("place, at, step", PLACES)
def test_what_has_failed_goes_on_in_the_same_bits(place, at, step, mode, tmp_path):
    with ms.context(mode=mode):
        whole, keeper = trained("", NEVER, tmp_path / "whole")
        assert keeper.latest_ckpt_file_name == "" and not os.listdir(tmp_path / "whole")
        failed, keeper = trained(place, at, tmp_path)
        epoch, in_epoch = (step - 1) // 3 + 1, (step - 1) % 3 + 1
        file = tmp_path / f"ttp_saved_checkpoints-step_{step}" / "rank_0" / f"ttp_rank_0-{epoch}_{in_epoch}.ckpt"
        assert keeper.latest_ckpt_file_name == str(file)
        assert (keeper.cur_epoch_num, keeper.cur_step_num) == (epoch, step)
        kept = ms.load_checkpoint(file)
        assert [kept[p.name].tolist() for p in failed.train_network.get_parameters()] == weights(failed)
        resumed, _ = trained("", NEVER, tmp_path / "again", resume=file)
        assert weights(resumed) == weights(whole)


def test_ctrl_c_is_a_failure_too(tmp_path):
    trained("loss", 3, tmp_path, KeyboardInterrupt)
    assert os.listdir(tmp_path) == ["ttp_saved_checkpoints-step_2"]


def test_before_the_first_step_there_is_nothing_to_save(tmp_path, caplog):
    trained("loss", 1, tmp_path)
    assert not os.listdir(tmp_path) and "before the end of its first step" in caplog.text


def test_a_function_saves_instead(tmp_path):
    seen = []

    def save(now, append):
        seen.append((now.cur_epoch_num, now.cur_step_num, append, now.network[0].weight.tolist()))

    keeper = train.TrainFaultTolerance(tmp_path, ckpt_save_fn=save, ckpt_load_fn=dict)
    note = train.LambdaCallback(
        on_train_step_end=lambda c: weights_then.append(c.original_args().network[0].weight.tolist())
    )
    weights_then: list = []
    with pytest.raises(ZeroDivisionError):
        model().train(2, data(), [keeper, note, Stop(5, ZeroDivisionError())])
    assert seen == [(2, 5, {"__exception_save__": True}, weights_then[4])]
    assert not os.listdir(tmp_path)


def test_a_later_training_begins_anew(tmp_path):
    keeper = train.TrainFaultTolerance(tmp_path, initial_step=100)
    model().train(1, data(), keeper)
    with pytest.raises(ZeroDivisionError):
        model().train(1, data(), [keeper, Stop(1, ZeroDivisionError())])
    assert os.listdir(tmp_path) == ["ttp_saved_checkpoints-step_101"]


def test_what_makes_no_sense_is_refused(tmp_path):
    with pytest.raises(ValueError, match="give `ckpt_save_path` or `ckpt_save_fn`"):
        train.TrainFaultTolerance()
    with pytest.raises(OpTypeError, match="needs a function for `ckpt_save_fn`, but got 3"):
        train.TrainFaultTolerance(ckpt_save_fn=3)
    with pytest.raises(OpTypeError, match="initial_step"):
        train.TrainFaultTolerance(tmp_path, initial_step="1")


def test_parameters_that_somebody_else_has_trained():
    made = net()
    given = [{"name": "0.weight", "data": Tensor([[1.0, 2.0], [3.0, 4.0]])}]
    callback._set_cur_net(made)
    assert callback._checkpoint_cb_for_save_op(given) is True and given == []
    assert made[0].weight.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(OpValueError, match="no network to take"):
        callback._checkpoint_cb_for_save_op(given)


PROGRAM = """
import sys
import numpy as np
import anfora as ms
import anfora.dataset as ds
from anfora import communication, nn, train

communication.init()
ms.set_seed(1)
rank, size = communication.get_rank(), communication.get_group_size()


def fail(context):
    if rank == 1 and sys.argv[1] == "fails" and context.original_args().cur_step_num == 5:
        raise ValueError("process one is sad")


x = np.arange(48, dtype=np.float32).reshape(24, 2) / 24
data = ds.NumpySlicesDataset({"x": x, "y": np.arange(24, dtype=np.int32) % 2}, num_shards=size, shard_id=rank, shuffle=True)
net = nn.SequentialCell(nn.Dense(2, 2))
model = train.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), micro_batches=4)
callbacks = [train.TrainFaultTolerance("kept"), train.LambdaCallback(on_train_step_begin=fail)]
model.train(2, data.batch(8 // size), callbacks, resume=sys.argv[2] if len(sys.argv) > 2 else None)
if rank == 0:
    print([p.tolist() for p in model.train_network.get_parameters()])
"""


def test_of_several_processes_each_writes_what_it_has(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "communication"))
    from ranks import run, start

    whole = run(2, PROGRAM, "goes", folder=tmp_path)
    assert start(2, PROGRAM, "fails", folder=tmp_path)[0]
    assert sorted(str(file.relative_to(tmp_path / "kept")) for file in (tmp_path / "kept").rglob("*.ckpt")) == [
        f"ttp_saved_checkpoints-step_4/rank_{rank}/ttp_rank_{rank}-2_1.ckpt" for rank in range(2)
    ]
    for rank in range(2):
        assert run(2, PROGRAM, "goes", f"kept/ttp_saved_checkpoints-step_4/rank_{rank}", folder=tmp_path) == whole

"""Files for TensorBoard, read back record by record: a length, its sum, an event, its sum."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small import data, model, net

import anfora as ms
import anfora.dataset as ds
from anfora import Tensor, nn, ops, train
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError


def events(folder: Path) -> list[Any]:
    """The events of all files of a folder, whose names TensorBoard must know."""
    from tensorboardX.proto.event_pb2 import Event

    found = []
    for file in sorted(folder.glob("*tfevents*")):
        content = file.read_bytes()
        while content:
            [length] = struct.unpack("<Q", content[:8])
            found.append(Event.FromString(content[12 : 12 + length]))
            content = content[16 + length :]
    return found


def shown(folder: Path) -> dict[str, list[tuple[int, str]]]:
    """Each tag with the steps and kinds of what stands under it."""
    tags: dict[str, list[tuple[int, str]]] = {}
    for event in events(folder):
        for value in event.summary.value:
            tags.setdefault(value.tag, []).append((event.step, value.WhichOneof("value")))
    return tags


def scalars(folder: Path, tag: str) -> dict[int, float]:
    return {e.step: v.simple_value for e in events(folder) for v in e.summary.value if v.tag == tag}


def test_what_a_training_tells(tmp_path):
    seen = {}

    def note(context: train.RunContext) -> None:
        seen[context.original_args().cur_step_num] = context.original_args().net_outputs.item()

    collector = train.SummaryCollector(tmp_path, collect_freq=2, custom_lineage_data={"trial": 7})
    model().fit(2, data(), data(8), callbacks=[collector, train.LambdaCallback(on_train_step_end=note)])
    assert scalars(tmp_path, "loss/auto") == {step: np.float32(seen[step]) for step in (1, 2, 4, 6)}
    assert scalars(tmp_path, "learning_rate/auto") == dict.fromkeys((1, 2, 4, 6), 0.125)
    assert set(scalars(tmp_path, "eval/acc")) == {3, 6}
    tags = shown(tmp_path)
    for name in ("0.weight/auto", "0.bias/auto"):
        assert tags[name] == [(step, "histo") for step in (1, 2, 4, 6)]
    texts = [b"".join(v.tensor.string_val) for e in events(tmp_path) for v in e.summary.value if v.tensor.string_val]
    assert any(b"TrainOneStepCell" in text for text in texts)
    assert any(b"| trial | 7 |" in text for text in texts)
    assert any(b"| optimizer | Momentum |" in text for text in texts)


class Telling(nn.Cell):
    """A network with summary operators."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.scalar, self.image = nn.Dense(4, 2), ops.ScalarSummary(), ops.ImageSummary()
        self.tensor, self.histogram = ops.TensorSummary(), ops.HistogramSummary()

    def construct(self, images: Tensor, labels: Tensor) -> Tensor:
        out = self.layer(images.reshape(images.shape[0], 4))
        loss = ops.square(out.sum(1) - labels).mean()
        self.scalar("twice", loss * 2)
        self.image("images", images)
        self.tensor("out", out)
        self.histogram("squares", out * out)
        return loss


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_summary_operators_are_recorded(mode, tmp_path):
    x = np.arange(32, dtype=np.float32).reshape(8, 1, 2, 2)
    rows = ds.NumpySlicesDataset({"x": x, "y": np.ones(8, np.float32)}, shuffle=False).batch(4)
    telling, losses = Telling(), []
    trained = train.Model(telling, optimizer=nn.SGD(telling.trainable_params(), 1e-4))
    note = train.LambdaCallback(on_train_step_end=lambda c: losses.append(c.original_args().net_outputs.item()))
    ms.set_context(mode=mode)
    try:
        collector = train.SummaryCollector(
            tmp_path, collect_freq=1, collect_tensor_freq=3, export_options={"tensor_format": "npy"}
        )
        trained.train(2, rows, [collector, note])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert list(scalars(tmp_path, "twice").values()) == [np.float32(2 * loss) for loss in losses]
    tags = shown(tmp_path)
    assert tags["out"] == [(1, "histo"), (3, "histo")]
    assert tags["squares"] == [(step, "histo") for step in (1, 2, 3, 4)]
    assert [kind for _, kind in tags["input_data/auto"]] == ["image"] * 4
    assert [kind for name in tags if name.startswith("images") for _, kind in tags[name]] == ["image"] * 4
    assert sorted(file.name for file in (tmp_path / "export").iterdir()) == ["out_1.npy", "out_3.npy"]
    assert np.load(tmp_path / "export" / "out_1.npy").shape == (4, 2)


def test_a_record_by_hand(tmp_path):
    with train.SummaryRecord(tmp_path, file_suffix="_X", network=net()) as record:
        record.add_value("scalar", "loss", Tensor(0.5))
        record.add_value("scalar", "loss", Tensor(0.25))  # the newer one counts
        record.add_value("image", "images", Tensor(np.zeros((12, 3, 2, 2), np.uint8)))
        assert record.record(7)
        record.set_mode("eval")
        ops.ScalarSummary()("in training only", Tensor(1.0))
        record.add_value("histogram", "h", Tensor([1.0, 2.0]))
        record.add_value("scalar", "left out", Tensor(1.0))
        assert record.record(8, plugin_filter=lambda plugin: plugin == "histogram")
        record.flush()
    assert not record.record(9)
    assert Path(record.log_dir).name.endswith("_X")
    tags = shown(tmp_path)
    assert scalars(tmp_path, "loss") == {7: 0.25}
    assert tags["h"] == [(8, "histo")]
    assert not {"left out", "in training only"} & set(tags)
    with pytest.raises(OpRuntimeError, match="is closed"), record:
        pass


def test_a_file_has_an_end(tmp_path):
    with train.SummaryRecord(tmp_path, max_file_size=1, raise_exception=True) as record:
        record.flush()
        record.add_value("scalar", "loss", Tensor(0.5))
        with pytest.raises(OpRuntimeError, match="has reached 1 bytes"):
            record.record(1)


REFUSED = [
    (lambda r: r.add_value("scalar", "a", Tensor([1.0, 2.0])), OpValueError, "a single number for a scalar"),
    (lambda r: r.add_value("scalar", "a", 1.0), OpTypeError, "needs a tensor, but got float"),
    (lambda r: r.add_value("scalar", "", Tensor(1.0)), OpValueError, "a string for `name`"),
    (lambda r: r.add_value("sound", "a", Tensor(1.0)), OpValueError, "`plugin` must be one of 'tensor'"),
    (lambda r: r.add_value("image", "a", Tensor([[1.0]])), OpValueError, r"images \(N, 1 or 3, H, W\)"),
    (lambda r: r.set_mode("test"), OpValueError, "'train', 'eval'"),
    (lambda r: r.record(-1), OpValueError, "`step`"),
    (lambda r: train.SummaryCollector(r.log_dir + "x", 0), OpValueError, "`collect_freq`"),
    (lambda r: train.SummaryCollector("x", collect_specified_data={"all": True}), OpValueError, "does not know"),
    (lambda r: train.SummaryCollector("x", collect_specified_data={"histogram_regular": "("}), OpValueError, "pattern"),
    (lambda r: train.SummaryCollector("x", custom_lineage_data={"a": []}), OpTypeError, "strings or numbers"),
    (lambda r: train.SummaryCollector("x", export_options={"a": 1}), OpValueError, "'tensor_format': 'npy'"),
    (lambda r: ops.ScalarSummary()("a", Tensor([1.0, 2.0])), OpValueError, "ScalarSummary needs a tensor"),
    (lambda r: ops.ImageSummary()("a", Tensor([1.0, 2.0])), OpValueError, "a tensor with 4 axes"),
]


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_refused(index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run, kind, text = REFUSED[index]
    with train.SummaryRecord(tmp_path / "s") as record, pytest.raises(kind, match=text):
        run(record)


def test_one_collector_is_enough(tmp_path):
    two = [train.SummaryCollector(tmp_path), train.SummaryCollector(tmp_path)]
    with pytest.raises(OpValueError, match="there are several"):
        model().train(1, data(), two)


def test_without_tensorboardx(tmp_path):
    program = (
        "import sys; sys.modules['tensorboardX'] = None\n"
        "from anfora import train\n"
        "train.SummaryCollector('s')\n"  # nothing is needed yet
        "train.SummaryRecord('s')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "OpRuntimeError: SummaryRecord writes files for TensorBoard with tensorboardX" in done.stderr
    assert "help: pip install anfora[board]." in done.stderr

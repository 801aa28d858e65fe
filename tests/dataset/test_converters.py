"""MindRecord files of other formats, and rows by the values of a field."""

from __future__ import annotations

import gzip
import json
import pickle
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from anfora import mindrecord


def rows(path):
    return list(mindrecord.FileReader(str(path)).get_next())


def test_csv(tmp_path):
    (tmp_path / "a.csv").write_text('name,count,share,ok,mixed\n"a, b",1,0.5,True,1\nc,-2,,False,x\n')
    mindrecord.CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "a.mindrecord")).transform()
    first, second = rows(tmp_path / "a.mindrecord")
    assert first == {"name": "a, b", "count": 1, "share": 0.5, "ok": 1, "mixed": "1"}
    assert (second["count"], second["ok"], second["mixed"]) == (-2, 0, "x") and np.isnan(second["share"])
    mindrecord.CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "b.mindrecord"), ["count"], 2).transform()
    assert mindrecord.FileReader(str(tmp_path / "b.mindrecord0")).schema() == {"count": {"type": "int64"}}


@pytest.mark.parametrize(("text", "columns", "error"), [
    ("a,b\n1\n", None, "row 2 has 1 fields"), ("a\n1\n", ["z"], "column z does not exist"),
    ("1,b\n2,3\n", None, "should not be a number"), ("", None, "is empty"),
])  # fmt: skip
def test_csv_errors(tmp_path, text, columns, error):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises((RuntimeError, ValueError), match=error):
        mindrecord.CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "a.mindrecord"), columns).transform()


def test_mnist(tmp_path):
    cv2 = pytest.importorskip("cv2")
    images = (np.arange(3 * 784) * 5).astype(np.uint8).reshape(3, 28, 28)
    for part in ("train", "t10k"):
        data = struct.pack(">IIII", 2051, 3, 28, 28) + images.tobytes()
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(data))
        (tmp_path / f"{part}-labels-idx1-ubyte.gz").write_bytes(
            gzip.compress(struct.pack(">II", 2049, 3) + bytes([7, 8, 9]))
        )
    mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "m")).transform()
    for part in ("train", "test"):
        found = rows(tmp_path / f"m_{part}.mindrecord")
        assert [row["label"] for row in found] == [7, 8, 9]
        assert found[1]["data"] == cv2.imencode(".jpeg", images[1])[1].tobytes()


@pytest.mark.parametrize(("kind", "names", "labels"), [
    (mindrecord.Cifar10ToMR, ["data_batch_1", "data_batch_2", "test_batch"], {"labels": "label"}),
    (mindrecord.Cifar100ToMR, ["train", "test"], {"fine_labels": "fine_label", "coarse_labels": "coarse_label"}),
])  # fmt: skip
def test_cifar(tmp_path, kind, names, labels):
    cv2 = pytest.importorskip("cv2")
    data = (np.arange(2 * 3072) * 3).astype(np.uint8).reshape(2, 3072)
    for number, name in enumerate(names):
        own = {key.encode(): [number, number + 1] for key in labels}
        (tmp_path / name).write_bytes(pickle.dumps({b"data": data, **own}, protocol=2))
    kind(str(tmp_path), str(tmp_path / "c.mindrecord")).transform([next(iter(labels.values()))])
    found = rows(tmp_path / "c.mindrecord")
    assert [row["id"] for row in found] == list(range(2 * (len(names) - 1)))
    assert all([row[field] for row in found[:2]] == [0, 1] for field in labels.values())
    image = data[1].reshape(3, 32, 32).transpose(1, 2, 0)[..., ::-1]
    assert found[1]["data"] == cv2.imencode(".jpeg", image)[1].tobytes()
    assert len(rows(tmp_path / "c.mindrecord_test")) == 2


class Unwanted:
    def __reduce__(self):
        return print, ("this ran",)


def test_what_could_run_is_refused(tmp_path, capsys):
    for name in ("train", "test"):
        (tmp_path / name).write_bytes(pickle.dumps(Unwanted()))
    with pytest.raises(RuntimeError, match="is no file of CIFAR's Python version"):
        mindrecord.Cifar100ToMR(str(tmp_path), str(tmp_path / "c")).transform()
    assert capsys.readouterr().out == ""
    with pytest.raises(ValueError, match="data_batch"):
        mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c"))


def test_image_folders(tmp_path):
    for name, count in (("n01", 2), ("n02", 1)):
        (tmp_path / name).mkdir()
        for i in range(count):
            (tmp_path / name / f"{i}.JPEG").write_bytes(bytes([i, 9]))
        (tmp_path / name / "notes.txt").write_text("no image")
    (tmp_path / "map").write_text("n01 0\nn02 4\nn03 5\n")
    arguments = [str(tmp_path / "map"), str(tmp_path), str(tmp_path / "i.mindrecord")]
    mindrecord.ImageNetToMR(*arguments).transform()
    found = rows(tmp_path / "i.mindrecord")
    assert [(row["label"], row["image"]) for row in found] == [(0, b"\0\x09"), (0, b"\x01\x09"), (4, b"\0\x09")]
    assert found[2]["file_name"] == str(tmp_path / "n02" / "0.JPEG")
    (tmp_path / "map").write_text("n09 0\n")
    with pytest.raises(RuntimeError, match="not valid image dir"):
        mindrecord.ImageNetToMR(*arguments[:2], str(tmp_path / "j")).transform()


def feature(dtype, shape=()):
    return SimpleNamespace(dtype=dtype, shape=list(shape))


def message(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def record(**features):
    """A `tf.train.Example` in its frame; of bytes, floats or ints below 128."""
    from anfora.dataset.tfrecord import masked_crc

    entries = b""
    for name, values in features.items():
        if isinstance(values[0], bytes):
            packed = message(1, b"".join(message(1, value) for value in values))
        elif isinstance(values[0], float):
            packed = message(2, message(1, struct.pack(f"<{len(values)}f", *values)))
        else:
            packed = message(3, message(1, bytes(values)))
        entries += message(1, message(1, name.encode()) + message(2, packed))
    data, length = message(1, entries), struct.pack("<Q", len(message(1, entries)))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def test_tfrecord(tmp_path):
    source = tmp_path / "a.tfrecord"
    source.write_bytes(
        record(**{"image/raw": [b"\xff\0"], "name": ["ä".encode()], "label": [5], "box": [0.5, 1.5]})
        + record(**{"image/raw": [b"z"], "name": [b"b"], "label": [6], "box": [2.5, 3.5]})
    )
    wanted = {
        "image/raw": feature("string"), "name": feature("string"), "label": feature(np.int64),
        "box": feature("float32", [2]),
    }  # fmt: skip
    mindrecord.TFRecordToMR(str(source), str(tmp_path / "a.mindrecord"), wanted, ["image/raw"]).transform()
    first, second = rows(tmp_path / "a.mindrecord")
    assert (first["image_raw"], first["name"], first["label"]) == (b"\xff\0", "ä", 5)
    assert second["box"].tolist() == [2.5, 3.5] and second["box"].dtype == np.float32
    for other, error in (
        ({"none": feature("int64")}, "no feature 'none'"),
        ({"box": feature("float32")}, "has 2 values"),
    ):
        with pytest.raises(RuntimeError, match=error):
            mindrecord.TFRecordToMR(str(source), str(tmp_path / next(iter(other))), other).transform()
    with pytest.raises(ValueError, match="complex64 is not supported"):
        mindrecord.TFRecordToMR(str(source), str(tmp_path / "c"), {"box": feature("complex64")})


def test_rows_by_the_values_of_a_field(tmp_path):
    """What MindSpore 2.10 told of these rows, whose order within a value is that of the rows here."""
    writer = mindrecord.FileWriter(str(tmp_path / "a"), 2)
    writer.add_schema({"name": {"type": "string"}, "label": {"type": "int32"}})
    writer.add_index(["name", "label"])
    writer.write_raw_data([{"name": f"{i % 4}.jpg", "label": i % 3} for i in range(10)])
    writer.commit()
    page = mindrecord.MindPage(str(tmp_path / "a0"))
    assert (page.candidate_fields, page.category_field) == (["name", "label"], None)
    with pytest.raises(RuntimeError, match="no category_field is set"):
        page.read_category_info()
    page.category_field = "label"
    assert page.read_category_info() == (
        '{"categories":[{"count":4,"id":0,"name":"0"},{"count":3,"id":1,"name":"1"},{"count":3,"id":2,"name":"2"}],'
        '"key":"label_0"}'
    )
    assert sorted(row["name"] for p in (0, 1) for row in page.read_at_page_by_id(0, p, 2)) == [
        f"{i}.jpg" for i in range(4)
    ]
    page.category_field = "name"
    assert [entry["count"] for entry in json.loads(page.read_category_info())["categories"]] == [3, 3, 2, 2]
    assert sorted(row["label"] for row in page.read_at_page_by_name("2.jpg", 0, 10)) == [0, 2]
    for wrong in ((0, 9, 9), (9, 0, 1), (-1, 0, 1), (0, 0, 0)):
        with pytest.raises(ValueError, match=r"there are|at least"):
            page.read_at_page_by_id(*wrong)
    with pytest.raises(ValueError, match="no row has"):
        page.read_at_page_by_name("x", 0, 1)
    with pytest.raises(RuntimeError, match="no field of the index"):
        page.category_field = "data"

"""MindRecord and TFRecord files. Those in mindrecord.zip were written by MindSpore 2.10, and what is expected of TFRecord
files is what it reads of them; the frames and messages of those are written here, after their specifications."""

from __future__ import annotations

import gzip
import json
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

import anfora as ms
import anfora.dataset as ds
from anfora.mindrecord import FileReader, FileWriter


def rows(dataset):
    return [[x.tolist() for x in row] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def flat(dataset):
    return [row[0] for row in rows(dataset)]


# --- MindRecord -------------------------------------------------------------------------------------------------------

SCHEMA = {
    "name": {"type": "string"}, "label": {"type": "int32"}, "big": {"type": "int64"}, "half": {"type": "float32"},
    "score": {"type": "float64"}, "data": {"type": "bytes"}, "vec": {"type": "int64", "shape": [-1]},
    "mat": {"type": "float32", "shape": [2, 3]}, "ids": {"type": "int32", "shape": [2, 2]},
}  # fmt: skip
NUMBERS = np.array([0, -1, 127, 128, -129, 70000, -(2**31), 2**31, -(2**40)])


def whole(i):
    return {
        "name": f"é{i}", "label": i - 2, "big": i * 10**15, "half": i / 2, "score": i / 3,
        "data": bytes([i]) * (5000 * i + 1), "vec": NUMBERS[: 2 * i + 1],
        "mat": np.arange(6, dtype=np.float32).reshape(2, 3) * i,
        "ids": np.array([[i, -i], [i * 1000, -i * 10**6]], np.int32),
    }  # fmt: skip


LAST = {
    "name": "more" * 50, "label": 2**31 - 1, "big": -(2**63), "half": np.float32(-0.1), "score": 1e300, "data": b"x\0y",
    "vec": np.arange(3), "mat": np.ones((2, 3), np.float32), "ids": np.zeros((2, 2), np.int32),
}  # fmt: skip
ROWS = [*map(whole, range(5)), LAST]


def write(path, given, schema=SCHEMA, files=1, **options):
    writer = FileWriter(str(path), files, **options)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(schema, "all types")
    writer.write_raw_data(given)
    writer.commit()


@pytest.fixture
def theirs(tmp_path):
    with zipfile.ZipFile(Path(__file__).with_name("mindrecord.zip")) as file:
        file.extractall(tmp_path)
    return tmp_path


@pytest.fixture
def ours(tmp_path):
    write(tmp_path / "all.mindrecord", ROWS[:5])
    writer = FileWriter.open_for_append(str(tmp_path / "all.mindrecord"))
    writer.write_raw_data(ROWS[5:])
    writer.commit()
    write(tmp_path / "parts.mindrecord", [{"n": i} for i in range(7)], {"n": {"type": "int32"}}, 3)
    return tmp_path


def check_row(found, given):
    assert sorted(found) == sorted(given)
    for name, value in given.items():
        got = found[name].tobytes() if name == "data" and isinstance(found[name], np.ndarray) else found[name]
        if isinstance(value, np.ndarray):
            assert got.dtype == value.dtype and got.tolist() == value.tolist()
        else:
            assert np.float32(got) == value if name == "half" else got == value


@pytest.mark.parametrize("folder", ["theirs", "ours"])
def test_mindrecord(folder, request):
    folder = request.getfixturevalue(folder)
    file = str(folder / "all.mindrecord")
    dataset = ds.MindDataset(file, shuffle=False)
    found = list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert len(found) == dataset.get_dataset_size() == len(ROWS) and list(found[0]) == sorted(SCHEMA)
    for row, given in zip(found, ROWS):
        check_row(row, given)
        assert [row[n].dtype.name for n in ("label", "big", "half", "score")] == [
            "int32",
            "int64",
            "float32",
            "float64",
        ]
        assert row["data"].shape == (1,) and row["name"].shape == ()
    reader = FileReader(file)
    assert reader.len() == len(ROWS) and reader.schema() == SCHEMA
    for row, given in zip(reader.get_next(), ROWS):
        check_row(row, given)
    reader.close()
    parts = str(folder / "parts.mindrecord1")  # any of them stands for all
    assert flat(ds.MindDataset(parts, shuffle=False)) == list(range(7))
    assert sorted(flat(ds.MindDataset(parts))) == list(range(7))
    assert len(flat(ds.MindDataset([parts]))) in (2, 3)


def test_pages_are_as_mindspore_lays_them(ours):
    """What its reader goes by: pages of each kind, row groups that lie in one of each, an index of offsets."""
    path = ours / "all.mindrecord"
    data = path.read_bytes()
    [length] = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    groups = [entry for page in header["page"] for entry in page["row_group_ids"] if page["page_type"] == "RAW_DATA"]
    blobs = [page for page in header["page"] if page["page_type"] == "BLOB_DATA"]
    assert [page["page_type_id"] for page in blobs] == [entry["id"] for entry in groups] == [0, 1]
    assert [page["end_row_id"] - page["start_row_id"] for page in blobs] == [4, 2]
    with zipfile.ZipFile(Path(__file__).with_name("mindrecord.zip")) as file:
        (ours / "theirs.db").write_bytes(file.read("all.mindrecord.db"))
    columns = []
    for name in (f"{path}.db", ours / "theirs.db"):
        connection = sqlite3.connect(name)
        columns.append([row[1:3] for row in connection.execute("PRAGMA table_info(INDEXES)")])
        assert connection.execute("SELECT NAME FROM SHARD_NAME").fetchall() == [("all.mindrecord",)]
        connection.close()
    assert columns[0] == columns[1]


def test_parts_of_mindrecord_files(theirs):
    file = str(theirs / "parts.mindrecord0")
    parts = [flat(ds.MindDataset(file, shuffle=False, num_shards=3, shard_id=i)) for i in range(3)]
    assert parts == [[0, 3, 6], [1, 4, 0], [2, 5, 1]]
    padded = [
        flat(ds.MindDataset(file, shuffle=False, num_shards=3, shard_id=i, padded_sample={"n": -1}, num_padded=2))
        for i in range(3)
    ]
    assert padded == [[0, 3, 6], [1, 4, -1], [2, 5, -1]]
    shuffled = [flat(ds.MindDataset(file, num_shards=2, shard_id=i)) for i in range(2)]  # agree without a seed
    assert len(shuffled[0]) == len(shuffled[1]) == 4 and set(shuffled[0] + shuffled[1]) == set(range(7))
    inside = flat(ds.MindDataset(file, shuffle=ds.Shuffle.INFILE))
    sizes = [len(flat(ds.MindDataset([str(theirs / f"parts.mindrecord{i}")]))) for i in range(3)]
    assert sorted(inside[: sizes[0]]) == list(range(sizes[0])) and sorted(inside) == list(range(7))
    assert flat(ds.MindDataset(file, sampler=ds.SubsetSampler([5, 1]))) == [5, 1]
    assert flat(ds.MindDataset(file, shuffle=False, num_samples=2)) == [0, 1]
    every = ds.MindDataset(file, sampler=ds.PKSampler(1, class_column="n"))
    assert flat(every) == list(range(7))
    assert rows(ds.MindDataset(str(theirs / "all.mindrecord"), ["big", "label"], shuffle=False))[1] == [10**15, -1]


KINDS = {
    "scalars only": ({"a": {"type": "int32"}}, [{"a": 1}, {"a": -2}]),
    "bytes only": ({"a": {"type": "bytes"}}, [{"a": b"xy\0"}, {"a": b"z"}]),
    "an array only": ({"a": {"type": "int32", "shape": [-1]}}, [{"a": np.arange(5, dtype=np.int32) * -100000}]),
    "an empty array": (
        {"a": {"type": "int64", "shape": [-1]}, "b": {"type": "bytes"}}, [{"a": np.arange(0), "b": b""}],
    ),
    "none": ({"a": {"type": "int32"}}, []),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_rows(tmp_path, kind):
    schema, given = KINDS[kind]
    write(tmp_path / "a", given, schema)
    found = list(FileReader(str(tmp_path / "a")).get_next())
    assert len(found) == len(given) == len(ds.MindDataset(str(tmp_path / "a")))
    for row, other in zip(found, given):
        check_row(row, other)


def test_rows_are_dealt_out_evenly(tmp_path):
    writer = FileWriter(str(tmp_path / "a"), 3)
    writer.add_schema({"n": {"type": "int32"}})
    for i in range(8):
        writer.write_raw_data([{"n": i}])
    writer.commit()
    sizes = [len(FileReader([str(tmp_path / f"a{i}")])._files) for i in range(3)]
    assert sorted(sizes) == [2, 3, 3]


def test_save(tmp_path):
    columns = {
        "x": np.arange(4).reshape(2, 2), "w": ["ab", "c"], "f": np.array([0.5, 1.5], np.float16),
        "u": np.array([[1, 255], [2, 3]], np.uint8),
    }  # fmt: skip
    ds.NumpySlicesDataset(columns, shuffle=False).save(str(tmp_path / "a"))
    found = list(
        ds.MindDataset(str(tmp_path / "a"), shuffle=False).create_dict_iterator(output_numpy=True, num_epochs=1)
    )
    assert [row["x"].tolist() for row in found] == [[0, 1], [2, 3]] and [str(row["w"]) for row in found] == ["ab", "c"]
    assert found[0]["u"].dtype == np.int32 and found[0]["u"].tolist() == [1, 255]
    assert found[1]["f"].dtype == np.float32 and found[1]["f"] == 1.5


WRONG_ROWS = {
    "no field": ({}, "row 0 has no field 'a'"),
    "a word": ({"a": "x"}, "field 'a' of row 0 should be int32, but got str 'x'"),
    "too large": ({"a": 2**31}, "should be int32, but got int 2147483648"),
    "a truth": ({"a": True}, "should be int32, but got bool"),
    "an array": ({"a": np.arange(2)}, r"should be int32, but got an array of int64 with shape \[2\]"),
}


@pytest.mark.parametrize("kind", WRONG_ROWS)
def test_rows_that_do_not_fit_are_refused(tmp_path, kind):
    given, text = WRONG_ROWS[kind]
    with pytest.raises(ValueError, match=text):
        write(tmp_path / "a", [given], {"a": {"type": "int32"}})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match=r"should be an array of int32 with shape \[3\], but got an array of int64"):
        write(tmp_path / "a", [{"a": np.arange(3)}], {"a": {"type": "int32", "shape": [3]}})
    with pytest.raises(ValueError, match=r"row 0 needs .* bytes, more than a page"):
        write(tmp_path / "a", [{"a": bytes(1 << 15)}], {"a": {"type": "bytes"}})


def test_mindrecord_errors(theirs, tmp_path):
    file = str(theirs / "all.mindrecord")
    with pytest.raises(ValueError, match="does not exist or permission denied"):
        ds.MindDataset(file + "x")
    with pytest.raises(ValueError, match="'nope' is not a field"):
        ds.MindDataset(file, ["nope"])
    with pytest.raises(RuntimeError, match="sampler and shuffle cannot"):
        ds.MindDataset(file, shuffle=True, sampler=ds.SequentialSampler())
    with pytest.raises(RuntimeError, match="requires num_padded"):
        ds.MindDataset(file, padded_sample={})
    with pytest.raises(RuntimeError, match=r"padded_sample has no \['big'"):
        ds.MindDataset(file, padded_sample={}, num_padded=1)
    with pytest.raises(RuntimeError, match="already exist"):
        write(file, [LAST])
    with pytest.raises(RuntimeError, match="is not a MindRecord file"):
        ds.MindDataset(file + ".db")
    write(file, [LAST], overwrite=True)
    assert len(ds.MindDataset(file)) == 1
    writer = FileWriter(str(tmp_path / "n"))
    with pytest.raises(RuntimeError, match="add_schema should come before"):
        writer.write_raw_data([{"a": 1}])
    for schema, text in (
        ({"a b": {"type": "int32"}}, "composed of"), ({"a": {"type": "int8"}}, "'int8', which is not one of"),
        ({"a": {"type": "string", "shape": [2]}}, "'string', which is not one of"), ({}, "should not be empty"),
        ({"a": {"type": "int32", "shape": [-1, -1]}}, "one may be -1"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            writer.add_schema(schema)
    Path(file + ".db").unlink()
    with pytest.raises(RuntimeError, match=r"the index .* does not exist"):
        ds.MindDataset(file)


# --- TFRecord ---------------------------------------------------------------------------------------------------------


def masked(data):
    word = 0xFFFFFFFF
    for byte in data:
        word ^= byte
        for _ in range(8):
            word = (word >> 1) ^ (0x82F63B78 if word & 1 else 0)
    word ^= 0xFFFFFFFF
    return struct.pack("<I", ((word >> 15 | word << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(number):
    number &= 2**64 - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def feature(values):
    if isinstance(values[0], bytes):
        return field(1, b"".join(field(1, value) for value in values))
    if isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    if values[0] == "one by one":
        return field(3, b"".join(b"\x08" + varint(value) for value in values[1:]))
    return field(3, field(1, b"".join(map(varint, values))))


def record(features):
    message = field(1, b"".join(field(1, field(1, k.encode()) + field(2, feature(v))) for k, v in features.items()))
    head = struct.pack("<Q", len(message))
    return head + masked(head) + message + masked(message)


def examples(letter, count):
    return b"".join(
        record(
            {
                "z": [ord(letter) * 10 + i, -i], "f": [0.5 * i], "img": [b"x\0y" + bytes([i])],
                "s": [f"{letter}{i}".encode(), b"longer"],
            }
        )
        for i in range(count)
    )  # fmt: skip


@pytest.fixture
def tf(tmp_path):
    for letter, count in (("a", 3), ("b", 2), ("c", 4)):
        (tmp_path / f"{letter}.tfrecord").write_bytes(examples(letter, count))
    return tmp_path


def schema(*columns):
    made = ds.Schema()
    for column in columns:
        made.add_column(*column)
    return made


def test_tfrecord(tf):
    file = str(tf / "a.tfrecord")
    dataset = ds.TFRecordDataset(file, shuffle=False)
    assert dataset.get_col_names() == ["f", "img", "s", "z"] and len(dataset) == 3
    assert [kind.name for kind in dataset.output_types()] == ["float32", "uint8", "uint8", "int64"]
    # words are filled up with blanks and stand one after the other
    assert rows(dataset)[1] == [[0.5], [120, 0, 121, 1], list(b"a1    longer"), [971, -1]]
    assert rows(ds.TFRecordDataset(file, columns_list=["z", "f"], shuffle=False))[2] == [[972, -2], [1.0]]
    typed = ds.TFRecordDataset(file, schema(("z", ms.int32, [1, 2]), ("f", "float64", [])), shuffle=False)
    assert [kind.name for kind in typed.output_types()] == ["int32", "float64"]
    assert rows(typed)[1] == [[[971, -1]], 0.5]
    words = ds.TFRecordDataset(file, schema(("img", "string", [1]), ("s", ms.uint8)), shuffle=False)
    assert rows(words)[1] == [["x\x00y\x01"], list(b"a1longer")]
    assert rows(ds.TFRecordDataset(file, schema(("z", ms.float32)), shuffle=False))[2] == [[972.0, -2.0]]
    described = {
        "datasetType": "TF",
        "numRows": 2,
        "columns": {"z": {"type": "int64", "rank": 1}, "f": {"type": "float32"}},
    }
    (tf / "s.json").write_text(json.dumps(described))
    assert rows(ds.TFRecordDataset(str(tf / "c.tfrecord"), str(tf / "s.json"), shuffle=False)) == [
        [[0.0], [990, 0]], [[0.5], [991, -1]]
    ]  # fmt: skip
    decoded = ds.TFRecordDataset(file, schema(("img", "uint8")), shuffle=False).map(lambda x: x[::-1].copy(), "img")
    assert flat(decoded)[2] == [2, 121, 0, 120]


@pytest.mark.parametrize("compress", [("GZIP", gzip.compress), ("ZLIB", zlib.compress)], ids=["gzip", "zlib"])
def test_compressed_tfrecord(tf, compress):
    kind, pack = compress
    path = tf / "packed"
    data = pack(examples("a", 2)) + (pack(examples("b", 1)) if kind == "GZIP" else b"")
    path.write_bytes(data)
    dataset = ds.TFRecordDataset(str(path), columns_list=["z"], shuffle=False, compression_type=kind)
    assert flat(dataset)[:2] == [[970, 0], [971, -1]] and len(dataset) == (3 if kind == "GZIP" else 2)
    assert flat(dataset.map(lambda z: z, "z", num_parallel_workers=2)) == flat(dataset)
    with pytest.raises(RuntimeError, match=r"(?s)not a TFRecord file.*compression_type"):
        ds.TFRecordDataset(str(path))
    with pytest.raises(RuntimeError, match="is not compressed by"):
        ds.TFRecordDataset(str(tf / "a.tfrecord"), compression_type=kind)


def test_parts_of_tfrecord_files(tf):
    files = [str(tf / f"{letter}.tfrecord") for letter in "cab"]
    first = [z[0] for z in flat(ds.TFRecordDataset(files, columns_list=["z"], shuffle=False))]
    assert first == [970, 971, 972, 980, 981, 990, 991, 992, 993]

    def part(shard, **options):
        chosen = {"columns_list": ["z"], "shuffle": False, "num_shards": 2, "shard_id": shard, **options}
        return [z[0] for z in flat(ds.TFRecordDataset(files, **chosen))]

    assert [part(i) for i in (0, 1)] == [[970, 971, 972, 990, 991, 992, 993], [980, 981]]
    assert [part(i, shard_equal_rows=True) for i in (0, 1)] == [[970, 971, 972, 980, 981], [990, 991, 992, 993, 970]]
    assert part(1, num_samples=1) == [980]
    assert sorted(part(0, shuffle=True)) == [970, 971, 972, 990, 991, 992, 993]
    assert part(0, shuffle=ds.Shuffle.FILES) in (
        [970, 971, 972, 990, 991, 992, 993], [990, 991, 992, 993, 970, 971, 972]
    )  # fmt: skip
    with pytest.raises(RuntimeError, match="1 files cannot be dealt out to 2 shards"):
        ds.TFRecordDataset(files[0], num_shards=2, shard_id=0)


def test_ways_to_write_an_example(tmp_path):
    many = [2**63 - 1, -(2**63), 0, 127, 128, -1, *range(300)]
    data = record({"many": many, "each": ["one by one", *many], "long": [bytes(range(256)) * 40]})
    (tmp_path / "a").write_bytes(data + record({"many": [1], "each": [2], "long": [b""]}))
    [first, second] = rows(ds.TFRecordDataset(str(tmp_path / "a"), shuffle=False))
    assert first == [many, list(range(256)) * 40, many] and second == [[2], [], [1]]


def test_damaged_tfrecord_files(tf):
    path = tf / "a.tfrecord"
    data = path.read_bytes()
    path.write_bytes(data[:-3])
    with pytest.raises(RuntimeError, match="ends in the middle of the record at byte"):
        ds.TFRecordDataset(str(path))
    for place in (len(data) - 20, 3):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(RuntimeError, match=r"is damaged in record 2|or is damaged, at byte 0"):
            rows(ds.TFRecordDataset(str(path), shuffle=False))
    good = str(tf / "b.tfrecord")
    for columns, text in (
        (("z", ms.int64, [3]), "record 0: feature 'z' has 2 values, which do not fit the shape"),
        (("nope", ms.int64), r"record 0 has no feature 'nope'; it has \['f', 'img', 's', 'z'\]"),
        (("s", ms.int32), "has bytes, but the schema says int32"),
        (("z", "string"), "has numbers, but the schema says string"),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=text):
            rows(ds.TFRecordDataset(good, schema(columns), shuffle=False))
    with pytest.raises(ValueError, match="compression_type can only be"):
        ds.TFRecordDataset(good, compression_type="LZ4")
    (tf / "none").write_bytes(b"")
    assert len(ds.TFRecordDataset(str(tf / "none"), columns_list=["z"])) == 0


def test_schemas():
    made = schema(("z", ms.int32, [2]), ("w", ms.string), ("u", "uint8", []))
    columns = [
        {"name": "z", "rank": 1, "shape": [2], "type": "int32"}, {"name": "w", "rank": 1, "type": "string"},
        {"name": "u", "rank": 0, "shape": [], "type": "uint8"},
    ]  # fmt: skip
    assert json.loads(made.to_json()) == {"columns": columns}
    again = ds.Schema()
    again.from_json({"columns": columns, "numRows": 3})
    assert json.loads(str(again)) == {"columns": columns, "numRows": 3} and ds.Schema.get_num_rows(again) == 3
    generated = ds.GeneratorDataset([(np.zeros(2, np.int32), "a", np.uint8(1))], schema=made)
    assert generated.get_col_names() == ["z", "w", "u"] and rows(generated) == [[[0, 0], "a", 1]]
    for wrong, text in (
        ({"columns": [{"name": "a"}]}, "column's type is missing"),
        ({"rows": 2}, "Unknown field rows"),
    ):
        with pytest.raises(RuntimeError, match=text):
            ds.Schema().from_json(wrong)
    with pytest.raises(ValueError, match="de_type should be one of"):
        schema(("a", "int128"))

"""Datasets in files: small files of each kind are written, and read as MindSpore 2.10 reads them."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest

import anfora.dataset as ds


def rows(dataset):
    return [[x.tolist() for x in row] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def first(dataset):
    return next(dataset.create_dict_iterator(output_numpy=True))


def digits(count, start):
    return (np.arange(count * 784) * 7 + start).astype(np.uint8)


@pytest.fixture
def mnist(tmp_path):
    for part, count in (("train", 5), ("t10k", 3)):
        images = struct.pack(">IIII", 2051, count, 28, 28) + digits(count, 0).tobytes()
        labels = struct.pack(">II", 2049, count) + bytes(range(count))
        if part == "train":
            (tmp_path / f"{part}-images-idx3-ubyte").write_bytes(images)
        else:
            (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(labels)
    return tmp_path


@pytest.mark.parametrize("kind", [ds.MnistDataset, ds.FashionMnistDataset])
def test_mnist(mnist, kind):
    row = first(kind(mnist, "train", shuffle=False))
    assert row["image"].dtype == np.uint8 and row["image"].shape == (28, 28, 1)
    assert row["label"].dtype == np.uint32 and row["label"].shape == ()
    assert row["image"].ravel().tolist() == digits(1, 0).tolist()
    for usage, labels in (("train", range(5)), ("test", range(3)), ("all", [0, 1, 2, 0, 1, 2, 3, 4])):
        assert [row[1] for row in rows(kind(mnist, usage, shuffle=False))] == list(labels)
    assert kind(mnist).get_dataset_size() == 8 and sorted(r[1] for r in rows(kind(mnist))) == [0, 0, 1, 1, 2, 2, 3, 4]


def test_mnist_errors(mnist, tmp_path):
    with pytest.raises(ValueError, match="usage is not within the valid set of"):
        ds.MnistDataset(mnist, "validate")
    with pytest.raises(ValueError, match="does not exist or is not a directory"):
        ds.MnistDataset(tmp_path / "none")
    (mnist / "train-labels-idx1-ubyte").write_bytes(b"xx")
    with pytest.raises(RuntimeError, match="train-labels-idx1-ubyte"):
        ds.MnistDataset(mnist, "train")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RuntimeError, match="can't read the data file"):
        ds.MnistDataset(tmp_path / "empty")


@pytest.mark.parametrize(("kind", "files", "heads"), [
    (ds.Cifar10Dataset, [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"], 1),
    (ds.Cifar100Dataset, ["train.bin", "test.bin"], 2),
])  # fmt: skip
def test_cifar(tmp_path, kind, files, heads):
    image = np.arange(3072, dtype=np.uint8)
    for number, name in enumerate(files):
        (tmp_path / name).write_bytes(b"".join(bytes([number, j][:heads]) + (image + j).tobytes() for j in range(2)))
    train = kind(tmp_path, "train", shuffle=False)
    assert train.get_dataset_size() == 2 * (len(files) - 1)
    row = first(train)
    assert row["image"].tolist() == image.reshape(3, 32, 32).transpose(1, 2, 0).tolist()
    names = ["label"] if heads == 1 else ["coarse_label", "fine_label"]
    assert list(row) == ["image", *names] and all(row[name].dtype == np.uint32 for name in names)
    (tmp_path / files[-1]).write_bytes(b"123")
    with pytest.raises(RuntimeError, match="no multiple"):
        kind(tmp_path, "test")


@pytest.fixture
def folders(tmp_path):
    for name, count in (("b", 2), ("a", 1), ("c", 0)):
        (tmp_path / name).mkdir()
        for i in range(count):
            (tmp_path / name / f"{i}.png").write_bytes(bytes([i, i, ord(name)]))
    (tmp_path / "b" / "x.txt").write_bytes(b"q")
    return tmp_path


def test_image_folders(folders):
    dataset = ds.ImageFolderDataset(folders, shuffle=False)
    assert rows(dataset) == [[[0, 0, 97], 0], [[0, 0, 98], 1], [[1, 1, 98], 1], [[113], 1]]
    assert first(dataset)["image"].dtype == np.uint8 and first(dataset)["label"].dtype == np.int32
    assert (dataset.num_classes(), dataset.get_class_indexing()) == (3, {"a": 0, "b": 1, "c": 2})
    assert dataset.batch(2).num_classes() == 3
    assert len(ds.ImageFolderDataset(folders, extensions=[".PNG"])) == 3
    chosen = ds.ImageFolderDataset(folders, class_indexing={"a": 5}, shuffle=False)
    assert rows(chosen) == [[[0, 0, 97], 5]] and chosen.num_classes() == 1
    assert [row[1] for row in rows(ds.ImageFolderDataset(folders, sampler=ds.PKSampler(2)))] == [0, 0, 1, 1]
    with pytest.raises(RuntimeError, match="can't read the data file"):
        ds.ImageFolderDataset(folders / "a")


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "t.txt").write_text("hello world\n\n second \r\nlast")
    (tmp_path / "u.txt").write_text("ü1\nu2\n")
    return tmp_path


def test_lines(texts):
    dataset = ds.TextFileDataset(str(texts / "*.txt"), shuffle=False)
    assert rows(dataset) == [["hello world"], [" second "], ["last"], ["ü1"], ["u2"]]
    assert dataset.get_col_names() == ["text"] and dataset.get_dataset_size() == 5
    assert rows(ds.TextFileDataset(str(texts / "u.txt"), shuffle=False, num_samples=1)) == [["ü1"]]
    parts = [rows(ds.TextFileDataset(str(texts / "*.txt"), shuffle=False, num_shards=2, shard_id=i)) for i in (0, 1)]
    assert parts == [[["hello world"], [" second "], ["last"]], [["ü1"], ["u2"], ["hello world"]]]
    by_file = [row[0] for row in rows(ds.TextFileDataset(str(texts / "*.txt"), shuffle=ds.Shuffle.FILES))]
    assert by_file in (["hello world", " second ", "last", "ü1", "u2"], ["ü1", "u2", "hello world", " second ", "last"])
    inside = [row[0] for row in rows(ds.TextFileDataset(str(texts / "*.txt"), shuffle=ds.Shuffle.INFILE))]
    assert sorted(inside[3:]) == ["u2", "ü1"]
    with pytest.raises(ValueError, match=r"did not match any files: \['.*none.txt'\]"):
        ds.TextFileDataset(str(texts / "none.txt"))
    with pytest.raises(TypeError, match="enum of 'Shuffle'"):
        ds.TextFileDataset(str(texts / "t.txt"), shuffle="a")


def test_csv(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('a,b,c\n1,2.5,x\n3,,"y, z"\n')
    dataset = ds.CSVDataset(str(file), shuffle=False)
    assert dataset.get_col_names() == ["a", "b", "c"]
    assert rows(dataset) == [["1", "2.5", "x"], ["3", "", "y, z"]]
    named = ds.CSVDataset(str(file), column_names=["x", "y", "z"], shuffle=False)
    assert rows(named)[0] == ["a", "b", "c"]
    file.write_text("1;2.5\n3;4\n")
    typed = ds.CSVDataset(str(file), field_delim=";", column_defaults=[1, 2.0], column_names=["p", "q"], shuffle=False)
    assert rows(typed) == [[1, 2.5], [3, 4.0]]
    assert [x.dtype.name for x in next(typed.create_tuple_iterator(output_numpy=True))] == ["int32", "float32"]
    with pytest.raises(RuntimeError, match="type does not match"):
        ds.CSVDataset(str(file), field_delim=";", column_defaults=[1, 2], column_names=["p", "q"])
    with pytest.raises(ValueError, match="field_delim is invalid"):
        ds.CSVDataset(str(file), field_delim=";;")

"""Well-known datasets, read from small folders in their formats, give what MindSpore 2.10 gives.

Of parts that are read together MindSpore takes rows by turns, and files as the file system lists them; here they come one
after the other, in the order of their names. So rows are compared without their order where there are several files.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from known_files import CASES, FOLDERS, key_of, opened, told

import anfora.dataset as ds

TABLE = json.loads(Path(__file__).with_name("known.json").read_text())


@pytest.mark.parametrize(("name", "arguments"), CASES, ids=[key_of(*case).replace(" ", "-") for case in CASES])
def test_it_reads_what_mindspore_reads(name, arguments, tmp_path):
    FOLDERS[name.removesuffix("Dataset")](tmp_path)
    got, wanted = told(opened(ds, name, arguments, tmp_path)), TABLE[key_of(name, arguments)]
    assert (got["columns"], got["size"]) == (wanted["columns"], wanted["size"])
    assert sorted(map(repr, got["rows"])) == sorted(map(repr, wanted["rows"]))


@pytest.mark.parametrize("name", FOLDERS)
def test_files_that_are_missing(name, tmp_path):
    arguments = next(given for kind, given in CASES if kind == f"{name}Dataset")
    with pytest.raises((RuntimeError, ValueError), match=str(tmp_path) + "|no sample was found"):
        opened(ds, f"{name}Dataset", arguments, tmp_path)


@pytest.mark.parametrize(("name", "file", "content"), [
    ("USPS", "usps", "1 1:0.5\n"), ("Semeion", "semeion.data", "0 1\n"), ("STL10", "train_X.bin", b"123"),
    ("QMnist", "qmnist-train-labels-idx2-int", b"xx"), ("VOC", "Annotations/1.xml", "<annotation><object>"),
    ("Coco", "detection.json", "[]"), ("Manifest", "list.manifest", "{"),
    ("WIDERFace", "wider_face_split/wider_face_train_bbx_gt.txt", "a.jpg\n2\n1 2\n"),
    ("KITTI", "data_object_label_2/training/label_2/000000.txt", "Car x\n"),
    ("AGNews", "train.csv", '"1","2"\n'),
    ("CoNLL2000", "train.txt", "He PRP\n"),
    ("SST2", "train.tsv", "sentence\tlabel\nx\n"), ("SQuAD", "train-v1.1.json", "{}"),
    ("Flickr", "Flickr8k.token.txt", "no tab\n"), ("LJSpeech", "metadata.csv", "a|b\n"), ("YesNo", "a_b.wav", ""),
])  # fmt: skip
def test_files_that_are_damaged(name, file, content, tmp_path):
    FOLDERS[name](tmp_path)
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    arguments = next(given for kind, given in CASES if kind == f"{name}Dataset")
    with pytest.raises(RuntimeError, match="Invalid"):
        opened(ds, f"{name}Dataset", {**arguments, "usage": "train"} if "usage" in arguments else arguments, tmp_path)


def test_order_parts_and_classes(tmp_path):
    FOLDERS["Caltech256"](tmp_path)
    data = ds.Caltech256Dataset(tmp_path, shuffle=False, num_shards=2, shard_id=1)
    assert [int(row[1]) for row in data.create_tuple_iterator(output_numpy=True)] == [0, 0]  # samples 1 and, again, 0
    by_class = ds.Caltech256Dataset(tmp_path, sampler=ds.PKSampler(1))
    assert sorted(int(row[1]) for row in by_class.create_tuple_iterator(output_numpy=True)) == [0, 1]
    FOLDERS["Manifest"](tmp_path)
    assert ds.ManifestDataset(str(tmp_path / "list.manifest")).get_class_indexing() == {"cat": 0, "dog": 1}


def test_a_scene_has_one_label(tmp_path):
    """MindSpore numbers the folders where both parts are read: one scene has two labels there."""
    FOLDERS["LSUN"](tmp_path)
    rows = ds.LSUNDataset(tmp_path, shuffle=False).create_tuple_iterator(output_numpy=True)
    assert [int(row[1]) for row in rows] == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(("release", "usage", "order"), [("release1", "dev", "10"), ("release3", None, "01")])
def test_talks_sentence_by_sentence(tmp_path, release, usage, order):
    """MindSpore gives zeros for the sounds, whatever the files hold; all else is as it has it."""
    there = tmp_path / (usage or "data")
    (there / "sph").mkdir(parents=True)
    (there / "stm").mkdir()
    head = (
        "NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i 200\nsample_rate -i 100\nsample_n_bytes -i 2\n"
        f"sample_byte_format -s2 {order}\nend_head\n"
    )
    values = np.arange(-100, 100) * 300
    sounds = there / "sph" / "AlGore_2009.sph"
    sounds.write_bytes(head.encode().ljust(1024) + values.astype(">i2" if order == "10" else "<i2").tobytes())
    (there / "stm" / "AlGore_2009.stm").write_text(
        "AlGore_2009 1 AlGore 0.10 0.45 <o,f0,male> thank you so much\n"
        "AlGore_2009 1 AlGore 1.00 1.25 <o,f0,male> it is\n"
    )
    data = ds.TedliumDataset(tmp_path, release, usage, shuffle=False)
    rows = list(data.create_dict_iterator(output_numpy=True))
    words = ["transcript", "talk_id", "speaker_id", "identifier"]
    assert data.get_col_names() == ["waveform", "sample_rate", *words]
    assert [str(rows[0][word]) for word in words] == ["thank you so much", "AlGore_2009", "AlGore", "<o,f0,male>"]
    for row, (first, last) in zip(rows, ((10, 45), (100, 125)), strict=True):
        np.testing.assert_array_equal(row["waveform"], (values[None, first:last] / 32768).astype(np.float32))
        assert row["sample_rate"] == 100 and row["sample_rate"].dtype == np.int32
    sounds.write_bytes(b"RIFF")
    with pytest.raises(RuntimeError, match="cannot be read as SPHERE"):
        list(ds.TedliumDataset(tmp_path, release, usage, shuffle=False).create_dict_iterator())


def test_names_of_files_are_given_when_they_are_renamed(tmp_path):
    FOLDERS["VOC"](tmp_path)
    data = ds.VOCDataset(tmp_path, "Detection", shuffle=False, extra_metadata=True)
    assert data.get_col_names()[-1] == "_meta-filename" and len(next(data.create_tuple_iterator())) == 5
    rows = data.rename("_meta-filename", "filename").create_dict_iterator(output_numpy=True)
    assert [str(row["filename"]) for row in rows] == ["1", "2"]


def test_images_that_are_made_up():
    data = ds.FakeImageDataset(6, (4, 5, 3), 3, base_seed=2, shuffle=False)
    rows = list(data.create_tuple_iterator(output_numpy=True))
    assert rows[0][0].shape == (4, 5, 3) and rows[0][0].dtype == np.uint8 and rows[0][1].dtype == np.uint32
    assert all(int(row[1]) < 3 for row in rows) and (rows[0][0] != rows[1][0]).any()
    again = next(ds.FakeImageDataset(1, (4, 5, 3), 3, base_seed=3).create_tuple_iterator(output_numpy=True))
    assert (again[0] == rows[1][0]).all()  # each image from its own number alone

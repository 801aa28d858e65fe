"""Small folders in the formats of well-known datasets, and how each is read; for this package and for MindSpore alike.

`python known_files.py mindspore known.json` writes down what MindSpore reads of them.
"""

# ruff: noqa: E501
from __future__ import annotations

import importlib
import json
import pathlib
import struct
import sys
import tempfile
import wave
import zlib

import numpy as np

#: The dataset, and the arguments behind the folder. Files come in their order, `shuffle=False`, where there is a choice.
CASES = [
    ("EMnistDataset", {"name": "letters", "usage": "train"}), ("EMnistDataset", {"name": "letters"}),
    ("QMnistDataset", {"usage": "train"}), ("QMnistDataset", {"usage": "test10k"}), ("QMnistDataset", {"usage": "nist", "compat": False}), ("QMnistDataset", {"usage": "all"}), ("QMnistDataset", {}),
    ("USPSDataset", {"usage": "train"}), ("USPSDataset", {"usage": "all"}),
    ("STL10Dataset", {"usage": "train"}), ("STL10Dataset", {"usage": "train+unlabeled"}), ("STL10Dataset", {}),
    ("SemeionDataset", {}),
    ("SVHNDataset", {"usage": "train"}), ("SVHNDataset", {}),
    ("CelebADataset", {}), ("CelebADataset", {"usage": "valid"}), ("CelebADataset", {"extensions": [".png"], "decode": True}),
    ("Caltech256Dataset", {}), ("Caltech256Dataset", {"decode": True}),
    ("Food101Dataset", {"usage": "train"}), ("Food101Dataset", {}),
    ("Places365Dataset", {"usage": "val"}), ("Places365Dataset", {"usage": "train-standard", "small": False}),
    ("SUN397Dataset", {}), ("RenderedSST2Dataset", {"usage": "val"}), ("RenderedSST2Dataset", {}),
    ("OmniglotDataset", {}), ("OmniglotDataset", {"background": False, "decode": True}),
    ("LFWDataset", {}), ("LFWDataset", {"task": "people", "usage": "10fold"}),
    ("LFWDataset", {"task": "people", "usage": "train", "image_set": "original"}),
    ("LFWDataset", {"task": "pairs", "usage": "test"}), ("LFWDataset", {"task": "pairs", "usage": "10fold"}), ("LFWDataset", {"task": "pairs"}),
    ("FlickrDataset", {"annotation_file": "Flickr8k.token.txt"}), ("SBUDataset", {}),
    ("DIV2KDataset", {"usage": "train", "downgrade": "bicubic", "scale": 2}), ("DIV2KDataset", {"usage": "all", "downgrade": "mild", "scale": 4}),
    ("WIDERFaceDataset", {"usage": "train"}), ("WIDERFaceDataset", {"usage": "test"}), ("WIDERFaceDataset", {}),
    ("KITTIDataset", {"usage": "train"}), ("KITTIDataset", {"usage": "test"}),
    ("VOCDataset", {"task": "Detection"}), ("VOCDataset", {"task": "Detection", "usage": "val", "decode": True, "extra_metadata": True}),
    ("VOCDataset", {"task": "Detection", "class_indexing": {"dog": 7, "cat": 3}}), ("VOCDataset", {}), ("VOCDataset", {"usage": "val", "decode": True}),
    ("CocoDataset", {"annotation_file": "detection.json"}), ("CocoDataset", {"annotation_file": "detection.json", "decode": True, "extra_metadata": True}),
    ("CocoDataset", {"annotation_file": "detection.json", "task": "Stuff"}), ("CocoDataset", {"annotation_file": "detection.json", "task": "Keypoint"}),
    ("CocoDataset", {"annotation_file": "panoptic.json", "task": "Panoptic"}), ("CocoDataset", {"annotation_file": "captions.json", "task": "Captioning"}),
    ("ManifestDataset", {"dataset_file": "list.manifest"}), ("ManifestDataset", {"dataset_file": "list.manifest", "usage": "eval", "decode": True}),
    ("ManifestDataset", {"dataset_file": "list.manifest", "class_indexing": {"cat": 5, "dog": 6}}), ("ManifestDataset", {"dataset_file": "list.manifest", "usage": "inference"}),
    ("IMDBDataset", {"usage": "train"}), ("IMDBDataset", {}),
    ("AGNewsDataset", {"usage": "train"}), ("AGNewsDataset", {}), ("AmazonReviewDataset", {}), ("DBpediaDataset", {"usage": "test"}),
    ("SogouNewsDataset", {"usage": "all"}), ("YahooAnswersDataset", {}), ("YelpReviewDataset", {"usage": "train"}),
    ("PennTreebankDataset", {"usage": "train"}), ("PennTreebankDataset", {}), ("WikiTextDataset", {"usage": "valid"}), ("WikiTextDataset", {}),
    ("EnWik9Dataset", {}), ("CoNLL2000Dataset", {"usage": "train"}), ("CoNLL2000Dataset", {}), ("UDPOSDataset", {"usage": "train"}), ("UDPOSDataset", {}),
    ("SST2Dataset", {}), ("SST2Dataset", {"usage": "dev"}), ("SST2Dataset", {"usage": "test"}),
    ("SQuADDataset", {"usage": "train"}), ("SQuADDataset", {"usage": "dev"}), ("SQuADDataset", {}),
    ("Multi30kDataset", {"usage": "train"}), ("Multi30kDataset", {"usage": "valid", "language_pair": ["de", "en"]}), ("Multi30kDataset", {}),
    ("YesNoDataset", {}), ("GTZANDataset", {}), ("SpeechCommandsDataset", {"usage": "train"}),
    ("SpeechCommandsDataset", {"usage": "valid"}), ("SpeechCommandsDataset", {}), ("LJSpeechDataset", {}), ("CMUArcticDataset", {"name": "ahw"}),
    ("CityscapesDataset", {"usage": "all", "task": "color", "decode": True}), ("CityscapesDataset", {"task": "polygon"}), ("CityscapesDataset", {}),
    ("CityscapesDataset", {"usage": "val", "quality_mode": "coarse", "task": "semantic"}),
    ("LSUNDataset", {"usage": "train"}), ("LSUNDataset", {"usage": "valid", "classes": ["kitchen"]}), ("LSUNDataset", {"usage": "test"}),
    ("PhotoTourDataset", {"name": "liberty"}), ("PhotoTourDataset", {"name": "liberty", "usage": "test"}),
    ("Flowers102Dataset", {"usage": "train"}), ("Flowers102Dataset", {"task": "Segmentation", "decode": True}),
    ("Caltech101Dataset", {}), ("Caltech101Dataset", {"target_type": "all", "decode": True}),
    ("SBDataset", {"usage": "val"}), ("SBDataset", {"task": "Segmentation", "decode": True}),
    ("IWSLT2016Dataset", {"usage": "train", "language_pair": ["en", "de"]}), ("IWSLT2016Dataset", {"usage": "valid"}), ("IWSLT2016Dataset", {}),
    ("IWSLT2017Dataset", {"usage": "train", "language_pair": ["en", "it"]}), ("IWSLT2017Dataset", {"usage": "test"}), ("IWSLT2017Dataset", {}),
    ("CMUArcticDataset", {}), ("LibriTTSDataset", {"usage": "dev-clean"}), ("LibriTTSDataset", {}),
]  # fmt: skip


def png(*seed: int) -> bytes:
    """A PNG of 4 by 5 pixels in colours."""
    pixels = (np.arange(60) * 7 + sum(seed) * 13).astype(np.uint8).reshape(4, 15)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 5, 4, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write(folder: pathlib.Path, files: dict[str, object]) -> None:
    for name, what in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(what if isinstance(what, bytes) else str(what).encode())


def sound(path: pathlib.Path, seed: int, rate: int = 8000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(((np.arange(6) * 5000 + seed * 999) % 65536 - 32768).astype("<i2").tobytes())


def idx(array: np.ndarray) -> bytes:
    kinds = {"uint8": 8, "int32": 12}
    return bytes([0, 0, kinds[array.dtype.name], array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.astype(array.dtype.newbyteorder(">")).tobytes()  # fmt: skip


def images(count: int, *shape: int) -> np.ndarray:
    return (np.arange(count * int(np.prod(shape))) * 31).astype(np.uint8).reshape(count, *shape)


def make_emnist(folder):
    for part, n in (("train", 4), ("test", 2)):
        write(folder, {f"emnist-letters-{part}-images-idx3-ubyte": idx(images(n, 28, 28)),
                       f"emnist-letters-{part}-labels-idx1-ubyte": idx(np.arange(n, dtype=np.uint8) + 1)})  # fmt: skip


def make_qmnist(folder):
    for name, n in (("qmnist-train", 4), ("qmnist-test", 10002), ("xnist", 3)):
        labels = (np.arange(n * 8).reshape(n, 8) % 1000).astype(np.int32)
        write(folder, {f"{name}-images-idx3-ubyte": idx(images(n, 28, 28)), f"{name}-labels-idx2-int": idx(labels)})


def make_usps(folder):
    for name, n in (("usps", 3), ("usps.t", 2)):
        lines = []
        for i in range(n):
            values = ((np.arange(256) * (i + 3)) % 21 - 10) / 10.0
            lines.append(f"{i + 1} " + " ".join(f"{k + 1}:{v:.4f}" for k, v in enumerate(values)) + " ")
        write(folder, {name: "\n".join(lines) + "\n"})


def make_stl10(folder):
    for part, n in (("train", 2), ("test", 1), ("unlabeled", 2)):
        write(folder, {f"{part}_X.bin": images(n, 3, 96, 96).tobytes()})
        if part != "unlabeled":
            write(folder, {f"{part}_y.bin": bytes(range(3, 3 + n))})


def make_semeion(folder):
    lines = [" ".join(f"{(i + k) % 2:.4f}" for k in range(256)) + " " + " ".join(str(int(k == i)) for k in range(10)) for i in range(4)]  # fmt: skip
    write(folder, {"semeion.data": " \n".join(lines) + " \n", "semeion.names": "x"})


def mat(name_to_array: dict[str, np.ndarray]) -> bytes:
    """A file of MATLAB's, version 5, with numeric arrays."""

    def element(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    out = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    for name, array in name_to_array.items():
        kinds = {"uint8": (9, 2), "float64": (6, 9)}[array.dtype.name]
        body = element(6, struct.pack("<II", kinds[0], 0)) + element(5, struct.pack(f"<{array.ndim}i", *array.shape))
        body += element(1, name.encode()) + element(kinds[1], array.tobytes(order="F"))
        out += element(15, zlib.compress(struct.pack("<II", 14, len(body)) + body))[:8 + len(zlib.compress(struct.pack("<II", 14, len(body)) + body))]  # fmt: skip
    return out


def make_svhn(folder):
    for part, n in (("train", 3), ("test", 2), ("extra", 2)):
        pixels = images(n, 32, 32, 3).transpose(1, 2, 3, 0)
        write(folder, {f"{part}_32x32.mat": mat({"X": np.ascontiguousarray(pixels), "y": (np.arange(n, dtype=np.uint8)[:, None] + 9) % 10 + 1})})  # fmt: skip


def make_celeba(folder):
    names = [f"attr{i}" for i in range(40)]
    lines = [f"{f}  " + " ".join("1" if (i + k) % 3 else "-1" for k in range(40)) for i, f in enumerate(["000001.jpg", "000002.png", "000003.jpg"])]  # fmt: skip
    write(folder, {"list_attr_celeba.txt": "3\n" + " ".join(names) + " \n" + "\n".join(lines) + "\n",
                   "list_eval_partition.txt": "000001.jpg 0\n000002.png 1\n000003.jpg 2\n",
                   "000001.jpg": png(1), "000002.png": png(2), "000003.jpg": png(3)})  # fmt: skip


def make_caltech256(folder):
    write(folder, {"001.ak47/001_0001.jpg": png(1), "001.ak47/001_0002.jpg": png(2), "002.flag/002_0001.jpg": png(3)})


def make_food101(folder):
    write(folder, {"images/pie/1.jpg": png(1), "images/pie/2.jpg": png(2), "images/ribs/3.jpg": png(3), "images/ribs/4.jpg": png(4),
                   "meta/train.txt": "pie/1\nribs/3\n", "meta/test.txt": "pie/2\nribs/4\n", "meta/classes.txt": "pie\nribs\n"})  # fmt: skip


def make_places365(folder):
    write(folder, {"categories_places365.txt": "/a/airfield 0\n/b/cabin 1\n", "places365_train_standard.txt": "/a/airfield/1.jpg 0\n/b/cabin/2.jpg 1\n",
                   "places365_train_challenge.txt": "/a/airfield/1.jpg 0\n", "places365_val.txt": "Places365_val_00000001.jpg 1\nPlaces365_val_00000002.jpg 0\n",
                   "val_256/Places365_val_00000001.jpg": png(1), "val_256/Places365_val_00000002.jpg": png(2),
                   "data_large_standard/a/airfield/1.jpg": png(3), "data_large_standard/b/cabin/2.jpg": png(4)})  # fmt: skip


def make_sun397(folder):
    write(folder, {"ClassName.txt": "/a/abbey\n/a/apartment_building/outdoor\n", "README.txt": "", "a/abbey/sun_a.jpg": png(1), "a/abbey/sun_b.jpg": png(2),
                   "a/apartment_building/outdoor/sun_c.jpg": png(3)})  # fmt: skip


def make_renderedsst2(folder):
    write(folder, {f"{part}/{kind}/000{n}.png": png(n, k, len(part)) for part in ("train", "test", "valid") for k, kind in enumerate(("negative", "positive")) for n in (1, 2)})  # fmt: skip


def make_omniglot(folder):
    write(folder, {f"{part}/{alphabet}/{letter}/0{n}.png": png(n, len(part)) for part in ("images_background", "images_evaluation")
                   for alphabet in ("Greek", "Latin") for letter in ("character01", "character02") for n in (1, 2)})  # fmt: skip


def make_lfw(folder):
    files = {f"{place}/{name}/{name}_000{n}.jpg": png(n, k, len(place)) for place in ("lfw", "lfw-deepfunneled", "lfw_funneled")
             for k, name in enumerate(("Ann_A", "Bob_B")) for n in (1, 2)}  # fmt: skip
    write(folder, {**files, "lfw-names.txt": "Ann_A\t2\nBob_B\t2\n", "people.txt": "2\n1\nAnn_A\t2\n1\nBob_B\t1\n",
                   "peopleDevTrain.txt": "2\nAnn_A\t2\nBob_B\t1\n", "peopleDevTest.txt": "1\nBob_B\t2\n",
                   "pairs.txt": "1\t1\nAnn_A\t1\t2\nAnn_A\t1\tBob_B\t2\n", "pairsDevTrain.txt": "1\nAnn_A\t1\t2\nAnn_A\t1\tBob_B\t2\n",
                   "pairsDevTest.txt": "1\nBob_B\t1\t2\nAnn_A\t2\tBob_B\t1\n"})  # fmt: skip


def make_flickr(folder):
    lines = [f"{n}.jpg#{k}\tThe number {n} , said {k} ." for n in (1, 2) for k in range(5)]
    write(folder, {"1.jpg": png(1), "2.jpg": png(2), "Flickr8k.token.txt": "\n".join(lines) + "\n"})


def make_sbu(folder):
    base = "http://static.flickr.com/2723/"
    write(folder, {"SBU_captioned_photo_dataset_urls.txt": "".join(f"{base}{n}_ab.jpg\n" for n in (1, 2, 3)),
                   "SBU_captioned_photo_dataset_captions.txt": "A dog.\nA cat \nNone here\n",
                   "sbu_images/m_2723_1_ab.jpg": png(1), "sbu_images/m_2723_2_ab.jpg": png(2)})  # fmt: skip


def make_div2k(folder):
    for part, names in (("train", ("0001", "0002")), ("valid", ("0801",))):
        for k, n in enumerate(names):
            write(folder, {f"DIV2K_{part}_HR/{n}.png": png(k), f"DIV2K_{part}_LR_bicubic/X2/{n}x2.png": png(k, 3), f"DIV2K_{part}_LR_mild/{n}x4m.png": png(k, 5)})  # fmt: skip


def make_widerface(folder):
    face = "449 330 122 149 0 0 0 0 0 0 \n"
    write(folder, {"WIDER_train/images/0--P/a.jpg": png(1), "WIDER_train/images/0--P/b.jpg": png(2), "WIDER_val/images/0--P/c.jpg": png(3), "WIDER_test/images/0--P/d.jpg": png(4),
                   "wider_face_split/wider_face_train_bbx_gt.txt": f"0--P/a.jpg\n1\n{face}0--P/b.jpg\n2\n{face}361 98 263 339 1 0 1 2 1 0 \n",
                   "wider_face_split/wider_face_val_bbx_gt.txt": f"0--P/c.jpg\n1\n{face}", "wider_face_split/wider_face_test_filelist.txt": "0--P/d.jpg\n"})  # fmt: skip


def make_kitti(folder):
    line = "{} 0.00 {} -1.57 614.24 181.78 727.31 284.77 1.57 1.73 4.15 1.00 1.75 13.22 -1.62\n"
    for n in (0, 1):
        write(folder, {f"data_object_image_2/training/image_2/00000{n}.png": png(n), f"data_object_label_2/training/label_2/00000{n}.txt": line.format("Car", n) * (n + 1) + line.format("DontCare", -1),
                       f"data_object_image_2/testing/image_2/00000{n}.png": png(n, 4)})  # fmt: skip


def make_voc(folder):
    def annotation(*objects):
        found = "".join(f"<object><name>{n}</name><difficult>{d}</difficult><truncated>{t}</truncated><bndbox><xmin>{b[0]}</xmin><ymin>{b[1]}</ymin><xmax>{b[2]}</xmax><ymax>{b[3]}</ymax></bndbox></object>"
                        for n, d, t, b in objects)  # fmt: skip
        return f"<annotation><folder>VOC</folder><size><width>5</width></size>{found}</annotation>"

    write(folder, {"Annotations/1.xml": annotation(("dog", 0, 1, (1, 1, 3, 4))), "Annotations/2.xml": annotation(("cat", 1, 0, (1, 2, 4, 4)), ("dog", 0, 0, (2, 1, 5, 3))),
                   "Annotations/3.xml": annotation(("bird", 0, 0, (1, 1, 2, 2)), ("cat", 0, 1, (1, 1, 5, 4))),
                   **{f"JPEGImages/{n}.jpg": png(n) for n in (1, 2, 3)}, **{f"SegmentationClass/{n}.png": png(n, 9) for n in (1, 2, 3)},
                   "ImageSets/Main/train.txt": "1\n2\n", "ImageSets/Main/val.txt": "3\n", "ImageSets/Segmentation/train.txt": "2\n1\n", "ImageSets/Segmentation/val.txt": "3\n"})  # fmt: skip


def make_coco(folder):
    pictures = [{"id": 10 + n, "file_name": f"{n}.jpg", "width": 5, "height": 4} for n in (1, 2, 3)]
    kinds = [
        {"id": 1, "name": "cat", "supercategory": "animal", "isthing": 1},
        {"id": 4, "name": "dog", "supercategory": "animal", "isthing": 1},
    ]
    notes = [
        {"id": 1, "image_id": 11, "category_id": 4, "bbox": [1, 1, 2, 2.5], "iscrowd": 0, "area": 5, "num_keypoints": 2, "keypoints": [1, 1, 2, 3, 3, 1], "segmentation": [[1.0, 1.0, 3.0, 1.0, 2.0, 3.5]]},
        {"id": 2, "image_id": 12, "category_id": 1, "bbox": [0, 0, 4, 3], "iscrowd": 0, "area": 12, "num_keypoints": 1, "keypoints": [2, 2, 2, 0, 0, 0], "segmentation": [[0, 0, 4, 0, 4, 3], [1, 1, 2, 2, 1, 2, 3, 1]]},
        {"id": 3, "image_id": 11, "category_id": 1, "bbox": [2, 0, 1, 1], "iscrowd": 0, "area": 1, "num_keypoints": 2, "keypoints": [2, 0, 1, 3, 1, 2], "segmentation": [[2, 0, 3, 0, 3, 1]]},
    ]  # fmt: skip
    panoptic = [
        {
            "image_id": 11,
            "file_name": "1.jpg",
            "segments_info": [
                {"id": 8, "category_id": 4, "iscrowd": 0, "bbox": [1, 1, 2, 2], "area": 4},
                {"id": 9, "category_id": 1, "iscrowd": 1, "bbox": [0, 0, 1, 1], "area": 1},
            ],
        }
    ]
    captions = [{"id": n, "image_id": 11 + n % 2, "caption": f"This is {n} ."} for n in range(4)]
    for name, found in (("detection", notes), ("panoptic", panoptic), ("captions", captions)):
        write(folder, {f"{name}.json": json.dumps({"images": pictures, "annotations": found, "categories": kinds})})
    write(folder, {f"{n}.jpg": png(n) for n in (1, 2, 3)})


def make_manifest(folder):
    def line(n, usage, *names):
        notes = [{"type": "modelarts/image_classification", "name": name, "property": {}, "annotated-by": "human"} for name in names]  # fmt: skip
        return json.dumps({"source": str(folder / f"{n}.png"), "usage": usage, "annotation": notes}) + "\n"

    write(folder, {"list.manifest": line(1, "TRAIN", "dog") + line(2, "train", "cat") + line(3, "EVAL", "cat") + line(4, "INFERENCE", "cat") + line(5, "TRAIN", "cat", "dog"),
                   **{f"{n}.png": png(n) for n in range(1, 6)}})  # fmt: skip


def make_imdb(folder):
    write(folder, {f"{part}/{kind}/{n}_{k * 7 + 1}.txt": f"A {kind} film,<br /> {part} {n}." for part in ("train", "test") for k, kind in enumerate(("neg", "pos")) for n in (0, 1)})  # fmt: skip


def rows_of(fields):
    def make(folder):
        quoted = ["1", "Title, one", 'He said ""yes""', "last\\none"][:fields]
        plain = ["2", "t", "d e f", "-"][:fields]
        text = ",".join(f'"{w}"' for w in quoted) + "\n" + ",".join(f'"{w}"' for w in plain) + "\n"
        write(
            folder, {"train.csv": text, "test.csv": ",".join(f'"{w}"' for w in plain) + "\n", "classes.txt": "A\nB\n"}
        )

    return make


def make_penntreebank(folder):
    write(
        folder, {f"ptb.{part}.txt": f" no it was n't {part} \n\n <unk> of N \n" for part in ("train", "test", "valid")}
    )


def make_wikitext(folder):
    write(folder, {f"wiki.{part}.tokens": f" \n = {part} = \n\n The <unk> \n" for part in ("train", "test", "valid")})


def make_enwik9(folder):
    write(folder, {"enwik9": "<page>\n\n  <title>A</title>\n</page>\n"})


def make_conll2000(folder):
    write(
        folder,
        {"train.txt": "He PRP B-NP\nruns VBZ B-VP\n. . O\n\nNo DT B-NP\n\n", "test.txt": "Yes UH B-INTJ\n. . O\n\n"},
    )


def make_udpos(folder):
    for part in ("train", "test", "dev"):
        write(folder, {f"en-ud-tag.v2.{part}.txt": f"He\tPRON\tPRP\n{part}\tVERB\tVBZ\n\nNo\tDET\tDT\n\n"})


def make_sst2(folder):
    write(folder, {"train.tsv": "sentence\tlabel\nhide new \t0\na good one\t1\n", "dev.tsv": "sentence\tlabel\nit 's \t1\n", "test.tsv": "index\tsentence\n0\tuneasy \n1\tthis\n"})  # fmt: skip


def make_squad(folder):
    def data(word):
        questions = [{"id": "1", "question": f"What {word}?", "answers": [{"text": "one", "answer_start": 4}, {"text": "two", "answer_start": 9}]}, {"id": "2", "question": "Q?", "answers": [], "is_impossible": True}]  # fmt: skip
        return json.dumps({"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": f"The one {word} two", "qas": questions}]}]})  # fmt: skip

    write(folder, {"train-v1.1.json": data("a"), "dev-v1.1.json": data("b")})


def make_multi30k(folder):
    for place, name in (("training", "train"), ("validation", "val"), ("mmt16_task1_test", "test")):
        write(folder, {f"{place}/{name}.en": f"A {name}.\nTwo men.\n", f"{place}/{name}.de": f"Ein {name}.\nZwei Männer.\n"})  # fmt: skip


def make_yesno(folder):
    for n, name in enumerate(("0_0_0_0_1_1_1_1", "1_0_1_0_1_0_0_1")):
        sound(folder / f"{name}.wav", n)


def make_gtzan(folder):
    for n, name in enumerate(("blues.00029", "blues.00030", "disco.00001")):
        sound(folder / name.split(".")[0] / f"{name}.wav", n, 22050)


def make_speechcommands(folder):
    for n, name in enumerate(("cat/b433eff_nohash_0", "cat/5a33edf_nohash_1", "dog/b433abc_nohash_0")):
        sound(folder / f"{name}.wav", n)
    write(
        folder, {"testing_list.txt": "cat/5a33edf_nohash_1.wav\n", "validation_list.txt": "dog/b433abc_nohash_0.wav\n"}
    )


def make_ljspeech(folder):
    for n in (1, 2):
        sound(folder / "wavs" / f"LJ001-000{n}.wav", n)
    write(folder, {"metadata.csv": "LJ001-0001|In 1465, said|In fourteen, said\nLJ001-0002|two|2nd\n"})


def make_cmuarctic(folder):
    for k, who in enumerate(("aew", "ahw")):
        for n in (1, 2):
            sound(folder / f"cmu_us_{who}_arctic" / "wav" / f"arctic_a000{n}.wav", n + k, 16000)
        write(folder, {f"cmu_us_{who}_arctic/etc/txt.done.data": '( arctic_a0001 "Author of, etc." )\n( arctic_a0002 "Not now." )\n'})  # fmt: skip


def make_libritts(folder):
    for part, speaker, chapter in (("dev-clean", 116, 288045), ("test-clean", 61, 70968)):
        place = folder / part / str(speaker) / str(chapter)
        sound(place / f"{speaker}_{chapter}_000003_000000.wav", chapter % 5, 24000)
        write(place, {f"{speaker}_{chapter}.trans.tsv": f"{speaker}_{chapter}_000003_000000\tAs I, Mr. A.\tAs I, Mister A.\n"})  # fmt: skip


def picture(path, seed):
    write(path.parent, {path.name: png(seed)})


def make_cityscapes(folder):
    for part, city in (("train", "aachen"), ("train", "bochum"), ("val", "lindau"), ("test", "berlin")):
        for k in range(2):
            stem = f"{city}_00000{k}_000019"
            picture(folder / "leftImg8bit" / part / city / f"{stem}_leftImg8bit.png", 3 * k + len(city))
            for truth in ("gtFine", "gtCoarse"):
                for n, kind in enumerate(("color", "instanceIds", "labelIds")):
                    picture(folder / truth / part / city / f"{stem}_{truth}_{kind}.png", n + k)
                write(folder / truth / part / city, {f"{stem}_{truth}_polygons.json": '{"imgHeight": 4}'})


def make_lsun(folder):
    for k, name in enumerate(("bedroom_train", "kitchen_train", "bedroom_val", "kitchen_val", "test")):
        for n in (1, 2):
            picture(folder / name / f"{n}_{k}.jpg", k + n)


def make_phototour(folder):
    place = folder / "liberty"
    place.mkdir()
    pixels = np.arange(1024 * 1024, dtype=np.uint32).reshape(1024, 1024)
    from PIL import Image

    Image.fromarray(((pixels * 7 + pixels // 64) % 251).astype(np.uint8)).save(place / "patches0000.bmp")
    write(
        place,
        {
            "info.txt": "".join(f"{k // 2} 0\n" for k in range(20)),
            "m50_100000_100000_0.txt": "0 0 0 1 0 0 0\n3 1 0 17 8 0 0\n",
        },
    )


def make_flowers102(folder):
    from scipy.io import savemat

    savemat(folder / "imagelabels.mat", {"labels": np.array([[1, 77, 102, 3, 5, 8]], np.uint8)})
    savemat(
        folder / "setid.mat", {"trnid": np.array([[2, 5]]), "valid": np.array([[1]]), "tstid": np.array([[3, 6, 4]])}
    )
    for k in range(1, 7):
        picture(folder / "jpg" / f"image_{k:05d}.jpg", k)
        picture(folder / "segmim" / f"segmim_{k:05d}.jpg", k + 1)


def make_caltech101(folder):
    from scipy.io import savemat

    for name, other in (("Faces", "Faces_2"), ("ant", "ant"), ("BACKGROUND_Google", "")):
        for k in (1, 2):
            picture(folder / "101_ObjectCategories" / name / f"image_{k:04d}.jpg", k + len(name))
            if other:
                (folder / "Annotations" / other).mkdir(parents=True, exist_ok=True)
                savemat(
                    folder / "Annotations" / other / f"annotation_{k:04d}.mat",
                    {"obj_contour": np.arange(6.0).reshape(2, 3) + k},
                )


def make_sb(folder):
    from scipy.io import savemat
    from scipy.sparse import csc_matrix

    (folder / "cls").mkdir()
    for k in range(3):
        picture(folder / "img" / f"{k}.jpg", k)
        bounds = np.empty((20, 1), object)
        for n in range(20):
            bounds[n, 0] = csc_matrix((np.arange(12).reshape(3, 4) == n + k).astype(np.uint8))
        savemat(
            folder / "cls" / f"{k}.mat",
            {"GTcls": {"Boundaries": bounds, "Segmentation": np.arange(12, dtype=np.uint8).reshape(3, 4) + k}},
        )
    write(folder, {"train.txt": "0\n2\n", "val.txt": "1\n", "train_noval.txt": "2\n"})


def talks(place, year, source, target, sets):
    for language in (source, target):
        pair = f"{source}-{target}"
        lines = "".join(f"{k} {language} sentence .\n" for k in range(2))
        write(
            place,
            {f"train.tags.{pair}.{language}": f"<url>http</url>\n<title>One</title>\n{lines}<keywords>x</keywords>\n"},
        )
        for name in sets:
            segments = "".join(f'<seg id="{k}"> {name} {language} {k} </seg>\n' for k in (1, 2))
            write(
                place,
                {
                    f"IWSLT{year}.TED.{name}.{pair}.{language}.xml": f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<srcset>\n<doc docid="1">\n{segments}</doc>\n</srcset>\n</mteval>\n'
                },
            )


def make_iwslt2016(folder):
    for source, target in (("de", "en"), ("en", "de")):
        talks(folder / "texts" / source / target / f"{source}-{target}", 16, source, target, ("tst2013", "tst2014"))


def make_iwslt2017(folder):
    place = folder / "texts" / "DeEnItNlRo" / "DeEnItNlRo" / "DeEnItNlRo-DeEnItNlRo"
    for source, target in (("de", "en"), ("en", "it")):
        talks(place, 17, source, target, ("dev2010", *(f"tst201{k}" for k in range(6))))


FOLDERS = {
    "Cityscapes": make_cityscapes, "LSUN": make_lsun, "PhotoTour": make_phototour, "Flowers102": make_flowers102, "Caltech101": make_caltech101,
    "SB": make_sb, "IWSLT2016": make_iwslt2016, "IWSLT2017": make_iwslt2017,
    "EMnist": make_emnist, "QMnist": make_qmnist, "USPS": make_usps, "STL10": make_stl10, "Semeion": make_semeion, "SVHN": make_svhn,
    "CelebA": make_celeba, "Caltech256": make_caltech256, "Food101": make_food101, "Places365": make_places365, "SUN397": make_sun397,
    "RenderedSST2": make_renderedsst2, "Omniglot": make_omniglot, "LFW": make_lfw, "Flickr": make_flickr, "SBU": make_sbu, "DIV2K": make_div2k,
    "WIDERFace": make_widerface, "KITTI": make_kitti, "VOC": make_voc, "Coco": make_coco, "Manifest": make_manifest, "IMDB": make_imdb,
    "AGNews": rows_of(3), "AmazonReview": rows_of(3), "DBpedia": rows_of(3), "SogouNews": rows_of(3), "YahooAnswers": rows_of(4), "YelpReview": rows_of(2),
    "PennTreebank": make_penntreebank, "WikiText": make_wikitext, "EnWik9": make_enwik9, "CoNLL2000": make_conll2000, "UDPOS": make_udpos,
    "SST2": make_sst2, "SQuAD": make_squad, "Multi30k": make_multi30k, "YesNo": make_yesno, "GTZAN": make_gtzan, "SpeechCommands": make_speechcommands,
    "LJSpeech": make_ljspeech, "CMUArctic": make_cmuarctic, "LibriTTS": make_libritts,
}  # fmt: skip


def opened(module, name, arguments, folder):
    """A dataset of `module` on a folder."""
    given = dict(arguments)
    for key in ("annotation_file", "dataset_file"):
        if key in given:
            given[key] = str(folder / given[key])
    first = [] if "dataset_file" in given else [str(folder)]
    return getattr(module, name)(*first, **given, shuffle=False)


def told(dataset):
    """The columns, the number of rows, and of each field its type, shape and values, or what sums them up."""
    found = []
    for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        if len(found) == 12:
            break
        found.append({})
        for name, field in row.items():
            kind = "str" if field.dtype.kind == "U" else str(field.dtype)
            values = field.tolist() if field.size <= 45 else zlib.crc32(np.ascontiguousarray(field).tobytes())
            found[-1][name] = [kind, list(field.shape), values]
    return {"columns": dataset.get_col_names(), "size": dataset.get_dataset_size(), "rows": found}


def key_of(name, arguments):
    return name.removesuffix("Dataset") + "".join(f" {k}={v}" for k, v in arguments.items())


if __name__ == "__main__":
    library = importlib.import_module(f"{sys.argv[1]}.dataset")
    table = {}
    for name, arguments in CASES:
        with tempfile.TemporaryDirectory() as folder:
            FOLDERS[name.removesuffix("Dataset")](pathlib.Path(folder))
            try:
                table[key_of(name, arguments)] = told(opened(library, name, arguments, pathlib.Path(folder)))
            except Exception as error:
                print(
                    key_of(name, arguments), type(error).__name__, str(error).split("Error Message:")[-1].strip()[:400]
                )
    pathlib.Path(sys.argv[2]).write_text(json.dumps(table).replace(', "', ',\n"') + "\n")

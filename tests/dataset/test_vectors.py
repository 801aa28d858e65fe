"""Words as vectors: the values are MindSpore's, which read the same files, and what they are not, by its documentation."""

from __future__ import annotations

import numpy as np
import pytest

from anfora import dataset as ds
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import text

PLAIN = "ok 0.1 0.2 0.3\n! 1 2 3\nok 9 9 9\nThis 4 5 6\nthis 7 8 9\n"
PIECES = (
    "1gram-a 1 0 0\n2gram-a# 5 5 5\n2gram-#BEGIN#a 0 1 0\n2gram-a#END# 0 0 1\n2gram-ab 2 2 2\n3gram-#BEGIN#ab 3 0 3\n"
    "3gram-#BEGIN#a#END# 8 8 8\n4gram-#BEGIN#ab#END# 0 8 0\n1gram-#BEGIN# 7 7 7\n"
)
NAMES = {text.Vectors: "v.txt", text.GloVe: "glove.6B.test.txt", text.FastText: "f.vec", text.CharNGram: "c.txt"}
WORDS = np.array(["ok", "THIS", "This", "zz"])


def made(tmp_path, content, kind=text.Vectors, name=None, **options):
    file = tmp_path / (name or NAMES[kind])
    file.write_text(content)
    return kind.from_file(str(file), **options)


@pytest.mark.parametrize("kind", [text.Vectors, text.GloVe, text.FastText])
@pytest.mark.parametrize("head", ["", "4 3\n"])
def test_words_have_their_vectors(tmp_path, kind, head):
    vectors = made(tmp_path, head + PLAIN, kind)
    found = text.ToVectors(vectors)(WORDS)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.array([[0.1, 0.2, 0.3], [0, 0, 0], [4, 5, 6], [0, 0, 0]], np.float32))
    found = text.ToVectors(vectors, [-1, -2.5, 3], lower_case_backup=True)(WORDS.reshape(2, 2))
    np.testing.assert_array_equal(
        found, np.array([[[0.1, 0.2, 0.3], [7, 8, 9]], [[4, 5, 6], [-1, -2.5, 3]]], np.float32)
    )
    assert text.ToVectors(vectors)(np.array("!")).tolist() == [1, 2, 3]


def test_a_part_of_a_file(tmp_path):
    words = np.array(["ok", "this", "!"])
    two = text.ToVectors(made(tmp_path, PLAIN, max_vectors=2))(words)
    np.testing.assert_array_equal(two, np.array([[0.1, 0.2, 0.3], [0, 0, 0], [1, 2, 3]], np.float32))
    for most in (0, 100, None):
        assert text.ToVectors(made(tmp_path, PLAIN, max_vectors=most))(words)[1].tolist() == [7, 8, 9]


@pytest.mark.parametrize("word, vector", [
    ("a", [8 / 3, 3, 3]), ("ab", [1.25, 2.75, 1.25]), ("abc", [5 / 3, 1, 5 / 3]), ("ba", [0, 0, 1]), ("A", [0, 0, 0]),
    ("", [0, 0, 0]), ("1gram-a", [0, 0, 1]),
])  # fmt: skip
def test_the_vector_of_a_word_is_the_mean_of_its_pieces(tmp_path, word, vector):
    vectors = made(tmp_path, PIECES, text.CharNGram)
    np.testing.assert_allclose(text.ToVectors(vectors)(np.array(word)), vector, rtol=1e-6)
    lower = text.ToVectors(vectors, lower_case_backup=True)(np.array(word.upper()))
    if word in ("a", "ab", "abc"):
        np.testing.assert_allclose(lower, vector, rtol=1e-6)


@pytest.mark.parametrize("content, match", [
    ("", "holds no vectors"), ("4 3\n", "holds no vectors"), ("a 1 2 3\nb 1 2\n", r"line 2: 3 numbers, .* but 2 do"),
    ("a x y z\n", "line 1: .*is no word and numbers"), ("a 1 2 3\n\nb 1 2 3\n", "line 2"), ("a\t1\t2\n", "line 1"),
])  # fmt: skip
def test_a_damaged_file_is_told_with_the_line(tmp_path, content, match):
    with pytest.raises(OpRuntimeError, match=match):
        made(tmp_path, content)


def test_wrong_arguments(tmp_path):
    vectors = made(tmp_path, PLAIN)
    for options, error in ((-1, OpValueError), (1.5, OpTypeError)):
        with pytest.raises(error, match="max_vectors"):
            made(tmp_path, PLAIN, max_vectors=options)
    for kind in (text.GloVe, text.FastText):
        with pytest.raises(OpRuntimeError, match="should be named"):
            made(tmp_path, PLAIN, kind, "odd.dat")
    with pytest.raises(OpRuntimeError, match="no file"):
        text.Vectors.from_file(str(tmp_path / "none"))
    for arguments, error in (
        (("a",), OpTypeError), ((vectors, 5), OpTypeError), ((vectors, ["a"]), OpTypeError),
        ((vectors, [-1]), OpValueError), ((vectors, None, 1), OpTypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            text.ToVectors(*arguments)
    with pytest.raises(OpRuntimeError, match="should be words"):
        text.ToVectors(vectors)(np.array([1, 2]))


def test_in_a_pipeline(tmp_path):
    to_vectors = text.ToVectors(made(tmp_path, PLAIN))
    data = ds.NumpySlicesDataset(["ok", "!"], ["text"], shuffle=False).map(to_vectors, ["text"])
    rows = [row["text"].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
    assert rows[1] == [1, 2, 3] and len(rows) == 2

"""Class forms of what Python does with sequences, in both modes."""

import importlib
import pickle

import pytest

import anfora as ms
from anfora import Tensor
from anfora.ops.sequences import SEQUENCES

X = Tensor([1.0, 2.0])
#: (class, arguments of the class, of the call, result)
FORMS = [
    ("ListAppend", (), ([1, 2], 3), [1, 2, 3]),
    ("ListInsert", (), ([1, 2], 1, 3), [1, 3, 2]),
    ("ListInsert", (), ([1, 2], -1, 3), [1, 3, 2]),
    ("ListAppendAndInsertGrad", (), ([1, 2, 3], 1), ([1, 3], 2)),
    ("SequenceAdd", (), ((1, 2), (3,)), (1, 2, 3)),
    ("SequenceAddOffset", (), ([1, 2], [3]), (0, 2)),
    ("SequenceMul", (), ((1, 2), 2), (1, 2, 1, 2)),
    ("SequenceSlice", (), ((1, 2, 3, 4), 0, 4, 2), (1, 3)),
    ("SequenceSliceSetItem", (), ((1, 2, 3, 4), (7,), 1, 3, 1), (1, 7, 4)),
    ("SequenceCount", (), ((1, 2, 1), 1), 2),
    ("SequenceIndex", (), ([1, 2, 1], 1, 1, 3), 2),
    ("InSequence", (), (2, [1, 2]), True),
    ("SequenceMax", (), ((1, 3, 2),), 3),
    ("SequenceMin", (), ((2, 1, 3),), 1),
    ("SequenceZerosLike", (), ((1, 2.0, [3]),), (0, 0.0, [0])),
    ("SequenceAddN", (), ((X, X, X),), [3.0, 6.0]),
    ("SequenceStack", (1,), ((X, X),), [[1.0, 1.0], [2.0, 2.0]]),
    ("SequenceUnstack", (), (Tensor([[1, 2], [3, 4]]),), ([1, 2], [3, 4])),
    ("sequence_len", (), ([1, 2],), 2),
    ("shape_mul", (), ((2, 3, 4),), 24),
    ("make_range", (), (1, 6, 2), (1, 3, 5)),
    ("TensorToTuple", (), (X,), (1.0, 2.0)),
    ("TensorToList", (), (X,), [1.0, 2.0]),
    ("TensorToScalar", (), (Tensor(3),), 3),
    ("TupleToTensor", (), ((1, 2), ms.float16), [1.0, 2.0]),
    ("ListToTensor", (), ([1.5, 2.0],), [1.5, 2.0]),
    *((f"{kind.__name__}_{word}", (), (kind((1, 2)), kind((1, 3))), result)
      for kind in (tuple, list)
      for word, result in {"equal": False, "greater_than": False, "greater_equal": False, "lt": True, "le": True}.items()),
]  # fmt: skip


def plain(value):
    if isinstance(value, Tensor):
        return value.tolist()
    return type(value)(map(plain, value)) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize(("name", "given", "args", "result"), FORMS, ids=[row[0] for row in FORMS])
def test_form(name, given, args, result):
    made = getattr(importlib.import_module("anfora.ops.operations._sequence_ops"), name)(*given)
    before = plain(list(args))
    for call in (made, ms.jit(lambda *args: made(*args)), pickle.loads(pickle.dumps(made))):
        found = plain(call(*args))
        assert found == result and type(found) is type(result)
    assert plain(list(args)) == before


def test_all_are_here():
    assert {row[0] for row in FORMS} == set(SEQUENCES)


def test_refused():
    seq = importlib.import_module("anfora.ops.operations._sequence_ops")
    with pytest.raises(TypeError, match="a tensor is needed, but got int"):
        seq.TensorToTuple()(3)
    with pytest.raises(ValueError, match="one axis is needed, but it has 2"):
        seq.TensorToTuple()(Tensor([[1]]))
    with pytest.raises(TypeError, match="a tuple is needed, but got list"):
        seq.TupleToTensor()([1])
    with pytest.raises(ValueError):
        seq.SequenceIndex()((1, 2), 3)
    with pytest.raises(AttributeError, match="SequenceAdd"):
        seq.SequenceAdds  # noqa: B018

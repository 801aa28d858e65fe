"""Functions under the further names of MindSpore's `ops.functional`, in both modes."""

import numpy as np
import pytest

import anfora as ms
from anfora import COOTensor, Tensor, ops, sparse_functions
from anfora.core.op import Op
from anfora.ops import functional as F
from anfora.ops import methods, older

X = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
SPARSE = np.array([[0, 0.5, 0], [0.25, 0, 0.75]], np.float32)

#: (name, arguments, result)
CALLS = [
    ("scalar_add", (1, 2), 3), ("scalar_div", (1, 2), 0.5), ("scalar_eq", (1, 2), False), ("scalar_mod", (7, 4), 3),
    ("scalar_usub", (3,), -3), ("scalar_uadd", (3,), 3), ("scalar_cast", (2.5, ms.int64), 2), ("scalar_max", (1, 2), 2),
    ("scalar_log", (1,), 0.0), ("bool_and", (True, False), False), ("bool_not", (True,), False),
    ("bool_eq", (True, True), True),
    ("string_concat", ("a", "b"), "ab"), ("string_eq", ("a", "b"), False), ("is_", (1, None), False),
    ("in_dict", ("a", {"a": 1}), True), ("not_in_dict", ("a", {"a": 1}), False), ("make_tuple", (1, 2), (1, 2)),
    ("make_list", (1, 2), [1, 2]), ("make_dict", (("a", "b"), (1, 2)), {"a": 1, "b": 2}),
    ("make_slice", (1, 2, 3), slice(1, 2, 3)), ("dict_getitem", ({"a": 1}, "a"), 1),
    ("dict_setitem", ({"a": 1}, "b", 2), {"a": 1, "b": 2}), ("tuple_getitem", ((1, 2), 1), 2),
    ("tuple_setitem", ((1, 2), 1, 5), (1, 5)), ("list_setitem", ([1, 2], 0, 5), [5, 2]), ("list_len", ([1],), 1),
    ("tuple_equal", ((1,), (1,)), True), ("tuple_reversed", ((1, 2),), (2, 1)), ("tuple_div", ((8, 4), (2, 2)), (4, 2)),
    ("reduced_shape", ((1, 2, 3), (1,)), (1, 1, 3)), ("reduced_shape", ((4, 2), ()), (1, 1)), ("shape_mul", ((2, 3),), 6),
    ("switch", (True, 1, 2), 1), ("hastype", (1, int), True), ("shape_", (Tensor(X),), (2, 3)),
    ("is_floating_point", (Tensor(X),), True), ("is_nonzero", (Tensor([2.0]),), True),
    ("t", (Tensor(X),), X.T), ("type_as", (Tensor(X), Tensor([1])), X), ("dyn_shape", (Tensor(X),), [2, 3]),
    ("matrix_diag", (Tensor([1.0, 2.0]),), np.diag([1.0, 2.0])), ("floordiv", (Tensor([7.0]), Tensor([2.0])), [3]),
    ("matrix_diag_part", (Tensor(X), 0, Tensor(0.0)), [1, 5]), ("tensor_expm1", (Tensor(X),), np.expm1(X)),
    ("matrix_set_diag", (Tensor(X), Tensor([0.0, 0.0])), [[0, 2, 3], [4, 0, 6]]), ("pows", (Tensor(X), 2), X**2),
    ("mirror_pad", (Tensor(X), Tensor([[0, 0], [1, 0]]), "REFLECT"), X[:, [1, 0, 1, 2]]),
    ("population_count", (Tensor([7, 8], ms.int16),), [3, 1]), ("eps", (Tensor(X),), np.full((2, 3), 2.0**-23)),
    ("soft_shrink", (Tensor(X),), X - 0.5), ("deepcopy", (Tensor(X),), X),
    ("tensor_range", (Tensor(0), Tensor(4), Tensor(2)), [0, 2]),
    ("space_to_batch_nd", (Tensor(X[None, None, :, :2]), [2, 2], [[0, 0], [0, 0]]), [[[[v]]] for v in (1, 2, 4, 5)]),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["plain", "compiled"])
@pytest.mark.parametrize(("name", "given", "expected"), CALLS, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(CALLS)])
def test_call(name, given, expected, mode):
    function = getattr(F, name)
    result = (ms.jit(lambda *args: function(*args)) if mode == "compiled" else function)(*given)
    if isinstance(result, Tensor):
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)
    else:
        assert result == expected and type(result) is type(expected)


def test_sequences_stay_as_they_are():
    given = [1, 2]
    assert F.list_setitem(given, 0, 5) == [5, 2] and given == [1, 2]


@pytest.mark.parametrize("name", sparse_functions._OF_VALUES.split())
def test_elements_of_sparse_tensors(name):
    coo = ops.dense_to_sparse_coo(Tensor(SPARSE))
    for given, short in ((coo, "coo"), (coo.to_csr(), "csr")):
        done = getattr(ops, f"{short}_{name}")(given)
        assert type(done) is type(given) and done.shape == (2, 3)
        np.testing.assert_array_equal(done.values.asnumpy(), getattr(ops, name)(given.values).asnumpy())
        with pytest.raises(ms.AnforaError, match=f"{short}_{name} needs a {type(given).__name__}"):
            getattr(ops, f"{short}_{name}")(Tensor(SPARSE))


def test_sparse_matrices():
    coo = ops.dense_to_sparse_coo(Tensor(SPARSE))
    csr = ops.dense_to_sparse_csr(Tensor(SPARSE))
    np.testing.assert_array_equal(coo.to_dense().asnumpy(), SPARSE)
    np.testing.assert_array_equal(ops.csr_to_dense(csr).asnumpy(), SPARSE)
    np.testing.assert_array_equal(ops.coo_concat([coo, coo], 1).to_dense().asnumpy(), np.hstack([SPARSE, SPARSE]))
    sums = ops.csr_mv(csr, Tensor(np.ones((3, 1), np.float32)))
    np.testing.assert_array_equal(sums.asnumpy(), SPARSE.sum(1, keepdims=True))
    np.testing.assert_array_equal(ops.csr_gather(csr.indptr, csr.indices, Tensor(X), (2, 3)).asnumpy(), [2, 4, 6])
    assert ops.csr_tensor_get_dense_shape(csr) == (2, 3) and isinstance(ops.csr_to_coo(csr), COOTensor)
    assert ops.csr_tensor_get_indptr(csr).tolist() == [0, 1, 3]
    second = np.exp([0.25, 0.75])
    soft = ops.csr_softmax(csr, ms.float32).values.asnumpy()
    np.testing.assert_allclose(soft, [1, *(second / second.sum())], rtol=1e-6)


def test_gradient_through_sparse_values():
    coo = ops.dense_to_sparse_coo(Tensor(SPARSE))

    def total(values):
        return ops.coo_square(coo.with_values(values)).to_dense().sum()

    np.testing.assert_allclose(ms.grad(total)(coo.values).asnumpy(), 2 * coo.values.asnumpy())


@pytest.mark.parametrize("name", older._in_place())
def test_methods_that_write_are_functions(name):
    assert getattr(ops, name) is methods.METHODS[name]


def test_a_function_writes_into_its_tensor():
    x = Tensor(X)
    assert ops.zero_(x) is x and not x.asnumpy().any()


def test_names_are_listed_and_found():
    for name in [*older.names(), *sparse_functions.FUNCTIONS]:
        found = getattr(ops, name)
        assert callable(found) or isinstance(found, Op)
        assert name in dir(ops)
    with pytest.raises(AttributeError, match="has no attribute 'scalar_ad'; did you mean 'scalar_add'"):
        _ = ops.scalar_ad

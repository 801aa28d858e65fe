"""`anfora.scipy` beside scipy: values, gradients by finite differences, both modes, and refusals."""

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.optimize

import anfora as ms
from anfora import Tensor, float64, ops
from anfora.core.errors import OpTypeError, OpValueError
from anfora.scipy import fft, linalg, optimize

RANDOM = np.random.default_rng(3)
A = RANDOM.standard_normal((4, 4)) + 3 * np.eye(4)
SYMMETRIC = A @ A.T
OTHER = np.diag([1.0, 2.0, 3.0, 4.0]) + 0.1
VECTOR, SIDES = RANDOM.standard_normal(4), RANDOM.standard_normal((4, 2))
TALL = RANDOM.standard_normal((5, 3))


def plain(found):
    if isinstance(found, (tuple, list)):
        return [plain(each) for each in found]
    return found.asnumpy() if isinstance(found, Tensor) else np.asarray(found)


def close(found, expected, tolerance=1e-10):
    found, expected = plain(found), plain(expected)
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            close(one, other, tolerance)
        return
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, tolerance, tolerance)


def slopes(function, x, step=1e-6):
    """The gradient of a number by differences."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * step
            found[place] += sign * float(function(Tensor(moved)).asnumpy()) / (2 * step)
    return found


#: A call, the same in scipy, and its arguments. All are differentiable by the first argument.
CALLS = {
    "solve_triangular": (linalg.solve_triangular, scipy.linalg.solve_triangular, (A, VECTOR)),
    "solve_triangular_lower": (
        lambda a, b: linalg.solve_triangular(a, b, lower=True),
        lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True), (A, SIDES),
    ),
    "solve_triangular_unit": (
        lambda a, b: linalg.solve_triangular(a, b, "T", unit_diagonal=True),
        lambda a, b: scipy.linalg.solve_triangular(a, b, "T", unit_diagonal=True), (A, SIDES),
    ),
    "inv": (linalg.inv, scipy.linalg.inv, (A,)),
    "det": (linalg.det, scipy.linalg.det, (A,)),
    "cholesky": (linalg.cholesky, scipy.linalg.cholesky, (SYMMETRIC,)),
    "cholesky_lower": (
        lambda a: linalg.cholesky(a, True), lambda a: scipy.linalg.cholesky(a, True), (SYMMETRIC,)
    ),
    "cho_solve": (
        lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b),
        lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b), (SYMMETRIC, VECTOR),
    ),
    "cho_solve_lower": (
        lambda a, b: linalg.cho_solve(linalg.cho_factor(a, True), b),
        lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(a, True), b), (SYMMETRIC, SIDES),
    ),
    "eigh": (
        lambda a: linalg.eigh(a, eigvals_only=True), lambda a: scipy.linalg.eigh(a, eigvals_only=True), (SYMMETRIC,)
    ),
    "eigh_part": (
        lambda a: linalg.eigh(a, lower=False, eigvals_only=True, eigvals=(1, 2)),
        lambda a: scipy.linalg.eigh(a, lower=False, eigvals_only=True, subset_by_index=(1, 2)), (SYMMETRIC,),
    ),
    **{
        f"eigh_generalised_{kind}": (
            lambda a, b, kind=kind: (lambda w, v: (w, v * v))(*linalg.eigh(a, b, type=kind)),
            lambda a, b, kind=kind: (lambda w, v: [w, v * v])(*scipy.linalg.eigh(a, b, type=kind)), (SYMMETRIC, OTHER),
        )
        for kind in (1, 2, 3)
    },
    "lu_factor": (lambda a: linalg.lu_factor(a)[0], lambda a: scipy.linalg.lu_factor(a)[0], (A,)),
    "lu": (lambda a: linalg.lu(a)[1:], lambda a: list(scipy.linalg.lu(a)[1:]), (A[::-1].copy(),)),
    "lu_permuted": (lambda a: linalg.lu(a, True), lambda a: list(scipy.linalg.lu(a, True)), (A[::-1].copy(),)),
    **{
        f"lu_solve_{trans}": (
            lambda a, b, trans=trans: linalg.lu_solve(linalg.lu_factor(a), b, trans),
            lambda a, b, trans=trans: scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans), (A[::-1].copy(), VECTOR),
        )
        for trans in (0, 1, 2)
    },
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[0], lambda a, b: scipy.linalg.lstsq(a, b)[0], (TALL, TALL[:, :2] * 2 + 1)),
    "lstsq_residuals": (
        lambda a, b: linalg.lstsq(a, b, driver="gelsd")[1], lambda a, b: scipy.linalg.lstsq(a, b)[1],
        (TALL, RANDOM.standard_normal((5, 2))),
    ),
    **{
        f"{name}_{n}": (
            lambda x, name=name, n=n: getattr(fft, name)(x, n=n, axis=0),
            lambda x, name=name, n=n: getattr(scipy.fft, name)(x, n=n, axis=0, norm="ortho"), (TALL,),
        )
        for name in ("dct", "idct") for n in (None, 1, 2, 4, 8)
    },
    **{
        f"{name}_{place}": (
            lambda x, name=name, named=named: getattr(fft, name)(x, **named),
            lambda x, name=name, named=named: getattr(scipy.fft, name)(x, **named, norm="ortho"), (TALL,),
        )
        for name in ("dctn", "idctn")
        for place, named in enumerate(({}, {"axes": (0,)}, {"s": (4,)}, {"s": (2, 6), "axes": (1, 0)}))
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_scipys(name):
    call, reference, arguments = CALLS[name]
    tensors = [Tensor(each) for each in arguments]
    close(call(*tensors), reference(*arguments))

    def total(x):
        found = call(x, *tensors[1:])
        parts = found if isinstance(found, tuple) else (found,)
        return sum(
            (part * ops.cos(ops.arange(part.size, dtype=float64) + 1).reshape(part.shape)).sum() for part in parts
        )

    gradient = ms.grad(total)(tensors[0])
    expected = slopes(total, arguments[0])
    if "eigh" in name or "cho" in name:  # one triangle is read, and both stand for it
        expected, gradient = expected + expected.T, gradient + gradient.T
    close(gradient, expected, 2e-5)
    close(ms.jit(call)(*tensors), call(*tensors), 0)
    assert (ms.jit(ms.grad(total))(tensors[0]) == ms.grad(total)(tensors[0])).all()


def test_stacks_are_taken_one_by_one():
    a = RANDOM.standard_normal((2, 3, 4, 4)) + 3 * np.eye(4)
    b = RANDOM.standard_normal((2, 3, 4))
    found = linalg.lu_solve(linalg.lu_factor(Tensor(a)), Tensor(b))
    close(found, np.linalg.solve(a, b[..., None])[..., 0])
    close(linalg.solve_triangular(Tensor(a), Tensor(b)), np.linalg.solve(np.triu(a), b[..., None])[..., 0])


def test_other_results():
    p, lower, upper = linalg.lu(Tensor(TALL))
    close([p, lower, upper], list(scipy.linalg.lu(TALL)))
    singular = np.array([[0.0, 2.0, 1.0], [0.0, 4.0, 3.0], [0.0, 4.0, 3.0]])
    p, lower, upper = linalg.lu(Tensor(singular))
    close(p @ lower @ upper, singular)
    assert linalg.lu_factor(Tensor(A))[1].tolist() == scipy.linalg.lu_factor(A)[1].tolist()
    close(linalg.block_diag(Tensor([[1.0, 2.0]]), Tensor(3.0)), scipy.linalg.block_diag([[1.0, 2.0]], 3.0))
    assert linalg.block_diag().shape == (1, 0)
    assert linalg.inv(Tensor([[2, 1], [1, 1]])).dtype is float64
    low = np.outer([1.0, 2, 3], [1.0, 2])
    for driver, given in (("gelsd", "111"), ("gelss", "111"), ("gelsy", "010"), ("gels", "100"), (None, "010")):
        found = linalg.lstsq(Tensor(low), Tensor(np.ones((3, 1))), driver=driver)
        assert [part.size > 0 for part in found[1:]] == [each == "1" for each in given]
    assert linalg.lstsq(Tensor(low), Tensor(np.ones((3, 1))))[2].item() == 1
    complexes = TALL + 1j * TALL[::-1]
    close(fft.dct(Tensor(complexes)), scipy.fft.dct(complexes, norm="ortho"))
    assert fft.dct(Tensor([1, 2, 3])).dtype is ms.float32


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 0), (0, 2, 2)])
def test_matrices_without_elements(shape):
    *batch, m, n = shape
    x = Tensor(np.zeros(shape))
    k = min(m, n)
    assert [part.shape for part in linalg.lu(x)] == [(*batch, m, m), (*batch, m, k), (*batch, k, n)]
    solution, residuals, rank, values = linalg.lstsq(x, Tensor(np.ones((*batch, m, 2))), driver="gelss")
    close(solution, np.zeros((*batch, n, 2)))
    close(residuals, np.full((*batch, 2), float(m)) if m > n else np.zeros(0))
    close([rank, values], [np.zeros(batch), np.zeros((*batch, k))])
    if m == n:
        data, pivots = linalg.lu_factor(x)
        assert (data.shape, pivots.shape) == (shape, (*batch, m))
        assert linalg.lu_solve((data, pivots), Tensor(np.ones((*batch, m)))).shape == (*batch, m)


def test_one_axis_may_be_a_number():
    close(fft.dctn(Tensor(TALL), s=4), scipy.fft.dctn(TALL, s=4, norm="ortho"))
    close(fft.idctn(Tensor(TALL), axes=0), scipy.fft.idctn(TALL, axes=0, norm="ortho"))


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: linalg.inv(Tensor(VECTOR)), OpValueError, "square matrices"),
        (lambda: linalg.inv(A), OpTypeError, "needs a tensor"),
        (lambda: linalg.inv(Tensor(np.zeros((2, 2)))), OpValueError, "Singular"),
        (lambda: linalg.cholesky(Tensor(-np.eye(2))), OpValueError, "positive definite"),
        (lambda: linalg.solve_triangular(Tensor(A), Tensor([1.0])), OpTypeError, "one element type"),
        (lambda: linalg.solve_triangular(Tensor(A), Tensor(VECTOR[:3])), OpValueError, "do not fit"),
        (lambda: linalg.solve_triangular(Tensor(A), Tensor(VECTOR), "X"), OpValueError, "`trans`"),
        (lambda: linalg.eigh(Tensor(A), eigvals=(2, 4)), OpValueError, "out of range"),
        (lambda: linalg.eigh(Tensor(A), type=4), OpValueError, "`type`"),
        (lambda: linalg.lstsq(Tensor(A), Tensor(SIDES), driver="x"), OpValueError, "`driver`"),
        (lambda: ms.grad(lambda x: linalg.lu(x)[1].sum())(Tensor(TALL)), OpValueError, "has no gradient"),
        (lambda: fft.dct(Tensor(TALL), 1), OpValueError, "type 2"),
        (lambda: fft.dct(Tensor(TALL), norm="backward"), OpValueError, "ortho"),
        (lambda: fft.dct(Tensor(TALL), axis=2), OpValueError, "out of range"),
        (lambda: fft.dct(Tensor(TALL), n=0), OpValueError, "positive"),
        (lambda: fft.dct(Tensor(TALL), n=2.0), OpTypeError, "integer"),
        (lambda: fft.dctn(Tensor(TALL), axes=(0, -2)), OpValueError, "each axis once"),
        (lambda: fft.dctn(Tensor(TALL), s=(2,), axes=(0, 1)), OpValueError, "a length for each"),
        (lambda: optimize.minimize(himmelblau, Tensor([0.0, 0.0])), OpValueError, "needs a method"),
        (lambda: optimize.minimize(himmelblau, Tensor([0.0, 0.0]), method="CG"), OpValueError, "has the methods"),
        (
            lambda: optimize.minimize(himmelblau, Tensor([0.0]), (), "BFGS", bounds=[]),
            OpValueError,
            "takes no `bounds`",
        ),
        (lambda: optimize.minimize(himmelblau, Tensor([0]), (), "BFGS"), OpTypeError, "float tensor"),
        (lambda: optimize.minimize(himmelblau, Tensor([0.0]), 3, "BFGS"), OpTypeError, "tuple"),
        (lambda: optimize.minimize(himmelblau, Tensor([0.0]), (), "BFGS", options={"tol": 1}), OpValueError, "options"),
        (
            lambda: optimize.minimize(lambda x: x, Tensor([0.0, 1.0]), (), "BFGS", lambda x: x),
            OpValueError,
            "one number",
        ),
        (lambda: optimize.line_search(himmelblau, Tensor([0.0]), Tensor([1.0]), c1=1.0), OpValueError, "c1 < c2"),
        (lambda: optimize.linear_sum_assignment(Tensor(VECTOR), False), OpValueError, "matrix"),
        (lambda: optimize.linear_sum_assignment(Tensor(A), 1), OpTypeError, "bool"),
        (lambda: optimize.linear_sum_assignment(Tensor(A * np.nan), True), OpValueError, "NaN"),
        (lambda: optimize.linear_sum_assignment(Tensor(A + np.inf), False), OpValueError, "finite sum"),
        (lambda: optimize.linear_sum_assignment(Tensor(A), False, Tensor(5)), OpValueError, "limit"),
        (lambda: optimize.linear_sum_assignment(Tensor(A), False, "5"), OpTypeError, "one integer"),
        (lambda: linalg.solve_triangular(Tensor(A), Tensor(VECTOR), [1]), OpValueError, "`trans`"),
        (lambda: linalg.cho_solve(Tensor(A), Tensor(VECTOR)), OpTypeError, "the two results of `cho_factor`"),
        (lambda: linalg.lu_solve((Tensor(A),), Tensor(VECTOR)), OpTypeError, "the two results of `lu_factor`"),
        (lambda: linalg.eigh(Tensor(A), eigvals=1), OpTypeError, "two integers"),
        (lambda: linalg.eigh(Tensor(A), Tensor(A[:2, :2])), OpValueError, "shape of `a`"),
        (lambda: linalg.eigh(Tensor(A), Tensor(A, ms.float32)), OpValueError, "type and shape"),
        (lambda: fft.dctn(Tensor(TALL), s=2.5), OpTypeError, "integers for `s`"),
        (lambda: fft.dctn(Tensor(TALL), axes="01"), OpTypeError, "integers for `axes`"),
        (lambda: fft.dctn(Tensor(TALL), s=(2, 2, 2)), OpValueError, "3 lengths"),
        *[
            (lambda o=o: optimize.minimize(himmelblau, Tensor([0.0]), (), "LBFGS", options=o), OpValueError, words)
            for o, words in [
                ({"gtol": "x"}, "a number for the option 'gtol'"),
                ({"norm": "x"}, "a number for the option 'norm'"),
                ({"history_size": -1}, "an integer from 0"),
                ({"maxiter": 1.5}, "an integer from 0"),
            ]
        ],
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


def himmelblau(p):
    x, y = p
    return (x**2 + y - 11.0) ** 2 + (x + y**2 - 7.0) ** 2


def rosenbrock(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", ["BFGS", "LBFGS"])
def test_minima_are_found(method):
    found = optimize.minimize(himmelblau, Tensor([0.0, 0.0]), method=method, options={"gtol": 1e-6})
    close(found.x, np.array([3.0, 2.0]), 1e-5)
    assert found.success and found.status == 0
    assert (found.hess_inv is None) == (method == "LBFGS")

    begin = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
    found = optimize.minimize(rosenbrock, Tensor(begin), method=method)
    plainly = scipy.optimize.minimize(
        lambda x: float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)), begin, method="BFGS"
    )
    assert found.success and plainly.success
    close(found.x, plainly.x, 1e-4)
    assert found.nit < 2 * plainly.nit

    def gradient(x, k):
        return 2 * (x - k)

    found = optimize.minimize(lambda x, k: ((x - k) ** 2).sum(), Tensor([0.0, 9.0]), (3.0,), method, gradient, tol=1e-6)
    assert found.x.tolist() == [3.0, 3.0]
    stopped = optimize.minimize(rosenbrock, Tensor(begin), method=method, options={"maxiter": 2})
    assert (stopped.success, stopped.status, stopped.nit) == (False, 1, 2)


def test_compiled_functions_are_minimized():
    found = optimize.minimize(ms.jit(rosenbrock), Tensor(np.array([0.5, 2.0])), method="BFGS")
    close(found.x, np.ones(2), 1e-4)


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 10.0, 1e3])
def test_steps_of_line_searches_meet_the_conditions(scale):
    for function in (
        himmelblau,
        lambda p: ops.cos(p[0]) + 0.1 * (p * p).sum(),
        lambda p: ops.exp(p).sum() - p.sum() * 2,
    ):
        x = Tensor(np.array([0.3, -0.4]))
        value, gradient = ms.value_and_grad(function)(x)
        found = optimize.line_search(function, x, -scale * gradient)
        after, there = ms.value_and_grad(function)(x - found.a_k * scale * gradient)
        slope, slope_there = -scale * float((gradient**2).sum()), -scale * float((gradient * there).sum())
        assert not found.failed and found.status == 0
        assert float(after) <= float(value) + 1e-4 * found.a_k * slope
        assert abs(slope_there) <= -0.9 * slope
        close([found.f_k, found.g_k], [float(after), there])


def test_a_line_search_upwards_fails():
    assert optimize.line_search(lambda x: x[0] ** 2 - x[1] ** 3, Tensor([1.0, 1.0]), Tensor([-1.0, -1.0])).failed


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 7), (7, 4), (20, 20), (0, 3)])
def test_assignments_cost_least(shape, maximize):
    for seed in range(5):
        random = np.random.default_rng(seed)
        for costs in (random.standard_normal(shape), random.integers(0, 4, shape).astype(float)):
            rows, columns = plain(optimize.linear_sum_assignment(Tensor(costs), maximize))
            expected = scipy.optimize.linear_sum_assignment(costs, maximize)
            assert rows.tolist() == expected[0].tolist() and len(set(columns.tolist())) == len(columns)
            assert np.isclose(costs[rows, columns].sum(), costs[expected].sum())


def test_assignments_keep_to_a_limit_and_to_what_is_possible():
    costs = Tensor([[2.0, 3.0, 3.0], [3.0, 2.0, 3.0], [3.0, 3.0, 2.0]])
    assert [each.tolist() for each in optimize.linear_sum_assignment(costs, False, Tensor(2))] == [
        [0, 1, -1],
        [0, 1, -1],
    ]
    costs = np.array([[np.inf, 1.0], [2.0, np.inf]])
    assert [each.tolist() for each in optimize.linear_sum_assignment(Tensor(costs), False)] == [[0, 1], [1, 0]]

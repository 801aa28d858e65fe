"""Minimization of functions, line searches, and assignment, by scipy's names.

The functions are programs on tensors, whose gradients are found by the tape. What is done between their calls are steps in
double precision, whose products are ours: same results for any number of threads, on any CPU.

Source:
    Nocedal & Wright, Numerical Optimization, 2nd edition: algorithms 3.5 and 3.6 (line search), 6.1 (BFGS), 7.4 (L-BFGS).
    Crouse, On implementing 2D rectangular assignment algorithms, IEEE Transactions on Aerospace and Electronic Systems 52
    (2016).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anfora.api import value_and_grad
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.tensor import Tensor
from anfora.ops import matmul

__all__ = ["line_search", "linear_sum_assignment", "minimize"]


class OptimizeResults(NamedTuple):
    """What `minimize` has found.

    Args:
        x: where, a tensor.
        success: whether the gradient there is as small as was asked for.
        status: 0 for success, 1 for as many iterations as are allowed, 5 for a line search that found nothing better.
        fun: the value there.
        jac: the gradient there, a tensor.
        hess_inv: the estimate of the inverse of the second derivatives, a tensor; None of "LBFGS".
        nfev, njev: how often value and gradient were computed.
        nit: how many iterations there were.
    """

    x: Tensor
    success: bool
    status: int
    fun: float
    jac: Tensor
    hess_inv: Tensor | None
    nfev: int
    njev: int
    nit: int


class LineSearchResults(NamedTuple):
    """What `line_search` has found.

    Args:
        failed: whether no step meets the conditions.
        nit, k: how many steps were tried in the first phase, in which they grow; and that number and one.
        nfev, ngev: how often value and gradient were computed.
        a_k: the step; the best one found if it failed.
        f_k: the value there.   g_k: the gradient there.
        status: 0, or 1 if it failed.
    """

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: Tensor
    status: int


class _Objective:
    """A function and its gradient, of vectors of double precision; counts what is computed."""

    def __init__(self, name: str, function: Any, x: Any, jac: Any) -> None:
        if not callable(function):
            raise OpTypeError(f"{name} needs a function, but got {function!r}", arg="func")
        if not isinstance(x, Tensor) or not x.dtype.is_float or x.ndim != 1:
            raise OpTypeError(f"{name} needs a float tensor of one axis to begin with, but got {x!r}", arg="x0")
        if jac is not None and not callable(jac):
            raise OpTypeError(f"{name} needs a function or None for `jac`, but got {jac!r}", arg="jac")
        self.name, self.dtype, self.calls = name, x.dtype, 0
        self._both = value_and_grad(function) if jac is None else lambda at: (function(at), jac(at))

    def tensor(self, x: np.ndarray) -> Tensor:
        return Tensor(x, self.dtype)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        self.calls += 1
        value, gradient = self._both(self.tensor(x))
        value, gradient = np.asarray(value, np.float64), np.asarray(gradient, np.float64)
        if value.size != 1 or gradient.shape != x.shape:
            raise OpValueError(
                f"{self.name} needs one number and a gradient of shape {list(x.shape)}, but the function gives the shapes "
                f"{list(value.shape)} and {list(gradient.shape)}",
                arg="func",
            )
        return float(value.reshape(())), gradient


def _times(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return matmul(Tensor(left), Tensor(right)).asnumpy()


class _Point(NamedTuple):
    """What is known of one step along a line: its length, the value, the slope there, and the gradient."""

    step: float
    value: float
    slope: float
    gradient: np.ndarray


def _between(low: _Point, high: _Point) -> float:
    """Where the parabola, or better the cubic, through two points and their slopes is least; inside of nine tenths."""
    width = high.step - low.step
    d1 = low.slope + high.slope - 3 * (high.value - low.value) / width
    inside = d1 * d1 - low.slope * high.slope
    step = math.nan
    if inside >= 0:
        d2 = math.copysign(math.sqrt(inside), width)
        below = high.slope - low.slope + 2 * d2
        if below:
            step = high.step - width * (high.slope + d2 - d1) / below
    first, last = sorted((low.step, high.step))
    margin = 0.1 * (last - first)
    return step if first + margin <= step <= last - margin else 0.5 * (first + last)


def _search(at: Callable[[float], _Point], start: _Point, c1: float, c2: float, limit: int) -> tuple[_Point, bool, int]:
    """A step that meets the strong conditions of Wolfe: the point, whether it does, and how many steps grew."""
    before, step = start, 1.0
    for tried in range(1, limit + 1):
        point = at(step)
        is_high = not point.value <= start.value + c1 * step * start.slope or (
            tried > 1 and point.value >= before.value
        )
        if is_high:
            return (*_zoom(at, start, before, point, c1, c2, limit), tried)
        if abs(point.slope) <= -c2 * start.slope:
            return point, True, tried
        if point.slope >= 0:
            return (*_zoom(at, start, point, before, c1, c2, limit), tried)
        before, step = point, 2 * step
    return before, False, limit


def _zoom(
    at: Callable[[float], _Point], start: _Point, low: _Point, high: _Point, c1: float, c2: float, limit: int
) -> tuple[_Point, bool]:
    for _ in range(limit):
        usable = math.isfinite(high.value) and math.isfinite(high.slope)
        step = _between(low, high) if usable else 0.5 * (low.step + high.step)
        if step in (low.step, high.step):
            break
        point = at(step)
        if not point.value <= start.value + c1 * step * start.slope or point.value >= low.value:
            high = point
            continue
        if abs(point.slope) <= -c2 * start.slope:
            return point, True
        if point.slope * (high.step - low.step) >= 0:
            high = low
        low = point
    return low, False


def _along(objective: _Objective, x: np.ndarray, direction: np.ndarray) -> Callable[[float], _Point]:
    def at(step: float) -> _Point:
        value, gradient = objective(x + step * direction)
        return _Point(step, value, float(_times(gradient, direction)), gradient)

    return at


def line_search(
    f: Callable[[Tensor], Any],
    xk: Tensor,
    pk: Tensor,
    jac: Callable[[Tensor], Tensor] | None = None,
    gfk: Tensor | None = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """A step along a direction that meets the strong conditions of Wolfe: the value falls by c1 of what the slope promises,
    and the slope to c2 of what it was.

    Args:
        f: a function of a vector that gives a number.
        xk: float tensor (N), where the search begins.
        pk: tensor (N), in which direction; the function falls there.
        jac: gives the gradient; by default it is found from `f`.
        gfk, old_fval: gradient and value at `xk`, if they are known.
        old_old_fval: taken, and not needed.
        c1, c2: 0 < c1 < c2 < 1.
        maxiter: how many steps are tried, in each of the two phases.
    Raises:
        OpTypeError: an argument of another type.   OpValueError: c1, c2 or the results of `f` do not fit.
    Example:
        >>> line_search(lambda x: (x * x).sum(), Tensor([1.0]), Tensor([-1.0])).a_k
        1.0
    """
    objective = _Objective("line_search", f, xk, jac)
    if not 0 < c1 < c2 < 1:
        raise OpValueError(f"line_search needs 0 < c1 < c2 < 1, but got {c1} and {c2}", arg="c1")
    x, direction = np.asarray(xk, np.float64), np.asarray(pk, np.float64)
    if direction.shape != x.shape:
        raise OpValueError(f"line_search: a direction of shape {list(direction.shape)} for {list(x.shape)}", arg="pk")
    if gfk is None or old_fval is None:
        value, gradient = objective(x)
    value = value if old_fval is None else float(old_fval)
    gradient = gradient if gfk is None else np.asarray(gfk, np.float64)
    start = _Point(0.0, value, float(_times(gradient, direction)), gradient)
    point, found, tried = _search(_along(objective, x, direction), start, c1, c2, maxiter)
    calls = objective.calls
    return LineSearchResults(
        not found,
        tried - 1,
        calls,
        calls,
        tried,
        point.step,
        point.value,
        objective.tensor(point.gradient),
        int(not found),
    )


class _Whole:
    """The estimate of the inverse of the second derivatives as a matrix."""

    def __init__(self, size: int) -> None:
        self.matrix, self.learned = np.eye(size), False

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        return -_times(self.matrix, gradient)

    def learn(self, moved: np.ndarray, change: np.ndarray) -> None:
        product = float(_times(moved, change))
        if product > 0:
            if not self.learned:  # the first step tells how large the second derivatives are
                self.matrix *= product / float(_times(change, change))
                self.learned = True
            turned = np.eye(len(moved)) - np.outer(moved, change) / product
            self.matrix = _times(_times(turned, self.matrix), turned.T) + np.outer(moved, moved) / product

    def shown(self) -> np.ndarray | None:
        return self.matrix


class _Recent:
    """The estimate by the last steps alone."""

    def __init__(self, size: int) -> None:
        self.steps: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=size)

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        found, parts = gradient.copy(), []
        for moved, change, product in reversed(self.steps):
            parts.append(float(_times(moved, found)) / product)
            found -= parts[-1] * change
        if self.steps:
            _, change, product = self.steps[-1]
            found *= product / float(_times(change, change))
        for (moved, change, product), part in zip(self.steps, reversed(parts)):
            found += (part - float(_times(change, found)) / product) * moved
        return -found

    def learn(self, moved: np.ndarray, change: np.ndarray) -> None:
        product = float(_times(moved, change))
        if product > 0:
            self.steps.append((moved, change, product))

    def shown(self) -> np.ndarray | None:
        return None


#: The options of each method, with their defaults; `maxiter` None: 200 for each variable.
_OPTIONS: dict[str, dict[str, Any]] = {
    "bfgs": {"maxiter": None, "norm": math.inf, "gtol": 1e-5, "line_search_maxiter": 10},
    "lbfgs": {"history_size": 20, "maxiter": None, "norm": math.inf, "gtol": 1e-5, "line_search_maxiter": 10},
}


def minimize(
    func: Callable[..., Any],
    x0: Tensor,
    args: tuple = (),
    method: str | None = None,
    jac: Callable[..., Tensor] | None = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Sequence[Any] = (),
    tol: float | None = None,
    callback: Any = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:
    """Look for a least value of a function.

    Args:
        func: func(x, *args) gives a number for a vector.
        x0: float tensor (N), where the search begins.
        args: further arguments of `func` and `jac`.
        method: "BFGS" or "LBFGS".
        jac: jac(x, *args) gives the gradient; by default it is found from `func`.
        tol: how small the gradient is to be; short for the option `gtol`.
        options: `maxiter`, how many iterations there may be (by default 200 for each variable); `gtol`, how small the
            gradient is to be (1e-5), by the norm `norm` (the largest element); `line_search_maxiter` (10), see
            `line_search`; of "LBFGS" `history_size` (20), how many steps are kept.
        hess, hessp, bounds, constraints, callback: for scipy's other methods; none of these two takes them.
    Raises:
        OpTypeError: an argument of another type.
        OpValueError: another method or option, or one of the arguments that are not taken.
    Example:
        >>> found = minimize(lambda x: ((x - 3.0) ** 2).sum(), Tensor([0.0, 1.0]), method="BFGS")
        >>> found.x.tolist(), found.success
        ([3.0, 3.0], True)
    """
    if method is None:
        raise OpValueError("minimize needs a method: 'BFGS' or 'LBFGS'", arg="method")
    known = _OPTIONS.get(str(method).lower())
    if known is None:
        raise OpValueError(f"minimize has the methods 'BFGS' and 'LBFGS', but got {method!r}", arg="method")
    if not isinstance(args, tuple):
        raise OpTypeError(f"minimize needs a tuple for `args`, but got {args!r}", arg="args")
    unused = {"hess": hess, "hessp": hessp, "bounds": bounds, "constraints": constraints or None, "callback": callback}
    for name, value in unused.items():
        if value is not None:
            raise OpValueError(f"minimize by {method} takes no `{name}`", arg=name)
    given = dict(options or {})
    for name in given:
        if name not in known:
            raise OpValueError(
                f"minimize by {method} has the options {', '.join(known)}, but got {name!r}", arg="options"
            )
    chosen = known | ({} if tol is None else {"gtol": tol}) | given
    for name, value in chosen.items():
        counts = name not in ("norm", "gtol")
        fits = isinstance(value, int) and value >= 0 if counts else isinstance(value, (int, float))
        if not fits and (name, value) != ("maxiter", None):
            need = "an integer from 0 on" if counts else "a number"
            raise OpValueError(f"minimize needs {need} for the option {name!r}, but got {value!r}", arg="options")
    objective = _Objective("minimize", lambda x: func(x, *args), x0, None if jac is None else lambda x: jac(x, *args))
    x = np.asarray(x0, np.float64)
    limit = 200 * len(x) if chosen["maxiter"] is None else int(chosen["maxiter"])
    estimate: _Whole | _Recent = _Recent(int(chosen["history_size"])) if "history_size" in known else _Whole(len(x))
    value, gradient = objective(x)
    status, iterations = 1, 0
    while True:
        if np.linalg.norm(gradient, chosen["norm"]) < chosen["gtol"]:
            status = 0
            break
        if iterations >= limit:
            break
        direction = estimate.direction(gradient)
        start = _Point(0.0, value, float(_times(gradient, direction)), gradient)
        point, found, _ = _search(_along(objective, x, direction), start, 1e-4, 0.9, int(chosen["line_search_maxiter"]))
        if not found and not point.value < value:
            status = 5
            break
        iterations += 1
        moved = point.step * direction
        estimate.learn(moved, point.gradient - gradient)
        x, value, gradient = x + moved, point.value, point.gradient
    inverse = estimate.shown()
    return OptimizeResults(
        objective.tensor(x),
        status == 0,
        status,
        value,
        objective.tensor(gradient),
        None if inverse is None else objective.tensor(inverse),
        objective.calls,
        objective.calls,
        iterations,
    )


def linear_sum_assignment(
    cost_matrix: Tensor, maximize: bool = False, dimension_limit: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Which row takes which column, each at most one, so that the sum of what they cost is least.

    Args:
        cost_matrix: tensor (M, N) of numbers.
        maximize: look for the largest sum instead.
        dimension_limit: how many of the columns there are, an integer or a tensor of one; by default all.
    Returns:
        int64 tensors (min(M, N)): the rows in ascending order, and the column of each; -1 behind them where a limit leaves
        fewer.
    Raises:
        OpTypeError: an argument of another type.
        OpValueError: no matrix, a limit that is out of range, NaN, or no assignment that costs a finite sum.
    Example:
        >>> rows, columns = linear_sum_assignment(Tensor([[4., 1., 3.], [2., 0., 5.], [3., 2., 2.]]))
        >>> rows.tolist(), columns.tolist()
        ([0, 1, 2], [1, 0, 2])
    """
    name = "linear_sum_assignment"
    if not isinstance(cost_matrix, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `cost_matrix`, but got {cost_matrix!r}", arg="cost_matrix")
    if not isinstance(maximize, bool):
        raise OpTypeError(f"{name} needs a bool for `maximize`, but got {maximize!r}", arg="maximize")
    if cost_matrix.ndim != 2 or cost_matrix.dtype.is_complex:
        raise OpValueError(f"{name} needs a matrix of real numbers, but got {cost_matrix!r}", arg="cost_matrix")
    costs = np.asarray(cost_matrix, np.float64)
    size = min(costs.shape)
    limits = dimension_limit if isinstance(dimension_limit, Tensor) else None
    is_one = limits is not None and limits.size == 1 and limits.dtype.is_integer
    if not (is_one or dimension_limit is None or isinstance(dimension_limit, int)):
        raise OpTypeError(
            f"{name} needs one integer for `dimension_limit`, but got {dimension_limit!r}", arg="dimension_limit"
        )
    limit = costs.shape[1] if dimension_limit is None else int(dimension_limit)
    if not 0 <= limit <= costs.shape[1]:
        raise OpValueError(f"{name}: a limit of {limit} for {costs.shape[1]} columns", arg="dimension_limit")
    costs = -costs[:, :limit] if maximize else costs[:, :limit]
    if np.isnan(costs).any() or (costs == -math.inf).any():
        raise OpValueError(f"{name} needs costs that are numbers, but got NaN or an infinite gain", arg="cost_matrix")
    found = np.full((2, size), -1)
    if costs.shape[0] <= costs.shape[1]:
        pairs = sorted(enumerate(_assigned(costs)))
    else:
        pairs = sorted((row, column) for column, row in enumerate(_assigned(costs.T)))
    for place, pair in enumerate(pairs):
        found[:, place] = pair
    return Tensor(found[0]), Tensor(found[1])


def _assigned(costs: np.ndarray) -> list[int]:
    """The column of each row, of a matrix that has no fewer columns than rows, by shortest augmenting paths."""
    rows, columns = costs.shape
    of_row, of_column = np.zeros(rows), np.zeros(columns)  # the prices, by which no cost is negative
    row_at, column_at = np.full(columns, -1), np.full(rows, -1)
    for begin in range(rows):
        shortest, came_from = np.full(columns, math.inf), np.full(columns, -1)
        seen_rows, seen = [], np.zeros(columns, bool)
        row, length = begin, 0.0
        while True:
            seen_rows.append(row)
            reach = length + costs[row] - of_row[row] - of_column
            nearer = ~seen & (reach < shortest)
            shortest[nearer], came_from[nearer] = reach[nearer], row
            open_ = np.where(seen, math.inf, shortest)
            length = float(open_.min(initial=math.inf))
            if length == math.inf:
                raise OpValueError("linear_sum_assignment: no assignment costs a finite sum", arg="cost_matrix")
            least = np.flatnonzero(open_ == length)
            free = least[row_at[least] < 0]  # among equals a column that nobody has
            end = int(free[0] if len(free) else least[0])
            seen[end] = True
            if row_at[end] < 0:
                break
            row = int(row_at[end])
        of_row[begin] += length
        for other in seen_rows[1:]:
            of_row[other] += length - shortest[column_at[other]]
        of_column[seen] -= length - shortest[seen]
        while end >= 0:
            row = int(came_from[end])
            row_at[end] = row
            column_at[row], end = end, int(column_at[row])
            if row == begin:
                break
    return [int(column) for column in column_at]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)

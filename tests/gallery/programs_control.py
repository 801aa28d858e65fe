"""Branches, loops and jumps."""

# The programs are written as people write them, loops that could be comprehensions included.
# ruff: noqa: B007, B012, B020, SIM223

from __future__ import annotations

from harness import call, factory, i, program, s, t

from anfora import Tensor, ops


@program(lambda: [call(t(1, 2)), call(t(-1, -2)), call(t(0, 0))], grad=True, order=2)
def branch_on_data(x):
    if x.sum() > 0:
        return x * x * x
    return -x * x


@program(lambda: [call(t(1, 2)), call(t(-1, -2))], grad=True)
def branch_sets_one_name(x):
    y = x
    if x.sum() > 0:
        y = y * 2
    return y + x


@program(lambda: [call(t(1, 2)), call(t(-1, -2))])
def branches_of_different_dtype(x):
    if x.sum() > 0:
        y = x.astype("float16")
    else:
        y = x
    return y * 2


@program(lambda: [call(t(1, 2)), call(t(-1, -2))])
def branches_of_different_shape(x):
    if x.sum() > 0:
        y = ops.cat((x, x))
    else:
        y = x[:1]
    return y.sum(), y.shape


@program(lambda: [call(t(1, 2)), call(t(-1, -2))])
def branches_of_different_type(x):
    if x.sum() > 0:
        y = [x, x]
    else:
        y = "negative"
    return y, len(y)


@program(lambda: [call(t(1, 2)), call(t(-1, -2))])
def branch_gives_none(x):
    if x.sum() > 0:
        return x


@program(lambda: [call(t(1, 2)), call(t(-1, -2))], raises=True)
def name_set_in_one_branch(x):
    if x.sum() > 0:
        y = x
    return y


@program(lambda: [call(s(3)), call(s(0)), call(s(-2))])
def three_way_branch(x):
    if x > 0:
        sign = 1
    elif x < 0:
        sign = -1
    else:
        sign = 0
    return sign * x, sign


@program(lambda: [call(s(3.0)), call(s(7.0)), call(s(-1.0))])
def nested_branches(x):
    if x > 0:
        if x > 5:
            return x - 5, "large"
        else:
            x = x * 2
            if x < 5:
                return x, "small"
    return x, "other"


@program(
    lambda: [call(t(1, 2), True), call(t(1, 2), False), call(t(1, 2), None), call(t(1, 2), []), call(t(1, 2), "a")]
)
def branch_on_a_python_value(x, flag):
    return x + 1 if flag else x - 1


@program(lambda: [call(t(1, 2), None), call(t(1, 2), t(3, 4)), call(t(1, 2))], grad=True)
def optional_mask(x, mask=None):
    if mask is not None:
        x = x * mask
    return x


@program(lambda: [call(t(1, 2)), call(t(-1, 2))], grad=True)
def conditional_expression_on_data(x):
    return x * 3 if x[0] > 0 else x / 3


@program(lambda: [call(t(1, 2)), call(t(-1, 2)), call(t(-1, -2))])
def and_or_on_data(x):
    a = x[0] > 0 and x[1] > 0
    b = x[0] > 0 or x[1] > 0
    return a, b, not a


@program(lambda: [call(t(0, 2), t(3, 1)), call(t(1, 1), t(1, 1))])
def and_or_give_operands(x, y):
    first = x.sum() and y.sum()
    second = x[0] or y[0]
    return first, second, [] or x, None and y


@program(lambda: [call(s(1)), call(s(4)), call(s(9))])
def chained_comparison(x):
    if 0 < x < 5:
        return x, 0 < x.item() < 3
    return -x, False


@program(lambda: [call(t(1, 2)), call(t(5, 2)), call([1]), call(None)], raises=True)
def short_circuit_protects(x):
    if x is not None and x[0] > 2:
        return "big"
    return x[1] > 1


@program(lambda: [call(s(100.0)), call(s(7.0)), call(s(0.5))], grad=True)
def while_on_data(x):
    while x > 1:
        x = x / 2
    return x


@program(lambda: [call(s(100.0)), call(s(7.0)), call(s(0.5))])
def while_counts_steps(x):
    steps = 0
    while x > 1:
        x = x / 2
        steps += 1
    return x, steps


@program(lambda: [call(s(5.0)), call(s(1.0))])
def int_becomes_float_in_while(x):
    n = 0
    while x > 0:
        n = n + 0.5
        x = x - 1
    return n


@program(lambda: [call(s(3.0), t(1, 2)), call(s(1.0), t(1, 2)), call(s(0.0), t(1, 2))])
def shape_grows_in_while(n, x):
    while n > 0:
        x = ops.cat((x, x))
        n = n - 1
    return x


@program(lambda: [call(t(1, 2, 3, 4, 5)), call(t(1, 2)), call(t(7))])
def shape_shrinks_in_while(x):
    total = 0.0
    while x.shape[0] > 1:
        total = total + x[0]
        x = x[1:]
    return total, x


@program(lambda: [call(i(1, 1), 10), call(i(2, 1), 30)])
def dtype_changes_in_while(x, limit):
    while x.sum() < limit:
        x = x * 1.5
    return x


@program(lambda: [call(s(27)), call(s(6)), call(s(1))])
def collatz(n):
    n = n.astype("int32")
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@program(lambda: [call(s(10.0)), call(s(3.0))])
def while_true_with_break(x):
    count = 0
    while True:
        x = x - 1.5
        count += 1
        if x < 0:
            break
    return x, count


@program(lambda: [call(s(10.0)), call(s(2.0))])
def while_with_continue(x):
    kept = []
    while x > 0:
        x = x - 1
        if int(x) % 2:
            continue
        kept.append(x)
    return kept


@program(lambda: [call(s(10.0), 3), call(s(2.0), 3)])
def while_else(x, limit):
    count = 0
    while x > 0:
        x = x - 1
        count += 1
        if count > limit:
            break
    else:
        count = -count
    return x, count


@program(lambda: [call([1, 2, 3], 2), call([1, 2, 3], 5), call([], 0)])
def for_else(values, wanted):
    for v in values:
        if v == wanted:
            found = True
            break
    else:
        found = False
    return found


@program(lambda: [call(t(1, 2, 3), 2), call(t(1, 2, 3), 5)])
def for_else_on_data(x, wanted):
    for place, value in enumerate(x):
        if value == wanted:
            break
    else:
        place = -1
    return place


@program(lambda: [call(t([[1, -2], [3, 4]])), call(t([[1, 2], [3, 4]])), call(t([[-1, 2]]))])
def early_return_in_nested_loops(x):
    for r in range(x.shape[0]):
        for c in range(x.shape[1]):
            if x[r, c] < 0:
                return r, c, x[r, c]
    return None


@program(lambda: [call(t([[1, -2], [3, 4]]), 5), call(t([[1, 2], [3, 4]]), 100)])
def break_of_two_loops_by_flag(x, limit):
    total, done = 0.0, False
    for row in x:
        for value in row:
            total = total + value
            if total > limit:
                done = True
                break
        if done:
            break
    return total, done


@program(lambda: [call(t(1, 2, 3), 3), call(t(4, 5), 0), call(t(1), 6)], grad=True)
def for_over_range_argument(x, n):
    y = x
    for k in range(n):
        y = y * 0.5 + k
    return y


@program(lambda: [call(t(1, 2), s(3).astype("int32")), call(t(1, 2), s(0).astype("int32"))])
def for_over_range_of_a_tensor(x, n):
    for _ in range(n):
        x = x + 1
    return x


@program(lambda: [call(t(0.5, 0.25)), call(t(1, 2, 3))])
def long_loop(x):
    total = x
    for _ in range(2000):
        total = total * 0.999 + 0.001
    return total


@program(lambda: [call(t(3, 2)), call(t(3, 4))])
def loop_variable_after_the_loop(x):
    for n in range(4):
        if x[1] < n:
            break
    return n, x


@program(lambda: [call(t(1, 2), []), call(t(1, 2), [3])], raises=True)
def loop_variable_of_an_empty_loop(x, values):
    for v in values:
        x = x + v
    return x, v


@program(lambda: [call([1, 2, 3]), call([5])])
def list_changes_while_looped_over(values):
    for v in values:
        if v < 10:
            values.append(v + 7)
    return values


@program(lambda: [call({"a": 1, "b": 2}), call({})], raises=True)
def dict_changes_while_looped_over(table):
    for key in table:
        table[key + key] = 0
    return table


@program(lambda: [call(t(1, 2, 3)), call(t([[1, 2], [3, 4]]))], grad=True)
def for_over_a_tensor(x):
    total = 0
    for row in x:
        total = total * 2 + row
    return total


@program(lambda: [call(t(1, 2), 3), call(t(1, 2), 0)])
def range_with_negative_step(x, n):
    return [x * k for k in range(n, -n, -2)]


@program(lambda: [call(t(1, 2, 3), 1), call(t(1, 2, 3), 3), call(t(1, 2), -1), call(t(1), "x"), call(t(2), [1, 2])])
def match_values(x, command):
    match command:
        case 1 | 2:
            return x + command
        case int() if command > 2:
            return x * command
        case int(n):
            return n
        case [first, *rest]:
            return first, rest
        case str():
            return command.upper()


@program(lambda: [call({"op": "scale", "by": 2}, t(1, 2)), call({"op": "shift"}, t(1, 2)), call({}, t(1))])
def match_mappings(command, x):
    match command:
        case {"op": "scale", "by": factor}:
            return x * factor
        case {"op": "shift", **rest}:
            return x + len(rest)
        case _:
            return x


@program(lambda: [call((1, (2, 3))), call((1, 2)), call([1, [4, 5]])])
def match_nested_sequences(value):
    match value:
        case (a, (b, c)):
            return a + b + c
        case (a, b):
            return a * b


@program(lambda: [call(s(9.0)), call(s(1.0))])
def walrus_in_while(x):
    n = 0
    while (y := x * 0.5) > 1:
        x = y
        n += 1
    return x, y, n


@program(lambda: [call([t(1, 2), t(-3, 4), t(5, 6)])])
def walrus_in_comprehension(values):
    return [total for v in values if (total := v.sum()) > 0], total


@program(lambda: [call(t(1, 2)), call(t(-1, -2))], grad=True)
def walrus_in_condition(x):
    if (total := x.sum()) > 0:
        return x * total
    return x - total


@program(lambda: [call(5), call(-5), call(0)])
def pass_and_ellipsis(n):
    if n > 0:
        pass
    elif n < 0:
        ...
    else:
        n = "zero"
    return n


@program(lambda: [call(s(3.0)), call(s(12.0))])
def code_after_return(x):
    if x > 10:
        return x
        x = x / 0
    return -x


@program(lambda: [call(s(4.0)), call(s(2.0)), call(s(1e6))], grad=True)
def newton_square_root(a):
    x = a
    while (x * x - a).abs() > 1e-3 * a:
        x = (x + a / x) / 2
    return x


@program(lambda: [call(s(0.0), s(2.0)), call(s(1.0), s(2.0))])
def bisection(low, high):
    for _ in range(60):
        middle = (low + high) / 2
        if middle * middle * middle - middle - 1 > 0:
            high = middle
        else:
            low = middle
        if high - low < 1e-4:
            break
    return low, high


@program(lambda: [call(t([[2, 1], [1, 3]])), call(t([[5, 0], [0, 1]]))])
def power_iteration(a):
    v = Tensor([1.0, 1.0])
    value, previous, steps = s(0.0), s(-1.0), 0
    while (value - previous).abs() > 1e-4 and steps < 50:
        previous = value
        w = a @ v
        value = (w * v).sum()
        v = w / ops.sqrt((w * w).sum())
        steps += 1
    return value, v, steps


@program(lambda: [call(s(10).astype("int32")), call(s(1).astype("int32")), call(s(0).astype("int32"))])
def fibonacci_recursion_on_a_tensor(n):
    def fibonacci(n):
        if n < 1:
            return 0
        elif n == 1:
            return 1
        else:
            return fibonacci(n - 1) + fibonacci(n - 2)

    return fibonacci(n)


@program(lambda: [call(s(5.0)), call(s(2.0))], grad=True)
def factorial_recursion(x):
    def factorial(n):
        return n * factorial(n - 1) if n > 1 else n

    return factorial(x)


@program(lambda: [call(s(7)), call(s(4))])
def mutual_recursion(n):
    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)

    return even(n), odd(n)


@program(lambda: [call(2, 3), call(1, 5), call(0, 7)])
def ackermann(m, n):
    def a(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return a(m - 1, 1)
        return a(m - 1, a(m, n - 1))

    return a(m, n)


@program(lambda: [call(((1, 2), (3, (4, 5))), t(1, 2)), call(7, t(1, 2))], grad=True)
def recursion_over_a_tree(tree, x):
    def walk(node):
        if isinstance(node, tuple):
            left, right = node
            return walk(left) * 0.5 + walk(right)
        return x * node

    return walk(tree)


@program(lambda: [call(3), call(4)])
def towers_of_hanoi(n):
    moves = []

    def move(n, a, b, c):
        if n:
            move(n - 1, a, c, b)
            moves.append((a, c))
            move(n - 1, b, a, c)

    move(n, "a", "b", "c")
    return moves


@program(lambda: [call(t(3, 1, 2)), call(t(5, 4, 3, 2)), call(t(1))])
def bubble_sort_in_place(x):
    n = x.shape[0]
    for a in range(n):
        for b in range(n - 1 - a):
            if x[b] > x[b + 1]:
                x[b], x[b + 1] = x[b + 1].copy(), x[b].copy()
    return x


@program(lambda: [call(t(3, 1, 2)), call(t(5, 4, 3, 2, 9, -1)), call(t(1))])
def quicksort_by_masks(x):
    def sort(x):
        if x.shape[0] <= 1:
            return x
        pivot, rest = x[0], x[1:]
        return ops.cat((sort(rest[rest < pivot]), pivot.reshape(1), sort(rest[rest >= pivot])))

    return sort(x)


@program(lambda: [call([1, 3, 5, 7], 5), call([1, 3], 4), call([], 1)])
def binary_search(values, wanted):
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@program(lambda: [call(48, 36), call(17, 5), call(10**20, 15)])
def euclid(a, b):
    while b:
        a, b = b, a % b
    return a


@program(lambda: [call(30), call(2)])
def sieve(n):
    prime = [True] * (n + 1)
    for p in range(2, n + 1):
        if prime[p]:
            for multiple in range(p * p, n + 1, p):
                prime[multiple] = False
    return [p for p in range(2, n + 1) if prime[p]]


@program(lambda: [call(t(1, 2), 4), call(t(1, 2), 7)], grad=True)
def exponentiation_by_squaring(x, n):
    result = ops.ones_like(x)
    while n:
        if n & 1:
            result = result * x
        x = x * x
        n >>= 1
    return result


@program(lambda: [call([0.9, 0.8, 0.85, 0.86, 0.87], 2), call([3.0, 2.0, 1.0], 1)])
def early_stopping(losses, patience):
    best, bad = float("inf"), 0
    for epoch, loss in enumerate(losses):
        if loss < best:
            best, bad = loss, 0
            continue
        bad += 1
        if bad >= patience:
            return epoch, best
    return None, best


@program(lambda: [call(t(1.0)), call(t(5.0)), call(t(-3.0))], grad=True)
def piecewise_function(x):
    return ops.where(x > 2, x * x, ops.where(x < 0, -x, x / 2))


@program(lambda: [call(t(1, 2), 0), call(t(1, 2), 2), call(t(-1, -2), 1)])
def loop_leaves_by_return_in_with_else(x, limit):
    n = 0
    while n < 3:
        for k in range(3):
            if k == limit and x.sum() > 0:
                return n, k
            if k > 1:
                break
        else:
            return "never"
        n += 1
    return "done", n


@program(lambda: [call(t(2, 3)), call(t(-2, 3))])
def data_decides_which_function(x):
    f = ops.exp if x[0] > 0 else ops.abs
    return f(x)


@program(lambda: [call(t(1, 2, 3, 4)), call(t(-1, 5, 1, 2))])
def argmax_decides_the_branch(x):
    best = int(x.argmax())
    return ("first", "second", "third", "fourth")[best], x[best]


@program(lambda: [call(t(1, -2, 3)), call(t(4, 5))])
def loop_over_zip_of_tensors(x):
    total = 0
    for a, b in zip(x, x * 2):
        if a > 0:
            total = total + a * b
    return total


@factory(lambda: [call(t(1, 2)), call(t(-3, 1))])
def number_of_calls_decides(jit):
    calls = []

    def run(x):
        calls.append(None)
        return x * len(calls) if len(calls) % 2 else -x

    return run


@program(lambda: [call(1), call(2), call(3)])
def finally_overrides_return(n):
    for k in range(5):
        try:
            if k == n:
                return "inside"
        finally:
            if k == 2:
                break
    return "after", k


@program(lambda: [call(t(1, 2)), call(t(0, 0))])
def truth_of_containers(x):
    empty = [v for v in x if v > 1]
    return bool(empty), bool({}), bool(((),)), bool("False"), bool(x[0])


@program(lambda: [call(t(1, 2))], raises=True)
def truth_of_a_vector(x):
    if x > 1:
        return x
    return -x


@program(lambda: [call(t(1, 2)), call(t(3, 4))], grad=True)
def same_name_in_loop_and_after(x):
    for x in [x, x * 2, x * 3]:
        y = x
    return x + y

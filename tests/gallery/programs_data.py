"""Containers, comprehensions, strings and numbers of Python."""

# The programs are written as people write them.
# ruff: noqa: B007, B023, C416, C417, UP031

from __future__ import annotations

import collections
import fractions
import itertools
import math

from harness import call, i, program, s, t

import anfora as ms
from anfora import Tensor, ops

# ------------------------------------------------------------------------------------------------------ lists and tuples


@program()
def list_of_results(x):
    out = []
    for k in range(3):
        out.append(x * k)
    return out


@program(grad=True)
def sum_of_list(x, y):
    parts = [x, y, x * y]
    return sum(parts)


@program(lambda: [call([t(1, 2), t(3, 4)]), call([t(1, 2, 3)])])
def list_argument_is_changed(values):
    values.append(values[0] * 2)
    values[0] = values[-1] + 1
    return len(values)


@program()
def alias_of_a_list(x):
    a = [1, 2]
    b = a
    b.append(x)
    b[0] = 7
    return a, b, a is b


@program(lambda: [call([1, 2, 3]), call([5])])
def slice_copies_a_list(values):
    copy = values[:]
    copy[0] = 100
    return values, copy, values is copy


@program()
def rows_made_by_multiplication_are_one(x):
    rows = [[0] * 2] * 3
    rows[0][1] = x
    return rows


@program(lambda: [call([3, 1, 2]), call([2, 2, 1, 9])])
def list_methods(a):
    a.sort()
    a.remove(2)
    a.insert(0, 10)
    a.extend((7, 8))
    last = a.pop()
    a.reverse()
    return a, last, a.index(7), a.count(8)


@program(lambda: [call([0, 1, 2, 3, 4, 5]), call(list("abcdef"))])
def list_slice_assignment(a):
    a[1:3] = ["x", "y", "z"]
    a[::3] = [0] * len(a[::3])
    del a[-1]
    return a


@program(lambda: [call([1, [2, 3]], (4, [5]))])
def augmented_list_assignment(a, b):
    c = a
    a += [6]
    b[1].append(7)
    c[1] += [8]
    return a, b, c is a


@program(lambda: [call((1, [2]))], raises=True)
def tuple_holds_a_list(pair):
    pair[1] += [3]
    return pair


@program()
def tuples_are_compared(x):
    a, b = (1, 2, "c"), (1, 3, "a")
    return a < b, a == (1, 2, "c"), max(a, b), (x.shape, 1) > ((0,), 5)


@program(lambda: [call(t(1, 2, 3)), call(t(1, 2))])
def unpack_a_tensor(x):
    first, *rest = x
    return first, rest, len(rest)


@program(lambda: [call([1, 2, 3, 4]), call("hello"), call(range(3))])
def starred_unpacking(values):
    first, *middle, last = values
    return first, middle, last, [*middle, *values], (*values,)


@program(lambda: [call([1]), call([1, 2])], raises=True)
def unpacking_the_wrong_number(values):
    a, b = values
    return b, a


@program(lambda: [call(1, 2), call(t(1), t(2))])
def swap(a, b):
    a, b = b, a
    return a, b


@program(lambda: [call([0, 1, 2])])
def assignment_evaluates_left_to_right(a):
    k = 0
    k, a[k] = 2, 9
    return a, k


@program()
def chained_assignment(x):
    a = b = [x]
    a.append(1)
    return b, a is b


@program(lambda: [call([t(1, 2), t(3, 4)]), call([t(1), t(2)])], grad=True)
def gradients_in_a_list(values):
    return values[0] * values[1] + values[0]


@program(lambda: [call({"a": t(1, 2), "b": (t(3, 4), t(5, 6))})], grad=True)
def gradients_in_a_nested_dict(tree):
    return tree["a"] * tree["b"][0] + tree["b"][1]


@program(lambda: [call([t(5, 1), t(2, 2), t(1, 0)])])
def sorted_by_a_tensor_key(values):
    return sorted(values, key=lambda v: v.sum()), min(values, key=lambda v: v[1])


@program(lambda: [call(["pear", "fig", "apple"]), call(["b", "a"])])
def sorted_with_key_and_reverse(words):
    return sorted(words, key=len, reverse=True), sorted(words), max(words), min(words, key=len)


@program(lambda: [call([3, 1]), call([])], raises=True)
def max_of_an_empty_list(values):
    return max(values), max([], default=None)


@program(lambda: [call([1, 0, 3]), call([])])
def any_all_sum(values):
    return any(values), all(values), sum(values), sum(values, 0.5), any(v > 2 for v in values)


@program(lambda: [call([1, 2, 3], ["a", "b", "c"]), call([1], ["x"])])
def zip_enumerate_reversed(a, b):
    return list(zip(a, b)), list(enumerate(b, 5)), list(reversed(a)), dict(zip(b, a))


@program()
def map_with_a_free_variable(x):
    k = 3
    return list(map(lambda v: v * k + x, [1, 2])), list(filter(None, [0, 1, 2]))


@program(lambda: [call([1, 2, 3]), call([])])
def iter_and_next(values):
    it = iter(values)
    first = next(it, "none")
    return first, list(it), next(it, "end")


@program(lambda: [call([t(1), t(2), t(3)])])
def iterator_shared_by_two_loops(values):
    it = iter(values)
    for v in it:
        break
    return v, [w * 2 for w in it]


# ----------------------------------------------------------------------------------------------------------- dicts, sets


@program()
def dict_of_results(x):
    out = {"sum": x.sum(), "shape": x.shape}
    out["twice"] = x * 2
    return out


@program(lambda: [call({"k": t(1, 2)}), call({"k": t(3), "z": t(4)})])
def dict_argument_is_changed(table):
    table["new"] = table.pop("k") * 2
    table.setdefault("list", []).append(table["new"])
    return len(table)


@program(lambda: [call({"b": 1, "a": 2})])
def order_of_dict_keys(table):
    table["c"] = 3
    del table["b"]
    table["b"] = 4
    return list(table), list(table.values()), [k + str(v) for k, v in table.items()]


@program(lambda: [call({"a": 1}), call({})], raises=True)
def missing_key(table):
    return table["a"]


@program(lambda: [call({"a": 1}), call({})])
def dict_get_and_in(table):
    return table.get("a"), table.get("b", 7), "a" in table, "b" not in table


@program(lambda: [call({"a": 1, "b": 2}, {"b": 3, "c": 4})])
def dict_merge(a, b):
    c = {**a, **b, "d": 5}
    d = a | b
    a.update(b, e=6)
    return a, c, d, dict.fromkeys("xy", 0)


@program()
def dict_with_tuple_keys(x):
    table = {(r, c): r * c for r in range(2) for c in range(2)}
    table[1, 1] = x
    return table


@program()
def tensors_as_dict_keys(x, y):
    names = {x: "x", y: "y"}
    return names[x], names.get(y), (x + 0) in names


@program(lambda: [call([1, 2, 2, 3]), call(["a", "b", "a"])])
def sets(values):
    found = set(values)
    found.add(2)
    return sorted(found, key=str), 2 in found, found & {1, 2}, {v for v in values if v != 1}, len(frozenset(values))


@program(lambda: [call("the cat and the dog"), call("")])
def counter_and_defaultdict(text):
    count = collections.Counter(text.split())
    groups = collections.defaultdict(list)
    for word in text.split():
        groups[len(word)].append(word)
    return count.most_common(1), groups, dict(groups)


@program()
def deque_with_maxlen(x):
    window = collections.deque(maxlen=2)
    for k in range(4):
        window.append(x * k)
    return list(window), len(window)


@program(lambda: [call({"x": t(1, 2), "y": {"z": [t(3)]}})])
def tree_map_written_by_hand(tree):
    def apply(f, node):
        if isinstance(node, dict):
            return {k: apply(f, v) for k, v in node.items()}
        if isinstance(node, (list, tuple)):
            return type(node)(apply(f, v) for v in node)
        return f(node)

    return apply(lambda v: v * 2, tree)


@program(lambda: [call({"a": 1, "b": 2})])
def dict_views_are_live(table):
    keys, values = table.keys(), table.values()
    table["c"] = 3
    return list(keys), list(values), "c" in keys


# -------------------------------------------------------------------------------------------------------- comprehensions


@program(grad=True)
def comprehension_of_tensors(x):
    return [x * k for k in range(4) if k % 2]


@program(lambda: [call([[1, 2], [3]]), call([[], [5]])])
def comprehension_with_two_loops(rows):
    return [v for row in rows for v in row], [[v * 2 for v in row] for row in rows]


@program(lambda: [call(3), call(1)])
def comprehension_of_depth_three(n):
    return [[[a * b * c for a in range(n)] for b in range(n)] for c in range(n)]


@program()
def comprehension_variable_stays_inside(x):
    k = "outer"
    values = [k for k in range(3)]
    return k, values


@program()
def comprehension_of_lambdas(x):
    fs = [lambda v: v * k for k in range(3)]
    gs = [lambda v, k=k: v * k for k in range(3)]
    return [f(x) for f in fs], [g(x) for g in gs]


@program(lambda: [call({"a": t(1, 2), "b": t(3, 4)})], grad=True)
def dict_comprehension(tree):
    return {k: v * 2 for k, v in tree.items() if k != "c"}


@program()
def generator_expression_is_lazy(x):
    seen = []

    def note(k):
        seen.append(k)
        return k

    g = (note(k) for k in range(5))
    first = next(g)
    return first, list(seen), sum(g), seen


@program()
def generator_expression_sees_rebinding(x):
    k = 1
    g = (v * k for v in (1, 2, 3))
    k = 10
    return list(g)


@program(lambda: [call([3, 1, 2]), call([5, 5])])
def itertools_functions(a):
    return (
        list(itertools.accumulate(a)), list(itertools.chain(a, a[:1])), list(itertools.product(a, "ab")),
        list(itertools.combinations(a, 2)), list(itertools.islice(itertools.count(3), 4)),
        [(k, list(g)) for k, g in itertools.groupby(sorted(a))], list(itertools.zip_longest(a, [0])),
    )  # fmt: skip


@program()
def accumulate_with_tensors(x):
    return list(itertools.accumulate([x, x * 2, x * 3], lambda a, b: a * 0.5 + b))


# --------------------------------------------------------------------------------------------------------------- strings


@program(lambda: [call(t(1, 2), 3), call(t(0.5, 0.25), 12)])
def f_strings(x, n):
    return f"{n:03d} {x.shape} {x.sum().item():.3f} {x} {n!r:>5} {n=}"


@program(lambda: [call(t(1.5), 3), call(t(0.1), -2)])
def percent_and_format(x, n):
    return "%d items, %.2f" % (n, x[0].item()), "{} {:>6} {name}".format(n, "a", name=x.dtype), str(x), repr(n)


@program(lambda: [call(s(3.14159)), call(s(1e10)), call(s(float("nan")))])
def format_of_a_tensor(x):
    return f"{x:.2f} {x}", f"{float(x):e}", str(x.item())


@program(lambda: [call("Hello World"), call("abc")])
def string_methods(text):
    return (
        text.upper(), text.split("o"), text[::-1], text.replace("l", "L"), "-".join(text), text.find("W"),
        text.startswith("He"), text * 2, text.encode(), text[1:4], len(text), "lo" in text,
    )  # fmt: skip


@program(lambda: [call("train"), call("test"), call("other")])
def string_decides(mode):
    table = {"train": 1, "test": 2}
    return table[mode] if mode in table else mode + "?"


@program(lambda: [call("3"), call("3.5"), call("x")], raises=True)
def string_to_number(text):
    return float(text), int(text, 36) if "." not in text else int(float(text))


@program(lambda: [call("layer3.conv1.weight"), call("bias")])
def names_of_parameters(name):
    head, _, tail = name.rpartition(".")
    return head, tail, name.endswith("weight"), [p for p in name.split(".") if p[-1].isdigit()]


# --------------------------------------------------------------------------------------------------------------- numbers


@program()
def float_exactness(x):
    return 0.1 + 0.2, 1e-50 * 1e-50, 1 / 3, 0.1 + 0.2 == 0.3, x * (0.1 + 0.2)


@program(lambda: [call(0.1, 0.2), call(1e308, 10.0), call(2.5, -0.0)])
def float_arguments(a, b):
    return a + b, a * b, a - b, a**2 if a < 1e100 else None, round(a), -b


@program(lambda: [call(2**70), call(-(2**63)), call(5)])
def big_integers(n):
    return n * n, n // 3, n % 7, n >> 3, n & 255, -n, n - 1, n.bit_length(), str(n), n + 1.0


@program(lambda: [call(2**62), call(3)])
def integers_grow_past_64_bits(n):
    for _ in range(3):
        n = n * n
    return n, n % (10**9 + 7)


@program(lambda: [call(7, 2), call(-7, 2), call(7, -2), call(0, 5)])
def floor_division_and_remainder(a, b):
    return a // b, a % b, divmod(a, b), int(a / b), (a + 0.5) // b, (a + 0.5) % b, -a // b


@program(lambda: [call(5, 1), call(5, 0)], raises=True)
def division_by_zero(a, b):
    return a / b


@program(lambda: [call(t(1, -1, 0), 0), call(t(1, 2, 3), 2)])
def tensor_division_by_zero(x, n):
    return x / n, x % 2, x // 2


@program(lambda: [call(0.0), call(-0.0)])
def negative_zero(z):
    return z, -z, z == 0, math.copysign(1, z), t(1, -1) * z, str(z)


@program(lambda: [call(float("inf")), call(float("nan")), call(-float("inf"))])
def infinities_and_nan(v):
    return v == v, v > 0, v - v, max(v, 0), max(0, v), min(v, 1), t(1, 2) * v, [v] == [v], math.isnan(v)


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def nan_in_tensors(x):
    y = x / 0 - x / 0
    return y, y == y, (y > 0).any(), y.isnan()


@program(lambda: [call(True, 2), call(False, 2.5)])
def bools_are_numbers(flag, n):
    return flag + n, flag * 3, -flag, ~5, sum([flag, True]), flag is True, isinstance(flag, int), flag & 1, flag == 1


@program(lambda: [call(t(1, 2), True), call(t(1, 2), 1), call(t(1, 2), 1.0)])
def equal_arguments_of_other_types(x, one):
    return x * one, type(one).__name__, i(1, 2) * one, f"{one}"


@program(lambda: [call(i(1, 2), 0), call(i(1, 2), 0.0), call(i(1, 2), -0.0), call(i(1, 2), False)])
def zeros_of_other_types(x, zero):
    return x + zero, x * zero, t(-1.0) * zero


@program(lambda: [call(i(2**31 - 1, 5)), call(i(-(2**31), 1))])
def int32_tensors_wrap(x):
    return x + 1, x * 2, -x, x - 1


@program(lambda: [call(t(200, 100, dtype=ms.uint8))])
def uint8_tensors_wrap(x):
    return x + x, x - 201, x * 2


@program(lambda: [call(3, 2), call(-3, 3), call(0, 0)])
def powers(a, n):
    return a**n, pow(a, n, 7), float(a) ** n, (a + 0.5) ** n, t(2, 3) ** n


@program(lambda: [call(4.0), call(2.0), call(0.0)], raises=True)
def math_functions(a):
    return (
        math.sqrt(a),
        math.floor(a / 3),
        math.ceil(a / 3),
        math.log(a),
        math.pi * a,
        math.gcd(12, int(a)),
        math.prod([a, 2]),
    )


@program(lambda: [call(0.5), call(1.5), call(2.5), call(-0.5), call(2.675)])
def rounding_to_even(a):
    return round(a), round(a, 2), int(a), int(-a), round(a * 100, -1)


@program(lambda: [call(1), call(3)])
def fractions_and_complex(n):
    return (
        fractions.Fraction(n, 6) + fractions.Fraction(1, 3) == 1,
        (n + 2j) * (1 - 1j),
        abs(3 + 4j),
        complex(n, 1).real,
    )


@program(lambda: [call(10), call(255)])
def number_texts(n):
    return bin(n), hex(n), f"{n:b} {n:,} {n / 3:.4g}", int("ff", 16), chr(n), ord("a") + n


@program(lambda: [call(1, 1.0), call(2, 3), call("a", "b"), call(None, None)])
def identity_and_equality(a, b):
    return a == b, a is b, a != b, a is None, type(a) is type(b)


@program(lambda: [call(6), call(7)])
def bit_operations(n):
    return n & 3, n | 8, n ^ 5, n << 2, n >> 1, ~n, bool(n & 1)


@program(lambda: [call(t(1.9, -1.9)), call(t(300.7, -2.5))])
def conversions_of_tensors(x):
    return (
        int(x[0]),
        float(x[1]),
        bool(x[0]),
        x[0].item(),
        x.tolist(),
        x.astype(ms.int32),
        x.long(),
        round(x[0].item(), 1),
    )


@program(lambda: [call(0.1), call(16777217.0), call(1e-50)])
def float_meets_float32(a):
    x = Tensor(1.0)
    return x * a, (x * a).item() == a, Tensor(a), Tensor([a]).dtype


@program(lambda: [call(3), call(2.5), call(t(1, 2)), call([1]), call("a"), call(None), call(True)])
def isinstance_decides(v):
    if isinstance(v, bool):
        return "bool"
    if isinstance(v, (int, float)):
        return v + 1
    if isinstance(v, Tensor):
        return v * 2
    return type(v).__name__


@program(lambda: [call([1, 2], 1), call([1, 2], 5)], raises=True)
def index_out_of_range(values, k):
    return values[k]


@program(lambda: [call([0, 1], True), call({1: "one"}, True), call({1: "one"}, 1.0)])
def index_by_bool_and_float(table, k):
    return table[k]


@program(lambda: [call(slice(0, 2)), call(slice(None, None, -1)), call(slice(1, 10))])
def slice_argument(part):
    return [1, 2, 3][part], "abc"[part], part.indices(3), part.step


@program(lambda: [call(bytes([1, 2, 3])), call(b"")])
def bytes_and_bytearray(data):
    out = bytearray(data)
    out.append(9)
    return data.hex(), bytes(out), list(out), memoryview(out)[0]


@program(lambda: [call(3)])
def print_formats(n):
    print("n is", n, t(1, 2), sep=" | ", end="!\n")
    print(f"{n:>4}", [n, {"a": n}], (n,), None, True, 1e-7)
    return None


@program(lambda: [call(i(1, 2), t(0.5, 0.5)), call(i(3, 4), t(1, 1, dtype=ms.float16))])
def promotion_of_dtypes(a, b):
    return (a + b).dtype, (a * 2).dtype, (a * 2.0).dtype, (a / 2).dtype, (b > 0).dtype, ops.concat((b, b)).dtype

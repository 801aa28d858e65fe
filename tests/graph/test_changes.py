"""Changes of containers, classes, modules and functions from outside, by all of their methods: no hops, and what Python
gives, whatever has happened outside between two calls."""

from __future__ import annotations

import builtins
import collections
import functools
import types
from typing import ClassVar

import pytest
from chance import Writer, loaded
from outcomes import bits, in_threads
from worlds import Box, check, hops, shape, x_of

from anfora import Tensor, jit

# -- containers -------------------------------------------------------------------------------------------------------


def sorts(a, b, x):
    a.sort()
    b.sort(reverse=True)
    return a[0], b[0] if b else None, x * len(a)


def takes_out(a, b, x):
    a.remove(2)
    last = a.pop()
    first = b.pop(0)
    return last, first, x * last, list(a), list(b)


def deletes(a, b, x):
    del a[0]
    del b[-1:]
    del a[::2]
    return list(a), list(b), x


def takes_slices(a, b, x):
    a[1:3] = ["x", x, "z"]
    b[:0] = (1, 2)
    a[::3] = [0] * len(a[::3])
    a[1:] = b
    return list(a), list(b)


def puts_one_into_the_other(a, b, x):
    a.extend(b)
    b += a
    a += range(2)
    a.extend("pq")
    b.insert(1, x)
    return list(a), list(b)


def catches(a, b, x):
    told = []
    for n in range(3):
        try:
            told.append(a.pop(2))
            b.remove(n)
            del b[1]
            b[0] = x.shape
        except (IndexError, ValueError) as error:
            told.append(str(error))
    return told, list(a), list(b)


def works_down(a, b, x):
    y = x
    while len(a):
        item = a.pop()
        if item > 1:
            a.append(1)
        y = y + item
    return y


def is_walked_over(a, b, x):
    told = []
    for item in a:
        told.append(item)
        if item in b:
            b.remove(item)
        elif len(a) < 6:
            a.insert(0, item)
    return told, a is b


def knows_all(a, b, x):
    told = sum(a), sum(b)
    a.sort()
    a.remove(min(a))
    b.extend(a)
    b.sort(reverse=True)
    del b[0:1]
    return told, list(a), list(b), x * sum(a)


LISTS = [
    [[3, 1, 2], [2, 5]],
    [[2, 9, 2, 4], [1, 0, 2]],
    [[1, 2], []],
    [[2.5, 2, 0.0], [7]],
    [[], [2]],
    [["b", "a"], [1]],
]


@pytest.mark.parametrize(
    "function",
    [sorts, takes_out, deletes, takes_slices, puts_one_into_the_other, catches, works_down, is_walked_over, knows_all],
)
def test_lists(function):
    calls = [lambda s, i=i: (s[i][0], s[i][1], x_of()) for i in range(len(LISTS))]
    calls += [lambda s, i=i: (s[i][0], s[i][0], x_of()) for i in (0, 2)]  # one list under two names
    calls += [lambda s, i=i: (s[i][0], s[1][1], x_of()) for i in (0, 4)]
    check(function, lambda: [[list(a), list(b)] for a, b in LISTS], calls)


def joins(a, b, x):
    c = {**a, **b, "d": 5}
    d = a | b
    a.update(b, e=6, f=x)
    return c, d, dict(a)


def joins_unseen(a, b, x):
    a.update(b)
    b |= {"k": x, "l": 2}
    a |= b
    return a["k"], len(b), a is b


def takes_items_out(a, b, x):
    told = a.pop("b", None), a.pop("c", 7)
    a["b"] = b.setdefault("b", x.shape[0])
    a.setdefault("n", []).append(told[0])
    del b["b"]
    return told, "b" in a, "b" in b, len(a["n"]), x * a["b"]


def fails_to_delete(a, b, x):
    told = []
    for table in (a, b):
        try:
            table["n"] = 1
            del table["a"]
            told.append(table.pop("b"))
        except KeyError as error:
            told.append(error.args[0])
    a.clear()
    return told, list(b), len(a)


DICTS = [
    [{"a": 1, "b": 2}, {"b": 3, "c": 4}],
    [{"b": 1.5}, {}],
    [{}, {"a": 2, "b": 0}],
    [{1: 2, "c": 3}, {"c": 5, 2: 1}],
]


@pytest.mark.parametrize("function", [joins, joins_unseen, takes_items_out, fails_to_delete])
def test_dicts(function):
    calls = [lambda s, i=i, j=j: (s[i][0], s[j][1], x_of()) for i in range(len(DICTS)) for j in (i, 0)]
    calls += [lambda s, i=i: (s[i][0], s[i][0], x_of()) for i in range(len(DICTS))]
    check(function, lambda: [[dict(a), dict(b)] for a, b in DICTS], calls)


def remembers(a, b, x):
    is_new = x.shape not in a
    a.add(x.shape)
    a.add("seen")
    b.discard("seen")
    return is_new, len(a), len(b), "seen" in b


def adds_all(a, b, x):
    a.update((1, 2), [3])
    a.update([4, 1])
    a |= b
    b.clear()
    return sorted(a), b == set()


def removes(a, b, x):
    told = []
    for n in (1, 5):
        try:
            a.remove(n)
        except KeyError as error:
            told.append(error.args[0])
        b.add(n)
    return told, 5 in a, sorted(b)


@pytest.mark.parametrize(
    ("function", "allows"), [(remembers, ()), (adds_all, {"a change of a set from outside"}), (removes, ())]
)
def test_sets(function, allows):
    sets = [{1, 2}, {5}, set(), {7, 1, 5}]
    calls = [lambda s, i=i, j=j: (s[i], s[j], x_of()) for i, j in ((0, 1), (0, 1), (1, 1), (2, 3), (3, 0), (2, 2))]
    check(function, lambda: [set(each) for each in sets], calls, allows)


def test_a_list_that_changes_all_the_time_is_compiled_once():
    """What a queue holds does not matter to what is done with it."""

    def f(queue, x):
        oldest = queue.pop(0)
        queue.append(oldest * 0.5 + x.shape[0])
        return x * oldest

    calls = [lambda queue: (queue, x_of())] * 40
    assert check(f, lambda: [0.5, 2.0, 4.0], calls).program.recordings <= 3


class Loud:
    """Compares itself in a way of its own, and notes that."""

    told: ClassVar[list] = []

    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        Loud.told.append(("eq", self.n, getattr(other, "n", other)))
        return self.n == getattr(other, "n", other)

    def __lt__(self, other):
        Loud.told.append(("lt", self.n, other.n))
        if other.n == 13:
            raise ValueError("thirteen")
        return self.n < other.n

    __hash__ = object.__hash__


def test_objects_that_compare_themselves():
    def f(items, x):
        try:
            items.sort()
        except (TypeError, ValueError) as error:
            return str(error), [getattr(item, "n", item) for item in items]
        if 5 in items:
            items.remove(5)
        items.pop()
        return x, [getattr(item, "n", item) for item in items]

    def calls():
        for numbers in ((3, 1, 2), (5, 4), (2, 13, 1), (1, 7, 5, 5), ()):
            yield [Loud(n) for n in numbers]
            yield list(numbers)
            yield [Loud(n) if n % 2 else n for n in numbers]

    told = []
    for function in (f, jit(f)):
        Loud.told = []
        for items in calls():
            try:
                told.append(bits(function(items, x_of())))
            except Exception as error:
                told.append((type(error), str(error)))
            told.append([getattr(item, "n", item) for item in items])
        told.append(Loud.told)
    half = len(told) // 2
    assert told[:half] == told[half:]


def test_containers_of_classes_of_the_program():
    class Noting(list):
        def sort(self, **options):
            self.append("sorted")

    def f(items, queue, table, x):
        items.sort()
        queue.append(queue.popleft())
        table.update(n=1)
        return x, list(items), list(queue), list(table.items())

    def calls():
        return [(Noting([2, 1]), collections.deque([1, 2, 3]), collections.OrderedDict(a=1), x_of()) for _ in range(3)]

    compiled = jit(f)
    for plain, own in zip(calls(), calls()):
        assert bits(compiled(*own)) == bits(f(*plain))


def test_a_change_and_then_an_error():
    def f(a, limit, x):
        a.sort()
        a.append(0)
        y = x * a.pop(0)
        if y.sum() > limit:
            a.clear()
            raise ValueError(f"{a}")
        a.reverse()
        return a[5], y

    limits = [100.0, 1.0, 100.0, 1.0, 1.0]
    makes = [[3, 1, 2], [1, 2], [9, 8, 7, 6, 5, 4], [], [4, 4]]
    calls = [lambda s, n=n, limit=limit: (s[n], limit, x_of()) for n, limit in enumerate(limits)]
    check(f, lambda: [list(each) for each in makes], calls)


def test_threads_each_change_their_own():
    def f(a, table, x):
        a.sort()
        a.append(a.pop(0) + 4)
        table.update({"n": a[-1]})
        del table["old"]
        table["old"] = a[0]
        return x * a[0]

    compiled, failed = jit(f), []

    def work(number):
        states = [([3 + number, 1 + number, 2 + number], {"old": 0}) for _ in range(2)]
        for n in range(50):
            own, expected = (shape(each(*state, x_of())) for each, state in zip((compiled, f), states))
            if own != expected or states[0] != states[1]:
                failed.append((number, n, states))
                return

    in_threads(work, 4)
    assert not failed


# -- attributes -------------------------------------------------------------------------------------------------------


class Base:
    made = 0


class Derived(Base):
    pass


@pytest.fixture
def fresh():
    """The classes as they were."""

    def again():
        for kind in (Base, Derived):
            for name in [name for name in vars(kind) if not name.startswith("__")]:
                delattr(kind, name)
        Base.made = 0

    again()
    yield again
    again()


def counts_its_objects(x, n):
    class_of_it = (Base, Derived)[n % 2]
    Base.made += 1
    return x * Base.made, class_of_it.made, class_of_it().made, Derived().made


def shadows(x, n):
    before = Derived.made
    Derived.made = n
    Base.made = before + 1
    told = Derived().made, Base().made
    del Derived.made
    return told, Derived.made, hasattr(Derived, "made"), x * Derived().made


def adds_and_deletes(x, n):
    had = hasattr(Base, "more"), hasattr(Derived(), "more")
    Base.more = [n]
    Derived.more = x
    told = Derived.more, Derived().more, Base().more
    if n % 2:
        del Base.more
    else:
        del Derived.more
    return had, told, getattr(Derived, "more", None), getattr(Base, "more", None)


def fails_behind(x, n):
    Base.made = n
    try:
        del Derived.made
    except AttributeError as error:
        return str(error), Base.made, x
    return x


@pytest.mark.parametrize("function", [counts_its_objects, shadows, adds_and_deletes, fails_behind])
def test_attributes_of_classes(function, fresh):
    told = []
    for compiled in (function, jit(function)):
        fresh()
        for n in (0, 1, 1, 2, 3, 4, 7, 9):
            if n == 3:
                Base.made = 100  # somebody else
            if n == 7:
                Derived.made = 50
            told.append((shape(compiled(x_of(), n)), shape(Base), shape(Derived)))
    assert told[:8] == told[8:] and not hops(compiled)


def test_attributes_of_modules():
    def f(module, other, x):
        module.rate += 1
        before = other.rate
        module.last = x * module.rate
        del module.old
        module.old = before
        return module.last, other.rate, hasattr(module, "new"), x * module.old

    def make():
        modules = [types.ModuleType("one"), types.ModuleType("two")]
        for n, module in enumerate(modules):
            module.rate, module.old = n, 0
        return modules

    calls = [lambda s, i=i, j=j: (s[i], s[j], x_of()) for i, j in ((0, 1), (0, 1), (0, 0), (1, 0), (1, 1), (0, 1))]
    check(f, make, calls)


def test_attributes_of_functions_and_of_objects_with_slots():
    class Slotted:
        __slots__ = ("count", "seen")

    def f(box, x):
        marked.calls = box.count = marked.calls + 1
        box.seen = x * box.count
        return box.seen, marked.calls, box.count

    def marked():
        pass

    told = []
    for function in (f, jit(f)):
        marked.calls, box = 0, Slotted()
        told.append([(shape(function(box, x_of())), box.count, shape(box.seen)) for _ in range(4)])
    assert told[0] == told[1] and not hops(function)


def test_attributes_are_deleted():
    def f(box, other, x):
        kept = box.n
        del box.n
        told = hasattr(box, "n"), hasattr(other, "n")
        try:
            del other.n
        except AttributeError as error:
            told = *told, type(error), box is other
        box.n = kept + 1
        return told, x * box.n

    def make():
        return [Box(n=1), Box(n=2), Box(m=1)]

    orders = ((0, 1), (0, 0), (0, 1), (0, 2), (2, 0), (1, 1), (0, 1))
    check(f, make, [lambda s, i=i, j=j: (s[i], s[j], x_of()) for i, j in orders])


class Careful(type):
    def __setattr__(cls, name, value):
        super().__setattr__(name, value * 2)


class Described:
    def __get__(self, instance, owner):
        return 3 if instance is None else instance.held

    def __set__(self, instance, value):
        instance.held = value * 3


def test_what_sees_to_it_itself_is_left_to_python():
    def f(kind, plain, x):
        kind.n = 2
        one, two = kind(), kind()
        one.described = 5
        two.described = x
        kind.described = 1
        plain.__len__ = lambda self: kind.n
        return x * kind.n, one.held, two.held, one.described, len(plain())

    told = []
    for function in (f, jit(f)):
        for kind in (Careful("Made", (), {"described": Described()}) for _ in range(2)):
            told.append((shape(function(kind, type("Plain", (), {}), x_of())), kind.n, kind.described))
    assert told[:2] == told[2:]


COUNT = 1


def test_variables_of_the_module_are_deleted(monkeypatch):
    def f(x):
        global COUNT
        held = COUNT
        del COUNT
        try:
            y = x * COUNT
        except NameError as error:
            y = str(error)
        finally:
            COUNT = held + 1
        return y, COUNT

    def g(x):
        global COUNT
        try:
            del COUNT
        except NameError as error:
            return str(error)
        return x

    told = []
    for function in (f, jit(f), g, jit(g)):
        monkeypatch.setitem(globals(), "COUNT", 1)
        for n in range(6):
            if n == 3:
                monkeypatch.setitem(globals(), "COUNT", 7)
            try:
                told.append(bits(function(x_of())))
            except NameError as error:
                told.append(str(error))
            told.append(globals().get("COUNT", "none"))
        assert function in (f, g) or not hops(function)
    assert told[:12] == told[12:24] and told[24:36] == told[36:]


# -- what is not there ------------------------------------------------------------------------------------------------


def test_what_is_not_there_may_be_there_in_another_call():
    def by_name(x):
        try:
            return x * NOT_THERE
        except NameError:
            return None

    def of_class(x):
        try:
            return x * Base.not_there
        except AttributeError:
            return None

    def of_function(x):
        try:
            return x * by_name.not_there
        except AttributeError:
            return None

    def in_table(table, name):
        return lambda is_there: table.update({name: 3}) if is_there else table.pop(name, None)

    def in_class(is_there):
        if is_there:
            Base.not_there = 3
        elif "not_there" in vars(Base):
            del Base.not_there

    changes = [
        (by_name, in_table(globals(), "NOT_THERE")), (by_name, in_table(vars(builtins), "NOT_THERE")),
        (of_class, in_class), (of_function, in_table(vars(by_name), "not_there")),
    ]  # fmt: skip
    for function, change in changes:
        compiled = jit(function)
        for is_there in (False, True, False, False, True):
            change(is_there)
            assert (compiled(x_of()) is None) is not is_there
        change(False)


def test_what_python_raises_may_say_something_else_in_another_call():
    def f(path, x):
        try:
            open(path).close()
        except OSError as error:
            return str(error), repr(error), f"{error}", x
        return x

    class Refused(Exception):
        pass

    @functools.lru_cache(maxsize=0)  # which the compiler does not look into
    def refuse(number):
        raise Refused(f"no {number[0]}")

    def g(number, x):
        try:
            refuse(number)
        except Refused as error:
            return str(error), [repr(error)], x
        return x

    for function, arguments in ((f, ["/none/a", "/none/b", "/none/c"]), (g, [(1, 2), (3, 4), (5, 6)])):
        compiled = jit(function)
        for given in arguments:
            assert bits(compiled(given, x_of())) == bits(function(given, x_of()))


def test_a_variable_around_the_function_is_emptied():
    def make():
        value = 1

        def f(x):
            try:
                return x * value
            except NameError as error:
                return str(error)

        def change(is_there):
            nonlocal value
            value = 1
            if not is_there:
                del value

        return f, change

    (plain, first), (own, second) = make(), make()
    compiled = jit(own)
    for is_there in (False, True, False, False, True):
        first(is_there), second(is_there)
        assert shape(compiled(x_of())) == shape(plain(x_of()))


# -- programs made by chance ------------------------------------------------------------------------------------------


class Changes(Writer):
    """A function that changes lists, dicts and sets, some of which are one, attributes, and classes."""

    LINES = (
        "{a}.append({v})", "{a}.extend({b})", "{a} += {m}", "{a}.insert({i}, {v})", "told.append({a}.pop())",
        "told.append({a}.pop({i}))", "{a}.sort()", "{a}.sort(reverse=True)", "{a}.remove({v})", "{a}.reverse()",
        "{a}.clear()", "del {a}[{i}]", "del {a}[{i}:{j}]", "{a}[{i}] = {v}", "{a}[{i}:{j}] = {m}", "{a}[::2] = {m}",
        "{a}[{i}] += 1", "told.append({a}[{i}])", "told.append(len({a}))", "told.append(list({a}))",
        "told.append({v} in {a})", "told.append(sum({a}))", "told.append({a} is {b})", "{a}.append(y)",
        "{d}[{k}] = {v}", "told.append({d}[{k}])", "told.append({d}.get({k}))", "{d}.update({e})", "{d} |= {e}",
        "{d}.update({{{k}: {v}}}, q={v})", "told.append({d}.pop({k}))", "told.append({d}.pop({k}, {v}))", "del {d}[{k}]",
        "told.append({d}.setdefault({k}, {v}))", "{d}.clear()", "told.append({k} in {d})", "told.append(list({d}))",
        "{d}[{k}] = {a}", "told.append({{**{d}, **{e}}})", "{a}.extend({d})",
        "s.add({v})", "s.discard({v})", "s.remove({v})", "told.append({v} in s)", "told.append(len(s))", "s.update({a})",
        "box.n += 1", "box.held = {a}", "told.append(box.n)", "del box.m", "box.m = {v}", "told.append(hasattr(box, 'm'))",
        "told.append(box.__dict__.get('m'))", "box.held = [y]", "box.held.append({v})",
        "kind.n += 1", "kind.m = {v}", "del kind.m", "told.append(kind.n)", "told.append(one.n)", "one.n = {v}",
        "told.append(hasattr(one, 'm'))", "told.append(getattr(other, 'm', 5))", "other.n = {v}", "told.append(other.n)",
        "y = y + 1", "y = y * n", "y = y * box.n", "raise KeyError({v})",
    )  # fmt: skip

    def function(self) -> str:
        self.write(0, "def f(a, b, d, e, s, box, kind, other, one, n, x):")
        self.write(1, "told, y = [], x")
        for _ in range(self.rng.integers(2, 9)):
            a, b = self.pick("a", "b"), self.pick("a", "b")
            d, e = self.pick(("d", "e"), ("e", "d"), ("d", "d"))
            text = self.pick(*self.LINES).format(
                a=a, b=b, d=d, e=e, v=self.pick("1", "2", "n", "3.5", "n + 1", "'p'"), i=self.pick("0", "-1", "1", "n"),
                m=self.pick(b, "[1, n]", "(2, 3)", "[]", "range(3)", "[x]"), j=self.pick("2", "-1", "3", ""),
                k=self.pick("'a'", "'b'", "n", "1"),
            )  # fmt: skip
            if self.rng.random() < 0.3:
                self.write(1, "try:")
                self.write(2, text)
                self.write(1, "except Exception as error:")
                self.write(2, "told.append(str(error).partition('\\n')[0])")
            else:
                self.write(1, text)
        self.write(1, "return y, told, a, d")
        return "\n".join(self.lines)


def worlds(seed: int) -> list:
    """Arguments for some calls: objects of earlier calls come again, also under two names, and are changed between."""
    chance = Writer(seed)
    pick, some = chance.pick, lambda: [chance.pick(1, 2, 3, 4) for _ in range(chance.rng.integers(0, 5))]
    kinds = [type("Base", (), {"n": 1})]
    kinds.append(type("Derived", (kinds[0],), {}))
    lists, tables = [some() for _ in range(3)], [dict.fromkeys("ab", 1), {1: 2, "b": 3}, {}]
    sets, boxes = [{1, 2, "p"}, set()], [Box(n=1, held=[]), Box(n=2, m=1, held=lists[0])]
    calls = []
    for _ in range(8):
        a, b = pick(*lists), pick(*lists)
        d, e = pick(*tables), pick(*tables)
        one = pick(*kinds)()
        calls.append([a, b, d, e, pick(*sets), pick(*boxes), pick(*kinds), pick(*kinds), one, pick(1, 1, 2)])
    return calls


@pytest.mark.parametrize("seed", range(60))
def test_programs_made_by_chance(seed, tmp_path):
    text = Changes(seed).function()
    told = []
    for compile_it in (False, True):
        module, calls = loaded(text, tmp_path), worlds(seed)
        function = jit(module.f) if compile_it else module.f
        for arguments in calls:
            try:
                result = shape(function(*arguments, Tensor([1.0, 2.0])))
            except Exception as error:
                result = type(error), str(error)
            told.append((result, shape(arguments)))
    half = len(told) // 2
    for number, (own, expected) in enumerate(zip(told[half:], told)):
        assert own == expected, (number, text)

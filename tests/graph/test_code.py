"""Code: what a function compiles to means what Python means.

Each program below is run by Python and by a plain machine for Code: the results, the errors with their contexts and
causes, and what was logged in between must be the same. `log` notes its argument and returns it; V(name, truth) is a
value that logs what is asked of it.
"""

from __future__ import annotations

import ast
import linecache
import os
import re
import sys
import types
import warnings

import plain_machine
import pytest

from anfora.graph.source import sources
from anfora.graph.source.code import JUMPS, Unsupported
from anfora.graph.source.sources import code_of

HELPERS = '''
LOG = []

def log(x):
    LOG.append(repr(x))
    return x

class V:
    """Logs what is done with it."""
    def __init__(self, name, truth=True): self.name, self.truth = name, truth
    def __repr__(self): return f"V({self.name})"
    def __bool__(self): log(f"bool {self.name}"); return self.truth
    def __lt__(self, other): log(f"{self.name} < {other!r}"); return V(f"{self.name}<", self.truth)
    def __add__(self, other): log(f"{self.name} + {other!r}"); return V(f"{self.name}+")
    def __iadd__(self, other): log(f"{self.name} += {other!r}"); return V(f"{self.name}+=")
    def __getitem__(self, i): log(f"{self.name}[{i!r}]"); return V(f"{self.name}[]")
    def __setitem__(self, i, x): log(f"{self.name}[{i!r}] = {x!r}")
    def __delitem__(self, i): log(f"del {self.name}[{i!r}]")
    def __iter__(self): log(f"iter {self.name}"); return iter([1, 2, 3])
    def __hash__(self): log(f"hash {self.name}"); return 1
    def __eq__(self, other): log(f"{self.name} == {other!r}"); return self is other
    def __format__(self, spec): log(f"format {self.name} {spec!r}"); return f"<{self.name}:{spec}>"
    def __call__(self, *a, **k): log((self.name, a, sorted(k.items()))); return self

class Manager:
    def __init__(self, name, swallow=False, fail=None): self.name, self.swallow, self.fail = name, swallow, fail
    def __enter__(self):
        log(f"enter {self.name}")
        return self
    def __exit__(self, kind, value, traceback):
        log((f"exit {self.name}", kind, str(value), traceback is not None))
        if self.fail: raise self.fail
        return self.swallow

class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y, z=0): self.x, self.y, self.z = x, y, z
    def __repr__(self): return f"Point({self.x}, {self.y})"

def fail(what="failed", kind=ValueError):
    log(f"fail {what}")
    raise kind(what)

counter = 0
'''

#: Programs, each after a line with its name; `program()` is what is called.
PROGRAMS = r"""
#: constants
def program(): return (1, 2.5, -3, -0.0, 1j, "a", b"b", None, True, ..., (1, (2, -1)), -True, not 0, +5, ~5)
#: operators
def program():
    a, b = 7, 3
    return a + b, a - b, a * b, a / b, a // b, a % b, a ** b, a << b, a >> b, a & b, a | b, a ^ b
#: matrix product
class M:
    def __matmul__(self, x): return ("m", x)
    def __imatmul__(self, x): return ("im", x)
def program():
    m = M(); y = m @ 1; m @= 2
    return y, m
#: operator errors
def program(): return 1 + "a"
#: division by zero
def program(): return log(1) / log(0)
#: augmented names
def program():
    a = 5
    a += 2; a -= 1; a *= 3; a /= 2; a //= 2; a %= 3; a **= 2; b = 6
    b <<= 2; b >>= 1; b &= 13; b |= 2; b ^= 1
    return a, b
#: augmented list is in place
def program():
    a = b = [1]
    a += (2,)
    return a, b, a is b
#: augmented attribute
def program():
    p = Point(V("x"), 1)
    log(p).x += log("value")
    return p.x
#: augmented item
def program():
    x = V("x")
    log(x)[log("i")] += log("value")
#: augmented slice
def program():
    x = [1, 2, 3]
    x[log(0):log(2)] += [9]
    return x
#: augmented global
def program():
    global counter
    counter += 1
    return counter
#: augmented unbound
def program():
    a += 1
#: chained comparison
def program(): return log(1) < log(2) < log(3), log(1) < log(0) < log(5), 1 == 1 is not None, 3 > 2 >= 2 != 3
#: chained comparison values
def program(): return V("a") < V("b", False) < V("c"), V("a", False) < V("b") < V("c") < V("d")
#: chained comparison as condition
def program():
    if V("a") < V("b") < V("c"): log("yes")
    if V("a", False) < V("b") < V("c"): log("yes")
    else: log("no")
    if not V("a") < V("b", False) < V("c"): log("not")
    while 1 < log(0) < 5: pass
    return [x for x in range(5) if 1 < x < 4]
#: comparisons
def program(): return 1 in [1], 1 not in [1], None is None, 1 is not None, 1 != 2, 2 >= 2, 2 <= 1, 2 > 1
#: and or
def program():
    return V("a") and V("b"), V("a", False) and V("b"), V("a") or V("b"), V("a", False) or V("b", False) or V("c")
#: mixed and or
def program():
    for a in (True, False):
        for b in (True, False):
            log((V("a", a) and V("b", b)) or V("c"))
            log((V("a", a) or V("b", b)) and V("c"))
            log(V("x", a) or (V("a", a) and V("b", b)) or V("c", False))
#: conditions
def program():
    for a in (True, False):
        for b in (True, False):
            if V("a", a) and V("b", b): log(1)
            if V("a", a) or V("b", b): log(2)
            if not (V("a", a) and not V("b", b)) or V("c", a): log(3)
            log("x" if V("a", a) and V("b", b) else "y")
            assert V("t") or V("u")
#: not
def program(): return not V("a"), not V("a", False), not not V("b")
#: conditional expression
def program(): return log(1) if log(True) else log(2), log(1) if log(0) else log(2)
#: walrus
def program():
    if (n := log(5)) > 3 and (m := n * 2): pass
    return n, m, [y := 1, y ** 2]
#: walrus in while
def program():
    data = [1, 2, 0, 4]
    total = 0
    while (x := data.pop(0)): total += x
    return total, x
#: walrus in comprehension
def program():
    a = [y := x * 2 for x in range(4)]
    b = any((hit := x) > 1 for x in range(5))
    return a, y, b, hit
#: walrus in nested comprehension
def program(): return [[z := x + y for x in range(2)] for y in range(2)], z
#: walrus in comprehension, global
def program():
    global seen
    a = [seen := x for x in range(3)]
    b = list(seen := x for x in range(5))
    return seen, globals_of()
def globals_of(): return seen
#: walrus with captured comprehension variable
def program():
    fs = [(lambda: (x, y)) for x in range(3) if (y := x) or True]
    return [f() for f in fs], y
#: walrus in lambda
def program(): return (lambda: (w := 3) + w)()
#: unpack
def program():
    a, b = 1, 2
    a, b = b, a
    (c, d), [e, *f] = (a, b), "xyz"
    *g, h = [1]
    i, *j, k = range(5)
    return a, b, c, d, e, f, g, h, i, j, k
#: unpack too few
def program(): a, b, c = 1, 2
#: unpack too many
def program(): a, b = [1, 2, 3]
#: unpack starred too few
def program(): a, *b, c = [1]
#: unpack no iterable
def program(): a, b = 5
#: unpack no iterable starred
def program(): *a, b = 5
#: assignment order
def program():
    x, y = V("x"), V("y")
    log(x)[log(0)] = log(y)[log(1)] = log("value")
    x[log("a")], y[log("b")] = log(1), log(2)
    p = Point(1, 2)
    log(p).x, log(p).y = log((5, 6))
    return p
#: multiple targets
def program():
    a = b = c, *d = [1, 2]
    return a is b, c, d
#: attributes
def program():
    p = Point(1, 2)
    p.w = 5
    del p.x
    return p.w, p.y, hasattr(p, "x")
#: attribute error
def program(): return Point(1, 2).nothing
#: items and slices
def program():
    x = list(range(10))
    x[1:3] = "ab"
    del x[-1], x[::4]
    return x, x[2:], x[:2], x[::-1], x[1:5:2], "abc"[1]
#: slice order
def program():
    x = V("x")
    log(x)[log(1):log(2):log(3), log(4), ..., :]
#: delete order
def program():
    x, y = V("x"), V("y")
    del log(x)[log(1)], (log(y)[log(2)], [x[3]])
#: delete then use
def program():
    a = 1
    del a
    return a
#: delete twice
def program():
    a = 1
    del a
    del a
#: delete captured
def program():
    a = 1
    def f(): return a
    del a
    try: f()
    except NameError as e: log(str(e))
    return a
#: delete global
def program():
    global temporary
    temporary = 1
    del temporary
    return temporary
#: unbound
def program():
    if False: a = 1
    return a
#: undefined name
def program(): return undefined_name
#: parameters
def program(a=1, /, b=2, *c, d=4, **e): return a, b, c, d, e
#: calls
def program():
    def f(*a, **k): return a, sorted(k.items())
    x, d = [1, 2], {"p": 3, "q": 4}
    return (f(), f(1, *x), f(*x), f(*x, *x, 9), f(a=1, **d), f(**d), f(**d, z=1), f(*x, k=1, **d, m=2), f(0, *x, 3, k=4),
            f(*(), **{}), f(k=1, *x))
#: call order
def program(): return log(V("f"))(log(1), *log([2]), log(3), k=log(4), **log({"z": 5}), w=log(6))
#: call order star
def program():
    def it(): log("started"); yield 1
    return V("f")(*it(), **log({"a": 1}))
#: call errors
def program():
    def f(a, *, b=1): pass
    for g in (lambda: f(), lambda: f(1, 2), lambda: f(1, c=2), lambda: f(1, **{"a": 2}), lambda: f(*5), lambda: f(**5),
              lambda: f(b=1, **{"b": 2}), lambda: f(1, *5), lambda: 5(), lambda: f(**{1: 2})):
        try: g()
        except TypeError as e: log(str(e))
#: spread errors
def program():
    def f(*a, **k): return a
    try: f(*5)
    except TypeError as e: log(str(e))
    try: f(1, *5)
    except TypeError as e: log(str(e))
    try: f(**5)
    except TypeError as e: log(str(e))
    try: f(a=1, **{"a": 2})
    except TypeError as e: log(str(e))
    try: f(*[1], **{"a": 2}, **{"a": 3})
    except TypeError as e: log(str(e))
#: methods
def program(): return "a-b".split("-"), [3, 1].__len__(), "{}".format(5), log(V("v"))(log(2))
#: formatted texts
def program():
    x, w, v = 3.14159, 10, V("v")
    return (f"{x}", f"{x:.2f}", f"{x:{w}.{2}f}|", f"{x!r:>12}", f"a{x!s}b{w!a}", f"{w=}", f"{x=:.1f}", f"{{}}", f"",
            f"{v}{v:>5}",
            f"{'a' 'b'}" "c", f"{w:}", "x" f"y{w}")
#: format order
def program(): return f"{log(1)}{log(2):{log(3)}}{log('é')!a}"
#: format error
def program(): return f"{5:zz}"
#: displays
def program():
    a, d = [1, 2], {"k": 1}
    return [], (), {}, [*a], [0, *a, 3, *a], (*a,), (0, *a), {*a, 3, *a}, {1, 2}, {**d}, \
        {"k": 0, **d, "z": 2, **{"z": 3}}, {"a": 1}, [1, [2]]
#: display order
def program():
    {log(1): log(2), **log({3: 4}), log(5): log(6), V("k"): log(7), V("l"): log(8)}
    return [log(1), *log([2]), log(3)]
#: display errors
def program():
    for f in (lambda: [*5], lambda: (1, *5), lambda: {*5}, lambda: {**5}, lambda: {[]: 1}, lambda: {[]}):
        try: f()
        except TypeError as e: log(str(e))
#: display errors here
def program():
    try: [1, *5]
    except TypeError as e: log(str(e))
    try: {1, *5}
    except TypeError as e: log(str(e))
    try: {**5}
    except TypeError as e: log(str(e))
    return {[]: 1}
#: list comprehension
def program():
    x = "outer"
    return [x * y for x in range(3) if x for y in range(x, 4) if y % 2], x, [x for x in [5]], x
#: set and dict comprehension
def program(): return {x % 3 for x in range(7)}, {log(k): log(v) for k, v in [("a", 1), ("b", 2)]}, {**{k: 1 for k in "ab"}}
#: comprehension with the name of its iterable
def program():
    x = [1, 2]
    return [x for x in x], [[x for x in range(x)] for x in x], x
#: nested comprehension
def program(): return [[i * j for i in range(j)] for j in range(4)], [y for x in [[1, 2], [3]] for y in x]
#: comprehension order
def program(): return [log((x, y)) for x in log([1, 2]) if log(x) for y in log([3]) if log(y > x)]
#: comprehension targets
def program():
    p = Point(0, 0)
    a = [(a, b, r) for a, (b, *r) in [(1, "xyz"), (2, "w")]], [p.x for p.x in range(3)], p
    return a, [d[0] for d in [{}] for d[0] in "ab"]
#: comprehension error
def program():
    x = 1
    try: [x for x in [1, 2] if fail(str(x))]
    except ValueError as e: log(str(e))
    return x
#: comprehension unbound variable
def program():
    for i in range(2):
        try: log([x for y in [1] for x in (x, y)])
        except UnboundLocalError as e: log(str(e).replace("'", ""))
#: comprehension variable used before
def program(): return [x for y in [1] if x for x in [1]]
#: comprehension with captured variable
def program():
    fs = [lambda: x for x in range(3)]
    gs = [[lambda: (a, b) for a in range(2)] for b in range(2)]
    hs = {k: (lambda v=v: (k, v)) for k, v in zip("ab", (1, 2))}
    ss = {(lambda: x)() for x in range(3)}
    return [f() for f in fs], [[f() for f in g] for g in gs], [h() for h in hs.values()], ss
#: qualified names in comprehensions
def program():
    fs = [lambda: x for x in [1]] + [lambda: 5 for y in [1]] + list(lambda: (z, lambda: z) for z in [2])
    def f(): return [lambda: (w, lambda: w) for w in [3]]
    fs += [fs[-1]()[1], *f(), f()[0]()[1]]
    return [f.__qualname__ for f in fs]
#: comprehension cells are new each time
def program():
    def make(): return [lambda: x for x in range(2)]
    fs = []
    for k in range(2): fs.append([lambda: (x, k) for x in (k, k + 10)])
    return [[f() for f in g] for g in fs], make()[0]()
#: comprehension with inner generator
def program():
    rows = [[1, 2], [3, 4]]
    return [sum(a * b for a, b in zip(r, s)) for r, s in zip(rows, rows)], [sum(x * y for y in (1, 2)) for x in (3, 4)]
#: comprehension in default and lambda
def program():
    def f(a=[i for i in range(3)], *, b={i for i in "ab"}): return a, sorted(b)
    return f(), (lambda n: [i + n for i in range(n)])(3)
#: generator expression
def program():
    g = (log(x) for x in log([1, 2, 3]) if x != 2)
    log("made")
    return next(g), list(g), sum(x * y for x in range(3) for y in range(x))
#: generator expression evaluates its first iterable at once
def program():
    try: (x for x in fail("first"))
    except ValueError: log("at once")
    g = (x for y in [1] for x in fail("second"))
    return list(g)
#: generator expression with no iterable
def program(): return (x for x in 5)
#: generator expression closes over
def program():
    n = 10
    g = (x + n for x in range(2))
    n = 20
    return list(g)
#: generator in generator
def program(): return list(list(x + y for x in range(y)) for y in range(4))
#: stop iteration in generator
def program():
    def g(): yield next(iter([]))
    return list(g())
#: stop iteration in comprehension
def program(): return [next(iter([])) for x in range(2)]
#: lambda
def program():
    f = lambda a, /, b=log(2), *c, d=log(4), **e: (a, b, c, d, e)
    return f(1), f(1, 2, 3, d=5, z=6), (lambda: None)(), (lambda *, k: k)(k=1), f.__name__, f.__qualname__
#: definitions
def program():
    def f(a, b=log(1), *c: log("c"), d: log("d") = log(2), **e: log("e")) -> log("return"):
        "text"
        return a, b, c, d, e
    return f(5), f.__annotations__, f.__defaults__, f.__kwdefaults__, f.__doc__, f.__name__, f.__qualname__
#: annotation order
def program():
    def f(p: log(1), /, a: log(2), *, k: log(3)): pass
    return list(f.__annotations__)
#: decorators
def program():
    def dec(n):
        log(n)
        def deco(f): log((n, f.__name__)); return f
        return deco
    @dec(log(1))
    @dec(2)
    def f(a=log("default")): return a
    @dec(3)
    class C: log("body")
    return f(), C.__name__
#: recursion
def program():
    def fact(n): return 1 if n < 2 else n * fact(n - 1)
    return fact(10)
#: mutual recursion
def program():
    def even(n): return n == 0 or odd(n - 1)
    def odd(n): return n != 0 and even(n - 1)
    return even(10), odd(7), even(3)
#: closures in loops
def program():
    fs, gs = [], []
    for i in range(3):
        fs.append(lambda: i)
        gs.append(lambda i=i: i)
    return [f() for f in fs], [g() for g in gs]
#: nonlocal
def program():
    n = 0
    def count():
        nonlocal n
        n += 1
        def reset():
            nonlocal n
            n = 100
        if n == 2: reset()
        return n
    return count(), count(), n, count(), n
#: captured parameter
def program(a=3, *b, c=4, **d):
    def f():
        nonlocal a
        a += c
        return a, b, d
    return f(), f(), a
#: deep closure
def program():
    x = 1
    def f():
        def g():
            def h(): return x
            return h
        return g()()
    x = 2
    return f()
#: free variable without value
def program():
    def f(): return late
    try: f()
    except NameError as e: log((type(e).__name__, str(e)))
    late = 1
    return f()
#: global
def program():
    global made
    made = 5
    def f():
        global made
        made += 1
        return made
    return f(), made
#: global function and class
def program():
    global made_f, MadeC
    def made_f(): return MadeC().m()
    class MadeC:
        def m(self): return MadeC.__qualname__, made_f.__qualname__
    return made_f()
#: class
def program():
    k = 5
    class A:
        "text"
        a = k
        b = [a for _ in range(2)] if False else 3
        def m(self): return self.a, k, __class__
        @property
        def p(self): return self.m()[1] + 1
        @staticmethod
        def s(x): return x
        @classmethod
        def c(cls): return cls.__name__
    class B(A, metaclass=type): a = 6
    k = 7
    return A().m()[:2], A().p, A.s(1), B.c(), B().m()[0], A.__doc__, A.__qualname__, A.m.__qualname__
#: class bases and keywords
def program():
    class Meta(type):
        def __new__(cls, name, bases, space, **k):
            log((name, bases == (int,), k))
            return super().__new__(cls, name, bases, space)
        def __init__(cls, *a, **k): super().__init__(*a)
    bases, k = (int,), {"q": 2}
    class A(*bases, metaclass=Meta, w=1, **k): pass
    class B(int, metaclass=Meta): pass
    return A(5) + 1
#: super
def program():
    class A:
        def __init__(self, x): log(("A", x)); self.x = x
        def f(self): return "A.f"
    class B(A):
        def __init__(self, x):
            super().__init__(x + 1)
            self.g = lambda: self.x
        def f(self): return "B." + super().f() + super(B, self).f()
        @classmethod
        def c(cls): return super().__new__(cls).__class__.__name__
    b = B(1)
    return b.x, b.g(), b.f(), B.c()
#: private names
class A:
    def __init__(self): self.__x = 1; self.__y__ = 2
    def f(self, __a=3):
        __b = 4
        def __g(): return self.__x + __a + __b
        return __g(), sorted(vars(self).items()), dict(__k=1), (lambda __p: __p)(5)
class _P:
    def f(self):
        class Q:
            __z = 1
            def g(self): return self.__z
        return Q().g(), sorted(k for k in vars(Q) if "z" in k)
def program(): return A().f(), _P().f()
#: method of a class
class A:
    k = 1
    def f(self, *a, __q=2): return [self.k + x for x in a] + [__q]
    def program(self): return self.f(1, 2)
program = A().program
#: method with super
class A:
    def f(self): return "A"
class B(A):
    def f(self):
        self, me = None, self
        return me
    def program(self): return super().f() + __class__.__name__
program = B().program
#: shadowed super
def super(*a): return ("mine", a)
class A:
    def f(self): return super()
def program(): return A().f()
#: if elif else
def program():
    r = []
    for x in range(4):
        if x == 0: r.append("a")
        elif x == 1: r.append("b")
        elif x == 2: pass
        else: r.append("c")
    return r
#: while else
def program():
    n = 0
    while n < 3: n += 1
    else: log("else")
    while True:
        n += 1
        if n == 5: continue
        if n > 6: break
    else: log("no")
    while 0: log("never")
    else: log("zero")
    return n
#: for else
def program():
    for x in log([1, 2]): log(x)
    else: log("else")
    for x in [1, 2, 3]:
        if x == 2: break
    else: log("no")
    for x in []: pass
    else: log("empty")
    return x
#: for targets
def program():
    d = {}
    for i, (d["k"], *r) in enumerate(["ab", "cde"]): log((i, d, r))
    p = Point(0, 0)
    for p.x in range(3): pass
    return p
#: nested loops
def program():
    r = []
    for i in range(4):
        if i == 1: continue
        for j in range(4):
            if j == 2: break
            if j == i: continue
            r.append((i, j))
        else: r.append("never")
        if i == 3: break
    else: r.append("no")
    return r
#: for not iterable
def program():
    for x in 5: pass
#: return in loops
def program():
    for i in range(3):
        for j in range(3):
            while True:
                if i * j == 2: return i, j
                break
#: assert
def program():
    assert log(True), log("not evaluated")
    try: assert log(0)
    except AssertionError as e: log(repr(e))
    assert [] , log("message")
#: raise
def program(): raise ValueError("a")
#: raise class
def program(): raise KeyError
#: raise from
def program():
    try: fail()
    except ValueError as e: raise KeyError("k") from e
#: raise from none
def program():
    try: fail()
    except ValueError: raise KeyError("k") from None
#: raise no exception
def program(): raise 5
#: raise without exception
def program(): raise
#: context of an exception
def program():
    try:
        try: fail("first")
        except ValueError: fail("second", KeyError)
    except KeyError as e:
        log((str(e), repr(e.__context__), e.__cause__))
        fail("third")
#: bare raise
def program():
    try:
        try: fail("x")
        except ValueError: log("here"); raise
    except ValueError as e: log(str(e)); raise
#: bare raise in function
def program():
    def again(): raise
    try: fail("x")
    except ValueError: again()
#: except kinds
def program():
    for kind in (ValueError, KeyError, TypeError, OSError):
        try:
            try: fail("x", kind)
            except (ValueError, KeyError) as e: log(("first", repr(e)))
            except TypeError: log("second")
            else: log("no")
        except: log("rest")
#: except else finally
def program():
    for do in (lambda: 1, fail):
        try: log(do)
        except KeyError: log("no")
        else: log("else")
        finally: log("finally")
log_ = log
def log(x): return log_(getattr(x, "__name__", x))
#: try else
def program():
    for do in (str, fail):
        try: do()
        except ValueError: log("except")
        else: log("else")
        finally: log("finally")
    try: pass
    except ValueError: pass
    else: fail("in else")
#: exception variable is deleted
def program():
    e = 1
    try: fail()
    except ValueError as e: pass
    return e
#: exception variable deleted by hand
def program():
    try: fail()
    except ValueError as e: del e
    for i in range(2):
        try: fail()
        except ValueError as e:
            e = None
            if i: break
            continue
    try: e
    except NameError as f: log(str(f))
#: exception variable is captured
def program():
    try: fail("seen")
    except ValueError as e:
        f = lambda: str(e)
        log(f())
    f()
#: except expressions
def program():
    try: fail()
    except log(KeyError): pass
    except log(ValueError): log("caught")
    except log(TypeError): pass
#: except with no class
def program():
    try: fail()
    except 5: pass
#: except expression fails
def program():
    try: fail()
    except fail("while looking", KeyError): pass
#: error in handler
def program():
    try:
        try: fail("a")
        except ValueError as e: fail("b", KeyError)
        finally: log("finally")
    except KeyError as e: return repr(e), repr(e.__context__)
#: return through finally
def program():
    try: return log("value")
    finally: log("finally")
#: return in finally
def program():
    for i in range(3):
        try:
            try: fail()
            finally: return "finally wins"
        finally: log("outer")
#: return in both
def program():
    try: return log(1)
    finally: return log(2)
#: break in finally
def program():
    for i in range(3):
        try: fail()
        finally: break
    for j in range(3):
        try: return "lost"
        finally:
            if j < 2: continue
            break
    return i, j
#: break through finally
def program():
    for i in range(3):
        for j in range(3):
            try:
                try:
                    if j == 0: continue
                    if i == 1: break
                    log((i, j))
                finally: log("inner")
            finally: log("outer")
    while True:
        try: break
        finally: log("while")
#: finally raises
def program():
    try:
        try: fail("a")
        finally: fail("b")
    except ValueError as e: return str(e), str(e.__context__)
#: finally after return raises
def program():
    try: return log(1)
    finally: fail("in finally")
#: finally in handler
def program():
    try: fail("a")
    except ValueError as e:
        try: fail("b")
        except ValueError as f: log((str(f), str(f.__context__), str(e)))
        finally: log("inner finally")
        log(str(e))
        try: raise
        except ValueError as g: log(str(g))
    finally: log("outer finally")
#: return in handler
def program():
    for i in range(2):
        try: fail(str(i))
        except ValueError as e:
            if i: return str(e)
            continue
        finally: log("finally")
#: return value is kept
def program():
    x = 1
    try: return x
    finally: x = 2
#: nested finally and loops
def program():
    def f(n):
        for i in range(2):
            try:
                for j in range(2):
                    try:
                        if n == 0: return log(("r", i, j))
                        if n == 1: break
                        if n == 2: continue
                        if n == 3: fail()
                    finally: log(("in", i, j))
                else: log("else")
            except ValueError: log("caught")
            finally:
                log(("out", i))
                if n == 4: continue
        return "end"
    return [f(n) for n in range(5)]
#: nested finally and loops here
def program():
    for n in range(5):
        for i in range(2):
            try:
                for j in range(2):
                    try:
                        if n == 0: break
                        if n == 2: continue
                        if n == 3: fail()
                    finally:
                        try: log(("in", i, j))
                        finally: log("deeper")
                else: log("else")
            except ValueError: log("caught")
            finally:
                log(("out", i))
                if n == 4: continue
    return "end"
#: exception info
import sys
def program():
    log(sys.exc_info()[1])
    try: fail("a")
    except ValueError:
        log(repr(sys.exc_info()[1]))
        try: fail("b")
        except ValueError: log(repr(sys.exc_info()[1]))
        log(repr(sys.exc_info()[1]))
    log(sys.exc_info()[1])
    try: fail("c")
    except ValueError: pass
    finally: log(sys.exc_info()[1])
#: exception info in finally
import sys
def program():
    try:
        try: fail("a")
        finally: log(repr(sys.exc_info()[1]))
    except ValueError: pass
    for i in range(1):
        try: fail("b")
        except ValueError: break
    log(sys.exc_info()[1])
#: with
def program():
    with Manager("a") as m: log(m.name)
    with Manager("b"): log("body")
    with Manager("c") as c, Manager("d") as d: log((c.name, d.name))
    with (Manager("e")): pass
#: with swallows
def program():
    with Manager("a", swallow=True): fail()
    log("after")
    with Manager("b", swallow=V("truth")), Manager("c"): fail("x")
    return "end"
#: with does not swallow
def program():
    with Manager("a", swallow=V("truth", False)): fail()
#: with exit fails
def program():
    with Manager("a", fail=KeyError("exit")): fail()
#: with exit fails without error
def program():
    with Manager("a", fail=KeyError("exit")): log("body")
#: with exit fails, then swallowed
def program():
    with Manager("a", swallow=True), Manager("b", fail=KeyError("exit")): return log("body")
#: with targets
def program():
    p, d = Point(0, 0), {}
    class Two:
        def __enter__(self): return 1, [2, 3]
        def __exit__(self, *a): log(a)
    with Two() as (a, (b, c)), Two() as d["k"], Two() as p.x: log((a, b, c, d, p.x))
#: with target fails
def program():
    with Manager("a", swallow=True) as (x, y): log("never")
    with Manager("a") as fail("target").x: log("never")
#: with enter fails
def program():
    class Bad:
        def __enter__(self): fail("enter")
        def __exit__(self, *a): log("never")
    with Manager("a"), Bad(): pass
#: with no manager
def program():
    class Half:
        def __enter__(self): log("never")
    for x in (5, Half()):
        try:
            with x: pass
        except (AttributeError, TypeError) as e: log((type(e), str(e).split(".")[-1]))
#: with and return
def program():
    for i in range(3):
        with Manager("a"):
            for j in range(3):
                with Manager("b") as b:
                    if i == 0: break
                    if i == 1 and j == 1: continue
                    if i == 2: return log("value")
#: with in finally
def program():
    try:
        with Manager("a"): fail("body")
    except ValueError as e: log(str(e))
    finally:
        with Manager("b"): log("finally")
#: with looks at the type
def program():
    class M:
        def __enter__(self): return log("type")
        def __exit__(self, *a): pass
    m = M()
    m.__enter__ = lambda: log("instance")
    with m as x: return x
#: import
def program():
    import os
    import os.path
    import os.path as p, sys as s
    import xml.etree.ElementTree as tree
    from os import path as q, sep
    from collections import OrderedDict
    return p is os.path, q is p, sep == os.sep, s.__name__, tree.__name__, OrderedDict.__name__
#: import errors
def program():
    try: import no_such_module
    except ImportError as e: log(str(e))
    try: import os.no_such_module
    except ImportError as e: log(str(e))
    try: from os import no_such_name
    except ImportError as e: log(str(e).partition(" (")[0])
#: generator
def program():
    log("start")
    x = yield 1
    log(x)
    y = [(yield), (yield 2)]
    return y
#: generator send
def program():
    def g():
        total = 0
        while True:
            x = yield total
            if x is None: return "done", total
            total += x
    it = g()
    r = [next(it), it.send(3), it.send(4)]
    try: it.send(None)
    except StopIteration as e: return r, e.value
#: generator throw and close
def program():
    def g():
        try:
            try: yield 1
            except ValueError as e: log(str(e)); yield "caught"
            yield 3
        finally: log("closed")
    it = g()
    log(next(it)); log(it.throw(ValueError("thrown"))); it.close()
    it = g(); next(it)
    try: it.throw(KeyError("k"))
    except KeyError as e: log(repr(e))
    it = g(); next(it); it.close()
    return list(it)
#: yield from
def program():
    def inner():
        x = yield 1
        log(x)
        return "result"
    def outer():
        r = yield from inner()
        log(r)
        yield from [2, 3]
        yield from ()
    it = outer()
    return next(it), it.send("sent"), list(it)
#: yield from throw
def program():
    def inner():
        try: yield 1
        except ValueError: log("inner caught"); yield 2
    def outer():
        try: yield from inner()
        except KeyError: log("outer caught"); yield 3
    it = outer()
    return next(it), it.throw(ValueError), it.throw(KeyError), list(it)
#: yield from nothing
def program():
    yield 1
    yield from 5
#: yield in finally and with
def program():
    for i in range(2):
        try:
            with Manager(str(i)) as m: yield m.name
        finally: yield "finally"
    return 5
#: generator with handled exception
import sys
def program():
    def g():
        try: fail("in g")
        except ValueError:
            yield repr(sys.exc_info()[1])
            yield repr(sys.exc_info()[1])
    it = g()
    log(next(it))
    log(sys.exc_info()[1])
    return list(it)
#: lambda generator
def program():
    f = lambda: (yield 5)
    return list(f())
#: generator method
class A:
    def __iter__(self):
        for x in self.items: yield x
    items = [1, 2]
def program(): return list(A()), [*A(), *A()]
#: empty generator
def program():
    def g():
        return
        yield
    return list(g())
#: match values
def program():
    for x in (1, "a", -2, 2.5, True, None, 3j, 1+2j, b"x", "zz"):
        match x:
            case 1 if x is not True: log("one")
            case "a" | "b": log("text")
            case -2: log("minus")
            case 2.5: log("float")
            case True: log("true")
            case None: log("none")
            case 3j | 1+2j: log("complex")
            case b"x": log("bytes")
            case _: log("else")
#: match sequences
def program():
    for x in ([], [1], [1, 2], (1, 2, 3), "ab", b"ab", range(4), [[1, 2], 3], {1: 2}, [0, 5, 0], 7, [1, [2, [3]]]):
        match x:
            case []: log("empty")
            case [1]: log("one")
            case [[a, b], c]: log(("nested", a, b, c))
            case 1, [p, [q]]: log(("deep", p, q))
            case [0, *_, 0]: log("zeros")
            case [a, b]: log(("two", a, b))
            case [first, *middle, last]: log((first, middle, last))
            case _: log(("other", x))
#: match stars
def program():
    for x in ([1, 2, 3, 4], [1], [], "no", [4, 3, 2, 1]):
        match x:
            case [4, *_]: log("starts with 4")
            case [*_, 4]: log("ends with 4")
            case [*rest] if len(rest) == 1: log(rest)
            case [_]: log("never")
            case [*_]: log("any")
            case _: log("no sequence")
    match [1, 2, 3]:
        case [_, *_, z]: log(z)
    match (1, 2):
        case (_, _): log("two")
#: match mappings
def program():
    for x in ({}, {"a": 1}, {"a": 1, "b": 2}, {"c": [1, {"d": 5}]}, {1: None, "z": 3}, [1]):
        match x:
            case {"a": 1, "b": y, **rest}: log((y, rest))
            case {"a": v, **rest}: log((v, rest))
            case {"c": [_, {"d": d}]}: log(d)
            case {1: None, **rest}: log(rest)
            case {}: log("mapping")
            case _: log("no mapping")
    match {"k": 1}:
        case {**all_}: log(all_)
#: match mapping keys
class K: one, two = "k", "k"
def program():
    match {"k": 5, "l": 6}:
        case {K.one: x, "m": y}: log("no")
        case {K.one: x}: log(x)
    match {"k": 5}:
        case {K.one: x, K.two: y}: log("no")
    match {"k": 1, "l": 2}:
        case {K.one: x, K.two: y}: log("no")
#: match classes
def program():
    for p in (Point(0, 0), Point(1, 2), Point(3, 4, z=5), 5, "text", 2.5, [1], Point("a", [1, 2])):
        match p:
            case Point(0, 0): log("origin")
            case Point(1, y=b): log(("one", b))
            case Point(x=str() as s, y=[a, *_]): log((s, a))
            case Point(a, b, z=5): log((a, b))
            case int(n): log(("int", n))
            case str() | float(): log("text or float")
            case list(items): log(items)
#: match class errors
def program():
    class Few: __match_args__ = ("a",)
    class Odd: __match_args__ = 5
    f = Few(); f.a = 1
    try:
        match f:
            case Few(1, 2): pass
    except TypeError as e: log(str(e))
    try:
        match Odd():
            case Odd(1): pass
    except TypeError as e: log(str(e))
    try:
        match f:
            case Few(1, a=1): pass
    except TypeError as e: log(str(e))
    g = 5
    match f:
        case g(): pass
#: match missing attribute
def program():
    class C: __match_args__ = ("a", "b")
    c = C(); c.a = 1
    match c:
        case C(1, b): log("no")
        case C(a=x): log(x)
#: match captures
def program():
    x = "before"
    match [1, 2]:
        case [x, 3]: log("no")
    log(x)
    match [1, 2]:
        case [x, 2] if x > 1: log("no")
        case [_, y]: log(("bound by the guard", x, y))
    match 5:
        case z: log(z)
    match (1, (2, 3)):
        case (a, (b, c) as d) as e: log((a, b, c, d, e))
    match log(7), log(8):
        case (1 | 7) as p, (8 | 9 as q): log((p, q))
#: match or
def program():
    for x in ([1, 2], [2, 1], {"a": 3}, Point(4, 5), 6, [[7]]):
        match x:
            case [1, v] | [v, 1] | {"a": v} | Point(v, 5) | [[v]]: log(v)
            case (5 | 6 | 7) as v: log(("number", v))
#: match nothing
def program():
    match 5:
        case 6: log("no")
    return "end"
#: match guards
def program():
    for x in range(4):
        match x:
            case y if log(y) == 1 and V("g"): log("one")
            case 2 | 3 as y if y == 3 or V("h", False): log("three")
            case _ if x: log("rest")
#: match in loops and try
def program():
    for x in [1, 2, 3, 4, 5]:
        try:
            match x:
                case 1: continue
                case 2: pass
                case 3: fail("three")
                case 4: break
            log(x)
        except ValueError as e: log(str(e))
        finally: log("finally")
    match x:
        case 4: return "four"
#: match captures in cells and globals
def program():
    global got
    match {"a": [1, 2], "b": 3}:
        case {"a": [p, *q], **got}: pass
    f = lambda: (p, q)
    return f(), got
#: match comparison order
def program():
    match V("x"):
        case 1: pass
        case "a" | "b": pass
        case {"k": 1}: pass
    match [V("a"), V("b")]:
        case [1, 2]: pass
        case [1 | 2, _]: pass
        case [a, b]: log((a, b))
#: local annotations
def program():
    a: undefined_type = 1
    b: undefined_type
    p = Point(1, 2)
    log(p).x: undefined_type = log(5)
    log(p).y: undefined_type
    d = {}
    log(d)[log(1)]: undefined_type
    log(d)[log(2):log(3), log(4)]: undefined_type
    (c): int = 3
    return a, c, p.x, d
#: annotated name is local
def program():
    log: int
    return log(1)
#: docstring and constants as statements
def program():
    "text"
    5
    ...
    return program.__doc__
#: statements in a line
def program(): x = 1; y = 2; return x + y
#: conditional definitions
def program():
    if log(1):
        def f(): return 1
    else:
        def f(): return 2
    return f()
#: dead code
def program():
    if 0:
        x = 1
        yield 1
    while False: yield 2
    if __debug__: yield 3
    return
    yield 4
#: long chain
def program():
    x = 1
    return x + x * x - x / x + (x if x else -x) ** 2 // 1 % 5
#: names that look like others
def program():
    list_, set = [1], {2}
    result = [set for set in [1]]
    print = log
    print(result)
    return set, list_
#: star target in for
def program():
    for a, *b in [(1, 2, 3), "xy"]: log((a, b))
    return [*range(2), *[a for a, *_ in ["pq"]]]
#: many values
def program():
    return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17], {k: v for k, v in zip("abc", (1, 2, 3))}
#: nested functions with defaults from outside
def program():
    out = []
    for n in range(2):
        def f(a=n, *, b=n + 1):
            def g(c=a + b): return a, b, c
            return g
        out.append(f()())
    return out
#: class in a loop with closures
def program():
    cs = []
    for n in range(2):
        class C:
            k = n
            def get(self): return n, self.k
        cs.append(C)
    return [c().get() for c in cs]
#: comprehension in a class method with self
class A:
    n = 3
    def f(self): return [self.n + i for i in range(2)], sum(self.n for _ in range(2)), {i: self for i in [1]}[1] is self
def program(): return A().f()
#: async function inside
def program():
    async def f(): return 1
    c = f()
    try: c.send(None)
    except StopIteration as e: return e.value
#: try in generator expression consumer
def program():
    def consume(it):
        try: return list(it)
        except ValueError as e: return str(e)
    return consume(fail(str(x)) for x in range(3))
#: deep nesting
def program():
    with Manager("a", swallow=True):
        try:
            for i in range(3):
                try:
                    with Manager("b"):
                        if i == 1: fail("one")
                        try: continue
                        finally: log("continue")
                except ValueError as e:
                    try: raise KeyError(str(e)) from e
                    finally: log("raising")
                else: log("never")
        finally: log("outer")
    return "end"
"""

NEWER = {
    (3, 11): r"""
#: star in index and annotation
def program():
    x = V("x")
    i = [1, 2]
    x[0, *i]
    def f(*a: *i[:1]): pass
    return f.__annotations__
""",
    (3, 12): r"""
#: type parameters
def program():
    k = 3
    def f[T](x: T, y=k) -> T: return x, y
    class C[T]:
        def m(self): return C.__name__, k
    type A = int | C
    log((f.__qualname__, C.__qualname__, C.m.__qualname__))
    return f(5), C().m(), [p.__name__ for p in f.__type_params__], A.__name__
#: quotes in formatted texts
def program(): return f"{"a" + f"{'b'}"}"
#: super in comprehension
class A:
    def f(self): return 1
class B(A):
    def f(self): return [super().f() for _ in range(2)]
def program(): return B().f()
""",
}


def programs(table: str) -> list[tuple[str, str]]:
    parts = re.split(r"^#: (.*)\n", table, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2]))


TABLE = programs(PROGRAMS) + [
    p for version, table in NEWER.items() if sys.version_info >= version for p in programs(table)
]


def load(name: str, source: str, head: str = "") -> dict:
    """The module of a program; its source is known to linecache, as those of notebooks are."""
    text = head + HELPERS + source
    file = f"<program: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict = {"__name__": "programs"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd programs are what it is about
        exec(compile(text, file, "exec", dont_inherit=True), names)
    return names


def chain(error: BaseException | None) -> object:
    if error is None:
        return None
    return type(error), str(error), chain(error.__cause__), chain(error.__context__), error.__suppress_context__


def outcome(names: dict, call) -> tuple:
    try:
        value = call()
        if isinstance(value, types.GeneratorType):
            items = []
            while True:
                try:
                    items.append(next(value))
                except StopIteration as stop:
                    value = items, stop.value
                    break
        result = repr(value), None
    except BaseException as error:
        result = None, chain(error)
    return result, names["LOG"]


def by_machine(names: dict, deep: bool) -> tuple[tuple, plain_machine.Machine]:
    machine = plain_machine.Machine(names, deep)
    function, arguments = names["program"], ()
    if isinstance(function, types.MethodType):
        function, arguments = function.__func__, (function.__self__,)
    return outcome(names, lambda: machine.call(function, arguments, {})), machine


@pytest.mark.parametrize("deep", [False, True], ids=["alone", "with_inner"])
@pytest.mark.parametrize(("name", "source"), TABLE, ids=[name for name, _ in TABLE])
def test_same_as_python(name, source, deep):
    names = load(name, source)
    expected = outcome(names, names["program"])
    got, machine = by_machine(load(name, source), deep)
    assert got == expected
    assert machine.ran


# ----------------------------------------------------------------------------------------------------------------------
# The instructions themselves


#: What instructions add to the height of the stack, where that does not depend on the argument.
EFFECTS = {
    -3: "SETITEM",
    -2: "DELITEM SETATTR SLICE PUT CALL_SPREAD",
    -1: "STORE STORE_CELL STORE_GLOBAL POP BINARY INPLACE COMPARE GETITEM DELATTR APPEND ADD EXTEND UPDATE MERGE "
        "MERGE_KEYWORDS JUMP_IF JUMP_UNLESS JUMP_IF_NONE YIELD_FROM MATCH_CLASS REST_OF_MAPPING",
    0: "DELETE DELETE_CELL DELETE_GLOBAL SWAP ROTATE UNARY GETATTR SPECIAL TO_TUPLE TO_DICT SPREAD JUMP ITER YIELD HANDLER "
       "POP_HANDLER CAUGHT END_CAUGHT MATCHES IMPORT_AS RETURN RAISE RERAISE LOOP LANDED",
    1: "CONST LOAD LOAD_OUTER LOAD_CELL LOAD_OUTER_CELL LOAD_GLOBAL LOAD_BUILTIN COPY IMPORT IMPORT_FROM "
    "MATCH_SEQUENCE MATCH_MAPPING LENGTH MATCH_KEYS",
}  # fmt: skip
FIXED = {opcode: effect for effect, opcodes in EFFECTS.items() for opcode in opcodes.split()}
BY_ARGUMENT = {
    "TUPLE": lambda n: 1 - n, "LIST": lambda n: 1 - n, "SET": lambda n: 1 - n, "JOIN": lambda n: 1 - n,
    "MAP": lambda n: 1 - 2 * n, "FORMAT": lambda how: -how[1], "UNPACK": lambda n: n - 1, "UNPACK_REST": sum,
    "CALL": lambda how: -how[0], "FUNCTION": lambda how: 1 - len(how[1]),
}  # fmt: skip
#: (going on, jumping)
BY_JUMP = {"JUMP_IF_OR_POP": (-1, 0), "JUMP_UNLESS_OR_POP": (-1, 0), "NEXT": (1, -1)}


def check_heights(code) -> None:
    """On every way to an instruction the stack is as high, the same handlers are set and as many exceptions are handled."""
    states: dict[int, tuple] = {}
    todo = [(0, (0, (), 0))]
    while todo:
        at, state = todo.pop()
        if at in states:
            assert states[at] == state, (at, states[at], state, code.listing())
            continue
        states[at] = state
        height, handlers, handled = state
        opcode, argument = code.opcodes[at], code.arguments[at]
        on, jump = BY_JUMP.get(opcode) or (FIXED[opcode] if opcode in FIXED else BY_ARGUMENT[opcode](argument),) * 2
        assert height + min(on, jump, 0) >= (handlers[-1][1] if handlers else 0), (at, code.listing())
        if opcode == "HANDLER":
            todo.append((argument, (height + 1, handlers, handled)))
            handlers = (*handlers, (argument, height))
        elif opcode == "POP_HANDLER":
            handlers = handlers[:-1]
        elif opcode in ("CAUGHT", "END_CAUGHT"):
            handled += 1 if opcode == "CAUGHT" else -1
        elif opcode in JUMPS:
            todo.append((argument, (height + jump, handlers, handled)))
        if opcode == "JUMP" and argument in code.loops and argument < at:  # Python may do the rest
            loop = code.loops[argument]
            todo.append((loop.landing, (height - loop.is_walk + 1, handlers, handled)))
        elif opcode == "LANDED":
            todo += [(place, (height - 1, handlers, handled)) for place in (argument.otherwise, argument.end)]
            if argument.returned is not None:
                todo.append((argument.returned, (height, handlers, handled)))
            continue
        if opcode == "RETURN":
            assert not handlers and not handled
        elif opcode not in ("JUMP", "RAISE", "RERAISE"):
            todo.append((at + 1, (height + on, handlers, handled)))


def all_codes(names: dict) -> list:
    """The code of a program and of all functions in it."""
    found = []
    todo = [value for value in names.values() if isinstance(value, (types.FunctionType, types.MethodType))]
    while todo:
        function = todo.pop()
        try:
            code = code_of(getattr(function, "__func__", function))
        except Unsupported:
            continue
        found.append(code)
        for opcode, argument in zip(code.opcodes, code.arguments):
            if opcode == "FUNCTION":
                cells = tuple(types.CellType() for _ in argument[0].co_freevars)
                todo.append(types.FunctionType(argument[0], names, None, None, cells))
    return found


def test_heights_and_positions():
    for name, source in TABLE:
        names = load(name, source)
        for code in all_codes(names):
            check_heights(code)
            assert len(code.opcodes) == len(code.arguments) == len(code.positions)
            last = len(linecache.cache[code.python.co_filename][2])
            first = code.python.co_firstlineno
            assert all(first <= line <= end <= last and c >= 0 and d >= 0 for line, end, c, d, *_ in code.positions)


def test_positions_are_those_of_the_source():
    source = "def program(x):\n    é = 1; y = x.a[é]\n    return f(y,\n        *x) if y < 1 <= 2 else -y\n"
    names = load("positions", source)
    code = code_of(names["program"])
    text = "".join(linecache.getlines(code.python.co_filename)).encode().split(b"\n")

    def segment(position):
        line, end, column, end_column = position
        if line == end:
            return text[line - 1][column:end_column].decode()
        return (text[line - 1][column:] + b"\n" + text[end - 1][:end_column]).decode()

    shown = [(opcode, segment(position)) for opcode, position in zip(code.opcodes, code.positions)]
    for expected in [
        ("CONST", "1"), ("STORE", "é"), ("LOAD", "x"), ("GETATTR", "x.a"), ("GETITEM", "x.a[é]"), ("STORE", "y"),
        ("COMPARE", "y < 1 <= 2"), ("CALL_SPREAD", "f(y,\n        *x)"), ("UNARY", "-y"), ("LOAD_GLOBAL", "f"),
    ]:  # fmt: skip
        assert expected in shown


def test_cells_and_free_variables():
    source = """
def program(a, b):
    c = d = 1
    def f():
        nonlocal c
        return a, c, [d for d in (b,)]
    return f
"""
    names = load("cells", source)
    code = code_of(names["program"])
    assert (code.cells, code.free, code.is_generator) == (("a", "b", "c"), (), False)
    inner = code_of(names["program"](1, 2))
    assert inner.free == ("a", "b", "c") and inner.cells == ()
    assert code_of(names["program"]) is code


# ----------------------------------------------------------------------------------------------------------------------
# Where the source is found

SOURCES = """
import functools
def wrap(f):
    @functools.wraps(f)
    def wrapper(*a): return f(*a)
    return wrapper
@wrap
@wrap
def decorated(x): return x + 1
pair = lambda x: x + 1, lambda x: x + 2, lambda x: x + 1
more = [lambda n=n: (n, lambda: n) for n in range(2)]
def outer(k):
    class Inner:
        def method(self, x): return (lambda y: x + y + k)
    return Inner
class A:
    class B:
        def f(self): return [lambda: self for _ in "a"]
        g = staticmethod(lambda: 5)
    for i in range(2):
        def h(self): return self
if True:
    def same(): return 1
else:
    def same(): return 2
def two(): return 1
two_1 = two
def two(): return 2
def uses_super(self): return super
"""


def test_definitions_are_found():
    names = load("sources", SOURCES)
    functions = [
        names["decorated"].__wrapped__.__wrapped__, names["decorated"], *names["pair"], *names["more"],
        names["more"][0]()[1], names["outer"](1)().method.__func__, names["outer"](1)().method(2), names["A"].B.f,
        names["A"].B().f()[0], names["A"].B.g, names["A"].h, names["same"], names["two"], names["two_1"],
    ]  # fmt: skip
    for function in functions:
        assert code_of(function).python is function.__code__
    values = [code_of(f).arguments[1] for f in names["pair"]]
    assert values == [1, 2, 1]
    columns = [code_of(f).positions[0][2] for f in names["pair"]]
    assert columns[0] < columns[1] and (columns[1] < columns[2] or sys.version_info < (3, 11))
    inner = names["outer"](1)().method(2)
    assert plain_machine.Machine(names, False).call(inner, (3,), {}) == 6
    assert plain_machine.Machine(names, False).call(names["decorated"], (3,), {}) == 4


#: Text at the margin that is no statement of its own, and names that the module imports in odd places.
AT_THE_MARGIN = """\
'''Lines of a text:
from here to there
def decoy(x): return x
@wrap
'''
import functools
kept = []
if functools:
    from collections import (
abc, OrderedDict,
)
text = [\\
1,
2]; beside = lambda x: x.real
@functools.cache
# a comment between
@(lambda f: kept.append(f) or f)
def decorated(x): return abc.Hashable, x
try:
    def tried(functools): return functools.wraps, functools.call()
except NameError: pass
finally: joined = (
lambda x:
x + 1
)
"""


def test_functions_are_found_in_a_part_of_their_file(monkeypatch):
    names = load("margin", AT_THE_MARGIN)
    functions = names["beside"], names["kept"][0], names["tried"], names["joined"]
    for function in functions:
        assert code_of(function).python is function.__code__

    def read(file):
        raise AssertionError("the whole file was parsed")

    plain = load("plain", SOURCES)
    monkeypatch.setattr(sources._File, "read", read)
    for function in (plain["outer"], plain["A"].h, plain["same"], plain["two"], plain["uses_super"]):
        assert code_of(function).python is function.__code__


def test_files_are_found(tmp_path):
    file = tmp_path / "program_in_a_file.py"
    file.write_text('# -*- coding: utf-8 -*-\nfrom __future__ import annotations\ndef program(x: int): return "é", x\n')
    names: dict = {"__name__": "program_in_a_file"}
    exec(compile(file.read_text(), str(file), "exec"), names)
    assert plain_machine.Machine(names, True).call(names["program"], (1,), {}) == ("é", 1)
    file.write_text("nothing of it is left")
    assert code_of(names["program"]).python is names["program"].__code__


def test_annotations_from_the_future():
    source = (
        "def program():\n    def f("
        "a: 'b', *c: d.e[1:2], k: (lambda: 1) = 2) -> x if y else z: pass\n    return f.__annotations__\n"
    )
    head = "from __future__ import annotations\n"
    got, _ = by_machine(load("future", source, head), True)
    names = load("future", source, head)
    assert got == outcome(names, names["program"])


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def program(): return locals()", "locals() looks at the frame it is called from"),
        ("def program(): return [eval(x) for x in ()]", "eval() looks at the frame it is called from"),
        ("def program(): return vars()", "vars() looks at the frame it is called from"),
        ("async def program(): pass", "async"),
        ("async def program(): yield 1", "async"),
        ("def program(): return (x async for x in 1)", "async"),
        ("def program(self): return super().f", "super() without arguments outside of a method"),
        *[("def program():\n    try: pass\n    except* ValueError: pass", "except*")][sys.version_info < (3, 11) :],
    ],
)
def test_refused(source, reason):
    names = load(f"refused {reason}", source)
    for _ in range(2):
        with pytest.raises(Unsupported) as caught:
            code_of(names["program"])
        assert str(caught.value) == reason


def test_what_looks_at_the_frame_by_another_name_is_a_name():
    names = load("not refused", "def program(vars): dir = len; return dir('ab'), vars(1, 2)\nprogram(lambda *a: a)")
    assert plain_machine.Machine(names, False).call(names["program"], (lambda *a: a,), {}) == (2, (1, 2))


def test_source_that_cannot_be_found():
    names: dict = {}
    exec(" ".join(["def", "program(): return 1"]), names)  # a text that nobody has
    with pytest.raises(Unsupported, match="the source of program cannot be found"):
        code_of(names["program"])


@pytest.mark.parametrize(
    "change",
    [("1", "1.0"), ("1", "True"), ("y", "x"), ("def", "\ndef"), ("z=1", "z=1, *, k"), ("0.0", "-0.0"), ("+", "-")],
)
def test_source_that_was_changed(change):
    names = load("changed", "def program(x, y, z=1):\n    def f(): return 0.0\n    return x + y, 1")
    file = names["program"].__code__.co_filename
    text = "".join(linecache.cache[file][2])
    start = text.index("def program")
    text = text[:start] + text[start:].replace(*change)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    with pytest.raises(Unsupported, match="the source of program was changed since it was loaded"):
        code_of(names["program"])


CELLS = [
    "def program(x): return math.sqrt(x) + random.Random(3).random()",
    "program = lambda x: math.floor(x) + sqrt(x)",
    "def program(x):\n    def inner(y): return [math.ceil(i) for i in (y, x)]\n    return inner(x)",
    "class A:\n    def method(self, x): return math.floor(x)\ndef program(x): return A().method(x), math.ceil(x)",
    "@functools.lru_cache\ndef cached(x): return math.floor(x)\ndef program(x): return cached.__wrapped__(x)",
    "def outer():\n    import math as inside\n    return lambda x: inside.floor(x) + math.ceil(x)\nprogram = outer()",
]


@pytest.mark.parametrize("together", [True, False], ids=["module", "cell"])
@pytest.mark.parametrize("source", CELLS)
def test_source_of_a_cell_with_imports(source, together):
    """IPython compiles the statements of a cell one by one, and calls of what is imported are other code then."""
    text = "import functools, math, random\nfrom math import sqrt\n" + source
    file = f"<cell {CELLS.index(source)} {together}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict = {"__name__": "cells"}
    body = ast.parse(text).body
    for part in [body] if together else [[node] for node in body]:
        exec(compile(ast.Module(part, []), file, "exec"), names)
    assert plain_machine.Machine(names, False).call(names["program"], (2.5,), {}) == names["program"](2.5)


def test_source_of_a_module_that_was_loaded_again(tmp_path):
    """linecache has the text that the module had before."""
    file = tmp_path / "again.py"
    for number, text in enumerate(["def program(x): return x + 1\n", "# more\ndef program(x): return x - 1, 'more'\n"]):
        file.write_text(text)
        os.utime(file, (number, number))
        names: dict = {"__name__": "again"}
        exec(compile(text, str(file), "exec"), names)
        assert plain_machine.Machine(names, False).call(names["program"], (2,), {}) == names["program"](2)


def test_too_deep_is_not_remembered(monkeypatch):
    def too_deep(function):
        raise RecursionError

    names = load("deep", "def program(): return 5")
    with monkeypatch.context() as patched, pytest.raises(Unsupported, match="its source is nested too deeply"):
        patched.setattr(sources, "_compile", too_deep)
        code_of(names["program"])
    assert plain_machine.Machine(names, False).call(names["program"], (), {}) == 5


def test_source_whose_comments_were_changed():
    names = load("commented", "def program(x):\n    return x  # before")
    file = names["program"].__code__.co_filename
    text = "".join(linecache.cache[file][2]).replace("before", "behind")
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    assert ast.parse(text) and code_of(names["program"]).opcodes[:2] == ["LOAD", "RETURN"]


CONSTANTS = [
    "(1, 2)", "(1, (2.5, None))", "1000", "-1000", "-0.0", "'a' 'b'", "'ab' * 3", "(1,) + (2,)", "1 + 2j", "10 ** 20",
    "b'ab'",
    "(1, 2)[0:1]", "'abcdef'[1:4]", "1 << 70", "...", "(True, 1)", "not 1", "~1000",
]  # fmt: skip


@pytest.mark.parametrize("text", CONSTANTS)
def test_constants_are_the_objects_of_pythons_code(text):
    """What Python works out when it compiles is one object, in each place and in each call."""
    names = load("constants", f"def program(x):\n    y = {text}\n    return x, y, [{text} for _ in (1, 2)]")
    machine = plain_machine.Machine(names, False)
    call, again = (machine.call(names["program"], (0,), {}) for _ in range(2))
    expected = names["program"](0)
    one = {id(value) for value in (call[1], *call[2], again[1])}
    assert len(one) == len({id(value) for value in (expected[1], *expected[2], names["program"](0)[1])})
    assert repr(call) == repr(expected)
    assert (call[1] is expected[1]) is (expected[1] is names["program"](0)[1])


@pytest.mark.parametrize(
    "text", ["1 / 0", "'a' + 1", "(1, 2)[5]", "1 << -1", "'a' % 1", "2 ** 100000 > x", "[1, 2][0]"]
)
def test_what_python_does_not_work_out_is_done_each_time(text):
    names = load("not_constants", f"def program(x):\n    return {text}")
    outcomes = []
    for call in (names["program"], lambda x: plain_machine.Machine(names, False).call(names["program"], (x,), {})):
        try:
            outcomes.append(repr(call(0)))
        except Exception as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


#: How an item of a display is written down, and what stands around all.
DISPLAYS = {
    "dict": ("{", "log({0}): log({0} + 100)", "}"),
    "dict of objects": ("{", "V({0}): log({0})", "}"),
    "set": ("{", "log({0})", "}"),
    "list": ("[", "log({0})", "]"),
    "tuple": ("(", "log({0})", ",)"),
    "names": ("dict(", "a{0}=log({0})", ")"),
}  # fmt: skip
FAILING = ["log([])", "log([]): log(2)", "**log({1: 2})", "*log([1])", "**log(3)", "*log(3)"]


@pytest.mark.parametrize("count", [1, 15, 16, 17, 18, 32, 33, 35, 51])
@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("failing", FAILING)
def test_what_is_done_behind_an_item_that_fails(display, failing, count):
    start, item, end = DISPLAYS[display]
    for place in {0, count // 2, count - 1}:
        items = [item.format(i) for i in range(count)]
        items[place] = failing
        source = f"def program():\n    return {start}{', '.join(items)}{end}"
        try:
            compile(source, "", "exec")
        except SyntaxError:  # of a dict in a list, say
            return
        names = load("display", source)
        expected = outcome(names, names["program"])
        got, _ = by_machine(load("display", source), False)
        assert got == expected

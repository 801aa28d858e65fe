"""Functions: arguments, closures, decorators, partial application, generators, caches."""

# The programs are written as people write them.
# ruff: noqa: B006, B023, E731, UP033

from __future__ import annotations

import functools
import operator
import types

from harness import call, factory, program, s, t

from anfora import Parameter, Tensor, mutable, ops


@program(lambda: [call(t(1, 2)), call(t(1, 2), 3), call(t(1, 2), n=4), call(x=t(1, 2), n=0.5)])
def default_argument(x, n=2):
    return x * n


@program(lambda: [call(1, 2, 3), call(t(1), t(2)), call()])
def star_args(*args):
    return len(args), args, sum(args)


@program(lambda: [call(a=1, b=t(2)), call(b=1, a=2), call()])
def star_star_kwargs(**kwargs):
    return kwargs, list(kwargs), kwargs.get("a")


@program(lambda: [call(t(1, 2), 1, 2, k=3), call(t(1, 2), k=5, z=1), call(t(3), 4)])
def all_kinds_of_arguments(x, /, a=10, *rest, k=20, **others):
    return x * a + k, rest, others


@program(lambda: [call(t(1, 2), scale=3), call(t(1, 2), shift=t(1, 1), scale=2)])
def keyword_only(x, *, scale, shift=0):
    return x * scale + shift


@program(lambda: [call(t(1, 2)), call(t(1, 2), 3)], raises=True)
def wrong_number_of_arguments(x):
    def two(a, b):
        return a + b

    return two(x)


@program(lambda: [call(t(1, 2), scale=2)], raises=True)
def unexpected_keyword(x, **kwargs):
    def one(a):
        return a

    return one(x, **kwargs)


@program(lambda: [call((t(1), t(2)), {"c": t(3)}), call([1, 2], {"c": 3})])
def call_with_unpacking(args, kwargs):
    def f(a, b, c, d=4):
        return [a, b, c, d]

    return f(*args, **kwargs), f(*args, *[5]), f(**dict(zip("abc", (1, 2, 3))))


@program(lambda: [call(t(1, 2), x2=t(3, 4)), call(t(0), x2=t(5))], grad=True)
def tensor_by_keyword(x, x2):
    return x * x2 + x


@program(lambda: [call(t(1, 2)), call(t(5))], grad=True)
def closure_reads_outer(x):
    y = x * 2

    def inner(z):
        return z * y + x

    return inner(x) + inner(y)


@program()
def closure_sees_rebinding(x):
    k = 3
    f = lambda v: v * k
    k = 4
    return f(x)


@factory()
def closure_counts_calls(jit):
    count = 0

    def run(x):
        nonlocal count
        count += 1
        return x * count

    return run


@factory()
def closure_keeps_the_last_tensor(jit):
    last = None

    def run(x):
        nonlocal last
        result = x.sum() if last is None else x.sum() + last
        last = x.sum()
        return result

    return run


@program()
def nonlocal_in_a_nested_function(x):
    total = x

    def add(n):
        nonlocal total
        total = total + n

    for k in range(3):
        add(k)
    return total


@program()
def nonlocal_two_levels_up(x):
    a = 1

    def middle():
        b = 2

        def inner():
            nonlocal a, b
            a, b = a + b, a * 10
            return x * a

        inner()
        return inner(), b

    return middle(), a


@program()
def two_closures_share_a_variable(x):
    value = [x]

    def get():
        return value[0]

    def put(v):
        value[0] = v

    put(get() * 2)
    return get(), value


@program()
def returned_closures(x):
    def make(n):
        def scaled(v):
            return v * n

        return scaled

    twice, thrice = make(2), make(3)
    return twice(thrice(x)), twice is not thrice


@factory(lambda: [call(t(1, 2)), call(t(3, 4))])
def returns_a_closure_that_is_called_outside(jit):
    made = []

    def run(x):
        y = x * 2
        made.append(lambda v: v + y)
        return [f(x) for f in made]

    return run


@program()
def closures_built_in_a_loop(x):
    fs = []
    for k in range(3):
        fs.append(lambda v: v + k)
    return [f(x) for f in fs]


@program()
def functions_in_a_dict(x):
    table = {"relu": ops.relu, "double": lambda v: v * 2, "abs": abs}
    return {name: f(x) for name, f in table.items()}


@program(lambda: [call(t(1, 2), ops.exp), call(t(1, 2), lambda v: v * 2), call(t(1, 2), abs)])
def function_as_argument(x, f):
    return f(x) + f(f(x))


@program(grad=True)
def composition(x):
    def compose(*fs):
        return functools.reduce(lambda f, g: lambda v: g(f(v)), fs)

    return compose(ops.sin, ops.exp, lambda v: v * 2)(x)


@program(grad=True)
def functools_partial(x, y):
    def affine(a, b, c):
        return a * b + c

    f = functools.partial(affine, x)
    g = functools.partial(f, c=y)
    return f(y, x) + g(b=x)


@program(grad=True)
def reduce_over_tensors(x, y):
    return functools.reduce(operator.mul, [x, y, x + y], 1.0)


@program()
def y_combinator(x):
    fix = lambda f: (lambda u: u(u))(lambda u: f(lambda *a: u(u)(*a)))
    power = fix(lambda me: lambda v, n: v if n == 1 else v * me(v, n - 1))
    return power(x, 4)


@factory()
def mutable_default_argument(jit):
    def run(x, seen=[]):
        seen.append(x.shape)
        return len(seen), seen

    return run


@program()
def mutable_default_of_an_inner_function(x):
    def push(v, to=[]):
        to.append(v)
        return to

    push(1)
    return push(x), push(2) is push(3)


@factory()
def default_argument_is_evaluated_once(jit):
    k = 2

    def run(x, n=k * 10):
        return x * n

    k = 5
    return run


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


@twice
def decorated(x):
    return x + 1


@program(grad=True)
def call_of_a_decorated_function(x):
    return decorated(x)


@factory(grad=True)
def compiled_function_with_a_decorator_below(jit):
    @twice
    def run(x):
        return x * x

    return run


@factory(grad=True)
def decorator_above_a_compiled_function(jit):
    @twice
    @jit
    def run(x):
        return x * x

    return run


def scaled_by(factor, *, shift=0.0):
    def decorate(function):
        def wrapper(x):
            return function(x) * factor + shift

        return wrapper

    return decorate


@program()
def decorator_with_arguments(x):
    @scaled_by(3, shift=1)
    @scaled_by(0.5)
    def f(v):
        return v * v

    return f(x), f.__name__


@factory(lambda: [call(5, t(1, 2)), call(7, t(1, 2))])
def lru_cache_calls_once(jit):
    computed = []

    @functools.lru_cache(maxsize=None)
    def slow(n):
        computed.append(n)
        return n * n

    def run(n, x):
        return x * slow(n) + slow(n), list(computed), slow.cache_info().hits

    return run


@factory(lambda: [call(1), call(t(1, 2)), call([1])])
def singledispatch(jit):
    @functools.singledispatch
    def kind(v):
        return "object"

    @kind.register
    def _(v: int):
        return "int"

    @kind.register(Tensor)
    def _(v):
        return v * 2

    return lambda v: kind(v)


@program()
def generator_function(x):
    def steps(v, n):
        for k in range(n):
            yield v * k
        return "done"

    return list(steps(x, 3)), sum(steps(x, 3))


@program()
def generator_interleaves_with_its_caller(x):
    log = []

    def numbers():
        for k in range(3):
            log.append(f"made {k}")
            yield k

    for k in numbers():
        log.append(f"used {k}")
    return log, x


@program()
def generator_with_send(x):
    def average():
        total, count = 0, 0
        value = None
        while True:
            received = yield value
            total, count = total + received, count + 1
            value = total / count

    g = average()
    next(g)
    return [g.send(x * k) for k in range(3)]


@program()
def generator_delegates(x):
    def inner():
        got = yield 1
        return got

    def outer():
        result = yield from inner()
        yield x, result

    g = outer()
    return next(g), g.send("hello")


@program()
def generator_closed_early(x):
    log = []

    def source():
        try:
            yield x
            yield x * 2
        finally:
            log.append("closed")

    g = source()
    first = next(g)
    g.close()
    return first, log


@program(lambda: [call(t(1, 2), 3), call(t(1, 2), 1)])
def returns_a_generator(x, n):
    g = (x * k for k in range(n))
    return next(g), type(g) is types.GeneratorType


@program(lambda: [call(lambda: (t(k, k + 1) for k in range(3))), call(lambda: iter([]))])
def generator_as_data_source(batches):
    total, seen = 0.0, 0
    for batch in batches():
        total = total + batch.mean()
        seen += 1
    return total, seen


@factory()
def iterator_outlives_the_call(jit):
    source = iter(range(100))

    def run(x):
        return x * next(source)

    return run


@program()
def infinite_generator(x):
    def powers():
        v = x
        while True:
            yield v
            v = v * 0.5

    out = []
    for k, v in enumerate(powers()):
        if k == 3:
            break
        out.append(v)
    return out


@program()
def operator_module(x, y):
    return operator.add(x, y), operator.itemgetter(0)([x, y]), operator.attrgetter("shape")(x), operator.neg(x)


@program()
def lambda_with_conditional(x):
    f = lambda v: v * 2 if v.sum() > 0 else v / 2
    return f(x), f(-x)


@program()
def immediately_called_lambda(x):
    return (lambda a, *b, c=3: (a, b, c))(x, 1, 2), (lambda: x)()


@program()
def function_attributes(x):
    def f(v):
        f.calls += 1
        return v * f.calls

    f.calls = 0
    return f(x), f(x), f.calls, f.__name__


@factory()
def function_attribute_counts(jit):
    def run(x):
        run.calls += 1
        return x + run.calls

    run.calls = 0
    return run


@program(raises=True)
def local_used_before_it_is_set(x):
    def f():
        return later

    value = f()
    later = x
    return value, later


@program(raises=True)
def unknown_name(x):
    return x + undefined_name  # noqa: F821


@program()
def deleted_local(x):
    y = x * 2
    z = [y]
    del y
    try:
        return y  # noqa: F821
    except UnboundLocalError as error:
        return str(error), z


@program(lambda: [call(t(1, 2), [1, 2]), call(t(1, 2), [3, 4])])
def del_of_items(x, values):
    table = {"a": x, "b": values}
    del table["a"], values[0]
    return table


@program()
def inner_function_shadows(x):
    def sum(v):
        return v * 100

    return sum(x), max(1, 2)


@program()
def import_inside(x):
    import math
    from math import floor as down

    return x * math.pi, down(2.7)


@program()
def class_inside(x):
    class Point:
        scale = 3

        def __init__(self, v):
            self.v = v

        def scaled(self):
            return self.v * self.scale

    Point.scale = 4
    return Point(x).scaled(), Point.__name__


@program(lambda: [call(mutable((1, 2)), t(1, 2)), call(mutable((3, 4)), t(1, 2))])
def mutable_tuple(pair, x):
    return x * pair[0] + pair[1], pair


@program(lambda: [call(mutable([t(1, 2)]), 0), call(mutable([t(1, 2), t(3, 4)]), 1)])
def mutable_list(values, k):
    return values[k] + len(values)


@program(lambda: [call(Parameter(t(1, 2), name="p"), t(3, 4)), call(Parameter(t(5, 6), name="q"), t(3, 4))])
def parameter_as_argument(p, x):
    return p * x, p.name, isinstance(p, Tensor)


@program(lambda: [call(Parameter(t(1, 2), name="p"), t(3, 4))])
def parameter_argument_is_assigned(p, x):
    p.set_data(p + x)
    ops.assign(p, p * 2)
    return p


@program(lambda: [call(s(2.0)), call(s(3.0))], grad=True, order=2)
def same_argument_twice(x):
    def f(a, b):
        return a * b * b

    return f(x, x)


@program(lambda: [(lambda x: call(x, x))(t(1, 2)), (lambda x: call(x, x + 0))(t(1, 2))])
def one_tensor_passed_twice(a, b):
    a[0] = 100.0
    return b, a is b


@program(lambda: [(lambda v: call(v, v))([1, 2]), call([1, 2], [1, 2])])
def one_list_passed_twice(a, b):
    a.append(3)
    return b, a is b


@program(lambda: [call(eval), call(len)])
def builtin_as_argument(f):
    return f("12"), callable(f)


@program()
def eval_and_exec(x):
    names = {"x": x}
    exec("y = x * 2", names)
    return eval("y + 1", names)


@program(lambda: [call("shape"), call("ndim"), call("nothing")])
def getattr_by_name(name):
    x = t(1, 2)
    return getattr(x, name, "default"), hasattr(x, name)


@program()
def locals_in_use(x):
    a = 1
    names = sorted(k for k in locals() if k != "names")
    return names, a


@program(lambda: [call(10), call(3)])
def recursive_closure_with_memo(n):
    memo = {}

    def ways(n):
        if n not in memo:
            memo[n] = 1 if n < 2 else ways(n - 1) + ways(n - 2)
        return memo[n]

    return ways(n), len(memo)


@factory(lambda: [call(t(1, 2), 2), call(t(1, 2), 3)])
def jit_within_jit(jit):
    @jit
    def inner(x, n):
        return x * n

    def outer(x, n):
        return inner(x, n) + inner(inner(x, 2), n)

    return outer


@factory(grad=True)
def jit_function_calls_plain_function_that_calls_jit(jit):
    @jit
    def low(x):
        return x.exp()

    def middle(x):
        return low(x) * 2

    def high(x):
        return middle(x) + low(-x)

    return high


@factory(lambda: [call(t(1, 2)), call(t(-1, 2))])
def function_held_by_a_list_is_replaced(jit):
    held = [lambda v: v * 2]

    def run(x):
        out = held[0](x)
        held[0] = lambda v: v * 3
        return out

    return run

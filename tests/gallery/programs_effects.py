"""Effects: globals, output, exceptions, order of evaluation, time, random numbers of Python."""

# The programs are written as people write them.
# ruff: noqa: B018

from __future__ import annotations

import random
import sys
import time
import types

from harness import call, factory, i, program, s, t

from anfora import Tensor, ops

COUNTER = 0
LOG: list = []
TABLE = {"scale": 2.0}
FACTOR = 3


@program(state="COUNTER")
def global_counter(x):
    global COUNTER
    COUNTER += 1
    return x * COUNTER


@program(state="LOG")
def global_list_grows(x):
    LOG.append(x.sum())
    return len(LOG)


@program(state="TABLE")
def global_dict_is_changed(x):
    TABLE["scale"] *= 2
    TABLE[x.shape] = x
    return x * TABLE["scale"]


def set_factor(_run):
    global FACTOR
    FACTOR += 1


@program(state="FACTOR", between=set_factor)
def global_changes_between_calls(x):
    return x * FACTOR


@program(state="LOG", between=lambda _run: LOG.append("outside"))
def global_list_changes_between_calls(x):
    return x * len(LOG)


def helper_that_counts(x):
    global COUNTER
    COUNTER += 10
    return x + COUNTER


@program(state="COUNTER")
def helper_changes_a_global(x):
    before = COUNTER
    y = helper_that_counts(x)
    return y, before, COUNTER


@program(state="FACTOR", raises=True)
def global_is_deleted(x):
    global FACTOR
    value = FACTOR
    del FACTOR
    try:
        return x * FACTOR  # noqa: F821
    finally:
        FACTOR = value + 1  # noqa: F841


@program()
def print_in_the_middle(x):
    y = x * 2
    print("y is", y)
    z = y + 1
    print("z has shape", z.shape, "and sum", z.sum())
    return z


@program(lambda: [call(t(1, 2)), call(t(-1, -2))])
def print_in_a_branch(x):
    print("start")
    if x.sum() > 0:
        print("positive", x)
        x = x * 2
    else:
        print("negative")
    print("end")
    return x


@program(lambda: [call(s(3)), call(s(1)), call(s(0))])
def print_in_a_loop(x):
    while x > 0:
        print(f"x = {x}")
        x = x - 1
    return x


@program()
def print_before_an_exception(x):
    try:
        print("before")
        x[50]
        print("never")
    except IndexError:
        print("caught")
    return x


@program()
def write_to_stdout(x):
    sys.stdout.write(f"{x.shape}\n")
    print("a", "b", file=sys.stdout, flush=True)
    return x


@program()
def order_of_evaluation(x):
    def note(name, value):
        print(name)
        return value

    table = {}
    table[note("key", "k")] = note("value", x)
    result = note("left", x) + note("right", x) * note("third", 2)
    return note("f", max)(note("a", 1), note("b", 2)), [note("1", 1), note("2", 2)], result, table


@program()
def unused_results_still_have_effects(x):
    def noisy():
        print("called")
        return x / 0

    noisy()
    _ = [noisy() for _ in range(2)]
    return x


# ------------------------------------------------------------------------------------------------------------ exceptions


@program(lambda: [call(t(1, 2)), call(t(-1, 2))], raises=True)
def raise_on_data(x):
    if x[0] < 0:
        raise ValueError(f"negative: {x[0].item()}")
    return x


@program(lambda: [call(t(1, 2), 1), call(t(1, 2), 0)])
def raise_and_catch(x, n):
    try:
        if n == 0:
            raise ZeroDivisionError("n is zero")
        y = x / n
    except ZeroDivisionError as error:
        return str(error), x
    else:
        y = y + 1
    return y


@program(lambda: [call(t(1, 2)), call(t(-1, 2))])
def catch_what_depends_on_data(x):
    done = []
    try:
        done.append("start")
        if x[0] < 0:
            raise RuntimeError("below", x[0].item())
        done.append("end")
    except RuntimeError as error:
        done.append(error.args)
    finally:
        done.append("finally")
    return done


@program(lambda: [call(t(1, 2), 0), call(t(1, 2), 5)])
def index_error_is_caught(x, k):
    try:
        return x[k]
    except IndexError:
        return None


@program(lambda: [call(t(1, 2), t(1, 2, 3)), call(t(1, 2), t(3, 4))])
def shape_error_is_caught(x, y):
    try:
        return x + y
    except ValueError as error:
        return type(error).__name__, str(error).split("\n")[0]


@program(lambda: [call(t(1, 2), t(1, 2, 3)), call(t(1, 2), t(3, 4))], raises=True)
def shape_error_is_located(x, y):
    z = x * 2
    return z + y


@program(lambda: [call(t([[1, 2]]), t([[1, 2]]))], raises=True)
def matmul_of_wrong_shapes(x, y):
    return ops.matmul(x, y)


@program(lambda: [call(t(1, 2), "a"), call(t(1, 2), 2)], raises=True)
def tensor_plus_text(x, text):
    return x + text


@program(raises=True)
def unknown_method_of_a_tensor(x):
    return x.no_such_method()


@program(raises=True)
def error_in_a_helper(x):
    def helper(v):
        return v.reshape(7, 7)

    return helper(x * 2)


@program()
def try_finally_order(x):
    log = []

    def f():
        try:
            log.append("try")
            return log.append("value")
        finally:
            log.append("finally")

    f()
    return log


@program(lambda: [call(0), call(1), call(2), call(3)])
def several_handlers(n):
    try:
        if n == 0:
            return {}["missing"]
        if n == 1:
            return [][0]
        if n == 2:
            return int("x")
        return "fine"
    except (KeyError, IndexError) as error:
        return type(error).__name__, str(error)
    except Exception as error:
        return "other", str(error)


@program(raises=True)
def exception_with_a_cause(x):
    try:
        {}["k"]
    except KeyError as error:
        raise RuntimeError("could not look it up") from error


@program(raises=True)
def exception_during_handling(x):
    try:
        1 / 0
    except ZeroDivisionError:
        [][1]


@program()
def exception_is_raised_again(x):
    log = []
    try:
        try:
            raise ValueError("first")
        except ValueError:
            log.append("inner")
            raise
    except ValueError as error:
        log.append(str(error))
    return log


@program(raises=True)
def own_exception_class(x):
    class TooLarge(Exception):
        def __init__(self, value, limit):
            super().__init__(f"{value} exceeds {limit}")
            self.value = value

    try:
        raise TooLarge(5, 3)
    except TooLarge as error:
        print(error.value)
        raise


@program()
def name_of_a_handler_is_removed(x):
    error = "before"
    try:
        raise ValueError("v")
    except ValueError as error:
        kept = error
    try:
        return error
    except UnboundLocalError:
        return str(kept)


@program(lambda: [call(t(1, 2)), call(t(1, -2))], raises=True)
def assert_on_data(x):
    assert x.min() > 0, f"minimum is {x.min().item()}"
    return x.log()


@program(lambda: [call([1, 2]), call([])], raises=True)
def assert_without_message(values):
    assert values
    assert isinstance(values, list)
    return values[-1]


@program(raises=True)
def effects_before_an_exception_stay(x):
    x[0] = 100.0
    print("written")
    raise RuntimeError("after the write")


@factory(raises=True)
def state_before_an_exception_stays(jit):
    log = []

    def run(x):
        log.append(x.sum())
        if len(log) == 2:
            raise StopIteration("second call")
        return list(log)

    return run


@program(lambda: [call(s(0.0)), call(s(2.5)), call(s(10.0))])
def exception_out_of_a_loop(x):
    steps = 0
    try:
        while True:
            x = x - 1
            steps += 1
            if x < 0:
                raise OverflowError("below zero")
    except OverflowError as error:
        return steps, x, str(error)


@program(lambda: [call([t(1), "a", t(3), None])])
def continue_after_exceptions(values):
    good, bad = [], []
    for v in values:
        try:
            good.append(v * 2.0)
        except TypeError as error:
            bad.append(type(error).__name__)
            continue
        finally:
            bad.append("tried")
    return good, bad


@program(lambda: [call(3), call(0)])
def retry_until_it_works(failures):
    attempts = 0
    while True:
        try:
            attempts += 1
            if attempts <= failures:
                raise ConnectionError(attempts)
            return attempts
        except ConnectionError:
            continue


@program(raises=True)
def stop_iteration_inside_a_generator(x):
    def g():
        yield 1
        raise StopIteration

    return list(g())


@program(raises=True)
def recursion_without_end(x):
    def f(n):
        if n > 50:
            raise RecursionError("deep enough")
        return f(n + 1)

    return f(0)


@program()
def exception_group_of_results(x):
    errors = []
    for f in (lambda: x[9], lambda: 1 // 0, lambda: x.sum(), lambda: "a" + 1):
        try:
            f()
        except Exception as error:
            errors.append(error)
    return [type(e).__mro__[-3].__name__ for e in errors], len(errors)


@program(raises=True)
def bad_argument_of_an_operator(x):
    return ops.softmax(x, axis=5)


@program(raises=True)
def raise_a_class_that_is_no_exception(x):
    raise int


@program(lambda: [call(t(1, 2), 2), call(t(1, 2), 200)])
def logging_as_in_a_training_loop(x, every):
    for step in range(4):
        x = x * 0.9
        if step % every == 0:
            print(f"step {step:3d} | loss {x.sum().item():8.4f} | lr {0.1 / (step + 1):.2e}")
    return x


# ---------------------------------------------------------------------------------------------------- the world outside


@program()
def random_numbers_of_python(x):
    return x * random.random(), random.randint(0, 9), random.choice("abc")


@program()
def random_shuffle(x):
    order = list(range(5))
    random.shuffle(order)
    return order, random.sample(order, 2), random.gauss(0, 1)


@program()
def time_moves_on(x):
    start = time.perf_counter()
    later = time.perf_counter()
    return later >= start, time.time() > 1.7e9, type(start)


@factory()
def time_is_asked_in_every_call(jit):
    clock = types.ModuleType("clock")  # what a module holds is not compared
    clock.last = 0.0

    def run(x):
        now = time.perf_counter()
        newer, clock.last = now > clock.last, now
        return newer

    return run


@program()
def id_and_is(x):
    y = x
    z = x + 0
    return y is x, z is x, id(x) == id(y), x is None


@program(lambda: [call(t(1, 2), i(0)), call(t(3, 4), i(1))])
def write_then_read_through_a_list(x, k):
    held = [x]
    held[0][k] = 7.0
    return x, held[0] is x


@factory()
def memoised_by_hand_on_shapes(jit):
    masks = {}

    def run(x):
        if x.shape not in masks:
            masks[x.shape] = ops.ones(x.shape) * (len(masks) + 1)
        return x * masks[x.shape], len(masks)

    return run


@factory()
def attribute_of_a_module_changes(jit):
    module = type(sys)("settings")
    module.rate = 1

    def run(x):
        module.rate += 1
        return x * module.rate

    return run


@program()
def tensor_is_created_inside(x):
    y = Tensor([1.0, 2.0, 3.0])
    y[0] = y[0] + 1
    return y, ops.zeros((2,)), Tensor(5), ops.arange(3)

"""What a debugger sees that follows each line: the lines of the program, and nothing of what compiles it."""

from __future__ import annotations

import sys

from anfora import Tensor, jit


def helper(x):
    y = x * 2
    return y


def program(x, n):
    total = x
    for i in range(n):
        total = total + helper(x) * i
    return total


def calling(function):
    def outer(x):
        return function(x) + 1

    return outer


def lines(function, *args):
    seen = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename == __file__ and frame.f_code.co_name != "lines":
            seen.append((frame.f_code.co_name, event, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = function(*args)
    finally:
        sys.settrace(before)
    return seen, result.tolist()


def test_each_line_is_followed():
    compiled = jit(program)
    for n in (2, 2, 3, 2):
        assert lines(compiled, Tensor([1.0]), n) == lines(program, Tensor([1.0]), n)
        assert compiled(Tensor([1.0]), n).tolist() == program(Tensor([1.0]), n).tolist()
    inner, plain = (calling(wrap(helper)) for wrap in (jit, lambda function: function))
    assert lines(jit(inner), Tensor([1.0])) == lines(plain, Tensor([1.0]))

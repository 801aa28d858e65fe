"""The gradient of a graph is a graph.

    graph = ir.lower(f, x).graph        a program of operators on tensors of known types
    ir.grad(graph)                      its gradient: a graph of the same parameters, and of the same kinds of nodes

transform.py   from the graph of a function to that of its gradient
activity.py    what of a program depends on what it is differentiated by
rules.py       what the tape does at one node, as calls of operators
back.py        the order in which gradients are added up; the way back over a piece, as a piece
sums.py        the gradients that have come so far, as a value of the language
whole.py       the gradient of what only a run can tell

How it is defined, and why so

*There is one way to differentiate*: the tape's. PyNative mode goes back over the operators that have run, the last
first; at each it runs the operator's rules on the gradient that has come to its result, and adds what they give to the
gradients of its operands. The graph of a gradient is a program that does the same, in the same order, so it has the same
bits. What is done at one node is not written again here: the walk over the tape is run over that node alone, on types
without data, and the operators that it calls are recorded (`rules.py`).

*Who asks for a rule.* The gradient of a graph (`transform.py`), and the way back of a piece that has run under a tape
(`back.py`, `graph/run/taped.py`): the same rules, gone through and added up by one loop, written into a graph of the
language in one case, into a piece in the other, for the layouts that its gradients have. A rule that depends on the
value of a number is none: the first refuses that, the second leaves it to the nodes. Where a program takes a gradient while
it is recorded, its numbers are wanted there and then, so the walk itself is run, and its operators are recorded like all
others. To run them from rules there too was tried: the walk of LeNet's first call took 7.7 ms in place of 5.1, that of
eight equal layers of a transformer 21 in place of 16, since a rule is recorded and then done. That is 6 % of LeNet's first
call.

*To what is added.* A gradient belongs to a tensor, and not to the name that a program has for it: a parameter, an item
of a tuple and a variable of a closure may be one tensor, and then there is one sum, to which is added in one order. So
that what only hands a tensor on (tuples, closures, `switch`, `partial`, calls and returns) has no gradient of its own,
and needs none: operators alone have. That nothing has come yet is a value of its own, and no zero: the first gradient is
taken as it is, and what nothing has come to is left out on the way back.

*Where it is known which tensors are the same*, in a graph that calls no others, sums are nodes, and are added to by
`ops.add`. The gradient is one graph of operators again, which is compiled as any other.

*Where only a run can tell*, sums are a value that goes through the program (`sums.py`): a graph back *takes* the
gradients that have come so far, and returns them added to.

    f.forward(x, …, tape)    what f(x, …) gives, and the tape with the ways back over what it has done
    f.back(sums)             a closure in there: goes back over some calls of operators
    mul.back(sums, out, …)   goes back over one, if something has come to `out`
    walk(sums, tape)         goes back over all of a tape

A tape is `(back, tape)`, the last first, and None where it begins. Each graph that is called gets the tape and puts its
own ways back on it: before it calls another one, and at its end. So a call in the last place stays one, and a loop, which
is made of such calls, needs no stack, neither forward nor back: `walk` is a loop too. Functions that are values of the
program (arguments, results, closures) are the forward graphs, so whoever calls them goes the same way.

*Orders.* All of this is made of operators, tuples, closures and `switch`. So the gradient of a gradient needs nothing
more, and its bits are those of the tape that has recorded its own walk back.

*What only a run can tell.* A function that is no operator and computes with what is differentiated by: Python's `+` on
what is of unknown type, a function of the program, a Cell with hooks or a `bprop`, an `interpret` node; a write in place to
what the gradient goes through, since it was something else before; a rule that looks at data. What such a program has put
into which object is nowhere in the graph, so no part of it can be told from the rest: the gradient is one call of
`differentiated`, which runs the program with the tape on and lets the tape go back over it (`whole.py`).
"""

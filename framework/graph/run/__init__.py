"""Later calls: guards are asked, pieces run, and what is new is recorded.

guards.py        what must hold for a piece to be run again, as text
pieces.py        guards and operators made runnable; taped.py, as one node of the tape; one_by_one.py, one by one
ledger.py        what recordings have cost, and what calls have paid for
points.py        moments between pieces, and the ways on from there; crowds.py, where these are many
widening.py      variables that hold another number each time
control.py       branches, loops and recursion that run natively, as an automaton: reach.py, of which pieces;
                 assembly.py, as which states; engines.py, how it is run
compiled.py       how calls go through what was recorded; leaving.py, what Python does of them
recordings.py    how recordings start and end, and what is left to Python
keeper.py        what is known of a program: its points, and what the recorder asks; behind.py, from piece to piece

How it is done, and why so

*Points* (`graph/state/images.py`, `points.py`, `compiled.py`). Where a piece starts, the machine's state is an
*image*: a pattern of frames, variables and objects made by the program, with slots for what came from outside,
tensors and numbers that vary. Two moments with equal images are one point; that is how a loop finds back to its
start, and how the branches of an `if` meet. A point has variants, tried in order; where none fits, the machine is
rebuilt from the image and records one more. After a dozen, as where each text has another length, one more is
recorded when it has come eight times, and looked up by what the guards of the others ask (`crowds.py`); until then
Python runs such calls. It takes longer to compile a shape than to run it a few times, though the kernels are there
already: 3,000 training steps on texts of 1 to 100 words take 1.6 s, all compilations included, where jax takes 29 and
torch.compile 19 (`benchmarks/lengths.py`). After too many points, and where an image cannot be made (an iterator of C
code is alive at a hop), Python runs the function as it is from then on, and `explain` says why.

*Under the tape* (`taped.py`, `Block` in `eager/tape.py`). A piece that PyNative's tape follows leaves one node. It
keeps what the nodes of its operators would keep. Its way back is written when it is first gone, of the rules of its
operators (`graph/gradient/`), for the pattern of gradients that have come and are wanted, and is a piece too: it takes the
gradients that the inputs have so far, or their absence, and gives them back with its own added. Whoever needs the nodes (a
second derivative, forward mode, a hook, the words of an error) has the block taken apart into them, once and for all.
Operators run one by one (`one_by_one.py`) where something that the tape follows is written in place, and in a way back that
is gone for the first time.

*`backward()`* (`graph/record/leaves.py`). The walk of `loss.backward()` goes over the nodes that operators of the piece
have left, and its operators are recorded too; what it leaves in `.grad` is one write at the end of the piece, and a loss
that is returned keeps a block with nothing saved, so walking it again is refused as in PyNative mode. Forward pass,
`backward()`, `optimizer.step()` and `zero_grad()` are thus the operators of `value_and_grad` and an optimizer. Where the
walk would leave the piece (a hop in the middle, a history from outside) the call is a hop. A node that calls Python
(a `bprop`, a `custom_vjp`, backward hooks of a Cell) cuts a piece under the tape: the operators are one native program
still, which leaves a block in front of, between and behind such nodes; they are made at its end, in order, on tensors
that the program has.

*Control flow* (`control.py`, `engines.py`, `kernel/control.py`). Where Python has come by a point some thousand
times, the start of a call among them, the points that can be reached from it by the truth of tensors, by jumps of
loops, and by calls of the function itself, become an automaton: one kernel whose states are pieces, with elements in
registers and pending calls on a stack of its own. Python's numbers are slots too (`graph/lower/arithmetic.py`,
`kernel/numbers.py`): an int is 64 bits, what would need more is left to Python, and so is what raises; guards on them
are looked at natively, variant by variant. It needs pieces that are nothing but operators, and stops exactly where Python
is needed: a way that was not seen, an error, a return to who called, some milliseconds. A function without loops
whose branches go by data is one native call too. A variable that holds another number each time that a program comes
by the same moment is taken as one that varies (`widening.py`), until the program depends on it. Calls of itself are
gone into by the recorder until a dozen stand one inside of the other; then the program starts over, and each of them
is a hop that starts from the entry, with what is pending in a list: Python's stack does not grow, and
`RecursionError` comes where the pending calls exceed Python's limit. A helper or an inner function that recurses is
compiled by itself then, as if it were marked; inner functions, which are other objects in each call, by their code,
and each call brings the function as its first argument. Functions that call each other are recorded the same way, the
others' frames being part of the points.
"""

"""Programs that show how anfora is used; `python -m anfora NAME` runs them.

lenet.py          train LeNet on handwritten digits
data_parallel.py  the same in several processes, which end in the same bits as one
modes.py          PyNative and graph mode, as a story
own_physics.py    an operator of one's own: a loop over the bodies of a cluster, with its gradient
own_activation.py another: a gate of eight operators as one function of elements
without_python.py LeNet as a library of C, run by classify.c and by classify.py, which needs no anfora
"""

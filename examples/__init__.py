"""Programs that show how anfora is used; `python -m anfora NAME` runs them.

lenet.py   train LeNet on handwritten digits
modes.py   PyNative and graph mode, as a story
"""

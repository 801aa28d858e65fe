# Made by stubs/make.py from the live package; not to be edited.
from anfora.numpy import *

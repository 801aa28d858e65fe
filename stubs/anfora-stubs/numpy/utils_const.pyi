from anfora.numpy import *

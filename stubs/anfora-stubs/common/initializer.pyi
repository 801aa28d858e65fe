from anfora.ops.initializer import *

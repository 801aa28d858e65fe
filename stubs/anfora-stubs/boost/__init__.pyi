from anfora.nn.accumulation import *

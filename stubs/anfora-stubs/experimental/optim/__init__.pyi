from anfora.optim.experimental import *

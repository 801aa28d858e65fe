from anfora.optim.optimizer import *

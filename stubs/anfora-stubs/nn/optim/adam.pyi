from anfora.optim import *

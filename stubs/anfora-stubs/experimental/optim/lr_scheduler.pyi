from anfora.optim.lr_scheduler import *

from anfora.nn.distributions import *

from anfora.nn.bijectors import *

from anfora.nn.amp import *

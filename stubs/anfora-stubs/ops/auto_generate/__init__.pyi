from anfora.ops import *

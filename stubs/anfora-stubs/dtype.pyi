from anfora.core.dtype import *

from anfora.nn import *

from anfora import *

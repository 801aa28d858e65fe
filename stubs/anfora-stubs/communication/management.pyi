from anfora.communication import *

from anfora.core.processes import *

from anfora.core.settings import *

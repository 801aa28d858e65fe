from anfora.core.hooks import *

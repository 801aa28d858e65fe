from anfora.ops.registration import *

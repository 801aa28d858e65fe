from anfora.dataset.samplers import *

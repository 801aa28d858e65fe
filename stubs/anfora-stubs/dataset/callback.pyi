from anfora.dataset.callbacks import *

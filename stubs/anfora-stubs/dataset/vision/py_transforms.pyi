from anfora.dataset.vision import *

from anfora.dataset import *

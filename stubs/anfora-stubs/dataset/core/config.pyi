from anfora.dataset.config import *

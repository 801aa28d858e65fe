from anfora.train.dataset_helper import *

from anfora.sparse import *

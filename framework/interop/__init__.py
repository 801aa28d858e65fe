"""Files of others, and other libraries: checkpoints as MindSpore's `.ckpt`, as safetensors and as torch's; einops.

checkpoint.py   save_checkpoint, load_checkpoint, load_param_into_net
ckpt.py         the bytes of a `.ckpt` file           conversion.py  files of one format as those of the other
torch_files.py  the bytes of torch's files            torch_pickle.py  what they say of tensors, without unpickling
sharded.py      weights in several files              renaming.py      another library's names
npy.py          arrays in `.npy` files
neighbours.py   what einops wants to know of tensors
"""

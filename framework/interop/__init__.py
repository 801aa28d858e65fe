"""Files of others, and other libraries: checkpoints as MindSpore's `.ckpt` and as safetensors, einops.

checkpoint.py   save_checkpoint, load_checkpoint, load_param_into_net
ckpt.py         the bytes of a `.ckpt` file
npy.py          arrays in `.npy` files
neighbours.py   what einops wants to know of tensors
"""

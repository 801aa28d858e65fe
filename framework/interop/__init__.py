"""Files of others: checkpoints as MindSpore's `.ckpt` and as safetensors.

checkpoint.py   save_checkpoint, load_checkpoint, load_param_into_net
ckpt.py         the bytes of a `.ckpt` file
npy.py          arrays in `.npy` files
"""

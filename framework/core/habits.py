"""What programs ask for by the habits of other libraries, and our word for it: the one table.

    HABITS     by what is asked: "Cell", "Tensor" and other classes, or "module"; then by the library, by the name
    word_for   the sentence of an error's help
    teach      lets a class answer such names: asking for one is an error that says so, and `hasattr` says no
    ARGUMENTS  the same of arguments, by the library; argument_for is the sentence

A class is taught by attributes, not by `__getattr__`, which would slow down every attribute that there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anfora.core.errors import OpAttributeError

__all__ = ["ARGUMENTS", "HABITS", "Asked", "argument_for", "teach", "word_for"]

_NO_DEVICE = "not needed here: everything is computed on the CPU."
_LOOP = "Model(net, loss_fn, optimizer, metrics={…})"

#: Our words. One that ends with a stop ends the sentence by itself.
HABITS: dict[str, dict[str, dict[str, str]]] = {
    "Cell": {
        "PyTorch": {
            "train": "set_train()", "eval": "set_train(False)", "forward": "construct()",
            "parameters": "get_parameters() or trainable_params()", "named_parameters": "parameters_and_names()",
            "get_parameter": "parameters_dict()[name]",
            "children": "cells()", "named_children": "name_cells()", "modules": "cells_and_names()",
            "named_modules": "cells_and_names()", "get_submodule": "get_sub_cell(path)",
            "zero_grad": "zero_grad() of the optimizer; what value_and_grad gives needs none.",
            "requires_grad_": "requires_grad of each parameter", "half": "to_float(float16)", "float": "to_float(float32)",
            "double": "to_float(float64)", "bfloat16": "to_float(bfloat16)", "type": "to_float(dtype)",
            "to": "to_float(dtype) here, and for a device nothing: everything is computed on the CPU.",
            "cuda": _NO_DEVICE, "cpu": _NO_DEVICE,
            "share_memory": "not needed here: processes get the weights by broadcast.",
            "register_parameter": "insert_param_to_cell(name, parameter)",
            "add_module": "insert_child_to_cell(name, cell)", "register_full_backward_hook": "register_backward_hook(hook)",
        },
        "Keras": {
            "fit": f"{_LOOP}.fit(epochs, data)", "evaluate": f"{_LOOP}.eval(data)", "predict": "net(x)",
            "summary": "anfora.summary(net, x)", "call": "construct()", "add": "append(cell) of a SequentialCell",
            "trainable_variables": "trainable_params()", "trainable_weights": "trainable_params()",
            "weights": "get_parameters()", "get_weights": "get_parameters()",
            "set_weights": "load_param_into_net(net, parameters)", "save": "save_checkpoint(net, file)",
            "save_weights": "save_checkpoint(net, file)", "load_weights": "load_checkpoint(file, net)",
        },
        "Flax": {"init": "not needed here: parameters are made with the Cell."},
    },
    "Optimizer": {
        "TensorFlow": {
            "minimize": "value_and_grad(…), then optimizer(gradients)", "apply_gradients": "optimizer(gradients)",
        },
        "optax": {"update": "optimizer(gradients)", "init": "not needed here: states are made with the optimizer."},
        "PyTorch": {"lr": "get_lr()"},
    },
    "Tensor": {
        "PyTorch": {
            "cuda": _NO_DEVICE, "cpu": _NO_DEVICE, "is_cuda": "False here: everything is computed on the CPU.",
            "pin_memory": _NO_DEVICE, "share_memory_": "not needed here: processes get tensors by communication.",
            "grad_fn": "is_leaf here, which says whether an operator has computed the tensor.",
            "zero_grad": "x.grad = None", "apply_": "vmap(f)(x), or operators on the whole tensor",
        },
        "jax": {
            "at": "x[i] = v, or tensor_scatter_update for a copy",
            "block_until_ready": "not needed here: results are there.",
        },
        "TensorFlow": {"assign": "ops.assign(parameter, value)", "get_shape": "x.shape", "eval": "x.asnumpy()"},
        "numpy": {"tobytes": "x.asnumpy().tobytes()"},
    },
    "Parameter": {
        "Keras": {"trainable": "requires_grad", "assign": "set_data(value)"},
    },
    "Model": {
        "Keras": {
            "compile": "not needed here: Model(net, loss_fn, optimizer, metrics={…}) takes all of it.",
            "evaluate": "eval(data)", "train_on_batch": "train_network(*batch)", "predict_on_batch": "predict(x)",
            "summary": "anfora.summary(net, x)", "save": "save_checkpoint(net, file)",
            "save_weights": "save_checkpoint(net, file)", "load_weights": "load_checkpoint(file, net)",
        },
        "Lightning": {"test": "eval(data)", "validate": "eval(data)"},
        "PyTorch": {
            "parameters": "net.get_parameters()", "state_dict": "net.parameters_dict()",
            "to": _NO_DEVICE, "cuda": _NO_DEVICE,
        },
    },
    "Dataset": {
        "TensorFlow": {
            "prefetch": "config.set_prefetch_size(count)", "cache": "a list: dataset.GeneratorDataset(list(data), names)",
            "as_numpy_iterator": "create_dict_iterator(output_numpy=True)",
            "from_tensor_slices": "NumpySlicesDataset(arrays)", "element_spec": "output_types() and output_shapes()",
        },
    },
    "module": {
        "PyTorch": {
            "Module": "anfora.nn.Cell", "ModuleList": "anfora.nn.CellList", "ModuleDict": "anfora.nn.CellDict",
            "Sequential": "anfora.nn.SequentialCell", "functional": "anfora.ops, or anfora.mint.nn.functional",
            "DataParallel": "mpiexec -n 4 python program; see docs/several_processes.md.",
            "DataLoader": "GeneratorDataset(source, names).batch(n)", "TensorDataset": "NumpySlicesDataset(arrays)",
            "ColorJitter": "RandomColorAdjust", "LambdaLR": "anfora.optim.lr_scheduler.LambdaLR",
            "clip_grad_norm_": "anfora.ops.clip_by_global_norm(gradients, norm)",
            "GradScaler": "DynamicLossScaler, or loss_scale_manager of a Model", "cuda": _NO_DEVICE, "device": _NO_DEVICE,
            "save": "save_checkpoint(net, file)", "load": "load_checkpoint(file)", "compile": "jit(f)",
            "autograd": "grad, value_and_grad, and backward() of a tensor", "conv": "conv1d, conv2d or conv3d",
            "batch_normalization": "batch_norm", "BatchNorm": "BatchNorm1d, BatchNorm2d or BatchNorm3d",
            "MNIST": "MnistDataset(folder)", "CIFAR10": "Cifar10Dataset(folder)",
            "ConvTranspose1d": "anfora.nn.Conv1dTranspose", "ConvTranspose2d": "anfora.nn.Conv2dTranspose",
            "ConvTranspose3d": "anfora.nn.Conv3dTranspose", "init": "anfora.common.initializer",
            "inference_mode": "no_grad()",
            "ImageFolder": "ImageFolderDataset(folder)", "clamp_min": "clamp(x, min)", "clamp_max": "clamp(x, None, max)",
        },
        "Keras": {
            "layers": "anfora.nn", "Input": "not needed here: a Cell takes what it is called with.",
            "Lambda": "a Cell with that construct", "keras": "anfora.nn and anfora.Model",
            "ModelCheckpointCallback": "anfora.ModelCheckpoint", "LRScheduler": "anfora.LearningRateScheduler",
        },
        "TensorFlow": {
            "GradientTape": "value_and_grad(f, None, parameters)", "Variable": "Parameter", "function": "jit(f)",
            "constant": "Tensor(values)",
            "from_tensor_slices": "NumpySlicesDataset(arrays)",
        },
        "jax": {
            "pmap": "vmap in one process, or several processes: see docs/several_processes.md.",
            "random": "anfora.ops, and set_seed(n)",
            "lax": "anfora.ops", "tree_map": "anfora.ops.HyperMap()",
        },
    },
    "arguments of compile": {"Keras": dict.fromkeys(("optimizer", "loss", "metrics"), "an argument of Model(net, …)")},
    "options of jit": {
        "jax": {
            "static_argnums": "not needed here: what is no tensor is compiled in, and looked at again in each call.",
            "static_argnames": "not needed here: what is no tensor is compiled in, and looked at again in each call.",
            "donate_argnums": "not needed here: memory is planned as a whole.",
        },
        "TensorFlow": {
            "jit_compile": "not needed here: all of it is compiled.",
            "reduce_retracing": "not needed here: numbers that vary are found.",
        },
    },
}  # fmt: skip


_ONE_CALL = "not needed here: a step is one native call."
_MAPPED = "not needed here: data.map(transforms, column) does it."
_BATCHED = "not an argument here: data.batch(n) does it."

#: Our words for arguments: names, of which the first that a call takes is meant, or a sentence, which ends with a stop.
ARGUMENTS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "PyTorch": {
        "in_features": ("in_channels", "in1_channels"), "out_features": "out_channels", "bias": "has_bias",
        "groups": "group", "dim": "axis", "keepdim": ("keep_dims", "keepdims"), "num_parameters": "channel",
        "num_embeddings": "vocab_size", "embedding_dim": "embedding_size", "negative_slope": "alpha", "eps": "epsilon",
        "track_running_stats": "use_batch_statistics (the opposite)",
        "elementwise_affine": "an argument of anfora.mint.nn.LayerNorm.",
        "padding_mode": "not there: padding is with zeros; anfora.nn.ReflectionPad2d in front pads otherwise.",
        "inplace": "not needed here: an operator gives a new tensor.",
        "size_average": "reduction", "reduce": "reduction",
        "lr": "learning_rate", "betas": "beta1 and beta2", "amsgrad": "use_amsgrad", "nesterov": "use_nesterov",
        "alpha": "decay", "maximize": "not needed here: give the gradients the other sign.",
        "foreach": _ONE_CALL, "fused": _ONE_CALL, "capturable": _ONE_CALL,
        "device": _NO_DEVICE, "pin_memory": _NO_DEVICE, "std": "sigma",
        "num_workers": "num_parallel_workers", "drop_last": "drop_remainder", "root": "dataset_dir", "train": "usage",
        "transform": _MAPPED, "target_transform": _MAPPED, "download": "not there: the files must be in the folder.",
        "interpolation": "resample", "fill": "fill_value",
        "requires_grad": "not an argument here: x.requires_grad_() sets it, and a Parameter has it.",
        "batch_size": _BATCHED, "shuffle": "not an argument here: data.shuffle(buffer_size) does it.",
        "collate_fn": "not an argument here: data.batch(n, per_batch_map=f) does it.",
        "map_location": _NO_DEVICE, "weights_only": "not needed here: nothing in a file is run.",
        "max_norm": "clip_norm", "log_dir": "summary_dir",
    },
    "Keras": {
        "units": "out_channels", "filters": "out_channels", "strides": "stride", "use_bias": "has_bias",
        "kernel_initializer": "weight_init", "bias_initializer": "bias_init", "embeddings_initializer": "embedding_table",
        "dilation_rate": "dilation", "pool_size": "kernel_size", "rate": "p", "input_dim": "vocab_size",
        "output_dim": "embedding_size", "epsilon": "eps", "stddev": "sigma",
        "input_shape": "not needed here: layers are told how many channels come in.",
        "return_sequences": "not needed here: layers give all steps and the last state.",
        "from_logits": "not needed here: there are losses for logits and others for probabilities.",
        "beta_1": "beta1", "beta_2": "beta2", "rho": "decay", "initial_learning_rate": "learning_rate",
        "loss": "loss_fn", "trainable": "requires_grad", "filepath": "prefix", "num_parallel_calls": "num_parallel_workers",
        "epochs": "epoch", "validation_data": "valid_dataset", "x": ("train_dataset", "valid_dataset"),
        "steps_per_epoch": "not an argument here: data.take(n) gives so many batches.",
        "verbose": "not needed here: callbacks=[Progress()] shows how it goes.",
    },
    "Lightning": {
        "max_epochs": "epoch", "train_dataloaders": "train_dataset", "val_dataloaders": "valid_dataset",
        "dataloaders": ("valid_dataset", "train_dataset"), "precision": "amp_level", "accelerator": _NO_DEVICE,
        "accumulate_grad_batches": "micro_batches", "devices": "not an argument here: mpiexec -n 4 python program.",
    },
    "jax": {"argnums": "grad_position"},
}  # fmt: skip


def argument_for(name: str, takes: Sequence[str]) -> str | None:
    """`what PyTorch calls bias is has_bias here.`: our word for an argument, where a call takes that one."""
    for library, words in ARGUMENTS.items():
        if name not in words:
            continue
        found = words[name]
        if isinstance(found, str) and found.endswith("."):
            return f"what {library} calls {name} is {found}"
        for word in (found,) if isinstance(found, str) else found:
            if word.split()[0] in takes:
                return f"what {library} calls {name} is {word} here."
    return None


def word_for(name: str, *kinds: str) -> str | None:
    """`what PyTorch calls train is set_train() here.`: of the first kind that has the name; None where none has."""
    for kind in kinds:
        for library, words in HABITS.get(kind, {}).items():
            if name in words:
                word = words[name]
                return f"what {library} calls {name} is {word}{'' if word.endswith('.') else ' here.'}"
    return None


class Asked:
    """An attribute that is not there, and what is in its place."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind

    def __get__(self, owner: Any, cls: type) -> Any:
        what = f"type object '{cls.__name__}'" if owner is None else f"'{cls.__name__}' object"
        raise OpAttributeError(f"{what} has no attribute '{self.name}'", help=word_for(self.name, self.kind))


def teach(cls: type, kind: str) -> None:
    """Let a class answer the names of a kind that it does not have."""
    for name in (name for words in HABITS[kind].values() for name in words):
        if not hasattr(cls, name):
            setattr(cls, name, Asked(name, kind))
    listed: Any = cls.__dir__

    def __dir__(self: Any) -> list[str]:
        return [name for name in listed(self) if not isinstance(vars(cls).get(name), Asked)]

    cls.__dir__ = __dir__  # type: ignore[method-assign, assignment]

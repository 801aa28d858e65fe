"""The quick start: images in files, a pipeline, a network, a loop, a checkpoint, predictions."""

import os
import struct
import sys

import mindspore
import numpy as np
from mindspore import nn
from mindspore.dataset import MnistDataset, transforms, vision

folder = sys.argv[1]


def write(part, count, seed):
    """Images of four kinds in MNIST's files: a bright quarter, and noise."""
    random = np.random.default_rng(seed)
    labels = (np.arange(count) % 4).astype(np.uint8)
    images = random.integers(0, 90, (count, 28, 28)).astype(np.uint8)
    for image, label in zip(images, labels):
        row, column = divmod(int(label), 2)
        image[14 * row : 14 * row + 14, 14 * column : 14 * column + 14] += 100
    os.makedirs(os.path.join(folder, part), exist_ok=True)
    prefix = os.path.join(folder, part, "train" if part == "train" else "t10k")
    with open(prefix + "-images-idx3-ubyte", "wb") as file:
        file.write(struct.pack(">IIII", 2051, count, 28, 28) + images.tobytes())
    with open(prefix + "-labels-idx1-ubyte", "wb") as file:
        file.write(struct.pack(">II", 2049, count) + labels.tobytes())


write("train", 320, 1)
write("test", 80, 2)
train_dataset = MnistDataset(os.path.join(folder, "train"), shuffle=False)
test_dataset = MnistDataset(os.path.join(folder, "test"), shuffle=False)
print(train_dataset.get_col_names(), train_dataset.get_dataset_size())


def datapipe(dataset, batch_size):
    image_transforms = [
        vision.Rescale(1.0 / 255.0, 0),
        vision.Normalize(mean=(0.1307,), std=(0.3081,)),
        vision.HWC2CHW(),
    ]
    label_transform = transforms.TypeCast(mindspore.int32)
    dataset = dataset.map(image_transforms, "image")
    dataset = dataset.map(label_transform, "label")
    dataset = dataset.batch(batch_size)
    return dataset


train_dataset = datapipe(train_dataset, 32)
test_dataset = datapipe(test_dataset, 32)
for image, label in test_dataset.create_tuple_iterator():
    print(f"Shape of image [N, C, H, W]: {image.shape} {image.dtype}")
    print(f"Shape of label: {label.shape} {label.dtype}")
    break


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(28 * 28, 32), nn.ReLU(), nn.Dense(32, 16), nn.ReLU(), nn.Dense(16, 4)
        )

    def construct(self, x):
        x = self.flatten(x)
        logits = self.dense_relu_sequential(x)
        return logits


model = Network()
random = np.random.default_rng(5)  # the same start for every framework
for parameter in model.get_parameters():
    bound = 1 / np.sqrt(parameter.shape[-1])
    parameter.set_data(mindspore.Tensor(random.uniform(-bound, bound, parameter.shape).astype(np.float32)))
print(model.flatten, len(model.trainable_params()))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(model.trainable_params(), 1e-2)


def forward_fn(data, label):
    logits = model(data)
    loss = loss_fn(logits, label)
    return loss, logits


grad_fn = mindspore.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


def train_step(data, label):
    (loss, _), grads = grad_fn(data, label)
    optimizer(grads)
    return loss


def train(model, dataset):
    size = dataset.get_dataset_size()
    model.set_train()
    for batch, (data, label) in enumerate(dataset.create_tuple_iterator()):
        loss = train_step(data, label)
        if batch % 5 == 0:
            loss, current = loss.asnumpy(), batch
            print(f"loss: {loss:>7f}  [{current:>3d}/{size:>3d}]")


def test(model, dataset, loss_fn):
    num_batches = dataset.get_dataset_size()
    model.set_train(False)
    total, test_loss, correct = 0, 0, 0
    for data, label in dataset.create_tuple_iterator():
        pred = model(data)
        total += len(data)
        test_loss += loss_fn(pred, label).asnumpy()
        correct += (pred.argmax(1) == label).asnumpy().sum()
    test_loss /= num_batches
    correct /= total
    print(f"Test: \n Accuracy: {(100 * correct):>0.1f}%, Avg loss: {test_loss:>8f} \n")


epochs = 3
for t in range(epochs):
    print(f"Epoch {t + 1}\n-------------------------------")
    train(model, train_dataset)
    test(model, test_dataset, loss_fn)
file = os.path.join(folder, "model.ckpt")
mindspore.save_checkpoint(model, file)
model = Network()
param_dict = mindspore.load_checkpoint(file)
param_not_load, _ = mindspore.load_param_into_net(model, param_dict)
print(param_not_load)
model.set_train(False)
for data, label in test_dataset:
    pred = model(data)
    predicted = pred.argmax(1)
    print(f'Predicted: "{predicted[:10]}", Actual: "{label[:10]}"')
    break

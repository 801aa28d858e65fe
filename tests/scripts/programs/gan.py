"""A GAN: two networks, two optimizers, gradients of one through the other."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

random = np.random.default_rng(3)


def start(net):
    """The same start for every framework."""
    for parameter in net.trainable_params():
        shape = parameter.shape
        bound = 1 / np.sqrt(shape[-1]) if len(shape) > 1 else 0.0
        parameter.set_data(Tensor(random.uniform(-bound, bound, shape).astype(np.float32)))
    return net


class Generator(nn.Cell):
    def __init__(self, latent, width=32):
        super().__init__()
        self.model = nn.SequentialCell(
            nn.Dense(latent, width), nn.LeakyReLU(0.2), nn.Dense(width, width), nn.Tanh(), nn.Dense(width, 2)
        )

    def construct(self, z):
        return self.model(z)


class Discriminator(nn.Cell):
    def __init__(self, width=32):
        super().__init__()
        self.model = nn.SequentialCell(
            nn.Dense(2, width),
            nn.LeakyReLU(0.2),
            nn.Dense(width, width),
            nn.LeakyReLU(0.2),
            nn.Dense(width, 1),
            nn.Sigmoid(),
        )

    def construct(self, x):
        return self.model(x)


net_g, net_d = start(Generator(4)), start(Discriminator())
adversarial = nn.BCELoss(reduction="mean")
optimizer_g = nn.Adam(net_g.trainable_params(), learning_rate=2e-3, beta1=0.5, beta2=0.999)
optimizer_d = nn.Adam(net_d.trainable_params(), learning_rate=4e-3, beta1=0.5, beta2=0.999)


def generator_forward(z, valid):
    made = net_g(z)
    return adversarial(net_d(made), valid), made


def discriminator_forward(real, made, valid, fake):
    real_loss = adversarial(net_d(real), valid)
    fake_loss = adversarial(net_d(made), fake)
    return (real_loss + fake_loss) / 2


grad_g = ms.value_and_grad(generator_forward, None, net_g.trainable_params(), has_aux=True)
grad_d = ms.value_and_grad(discriminator_forward, None, net_d.trainable_params())


def train_step(real, z):
    valid = ops.ones((real.shape[0], 1), ms.float32)
    fake = ops.zeros((real.shape[0], 1), ms.float32)
    (loss_g, made), gradients = grad_g(z, valid)
    optimizer_g(gradients)
    loss_d, gradients = grad_d(real, ops.stop_gradient(made), valid, fake)
    optimizer_d(gradients)
    return loss_g, loss_d


net_g.set_train()
net_d.set_train()
for step in range(400):
    real = Tensor((random.standard_normal((64, 2)) * 0.3 + [1.0, -2.0]).astype(np.float32))
    z = Tensor(random.standard_normal((64, 4)).astype(np.float32))
    loss_g, loss_d = train_step(real, z)
    if step in (0, 1, 2, 9):
        print(f"{step} {float(loss_g.asnumpy()):.4f} {float(loss_d.asnumpy()):.4f}")
net_g.set_train(False)
made = net_g(Tensor(random.standard_normal((500, 4)).astype(np.float32))).asnumpy()
print("near the middle:", bool(np.abs(made.mean(0) - [1.0, -2.0]).max() < 0.4))

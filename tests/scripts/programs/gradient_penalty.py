"""WGAN-GP: gradients of gradients, two optimizers, RMSProp, critic steps."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Normal

ms.set_context(mode=ms.PYNATIVE_MODE)


class G(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(
            nn.Dense(4, 16),
            nn.ReLU(),
            nn.Dense(16, 2),
        )

    def construct(self, z):
        return self.net(z)


class D(nn.Cell):
    def __init__(self):
        super().__init__(auto_prefix=True)
        self.a = nn.Dense(2, 16, weight_init=Normal(0.5))
        self.b = nn.Dense(16, 1)
        self.act = nn.Tanh()

    def construct(self, x):
        return self.b(self.act(self.a(x)))


g, d = G(), D()
rng = np.random.RandomState(0)
for net in (g, d):
    for p in net.trainable_params():
        p.set_data(Tensor(rng.randn(*p.shape) * 0.5, ms.float32))
g_opt = nn.Adam(g.trainable_params(), 1e-2, beta1=0.5)
d_opt = nn.RMSProp(d.trainable_params(), 1e-2)


def critic_sum(x):
    return d(x).sum()


input_grad = ops.grad(critic_sum)


def d_loss(real, z, eps):
    fake = ops.stop_gradient(g(z))
    mix = eps * real + (1 - eps) * fake
    gr = input_grad(mix)
    gp = ((gr.norm(dim=1) - 1) ** 2).mean()
    return d(fake).mean() - d(real).mean() + 10 * gp, gp


def g_loss(z):
    return -d(g(z)).mean()


d_step = ms.value_and_grad(d_loss, None, d.trainable_params(), has_aux=True)
g_step = ms.value_and_grad(g_loss, None, g.trainable_params())
for it in range(4):
    for _ in range(2):
        t = rng.rand(16, 1) * 2 * np.pi
        real = Tensor(np.concatenate([np.cos(t), np.sin(t)], 1), ms.float32)
        (dl, gp), grads = d_step(real, Tensor(rng.randn(16, 4), ms.float32), Tensor(rng.rand(16, 1), ms.float32))
        d_opt(grads)
    gl, grads = g_step(Tensor(rng.randn(16, 4), ms.float32))
    g_opt(grads)
    print(f"[{it}] D {float(dl):.3f} GP {float(gp):.3f} G {float(gl):.3f}")
print(g(Tensor(np.ones((1, 4)), ms.float32)).shape, [p.name for p in d.trainable_params()])

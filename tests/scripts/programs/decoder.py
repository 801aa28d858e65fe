"""Decoders that go one step at a time, by each kind of recurrent layer."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)


class Decoder(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.rnn = layer(3, 4, 2, bidirectional=True, batch_first=True)
        self.out = nn.Dense(8, 3)

    def construct(self, x):
        outputs = []
        for _ in range(3):
            y, _ = self.rnn(x.expand_dims(1))
            x = ops.tanh(self.out(y[:, 0]))
            outputs.append(x)
        return ops.stack(outputs)


for layer in (nn.RNN, nn.GRU, nn.LSTM):
    rng = np.random.RandomState(3)
    net = Decoder(layer)
    for param in net.trainable_params():
        param.set_data(Tensor(rng.randn(*param.shape) * 0.5, param.dtype))
    x, target = (Tensor(rng.randn(*shape).astype(np.float32)) for shape in ((2, 3), (3, 2, 3)))
    optimizer = nn.Momentum(net.trainable_params(), 0.2, 0.9)
    loss_fn = nn.MSELoss()

    def forward_fn(x, target, net=net, loss_fn=loss_fn):
        return loss_fn(net(x), target)

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)
    for step in range(3):
        loss, grads = grad_fn(x, target)
        optimizer(grads)
        print(f"{layer.__name__} step {step} loss {float(loss):.5f}")

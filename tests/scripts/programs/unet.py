"""A small U-Net with Dice and cross entropy, a metric of its own, Model.train and eval."""

import mindspore
import mindspore.dataset as de
import numpy as np
from mindspore import Model, Tensor, context, nn
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import Callback
from mindspore.train.serialization import load_checkpoint, load_param_into_net, save_checkpoint

context.set_context(mode=context.GRAPH_MODE, device_target="CPU", save_graphs=False)


class DoubleConv(nn.Cell):
    def __init__(self, cin, cout, mid=None):
        super().__init__()
        mid = mid or cout
        self.double_conv = nn.SequentialCell(
            [
                nn.Conv2d(cin, mid, kernel_size=3, padding=0, has_bias=True),
                nn.BatchNorm2d(mid),
                nn.ReLU(),
                nn.Conv2d(mid, cout, kernel_size=3, pad_mode="pad", padding=1, weight_init="ones"),
                nn.BatchNorm2d(cout),
                nn.ReLU(),
            ]
        )

    def construct(self, x):
        return self.double_conv(x)


class Up(nn.Cell):
    def __init__(self, cin, cout):
        super().__init__()
        self.up = nn.Conv2dTranspose(cin, cin // 2, kernel_size=2, stride=2, has_bias=True)
        self.conv = DoubleConv(cin, cout)
        self.concat = P.Concat(axis=1)

    def construct(self, x1, x2):
        return self.conv(self.concat((x1, self.up(x2))))


class UNet(nn.Cell):
    def __init__(self, cin=1, classes=2, base=4):
        super().__init__()
        self.inc = DoubleConv(cin, base)
        self.down = nn.SequentialCell([nn.MaxPool2d(kernel_size=2, stride=2), DoubleConv(base, base * 2)])
        self.up = Up(base * 2, base)
        self.outc = nn.Conv2d(base, classes, 1, has_bias=True)

    def construct(self, x):
        x1 = self.inc(x)
        x2 = self.down(x1)
        return self.outc(self.up(x1, x2))


class MyLoss(nn.Cell):
    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduce_mean = P.ReduceMean()

    def get_loss(self, x):
        return self.reduce_mean(x, ())


class CrossEntropyWithLogits(MyLoss):
    def __init__(self):
        super().__init__()
        self.transpose = F.transpose
        self.softmax_cross_entropy = P.SoftmaxCrossEntropyWithLogits()
        self.cast = P.Cast()
        self.reshape = P.Reshape()

    def construct(self, logits, label):
        logits = self.transpose(logits, (0, 2, 3, 1))
        label = self.transpose(label, (0, 2, 3, 1))
        logits = self.reshape(self.cast(logits, mindspore.float32), (-1, 2))
        loss, _ = self.softmax_cross_entropy(logits, self.reshape(label, (-1, 2)))
        return self.get_loss(loss)


class dice_coeff(nn.Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self._dice_coeff_sum = 0
        self._samples_num = 0

    def update(self, *inputs):
        if len(inputs) != 2:
            raise ValueError(f"Need 2 inputs (y_pred, y), but got {len(inputs)}")
        y_pred, y = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        self._samples_num += y.shape[0]
        pred = np.eye(2)[y_pred.transpose(0, 2, 3, 1).argmax(-1)]
        y = y.transpose(0, 2, 3, 1)
        inter = np.dot(pred[..., 1].flatten(), y[..., 1].flatten())
        union = np.dot(pred.flatten(), pred.flatten()) + np.dot(y.flatten(), y.flatten())
        self._dice_coeff_sum += 2 * float(inter) / float(union + 1e-6)

    def eval(self):
        if self._samples_num == 0:
            raise RuntimeError("Total samples num must not be 0.")
        return self._dice_coeff_sum / float(self._samples_num)


def make(n, seed):
    r = np.random.RandomState(seed)
    x = r.rand(n, 1, 16, 16).astype(np.float32)
    m = (x[:, 0] > 0.55).astype(np.int64)
    return x, np.eye(2, dtype=np.float32)[m].transpose(0, 3, 1, 2).copy()


def create(n, seed, batch):
    x, y = make(n, seed)
    d = de.GeneratorDataset(list(zip(x, y)), column_names=["image", "mask"], shuffle=False)
    d = d.map(operations=lambda im: (im - 0.5) / 0.25, input_columns=["image"])
    return d.batch(batch, drop_remainder=True)


class StepLoss(Callback):
    def __init__(self, per_print_times=1):
        super().__init__()
        self._per_print_times = per_print_times
        self.losses = []

    def step_end(self, run_context):
        cb_params = run_context.original_args()
        self.losses.append(float(cb_params.net_outputs.asnumpy()))
        if cb_params.cur_step_num % self._per_print_times == 0:
            print(f"step: {cb_params.cur_step_num}, loss is {self.losses[-1]:.4f}", flush=True)

    def epoch_end(self, run_context):
        print("epoch", run_context.original_args().cur_epoch_num, f"mean {np.mean(self.losses):.4f}")


net = UNet()
r = np.random.RandomState(3)
for name, p in net.parameters_and_names():
    if name.endswith(("weight", "bias")):
        p.set_data(Tensor((r.randn(*p.shape) * 0.3).astype(np.float32)))
print(len(net.trainable_params()), sum(p.size for p in net.get_parameters()))
train_set = create(16, 0, 4)
valid = create(8, 1, 4)
opt = nn.Adam(params=net.trainable_params(), learning_rate=0.01, weight_decay=5e-4, loss_scale=1024.0)
scale = mindspore.FixedLossScaleManager(1024.0, drop_overflow_update=False)
model = Model(
    net,
    loss_fn=CrossEntropyWithLogits(),
    loss_scale_manager=scale,
    optimizer=opt,
    amp_level="O0",
    metrics={"dice_coeff": dice_coeff()},
)
model.train(3, train_set, callbacks=[StepLoss(4)], dataset_sink_mode=False)
print("dice {:.4f}".format(model.eval(valid, dataset_sink_mode=False)["dice_coeff"]))
save_checkpoint(net, "unet.ckpt")
again = UNet()
print(load_param_into_net(again, load_checkpoint("unet.ckpt")))
again.set_train(False)
x = Tensor(make(2, 5)[0])
net.set_train(False)
print(np.abs(again(x).asnumpy() - net(x).asnumpy()).max(), again(x).shape)

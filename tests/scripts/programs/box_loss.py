"""A loss in the manner of YOLO: boxes, confidence with an ignore mask by IoU, classes; a train cell with sens."""

import mindspore as ms
import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, context
from mindspore.common import dtype as mstype
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

context.set_context(mode=context.GRAPH_MODE)


class Iou(nn.Cell):
    def __init__(self):
        super().__init__()
        self.min = P.Minimum()
        self.max = P.Maximum()

    def construct(self, box1, box2):
        box1_xy, box1_wh = box1[:, :, :, :, :, :2], box1[:, :, :, :, :, 2:4]
        box1_mins, box1_maxs = box1_xy - box1_wh / F.scalar_to_tensor(2.0), box1_xy + box1_wh / F.scalar_to_tensor(2.0)
        box2_xy, box2_wh = box2[:, :, :, :, :, :2], box2[:, :, :, :, :, 2:4]
        box2_mins, box2_maxs = box2_xy - box2_wh / 2.0, box2_xy + box2_wh / 2.0
        wh = self.max(self.min(box1_maxs, box2_maxs) - self.max(box1_mins, box2_mins), F.scalar_to_tensor(0.0))
        inter = P.Squeeze(-1)(wh[:, :, :, :, :, 0:1] * wh[:, :, :, :, :, 1:2])
        area1 = P.Squeeze(-1)(box1_wh[:, :, :, :, :, 0:1] * box1_wh[:, :, :, :, :, 1:2])
        area2 = P.Squeeze(-1)(box2_wh[:, :, :, :, :, 0:1] * box2_wh[:, :, :, :, :, 1:2])
        return inter / (area1 + area2 - inter)


class YoloLoss(nn.Cell):
    def __init__(self, anchors, classes):
        super().__init__()
        self.anchors = Tensor(anchors, mstype.float32)
        self.classes = classes
        self.iou = Iou()
        self.reduce_max = P.ReduceMax(keep_dims=False)
        self.cross = P.SigmoidCrossEntropyWithLogits()
        self.sum = P.ReduceSum()
        self.tile = P.Tile()
        self.concat = P.Concat(axis=-1)

    def construct(self, pred, y_true, gt_box):
        b, g = F.shape(pred)[0], F.shape(pred)[1]
        pred = P.Reshape()(pred, (b, g, g, 2, 5 + self.classes))
        range_x = F.tuple_to_array(F.make_range(0, g))
        grid_x = self.tile(P.Reshape()(P.Cast()(range_x, mstype.float32), (1, 1, -1, 1, 1)), (1, g, 1, 1, 1))
        grid_y = self.tile(P.Reshape()(P.Cast()(range_x, mstype.float32), (1, -1, 1, 1, 1)), (1, 1, g, 1, 1))
        grid = self.concat((grid_x, grid_y))
        xy = (P.Sigmoid()(pred[:, :, :, :, :2]) + grid) / g
        wh = P.Exp()(pred[:, :, :, :, 2:4]) * self.anchors
        object_mask = y_true[:, :, :, :, 4:5]
        pred_boxes = self.concat((xy, wh))
        shape = F.shape(gt_box)
        gt = P.Reshape()(gt_box, (shape[0], 1, 1, 1, shape[1], shape[2]))
        iou = self.iou(P.ExpandDims()(pred_boxes, -2), gt)
        best = self.reduce_max(iou, -1)
        ignore = P.Cast()(best < 0.3, mstype.float32)
        ignore = F.stop_gradient(P.ExpandDims()(ignore, -1))
        true_xy = y_true[:, :, :, :, :2] * g - grid
        true_wh = y_true[:, :, :, :, 2:4]
        true_wh = P.Select()(P.Equal()(true_wh, 0.0), P.Fill()(P.DType()(true_wh), P.Shape()(true_wh), 1.0), true_wh)
        true_wh = P.Log()(true_wh / self.anchors)
        scale = 2 - y_true[:, :, :, :, 2:3] * y_true[:, :, :, :, 3:4]
        xy_loss = self.sum(object_mask * scale * self.cross(pred[:, :, :, :, :2], true_xy), ())
        wh_loss = self.sum(object_mask * scale * 0.5 * P.Square()(pred[:, :, :, :, 2:4] - true_wh), ())
        conf = self.cross(pred[:, :, :, :, 4:5], object_mask)
        conf_loss = self.sum(object_mask * conf + (1 - object_mask) * conf * ignore, ())
        class_loss = self.sum(object_mask * self.cross(pred[:, :, :, :, 5:], y_true[:, :, :, :, 5:]), ())
        return (xy_loss + wh_loss + conf_loss + class_loss) / b


class Net(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(3, 8, 3, stride=2, pad_mode="same"),
            nn.BatchNorm2d(8, momentum=0.9, eps=1e-5),
            nn.LeakyReLU(alpha=0.1),
            nn.Conv2d(8, 16, 3, stride=2, pad_mode="same"),
            nn.BatchNorm2d(16),
            nn.LeakyReLU(alpha=0.1),
        )
        self.head = nn.Conv2d(16, 2 * (5 + classes), 1, has_bias=True)
        self.upsample = P.ResizeNearestNeighbor((4, 4))

    def construct(self, x):
        return F.transpose(self.head(self.upsample(self.body(x))), (0, 2, 3, 1))


class WithLoss(nn.Cell):
    def __init__(self, net, loss):
        super().__init__()
        self.net, self.loss = net, loss

    def construct(self, x, y, boxes):
        return self.loss(self.net(x), y, boxes)


class TrainingWrapper(nn.Cell):
    def __init__(self, network, optimizer, sens=1.0):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = optimizer.parameters
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens

    def construct(self, *args):
        loss = self.network(*args)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, self.weights)(*args, sens)
        return F.depend(loss, self.optimizer(grads))


rng = np.random.RandomState(1)
classes = 3
net = Net(classes)
for p in net.trainable_params():
    if p.name.endswith(("weight", "bias")):
        p.set_data(Tensor(rng.randn(*p.shape).astype(np.float32) * 0.2))
x = rng.rand(2, 3, 16, 16).astype(np.float32)
y = np.zeros((2, 4, 4, 2, 5 + classes), np.float32)
boxes = np.zeros((2, 5, 4), np.float32)
for b in range(2):
    for k in range(2):
        cx, cy, w, h = rng.rand(4) * 0.5 + 0.2
        boxes[b, k] = cx, cy, w, h
        y[b, int(cy * 4), int(cx * 4), k, :5] = cx, cy, w, h, 1
        y[b, int(cy * 4), int(cx * 4), k, 5 + rng.randint(classes)] = 1
lr = nn.cosine_decay_lr(0.001, 0.02, 12, 4, 3)
opt = nn.Momentum(
    filter(lambda p: p.requires_grad, net.get_parameters()), Tensor(lr, mstype.float32), 0.9, 0.0005, 64.0
)
train = TrainingWrapper(WithLoss(net, YoloLoss([[0.2, 0.3], [0.5, 0.4]], classes)), opt, 64.0)
train.set_train()
for step in range(8):
    loss = train(Tensor(x), Tensor(y), Tensor(boxes))
    print(f"step {step} loss {loss.asnumpy().item():.3f}")
score = P.Sigmoid()(net(Tensor(x)).reshape(2, 4, 4, 2, -1)[..., 4])
top, index = P.TopK(sorted=True)(score.reshape(2, -1), 3)
print(top.asnumpy().round(3).tolist(), index.asnumpy().tolist())
b = np.concatenate([rng.rand(6, 2) * 4, 4 + rng.rand(6, 2) * 4, rng.rand(6, 1)], 1).astype(np.float32)
b = b[np.argsort(-b[:, 4])]
out, idx, mask = P.NMSWithMask(0.5)(Tensor(b))
print(idx.asnumpy().tolist(), mask.asnumpy().tolist())
print(ms.ops.iou(Tensor(b[:2, :4]), Tensor(b[2:4, :4])).asnumpy().round(3).tolist())

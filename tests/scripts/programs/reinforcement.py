"""Learning by reward: a policy and its value, an environment in numpy, a compiled step."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, jit, nn, ops
from mindspore import numpy as mnp


class Grid:
    """Five places in a row; a step to the right ends in a reward."""

    def __init__(self, size=5):
        self.size = size

    def reset(self):
        self.at, self.time = self.size // 2, 0
        return self.seen()

    def seen(self):
        state = np.zeros(self.size, np.float32)
        state[self.at] = 1
        return state

    def step(self, action):
        self.at = max(0, min(self.size - 1, self.at + (1 if action else -1)))
        self.time += 1
        done = self.at in (0, self.size - 1) or self.time > 20
        return self.seen(), float(self.at == self.size - 1) - 0.01, done


class Policy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(5, 16), nn.ReLU())
        self.pi = nn.Dense(16, 2)
        self.value = nn.Dense(16, 1)

    def construct(self, s):
        h = self.body(s)
        return ops.log_softmax(self.pi(h), axis=-1), self.value(h).squeeze(-1)


net = Policy()
rng = np.random.RandomState(0)
for p in net.trainable_params():
    p.set_data(Tensor(rng.uniform(-0.3, 0.3, p.shape), ms.float32))
opt = nn.AdamWeightDecay(net.trainable_params(), 0.02, weight_decay=0.0)


def returns(rewards, gamma=0.95):
    g, out = 0.0, []
    for r in reversed(rewards):
        g = r + gamma * g
        out.append(g)
    return np.array(out[::-1], np.float32)


def loss_fn(states, actions, gains):
    logp, value = net(states)
    chosen = ops.gather_elements(logp, 1, actions.expand_dims(1)).squeeze(1)
    advantage = gains - ops.stop_gradient(value)
    entropy = -(ops.exp(logp) * logp).sum(axis=1).mean()
    policy = -(chosen * advantage).mean()
    critic = ops.smooth_l1_loss(value, gains).mean()
    return policy + 0.5 * critic - 0.01 * entropy, entropy


grad_fn = ms.value_and_grad(loss_fn, None, net.trainable_params(), has_aux=True)


@jit
def train_step(states, actions, gains):
    (loss, entropy), grads = grad_fn(states, actions, gains)
    opt(grads)
    return loss, entropy


env = Grid()
wins = []
for episode in range(30):
    state, done = env.reset(), False
    states, actions, rewards = [], [], []
    while not done:
        logp, _ = net(Tensor(state[None]))
        p = np.exp(logp.asnumpy()[0].astype(np.float64))
        action = int(rng.rand() < round(float(p[1]), 3))
        states.append(state)
        actions.append(action)
        state, reward, done = env.step(action)
        rewards.append(reward)
    wins.append(rewards[-1] > 0.5)
    pad = 21 - len(states)
    s = Tensor(np.array(states + [states[-1]] * pad))
    a = Tensor(np.array(actions + [actions[-1]] * pad, np.int32))
    g = Tensor(np.concatenate([returns(rewards), np.zeros(pad, np.float32)]))
    loss, entropy = train_step(s, a, g)
    if episode % 10 == 9:
        print(
            episode,
            "wins",
            sum(wins[-10:]),
            "loss",
            round(float(loss), 3),
            "entropy",
            round(float(entropy.asnumpy()), 3),
        )
table = net(Tensor(np.eye(5, dtype=np.float32)))[0]
print(mnp.argmax(table, axis=1), table.argmax(axis=1).dtype, ops.exp(table).sum(axis=1).asnumpy().round(3))

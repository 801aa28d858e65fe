"""An actor and a critic with the clipped objective of PPO: what the older policy said was computed by the same weights."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)


class ActorCritic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.common = nn.Dense(4, 8, activation="relu")
        self.actor = nn.Dense(8, 2)
        self.critic = nn.Dense(8, 1)

    def construct(self, x):
        x = self.common(x)
        return self.actor(x), self.critic(x)


rng = np.random.RandomState(0)
net = ActorCritic()
for param in net.trainable_params():
    param.set_data(Tensor(rng.randn(*param.shape) * 0.4, param.dtype))
optimizer = nn.Adam(net.trainable_params(), 0.02)


def loss_fn(states, actions, advantages, old, returns):
    logits, values = net(states)
    logp = ops.gather_d(ops.log_softmax(logits, 1), 1, actions).squeeze(1)
    ratio = ops.exp(logp - old)
    policy = -ops.minimum(ratio * advantages, ops.clamp(ratio, 0.8, 1.2) * advantages).sum()
    return policy + ops.smooth_l1_loss(values.squeeze(1), returns, reduction="sum")


grad_fn = ms.value_and_grad(loss_fn, None, optimizer.parameters)
for episode in range(3):
    state = rng.randn(4).astype(np.float32)
    states, actions, rewards, values, logps = [], [], [], [], []
    for _ in range(5):
        logits, value = net(Tensor(state[None]))
        action = rng.randint(2)
        values.append(value.squeeze())
        logps.append(ops.log_softmax(logits, 1)[0, action])
        states.append(state)
        actions.append([action])
        rewards.append(state.sum() * (2 * action - 1))
        state = (state * 0.8 + 0.2 * action).astype(np.float32)
    returns = [float(sum(0.9**k * reward for k, reward in enumerate(rewards[t:]))) for t in range(5)]
    returns = Tensor(np.array(returns, np.float32))
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    advantages = returns - ops.stack(values)
    batch = Tensor(np.stack(states)), Tensor(np.array(actions), ms.int32)
    old = ops.stack(logps)
    for step in range(2):
        loss, grads = grad_fn(*batch, advantages, old, returns)
        optimizer(grads)
        print(f"episode {episode} step {step} loss {float(loss):.5f} advantage {float(advantages.sum()):.5f}")
print([f"{x:.4f}" for x in net(Tensor(np.ones((1, 4), np.float32)))[0].asnumpy()[0]])

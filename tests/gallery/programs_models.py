"""Pieces of models and algorithms: attention, recurrence, search, schedules."""

# The programs are written as people write them.
# ruff: noqa: RUF005

from __future__ import annotations

import math

import numpy as np
from harness import call, factory, i, program, s, t

import anfora as ms
from anfora import Parameter, Tensor, nn, ops


def values(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32))


def sequences():
    return [call(values(2, 3, 4)), call(values(2, 3, 4, seed=1)), call(values(1, 5, 4, seed=2))]


@program(sequences, grad=True)
def self_attention(x):
    scores = x @ x.swapaxes(1, 2) / math.sqrt(x.shape[-1])
    return ops.softmax(scores, -1) @ x


@program(sequences, grad=True)
def causal_attention(x):
    n = x.shape[1]
    mask = ops.tril(ops.ones((n, n)))
    scores = x @ x.swapaxes(1, 2)
    scores = scores.masked_fill(mask == 0, -1e9)
    return ops.softmax(scores, -1) @ x


@program(sequences, grad=True)
def multi_head_attention_by_reshape(x):
    b, n, d = x.shape
    q = x.reshape(b, n, 2, d // 2).transpose(0, 2, 1, 3)
    weights = ops.softmax(q @ q.swapaxes(-1, -2) * (d // 2) ** -0.5, -1)
    return (weights @ q).transpose(0, 2, 1, 3).reshape(b, n, d)


@factory(lambda: [call(values(1, 1, 4)), call(values(1, 1, 4, seed=5)), call(values(1, 2, 4, seed=6))])
def attention_with_a_cache(jit):
    cache = {}

    def step(x):
        keys = x if "k" not in cache else ops.cat((cache["k"], x), axis=1)
        cache["k"] = keys
        return ops.softmax(x @ keys.swapaxes(1, 2), -1) @ keys, keys.shape[1]

    return step


@program(lambda: [call(values(2, 3), i(2, 3)), call(values(2, 4), i(1, 4))], grad=True)
def padding_mask(x, lengths):
    mask = ops.arange(x.shape[1]).reshape(1, -1) < lengths.reshape(-1, 1)
    total = (x * mask).sum(1)
    return total / lengths.reshape(-1)


@program(sequences)
def sinusoidal_positions(x):
    n, d = x.shape[1:]
    table = np.zeros((n, d), dtype=np.float32)
    for place in range(n):
        for k in range(0, d, 2):
            angle = place / 10000 ** (k / d)
            table[place, k], table[place, k + 1] = math.sin(angle), math.cos(angle)
    return x + Tensor(table)


@program(sequences, grad=True)
def rotary_positions(x):
    half = x.shape[-1] // 2
    angle = ops.arange(x.shape[1]).astype(ms.float32).reshape(-1, 1) * Tensor([1.0, 0.1])
    a, b = x[..., :half], x[..., half:]
    return ops.cat((a * ops.cos(angle) - b * ops.sin(angle), a * ops.sin(angle) + b * ops.cos(angle)), axis=-1)


@factory(sequences, grad=True)
def rnn_over_time(jit):
    w = Parameter(values(4, 4, seed=3), name="w")

    def run(x):
        h = ops.zeros((x.shape[0], 4))
        outputs = []
        for step in range(x.shape[1]):
            h = ops.tanh(x[:, step] + h @ w)
            outputs.append(h)
        return ops.stack(outputs, axis=1), h

    return run


@factory(sequences, grad=True)
def lstm_cell_by_hand(jit):
    class Lstm(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(values(8, 16, seed=7), name="w")

        def construct(self, x):
            h = c = ops.zeros((x.shape[0], 4))
            for xt in ops.unbind(x, 1) if hasattr(ops, "unbind") else [x[:, k] for k in range(x.shape[1])]:
                i, f, g, o = ops.split(ops.cat((xt, h), axis=1) @ self.w, 4, axis=1)
                c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
                h = ops.sigmoid(o) * ops.tanh(c)
            return h, c

    return Lstm()


@factory(lambda: [call(values(2, 4), None), call(values(2, 4, seed=1), values(2, 4, seed=2))], grad=True)
def gru_with_optional_state(jit):
    w = Parameter(values(4, 4, seed=3), name="w")

    def run(x, h):
        if h is None:
            h = ops.zeros_like(x)
        z = ops.sigmoid(x + h @ w)
        return (1 - z) * h + z * ops.tanh(x + (z * h) @ w)

    return run


@factory(lambda: [call(i(1, 2, 0)), call(i(3)), call(i(0, 0))])
def greedy_decoding_until_the_end_token(jit):
    table = values(4, 4, seed=11)

    def run(tokens):
        out = [int(v) for v in tokens]
        while out[-1] != 3 and len(out) < 6:
            logits = table[out[-1]] + len(out) * 0.1 * table[0]
            out.append(int(logits.argmax()))
        return out

    return run


@factory(lambda: [call(0, 2), call(1, 3), call(2, 1)])
def beam_search(jit):
    table = ops.log_softmax(values(4, 4, seed=13) * 3, -1)

    def run(start, width):
        beams = [([start], 0.0)]
        for _ in range(3):
            grown = []
            for tokens, score in beams:
                for token in range(4):
                    grown.append((tokens + [token], score + table[tokens[-1], token].item()))
            beams = sorted(grown, key=lambda beam: beam[1], reverse=True)[:width]
        return beams

    return run


@program(lambda: [call(values(4, 3), 1), call(values(4, 3), 3)])
def top_k_filtering(logits, k):
    threshold = ops.topk(logits, k)[0][..., -1:]
    return ops.softmax(ops.where(logits < threshold, Tensor(-1e9), logits), -1)


@program(lambda: [call(t(1, 2, 3), 0.5), call(t(1, 2, 3), 2.0), call(t(1, 2, 3), 0)], raises=True)
def temperature(logits, temperature):
    if temperature == 0:
        raise ValueError("temperature must be positive")
    return ops.softmax(logits / temperature, -1)


@program(lambda: [call(values(5, 2), values(2, 2, seed=1)), call(values(6, 2, seed=2), values(3, 2, seed=3))])
def k_means(points, centres):
    for _ in range(10):
        distances = ((points.expand_dims(1) - centres.expand_dims(0)) ** 2).sum(-1)
        nearest = distances.argmin(1)
        moved = []
        for k in range(centres.shape[0]):
            mine = points[nearest == k]
            moved.append(mine.mean(0) if mine.shape[0] else centres[k])
        new = ops.stack(moved)
        if (new - centres).abs().max() < 1e-6:
            break
        centres = new
    return centres, nearest


@program(lambda: [call(t([[4, 1], [1, 3]]), t(1, 2)), call(t([[2, 0], [0, 5]]), t(1, 1))], grad=True)
def conjugate_gradient(a, b):
    x = ops.zeros_like(b)
    r = p = b
    for _ in range(b.shape[0]):
        ap = a @ p
        alpha = (r * r).sum() / (p * ap).sum()
        x = x + alpha * p
        new = r - alpha * ap
        p = new + (new * new).sum() / (r * r).sum() * p
        r = new
    return x


@program(lambda: [call(s(0.5)), call(s(1.0)), call(s(-2.0))], grad=True)
def exponential_series(x):
    total, term, n = 1.0, 1.0, 1
    while abs(float(term)) > 1e-4:
        term = term * x / n
        total = total + term
        n += 1
    return total


@program(lambda: [call(s(1.0), 0.1, 5), call(s(0.5), 0.2, 3)], grad=True)
def runge_kutta(y, h, steps):
    def f(time, y):
        return -y * y + time

    time = 0.0
    for _ in range(steps):
        a = f(time, y)
        b = f(time + h / 2, y + h / 2 * a)
        y = y + h * f(time + h / 2, y + h / 2 * b)
        time += h
    return y


@program(lambda: [call(values(3, 3)), call(values(3, 3, seed=9))], grad=True)
def gram_schmidt(a):
    basis = []
    for v in a:
        for u in basis:
            v = v - (u * v).sum() * u
        basis.append(v / ops.sqrt((v * v).sum()))
    return ops.stack(basis)


@program(lambda: [call([3, 1, 2], 2.0), call([1], 0.5)])
def horner(coefficients, x):
    result = 0.0
    for c in coefficients:
        result = result * x + c
    return result


@program(lambda: [call("kitten", "sitting"), call("", "abc"), call("same", "same")])
def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for r, x in enumerate(a, 1):
        before, row[0] = row[0], r
        for c, y in enumerate(b, 1):
            before, row[c] = row[c], min(row[c] + 1, row[c - 1] + 1, before + (x != y))
    return row[-1]


@program(lambda: [call(values(3, 4)), call(values(3, 4, seed=2))], grad=True)
def dynamic_programming_on_a_tensor(cost):
    rows, columns = cost.shape
    best = [[None] * columns for _ in range(rows)]
    for r in range(rows):
        for c in range(columns):
            before = [best[a][b] for a, b in ((r - 1, c), (r, c - 1)) if a >= 0 and b >= 0]
            best[r][c] = cost[r, c] + (ops.minimum(*before) if len(before) == 2 else before[0] if before else 0)
    return best[-1][-1]


@program(lambda: [call({0: [1, 2], 1: [3], 2: [3], 3: []}, 0), call({0: [0]}, 0)])
def breadth_first_search(graph, start):
    seen, queue = {start: 0}, [start]
    while queue:
        node = queue.pop(0)
        for after in graph[node]:
            if after not in seen:
                seen[after] = seen[node] + 1
                queue.append(after)
    return seen


@factory(lambda: [call(((t(1, 2), t(3, 4)), t(5, 6))), call(t(1, 1)), call((t(1, 0), (t(0, 1), t(2, 2))))], grad=True)
def tree_recursive_network(jit):
    w = Parameter(values(2, 2, seed=4), name="w")

    def encode(node):
        if isinstance(node, tuple):
            return ops.tanh((encode(node[0]) + encode(node[1])) @ w)
        return node

    return lambda tree: encode(tree)


@factory(lambda: [call(i(0, 1), i(1, 2), values(3, 2)), call(i(2), i(0), values(3, 2, seed=1))], grad=True)
def message_passing_on_a_graph(jit):
    w = Parameter(values(2, 2, seed=6), name="w")

    def run(source, target, nodes):
        messages = nodes[source] @ w
        out = nodes * 1
        for k in range(target.shape[0]):
            out[target[k]] = out[target[k]] + messages[k]
        return ops.relu(out)

    return run


@program(lambda: [call(values(2, 3), i(0, 2)), call(values(2, 3, seed=1), i(1, 1))], grad=True)
def cross_entropy_by_hand(logits, labels):
    shifted = logits - logits.max(1, keepdims=True)
    log_probabilities = shifted - ops.log(ops.exp(shifted).sum(1, keepdims=True))
    return -log_probabilities.gather_elements(1, labels.reshape(-1, 1)).mean()


@program(lambda: [call(values(3, 2), 0.1), call(values(3, 2), 0.0)], grad=True)
def label_smoothing(logits, smoothing):
    log_p = ops.log_softmax(logits, -1)
    loss = -log_p[:, 0].mean()
    if smoothing > 0:
        loss = (1 - smoothing) * loss - smoothing * log_p.mean()
    return loss


@program(lambda: [call(values(4, 3), values(4, 3, seed=1)), call(values(2, 3), values(2, 3, seed=1))], grad=True)
def contrastive_loss(a, b):
    a, b = (v / ops.sqrt((v * v).sum(1, keepdims=True)) for v in (a, b))
    similarity = a @ b.T / 0.1
    labels = ops.arange(a.shape[0]).astype(ms.int32)
    return (ops.cross_entropy(similarity, labels) + ops.cross_entropy(similarity.T, labels)) / 2


@program(lambda: [call(t([[0, 0, 2, 2], [0, 0, 2, 1.9], [5, 5, 6, 6]]), t(0.9, 0.8, 0.7), 0.5)])
def non_maximum_suppression(boxes, scores, limit):
    order = sorted(range(len(scores)), key=lambda k: -float(scores[k]))
    kept = []
    while order:
        best = order.pop(0)
        kept.append(best)

        def overlap(a, b):
            w = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
            h = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
            area = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
            return w * h / (area - w * h)

        rows = boxes.tolist()
        order = [k for k in order if overlap(rows[best], rows[k]) < limit]
    return kept


@program(lambda: [call([1.0, 0.0, 2.0], 0.9), call([], 0.5)])
def discounted_returns(rewards, gamma):
    total, out = 0.0, []
    for reward in reversed(rewards):
        total = reward + gamma * total
        out.insert(0, total)
    return out


@program(lambda: [call(0, 100), call(5, 100), call(60, 100), call(100, 100)])
def warmup_and_cosine_schedule(step, total):
    warmup, peak = 10, 0.1
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = (step - warmup) / (total - warmup)
    return peak * 0.5 * (1 + math.cos(math.pi * progress))


@factory(lambda: [call(values(2, 3)), call(values(2, 3, seed=1))])
def exponential_moving_average(jit):
    shadow = {"mean": None}

    def run(x):
        mean = x.mean(0)
        shadow["mean"] = mean if shadow["mean"] is None else 0.9 * shadow["mean"] + 0.1 * mean
        return x - shadow["mean"]

    return run


@program(lambda: [call(values(1, 1, 4, 4), 2), call(values(1, 1, 6, 6), 3)], grad=True)
def patches_of_an_image(image, size):
    b, c, h, w = image.shape
    x = image.reshape(b, c, h // size, size, w // size, size)
    return x.transpose(0, 2, 4, 1, 3, 5).reshape(b, -1, c * size * size)


@program(lambda: [call(values(1, 2, 4)), call(values(2, 3, 4))], grad=True)
def convolution_by_loops(x):
    kernel = [0.25, 0.5, 0.25]
    columns = []
    for place in range(x.shape[2] - 2):
        columns.append(sum(k * x[:, :, place + n] for n, k in enumerate(kernel)))
    return ops.stack(columns, axis=-1)


@program(lambda: [call(values(3, 4)), call(values(2, 4, seed=1))], grad=True, order=2)
def layer_norm_by_hand(x):
    mean = x.mean(-1, keep_dims=True)
    return (x - mean) / ops.sqrt(((x - mean) ** 2).mean(-1, keep_dims=True) + 1e-5)


@program(lambda: [call(values(2, 3), i(1, 0)), call(values(4, 3), i(0, 1, 2, 2))])
def accuracy_and_confusion(logits, labels):
    guess = logits.argmax(1)
    table = np.zeros((3, 3), int)
    for a, b in zip(labels.tolist(), guess.tolist()):
        table[a][b] += 1
    return (guess == labels).astype(ms.float32).mean(), table


@program(lambda: [call([[1, 2, 3], [4], []]), call([[7]])])
def pad_a_batch(sequences):
    longest = max(map(len, sequences))
    padded = [row + [0] * (longest - len(row)) for row in sequences]
    return Tensor(padded), Tensor([len(row) for row in sequences]), ops.not_equal(Tensor(padded), 0)


@program(lambda: [call("to be or not to be"), call("a a b")])
def vocabulary_and_encoding(text):
    vocabulary = {}
    ids = [vocabulary.setdefault(word, len(vocabulary)) for word in text.split()]
    return ops.one_hot(Tensor(ids, ms.int32), len(vocabulary), Tensor(1.0), Tensor(0.0)).sum(0), vocabulary

"""Sentences to feelings: tokens, a vocabulary, padding, an embedding and an LSTM."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import HeUniform, Uniform
from mindspore.dataset import text, transforms

ms.set_seed(7)
GOOD, BAD = ["good", "great", "lovely", "fine"], ["bad", "poor", "awful", "dull"]
NEUTRAL = ["the", "film", "was", "a", "plot", "and", "actors", "very", "not"]
random = np.random.default_rng(11)


class Reviews:
    """Sentences of common words, with one or two that decide."""

    def __init__(self, count):
        self.rows = []
        for number in range(count):
            label = number % 2
            words = list(random.choice(NEUTRAL, random.integers(3, 7)))
            for _ in range(random.integers(1, 3)):
                words.insert(random.integers(0, len(words) + 1), str(random.choice(GOOD if label else BAD)))
            self.rows.append((" ".join(words), label))

    def __getitem__(self, index):
        return self.rows[index][0], np.array(self.rows[index][1], np.float32)

    def __len__(self):
        return len(self.rows)


vocab = text.Vocab.from_list([*NEUTRAL, *GOOD, *BAD], special_tokens=["<unk>", "<pad>"], special_first=True)
pad_index = vocab.tokens_to_ids("<pad>")
tokenize = text.PythonTokenizer(lambda sentence: sentence.lower().split())
lookup = text.Lookup(vocab, unknown_token="<unk>")
pad = transforms.PadEnd([10], pad_value=pad_index)


def pipeline(count):
    dataset = ds.GeneratorDataset(Reviews(count), column_names=["text", "label"], shuffle=False)
    dataset = dataset.map(operations=[tokenize, lookup, pad], input_columns=["text"])
    return dataset.batch(16, drop_remainder=True)


class RNN(nn.Cell):
    def __init__(self, vocab_size, embedding_dim, hidden_dim, output_dim, pad_idx):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=pad_idx)
        self.rnn = nn.LSTM(embedding_dim, hidden_dim, num_layers=1, bidirectional=True, batch_first=True)
        bound = 1 / np.sqrt(hidden_dim * 2)
        self.fc = nn.Dense(
            hidden_dim * 2, output_dim, weight_init=HeUniform(np.sqrt(5).item()), bias_init=Uniform(bound.item())
        )

    def construct(self, inputs):
        embedded = self.embedding(inputs)
        _, (hidden, _) = self.rnn(embedded)
        hidden = ops.concat((hidden[-2, :, :], hidden[-1, :, :]), axis=1)
        return self.fc(hidden)


model = RNN(len(vocab.vocab()), 8, 12, 1, pad_index)
for parameter in model.get_parameters():  # the same start for every framework
    parameter.set_data(Tensor((random.standard_normal(parameter.shape) * 0.2).astype(np.float32)))
loss_fn = nn.BCEWithLogitsLoss(reduction="mean")
optimizer = nn.Adam(model.trainable_params(), learning_rate=0.01)


def forward_fn(data, label):
    logits = model(data).squeeze(1)
    return loss_fn(logits, label)


grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)
train, test = pipeline(320), pipeline(96)
model.set_train()
for epoch in range(3):
    total = 0.0
    for data, label in train.create_tuple_iterator():
        loss, gradients = grad_fn(data, label)
        optimizer(gradients)
        total += float(loss.asnumpy())
    print(f"epoch {epoch}: {total / train.get_dataset_size():.3f}")
model.set_train(False)
right = total = 0
for data, label in test.create_tuple_iterator():
    rounded = np.around(ops.sigmoid(model(data)).asnumpy().squeeze(1))
    right += (rounded == label.asnumpy()).sum()
    total += len(rounded)
print(f"accuracy {right / total:.3f}")


def predict_sentiment(sentence):
    ids = vocab.tokens_to_ids(sentence.lower().split())
    ids = Tensor(np.array(ids, np.int32)).expand_dims(0)
    return "positive" if ops.sigmoid(model(ids)).asnumpy().item() > 0.5 else "negative"


print(predict_sentiment("The film was great"), predict_sentiment("A very dull plot"))

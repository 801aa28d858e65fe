"""Transforms: of images, of text, of any field, and functions of one's own."""

import mindspore
import numpy as np
from mindspore.dataset import GeneratorDataset, text, transforms, vision
from PIL import Image

image = (np.arange(6 * 8 * 3) * 7 % 256).astype(np.uint8).reshape(6, 8, 3)
composed = transforms.Compose(
    [
        vision.Rescale(1.0 / 255.0, 0),
        vision.Normalize(mean=(0.5, 0.25, 0.125), std=(0.5, 1.0, 2.0)),
        vision.HWC2CHW(),
    ]
)
dataset = GeneratorDataset([image, image[:, ::-1]], "image", shuffle=False).map(composed, "image")
for (x,) in dataset.create_tuple_iterator(output_numpy=True):
    print(x.shape, x.dtype, round(float(x.sum()), 3), np.round(x[0, 0, :3], 4).tolist())
resized = vision.Resize((3, 4), vision.Inter.NEAREST)(image)
print(resized.shape, resized.sum())
print(vision.CenterCrop((2, 4))(image)[0, 0].tolist(), vision.Pad(1, fill_value=9)(image)[0, 0].tolist())
print(vision.RandomHorizontalFlip(1.0)(image)[0, 0].tolist(), image[0, -1].tolist())
print(vision.RandomVerticalFlip(1.0)(image)[0, 0].tolist(), vision.RandomHorizontalFlip(0.0)(image)[0, 0].tolist())
picture = vision.ToPIL()(image)
print(isinstance(picture, Image.Image), picture.size, vision.ToTensor()(picture).shape)
crops = vision.RandomCrop(4)
print(crops(image).shape)

# text
words = text.Vocab.from_list(["<unk>", "the", "cat", "sat"], special_first=True)
lookup = text.Lookup(words, unknown_token="<unk>")
lines = GeneratorDataset(["the cat sat", "the dog"], "line", shuffle=False)
lines = lines.map([text.PythonTokenizer(lambda s: s.split()), lookup], "line")
for (ids,) in lines.create_tuple_iterator(output_numpy=True):
    print(ids.tolist())
print(words.vocab()["cat"], words.tokens_to_ids(["sat", "the"]))
print(text.WhitespaceTokenizer()("one two  three").tolist())
print(text.BasicTokenizer(lower_case=True)("Don't stop").tolist())


# any field
def standardize(x):
    return (x - x.mean()) / x.std()


numbers = GeneratorDataset([np.array([1.0, 2.0, 3.0], np.float32)], "x").map(standardize, "x")
print(np.round(next(iter(numbers))[0].asnumpy(), 4).tolist())


def whole():
    return GeneratorDataset([np.array([1, 2, 3], np.int32)], "x")


print(next(iter(whole().map(transforms.PadEnd([5], -1), "x")))[0].asnumpy().tolist())
print(next(iter(whole().map(transforms.Mask(transforms.Relational.GT, 1), "x")))[0].asnumpy().tolist())
print(next(iter(whole().map(transforms.Slice(slice(1, 3)), "x")))[0].asnumpy().tolist())
print(transforms.Fill(7)(np.zeros(2, np.int32)).tolist(), transforms.TypeCast(mindspore.float16)(np.ones(1)).dtype)
print(
    [
        a.tolist()
        for a in next(whole().map(transforms.Duplicate(), "x", ["x", "y"]).create_tuple_iterator(output_numpy=True))
    ]
)

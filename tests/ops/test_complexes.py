"""Complex numbers beyond the op table: types, the convention of gradients, both modes, writes, files."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, get_num_threads, grad, jit, load_checkpoint, ops, save_checkpoint, set_num_threads

random = np.random.default_rng(5)


def numbers(*shape, dtype=np.complex64):
    return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)


Z = np.array([1.2 + 0.7j, -0.4 + 2j], np.complex64)
W = np.array([0.3 - 1.1j, 2 + 0.5j], np.complex64)


# -- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, dtype",
    [
        (lambda z: Tensor(1 + 2j), "complex128"),
        (lambda z: Tensor([1, 2j]), "complex128"),
        (lambda z: Tensor(2, ms.complex64), "complex64"),
        (lambda z: z + 1, "complex64"),
        (lambda z: 2.5 * z, "complex64"),
        (lambda z: z - 1j, "complex64"),
        (lambda z: np.complex64(1j) / z, "complex64"),
        (lambda z: z + Tensor([1, 2]), "complex64"),
        (lambda z: z * Tensor([1.0, 2.0], ms.float64), "complex128"),
        (lambda z: Tensor([1.0, 2.0]) * 1j, "complex64"),
        (lambda z: Tensor([1.0, 2.0], ms.float64) * 1j, "complex128"),
        (lambda z: Tensor([1, 2]) ** 1j, "complex64"),
        (lambda z: Tensor([True]) * 1j, "complex64"),
        (lambda z: abs(z), "float32"),
        (lambda z: z.real(), "float32"),
        (lambda z: z.imag(), "float32"),
        (lambda z: z.angle(), "float32"),
        (lambda z: z.norm(), "float32"),
        (lambda z: z.std(), "float32"),
        (lambda z: z == 1j, "bool_"),
        (lambda z: z.conj(), "complex64"),
        (lambda z: z.sum(), "complex64"),
        (lambda z: ops.complex(Tensor([1], ms.float16), 2), "complex64"),
        (lambda z: ops.complex(Tensor([1], ms.float64), Tensor([2.0])), "complex128"),
        (lambda z: ops.polar(Tensor([1.0]), Tensor([2.0])), "complex64"),
        (lambda z: ops.full((2,), 1j), "complex128"),
        (lambda z: ops.eye(2, dtype=ms.complex64), "complex64"),
        (lambda z: ops.arange(3, dtype=ms.complex64), "complex64"),
        (lambda z: ops.zeros((2,), "complex64"), "complex64"),
        (lambda z: ops.fft(Tensor([1, 2])), "complex64"),
        (lambda z: ops.rfft(Tensor([1.0, 2.0], ms.bfloat16)), "complex64"),
        (lambda z: ops.fft(Tensor([1.0, 2.0], ms.float64)), "complex128"),
        (lambda z: ops.irfft(z), "float32"),
        (lambda z: ms.mint.polar(Tensor([1.0]), Tensor([2.0])), "complex64"),
        (lambda z: ops.Complex()(Tensor([1.0]), Tensor([2.0])), "complex64"),
        (lambda z: ops.ComplexAbs()(z), "float32"),
    ],
)
def test_types_of_results(make, dtype):
    assert make(Tensor(Z)).dtype is getattr(ms, dtype)


def test_what_a_complex_tensor_says_of_itself():
    z = Tensor(Z)
    assert z.is_complex() and ops.is_complex(z) and not z.is_floating_point() and not Tensor([1.0]).is_complex()
    assert z.itemsize == 8 and Tensor(1j).item() == 1j and complex(Tensor(1j)) == 1j and not bool(Tensor(0j))
    assert z.tolist() == Z.tolist() and 1j in Tensor([1j])
    with pytest.raises(TypeError, match="not 'complex'"):
        float(Tensor(1j))
    assert repr(z) == "Tensor(shape=[2], dtype=Complex64, value= [1.2+0.7j, -0.4+2j])"
    assert repr(Tensor(1 + 2j)) == "Tensor(shape=[], dtype=Complex128, value= 1+2j)"
    assert Tensor([0j, 2j], ms.bool_).tolist() == [False, True]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, z: x.index_put((z,), x[0], True),
        lambda x, z: ops.index_add(x, z, x, 0),
        lambda x, z: ops.scatter_nd(z, x, (3,)),
        lambda x, z: ops.tensor_scatter_add(x, z, x),
        lambda x, z: ops.gather(x, z, 0),
        lambda x, z: x[z],
        lambda x, z: ops.scatter_add(ms.Parameter(x), z, x),
        lambda x, z: x.index_add_(0, z, x),
        lambda x, z: x.scatter_add(0, z, x),
    ],
)
def test_complex_indices_are_refused(call):
    for z in (Tensor(np.array([0, 1], np.complex64)), Tensor(np.array([[0], [1]], np.complex64))):
        for _ in range(2):
            with pytest.raises((TypeError, ValueError, IndexError), match=r"(?i)complex|shape|integer"):
                call(Tensor([1.0, 2.0]), z)


# -- gradients --------------------------------------------------------------------------------------------------------

S = np.array([1 - 2j, 0.5 + 1j], np.complex64)  #: the gradient of the result

#: Gradients by z (and w) that PyTorch 2.13 gives for a gradient S, or ones where the result is real. MindSpore 2.10 gives
#: the same, but for products, where it has none, and quotients, where it conjugates S too.
GRADIENTS = [
    (lambda z, w: z + w, [1 - 2j, 0.5 + 1j], [1 - 2j, 0.5 + 1j]),
    (lambda z, w: z * w, [2.5 + 0.5j, 1.5 + 1.75j], [-0.2 - 3.1j, 1.8 - 1.4j]),
    (lambda z, w: z / w, [-1.4615384 - 1.3076922j, 0.11764706 + 0.5294118j], [1.0781 - 2.1325j, -0.5287 + 0.0913j]),
    (lambda z, w: z**w, [2.1683605 + 2.8995261j, 0.5894412 - 1.8503327j], [-0.9335 - 2.5806j, -2.4675 + 2.7070j]),
    (lambda z, w: ops.exp(z), [-1.7383907 - 7.2176094j, 0.4700445 - 0.5837117j], None),
    (lambda z, w: ops.log(z), [1.3471502 - 0.88082904j, -0.52884614 + 0.14423077j], None),
    (lambda z, w: ops.sqrt(z), [0.630929 - 0.70830667j, -0.15976901 + 0.3573368j], None),
    (lambda z, w: ops.sin(z), [1.8688794 - 0.20261073j, 3.1449718 + 2.759029j], None),
    (lambda z, w: ops.tanh(z), [0.7755389 + 0.09132978j, -2.6059108 + 1.9755507j], None),
    (lambda z, w: ops.reciprocal(z), [-1.157078 + 0.05906215j, 0.01849112 + 0.26812127j], None),
    (lambda z, w: ops.conj(z), [1 + 2j, 0.5 - 1j], None),
    (lambda z, w: abs(z), [0.8637789 + 0.503871j, -0.19611615 + 0.9805807j], None),
    (lambda z, w: ops.angle(z), [-0.36269426 + 0.6217617j, -0.48076922 - 0.09615385j], None),
    (lambda z, w: z.real(), [1, 1], None),
    (lambda z, w: z.imag(), [1j, 1j], None),
    (lambda z, w: z.astype(ms.float32), [1, 1], None),
    (lambda z, w: ops.irfft(z), [1, 0], None),
    (lambda z, w: ops.view_as_real(z), [1 + 1j, 1 + 1j], None),
]


@pytest.mark.filterwarnings("ignore:.* imaginary parts are lost:anfora.AnforaWarning")
@pytest.mark.parametrize("function, by_z, by_w", GRADIENTS)
def test_gradients_are_mindspores_and_torchs(function, by_z, by_w):
    z, w = Tensor(Z).requires_grad_(), Tensor(W).requires_grad_()
    result = function(z, w)
    result.backward(Tensor(S) if result.is_complex() else ops.ones_like(result))
    np.testing.assert_allclose(z.grad.asnumpy(), by_z, rtol=1e-5, atol=1e-6)
    if by_w is not None:
        np.testing.assert_allclose(w.grad.asnumpy(), by_w, rtol=1e-4, atol=1e-4)


def test_gradients_have_the_type_of_what_they_belong_to():
    z, x = Tensor(Z).requires_grad_(), Tensor([2.0, 3.0]).requires_grad_()
    (z * x).backward(Tensor(S))
    assert x.grad.dtype is ms.float32 and z.grad.dtype is ms.complex64
    np.testing.assert_allclose(x.grad.asnumpy(), (S * Z.conj()).real, rtol=1e-6)
    assert grad(lambda z: z * z)(Tensor(1 + 2j)).item() == 2 - 4j  # of the real part
    assert grad(lambda x: ops.imag(x))(Tensor([2.0])).tolist() == [0]
    assert ms.GradOperation()(ops.Imag())(Tensor(1.3 + 0.4j)).item() == 1j


def test_a_step_against_the_gradient_goes_downhill():
    target = numbers(3, 4, dtype=np.complex128)

    def loss(z):
        return (abs(ops.fft(z * z, dim=0) - Tensor(target)) ** 2).sum()

    z = Tensor(numbers(3, 4, dtype=np.complex128))
    before = loss(z).item()
    assert loss(z - 1e-5 * grad(loss)(z)).item() < before < loss(z + 1e-5 * grad(loss)(z)).item()


def test_second_gradients_are_finite_differences():
    def slope(z):
        return (abs(grad(lambda z: abs(ops.exp(z) * z).sum())(z)) ** 2).sum()

    point = np.array([0.7 + 0.3j, 1 - 2j])
    found = grad(slope)(Tensor(point)).asnumpy()
    for i in range(2):
        for direction in (1, 1j):
            step = np.zeros(2, complex)
            step[i] = 1e-6 * direction
            rise = (slope(Tensor(point + step)) - slope(Tensor(point - step))).item() / 2e-6
            assert np.isclose((found[i] * np.conj(direction)).real, rise, rtol=1e-5)


# -- both modes, threads ----------------------------------------------------------------------------------------------


def long(x, y):
    a = ops.tanh(x * 2.5 + 1j) / (y.T + 0.5)
    b = ops.exp(-abs(a)) * ops.angle(x)
    m = ops.irfft(ops.fft(a @ y, dim=0), 5).sum()
    a = a * b
    v = ops.complex(a.real() + a.imag() * 2, b) * ops.conj(x)
    v[0, 1:] = x[1, 1:] * 2
    v.real()[2] = 0.5
    return abs(m * v).sum() + ops.norm(v[1:, ::2]) + v[Tensor([0, 2])].prod().real()


def bits(*tensors):
    return [(x.dtype, x.shape, x.asnumpy().tobytes()) for x in tensors]


def test_compiled_functions_give_the_bits_of_pynative_mode():
    compiled, gradient = jit(long), jit(lambda x, y: grad(long, (0, 1))(x, y))
    for _ in range(4):
        x, y = Tensor(numbers(3, 4)), Tensor(numbers(4, 3))
        assert bits(compiled(x, y)) == bits(long(x, y))
        assert bits(*gradient(x, y)) == bits(*grad(long, (0, 1))(x, y))


def test_loops_on_single_complex_numbers():
    """Parts of a number that has just been computed, which lie in the same memory."""

    @jit
    def escapes(c):
        z, n, total = c, 0, c.real()
        while abs(z) < 2.0 and n < 50:
            z = z * z + c
            total = total + z.real() * z.imag()
            n += 1
        return z, n, total

    for c in (0.3 + 0.5j, -0.1 + 0.2j, 1 + 1j, 0.3 + 0.5j, 0.25 + 0.5j):
        z, n, total = c, 0, c.real
        while abs(z) < 2 and n < 50:
            z = z * z + c
            total = total + z.real * z.imag
            n += 1
        found = escapes(Tensor(c))
        assert (found[0].item(), found[1], found[2].item()) == (z, n, total)


def test_threads_and_vectors_change_no_bit():
    x, y = numbers(300, 301, dtype=np.complex128), numbers(301, dtype=np.complex128)
    found = []
    before = get_num_threads()
    for count in (1, 3):
        set_num_threads(count)
        found.append(bits(ops.exp(Tensor(x) * Tensor(y)), ops.matmul(Tensor(x), Tensor(y)), Tensor(x).prod(0)))
    set_num_threads(before)
    assert found[0] == found[1]
    alone = [ops.exp(Tensor(x[0, i]) * Tensor(y[i])).item() for i in range(9)]
    assert ops.exp(Tensor(x[0]) * Tensor(y))[:9].tolist() == alone


def test_vmap_and_forward_mode():
    x, y = Tensor(numbers(3, 4)), Tensor(numbers(3, 4))
    found = ms.vmap(lambda x, y: ops.fft(ops.tanh(x)) * y.sum())(x, y)
    np.testing.assert_allclose(
        found.asnumpy(), np.fft.fft(np.tanh(x.asnumpy())) * y.asnumpy().sum(1, keepdims=True), rtol=1e-4, atol=1e-4
    )
    for function in (lambda z: ops.exp(z) * z, abs, ops.angle, ops.conj, lambda z: z.real() * z.imag(), ops.ifft):
        z, t = (Tensor(numbers(3, dtype=np.complex128)) for _ in range(2))
        out, moved = ms.jvp(function, z, t)
        rise = (function(z + t * 1e-6) - function(z - t * 1e-6)) / 2e-6
        assert moved.dtype is out.dtype
        np.testing.assert_allclose(moved.asnumpy(), rise.asnumpy(), rtol=1e-6, atol=1e-8)


# -- writes -----------------------------------------------------------------------------------------------------------


def test_writes_are_numpys():
    wanted = numbers(3, 4)
    z = Tensor(wanted)
    for write in (
        lambda a, re, im: a.__setitem__((1, 2), 3j),
        lambda a, re, im: re.__setitem__(0, 7),
        lambda a, re, im: im.__setitem__((slice(None), 1), -1),
        lambda a, re, im: a.__setitem__((slice(None), 1), 5),
        lambda a, re, im: a.__setitem__(re > 1, 0),
        lambda a, re, im: a.__setitem__(([0, 1], [0, 3]), 1 - 1j),
        lambda a, re, im: a.__setitem__(2, a[0]),
    ):
        for array, parts in ((z, (z.real(), z.imag())), (wanted, (wanted.real, wanted.imag))):
            write(array, *parts)
        assert z.asnumpy().tobytes() == wanted.tobytes()
    z.add_(1j)
    z.mul_(Tensor(wanted))
    np.testing.assert_allclose(z.asnumpy(), (wanted + 1j) * wanted, rtol=1e-6)
    z.zero_()
    assert not z.asnumpy().any()
    z.index_add_(0, Tensor([2, 0, 2]), Tensor(wanted))
    np.testing.assert_allclose(z.asnumpy(), [wanted[1], 0 * wanted[0], wanted[0] + wanted[2]], rtol=1e-6)
    with pytest.raises(TypeError, match="cannot write Complex64 into a tensor of Float32"):
        Tensor([1.0]).index_add_(0, Tensor([0]), Tensor([1j], ms.complex64))
    with pytest.raises(TypeError, match="add_ cannot write Complex64 into a tensor of Float32"):
        Tensor([1.0]).add_(1j)


def test_gradients_through_writes_to_parts():
    def function(x):
        y = x * 1
        part = y.real()
        part[0] = part[0] * 3 + x.imag()[1]
        y[2] = y[1] * y[0]
        return (y * ops.conj(y)).real().sum()

    def by_hand(x):
        first = ops.complex(x[0].real() * 3 + x[1].imag(), x[0].imag())
        return (abs(first) ** 2 + abs(x[1]) ** 2 + abs(x[1] * first) ** 2).sum()

    x = Tensor(numbers(3, 2, dtype=np.complex128))
    np.testing.assert_allclose(grad(function)(x).asnumpy(), grad(by_hand)(x).asnumpy(), rtol=1e-12)
    compiled = jit(grad(function))
    assert [bits(compiled(x)) for _ in range(3)] == [bits(grad(function)(x))] * 3


# -- elsewhere --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["w.ckpt", "w.safetensors"])
def test_checkpoints_hold_them(tmp_path, name):
    save_checkpoint({"z": Tensor(Z)}, tmp_path / name)
    found = load_checkpoint(tmp_path / name)["z"]
    assert found.dtype is ms.complex64 and found.tolist() == Z.tolist()


def test_complex128_in_files(tmp_path):
    save_checkpoint({"z": Tensor(Z, ms.complex128)}, tmp_path / "w.ckpt")
    assert load_checkpoint(tmp_path / "w.ckpt")["z"].dtype is ms.complex128
    with pytest.raises(TypeError, match=r"'z' is complex128[^$]*ckpt"):
        save_checkpoint({"z": Tensor(Z, ms.complex128)}, tmp_path / "w.safetensors")


def test_pickles_copies_and_memory_of_others():
    z = Tensor(Z)
    for twin in (
        pickle.loads(pickle.dumps(z)),
        copy.deepcopy(z),
        ms.from_dlpack(np.array(Z)),
        ms.from_numpy(np.array(Z)),
    ):
        assert bits(twin) == bits(z)
    shared = z.asnumpy()
    shared[0] = 9j
    assert z[0].item() == 9j and np.from_dlpack(z)[0] == 9j


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda z: z < 1, "less takes no complex numbers, but got complex64[2]"),
        (lambda z: z // 2, "floor_div takes no complex numbers"),
        (lambda z: ops.softmax(z), "softmax takes no complex numbers"),
        (lambda z: ops.sort(z), "sort takes no complex numbers"),
        (lambda z: z.max(), "reduce_max takes no complex numbers"),
        (lambda z: ops.randn(2, dtype=ms.complex64), "sample takes no complex numbers"),
        (lambda z: ops.complex(z, 1.0), "complex needs real numbers for `real`"),
        (lambda z: ops.polar(Tensor([1.0]), z), "polar needs real numbers for `angle`"),
        (lambda z: ops.rfft(z), "rfft needs a real tensor, but got complex64[2]"),
    ],
)
def test_what_is_refused_is_refused_in_both_modes(call, words):
    told = []
    for function in (call, call, compiled := jit(call), compiled):
        with pytest.raises(TypeError) as error:
            function(Tensor(Z))
        told.append(str(error.value))
    assert told[1:] == told[:1] * 3 and words in told[0]


HFFT2 = [[20.0, -2.0, 0.0, -6.0], [-12.0, 2.0, 0.0, -2.0]]
HFFTN = [[5.30722778, -0.1093898, -1.52360336], [-3.67423461, 0.70710678, -0.70710678]]
IHFFTN = [
    [1.66666667, -0.33333333 - 0.19245009j, -0.33333333 + 0.19245009j],
    [-0.33333333 + 1.15470054j, -0.19245009j, -0.16666667 - 0.09622504j],
]


class Turned(ms.nn.Cell):
    def construct(self, x):
        return abs(ops.fft(x * 2j))


def test_files_of_graphs(tmp_path):
    x = Tensor(Z)
    ms.export(Turned(), x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    loaded = ms.nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    assert bits(loaded(x)) == bits(Turned()(x))
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="complex64 numbers, which ONNX's operators do not take"):
        ms.export(Turned(), Tensor([1.0, 2.0]), file_name=str(tmp_path / "net"), file_format="ONNX")
    with pytest.raises((TypeError, ValueError), match="ONNX"):
        ms.export(Turned(), x, file_name=str(tmp_path / "net"), file_format="ONNX")


# -- transforms -------------------------------------------------------------------------------------------------------


def test_hermitian_transforms_along_two_axes_are_torchs():
    x = np.arange(6.0).reshape(2, 3) + 1j * np.array([[0, 1, -1], [2, 0, 0.5]])
    found = ops.hfft2(Tensor(x))
    np.testing.assert_allclose(found.asnumpy(), HFFT2, rtol=1e-6, atol=1e-6)
    back = ops.ihfft2(found)
    np.testing.assert_allclose(ops.hfft2(back, found.shape).asnumpy(), HFFT2, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ops.hfftn(Tensor(x), (2, 3), (0, 1), "ortho").asnumpy(), HFFTN, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ops.ihfftn(Tensor(x.real), (3, 3), (1, 0)).asnumpy(), IHFFTN, rtol=1e-6, atol=1e-6)


def test_short_times_are_mindspores():
    x = Tensor(np.arange(16.0, dtype=np.float32).reshape(2, 8))
    found = ops.stft(x, 4, 2, 3, Tensor([1.0, 2.0, 1.0]), normalized=True, return_complex=True)
    assert found.shape == (2, 3, 5) and found.dtype is ms.complex64
    np.testing.assert_allclose(found.asnumpy().ravel()[:6], [2, 2, 6, 10, 13, 1 - 1j], atol=1e-5)
    assert ops.stft(x, 4).shape == (2, 3, 9, 2)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: ops.stft(x[0, 0], 2), ValueError, "for `x`"),
        (lambda x: ops.stft(x, 0), ValueError, "1 and more in `n_fft`"),
        (lambda x: ops.stft(x, 2, win_length=3), ValueError, "do not fit n_fft=2"),
        (lambda x: ops.stft(x, 2, window=x[0]), ValueError, "a window of shape"),
        (lambda x: ops.stft(x, 2, pad_mode="odd"), ValueError, "REFLECT"),
        (lambda x: ops.stft(x, 8), ValueError, "too few"),
        (lambda x: ops.stft(x * 1j, 2, onesided=True), ValueError, "no half"),
        (lambda x: ops.fft(Tensor(1.0)), ValueError, "tensor with axes"),
        (lambda x: ops.fft("x"), TypeError, "needs a tensor"),
        (lambda x: ops.fft(x, 0), ValueError, "1 and more in `n`"),
        (lambda x: ops.fft(x, 2.5), TypeError, "integers for `n`"),
        (lambda x: ops.ifft(x, dim=2), ValueError, "`dim` must be in"),
        (lambda x: ops.irfft(x, norm="half"), ValueError, '"backward", "forward" or "ortho"'),
        (lambda x: ops.irfft(x[:, :1]), ValueError, "too short"),
        (lambda x: ops.fftn(x, (1, 2, 3)), ValueError, "3 lengths"),
        (lambda x: ops.fftn(x, (2,), (0, 1)), ValueError, "1 lengths for 2 axes"),
        (lambda x: ops.fft2(x[0]), ValueError, "`dim` must be in"),
        (lambda x: ops.rfft2(x, dim=(0, 0)), ValueError, "each once"),
        (lambda x: ops.fftn(x[:0]), ValueError, "no element"),
    ],
)
def test_transforms_that_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(Tensor(np.ones((2, 3), np.float32)))


# -- matrices ---------------------------------------------------------------------------------------------------------


def test_refused_gradients_of_matrices():
    z = Tensor(numbers(3, 3))
    for function in (lambda z: abs(ops.svd(z)[1]).sum(), lambda z: abs(ops.geqrf(z)[0]).sum()):
        with pytest.raises(NotImplementedError, match="the gradient of"):
            grad(function)(z)


def test_conjugate_transposes():
    z = numbers(2, 3, 4)
    for turned in (Tensor(z).mH, Tensor(z).adjoint(), ops.adjoint(Tensor(z))):
        assert turned.tolist() == z.conj().swapaxes(1, 2).tolist()
    assert Tensor(z[0]).H.tolist() == z[0].conj().T.tolist() and Tensor(z[0]).T.tolist() == z[0].T.tolist()


def test_eigenvalues_in_both_modes():
    turn = np.array([[0.0, -1.0], [1.0, 0.0]], np.float32)
    values, vectors = ops.eig(Tensor(turn))
    assert (
        values.dtype is vectors.dtype is ms.complex64 and ops.eigvals(Tensor(turn, ms.float64)).dtype is ms.complex128
    )
    np.testing.assert_allclose(sorted(values.asnumpy().imag), [-1, 1], rtol=1e-6)
    np.testing.assert_allclose(np.abs(vectors.asnumpy()), np.full((2, 2), 0.5**0.5), rtol=1e-6)
    slope = grad(lambda x: (abs(ops.eigvals(x)) ** 3).sum())
    x = Tensor(random.standard_normal((3, 3)))
    compiled = jit(slope)
    assert [bits(compiled(x)) for _ in range(3)] == [bits(slope(x))] * 3
    assert slope(x).dtype is ms.float64


def test_class_forms_of_matrices_and_transforms():
    x = Tensor([[2.0, 1.0], [0.0, 3.0]])
    assert sorted(ops.Eig(True)(x)[0].tolist(), key=abs) == [2, 3] and ops.Eig()(x)[1].shape == ()
    y, tau = ops.Geqrf()(x)
    np.testing.assert_allclose(ops.Orgqr()(y, tau).asnumpy(), ops.qr(x)[0].asnumpy(), atol=1e-6)
    np.testing.assert_allclose(ops.Ormqr(left=False)(y, tau, x).asnumpy(), (x @ ops.qr(x)[0]).asnumpy(), atol=1e-6)
    assert x.eigvals().tolist() == ops.eigvals(x).tolist() and x.geqrf()[1].tolist() == tau.tolist()
    y = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    for signal, kwargs, wanted in (
        ((1, False, True), {}, np.fft.rfft(y)),
        ((2, False, True), {}, np.fft.rfft2(y)),
        ((1, False, True), {"onesided": False}, np.fft.fft(y)),
        ((2, True, False), {"norm": "ortho"}, np.fft.ifft2(y, norm="ortho")),
        ((1, True, True), {"signal_sizes": (5,)}, np.fft.irfft(y, 5)),
        ((1, True, True), {"onesided": False}, np.fft.ifft(y).real),
    ):
        found = ops.FFTWithSize(*signal, **kwargs)(Tensor(y))
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-5)


# -- beside numpy -----------------------------------------------------------------------------------------------------

X, Y = numbers(3, 4), numbers(3, 4)
HOLE = np.where(np.arange(12).reshape(3, 4) == 5, complex(np.nan, 1), X).astype(np.complex64)


@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda: ms.numpy.cov(Tensor(X)), np.cov(X)),
        (lambda: ms.numpy.cov(Tensor(X), Tensor(Y), rowvar=False, bias=True), np.cov(X, Y, rowvar=False, bias=True)),
        (lambda: ops.cov(Tensor(X), aweights=Tensor([1.0, 2, 3, 4])), np.cov(X, aweights=[1.0, 2, 3, 4])),
        (lambda: ops.cov(Tensor(X), fweights=Tensor([1, 2, 3, 4])), np.cov(X, fweights=[1, 2, 3, 4])),
        (lambda: ms.numpy.corrcoef(Tensor(X)), np.corrcoef(X)),
        (lambda: ms.numpy.gradient(Tensor(X), axis=1), np.gradient(X, axis=1)),
        (lambda: ms.numpy.interp(Tensor([0.5, 2.5]), Tensor([0.0, 1, 2, 3]), Tensor(X[0])),
         np.interp([0.5, 2.5], [0.0, 1, 2, 3], X[0])),
        (lambda: ms.numpy.around(Tensor(X), 1), np.around(X, 1)),
        (lambda: ms.numpy.linspace(0, 1 + 2j, 3), np.linspace(0, 1 + 2j, 3)),
        (lambda: ms.numpy.nansum(Tensor(HOLE)), np.nansum(HOLE)),
        (lambda: ms.numpy.polyint(Tensor(X[0]), 1, Tensor([1j])), np.polyint(X[0], 1, [1j])),
        (lambda: ops.vecdot(Tensor(X), Tensor(Y)), (X.conj() * Y).sum(-1)),
        (lambda: ms.mint.vdot(Tensor(X[0]), Tensor(Y[0])), np.vdot(X[0], Y[0])),
        (lambda: ops.dot(Tensor(X[0]), Tensor(Y[0])), np.dot(X[0], Y[0])),
        (lambda: ops.inner(Tensor(X), Tensor(Y)), np.inner(X, Y)),
    ],
)  # fmt: skip
def test_products_and_slopes_are_those_of_numpy(call, wanted):
    for found in (call(), jit(call)()):
        assert found.shape == np.shape(wanted)
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-5)


#: What asks for a real number of a complex one, by its own meaning.
REAL_BY_MEANING = {"real", "asfarray"}


@pytest.mark.parametrize(
    "module", [ops, ms.mint, ms.mint.nn.functional, ms.mint.linalg, ms.mint.special, ms.numpy, ms.scipy.linalg]
)
def test_no_function_drops_imaginary_parts(module, monkeypatch):
    """Each function of arrays, called with complex ones and with their real parts: results are not the same numbers."""
    monkeypatch.setattr("builtins.print", lambda *args, **kwargs: None)
    dropped = []
    for name in sorted(set(module.__all__) - REAL_BY_MEANING):
        function = getattr(module, name)
        if isinstance(function, type) or not callable(function):
            continue
        for arrays in ([X], [X[0]], [X, Y], [X[0], Y[0]], [X, Y, X], [X, Y, Y[:1]], [numbers(1, 2, 4, 4)], [X[:3, :3]]):
            found = []
            for part in (np.array, np.real):
                try:
                    results = function(*(Tensor(np.array(part(x))) for x in arrays))
                except Exception:
                    break
                results = results if isinstance(results, (tuple, list)) else [results]
                found.append([x.asnumpy() for x in results if isinstance(x, Tensor)])
            is_float = len(found) == 2 and any(x.dtype.kind == "f" for x in found[0])
            if is_float and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*found)):
                dropped.append(name)
    assert sorted(set(dropped)) == []

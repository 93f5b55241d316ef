"""Keratin and PyTorch on one GPU in one process, by hand: beside_torch.py torch|keratin

The one that is named comes first. Without a GPU that PyTorch knows its tensors stay on the host, and
Keratin's are brought there: that shows that the program works, and nothing else.
"""
import ctypes
import gc
import os
import sys
import threading

FIRST = sys.argv[1] if len(sys.argv) > 1 else 'torch'
if FIRST == 'torch':
    import torch
    if torch.cuda.is_available():
        torch.ones(3, device='cuda').sum().item()
import numpy
import keratin.backend as K
if FIRST == 'keratin':
    _x = K.placeholder((3,))
    K.function([_x], [_x * 2.], device='cuda')([[1, 2, 3]])
    import torch

K.set_device('cuda')
THERE = torch.cuda.is_available()
DEVICE = 'cuda' if THERE else 'cpu'
torch.manual_seed(5)
torch.set_num_threads(2)


def give(tensor):
    """A tensor of PyTorch's for Keratin."""
    return tensor if THERE else tensor.numpy()


def take(array):
    """What Keratin has left on the device, for PyTorch."""
    return torch.from_dlpack(array) if THERE else torch.from_numpy(array.to_host())


def same(x, y, bound=1e-4):
    return bool(torch.allclose(x, y, rtol=bound, atol=bound))


def context():
    """The current one, as the driver says."""
    driver = ctypes.CDLL(os.environ.get('KERATIN_CUDA_DRIVER') or 'libcuda.so.1')
    current = ctypes.c_void_p()
    assert driver.cuCtxGetCurrent(ctypes.byref(current)) == 0
    return current.value


def interleaved(rounds):
    """Products by both, one after the other, each with what the other has made."""
    weights = torch.randn(128, 96, device=DEVICE)
    x, w = K.placeholder((None, 128)), K.placeholder((128, 96))
    ours = K.function([x, w], [K.relu(K.dot(x, w))], keep_on_device=True, name='ours')
    wrong, before = 0, context()
    for number in range(rounds):
        rows = 1 + number * 7 % 64
        batch = torch.randn(rows, 128, device=DEVICE)
        result = take(ours([give(batch), give(weights)])[0])
        wrong += not same(result, torch.relu(batch @ weights))
        # In place, so that what Keratin reads has just changed.
        batch.mul_(0.5)
        result = take(ours([give(batch), give(weights)])[0])
        wrong += not same(result, torch.relu(batch @ weights))
    assert context() == before, 'another context is current'
    return wrong


def unfinished(rounds, size):
    """What PyTorch is still computing when Keratin is called."""
    x = K.placeholder((size, size))
    sums = K.function([x], [K.sum(x, axis=1)], name='sums')
    matrix = torch.randn(size, size, device=DEVICE) / size ** 0.5
    wrong = 0
    for number in range(rounds):
        work = torch.full((size, size), 1. + number, device=DEVICE)
        for _ in range(6):
            work = work @ matrix
        result = sums([give(work)])[0]
        wrong += not same(torch.from_numpy(result), work.sum(1).cpu(), 1e-2)
    return wrong


def let_go(rounds, size):
    """What PyTorch is still reading when it lets go of it, and Keratin is called again."""
    x = K.placeholder(())
    filled = K.function([x], [K.zeros((size, size)) + x], keep_on_device=True, name='filled')
    matrix = torch.eye(size, device=DEVICE)
    wrong = 0
    for number in range(rounds):
        mine = take(filled([float(number)])[0])
        work = matrix
        for _ in range(6):
            work = work @ matrix
        result = work @ mine
        del mine
        for other in range(3):
            filled([-1000. - other])
        wrong += not same(result, torch.full((size, size), float(number), device=DEVICE))
    return wrong


def training(steps):
    """The same network by both, a step each in turn."""
    weights = [torch.randn(64, 48, device=DEVICE) / 8, torch.randn(48, 10, device=DEVICE) / 7]
    theirs = [w.clone().requires_grad_() for w in weights]
    ours = [K.variable(w.cpu().numpy()) for w in weights]
    x, labels = K.placeholder((32, 64)), K.placeholder((32, 10))
    loss = K.mean(K.categorical_crossentropy(labels, K.softmax(K.dot(K.relu(K.dot(x, ours[0])), ours[1]))))
    step = K.function([x, labels], [loss], [(w, w - 0.1 * g) for w, g in zip(ours, K.gradients(loss, ours))])
    wrong = 0
    for _ in range(steps):
        images = torch.rand(32, 64, device=DEVICE)
        classes = torch.randint(0, 10, (32,), device=DEVICE)
        digits = torch.nn.functional.one_hot(classes, 10).float()
        found = step([give(images), give(digits)])[0]
        expected = torch.nn.functional.cross_entropy(torch.relu(images @ theirs[0]) @ theirs[1], classes)
        gradients = torch.autograd.grad(expected, theirs)
        with torch.no_grad():
            for w, gradient in zip(theirs, gradients):
                w -= 0.1 * gradient
        wrong += abs(float(found) - float(expected.detach())) > 1e-3
    for w, other in zip(ours, theirs):
        wrong += not same(torch.from_numpy(K.get_value(w)), other.detach().cpu(), 1e-3)
    return wrong


def threads(rounds):
    """Both at once, in a thread each."""
    x = K.placeholder((None, 64))
    ours = K.function([x], [K.softmax(K.dot(x, K.transpose(x)))], name='threaded')
    batch = torch.randn(64, 64, device=DEVICE)
    expected = torch.softmax(batch @ batch.T, -1)
    wrong = [0, 0]

    def keratin():
        array = batch.cpu().numpy()
        for _ in range(rounds):
            wrong[0] += not same(torch.from_numpy(ours([array])[0]), expected.cpu(), 1e-3)

    def torches():
        for _ in range(rounds):
            wrong[1] += not same(torch.softmax(batch @ batch.T, -1), expected, 1e-3)

    both = [threading.Thread(target=work) for work in (keratin, torches)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    return sum(wrong)


def memory(rounds, size):
    """What is given back can be had again; where there is none a call says so, and the next one works."""
    x = K.placeholder(())
    large = K.function([x], [K.zeros((size, size)) + x], keep_on_device=True, name='large')
    small = K.function([x], [x * 2.], name='small')

    def used():
        if not THERE:
            return 0
        torch.cuda.empty_cache()
        unused, total = torch.cuda.mem_get_info()
        return total - unused

    large([0.])
    before = used()
    for number in range(rounds):
        kept = large([float(number)])[0]
        theirs = torch.empty(size, size, device=DEVICE)
        del kept, theirs
    gc.collect()
    grown = used() - before
    print('memory: %d MiB more in use after %d rounds of %d MiB' % (
        grown >> 20, rounds, size * size * 4 >> 20))
    wrong = int(grown > 3 * size * size * 4)
    if THERE:
        # PyTorch has all but a little.
        unused = torch.cuda.mem_get_info()[0]
        taken = torch.empty(max(unused - (256 << 20), 0), dtype=torch.uint8, device=DEVICE)
        wide = int(((3 << 30) // 4) ** 0.5)
        refused = K.function([x], [K.tile(K.reshape(x, (1, 1)), (wide, wide))], keep_on_device=True, name='refused')
        try:
            refused([1.])
            print('memory: a call had room where there was none')
            wrong += 1
        except MemoryError as error:
            print('memory: %s' % error)
            wrong += 'refused' not in str(error)
        wrong += float(small([4.])[0]) != 8
        del taken
        torch.cuda.empty_cache()
        wrong += not same(take(refused([1.])[0]).sum(), torch.tensor(float(wide) ** 2, device=DEVICE), 1e-3)
    return wrong


def main():
    print('%s first; PyTorch %s on %s, NumPy %s' % (FIRST, torch.__version__, DEVICE, numpy.__version__))
    size, rounds = (4096, 300) if THERE else (64, 10)
    failed = 0
    for name, work in [
            ('interleaved', lambda: interleaved(rounds)),
            ('unfinished', lambda: unfinished(20 if THERE else 3, size)),
            ('let go', lambda: let_go(20 if THERE else 3, size)),
            ('training', lambda: training(rounds)),
            ('threads', lambda: threads(rounds)),
            ('memory', lambda: memory(20 if THERE else 3, 2 * size))]:
        try:
            wrong = work()
        except Exception as error:  # The others are tried nevertheless.
            print('%s: %s: %s' % (name, type(error).__name__, error))
            wrong = 1
        failed += wrong > 0
        print('%-12s %s' % (name, 'ok' if wrong == 0 else '%d WRONG' % wrong), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

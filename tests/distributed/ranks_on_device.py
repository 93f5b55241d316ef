#!/usr/bin/env python3
"""Ranks whose messages go from device to device, by NVIDIA's NCCL, by hand: ranks_on_device.py [RANKS] [STEPS]

Trains step.py alone and on ranks, by NCCL and through the host, and compares; then a perceptron on a mesh of twice the
ranks, its batch along one axis, its weights along the other; times the steps of a perceptron; then one of the ranks is
killed in the middle, and the others must say so. Needs a GPU. Where there are fewer than ranks, ranks share
the first one: each says that it is a host of its own, which NCCL believes, and so sends by sockets.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

HERE = pathlib.Path(__file__).parent
LIMIT = 60
BOUNDS = {'rtol': 2e-5, 'atol': 2e-6}

PERCEPTRON = """
import os, signal, sys, time
import numpy
import keratin.backend as K
from keratin import distributed as D
D.init()
steps, killed = int(sys.argv[1]), int(sys.argv[2])
random = numpy.random.RandomState(5)
weights = [K.variable(random.randn(*shape) * 0.05) for shape in ((784, 512), (512, 512), (512, 10))]
x, t = K.placeholder((K.Dim('batch'), 784)), K.placeholder((K.Dim('batch'), 10))
y = K.softmax(K.dot(K.relu(K.dot(K.relu(K.dot(x, weights[0])), weights[1])), weights[2]))
loss = K.mean(K.categorical_crossentropy(t, y))
step = K.function([x, t], [loss], [K.update(w, w - 0.1 * g) for w, g in zip(weights, K.gradients(loss, weights))], shard=['batch'])
feeds = [random.rand(64, 784).astype('float32'), numpy.eye(10, dtype='float32')[random.randint(0, 10, 64)]]
try:
    for count in range(steps):
        if count == 5:
            D.barrier()
            start = time.perf_counter()
        if count == killed and D.rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        said = step(feeds)
    print('%.1f us a step, loss %.6f' % ((time.perf_counter() - start) / (steps - 5) * 1e6, said[0]))
except D.LostRankError as error:
    print('LostRankError:', error)
"""

MESH = """
import sys
import numpy
import keratin.backend as K
from keratin import distributed as D
rows, model = int(sys.argv[1]), int(sys.argv[2])
D.init({'data': rows, 'model': model} if rows * model > 1 else {})
random = numpy.random.RandomState(5)
weights = [K.variable(random.randn(*shape) * .1) for shape in ((20, 30), (30, 40), (40, 10))]
x, t = K.placeholder((K.Dim('batch'), 20)), K.placeholder((K.Dim('batch'), 10))
y = K.softmax(K.dot(K.tanh(K.dot(K.tanh(K.dot(x, weights[0])), weights[1])), weights[2]))
loss = K.mean(K.categorical_crossentropy(t, y))
shards = [('batch', 'data'), (weights[0], 1, 'model'), (weights[1], 0, 'model')] if rows * model > 1 else []
step = K.function([x, t], [loss], [K.update(w, w - 0.5 * g) for w, g in zip(weights, K.gradients(loss, weights))], shard=shards)
feeds = [random.rand(24, 20).astype('float32'), numpy.eye(10, dtype='float32')[random.randint(0, 10, 24)]]
first = D.rank('data') * 24 // rows if rows * model > 1 else 0
for count in range(20):
    said = step([each[first:first + 24 // rows] for each in feeds])
print(' '.join(repr(float(each)) for each in (said[0], *(abs(K.get_value(w)).sum() for w in weights))))
"""


def library():
    """NCCL, of a wheel beside PyTorch too."""
    for folder in [''] + sys.path:
        path = pathlib.Path(folder) / 'nvidia/nccl/lib/libnccl.so.2'
        if folder and path.is_file():
            return str(path)
    return 'libnccl.so.2'


def devices():
    import ctypes
    driver, count = ctypes.CDLL(os.environ.get('KERATIN_CUDA_DRIVER') or 'libcuda.so.1'), ctypes.c_int()
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


def run(command, ranks, nccl):
    """What each rank printed, and its exit code."""
    count, job = devices(), 'device-%d-%d' % (os.getpid(), time.monotonic_ns())
    processes = []
    for rank in range(ranks):
        more = {'KERATIN_DEVICE': 'cuda:%d' % (rank if ranks <= count else 0)}
        if ranks > 1:
            more.update(KERATIN_RANK=str(rank), KERATIN_RANKS=str(ranks), KERATIN_JOB=job, KERATIN_COLLECTIVE_TIMEOUT='15',
                        KERATIN_NCCL=nccl, KERATIN_NCCL_LIBRARY=os.environ.get('KERATIN_NCCL_LIBRARY') or library())
        if ranks > count:
            more.update(NCCL_HOSTID='rank%d' % rank, NCCL_SOCKET_IFNAME='lo', NCCL_IB_DISABLE='1')
        processes.append(subprocess.Popen([sys.executable, *map(str, command)], env={**os.environ, **more}, text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    outputs = []
    for process in processes:
        try:
            outputs.append((process.communicate(timeout=LIMIT)[0], process.returncode))
        except subprocess.TimeoutExpired:
            process.kill()
            outputs.append((process.communicate()[0] + '\nno end after %d s' % LIMIT, None))
    return outputs


def succeed(command, ranks, nccl):
    for rank, (output, code) in enumerate(run(command, ranks, nccl)):
        if code != 0:
            sys.exit('rank %d of %d, KERATIN_NCCL=%s: %s: %s' % (rank, ranks, nccl, code, output[-3000:]))
        yield output


def meshed(program, rows, model, nccl):
    """What each rank says: the last loss, and sums of the weights."""
    return [numpy.array(output.split()[-4:], float) for output in succeed([program, rows, model], rows * model, nccl)]


def trained(folder, ranks, nccl):
    out = folder / ('%d-%s' % (ranks, nccl))
    list(succeed([HERE / 'step.py', out], ranks, nccl))
    return [dict(numpy.load('%s.%d.npz' % (out, rank))) for rank in range(ranks)]


def main():
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    print('%d ranks on %d devices' % (ranks, min(devices(), ranks)))
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / 'perceptron.py'
        program.write_text(PERCEPTRON)
        mesh = pathlib.Path(folder) / 'mesh.py'
        mesh.write_text(MESH)
        alone_on_mesh = meshed(mesh, 1, 1, 'off')[0]
        alone = trained(pathlib.Path(folder), 1, 'off')[0]
        for nccl in ('off', 'on'):
            results = trained(pathlib.Path(folder), ranks, nccl)
            for rank in results:
                for name in ('losses', 'w0', 'w1', 'w2'):
                    numpy.testing.assert_allclose(rank[name], alone[name], err_msg=name, **BOUNDS)
                    assert rank[name].tobytes() == results[0][name].tobytes(), 'ranks differ in ' + name
            assert (numpy.concatenate([rank['mask'] for rank in results]) == alone['mask']).all(), 'another dropout mask'
            print('KERATIN_NCCL=%s: trains as one process does' % nccl, flush=True)
            for rank in meshed(mesh, ranks, 2, nccl):
                numpy.testing.assert_allclose(rank, alone_on_mesh, err_msg='on a mesh', **BOUNDS)
            print('KERATIN_NCCL=%s: trains on a mesh as one process does' % nccl, flush=True)
            print('KERATIN_NCCL=%s: %s' % (nccl, ' | '.join(each.strip() for each in succeed([program, steps, -1], ranks, nccl))), flush=True)
            start = time.monotonic()
            for rank, (output, code) in enumerate(run([program, max(steps, 10), 8], ranks, nccl)):
                if rank != 1 and (code != 0 or 'LostRankError' not in output):
                    sys.exit('rank %d without rank 1, KERATIN_NCCL=%s: %s: %s' % (rank, nccl, code, output[-3000:]))
            print('KERATIN_NCCL=%s: a lost rank is known after %.0f s' % (nccl, time.monotonic() - start), flush=True)


if __name__ == '__main__':
    main()

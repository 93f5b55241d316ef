"""The Python module beside its peers: python.py [--peers PYTHON] [--rounds N]

Each line is a process of its own, and the least of N. `user` is processor time, for machines that others use
too. PYTHON is an interpreter with torch, jax and keras 3 (pip install torch jax keras); without it there are no
peers. Run it by a Python that has keratin and Keras 2.3.1 (tools/python.sh; PYTHONPATH=build/release/python).
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

DIGITS = os.path.join(os.path.dirname(__file__), '..', 'examples', 'data', 'digits.csv')
EPOCHS = 30


def digits():
    import numpy as np
    table = np.loadtxt(DIGITS, delimiter=',', skiprows=1)
    held_out = np.arange(len(table)) % 5 == 0
    x, y = (table[:, :64] / 16).astype('float32'), table[:, 64].astype('int64')
    return x[~held_out], y[~held_out], x[held_out], y[held_out]


def train_keras(keras):
    x, y, held_out, labels = digits()
    model = keras.models.Sequential([
        keras.layers.Dense(64, activation='relu'),
        keras.layers.Dropout(0.1),
        keras.layers.Dense(10, activation='softmax')])
    model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
    model.fit(x, keras.utils.to_categorical(y, 10), batch_size=32, epochs=EPOCHS, verbose=0)
    return model.evaluate(held_out, keras.utils.to_categorical(labels, 10), verbose=0)[1]


def keratin_digits():
    import keratin.keras_compat  # noqa: F401
    import keras
    return train_keras(keras)


# Of a process that has compiled the same before; `main` keeps its code.
keratin_digits_again = keratin_digits


def keras3_digits():
    import keras
    return train_keras(keras)


def torch_digits():
    import torch
    from torch import nn
    torch.set_num_threads(1)
    x, y, held_out, labels = (torch.from_numpy(each) for each in digits())
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 10))
    optimizer, loss = torch.optim.Adam(model.parameters()), nn.CrossEntropyLoss()
    for _ in range(EPOCHS):
        order = torch.randperm(len(x))
        for begin in range(0, len(x), 32):
            batch = order[begin:begin + 32]
            optimizer.zero_grad()
            loss(model(x[batch]), y[batch]).backward()
            optimizer.step()
    model.eval()
    return float((model(held_out).argmax(1) == labels).float().mean())


def least(function, number=20000, repeat=15):
    """Microseconds of processor time of a call."""
    best = float('inf')
    for _ in range(repeat):
        start = time.process_time()
        for _ in range(number):
            function()
        best = min(best, time.process_time() - start)
    return best / number * 1e6


def keratin_call():
    import numpy as np
    import keratin.backend as K
    x, y = K.placeholder((4,)), K.placeholder((4,))
    add, feeds = K.function([x, y], [x + y]), [np.ones(4, 'float32')] * 2
    return least(lambda: add(feeds))


def keratin_equal_function():
    """A function like one that is there, its graph built anew."""
    import numpy as np
    import keratin.backend as K
    w = K.variable(np.ones((5, 5)))

    def make():
        x = K.placeholder((None, 5))
        return K.function([x], [K.tanh(K.dot(x, w))])
    kept = make()  # noqa: F841
    return least(make, 500)


def jax_call():
    import jax
    import numpy as np
    add, x = jax.jit(lambda x, y: x + y), np.ones(4, 'float32')
    return least(lambda: np.asarray(add(x, x)), 5000)


def torch_call():
    import numpy as np
    import torch
    x = np.ones(4, 'float32')
    return least(lambda: (torch.from_numpy(x) + torch.from_numpy(x)).numpy())


def keratin_import():
    start = time.perf_counter()
    import keratin  # noqa: F401
    return time.perf_counter() - start


def keratin_train_on_batch():
    """Microseconds of a step of the digits' net in Keras, and of its compiled function alone."""
    import keratin.keras_compat  # noqa: F401
    import keras
    import numpy as np
    model = keras.models.Sequential([keras.layers.Dense(64, activation='relu', input_shape=(64,)),
                                     keras.layers.Dense(10, activation='softmax')])
    model.compile('adam', 'categorical_crossentropy')
    x, y = np.random.rand(32, 64).astype('float32'), np.eye(10, dtype='float32')[np.arange(32) % 10]
    model.train_on_batch(x, y)
    feeds = [x, y, np.ones(32, 'float32')]
    whole = least(lambda: model.train_on_batch(x, y), 500)
    alone = least(lambda: model.train_function(feeds), 500)
    return '%.0f us, of which the compiled function takes %.0f' % (whole, alone)


ROWS = [
    ('import keratin, s', 'keratin_import', False),
    ('digits, 30 epochs: Keras 2.3.1 on Keratin', 'keratin_digits', False),
    ('the same in a second process: nothing is compiled', 'keratin_digits_again', False),
    ('digits, 30 epochs: Keras 3 on JAX', 'keras3_digits', True),
    ('digits, 30 epochs: PyTorch by hand', 'torch_digits', True),
    ('a call, add of 4: Keratin, us', 'keratin_call', False),
    ('a function equal to another, us', 'keratin_equal_function', False),
    ('a call, add of 4: JAX, to NumPy, us', 'jax_call', True),
    ('a call, add of 4: torch eager, of and to NumPy, us', 'torch_call', True),
    ('train_on_batch of the digits\' net', 'keratin_train_on_batch', False),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--peers')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--row', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        start = time.perf_counter()
        result = globals()[options.row]()
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({'result': result, 'wall': time.perf_counter() - start,
                          'user': usage.ru_utime + usage.ru_stime}))
        return
    with tempfile.TemporaryDirectory() as folder:
        show(options, folder)


def show(options, folder):
    for title, row, is_peer in ROWS:
        if is_peer and not options.peers:
            continue
        runs = []
        # What is not to be found again is not kept; the first process fills the folder for the others.
        again = row.endswith('_again')
        for i in range(-again, options.rounds):
            environment = dict(os.environ, KERAS_BACKEND='jax' if is_peer else 'keratin', OMP_NUM_THREADS='1',
                               KERATIN_CACHE=folder if again else 'off')
            if is_peer:
                environment.pop('PYTHONPATH', None)
            result = subprocess.run([options.peers if is_peer else sys.executable, __file__, '--row', row],
                                    env=environment, capture_output=True, text=True)
            if result.returncode:
                sys.exit(result.stderr)
            if i >= 0:
                runs.append(json.loads(result.stdout.splitlines()[-1]))
        best = min(runs, key=lambda run: run['user'])
        value = best['result']
        print('%-52s %s' % (title, value if isinstance(value, str) else
                            '%.2f s wall, %.2f s user, accuracy %.3f' % (
                                min(run['wall'] for run in runs), best['user'], value)
                            if 'digits' in row else '%.3f' % min(run['result'] for run in runs)), flush=True)


if __name__ == '__main__':
    main()

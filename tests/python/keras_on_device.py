"""Keras 2.3.1 trains handwritten digits on two devices, by hand: keras_on_device.py DIGITS.csv [EPOCHS] [DEVICE]

Trains in a process each on the CPU and on the DEVICE (cuda) from the same numbers, and compares what fit() tells of each
epoch, and what the trained networks predict.
"""
import json
import os
import subprocess
import sys
import time

# Of losses and of probabilities. Sums are made in other orders, and each step builds on the last.
BOUND = 2e-3


def train(digits, epochs):
    os.environ.setdefault('KERAS_BACKEND', 'keratin')
    import numpy
    numpy.random.seed(11)
    import keratin.backend
    import keratin.keras_compat  # noqa: F401
    import keras
    from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D

    table = numpy.loadtxt(digits, delimiter=',', skiprows=1)
    images, labels = table[:, :64].reshape(-1, 8, 8, 1) / 16, keras.utils.to_categorical(table[:, 64], 10)
    images, labels = images[:1600], labels[:1600]
    networks = {
        'dense': [Flatten(input_shape=(8, 8, 1)), Dense(64, activation='relu'), Dropout(0.1, seed=3),
                  Dense(10, activation='softmax')],
        'convolutions': [Conv2D(16, (3, 3), activation='relu', input_shape=(8, 8, 1)), MaxPooling2D((2, 2)),
                         Flatten(), Dense(10, activation='softmax')],
    }
    told = {'device': keratin.backend.device(), 'python': sys.version.split()[0], 'numpy': numpy.__version__}
    for name, layers in networks.items():
        start = time.perf_counter()
        model = keras.models.Sequential(layers)
        model.compile(optimizer='adam', loss='categorical_crossentropy', metrics=['accuracy'])
        history = model.fit(images, labels, batch_size=32, epochs=epochs, verbose=0)
        told[name] = {
            'loss': [float(x) for x in history.history['loss']],
            'accuracy': [float(x) for x in history.history['accuracy']],
            'predicted': [float(x) for x in model.predict(images[:50]).ravel()],
            'seconds': round(time.perf_counter() - start, 2),
        }
    print(json.dumps(told))


def run(digits, epochs, device):
    result = subprocess.run([sys.executable, os.path.abspath(__file__), digits, str(epochs), '--train'],
                            env=dict(os.environ, KERATIN_DEVICE=device), capture_output=True, text=True)
    if result.returncode:
        sys.exit('on %s: %s' % (device, result.stderr[-3000:]))
    return json.loads(result.stdout.splitlines()[-1])


def main():
    digits, epochs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if sys.argv[-1] == '--train':
        return train(digits, epochs)
    device = sys.argv[3] if len(sys.argv) > 3 else 'cuda'
    cpu, there = run(digits, epochs, 'cpu'), run(digits, epochs, device)
    print('Python %s, NumPy %s; on %s and %s' % (cpu['python'], cpu['numpy'], cpu['device'], there['device']))
    failed = there['device'] != device
    for name in ('dense', 'convolutions'):
        for what in ('loss', 'predicted'):
            apart = max(abs(x - y) for x, y in zip(cpu[name][what], there[name][what]))
            failed |= not apart <= BOUND
            print('%-12s %-9s at most %.2g apart%s' % (name, what, apart, '' if apart <= BOUND else ': TOO MUCH'))
        print('%-12s losses    %s' % (name, ' '.join('%.5f' % x for x in there[name]['loss'])))
        print('%-12s accuracy  %.4f and %.4f; seconds %.1f and %.1f' % (
            name, cpu[name]['accuracy'][-1], there[name]['accuracy'][-1], cpu[name]['seconds'], there[name]['seconds']))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

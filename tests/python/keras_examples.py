"""Runs examples of Keras 2.3.1 on Keratin, unmodified: keras_examples.py FOLDER [name...]

FOLDER is the folder examples of keras-team/keras at tag 2.3.1, which is not part of this repository.
What they would download is replaced by data of the same shapes and kinds, and fit()
sees few of them and ends after an epoch or two: what is shown is that they run, and that the loss falls. Each runs in a
process of its own. Some need matplotlib, Pillow, or cairocffi and editdistance.
"""
import os
import runpy
import subprocess
import sys
import time

EXAMPLES = ('mnist_mlp', 'mnist_cnn', 'imdb_lstm', 'lstm_text_generation',
            'variational_autoencoder', 'antirectifier', 'mnist_siamese', 'addition_rnn', 'conv_lstm',
            'neural_style_transfer', 'deep_dream', 'cifar10_resnet', 'imdb_bidirectional_lstm',
            'lstm_stateful', 'mnist_hierarchical_rnn', 'mnist_irnn', 'reuters_mlp',
            'conv_filter_visualization', 'mnist_denoising_autoencoder', 'babi_memnn', 'image_ocr')


def arguments(name):
    """Of examples that are told which pictures to work on."""
    if name not in ('neural_style_transfer.py', 'deep_dream.py'):
        return []
    from PIL import Image
    import numpy as np
    pixels = np.random.RandomState(2).randint(0, 255, (120, 120, 3)).astype('uint8')
    Image.fromarray(pixels).save('picture.png')
    if name == 'deep_dream.py':
        return ['picture.png', 'result']
    return ['picture.png', 'picture.png', 'result', '--iter', '1']


def run(path):
    import keratin.keras_compat  # noqa: F401
    import numpy as np
    import keras
    random = np.random.RandomState(1)

    def images(shape, classes, trained, tested):
        def load_data(*unused, **keywords):
            count = trained + tested
            y = random.randint(0, classes, count)
            x = random.randint(0, 60, (count,) + shape)
            # Something to learn: a bright patch whose place says the class.
            for each, label in zip(x, y):
                each[2 * label:2 * label + 3, 4:20] += 150
            x = x.astype('uint8')
            labels = y if len(shape) == 2 else y[:, None]
            return (x[:trained], labels[:trained]), (x[trained:], labels[trained:])
        return load_data

    def words(classes):
        def load_data(num_words=1000, **keywords):
            y = random.randint(0, classes, 256)
            x = np.empty(256, dtype=object)
            for i, label in enumerate(y):
                x[i] = list(random.randint(4, min(num_words, 1000), random.randint(20, 60))) + [label + 4] * 5
            return (x[:192], y[:192]), (x[192:], y[192:])
        return load_data

    keras.datasets.mnist.load_data = images((28, 28), 10, 60000, 10000)
    keras.datasets.cifar10.load_data = images((32, 32, 3), 10, 1000, 200)
    keras.datasets.imdb.load_data = words(2)
    keras.datasets.reuters.load_data = words(46)

    def get_file(name, *unused, **keywords):
        text = os.path.join(os.environ['KERATIN_EXAMPLE_FOLDER'], 'text.txt')
        with open(text, 'w') as file:
            file.write('what is to be learnt is said again and again, in a few words. ' * 40)
        return text

    keras.utils.data_utils.get_file = get_file

    # Weights that would be downloaded.
    for module, name in (('vgg16', 'VGG16'), ('vgg19', 'VGG19'), ('inception_v3', 'InceptionV3')):
        net = getattr(getattr(keras.applications, module), name)
        setattr(getattr(keras.applications, module), name,
                lambda *unused, net=net, **keywords: net(**dict(keywords, weights=None)))
    fit, fit_generator = keras.models.Model.fit, keras.models.Model.fit_generator
    losses = []

    def short_fit(self, x=None, y=None, batch_size=None, epochs=1, **keywords):
        keywords['verbose'] = 0
        if keywords.get('steps_per_epoch'):
            keywords['steps_per_epoch'] = 2
        start = keywords.get('initial_epoch', 0)
        cut = (lambda a: a[:64] if hasattr(a, 'shape') else [each[:64] for each in a]
               if isinstance(a, (list, tuple)) and len(a) < 10 else a)
        x, y = cut(x), None if y is None else cut(y)
        history = fit(self, x, y, batch_size, epochs=start + min(epochs, 2), **keywords)
        losses.extend(history.history['loss'])
        return history

    def short_fit_generator(self, generator, steps_per_epoch=None, epochs=1, **keywords):
        keywords['verbose'] = 0
        keywords.pop('workers', None)
        history = fit_generator(self, generator, 2, epochs=2, **keywords)
        losses.extend(history.history['loss'])
        return history

    keras.models.Model.fit, keras.models.Model.fit_generator = short_fit, short_fit_generator
    sys.argv = [path] + arguments(os.path.basename(path))
    runpy.run_path(path, run_name='__main__')
    print('LOSSES', ' '.join('%.4g' % loss for loss in losses[:1] + losses[-1:]))


def main():
    folder, names = sys.argv[1], sys.argv[2:] or EXAMPLES
    failed = []
    for name in names:
        start = time.time()
        try:
            result = subprocess.run(
                [sys.executable, __file__, '--run', os.path.join(folder, name + '.py')], text=True,
                env=dict(os.environ, KERAS_BACKEND='keratin', KERATIN_EXAMPLE_FOLDER=os.getcwd()),
                capture_output=True, timeout=3600)
            text = result.stdout + result.stderr
            losses = [line for line in text.splitlines() if line.startswith('LOSSES')]
            said = losses[-1] if result.returncode == 0 and losses else ''.join(text.splitlines(True)[-3:])
            ok = result.returncode == 0
        except subprocess.TimeoutExpired:
            said, ok = 'ran for more than an hour', False
        print('%-28s %-6s %5.1f s  %s' % (name, 'ok' if ok else 'FAILED', time.time() - start, said.strip()),
              flush=True)
        if not ok:
            failed.append(name)
    return 1 if failed else 0


if __name__ == '__main__':
    if sys.argv[1] == '--run':
        run(sys.argv[2])
    else:
        sys.exit(main())

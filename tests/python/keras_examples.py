"""Runs examples of Keras 2.3.1 on Keratin, unmodified: keras_examples.py FOLDER [name...]

FOLDER is the folder examples of keras-team/keras at tag 2.3.1, which is not part of this repository.
What they would download is replaced by data of the same shapes and kinds, and fit()
sees few of them and ends after an epoch or two: what is shown is that they run, and that the loss falls. Those that
change a picture by the gradients of a net by it must change it, and the loss in their direction. Each runs in a
process of its own. Some need matplotlib, Pillow, or cairocffi and editdistance.
"""
import io
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tempfile
import time

EXAMPLES = ('mnist_mlp', 'mnist_cnn', 'imdb_lstm', 'lstm_text_generation',
            'variational_autoencoder', 'antirectifier', 'mnist_siamese', 'addition_rnn', 'conv_lstm',
            'neural_style_transfer', 'deep_dream', 'cifar10_resnet', 'imdb_bidirectional_lstm',
            'lstm_stateful', 'mnist_hierarchical_rnn', 'mnist_irnn', 'reuters_mlp',
            'conv_filter_visualization', 'mnist_denoising_autoencoder', 'babi_memnn', 'image_ocr')


# Whose loss is one of the net's answer to a picture, and which way it goes.
PICTURES = {'neural_style_transfer.py': 'falls', 'deep_dream.py': 'rises'}
# What Keras asks for by `weights='imagenet'`, and include_top=False.
WEIGHTS = {'neural_style_transfer.py': ('VGG19', 'vgg19_weights_tf_dim_ordering_tf_kernels_notop.h5'),
           'deep_dream.py': ('InceptionV3', 'inception_v3_weights_tf_dim_ordering_tf_kernels_notop.h5'),
           'conv_filter_visualization.py': ('VGG16', 'vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5')}


def arguments(name):
    """Of examples that are told which pictures to work on."""
    if name not in PICTURES:
        return []
    from PIL import Image
    import numpy as np
    # The first makes 400 rows of what it gets, with as many columns as fit; the second halves its picture twice, and
    # what is left of it in the net is more than its border.
    width, height = (16, 200) if name == 'neural_style_transfer.py' else (224, 224)
    for seed, file in enumerate(('picture.png', 'style.png')):
        pixels = np.random.RandomState(seed).randint(0, 255, (height // 8, width // 8, 3)).astype('uint8')
        Image.fromarray(pixels).resize((width, height)).save(file)
    if name == 'deep_dream.py':
        return ['picture.png', 'result']
    return ['picture.png', 'style.png', 'result', '--iter', '1']


def write_weights(name):
    """Leaves weights in Keras's cache, where it looks before it downloads: random ones, with which no signal fades."""
    import keras
    import numpy as np
    net, file = WEIGHTS[name]
    model = getattr(keras.applications, net)(weights=None, include_top=False)
    random = np.random.RandomState(3)
    model.set_weights([random.normal(0, np.sqrt(2 / np.prod(w.shape[:-1])), w.shape) if w.ndim == 4 else w
                       for w in model.get_weights()])
    if name == 'conv_filter_visualization.py':
        # It draws each of 512 filters by 135 steps with up to 344 x 344 pixels, 20 Tflop a filter. It skips those that
        # answer nothing, so all but one do.
        layer = model.get_layer('block5_conv1')
        filters, bias = layer.get_weights()
        filters[..., 1:] = 0
        layer.set_weights([filters, bias])
    folder = os.path.join(os.environ['KERAS_HOME'], 'models')
    os.makedirs(folder, exist_ok=True)
    model.save_weights(os.path.join(folder, file))
    # Those of the download are held to their hash.
    keras.utils.data_utils.validate_file = lambda *unused, **keywords: True


def note_filter_losses():
    """The list of what the functions that draw filters return first: its loss, of the two that are drawn."""
    import keras.backend as K
    function, losses = K.function, []

    def noting(inputs, outputs, **keywords):
        made = function(inputs, outputs, **keywords)

        def call(values):
            results = made(values)
            if results[0] > K.epsilon():
                losses.append(float(results[0]))
            return results
        return call if len(outputs) == 2 else made

    K.function = noting
    return losses


def judge_picture(name, example):
    """The loss of the picture before and after; fails where either is as it was."""
    import numpy as np
    from PIL import Image
    loss = example['eval_loss_and_grads']
    original = example['preprocess_image']('picture.png')
    before, after = (float(loss(x)[0]) for x in (original, example['x' if name == 'neural_style_transfer.py' else 'img']))
    result = Image.open('result_at_iteration_0.png' if name == 'neural_style_transfer.py' else 'result.png')
    picture = Image.open('picture.png').resize(result.size, Image.NEAREST)
    change = np.abs(np.asarray(result, 'float') - np.asarray(picture, 'float')).mean()
    print('LOSSES %.4g %.4g, pixels change by %.1f' % (before, after, change))
    assert after < before if PICTURES[name] == 'falls' else after > before
    assert change > 1


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

    def stories():
        """Who went where, and where somebody is, as Facebook's bAbI tasks ask it."""
        people, places = ('Mary', 'John', 'Sandra', 'Daniel'), ('kitchen', 'garden', 'office', 'hallway')
        for _ in range(100):
            went = [(random.choice(people), random.choice(places)) for _ in range(2)]
            for number, (person, place) in enumerate(went, 1):
                yield '%d %s went to the %s.\n' % (number, person, place)
            yield '3 Where is %s? \t%s\t2\n' % went[-1]

    def get_file(name, *unused, **keywords):
        if name == 'babi-tasks-v1-2.tar.gz':
            path = os.path.join(os.environ['KERAS_HOME'], name)
            with tarfile.open(path, 'w:gz') as tar:
                for part in ('train', 'test'):
                    text = ''.join(stories()).encode()
                    member = tarfile.TarInfo('tasks_1-20_v1-2/en-10k/qa1_single-supporting-fact_%s.txt' % part)
                    member.size = len(text)
                    tar.addfile(member, io.BytesIO(text))
            return path
        text = os.path.join(os.environ['KERATIN_EXAMPLE_FOLDER'], 'text.txt')
        with open(text, 'w') as file:
            file.write('what is to be learnt is said again and again, in a few words. ' * 40)
        return text

    keras.utils.data_utils.get_file = get_file

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
    name = os.path.basename(path)
    if name in WEIGHTS:
        write_weights(name)
    if name == 'babi_memnn.py':
        # Before Python 3.7 no text was split where nothing matches, which the example counts on.
        split = re.split
        re.split = lambda pattern, text, **keywords: split(pattern.replace(')?', ')'), text, **keywords)
    elif name == 'conv_filter_visualization.py':
        losses = note_filter_losses()
    sys.argv = [path] + arguments(name)
    example = runpy.run_path(path, run_name='__main__')
    if name in PICTURES:
        return judge_picture(name, example)
    if name == 'conv_filter_visualization.py':
        losses[:] = losses[-15:]  # of the last size
        assert losses == sorted(losses), losses
    print('LOSSES', ' '.join('%.4g' % loss for loss in losses[:1] + losses[-1:]))


def main():
    folder, names = sys.argv[1], sys.argv[2:] or EXAMPLES
    failed = []
    for name in names:
        start = time.time()
        try:
            with tempfile.TemporaryDirectory() as home:
                result = subprocess.run(
                    [sys.executable, __file__, '--run', os.path.join(folder, name + '.py')], text=True,
                    env=dict(os.environ, KERAS_BACKEND='keratin', KERATIN_EXAMPLE_FOLDER=os.getcwd(), KERAS_HOME=home),
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

"""What the importer does with models that tf2onnx writes: PYTHON tf_models.py BUILD [--only=MODEL,…] [--keep=FOLDER] [--verbose].

BUILD is a folder of a build with the Python module, PYTHON has tensorflow, tf2onnx, onnx, onnxruntime and numpy, which the suite has
not, and is of the version that the module was built for: docs/testing.md. Models of Keras with random weights become functions of
TensorFlow with unknown sizes. At two sizes the outputs must be those of ONNX Runtime and TensorFlow; an object that keratin-compile
makes must give the very numbers of the function in process. Prints a line for each model; ends with 1 if any fails."""

import os
import pathlib
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERATIN_CACHE", "off")
import keras
import numpy
import onnxruntime
import tensorflow
import tf2onnx
from keras import layers

import peers

BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(BUILD / "python"))
import keratin
import keratin.backend as K

random = numpy.random.default_rng(1)


def normal(*sizes):
    return random.standard_normal(sizes, "float32")


def words(*sizes):
    return random.integers(0, 30, sizes, "int32")


def of(layer, *sizes, dtype="float32"):
    x = keras.Input(sizes, dtype=dtype)
    return keras.Model(x, layer(x))


def tagger(x):
    y = layers.Embedding(30, 8, mask_zero=True)(x)
    y = layers.Bidirectional(layers.LSTM(6, return_sequences=True))(y)
    return layers.Dense(5, activation="softmax")(layers.GRU(7, return_sequences=True)(y))


def encoder(x):
    y = layers.Embedding(30, 16)(x)
    for _ in range(2):
        y = layers.LayerNormalization()(y + layers.MultiHeadAttention(4, 4)(y, y))
        y = layers.LayerNormalization()(y + layers.Dense(16)(layers.Dense(24, activation="swish")(y)))
    return layers.Dense(3)(layers.GlobalAveragePooling1D()(y))


def unet(x):
    a = layers.Conv2D(4, 3, padding="same", activation="relu")(x)
    b = layers.Conv2D(8, 3, padding="same", activation="elu")(layers.MaxPooling2D()(a))
    c = layers.Conv2DTranspose(4, 2, strides=2)(b)
    d = layers.UpSampling2D()(b)
    return layers.Conv2D(2, 1)(layers.Concatenate()([a, c, d]))


def sequence(x):
    y = layers.Conv1D(8, 3, padding="causal", dilation_rate=2, activation="relu")(x)
    y = layers.BatchNormalization()(layers.SeparableConv1D(8, 3, padding="same")(y))
    return layers.GlobalMaxPooling1D()(layers.AveragePooling1D(2)(y))


def application(kind, **options):
    return lambda: kind(weights=None, classes=10, **options)


IMAGES, applications = (normal(2, 64, 64, 3), normal(3, 64, 64, 3)), keras.applications
# A model, and its input at two sizes.
MODELS = {
    "resnet50": (application(applications.ResNet50, input_shape=(64, 64, 3)), *IMAGES),
    "resnet50 v2": (application(applications.ResNet50V2, input_shape=(64, 64, 3)), *IMAGES),
    "mobilenet": (application(applications.MobileNetV2, input_shape=(64, 64, 3)), *IMAGES),
    "mobilenet v3": (application(applications.MobileNetV3Small, input_shape=(64, 64, 3)), *IMAGES),
    "densenet": (application(applications.DenseNet121, input_shape=(64, 64, 3)), *IMAGES),
    "xception": (application(applications.Xception, input_shape=(71, 71, 3)), normal(2, 71, 71, 3), normal(3, 71, 71, 3)),
    "nasnet": (application(applications.NASNetMobile, input_shape=(64, 64, 3)), *IMAGES),
    "tagger": (lambda: of(tagger, None, dtype="int32"), words(2, 9), words(3, 5)),
    "encoder": (lambda: of(encoder, None, dtype="int32"), words(2, 9), words(3, 5)),
    "unet": (lambda: of(unet, None, None, 1), normal(2, 16, 16, 1), normal(3, 24, 32, 1)),
    "sequence": (lambda: of(sequence, None, 4), normal(2, 9, 4), normal(3, 12, 4)),
}


def judge(make, inputs, folder):
    keras.utils.set_random_seed(0)
    model, path = make(), folder / "model.onnx"
    function = tensorflow.function(lambda x: model(x, training=False))
    signature = [tensorflow.TensorSpec([None, *model.input_shape[1:]], model.input.dtype, name="x")]
    tf2onnx.convert.from_function(function, signature, opset=18, output_path=str(path))
    K.clear_session()
    loaded, runtime = keratin.onnx.load(path), peers.session(path)
    feeds = [{"x": x} for x in inputs]
    results = [loaded(feed)[0] for feed in feeds]
    for feed, result in zip(feeds, results):
        for peer, expected in ("ONNX Runtime", runtime.run(None, feed)[0]), ("TensorFlow", function(feed["x"]).numpy()):
            if wrong := peers.net_difference(result, expected):
                raise ValueError(f"{peer}: {wrong}")
    for result, outputs in zip(results, peers.object_outputs(BUILD, path, feeds), strict=True):
        for name, found in outputs.items():
            if not numpy.array_equal(found, result, equal_nan=True):
                raise ValueError(f"object: {name}: {peers.difference(found, result) or 'other bits'}")


def main():
    options = dict(argument.lstrip("-").partition("=")[::2] for argument in sys.argv[2:])
    print(f"tensorflow {tensorflow.__version__}, keras {keras.__version__}, tf2onnx {tf2onnx.__version__}, onnxruntime {onnxruntime.__version__}", flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.get("only", ",".join(MODELS)).split(","):
            folder = pathlib.Path(options.get("keep", scratch)) / name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                judge(MODELS[name][0], MODELS[name][1:], folder)
                print(f"{name}: agrees", flush=True)
            except Exception as error:
                failed = True
                text = f"{type(error).__name__}: {error}"
                print(f"{name}: {text if 'verbose' in options else ' '.join(text.split())[:300]}", flush=True)
    sys.exit(failed)


main()

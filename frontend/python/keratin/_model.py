"""Models compiled ahead of time, by compile_model() or keratin-compile."""
from __future__ import annotations

from typing import TYPE_CHECKING

from keratin import _native

if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence, Union
    import numpy
    from keratin._native import LoadedModel, ModelSignature, ModelTensor
    from keratin._types import PathLike


class ModelFunction(object):
    """A function of a Model: called with a list of values, or a dict by the names of its inputs.

    It returns a list of arrays, one for each output, and changes the model's variables that are its
    updates.
    """

    def __init__(self, model: LoadedModel, signature: ModelSignature) -> None:
        self._model = model
        self._signature = signature

    @property
    def name(self) -> str:
        """Its name in the graph."""
        return self._signature.name

    @property
    def inputs(self) -> List[ModelTensor]:
        """A list of what has name, dtype and shape."""
        return self._signature.inputs

    @property
    def outputs(self) -> List[ModelTensor]:
        """A list of what has name, dtype and shape."""
        return self._signature.outputs

    @property
    def updates(self) -> List[str]:
        """The names of the variables that a call changes."""
        return self._signature.updates

    def __call__(self, values: Union[Sequence[Any], Dict[str, Any]]) -> List[numpy.ndarray]:
        return self._model.call(self.name, values)

    def __repr__(self):
        def listed(tensors):
            return ', '.join('%s %s %s' % (each.name, each.dtype, each.shape) for each in tensors)
        return '<keratin.ModelFunction %s(%s) -> (%s)>' % (
            self.name, listed(self.inputs), listed(self.outputs))


class Model(object):
    """A model compiled ahead of time: its functions, and values for its variables.

        model = keratin.Model('libdigits.so')
        loss, = model['train']([images, labels])
        scores, = model['predict']({'images': images})
        model.save_weights('digits.safetensors')

    Several models, and several threads that call one, do not disturb each other; two models of one
    file have values of their own.

    Args:
        path: a shared object that compile_model() or keratin-compile has made. Loading it runs code
            of the file: do it with objects that you trust.
        device: where an object for a device runs, 'cuda:1'; None: the one it was compiled for.

    Raises:
        ValueError: for a file that is no such object, is damaged, or is for another processor.
    """

    def __init__(self, path: PathLike, device: Union[str, None] = None) -> None:
        self._use(_native.LoadedModel.load(path, '' if device is None else device))

    def _use(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
        self._functions = {each.name: ModelFunction(loaded, each) for each in loaded.functions}

    @property
    def name(self) -> str:
        """What all symbols of the object begin with."""
        return self._loaded.name

    @property
    def functions(self) -> Dict[str, ModelFunction]:
        """A dict of ModelFunctions by name."""
        return dict(self._functions)

    @property
    def variables(self) -> List[ModelTensor]:
        """A list of what has name, dtype and shape."""
        return self._loaded.variables

    @property
    def metadata(self) -> Dict[str, Any]:
        """What docs/ahead-of-time.md says of the metadata, as a dict."""
        import json
        text = self._loaded.metadata
        return json.loads(text) if text else {}

    @property
    def cpu(self) -> str:
        """The processor whose code runs."""
        return self._loaded.cpu

    @property
    def device(self) -> str:
        """Where the variables lie: 'cpu', 'cuda', ..."""
        return self._loaded.device

    def __getitem__(self, name: str) -> ModelFunction:
        if name not in self._functions:
            raise KeyError("model '%s' has no function %r; it has %s"
                           % (self.name, name, ', '.join(self._functions)))
        return self._functions[name]

    def __call__(self, values: Union[Sequence[Any], Dict[str, Any]]) -> List[numpy.ndarray]:
        """Calls the only function."""
        if len(self._functions) != 1:
            raise ValueError("model '%s' has several functions; needed one by name, as in "
                             "model[%r](values)" % (self.name, next(iter(self._functions))))
        return next(iter(self._functions.values()))(values)

    def get_value(self, variable: str) -> numpy.ndarray:
        """The value of the variable of this name."""
        return self._loaded.get_value(variable)

    def get_weights(self) -> Dict[str, numpy.ndarray]:
        """A dict of the values of all variables by name, as they are between two calls."""
        names = [each.name for each in self.variables]
        return dict(zip(names, self._loaded.get_values(names)))

    def set_weights(self, values: Dict[str, Any]) -> None:
        """Sets variables between two calls: all that are given or, where a name or a shape is wrong, none.

        Args:
            values: a dict of arrays by the names of variables.
        """
        self._loaded.set_values(values)

    def save_weights(self, path: PathLike) -> None:
        """Writes the values of all variables by name, as K.save_weights() does.

        Args:
            path: a path that ends in '.safetensors' or '.npz'.
        """
        self._loaded.save_weights(path)

    def load_weights(self, path: PathLike) -> None:
        """Sets all variables to the values that a file has for their names, or none of them.

        Args:
            path: a '.safetensors' or '.npz' file, of Keratin's or of others. Names that no variable
                has are passed over.

        Raises:
            ValueError: if a value is missing or does not fit its variable's shape and dtype.
            RuntimeError: if the file cannot be read.
        """
        self._loaded.load_weights(path)

    def save_state(self, path: PathLike) -> None:
        """Writes the values in the format that <model>_state_load reads in C."""
        self._loaded.save_state(path)

    def load_state(self, path: PathLike) -> None:
        """Reads what save_state() or <model>_state_save has written."""
        self._loaded.load_state(path)

    def copy(self) -> Model:
        """The same model with values of its own, which are now the same."""
        model = Model.__new__(Model)
        model._use(self._loaded.copy())
        return model

    __copy__ = copy

    def __repr__(self):
        return repr(self._loaded)

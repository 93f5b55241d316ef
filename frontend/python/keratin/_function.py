"""K.function, sessions, and functions in files."""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from keratin import _native as _module
from keratin._native import functions as _native

if _TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence, Union
    from keratin._native import Function, Tensor
    from keratin._types import PathLike


def _checked(name, values):
    if not isinstance(values, (list, tuple, dict) if name == 'outputs' else (list, tuple)):
        raise TypeError('function: %s is %r (%s); needed a list or a tuple'
                        % (name, values, type(values).__name__))
    return values


def function(inputs: Sequence[Tensor], outputs: Union[Sequence[Tensor], Dict[str, Tensor]],
             updates: Union[Sequence[Any], None] = None, name: Union[str, None] = None,
             **kwargs: Any) -> Function:
    """Compiles outputs and updates of the graph.

    Args:
        inputs: placeholders, in the order in which values will come.
        outputs: tensors; or a dict of them by name.
        updates: update ops, pairs (variable, new value), None (ignored), other tensors (computed).
        name: the function's name.
        **kwargs: device, target, memory_budget, time_limit, check_numbers, float32_products,
            keep_on_device, assume_equal_sizes, prepare_weights, lazy_updates, precision, shard,
            shard_states, gather_parts, local_statistics, progress: see docs/python.md.

    Returns:
        A keratin.Function: called with a list of values, or with a dict by the names of the
        inputs, it returns a list of arrays, one for each output (with keep_on_device of
        keratin.DeviceArrays, on a device). Outputs are computed from the variables' values before
        the call; then all updates are applied.

    Raises:
        TypeError: for inputs, outputs or updates that are no lists.
        ValueError: for an unknown keyword, and for outputs that need a placeholder not among the
            inputs.
    """
    return _native.function(_checked('inputs', inputs), _checked('outputs', outputs),
                            () if updates is None else _checked('updates', updates),
                            '' if name is None else name, kwargs)


class Session(object):
    """For programs that name a session. It has no state: variables belong to the process."""
    graph = None

    def run(self, fetches: Any, feed_dict: Union[Dict[Tensor, Any], None] = None) -> Any:
        """The values of tensors and update ops, all of one moment.

        Args:
            fetches: a tensor, or lists and tuples of tensors nested in any way.
            feed_dict: values of placeholders.

        Returns:
            Arrays in the structure of the fetches.
        """
        tensors = []

        def place_of(fetch):
            if isinstance(fetch, (list, tuple)):
                return [place_of(each) for each in fetch]
            if not isinstance(fetch, _module.Tensor):
                raise TypeError('Session.run: %r (%s) cannot be fetched; needed tensors'
                                % (fetch, type(fetch).__name__))
            tensors.append(fetch)
            return len(tensors) - 1

        places = place_of(fetches)
        values = _native.run(tensors, list((feed_dict or {}).items()))

        def value_of(place):
            return [value_of(each) for each in place] if isinstance(place, list) else values[place]

        return value_of(places)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        pass


_session = Session()


def get_session() -> Any:
    """The session that set_session() was given, else the default one."""
    return _session


def set_session(session: Any) -> None:
    """Sets what get_session() returns.

    Args:
        session: anything that has the methods of get_session()'s.
    """
    global _session
    _session = session


def save_function(f: Function, path: PathLike) -> None:
    """Writes a function to a file, for load_function() and the tools (keratin-compile).

    Args:
        f: what K.function has returned.
        path: a path; '.ktg' is usual.
    """
    _native.save_function(f, path)


def load_function(path: PathLike, name: str = '', **kwargs: Any) -> Function:
    """One function of a file.

    Args:
        path: what save_function() or save_functions() has written.
        name: its name; '' for the only one.
        **kwargs: those of function(), of which a file says nothing.

    Returns:
        A keratin.Function: see load_functions().

    Raises:
        ValueError: for a file with anything wrong in it, if it has no function of that name, and
            for an unknown keyword.
        RuntimeError: if the file cannot be read.
    """
    return _native.load_function(path, name, kwargs)


def load_functions(path: PathLike, **kwargs: Any) -> List[Function]:
    """The functions of a file, which share variables as they did when they were saved.

    Args:
        path: what save_function() or save_functions() has written.
        **kwargs: those of function(), but for a name, for each of them. A memory budget does not
            change what gradients keep that were saved.

    Returns:
        A list of keratin.Function. Their variables are new and start with the values in the file;
        their inputs and outputs are tensors, to compute with and to differentiate. If one is not
        made, none is.

    Raises:
        ValueError: for a file with anything wrong in it, and for an unknown keyword.
        RuntimeError: if the file cannot be read.
    """
    return _native.load_functions(path, kwargs)


def compile_model(functions: Union[Function, Sequence[Function]], path: PathLike, name: str = '',
                  target: str = 'cpu', cpu: str = 'native', header: PathLike = '',
                  **kwargs: Any) -> None:
    """Compiles functions ahead of time: an object for keratin.Model, and for C by its header.

    Args:
        functions: a keratin.Function, or a list of them with different names; they share their
            variables, which begin with their present values.
        path: of the shared object, 'libdigits.so'; or, ending in '.o', of an object file to be
            linked. It needs no Keratin and no Python.
        name: what all its symbols begin with; '': after the file, 'digits'.
        target: 'cpu', 'cuda', 'cuda:sm_90,...', or the triple of another CPU.
        cpu: 'native', 'x86-64-v3', ..., or 'multi': for several processors.
        header: where to write the C header; '': nowhere.
        **kwargs: metadata, sysroot (paths), threads, memory_budget, check_numbers,
            float32_products, assume_equal_sizes ('yes', 'no', 'only'), prepare_weights,
            strip_locations, profile, shard_states, mesh (a dict, {'data': 2, 'model': 2}), progress: as the
            options of keratin-compile, see docs/ahead-of-time.md.

    Raises:
        ValueError: for what cannot be compiled, and for an unknown keyword.
        RuntimeError: if there is no linker or runtime for the target, or a file cannot be written.
    """
    options = dict(kwargs, name=name, target=target, cpu=cpu, header=header)
    _native.compile_model([functions] if isinstance(functions, _module.Function) else functions,
                          path, {key: value for key, value in options.items() if value is not None})


def _save(self, path):
    """Writes the function to a file: see K.save_function()."""
    save_function(self, path)


def _save_weights(self, path):
    """Writes the values of its variables by name: see K.save_weights()."""
    _native.save_weights(self, path)


def _load_weights(self, path):
    """Sets its variables to a file's values of their names: see K.load_weights()."""
    _native.load_weights(self, path)


_module.Function.save = _save
_module.Function.save_weights = _save_weights
_module.Function.load_weights = _load_weights

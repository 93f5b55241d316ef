"""The table of the judge, and which K functions are not in it."""

from . import creation, ctc, elementwise, networks, sequences, shapes, sparse, windows  # noqa: F401
from .cases import TABLE, Disagreement, Random, make_case  # noqa: F401

# Operators of tensors, which are no K functions.
OPERATORS = {"add", "sub", "mul", "div", "mod", "neg", "getitem"}

SETTING = "a setting of the process"
STATIC = "known when the graph is made: no number is computed"
VALUES = "moves values in and out of the process, which keratin-run does here"
EVERYWHERE = "in every case"
NO_NUMBERS = {
    **dict.fromkeys(("backend", "epsilon", "set_epsilon", "floatx", "set_floatx", "image_data_format",
                     "set_image_data_format", "set_learning_phase", "manual_variable_initialization"), SETTING),
    **dict.fromkeys(("normalize_data_format", "symbolic", "eager", "get_uid", "reset_uids", "clear_session",
                     "name_scope"), "names and Python's decorators: no tensor"),
    **dict.fromkeys(("is_keras_tensor", "is_tensor", "is_variable", "is_placeholder", "is_sparse", "int_shape",
                     "get_variable_shape", "ndim", "dtype", "count_params"), STATIC),
    **dict.fromkeys(("eval", "get_value", "batch_get_value", "set_value", "batch_set_value", "get_session",
                     "set_session"), VALUES),
    **dict.fromkeys(("placeholder", "function"), EVERYWHERE),
}


def gaps(api):
    """What is wrong with the table for the names of docs/api.md, as text."""
    judged = {name.split("-")[0] for name in TABLE} - OPERATORS
    excused = set(NO_NUMBERS)
    return ([f"{name} is not judged, and nothing says why" for name in sorted(api - judged - excused)]
            + [f"{name} is no K function" for name in sorted((judged | excused) - api)]
            + [f"{name} is judged, and said not to be" for name in sorted(judged & excused)])

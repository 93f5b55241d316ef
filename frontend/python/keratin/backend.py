"""The whole of keras.backend, and what Keratin has beside it (docs/api.md).

Where a function takes "a tensor or what becomes one", that is a tensor, a number, a bool, an array,
or a list of these. Axes count from 0, negative ones from the end; one that is not there is a
ValueError. Sizes that are known at the call only are None, and what is wrong with them is a
ValueError of the call. Messages name the function, what was found, what is needed, and the line.
"""
import os as _os

from keratin import _tensor
from keratin import _configuration, _function, _functions, _graph
from keratin._configuration import (backend, eager, epsilon, floatx, image_data_format, set_epsilon,
                                    set_floatx, set_image_data_format, symbolic)
from keratin._function import (compile_model, function, get_session, load_function, load_functions,
                               save_function, set_session)
from keratin._functions import *
from keratin._graph import (control_dependencies, get_variable_shape, int_shape, is_keras_tensor,
                            is_same, moving_average_update, name_scope)
from keratin._native import Dim, Function, Tensor

if _os.environ.get('KERATIN_SHARD'):
    from keratin._shard import function, placeholder

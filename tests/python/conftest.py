"""Every test begins with Keras's defaults and leaves no state."""
import pytest

import keratin.backend as K


@pytest.fixture(autouse=True)
def defaults():
    yield
    K.set_floatx('float32')
    K.set_epsilon(1e-7)
    K.set_image_data_format('channels_last')
    K.clear_session()

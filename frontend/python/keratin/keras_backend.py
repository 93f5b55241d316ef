"""Keratin as Keras's backend: KERAS_BACKEND=keratin.keras_backend, or just keratin."""
from keratin import _sys
from keratin.backend import *

"""A module of the user's, between a test and a K function."""
import keratin.backend as K


def wrong_product(x):
    return K.dot(x, 'abc')  # line 6


def wrong_sizes(x):
    return K.dot(x, x)  # line 10


def at_the_call(x):
    return K.reshape(x, (-1, 7))  # line 14

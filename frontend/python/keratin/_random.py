"""Seeds that nobody has given."""
_randint = None


def drawn_seed(seed):
    """The seed, or for None one that NumPy's global generator draws."""
    global _randint
    if seed is not None:
        return seed
    if _randint is None:
        from numpy.random import randint
        _randint = randint
    return int(_randint(10 ** 7))

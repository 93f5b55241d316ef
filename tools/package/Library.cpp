// A library needs a source of its own; all else comes out of the layers.

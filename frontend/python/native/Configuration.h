// Settings that Keras keeps where it has loaded this module as its backend.
#ifndef KERATIN_FRONTEND_PYTHON_CONFIGURATION_H
#define KERATIN_FRONTEND_PYTHON_CONFIGURATION_H

namespace keratin::python {

// Takes over floatx, epsilon and image_data_format of keras.backend.common, if that is loaded and
// says something else than last time. Needs the GIL.
void followKeras();

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_CONFIGURATION_H

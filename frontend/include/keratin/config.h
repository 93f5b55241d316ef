// K functions: configuration.
#ifndef KERATIN_CONFIG_H
#define KERATIN_CONFIG_H

#include "keratin/arguments.h"

#include <string>
#include <utility>

namespace keratin::backend {

// The settings are read at the first use from keras.json in the folder KERAS_HOME, else ~/.keras,
// else /tmp/.keras, which is written with the defaults if it does not exist. A value in it that is
// not legal is an AssertionError.

// The backend's name: KERAS_BACKEND, else keras.json's, else "keratin".
std::string backend();
// The fuzz factor, 1e-7 by default.
double epsilon();
void set_epsilon(double e);
// The default float type: "float16", "float32" or "float64".
std::string floatx();
// ValueError for any other name; the state is then unchanged.
void set_floatx(const std::string &floatx);
Array cast_to_floatx(const Array &x);
Tensor cast_to_floatx(const Tensor &x, SourceLocation location = SourceLocation::current());
// "channels_last" or "channels_first".
std::string image_data_format();
// ValueError for any other value; the state is then unchanged.
void set_image_data_format(const std::string &data_format);
// Lower-cased; None stands for image_data_format(). ValueError unless legal.
std::string normalize_data_format(const DataFormat &value);
// Where functions run and variables lie from now on, unless FunctionOptions say otherwise: the
// environment's KERATIN_DEVICE, else "cpu". An evaluation runs where its variables lie.
std::string device();
// ValueError, which lists those that there are, for any other name.
void set_device(const std::string &name);
// Everything here is symbolic: both return the function.
template <typename F> F symbolic(F &&function) { return std::forward<F>(function); }
template <typename F> F eager(F &&function) { return std::forward<F>(function); }

} // namespace keratin::backend

#endif // KERATIN_CONFIG_H

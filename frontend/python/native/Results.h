// What K functions return, as Python has it.
#ifndef KERATIN_FRONTEND_PYTHON_RESULTS_H
#define KERATIN_FRONTEND_PYTHON_RESULTS_H

#include "frontend/python/native/Arrays.h"
#include "frontend/python/native/Callables.h"
#include "frontend/python/native/Tensors.h"
#include "keratin/backend.h"

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace keratin::python {

inline nb::object toPython(nb::object object) { return object; }
inline nb::object toPython(bool value) { return nb::bool_(value); }
inline nb::object toPython(int64_t value) { return nb::int_(value); }
inline nb::object toPython(double value) { return nb::float_(value); }
inline nb::object toPython(const std::string &text) { return nb::str(text.c_str(), text.size()); }
// A tuple; None for a size that is not known.
nb::object toPython(const StaticShape &shape);
// None for an absent one.
nb::object toPython(const Gradient &gradient);
// A number or a tensor.
nb::object toPython(const Operand &operand);
nb::object toPython(const TopK &result);
nb::object toPython(const Lu &result);
nb::object toPython(const SlogDet &result);
nb::object toPython(const Qr &result);
nb::object toPython(const Eigh &result);
nb::object toPython(const Svd &result);
nb::object toPython(const Unique &result);
nb::object toPython(const Function &function);

// Vectors are lists, pairs and tuples are tuples.
template <typename T> nb::object toPython(const std::vector<T> &values);
template <typename A, typename B> nb::object toPython(const std::pair<A, B> &pair);
template <typename... T> nb::object toPython(const std::tuple<T...> &values);

template <typename T> nb::object toPython(const std::vector<T> &values) {
  nb::list list;
  for (const T &value : values)
    list.append(toPython(value));
  return list;
}

template <typename... T> nb::object toPython(const std::tuple<T...> &values) {
  return std::apply([](const T &...each) { return nb::make_tuple(toPython(each)...); }, values);
}

template <typename A, typename B> nb::object toPython(const std::pair<A, B> &pair) {
  return nb::make_tuple(toPython(pair.first), toPython(pair.second));
}

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_RESULTS_H

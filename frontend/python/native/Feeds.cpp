#include "frontend/python/native/Feeds.h"

#include "frontend/python/native/Arrays.h"
#include "frontend/python/native/Errors.h"
#include "frontend/python/native/Place.h"
#include "frontend/python/native/SparseMatrices.h"
#include "frontend/python/native/Tensors.h"
#include "keratin/io.h"

using namespace keratin;
using namespace keratin::python;

Feed keratin::python::feedOf(nb::handle object, const std::string &what) {
  if (const Tensor *tensor = tensorOf(object)) {
    const Tensor value = *tensor;
    const SourceLocation place = userPlace();
    // Whoever runs code that this waits for may want it.
    ReleasedGil release;
    return backend::eval(value, place);
  }
  if (isSparseMatrix(object))
    return sparseMatrixOf(object, what);
  return arrayOf(object, what);
}

NamedFeeds keratin::python::namedFeedsOf(nb::dict values, const std::string &function) {
  std::vector<NamedFeeds::Entry> feeds;
  for (const auto &[name, value] : itemsOf(values)) {
    if (!PyUnicode_Check(name.ptr()))
      typeError(function + ": " + described(name) + " is no name of an input");
    std::string text = textOf(name);
    feeds.emplace_back(text, feedOf(value, function + ": input '" + text + "'"));
  }
  return NamedFeeds(std::move(feeds));
}

// A model file of Keras 2: read and parsed, and what holds of any model.
#ifndef KERATIN_FRONTEND_KERAS_FILES_KERASFILE_H
#define KERATIN_FRONTEND_KERAS_FILES_KERASFILE_H

#include "compiler/arrays/KerasWeights.h"
#include "keratin/array.h"
#include "keratin/function.h"
#include "keratin/source_location.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace keratin::frontend::keras_files {

using Json = nlohmann::json;

// Messages begin with "load_keras: 'path' " and end in the caller's place.
class KerasFile {
public:
  // ValueError for what is no model, RuntimeError for a file that cannot be read.
  KerasFile(const std::string &path, SourceLocation location);

  // {"class_name": …, "config": …}
  const Json &model() const { return theModel; }
  // "model.h5".
  const std::string &name() const { return fileName; }
  // tf.keras computes a few things in another way.
  bool isTensorFlow() const { return fromTensorFlow; }
  bool isTheano() const { return fromTheano; }
  // Of a layer of the model, in its order; none of one that the file does not list.
  const std::vector<compiler::KerasWeight> &weights(const std::string &layer) const;
  Array array(const compiler::KerasWeight &weight) const;

  // The number of a layer, from 1 on. Models in models, and calls of them, multiply: more layers or
  // calls than any model has are refused.
  int64_t numberLayer() { return counted(layers); }
  void countCall() { counted(calls); }

  // What stateful layers keep from one call of the model to the next, and, by the layer's number,
  // what a call makes of it.
  std::vector<Tensor> states;
  std::map<int, std::vector<Update>> updates;

  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void notImplemented(const std::string &what) const;

  const SourceLocation location;

private:
  int64_t counted(int64_t &count) const;
  template <typename T> T checked(absl::StatusOr<T> value) const;

  std::string path, fileName;
  std::optional<compiler::Hdf5File> file;
  Json theModel;
  bool fromTensorFlow = false, fromTheano = false;
  std::map<std::string, std::vector<compiler::KerasWeight>> layerWeights;
  int64_t layers = 0, calls = 0;
};

} // namespace keratin::frontend::keras_files

#endif // KERATIN_FRONTEND_KERAS_FILES_KERASFILE_H

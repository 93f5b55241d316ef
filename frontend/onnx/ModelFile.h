// A model file of ONNX: read and parsed, and what holds of any model.
#ifndef KERATIN_FRONTEND_ONNX_MODELFILE_H
#define KERATIN_FRONTEND_ONNX_MODELFILE_H

#include "frontend/onnx/ElementTypes.h"
#include "frontend/onnx/ImportSteps.h"
#include "frontend/onnx/MappedFile.h"
#include "keratin/array.h"
#include "keratin/source_location.h"

#include "third_party/onnx/onnx.pb.h"

#include <map>
#include <memory>
#include <string>

namespace keratin::frontend::onnx_models {

// Messages begin with "load_onnx: 'path': " and end in the caller's place.
class ModelFile {
public:
  // ValueError for what is no model, RuntimeError for a file that cannot be read.
  ModelFile(const std::string &path, SourceLocation location, ImportSteps &steps);

  const onnx::GraphProto &graph() const { return model.graph(); }
  const std::string &path() const { return thePath; }
  // "resnet50.onnx".
  const std::string &name() const { return fileName; }
  // Versions of domains; "" is that of the standard ops.
  using Opsets = std::map<std::string, int64_t>;
  const Opsets &opsets() const { return theOpsets; }
  static Opsets
  opsetsOf(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports);
  // The model's own function that a node calls; null for none.
  const onnx::FunctionProto *function(const onnx::NodeProto &node) const;

  // The elements of a tensor, of a name for messages. Those that lie in another file, in the
  // model's folder or below, are views of it where that may be.
  Array array(const onnx::TensorProto &tensor, const std::string &what);
  // Those of the graph's initializer, which can be had once: its bytes are the array's then.
  Array takeInitializer(int i);

  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void notImplemented(const std::string &what) const;

  const SourceLocation location;
  ImportSteps &steps;

private:
  struct Form {
    ElementType type;
    std::vector<int64_t> dims;
    uint64_t count, bytes;
  };
  Form formOf(const onnx::TensorProto &tensor, const std::string &what) const;
  void checkCount(uint64_t found, uint64_t needed, const char *unit, const std::string &what) const;
  Array unpacked(const onnx::TensorProto &tensor, const std::string &what, const Form &form);
  // The bytes of a tensor in another file.
  std::shared_ptr<const char> external(const onnx::TensorProto &tensor, const std::string &what,
                                       uint64_t bytes);

  std::string thePath, fileName;
  onnx::ModelProto model;
  Opsets theOpsets;
  std::map<std::string, const onnx::FunctionProto *> functions;
  std::map<std::string, std::shared_ptr<const MappedFile>> otherFiles;
};

// Standard ops have two names of their domain.
inline std::string domainOf(const std::string &name) { return name == "ai.onnx" ? "" : name; }

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_MODELFILE_H

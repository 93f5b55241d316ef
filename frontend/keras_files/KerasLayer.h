// A layer of a model, as the code that imports it sees it.
#ifndef KERATIN_FRONTEND_KERAS_FILES_KERASLAYER_H
#define KERATIN_FRONTEND_KERAS_FILES_KERASLAYER_H

#include "frontend/keras_files/KerasFile.h"
#include "keratin/arguments.h"
#include "keratin/error.h"
#include "keratin/tensor.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>

namespace keratin::frontend::keras_files {

// What goes from layer to layer: a tensor and, where a layer before it has said so, which of its
// steps count (samples, steps).
struct LayerValue {
  Tensor tensor;
  std::optional<Tensor> mask = std::nullopt;
};
using LayerValues = std::vector<LayerValue>;

// A call of a layer. Keras's keywords are tensors, or numbers, texts and the like.
struct LayerCall {
  LayerValues inputs;
  std::map<std::string, LayerValue> tensors = {};
  std::map<std::string, Json> options = {};

  bool flag(const char *name) const {
    const auto found = options.find(name);
    return found != options.end() && found->second.is_boolean() && found->second.get<bool>();
  }
};

// A weight of a layer, in Keras's order: those that are trained before all others.
struct WeightRecord {
  const char *name;
  // It is there if the layer's configuration says so; null: always.
  const char *flag = nullptr;
  bool isTrained = true;
  // Keras turns it around, in all axes but the last two, where Theano wrote the file.
  bool isWindow = false;
  // What the configuration says of its sizes: "kernel_size . 4*filters" has those of a window, any
  // one, and four times the filters.
  const char *shape = nullptr;
};

class KerasLayer;

struct LayerRecord {
  const char *name;
  LayerValues (*import)(const KerasLayer &layer, const LayerCall &call);
  llvm::ArrayRef<WeightRecord> weights = {};
  // Of a layer with layers in it: makes them.
  void (*addInner)(KerasLayer &layer) = nullptr;
  // The keywords that a call may have.
  llvm::ArrayRef<const char *> keywords = {};
};

class KerasLayer {
public:
  // {"class_name": …, "config": …} at a depth of models in models, whose names come before its own
  // in messages.
  KerasLayer(KerasFile &file, const Json &description, const std::string &around = "",
             int depth = 0);

  KerasFile &file;
  // {"name": …, …}, or of a Sequential of early versions the list of its layers.
  const Json &config() const { return *theConfig; }
  const std::string &name() const { return theName; }
  const LayerRecord &record() const { return *theRecord; }
  // "model.h5: layer 'conv1' (Conv2D)", and its number.
  SourceLocation place;

  //===-- Configuration -----------------------------------------------------------------------===//
  // Null where it is not there, or Keras's None.
  const Json *find(const char *key) const;
  bool flag(const char *key, bool otherwise = false) const;
  int64_t integer(const char *key) const; // ValueError where it is not there
  int64_t integer(const char *key, int64_t otherwise) const;
  // A number, or a list of them; empty where it is not there.
  std::vector<int64_t> integers(const char *key) const;
  double number(const char *key, double otherwise) const;
  std::string text(const char *key, const std::string &otherwise) const;
  // Of x in [0, rank), from a key.
  int64_t axis(const char *key, int64_t otherwise, const Tensor &x) const;

  //===-- Weights -----------------------------------------------------------------------------===//
  bool has(const char *weight) const { return findWeight(weight); }
  // Of a rank, unless it is negative.
  Tensor weight(const char *name, int64_t rank = -1) const;
  // Takes those of the file for the layer and all in it; variables go to the list.
  void takeWeights(const std::vector<compiler::KerasWeight> &saved, bool asVariables,
                   std::vector<Tensor> &variables);

  //===-- Layers in it ------------------------------------------------------------------------===//
  std::vector<std::unique_ptr<KerasLayer>> inner;
  // ValueError where it is not there.
  void addInner(const char *key);
  void addInner(const Json &description);
  // The same for a description of our own.
  void addInnerCopy(Json description);

  LayerValues call(const LayerCall &call) const;
  // What the work returns. Its errors are about the file, of which K functions know nothing: wrong
  // arguments are ValueErrors, and have the layer's place if they have none.
  template <typename Work> auto placed(Work &&work) const -> decltype(work()) {
    try {
      return work();
    } catch (const TypeError &error) {
      failWith(error.what());
    } catch (const ValueError &error) {
      failWith(error.what());
    }
  }

  // An operand whose place is the layer's, for operators.
  Operand at(const Tensor &x) const { return Operand(x, place); }
  Operand at(double number) const { return Operand(number, place); }

  // The variables of a stateful layer, and what a call makes of them.
  void keep(const std::vector<Tensor> &states, const std::vector<Tensor> &next) const;

  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void notImplemented(const std::string &what) const;

private:
  struct Weight {
    const KerasLayer *layer;
    const WeightRecord *record;
    Tensor tensor;
  };
  const Weight *findWeight(const std::string &name) const;
  void checkShape(const WeightRecord &weight, const StaticShape &shape) const;
  void listWeights(bool isTrained, bool isInTrained, std::vector<Weight *> &list);
  [[noreturn]] void failWith(const std::string &message) const;
  [[noreturn]] void failKey(const char *key, const char *needed) const;

  const Json *theConfig = nullptr;
  std::string theName, around;
  const LayerRecord *theRecord = nullptr;
  const int depth;
  std::vector<Weight> weights;
  std::vector<std::unique_ptr<Json>> own; // descriptions of layers in it
};

//===-- Layers
//---------------------------------------------------------------------------------===//

// Those of a subject, which is a file.
struct LayerTable {
  const char *subject;
  llvm::ArrayRef<LayerRecord> layers;
};
llvm::ArrayRef<LayerRecord> modelLayers();
llvm::ArrayRef<LayerRecord> coreLayers();
llvm::ArrayRef<LayerRecord> activationLayers();
llvm::ArrayRef<LayerRecord> convolutionLayers();
llvm::ArrayRef<LayerRecord> poolingLayers();
llvm::ArrayRef<LayerRecord> normalizationLayers();
llvm::ArrayRef<LayerRecord> mergeLayers();
llvm::ArrayRef<LayerRecord> shapeLayers();
llvm::ArrayRef<LayerRecord> recurrentLayers();
llvm::ArrayRef<LayerRecord> wrapperLayers();
llvm::ArrayRef<LayerRecord> attentionLayers();
llvm::ArrayRef<LayerTable> allLayers();

// A layer of one input, whose mask its output keeps, or has not.
enum class Masks { Pass, Drop };
const LayerValue &onlyInput(const KerasLayer &layer, const LayerCall &call);
template <Tensor (*compute)(const KerasLayer &, const Tensor &), Masks masks = Masks::Drop>
LayerValues single(const KerasLayer &layer, const LayerCall &call) {
  const LayerValue &input = onlyInput(layer, call);
  return {{compute(layer, input.tensor), masks == Masks::Pass ? input.mask : std::nullopt}};
}

inline std::string formatOf(const KerasLayer &layer) {
  return layer.text("data_format", "channels_last");
}
inline bool isChannelsFirst(const KerasLayer &layer) { return formatOf(layer) == "channels_first"; }
// One number an axis.
std::vector<int64_t> spatial(const KerasLayer &layer, const char *key, size_t rank);
// K::conv1d, conv2d, conv3d.
using Convolution = Tensor (*)(const Operand &, const Operand &, const Shape &, const std::string &,
                               const DataFormat &, const Shape &, SourceLocation);
// The function that the configuration names, or else this one, of x.
Tensor activated(const KerasLayer &layer, const Tensor &x, const char *key = "activation",
                 const std::string &otherwise = "linear");
// The same behind the layer's bias, if it has one.
Tensor biasedAndActivated(const KerasLayer &layer, Tensor x, const std::string &dataFormat);
// A size of x: a number, or what a call knows.
Size sizeOf(const KerasLayer &layer, const Tensor &x, int64_t axis);

// The placeholders of a model, in its order.
std::vector<Tensor> inputsOf(const KerasLayer &model);
// The layers that the outputs of a model come from.
std::vector<std::string> outputNamesOf(const KerasLayer &model, size_t count);

} // namespace keratin::frontend::keras_files

#endif // KERATIN_FRONTEND_KERAS_FILES_KERASLAYER_H

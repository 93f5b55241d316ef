#include "compiler/artifact/ModelMetadata.h"

#include "compiler/artifact/FunctionText.h"
#include "runtime/core/DType.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace keratin;
using namespace keratin::compiler;
using llvm::json::OStream;

namespace {

constexpr int kFormat = 1;

// Names and messages of a graph may be any bytes.
std::string utf8(llvm::StringRef text) { return llvm::json::fixUTF8(text); }

void writeType(OStream &json, const keratin_tensor_desc_t &tensor, const FunctionText *function) {
  json.attribute("dtype", runtime::dtypeName(tensor.dtype));
  json.attribute("dtype_number", tensor.dtype);
  json.attributeArray("shape", [&] {
    for (int32_t axis = 0; axis < tensor.rank; ++axis)
      if (tensor.dims[axis] >= 0 || !function)
        json.value(tensor.dims[axis]);
      else
        json.value(utf8(function->dim(tensor.dims[axis])));
  });
}

// Of the output of this number, which is in parts along several axes of a mesh.
void writeFurtherParts(OStream &json, llvm::ArrayRef<keratin_further_part_t> further,
                       size_t output) {
  auto isOfOutput = [&](const auto &part) { return size_t(part.output) == output; };
  if (llvm::none_of(further, isOfOutput))
    return;
  json.attributeArray("further_parts", [&] {
    for (const keratin_further_part_t &part : llvm::make_filter_range(further, isOfOutput))
      json.object([&] {
        json.attribute("sharded_dimension", part.dimension);
        if (part.axis)
          json.attribute("sharded_axis", utf8(part.axis));
      });
  });
}

void writeTensors(OStream &json, llvm::StringRef role, const FunctionText &function,
                  const std::vector<std::string> &identifiers, const keratin_tensor_desc_t *tensors,
                  const char *(FunctionText::*axisOf)(int32_t) const,
                  llvm::ArrayRef<keratin_further_part_t> further = {}) {
  json.attributeArray(role, [&] {
    for (size_t i = 0; i < identifiers.size(); ++i)
      json.object([&] {
        json.attribute("name", utf8(tensors[i].name));
        json.attribute("c_name", identifiers[i]);
        writeType(json, tensors[i], &function);
        if (tensors[i].part)
          json.attribute("sharded_dimension", tensors[i].part - 1);
        if (const char *axis = (function.*axisOf)(int32_t(i)))
          json.attribute("sharded_axis", utf8(axis));
        writeFurtherParts(json, further, i);
      });
  });
}

void writeLimits(OStream &json, const ir::SizeLimits &limits) {
  if (limits.min > 0)
    json.attribute("min", limits.min);
  if (limits.max != ir::SizeLimits::kNoMax)
    json.attribute("max", limits.max);
  if (limits.multipleOf > 1)
    json.attribute("multiple_of", limits.multipleOf);
}

// The sizes of which each rank of a job has a part.
std::set<std::string> shardedSizes(const FunctionText &function) {
  std::set<std::string> sizes;
  for (int32_t i = 0; i < function.f.num_inputs; ++i)
    if (const keratin_tensor_desc_t &input = function.f.inputs[i]; input.part)
      sizes.insert(function.dim(input.dims[input.part - 1]));
  return sizes;
}

void writeFunction(OStream &json, const FunctionText &function, llvm::StringRef model) {
  const keratin_function_desc_t &f = function.f;
  json.attribute("name", utf8(f.name));
  json.attribute("symbol", (model + "_" + function.name).str());
  writeTensors(json, "inputs", function, function.inputs, f.inputs, &FunctionText::inputAxis);
  writeTensors(json, "outputs", function, function.outputs, f.outputs, &FunctionText::outputAxis,
               function.furtherParts());
  json.attributeArray("sizes", [&] {
    for (const std::string &symbol : function.symbols)
      json.value(utf8(symbol));
  });
  const std::set<std::string> sharded = shardedSizes(function);
  if (!sharded.empty())
    json.attributeArray("sharded", [&] {
      for (const std::string &size : sharded)
        json.value(utf8(size));
    });
  if (!sharded.empty() || f.num_collectives > 0)
    json.attribute("collectives", f.num_collectives);
  if (f.axes)
    json.attributeArray("mesh_axes", [&] {
      for (int64_t i = 0; i < f.axes->num_axes; ++i)
        json.value(utf8(f.axes->names[i]));
    });
  json.attributeObject("size_limits", [&] {
    for (size_t slot = 0; slot < function.symbols.size(); ++slot)
      if (ir::SizeLimits limits = FunctionText::limits(f, int64_t(slot)); limits.areStated())
        json.attributeObject(utf8(function.symbols[slot]), [&] { writeLimits(json, limits); });
  });
  json.attributeArray("updates", [&] {
    for (int32_t i = 0; i < f.num_updates; ++i)
      json.value(utf8(f.variables[f.updates[i].variable].name));
  });
  json.attributeArray("requires", [&] {
    for (int64_t i = 0; i < f.num_checks; ++i)
      json.value(utf8(function.requirement(f.checks[i])));
  });
  if (!function.assumptions.empty())
    json.attributeArray("fastest", [&] {
      for (const std::string &assumption : function.assumptions)
        json.value(utf8(assumption));
    });
}

void writeVariable(OStream &json, const keratin_object_variable_t &variable) {
  const keratin_tensor_desc_t &tensor = variable.tensor;
  int64_t bytes = 0;
  (void)runtime::tensorBytes(tensor.dtype, tensor.rank, tensor.dims, bytes);
  json.attribute("name", utf8(tensor.name));
  writeType(json, tensor, nullptr);
  json.attribute("bytes", bytes);
  const keratin_object_part_t *part = variable.part;
  if (!part)
    return;
  if (part->kind == KERATIN_PART_ALONG)
    json.attribute("sharded_dimension", part->dimension);
  else
    json.attribute("sharded_elements", true);
  if (part->axis)
    json.attribute("sharded_axis", utf8(part->axis));
  if (part->ranks)
    json.attribute("sharded_ranks", part->ranks);
}

} // namespace

std::string compiler::makeModelMetadata(const keratin_object_desc_t &object,
                                        const std::string &triple,
                                        const std::vector<std::string> &processors) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("format", kFormat);
    json.attribute("model", object.name);
    json.attribute("producer", object.producer);
    json.attribute("license", "the Keratin runtime in this object: Apache-2.0 WITH LLVM-exception");
    json.attribute("target", triple);
    json.attributeArray("processors", [&] {
      for (const std::string &processor : processors)
        json.value(processor);
    });
    json.attribute("device", object.device ? object.device : "cpu");
    json.attributeArray("functions", [&] {
      for (const FunctionText &function : functionTexts(object))
        json.object([&] { writeFunction(json, function, object.name); });
    });
    json.attributeArray("variables", [&] {
      for (int32_t i = 0; i < object.num_variables; ++i)
        json.object([&] { writeVariable(json, object.variables[i]); });
    });
  });
  stream << "\n";
  return text;
}

#include "tools/keratin-run/Feeds.h"

#include "compiler/arrays/Npy.h"
#include "compiler/arrays/Npz.h"
#include "compiler/artifact/FunctionText.h"
#include "compiler/artifact/Names.h"
#include "ir/reference/HostConversions.h"
#include "runtime/core/DType.h"
#include "runtime/core/Philox.h"
#include "runtime/core/SizeProgram.h"
#include "runtime/core/SymbolSource.h"
#include "tools/support/Sizes.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace keratin;
using namespace keratin::tools;
using llvm::StringRef;

static constexpr int64_t defaultSize = 4;

namespace {

class FeedBuilder {
public:
  FeedBuilder(const Program &program, const FeedOptions &options)
      : program(program), signature(program.signature()), options(options),
        given(size_t(signature.num_inputs)), sizes(size_t(signature.num_symbols)) {}

  absl::StatusOr<std::vector<Array>> build() {
    for (const std::string &file : options.files)
      if (absl::Status status = readFile(file); !status.ok())
        return status;
    for (int32_t i = 0; i < signature.num_inputs; ++i)
      if (auto found = options.defaults.find(signature.inputs[i].name);
          !given[i] && found != options.defaults.end())
        given[i] = found->second;
    if (absl::Status status = findSizes(); !status.ok())
      return status;
    std::vector<Array> feeds;
    for (int32_t i = 0; i < signature.num_inputs; ++i) {
      if (!given[i])
        if (absl::Status status = makeRandom(i); !status.ok())
          return status;
      feeds.push_back(std::move(*given[i]));
    }
    return feeds;
  }

private:
  absl::Status readFile(const std::string &argument) {
    // A name with '=' is given as files have it.
    size_t equals = argument.find('=');
    std::string file = equals == std::string::npos ? argument : argument.substr(equals + 1);
    auto in = [&file](const absl::Status &status) {
      return absl::Status(status.code(), file + ": error: " + std::string(status.message()));
    };
    auto bytes = compiler::readArrayFile(file);
    if (!bytes.ok())
      return in(bytes.status());
    if (equals != std::string::npos) {
      auto array = compiler::parseNpy(*bytes);
      return array.ok() ? give(argument.substr(0, equals), *std::move(array)) : in(array.status());
    }
    auto arrays = compiler::parseNpz(*bytes);
    if (!arrays.ok())
      return in(arrays.status());
    for (compiler::NamedArray &array : *arrays)
      if (absl::Status status = give(array.name, std::move(array.array)); !status.ok())
        return in(status);
    return absl::OkStatus();
  }

  std::string listInputs() const {
    std::vector<std::string> texts;
    for (int32_t i = 0; i < signature.num_inputs; ++i)
      texts.push_back(std::string(signature.inputs[i].name) + " (" +
                      runtime::dtypeName(signature.inputs[i].dtype) + " " +
                      shapeOf(signature.inputs[i]) + ")");
    return texts.empty() ? "it has none" : "its inputs are " + llvm::join(texts, ", ");
  }

  std::string shapeOf(const keratin_tensor_desc_t &input) const {
    return compiler::FunctionText::stated(signature, input);
  }

  // By its name, or by what that is in an archive.
  std::optional<int32_t> numberOf(const std::string &name) const {
    for (int32_t i = 0; i < signature.num_inputs; ++i)
      if (name == signature.inputs[i].name)
        return i;
    for (int32_t i = 0; i < signature.num_inputs; ++i)
      if (name == compiler::memberName(signature.inputs[i].name))
        return i;
    return std::nullopt;
  }

  absl::Status give(const std::string &name, Array array) {
    if (std::optional<int32_t> i = numberOf(name)) {
      const keratin_tensor_desc_t &input = signature.inputs[*i];
      if (given[*i])
        return absl::InvalidArgumentError("input '" + name + "' is given twice");
      if (input.dtype == KERATIN_DTYPE_BFLOAT16 && array.dtype == KERATIN_DTYPE_FLOAT32) {
        auto values = ir::fromBytes(array.dtype, array.dims, array.data.data());
        if (!values)
          return absl::ResourceExhaustedError("input '" + name + "' is too large");
        values->dtype = array.dtype = KERATIN_DTYPE_BFLOAT16;
        array.data = ir::toBytes(*values);
      }
      if (array.dtype != input.dtype || int32_t(array.dims.size()) != input.rank)
        return absl::InvalidArgumentError(
            "input '" + name + "' is an array of " + runtime::dtypeName(array.dtype) +
            " with rank " + std::to_string(array.dims.size()) + "; " +
            runtime::dtypeName(input.dtype) + " " + shapeOf(input) + " is needed");
      given[*i] = std::move(array);
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError("the function has no input '" + name + "'; " + listInputs());
  }

  // Sizes that a call is given; those that it computes come behind them.
  int64_t numGiven() const {
    return signature.num_symbols - (signature.computed ? signature.computed->num_sizes : 0);
  }

  std::string sizeName(int64_t slot) const { return signature.symbols[slot].name; }

  absl::Status findSizes() {
    std::vector<KnownSize> known;
    for (int64_t slot = 0; slot < numGiven(); ++slot) {
      known.push_back({{"d" + std::to_string(slot), sizeName(slot)},
                       compiler::FunctionText::limits(signature, slot)});
      if (size_t(slot) < options.symbols.size() && options.symbols[size_t(slot)] != sizeName(slot))
        known.back().names.push_back(options.symbols[size_t(slot)]);
    }
    auto asked = tools::findSizes(options.sizes, known);
    if (!asked.ok())
      return asked.status();
    for (auto [slot, size] : *asked)
      sizes[slot] = size;
    for (int64_t slot = 0; slot < numGiven(); ++slot) {
      auto known = knownSize(signature.symbols[slot]);
      if (!known.ok())
        return known.status();
      if (*known && sizes[slot] && **known != *sizes[slot])
        return absl::InvalidArgumentError("--size says " + std::to_string(*sizes[slot]) + " for " +
                                          sizeName(slot) + ", which is " + std::to_string(**known));
      if (*known)
        sizes[slot] = *known;
    }
    return absl::OkStatus();
  }

  // From what is fed, or from a variable.
  absl::StatusOr<std::optional<int64_t>> knownSize(const keratin_symbol_desc_t &symbol) const {
    if (runtime::isValueOfVariable(symbol.source)) {
      auto value = program.ownVariable(symbol.input);
      if (!value.ok())
        return value.status();
      return element(*value, symbol);
    }
    if (runtime::isRankNumber(symbol.source))
      return program.rankNumber(symbol);
    if (!given[symbol.input])
      return std::nullopt;
    const Array &array = *given[symbol.input];
    if (symbol.source == KERATIN_SYMBOL_INPUT_DIM)
      return array.dims[symbol.index];
    return element(array, symbol);
  }

  static std::optional<int64_t> element(const Array &array, const keratin_symbol_desc_t &symbol) {
    int64_t width = runtime::dtypeSize(array.dtype), value = 0;
    if (symbol.index >= int64_t(array.data.size()) / width ||
        !runtime::readInteger(array.dtype, array.data.data() + symbol.index * width, value) ||
        value == INT64_MIN)
      return std::nullopt; // the call says what is wrong
    return runtime::symbolOfElement(symbol.source, value);
  }

  // The element that is made up: the one that the sizes of --size are of, if there are any.
  int64_t chosenElement(int32_t input, int64_t index) const {
    std::optional<int64_t> chosen;
    for (int64_t slot = 0; slot < numGiven(); ++slot) {
      const keratin_symbol_desc_t &symbol = signature.symbols[slot];
      if (!runtime::isValueOfInput(symbol.source) || symbol.input != input ||
          symbol.index != index || !sizes[slot])
        continue;
      int64_t size = runtime::isNegativePart(symbol.source) ? -*sizes[slot] : *sizes[slot];
      if (!chosen || size)
        chosen = size;
    }
    return chosen.value_or(defaultSize);
  }

  int64_t chosenSize(int64_t slot) const {
    const keratin_symbol_desc_t &symbol = signature.symbols[slot];
    if (sizes[slot] || !runtime::isValueOfInput(symbol.source))
      return sizes[slot].value_or(
          compiler::FunctionText::limits(signature, slot).nearest(defaultSize));
    return runtime::symbolOfElement(symbol.source, chosenElement(symbol.input, symbol.index));
  }

  absl::StatusOr<int64_t> evaluate(int64_t slot) {
    if (slot < signature.num_symbols)
      return chosenSize(slot);
    if (slots.empty()) {
      for (int64_t symbol = 0; symbol < signature.num_symbols; ++symbol)
        slots.push_back(chosenSize(symbol));
      slots.resize(slots.size() + size_t(signature.num_programs));
      evaluated = signature.num_symbols;
    }
    for (; evaluated <= slot; ++evaluated) {
      runtime::SizeProgramError error;
      if (!runtime::runSizeProgram(signature.programs[evaluated - signature.num_symbols],
                                   slots.data(), slots[evaluated], error))
        return absl::InvalidArgumentError("the sizes of the inputs cannot be computed for these "
                                          "sizes; choose others with --size");
    }
    return slots[slot];
  }

  absl::Status makeRandom(int32_t number) {
    const keratin_tensor_desc_t &input = signature.inputs[number];
    if (!options.seed)
      return absl::InvalidArgumentError(
          "input '" + std::string(input.name) + "' (" + runtime::dtypeName(input.dtype) + " " +
          shapeOf(input) + ") is not given: --input " + input.name + "=FILE.npy, or --random");
    std::vector<int64_t> dims;
    for (int32_t axis = 0; axis < input.rank; ++axis) {
      dims.push_back(input.dims[axis]);
      if (dims.back() >= 0)
        continue;
      auto size = evaluate(-1 - input.dims[axis]);
      if (!size.ok())
        return size.status();
      dims.back() = *size;
    }
    auto values = ir::makeHostTensor(keratin_dtype_t(input.dtype), dims);
    if (!values)
      return absl::ResourceExhaustedError("input '" + std::string(input.name) +
                                          "' would have too many elements");
    fill(number, *values);
    given[number] = Array{values->dtype, std::move(dims), ir::toBytes(*values)};
    return absl::OkStatus();
  }

  // Floats from -1 to 1; integers and bools 0 or 1, which every axis of two has as an index; sizes
  // where the input is one.
  void fill(int32_t number, ir::HostTensor &values) const {
    for (int64_t i = 0; i < values.size(); ++i) {
      auto bits = runtime::philox4x32({uint32_t(i), uint32_t(i >> 32), uint32_t(number), 0},
                                      {uint32_t(*options.seed), uint32_t(*options.seed >> 32)});
      if (values.isFloat())
        values.floats[i] = double(int32_t(bits[0])) * 0x1p-31;
      else
        values.ints[i] = bits[0] & 1;
    }
    for (int64_t slot = 0; slot < numGiven(); ++slot) {
      const keratin_symbol_desc_t &symbol = signature.symbols[slot];
      if (runtime::isValueOfInput(symbol.source) && symbol.input == number &&
          symbol.index < values.size())
        values.ints[symbol.index] = chosenElement(number, symbol.index);
    }
  }

  const Program &program;
  const keratin_function_desc_t &signature;
  const FeedOptions &options;
  std::vector<std::optional<Array>> given;
  std::vector<std::optional<int64_t>> sizes; // of the symbols, where known
  std::vector<int64_t> slots;                // of all sizes, as far as evaluated
  int64_t evaluated = 0;
};

} // namespace

absl::StatusOr<std::vector<Array>> tools::makeFeeds(const Program &program,
                                                    const FeedOptions &options) {
  return FeedBuilder(program, options).build();
}

// Owns the storage behind a keratin_function_desc_t.
#ifndef KERATIN_COMPILER_ARTIFACT_FUNCTIONDESCRIPTION_H
#define KERATIN_COMPILER_ARTIFACT_FUNCTIONDESCRIPTION_H

#include "codegen/lowering/EntryFunction.h"
#include "compiler/artifact/SaidTexts.h"
#include "ir/interfaces/ComputedSizes.h"
#include "runtime/abi/keratin_object_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace keratin::ir {
class Signature;
}

namespace keratin::compiler {

// Addresses handed out stay valid as long as the object, which is therefore neither copied nor
// moved.
class FunctionDescription {
public:
  // With texts, can be written down for functions that have others.
  explicit FunctionDescription(const SaidTexts *said = nullptr) : words(said) {}
  FunctionDescription(const FunctionDescription &) = delete;
  FunctionDescription &operator=(const FunctionDescription &) = delete;

  // The symbols that the function's arguments bind and that it computes, in the order of the slots.
  // Fails where a result or an argument needs one that none binds.
  mlir::LogicalResult bindSymbols(mlir::func::FuncOp function, codegen::EntryDescription &entry);
  // Fills in everything but the entry address. Adds what the signature needs to entry.sizes, and
  // takes its images.
  mlir::LogicalResult describe(mlir::func::FuncOp function, codegen::EntryDescription &entry);

  // Elements of the constants, in their order.
  const std::vector<std::shared_ptr<const char>> &constantElements() const { return constantData; }
  // Whether saveDescription() says all that functions with other texts need.
  bool isForOtherTexts() const { return words.isComplete(); }

  // The axes of a mesh that parts of inputs and outputs are along; null where none is along any.
  const keratin_part_axes_t *partAxes() const;

  keratin_function_desc_t descriptor = {};

private:
  friend class DescriptionWriter; // SavedDescription.cpp
  friend class DescriptionReader;
  friend std::unique_ptr<FunctionDescription>
  loadDescription(llvm::StringRef bytes, const SaidTexts &said,
                  const std::vector<std::shared_ptr<const char>> &constants);
  template <typename Archive> friend void visitDescription(Archive &, FunctionDescription &);

  const char *text(Said said);
  const char *fixed(llvm::StringRef value) { return text(Wording::fixed(value)); }
  keratin_tensor_desc_t tensor(mlir::RankedTensorType type, const ir::Shape &shape, Said name,
                               mlir::Location location, codegen::EntryDescription &entry);
  // Of keratin.rank and keratin.rank_count.
  void bindRanks(mlir::func::FuncOp function, codegen::EntryDescription &entry);
  void describeLimits(mlir::func::FuncOp function, codegen::EntryDescription &entry);
  void describeChecks(mlir::func::FuncOp function, codegen::EntryDescription &entry, bool assumed);
  mlir::LogicalResult describeCapacity(mlir::RankedTensorType type, mlir::Location location,
                                       codegen::EntryDescription &entry);
  mlir::LogicalResult describeComputed(mlir::func::FuncOp function,
                                       codegen::EntryDescription &entry);

  // Of the last output, which is this result.
  void describeParts(const ir::Signature &signature, unsigned result);
  // Null for what is no part, or one among all ranks.
  const char *partAxis(std::optional<int64_t> dimension, mlir::StringAttr axis);
  void describePrepared(mlir::func::FuncOp function);
  void describeDeviceCode(codegen::EntryDescription &entry);
  // The descriptor's pointers, when nothing is added any more.
  void finish();

  Wording words;
  std::deque<Said> texts;
  std::deque<std::vector<int64_t>> numbers;
  std::vector<keratin_tensor_desc_t> inputs, variables, outputs;
  std::vector<keratin_update_desc_t> updates;
  std::vector<keratin_constant_desc_t> constants;
  std::vector<std::shared_ptr<const char>> constantData;
  std::vector<keratin_symbol_desc_t> symbols;
  std::vector<keratin_size_program_t> programs;
  std::vector<keratin_check_t> checks;
  std::vector<keratin_site_t> sites;
  std::vector<keratin_kernel_desc_t> kernels;
  ir::ComputedSizes sizes;
  std::vector<keratin_computed_size_t> computedSizes;
  std::vector<keratin_memory_t> memories;
  std::vector<int64_t> programLevels;
  keratin_computed_sizes_t computed = {};
  bool prepares = false;
  keratin_prepared_t prepared = {};
  std::deque<std::string> imageData;
  std::vector<keratin_image_t> images;
  std::vector<const char *> deviceKernels;
  std::vector<const char *> axisNames;
  keratin_message_axes_t axes = {};
  std::vector<const char *> inputAxes, outputAxes;
  std::vector<keratin_further_part_t> furtherParts;
  keratin_part_axes_t axesOfParts = {};
  keratin_device_code_t deviceCode = {};
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_FUNCTIONDESCRIPTION_H

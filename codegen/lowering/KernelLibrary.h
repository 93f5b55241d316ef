// The kernels of one function, each compiled once.
//
// Equal kernels are one. Where very many kernels of a function differ in nothing but numbers (a
// factor, the place of a slice, a size), as those of unrolled loops and generated graphs do, they
// are one kernel too, which takes these numbers as arguments. A few keep their numbers: with them
// LLVM makes better code.
#ifndef KERATIN_CODEGEN_LOWERING_KERNELLIBRARY_H
#define KERATIN_CODEGEN_LOWERING_KERNELLIBRARY_H

#include "codegen/lowering/KernelFunction.h"

#include <functional>
#include <unordered_map>

namespace keratin::codegen {

class KernelLibrary {
public:
  KernelLibrary(mlir::ModuleOp into, llvm::StringRef prefix, KernelLowering lowering)
      : into(into), prefix(prefix), lowering(std::move(lowering)) {}

  // A kernel with its number in the function.
  using Numbered = std::pair<int64_t, ir::KernelOp>;

  // Lowers these kernels of a function; fails with a diagnostic. A native function has the number
  // of the first kernel that it is of in its name. `before`, if given, is asked before each
  // (EntryDescription::beforeKernel).
  mlir::LogicalResult
  lower(llvm::ArrayRef<Numbered> kernels,
        const std::function<mlir::LogicalResult(mlir::Location)> &before = nullptr);
  // Precondition: it was lowered.
  const KernelFunction &get(ir::KernelOp kernel) const { return kernels[numbers.lookup(kernel)]; }
  // The first of those that are like this one: the one that was lowered for all of them.
  ir::KernelOp first(ir::KernelOp kernel) const { return firsts.lookup(kernel); }
  // Functions that are compiled.
  size_t size() const { return functions; }

private:
  using Words = std::vector<uintptr_t>;
  struct HashOfWords {
    size_t operator()(const Words &words) const {
      return llvm::hash_combine_range(words.begin(), words.end());
    }
  };
  // A function, written down as its form and the numbers in it.
  struct Description {
    Words form;
    Words numbers;                            // attributes
    std::vector<mlir::Operation *> constants; // that hold them
  };
  // Functions of one form.
  struct Family {
    std::unordered_map<Words, size_t, HashOfWords> members; // by their numbers
    std::vector<const Words *> lists;                       // the numbers of each member
    std::vector<mlir::LLVM::LLVMFuncOp> bodies;   // of the first members; the others' are gone
    std::vector<std::pair<size_t, size_t>> users; // kernels, and which member each is
  };

  // What a kernel became.
  struct Lowered {
    size_t kernel; // an index into `kernels`
    Family *family;
    size_t member;
    ir::KernelOp source; // the first like it
  };

  static Description describe(mlir::Region &body);
  mlir::LogicalResult add(Numbered kernel);
  mlir::FailureOr<Lowered> emit(Numbered kernel);
  void unite(Family &family);

  mlir::ModuleOp into;
  std::string prefix;
  KernelLowering lowering;
  std::vector<KernelFunction> kernels;
  llvm::DenseMap<mlir::Operation *, size_t> numbers; // into `kernels`
  llvm::DenseMap<mlir::Operation *, ir::KernelOp> firsts;
  std::unordered_map<Words, Family, HashOfWords> families; // by form
  // By what they were made of: a kernel like one before is not lowered again.
  std::unordered_map<Words, Lowered, HashOfWords> sources;
  size_t functions = 0;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_KERNELLIBRARY_H

#include "codegen/gpu/contractions/ContractionWarpgroups.h"

#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::codegen;
using namespace mlir;

// Of a product; a row of a stage; rows in which chunks change places.
static constexpr int64_t matrixRows = 64, matrixDepth = 16;
static constexpr int64_t stageRow = 64, elementBytes = 2, rowBytes = stageRow * elementBytes;
static constexpr int64_t patternBytes = 8 * rowBytes;

int64_t WarpgroupsEngine::mostOfRow() const { return stageRow; }

int64_t WarpgroupsEngine::bytesOfLines(const Operand &operand, int64_t lines) const {
  return operand.isAlongLines ? lines / stageRow * panelBytes(operand) : lines * rowBytes;
}

// Chunks change places by bits of their address, so that a step within a row is
// one of the address.
Value WarpgroupsEngine::descriptor(const Operand &operand, Value stage, int64_t line,
                                   int64_t depth) {
  constexpr int64_t unit = 16, leadingBit = 16, strideBit = 32;
  constexpr int64_t swizzled128 = int64_t(1) << 62;
  // Along the depth: the next eight lines. Along lines: the next panel, the next eight depths.
  int64_t leading = operand.isAlongLines ? panelBytes(operand) : unit;
  int64_t form = leading / unit << leadingBit | patternBytes / unit << strideBit | swizzled128;
  int64_t bytes = bytesOfLines(operand, line) +
                  (operand.isAlongLines
                       ? depth * rowBytes
                       : depth / stageRow * panelBytes(operand) + depth % stageRow * elementBytes);
  OpBuilder &b = emit.builder;
  Value first =
      b.create<LLVM::PtrToIntOp>(emit.loc, b.getI64Type(), place(emit.add(stage, operand.base)));
  Value address = b.create<LLVM::LShrOp>(emit.loc, first, emit.constant(4));
  return b.create<LLVM::AddOp>(emit.loc, address, emit.constant(form + bytes / unit));
}

WarpgroupsEngine::Values WarpgroupsEngine::through(StringRef text, size_t count, ValueRange sums,
                                                   ValueRange others) {
  SmallVector<std::string> constraints(count, "=f");
  for (Value other : others)
    constraints.push_back(other.getType().isInteger(64) ? "l" : "r");
  for (size_t i = 0; i < sums.size(); ++i)
    constraints.push_back(std::to_string(i));
  constraints.push_back("~{memory}");
  Values operands(others);
  operands.append(sums.begin(), sums.end());
  OpBuilder &b = emit.builder;
  Type all = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, sumType));
  Value made = b.create<LLVM::InlineAsmOp>(emit.loc, TypeRange{all}, operands, text.str(),
                                           llvm::join(constraints, ","),
                                           /*has_side_effects=*/true, /*is_align_stack=*/false,
                                           LLVM::AsmDialectAttr(), ArrayAttr())
                   .getResult(0);
  Values result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(b.create<LLVM::ExtractValueOp>(emit.loc, made, int64_t(i)));
  return result;
}

static StringRef nameOf(Type elementType) { return elementType.isBF16() ? "bf16" : "f16"; }

// One piece of assembly, so that no instruction comes between that touches a
// register of sums while products run.
WarpgroupsEngine::Values WarpgroupsEngine::addStage(ValueRange sums, const Operand &a,
                                                    const Operand &b, Value stage) {
  int64_t down = tile.rows() / matrixRows, ofMatrix = int64_t(sums.size()) / down;
  Values descriptors;
  std::string text;
  llvm::raw_string_ostream out(text);
  auto add = [&](const Operand &operand, int64_t line, int64_t depth) {
    descriptors.push_back(descriptor(operand, stage, line, depth));
    return int64_t(sums.size() + descriptors.size()) - 1;
  };
  StringRef type = nameOf(a.source->elementType);
  out << "{\n.reg .pred adds;\nsetp.eq.u32 adds, 0, 0;\nwgmma.fence.sync.aligned;\n";
  for (int64_t depth = 0; depth < tile.depth; depth += matrixDepth) {
    int64_t ofB = add(b, 0, depth);
    for (int64_t i = 0; i < down; ++i) {
      int64_t ofA = add(a, i * matrixRows, depth);
      out << "wgmma.mma_async.sync.aligned.m64n" << tile.columns() << "k16.f32." << type << "."
          << type << " {";
      llvm::interleaveComma(llvm::seq(i * ofMatrix, (i + 1) * ofMatrix), out,
                            [&](int64_t sum) { out << "$" << sum; });
      out << "}, $" << ofA << ", $" << ofB << ", adds, 1, 1, " << int(a.isAlongLines) << ", "
          << int(b.isAlongLines) << ";\n";
    }
  }
  out << "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\n}";
  return through(text, sums.size(), sums, descriptors);
}

WarpgroupsEngine::Values WarpgroupsEngine::addProducts(ValueRange sums, ArrayRef<Values> a,
                                                       bool isATurned, const Operand &b,
                                                       Value stage) {
  const auto count = size_t(tile.threadRows * tile.threadColumns);
  Values others;
  std::string text;
  llvm::raw_string_ostream out(text);
  auto add = [&](Value value) {
    others.push_back(value);
    return int64_t(count + others.size()) - 1;
  };
  StringRef type = nameOf(b.source->elementType);
  out << "{\n.reg .pred adds, first;\nsetp.eq.u32 adds, 0, 0;\nsetp."
      << (sums.empty() ? "ne" : "eq") << ".u32 first, 0, 0;\nwgmma.fence.sync.aligned;\n";
  for (auto [i, factors] : llvm::enumerate(a)) {
    SmallVector<int64_t> words;
    for (Value factor : factors)
      words.push_back(add(factor));
    int64_t ofB = add(descriptor(b, stage, 0, int64_t(i) * matrixDepth));
    out << "wgmma.mma_async.sync.aligned.m64n" << tile.columns() << "k16.f32." << type << "."
        << type << " {";
    llvm::interleaveComma(llvm::seq<size_t>(0, count), out, [&](size_t sum) { out << "$" << sum; });
    const bool isDescriptor = words.size() == 1;
    out << (isDescriptor ? "}, " : "}, {");
    llvm::interleaveComma(words, out, [&](int64_t word) { out << "$" << word; });
    out << (isDescriptor ? ", $" : "}, $") << ofB << ", " << (i == 0 ? "first" : "adds")
        << ", 1, 1, ";
    if (isDescriptor)
      out << int(isATurned) << ", ";
    out << int(b.isAlongLines) << ";\n";
  }
  out << "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}";
  return through(text, count, sums, others);
}

void WarpgroupsEngine::fenceMemory() {
  emit.builder.create<LLVM::InlineAsmOp>(
      emit.loc, TypeRange{}, ValueRange{}, "fence.proxy.async.shared::cta;", "~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
}

WarpgroupsEngine::Values WarpgroupsEngine::multiply(ContractionSource &sourceOfA,
                                                    ContractionSource &sourceOfB, Value begin,
                                                    Value end) {
  ThreadBlock block(emit.builder, emit.loc);
  Operand a = operandOf(sourceOfA, true), b = operandOf(sourceOfB, false);
  int64_t ahead = tile.stages() - 1, bytes = tile.stageBytes();
  for (int64_t stage = 0; stage < ahead; ++stage)
    start(a, b, emit.add(begin, stage * tile.depth), end, emit.constant(stage * bytes));
  SmallVector<Type> types(size_t(tile.threadRows * tile.threadColumns), sumType);
  Values none(types.size(), emit.zero(sumType));
  // Nothing but products may give a register its sum between the first and the wait for the last:
  // they would be done one by one. So it is no way around the loop that leads to the wait.
  auto addAll = [&] {
    Values carried = none;
    carried.push_back(emit.constant(0));
    Values last = emit.loop(begin, end, tile.depth, carried, [&](Value depth, ValueRange carried) {
      Value stage = carried.back();
      // The oldest copies have come, of all threads.
      await(ahead - 1);
      fenceMemory();
      block.barrier();
      Values sums = addStage(carried.drop_back(), a, b, stage);
      // All warps are done with the stage before.
      block.barrier();
      start(a, b, emit.add(depth, ahead * tile.depth), end, behind(stage, ahead));
      sums.push_back(behind(stage, 1));
      return sums;
    });
    last.pop_back();
    return through("wgmma.wait_group.sync.aligned 0;", last.size(), last, {});
  };
  Values sums = emit.choose(emit.less(begin, end), types, addAll, [&] { return none; });
  await(0);
  block.barrier();
  return sums;
}

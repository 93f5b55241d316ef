#include "codegen/llvm/LowerToLlvm.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

void keratin::codegen::registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void keratin::codegen::loadCodegenDialects(MLIRContext *context) {
  if (!context->getLoadedDialect<LLVM::LLVMDialect>()) {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    context->appendDialectRegistry(registry);
  }
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                       LLVM::LLVMDialect, scf::SCFDialect, vector::VectorDialect>();
}

// Loops and branches of a function become blocks, the last of them first: cutting a block in two
// takes as long as what stands behind the cut. The conversion takes them from the front, and so the
// square of the length of a function that calls many kernels. The pattern of scf.while needs the
// conversion, which keeps erased ops until its end.
static void lowerControlFlow(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(module.getContext());
  for (Operation &function : *module.getBody()) {
    SmallVector<Operation *> ops;
    WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<scf::WhileOp>(op))
        return WalkResult::interrupt();
      if (isa<scf::ForOp, scf::IfOp>(op))
        ops.push_back(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      continue;
    for (Operation *op : llvm::reverse(ops)) {
      rewriter.setInsertionPoint(op);
      (void)applicator.matchAndRewrite(op, rewriter); // else the conversion says what is wrong
    }
  }
}

LogicalResult keratin::codegen::lowerToLlvm(ModuleOp module) {
  MLIRContext *context = module.getContext();
  lowerControlFlow(module);
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  // One-dimensional vectors only reach this point, so no shape-casting patterns are needed.
  populateVectorToLLVMConversionPatterns(converter, patterns, /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/false);
  populateVectorToLLVMMatrixConversionPatterns(converter, patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);

  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

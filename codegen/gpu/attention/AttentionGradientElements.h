// What follows from products of queries and keys, for a query and a key at a time.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTELEMENTS_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTELEMENTS_H

#include "codegen/elements/AttentionPlaces.h"
#include "codegen/elements/ElementEmitter.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/AttentionGradientNest.h"

namespace keratin::codegen {

// Elements of the gradient's tiles, which are rounded where they become factors.
class AttentionGradientElements {
public:
  using Value = mlir::Value;
  using Values = LoopEmitter::Values;

  AttentionGradientElements(DeviceKernelBuilder &k, LoopEmitter &emit,
                            const AttentionGradientNest &nest);

  // Emits what follows from the batch entry alone.
  void enter(Value batch);

  // Numbers that elements need of a query, whatever the key, f32: so many at most, and those of
  // one.
  static size_t mostNumbers(const AttentionGradientNest &nest);
  size_t numbers() const { return forms.ofQueries.size(); }
  Values numbersOf(Value query);

  // Elements of some tiles that stand in one block of code: what several of them need is emitted
  // once.
  class Together {
  public:
    Together(AttentionGradientElements &all, llvm::ArrayRef<unsigned> tiles);

    // One of the products, where the next elements are.
    void bind(ir::DotGeneralOp product, Value registers) {
      emitter.bindRegister(product.getY(), registers);
    }
    // The numbers of their query.
    void bindNumbers(mlir::ValueRange numbers);
    // Of all tiles.
    Values emit(Value query, Value key);

  private:
    void bindWeights(Value query, Value key);

    AttentionGradientElements &all;
    ElementEmitter emitter;
    llvm::SmallVector<Value, 2> tiles;
    Values ofQuery;
  };

private:
  // exp(logits - largest) / sum, of which one rounding more or less does not count.
  struct Weights {
    ir::DivOp div;
    ir::SubOp exponent;
    // Logits are the product times this, if nothing else.
    Value product;
    std::optional<double> scale;
    size_t numbers; // which of a query's are -largest * log2(e) and, behind it, 1 / sum
  };
  struct Number {
    enum class Form { Itself, Exponent, Reciprocal } form;
    Value value; // as large as the scores
  };
  // What is made in a way of its own.
  struct Forms {
    llvm::SmallVector<Weights, 1> weights;
    llvm::SmallVector<Number, 4> ofQueries;
  };
  static Forms formsOf(const AttentionGradientNest &nest);
  static bool isOfQueries(Value value, const AttentionGradientNest &nest);
  static std::optional<Weights> weightsOf(ir::DivOp div, const AttentionGradientNest &nest);
  // Where its rows stand: tensors of one shape share that.
  size_t placeOf(Value value);
  llvm::SmallVector<LaneIndex> indexOf(ElementEmitter &emitter, Value value, Value query,
                                       Value key);

  DeviceKernelBuilder &k;
  LoopEmitter &loops;
  const AttentionGradientNest &nest;
  llvm::SmallVector<ir::Shape, 2> shapes;
  llvm::SmallVector<AttentionPlaces, 2> places;
  Forms forms;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTELEMENTS_H

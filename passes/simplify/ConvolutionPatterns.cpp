// Convolutions that are something simpler.
#include "passes/simplify/Patterns.h"

#include "ir/builder/GraphMath.h"
#include "ir/interfaces/ConvolutionShape.h"

using namespace keratin::ir;
using namespace mlir;

namespace {

using Window = ConvolutionShape::Window;

// One output, which meets every element of x with the element of the filter at the same place.
bool coversAll(const Window &window) {
  return window.ySize == DimExpr(1) && window.filterSize == window.xSize && window.dilation == 1 &&
         window.xDilation == 1 && window.low == DimExpr(0) && !window.reversed;
}

// Windows of one tap, at stride 1, make rows of what slides; windows as large as x make depth: a
// contraction. Strided windows of one tap would need a slice in memory first, which the code of
// convolutions does while it copies.
struct ConvolutionToDot : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolutionOp op, PatternRewriter &rewriter) const override {
    ConvolutionShape shape = getConvolutionShape(op);
    const ConvolutionDims &dims = shape.dims;
    SmallVector<std::pair<int64_t, int64_t>> contracted; // dimensions of x and of the filter
    SmallVector<int64_t> unit;
    auto contract = [&](const ConvolutionDims::Places &places) {
      contracted.push_back({places.x, places.filter});
    };
    if (dims.contracted.x >= 0)
      contract(dims.contracted);
    SmallVector<int64_t> ones; // dimensions of the result that the contraction does not make
    for (const Window &window : shape.windows) {
      if (window.isTrivial()) {
        unit.push_back(window.places.filter);
      } else if (coversAll(window)) {
        contract(window.places);
        ones.push_back(window.places.y);
      } else {
        return rewriter.notifyMatchFailure(op, "a window slides over several elements");
      }
    }
    if (contracted.empty())
      return rewriter.notifyMatchFailure(op, "nothing is summed");
    // In the order of memory, so that they are one run.
    llvm::sort(contracted);
    SmallVector<int64_t> xContract(llvm::make_first_range(contracted));
    SmallVector<int64_t> filterContract(llvm::make_second_range(contracted));
    if (dims.groups.x >= 0 && shape.groups != DimExpr(1))
      return rewriter.notifyMatchFailure(op, "groups would have to move in front");
    // Groups of one are dimensions of x like the batch.
    if (dims.groups.x >= 0)
      unit.push_back(dims.groups.filter);

    // The free dimensions of x, then the filters, or the other way round: as the result has them.
    SmallVector<int64_t> order(dims.yRank(), -1); // by place in the result: dimension of x
    auto place = [&](const ConvolutionDims::Places &places) {
      if (places.y >= 0 && places.x >= 0 && !llvm::is_contained(xContract, places.x))
        order[places.y] = places.x;
    };
    place(dims.batch);
    place(dims.groups);
    for (const Window &window : shape.windows)
      place(window.places);
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < int64_t(order.size()); ++i)
      if (!llvm::is_contained(ones, i))
        kept.push_back(i == dims.filters.y ? -1 : order[i]);
    bool hasFilters = dims.filters.y >= 0;
    bool filtersFirst = hasFilters && !kept.empty() && kept.front() == -1;
    SmallVector<int64_t> ofX(kept);
    if (hasFilters && !kept.empty() && (filtersFirst || kept.back() == -1))
      ofX = filtersFirst ? SmallVector<int64_t>(llvm::drop_begin(kept))
                         : SmallVector<int64_t>(llvm::drop_end(kept));
    if (llvm::is_contained(ofX, -1) || !llvm::is_sorted(ofX))
      return rewriter.notifyMatchFailure(op, "the result has its dimensions in another order");

    // Without the windows of one tap the filter has a contraction's dimensions.
    GraphMath g(rewriter, op.getLoc());
    Shape filterShape;
    SmallVector<int64_t> renumbered(dims.filterRank());
    for (auto [i, size] : llvm::enumerate(getShape(op.getFilter()))) {
      renumbered[i] = filterShape.size();
      if (!llvm::is_contained(unit, int64_t(i)))
        filterShape.push_back(size);
    }
    for (int64_t &dim : filterContract)
      dim = renumbered[dim];
    Value filter = g.reshape(op.getFilter(), filterShape);
    Value dot = filtersFirst ? g.dotGeneral(filter, op.getX(), {}, {}, filterContract, xContract)
                             : g.dotGeneral(op.getX(), filter, {}, {}, xContract, filterContract);
    rewriter.replaceOp(op, g.reshape(dot, getShape(op.getY())));
    return success();
  }
};

// A window along a dimension of one element: code slides rows of a tile along the last dimension,
// which should be a long one.
struct DropWindowsOfOne : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolutionOp op, PatternRewriter &rewriter) const override {
    ConvolutionShape shape = getConvolutionShape(op);
    SmallVector<bool> dropped;
    for (const Window &window : shape.windows)
      dropped.push_back(window.isTrivial() && window.xSize == DimExpr(1));
    size_t count = llvm::count(dropped, true);
    if (count == 0 || count == dropped.size())
      return rewriter.notifyMatchFailure(op, "no window to drop, or no other one");

    ConvolutionDims dims = shape.dims;
    SmallVector<int64_t> xOnes, filterOnes, yOnes;
    GraphMath::ConvolutionWindows windows;
    dims.windows.clear();
    for (auto [window, isDropped] : llvm::zip(shape.windows, dropped)) {
      if (isDropped) {
        xOnes.push_back(window.places.x);
        filterOnes.push_back(window.places.filter);
        yOnes.push_back(window.places.y);
        continue;
      }
      dims.windows.push_back(window.places);
      windows.strides.push_back(window.stride);
      windows.low.push_back(window.low);
      windows.xDilation.push_back(window.xDilation);
      windows.dilation.push_back(window.dilation);
      windows.reversed.push_back(window.reversed);
    }
    auto renumber = [&](ConvolutionDims::Places &places) {
      auto without = [](int &place, ArrayRef<int64_t> ones) {
        place -= llvm::count_if(ones, [&](int64_t one) { return one < place; });
      };
      without(places.x, xOnes);
      without(places.filter, filterOnes);
      without(places.y, yOnes);
    };
    for (ConvolutionDims::Places *places :
         {&dims.batch, &dims.contracted, &dims.filters, &dims.groups})
      renumber(*places);
    for (ConvolutionDims::Places &places : dims.windows)
      renumber(places);
    windows.dims = dims.str();

    GraphMath g(rewriter, op.getLoc());
    auto keep = [](Value value, ArrayRef<int64_t> ones) {
      Shape kept;
      for (auto [i, size] : llvm::enumerate(getShape(value)))
        if (!llvm::is_contained(ones, int64_t(i)))
          kept.push_back(size);
      return kept;
    };
    Value y = g.convolution(g.reshape(op.getX(), keep(op.getX(), xOnes)),
                            g.reshape(op.getFilter(), keep(op.getFilter(), filterOnes)), windows,
                            keep(op.getY(), yOnes));
    rewriter.replaceOp(op, g.reshape(y, getShape(op.getY())));
    return success();
  }
};

} // namespace

void keratin::passes::populateConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvolutionToDot, DropWindowsOfOne>(patterns.getContext());
}

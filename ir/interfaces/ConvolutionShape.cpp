#include "ir/interfaces/ConvolutionShape.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::ir;
using namespace mlir;

using Places = ConvolutionDims::Places;

// Calls function(letter, places) for every dimension there may be.
template <class Dims, class Function> static void forEachLetter(Dims &dims, Function &&function) {
  function('b', dims.batch);
  function('c', dims.contracted);
  function('f', dims.filters);
  function('g', dims.groups);
  for (auto [digit, window] : llvm::enumerate(dims.windows))
    function(char('0' + digit), window);
}

// Whether a letter is in those tensors that it must be in, or in none.
static bool isInPlace(char letter, const Places &places) {
  bool x = places.x >= 0, filter = places.filter >= 0, y = places.y >= 0;
  if (llvm::isDigit(letter))
    return x && filter && y;
  if (!x && !filter && !y)
    return true;
  return x == (letter != 'f') && filter == (letter != 'b') && y == (letter != 'c');
}

static StringRef placesOf(char letter) {
  switch (letter) {
  case 'b':
    return "x and the result";
  case 'c':
    return "x and the filter";
  case 'f':
    return "the filter and the result";
  default:
    return "x, the filter and the result";
  }
}

std::optional<ConvolutionDims> ConvolutionDims::parse(StringRef text, std::string *error) {
  auto fail = [&](const Twine &why) {
    if (error)
      *error = why.str();
    return std::nullopt;
  };
  auto [operands, y] = text.split("->");
  auto [x, filter] = operands.split(',');
  ConvolutionDims dims;
  // Digits are numbered without gaps, so the result's tell how many there are.
  size_t windows = llvm::count_if(y, [](char letter) { return llvm::isDigit(letter); });
  if (windows == 0 || windows > 10)
    return fail("the result needs one to ten dimensions that windows slide along");
  dims.windows.resize(windows);
  std::pair<StringRef, int Places::*> terms[] = {
      {x, &Places::x}, {filter, &Places::filter}, {y, &Places::y}};
  for (auto [term, member] : terms)
    for (auto [place, letter] : llvm::enumerate(term)) {
      Places *named = nullptr;
      forEachLetter(dims, [&, wanted = letter](char candidate, Places &places) {
        if (candidate == wanted)
          named = &places;
      });
      if (!named)
        return fail("'" + Twine(letter) +
                    "' names no dimension; they are b, c, f, g and digits without gaps");
      if (named->*member >= 0)
        return fail("'" + Twine(letter) + "' occurs twice");
      named->*member = int(place);
    }
  char misplaced = 0;
  forEachLetter(dims, [&](char letter, const Places &places) {
    if (!misplaced && !isInPlace(letter, places))
      misplaced = letter;
  });
  if (misplaced)
    return fail("'" + Twine(misplaced) + "' must be a dimension of " + placesOf(misplaced));
  return dims;
}

static unsigned rankOf(const ConvolutionDims &dims, int Places::*member) {
  unsigned rank = 0;
  forEachLetter(dims, [&](char, const Places &places) { rank += places.*member >= 0; });
  return rank;
}

unsigned ConvolutionDims::xRank() const { return rankOf(*this, &Places::x); }
unsigned ConvolutionDims::filterRank() const { return rankOf(*this, &Places::filter); }
unsigned ConvolutionDims::yRank() const { return rankOf(*this, &Places::y); }

std::string ConvolutionDims::str() const {
  auto term = [&](int Places::*member) {
    std::string letters(rankOf(*this, member), ' ');
    forEachLetter(*this, [&](char letter, const Places &places) {
      if (places.*member >= 0)
        letters[places.*member] = letter;
    });
    return letters;
  };
  return term(&Places::x) + "," + term(&Places::filter) + "->" + term(&Places::y);
}

bool ConvolutionShape::Window::isTrivial() const {
  return filterSize == DimExpr(1) && stride == 1 && xDilation == 1 && low == DimExpr(0) &&
         xSize == ySize;
}

ConvolutionShape keratin::ir::getConvolutionShape(ConvolutionOp op) {
  ConvolutionShape shape;
  shape.dims = *ConvolutionDims::parse(op.getDims());
  Shape x = getShape(op.getX()), filter = getShape(op.getFilter()), y = getShape(op.getY());
  ArrayRef<DimExpr> low = op.getLow().getDims();
  for (auto [i, places] : llvm::enumerate(shape.dims.windows)) {
    ConvolutionShape::Window &window = shape.windows.emplace_back();
    window.places = places;
    window.xSize = x[places.x];
    window.filterSize = filter[places.filter];
    window.ySize = y[places.y];
    window.stride = op.getStrides()[i];
    window.xDilation = op.getXDilation()[i];
    window.dilation = op.getDilation()[i];
    window.low = low[i];
    window.reversed = op.getReversed()[i];
  }
  auto size = [](const Shape &tensor, int place) { return place < 0 ? DimExpr(1) : tensor[place]; };
  shape.batch = size(x, shape.dims.batch.x);
  shape.contracted = size(x, shape.dims.contracted.x);
  shape.filters = size(filter, shape.dims.filters.filter);
  shape.groups = size(x, shape.dims.groups.x);
  return shape;
}

#include "frontend/backend/LabelledProduct.h"

#include "frontend/backend/Diagonals.h"
#include "frontend/graph/SmallSizes.h"

#include "llvm/ADT/STLExtras.h"

using namespace keratin;
using namespace keratin::frontend;

using Labels = std::vector<Label>;

namespace {

// What an unknown size counts as where orders are compared.
constexpr double usualSize = 100;

class Product {
public:
  Product(Call &call, std::vector<Labelled> operands, const Labels &result, const LabelRules &rules)
      : call(call), g(call.g), operands(std::move(operands)), result(result), rules(rules) {}

  Value run();

private:
  void findSizes();
  void takeDiagonals(Labelled &x);
  void fitSizes(Labelled &x);
  void sumOver(Labelled &x, llvm::function_ref<bool(Label)> isKept);
  Labelled multiply(const Labelled &a, const Labelled &b);
  Labelled contract(const Labelled &a, const Labelled &b, const Labels &batch,
                    const Labels &summed);
  Labelled spread(const Labelled &a, const Labelled &b);
  Value arranged(const Labelled &x) const;

  bool isNeeded(Label label) const {
    return llvm::is_contained(result, label) || llvm::any_of(operands, [&](const Labelled &x) {
             return llvm::is_contained(x.labels, label);
           });
  }

  Call &call;
  ir::GraphMath &g;
  std::vector<Labelled> operands; // empty where it has been used
  const Labels &result;
  const LabelRules &rules;
  std::map<Label, DimExpr> sizes;
};

int64_t placeOf(Label label, const Labels &labels) {
  return llvm::find(labels, label) - labels.begin();
}

std::vector<int64_t> placesOf(const Labels &some, const Labels &labels) {
  std::vector<int64_t> places;
  for (Label label : some)
    places.push_back(placeOf(label, labels));
  return places;
}

//===-- Sizes ---------------------------------------------------------------------------------===//

// A 1 counts for nothing where another operand has another size.
void Product::findSizes() {
  for (const Labelled &x : operands)
    for (auto [label, size] : llvm::zip(x.labels, ir::getShape(x.value))) {
      auto [place, isNew] = sizes.try_emplace(label, size);
      DimExpr &joined = place->second;
      if (isNew || size == one)
        continue;
      if (joined == one)
        joined = size;
      else if (rules.broadcasts(label))
        joined = call.broadcastShape({joined}, {size}).front();
      else
        joined = call.unify(joined, size, rules.describe(label));
    }
}

// Two dimensions of one label become one, the last, until there are no more.
void Product::takeDiagonals(Labelled &x) {
  for (size_t i = 0; i < x.labels.size(); ++i)
    for (size_t j = i + 1; j < x.labels.size(); ++j)
      if (Label label = x.labels[i]; label == x.labels[j]) {
        ir::Shape shape = ir::getShape(x.value);
        DimExpr size = call.unify(shape[i], shape[j], rules.describe(label));
        for (size_t axis : {i, j})
          x.value = call.withSize(x.value, int64_t(axis), size, rules.describe(label));
        x.value = diagonal(call, x.value, int64_t(i), int64_t(j), 0);
        x.labels.erase(x.labels.begin() + ptrdiff_t(j));
        x.labels.erase(x.labels.begin() + ptrdiff_t(i));
        x.labels.push_back(label);
        return takeDiagonals(x);
      }
}

// What is 1 where others are more is left to their broadcasting; what may be is repeated.
void Product::fitSizes(Labelled &x) {
  ir::Shape shape = ir::getShape(x.value), kept, joined;
  Labels labels;
  for (auto [label, size] : llvm::zip(x.labels, shape))
    if (size != one || sizes.at(label) == one) {
      labels.push_back(label);
      kept.push_back(size);
      joined.push_back(sizes.at(label));
    }
  x.labels = labels;
  x.value = g.reshape(x.value, kept);
  for (size_t i = 0; i < labels.size(); ++i)
    if (!rules.broadcasts(labels[i]))
      x.value = call.withSize(x.value, int64_t(i), joined[i], rules.describe(labels[i]));
  x.value = call.broadcastTo(x.value, joined);
}

//===-- Sums and products ---------------------------------------------------------------------===//

void Product::sumOver(Labelled &x, llvm::function_ref<bool(Label)> isKept) {
  Labels kept;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < x.labels.size(); ++i)
    if (isKept(x.labels[i]))
      kept.push_back(x.labels[i]);
    else
      axes.push_back(int64_t(i));
  x.value = g.reduceSum(x.value, axes);
  x.labels = kept;
}

Labelled Product::multiply(const Labelled &a, const Labelled &b) {
  Labels batch, summed;
  for (Label label : a.labels)
    if (llvm::is_contained(b.labels, label))
      (isNeeded(label) ? batch : summed).push_back(label);
  return summed.empty() ? spread(a, b) : contract(a, b, batch, summed);
}

Labelled Product::contract(const Labelled &a, const Labelled &b, const Labels &batch,
                           const Labels &summed) {
  Labelled product{g.dotGeneral(a.value, b.value, placesOf(batch, a.labels),
                                placesOf(batch, b.labels), placesOf(summed, a.labels),
                                placesOf(summed, b.labels)),
                   batch};
  for (const Labelled *side : {&a, &b})
    for (Label label : side->labels)
      if (!llvm::is_contained(batch, label) && !llvm::is_contained(summed, label))
        product.labels.push_back(label);
  return product;
}

// Nothing to sum over: element by element.
Labelled Product::spread(const Labelled &a, const Labelled &b) {
  Labels labels;
  ir::Shape shape;
  for (const Labelled *side : {&a, &b})
    for (Label label : side->labels)
      if (!llvm::is_contained(labels, label)) {
        labels.push_back(label);
        shape.push_back(sizes.at(label));
      }
  auto wide = [&](const Labelled &x) {
    // A broadcast leaves the order of dimensions as it is.
    Labels order = x.labels;
    llvm::sort(order, [&](Label p, Label q) { return placeOf(p, labels) < placeOf(q, labels); });
    Value value = g.transpose(x.value, placesOf(order, x.labels));
    return g.broadcast(value, shape, placesOf(order, labels));
  };
  return {g.mul(wide(a), wide(b)), labels};
}

// In the order of the result.
Value Product::arranged(const Labelled &x) const {
  return g.transpose(x.value, placesOf(result, x.labels));
}

Value Product::run() {
  findSizes();
  std::vector<std::set<Label>> labels;
  for (Labelled &x : operands)
    takeDiagonals(x);
  for (Labelled &x : operands)
    fitSizes(x);
  for (Labelled &x : operands) {
    sumOver(x, [&](Label label) {
      return llvm::is_contained(result, label) ||
             llvm::count_if(operands, [&](const Labelled &other) {
               return llvm::is_contained(other.labels, label);
             }) > 1;
    });
    labels.emplace_back(x.labels.begin(), x.labels.end());
  }
  std::map<Label, double> estimates;
  for (const auto &[label, size] : sizes)
    estimates[label] = size.isConstant() ? double(size.constantValue()) : usualSize;
  std::set<Label> wanted(result.begin(), result.end());
  for (auto [first, second] : contractionOrder(labels, wanted, estimates)) {
    Labelled a = std::exchange(operands[first], {}), b = std::exchange(operands[second], {});
    operands.push_back(multiply(a, b));
  }
  return arranged(operands.back());
}

} // namespace

Value keratin::frontend::labelledProduct(Call &call, std::vector<Labelled> operands,
                                         const std::vector<Label> &result,
                                         const LabelRules &rules) {
  return Product(call, std::move(operands), result, rules).run();
}

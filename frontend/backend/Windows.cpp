#include "frontend/backend/Windows.h"

#include "keratin/config.h"

#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

bool keratin::frontend::isChannelsFirst(const Call &call, const DataFormat &format) {
  try {
    return backend::normalize_data_format(format) == "channels_first";
  } catch (const ValueError &) {
    call.valueError("unknown data_format '" + *format.value() +
                    "'; needed channels_last or channels_first");
  }
}

Value keratin::frontend::toChannelsLast(Call &call, Value x, bool channelsFirst) {
  if (!channelsFirst)
    return x;
  std::vector<int64_t> order(size_t(call.rank(x)));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return call.g.transpose(x, order);
}

Value keratin::frontend::fromChannelsLast(Call &call, Value x, bool channelsFirst) {
  if (!channelsFirst)
    return x;
  std::vector<int64_t> order(size_t(call.rank(x)));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return call.g.transpose(x, order);
}

std::vector<int64_t> keratin::frontend::stepsOf(Call &call, const Shape &steps, size_t axes,
                                                const char *name) {
  std::string text(name);
  if (steps.isNone() || steps.isTensor())
    call.valueError(text + " must be numbers, one for each of " + std::to_string(axes) +
                    " spatial axes");
  std::vector<int64_t> numbers;
  for (const Size &entry : steps.entries()) {
    if (!entry.isNumber())
      call.valueError(text + " must be numbers, one for each of " + std::to_string(axes) +
                      " spatial axes");
    numbers.push_back(entry.number());
  }
  if (numbers.size() != axes && numbers.size() != 1)
    call.valueError(text + " " + toString(numbers) + " has " + std::to_string(numbers.size()) +
                    " entries; needed one for each of " + std::to_string(axes) + " spatial axes");
  for (int64_t number : numbers)
    if (number < 1 || number > std::numeric_limits<int32_t>::max())
      call.valueError(text + " " + toString(numbers) + " has an entry outside 1 to " +
                      std::to_string(std::numeric_limits<int32_t>::max()));
  numbers.resize(axes, numbers.front());
  return numbers;
}

PaddingRule keratin::frontend::paddingRule(const Call &call, const std::string &name,
                                           bool mayBeCausal) {
  if (name == "valid")
    return PaddingRule::Valid;
  if (name == "same")
    return PaddingRule::Same;
  if (name == "causal" && mayBeCausal)
    return PaddingRule::Causal;
  call.valueError("unknown padding '" + name + "'; needed " +
                  (mayBeCausal ? "valid, same or causal" : "valid or same"));
}

void keratin::frontend::requireSpatialRank(const Call &call, Value x, const char *name,
                                           size_t spatial) {
  if (call.rank(x) != int64_t(spatial) + 2)
    call.valueError(std::string(name) + " has shape " + describe(x) + "; needed rank " +
                    std::to_string(spatial + 2));
}

WindowExtent keratin::frontend::windowExtent(Call &call, const DimExpr &size, const DimExpr &window,
                                             int64_t stride, int64_t dilation, PaddingRule rule,
                                             const std::string &what) {
  // What a window covers, with the gaps between its elements.
  DimExpr last = call.check(ir::mul(call.check(ir::sub(window, 1)), dilation));
  DimExpr covered = call.check(ir::add(last, 1));
  switch (rule) {
  case PaddingRule::Valid: {
    if (size.isConstant() && covered.isConstant() && size.constantValue() < covered.constantValue())
      call.valueError(what + " has size " + size.str() + "; needed at least " + covered.str() +
                      ", which the window covers");
    call.requireAtLeast(size, covered, what + " must have the size that the window covers");
    DimExpr places = call.check(ir::add(call.check(ir::sub(size, covered)), 1));
    return {call.check(ir::ceildiv(places, stride)), 0};
  }
  case PaddingRule::Same: {
    DimExpr count = call.check(ir::ceildiv(size, stride));
    DimExpr reach = call.check(ir::mul(call.check(ir::sub(count, 1)), stride));
    DimExpr total = call.check(ir::sub(call.check(ir::add(reach, covered)), size));
    return {count, call.check(ir::floordiv(call.check(ir::max(total, 0)), 2))};
  }
  case PaddingRule::Causal:
    return {call.check(ir::ceildiv(size, stride)), last};
  }
  return {};
}

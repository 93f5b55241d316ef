// Expressions over symbols that count others: d1 may be how many times 8 a size is.
#ifndef KERATIN_IR_SHAPES_SIZEUNITS_H
#define KERATIN_IR_SHAPES_SIZEUNITS_H

#include "ir/shapes/DimExpr.h"

namespace keratin::ir {

// The expression with each symbol standing for `unit` times what it stood for: 24*d1 with a unit of
// 8 is 3*d1, and 4*d1 is floordiv(d1, 2). nullopt where that cannot be represented.
std::optional<DimExpr> inWholes(const DimExpr &size,
                                const std::function<int64_t(int64_t symbol)> &unit);

} // namespace keratin::ir

#endif // KERATIN_IR_SHAPES_SIZEUNITS_H

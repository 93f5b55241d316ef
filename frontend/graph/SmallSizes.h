// Sizes that many functions write down.
#ifndef KERATIN_FRONTEND_GRAPH_SMALLSIZES_H
#define KERATIN_FRONTEND_GRAPH_SMALLSIZES_H

#include "ir/shapes/DimExpr.h"

namespace keratin::frontend {

inline const ir::DimExpr zero(0), one(1), two(2);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_SMALLSIZES_H

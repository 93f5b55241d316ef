// The whole dialect.
include "ir/ops/ElementwiseOps.td"
include "ir/ops/CreationOps.td"
include "ir/ops/ShapeOps.td"
include "ir/ops/ReductionOps.td"
include "ir/ops/ContractionOps.td"
include "ir/ops/RandomOps.td"
include "ir/ops/GraphOps.td"

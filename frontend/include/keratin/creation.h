// K functions: tensors out of shapes and numbers.
#ifndef KERATIN_CREATION_H
#define KERATIN_CREATION_H

#include "keratin/arguments.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::backend {

// dtype None: floatx, also for integers. One value fills the shape.
Tensor constant(const Operand &value, DTypeArgument dtype = None, const Shape &shape = None,
                const std::string &name = "", SourceLocation location = SourceLocation::current());
// A value that is fed; None sizes may differ from call to call. ndim alone gives so many Nones.
Tensor placeholder(const Shape &shape = None, std::optional<int64_t> ndim = None,
                   DTypeArgument dtype = None, bool sparse = false, const std::string &name = "",
                   SourceLocation location = SourceLocation::current());
// Variables; tensors where the shape holds tensors.
Tensor zeros(const Shape &shape, DTypeArgument dtype = None, const std::string &name = "",
             SourceLocation location = SourceLocation::current());
Tensor ones(const Shape &shape, DTypeArgument dtype = None, const std::string &name = "",
            SourceLocation location = SourceLocation::current());
// One size, or {rows, columns}; a variable, or a tensor where a size is a tensor.
Tensor eye(const Shape &size, DTypeArgument dtype = None, const std::string &name = "",
           SourceLocation location = SourceLocation::current());
// Tensors of x's shape at run time; dtype None: that of x.
Tensor zeros_like(const Operand &x, DTypeArgument dtype = None, const std::string &name = "",
                  SourceLocation location = SourceLocation::current());
Tensor ones_like(const Operand &x, DTypeArgument dtype = None, const std::string &name = "",
                 SourceLocation location = SourceLocation::current());
// The same value as a new tensor.
Tensor identity(const Operand &x, const std::string &name = "",
                SourceLocation location = SourceLocation::current());
// start, start + step, … before stop; with one argument from 0 to it. Scalar tensors too.
Tensor arange(const Operand &start, const Operand &stop = None, const Operand &step = 1,
              DTypeArgument dtype = DType::Int32,
              SourceLocation location = SourceLocation::current());
// So many numbers at equal distances from start to stop, which is the last of them, or with
// endpoint = false would be the next. Scalars; computed in float64. dtype None: floatx.
Tensor linspace(const Operand &start, const Operand &stop, const Size &num = 50,
                bool endpoint = true, DTypeArgument dtype = None,
                SourceLocation location = SourceLocation::current());
// For each vector a tensor with an axis for each of them, along one of which it lies: axis i is
// that of vector i for indexing "ij"; for "xy" the first two change places.
std::vector<Tensor> meshgrid(const std::vector<Operand> &xs, const std::string &indexing = "xy",
                             SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_CREATION_H

// What is said of a function's sizes, apart from what these are called: texts, and sizes between
// them. As an attribute, which holds for functions that call their sizes otherwise:
//
//   ["reshape: (", #keratin.dims<d0>, ",) cannot take the shape (", #keratin.dims<d1, 2>, ")"]
//
// or the text, where no size is in it.
#ifndef KERATIN_IR_DIALECT_SIZEDTEXT_H
#define KERATIN_IR_DIALECT_SIZEDTEXT_H

#include "ir/dialect/SizeNames.h"
#include "ir/dialect/TensorShape.h"

#include "mlir/IR/Attributes.h"

#include <string>
#include <variant>
#include <vector>

namespace keratin::ir {

class SizedText {
public:
  SizedText() = default;
  SizedText(std::string words) { add(std::move(words)); }
  SizedText(const char *words) : SizedText(std::string(words)) {}
  // "batch", "(2, batch)"
  static SizedText size(const DimExpr &size);
  static SizedText shape(const Shape &shape);

  // Whether it is what attribute() makes.
  static bool isOne(mlir::Attribute attribute);
  static SizedText of(mlir::Attribute attribute);
  mlir::Attribute attribute(mlir::MLIRContext *context) const;

  // Texts, and sizes, which are said with commas between them.
  using Part = std::variant<std::string, Shape>;
  const std::vector<Part> &parts() const { return list; }
  std::string text(const SizeNames &names) const;

  friend SizedText operator+(SizedText a, const SizedText &b) {
    for (const Part &part : b.list)
      a.add(part);
    return a;
  }

private:
  void add(Part part);

  std::vector<Part> list; // no two texts side by side
};

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_SIZEDTEXT_H

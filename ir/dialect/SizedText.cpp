#include "ir/dialect/SizedText.h"

#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

void SizedText::add(Part part) {
  const auto *words = std::get_if<std::string>(&part);
  if (words && !list.empty())
    if (auto *last = std::get_if<std::string>(&list.back())) {
      *last += *words;
      return;
    }
  if (!words || !words->empty())
    list.push_back(std::move(part));
}

SizedText SizedText::size(const DimExpr &size) {
  SizedText text;
  text.add(Shape{size});
  return text;
}

SizedText SizedText::shape(const Shape &shape) {
  SizedText text("(");
  if (!shape.empty())
    text.add(shape);
  text.add(shape.size() == 1 ? std::string(",)") : std::string(")"));
  return text;
}

bool SizedText::isOne(Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  return list ? llvm::all_of(list, llvm::IsaPred<StringAttr, DimsAttr>)
              : isa_and_nonnull<StringAttr>(attribute);
}

SizedText SizedText::of(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  SizedText text;
  for (Attribute part : list ? list.getValue() : ArrayRef(attribute))
    if (auto dims = dyn_cast<DimsAttr>(part))
      text.add(Shape(dims.getDims()));
    else
      text.add(cast<StringAttr>(part).str());
  return text;
}

Attribute SizedText::attribute(MLIRContext *context) const {
  SmallVector<Attribute> attributes;
  for (const Part &part : list)
    if (const auto *words = std::get_if<std::string>(&part))
      attributes.push_back(StringAttr::get(context, *words));
    else
      attributes.push_back(DimsAttr::get(context, std::get<Shape>(part)));
  if (attributes.empty())
    return StringAttr::get(context, "");
  const bool isPlain = attributes.size() == 1 && isa<StringAttr>(attributes.front());
  return isPlain ? attributes.front() : ArrayAttr::get(context, attributes);
}

std::string SizedText::text(const SizeNames &names) const {
  std::string all;
  for (const Part &part : list)
    if (const auto *words = std::get_if<std::string>(&part))
      all += *words;
    else
      for (auto [i, size] : llvm::enumerate(std::get<Shape>(part)))
        all += (i ? ", " : "") + names.text(size);
  return all;
}

#include "compiler/artifact/SavedDescription.h"

#include "compiler/artifact/ByteStream.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdlib>

using namespace keratin;
using namespace keratin::compiler;
using llvm::StringRef;

namespace keratin::compiler {

// Both visit the same things in the same order.
class DescriptionWriter {
public:
  explicit DescriptionWriter(const FunctionDescription &description) {
    for (const Said &said : description.texts)
      patterns[said.text.c_str()] = &said.pattern;
  }

  template <typename T> void number(T &value) { out.signedNumber(int64_t(value)); }
  void text(const char *&value) { out.text(*patterns.lookup(value)); }
  // Absent where it is null.
  void optionalText(const char *&value) {
    out.number(value != nullptr);
    if (value)
      text(value);
  }
  template <typename T> void numbers(const int64_t *&values, T &count) {
    out.number(uint64_t(count));
    for (T i = 0; i < count; ++i)
      out.signedNumber(values[i]);
  }
  void optionalNumbers(const int64_t *&values, int32_t &count) {
    out.number(values != nullptr);
    if (values)
      numbers(values, count);
  }
  template <typename T, typename Visit> void list(std::vector<T> &items, Visit visit) {
    out.number(items.size());
    for (T &item : items)
      visit(item);
  }
  void blob(const void *&data, int64_t &bytes) {
    out.text(StringRef(static_cast<const char *>(data), size_t(bytes)));
  }
  void constant(keratin_constant_desc_t &constant) { number(constant.bytes); }

  ByteWriter out;

private:
  llvm::DenseMap<const char *, const std::string *> patterns;
};

class DescriptionReader {
public:
  DescriptionReader(FunctionDescription &description, StringRef bytes, const SaidTexts &said,
                    const std::vector<std::shared_ptr<const char>> &constants)
      : in(bytes), description(description), said(said), constants(constants) {}

  template <typename T> void number(T &value) {
    int64_t read = in.signedNumber();
    value = T(read);
    if (int64_t(value) != read)
      in.fail();
  }
  void text(const char *&value) { value = description.text({said.fill(in.text()), ""}); }
  void optionalText(const char *&value) {
    value = nullptr;
    if (in.number())
      text(value);
  }
  template <typename T> void numbers(const int64_t *&values, T &count) {
    uint64_t size = in.count();
    count = T(size);
    std::vector<int64_t> &list = description.numbers.emplace_back();
    for (uint64_t i = 0; i < size; ++i)
      list.push_back(in.signedNumber());
    values = list.data();
  }
  void optionalNumbers(const int64_t *&values, int32_t &count) {
    values = nullptr;
    if (!in.number())
      return;
    int32_t size = 0;
    numbers(values, size);
    if (size != count)
      in.fail();
  }
  template <typename T, typename Visit> void list(std::vector<T> &items, Visit visit) {
    uint64_t count = in.count();
    for (uint64_t i = 0; i < count && in.isGood(); ++i)
      visit(items.emplace_back());
  }
  void blob(const void *&data, int64_t &bytes) {
    const std::string &kept = description.imageData.emplace_back(in.text().str());
    data = kept.data();
    bytes = int64_t(kept.size());
  }
  void constant(keratin_constant_desc_t &constant) {
    number(constant.bytes);
    if (next == constants.size()) {
      in.fail();
      return;
    }
    constant.data = description.constantData.emplace_back(constants[next++]).get();
  }
  bool isDone() const { return in.isGood() && in.isAtEnd() && next == constants.size(); }

  ByteReader in;

private:
  FunctionDescription &description;
  const SaidTexts &said;
  const std::vector<std::shared_ptr<const char>> &constants;
  size_t next = 0;
};

template <typename Archive> void visitDescription(Archive &a, FunctionDescription &d) {
  auto tensor = [&](keratin_tensor_desc_t &t) {
    a.text(t.name);
    a.number(t.dtype);
    a.numbers(t.dims, t.rank);
    a.text(t.location);
    a.optionalNumbers(t.capacity, t.rank);
    a.number(t.part);
  };
  a.text(d.descriptor.name);
  a.list(d.inputs, tensor);
  a.list(d.variables, tensor);
  a.list(d.outputs, tensor);
  a.list(d.updates, [&](keratin_update_desc_t &u) {
    a.number(u.variable);
    a.number(u.in_place);
  });
  a.list(d.constants, [&](keratin_constant_desc_t &c) { a.constant(c); });
  a.list(d.symbols, [&](keratin_symbol_desc_t &s) {
    a.number(s.source);
    a.number(s.input);
    a.number(s.index);
    a.text(s.name);
  });
  a.list(d.programs, [&](keratin_size_program_t &p) { a.numbers(p.code, p.length); });
  a.list(d.checks, [&](keratin_check_t &c) {
    a.number(c.kind);
    a.number(c.status);
    a.number(c.lhs);
    a.number(c.rhs);
    a.text(c.message);
  });
  a.list(d.sites, [&](keratin_site_t &s) {
    a.number(s.status);
    a.text(s.message);
  });
  a.number(d.descriptor.arena_slot);
  a.number(d.descriptor.scratch_bytes);
  a.number(d.descriptor.num_collectives);
  a.list(d.axisNames, [&](const char *&name) { a.text(name); });
  a.list(d.inputAxes, [&](const char *&name) { a.optionalText(name); });
  a.list(d.outputAxes, [&](const char *&name) { a.optionalText(name); });
  a.list(d.furtherParts, [&](keratin_further_part_t &part) {
    a.number(part.output);
    a.number(part.dimension);
    a.optionalText(part.axis);
  });
  a.list(d.kernels, [&](keratin_kernel_desc_t &k) {
    a.text(k.name);
    a.text(k.location);
  });
  a.list(d.computedSizes, [&](keratin_computed_size_t &s) {
    a.number(s.bound);
    a.number(s.status);
    a.text(s.message);
  });
  a.list(d.programLevels, [&](int64_t &level) { a.number(level); });
  a.list(d.memories, [&](keratin_memory_t &m) {
    a.number(m.kind);
    a.number(m.size);
    a.number(m.slot);
  });
  a.number(d.prepares);
  a.number(d.prepared.bytes);
  a.numbers(d.prepared.variables, d.prepared.num_variables);
  a.optionalText(d.deviceCode.device);
  a.list(d.images, [&](keratin_image_t &i) {
    a.text(i.kind);
    a.blob(i.data, i.bytes);
  });
  a.list(d.deviceKernels, [&](const char *&name) { a.text(name); });
}

} // namespace keratin::compiler

std::string keratin::compiler::saveDescription(FunctionDescription &description) {
  DescriptionWriter writer(description);
  visitDescription(writer, description);
  return std::move(writer.out.bytes);
}

std::unique_ptr<FunctionDescription>
keratin::compiler::loadDescription(StringRef bytes, const SaidTexts &said,
                                   const std::vector<std::shared_ptr<const char>> &constants) {
  auto description = std::make_unique<FunctionDescription>();
  DescriptionReader reader(*description, bytes, said, constants);
  visitDescription(reader, *description);
  if (!reader.isDone())
    return nullptr;
  description->finish();
  return description;
}

std::shared_ptr<char> keratin::compiler::constantMemory(size_t bytes) {
  size_t padded =
      (std::max<size_t>(bytes, 1) + KERATIN_ALIGNMENT - 1) / KERATIN_ALIGNMENT * KERATIN_ALIGNMENT;
  auto *data = static_cast<char *>(std::aligned_alloc(KERATIN_ALIGNMENT, padded));
  return data ? std::shared_ptr<char>(data, std::free) : nullptr;
}

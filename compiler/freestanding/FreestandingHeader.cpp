#include "compiler/freestanding/FreestandingHeader.h"

#include "compiler/artifact/FunctionText.h"
#include "compiler/artifact/KnownOutputs.h"
#include "compiler/artifact/ModelInterface.h"
#include "compiler/artifact/Names.h"
#include "compiler/driver/Version.h"
#include "ir/dialect/SiteMessage.h"
#include "runtime/core/DType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace keratin;
using namespace keratin::compiler;
using llvm::Twine;

// What is declared beside a function f.
static constexpr llvm::StringLiteral suffixes[] = {"_message", "_WORKSPACE_BYTES", "_STACK_BYTES",
                                                   "_OPERATIONS"};

// What is declared for the model itself.
static Identifiers ofModel(const std::string &model) {
  Identifiers identifiers(model + "_");
  identifiers.add({"state_init", "STATE_BYTES", "ALIGNMENT"});
  return identifiers;
}

std::vector<std::string> compiler::freestandingNames(const ir::SavedGraph &graph,
                                                     const std::string &model) {
  std::vector<std::string> names;
  for (const ir::SavedFunction &function : graph.functions)
    names.push_back(function.name);
  return ofModel(model).add(names, llvm::SmallVector<llvm::StringRef>(llvm::ArrayRef(suffixes)));
}

namespace {

class HeaderBuilder {
public:
  HeaderBuilder(const ir::SavedGraph &graph, const std::string &model,
                const std::vector<FreestandingFunction> &functions, const ModelLayout &layout)
      : graph(graph), known(graph), model(model), functions(functions), layout(layout),
        identifiers(ofModel(model)) {
    std::vector<std::string> names;
    for (const FreestandingFunction &function : functions)
      names.push_back(function.name);
    identifiers.add(names, llvm::SmallVector<llvm::StringRef>(llvm::ArrayRef(suffixes)));
  }

  std::string build(const std::string &target) {
    line("// Model '" + Twine(model) + "', compiled for " + target + " by " + producer + ".");
    line("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception");
    line("// (this header's text and what the compiler adds to the model, which is its owner's)");
    line("//");
    line("// Freestanding: calls nothing, asks for no memory, starts no thread, and takes a time "
         "that its inputs");
    line("// do not change but where a loop of the model ends early. Tensors are row-major; bool "
         "elements are bytes");
    line("// 0 and 1, those of float16 and bfloat16 their bits. What a call is given does not "
         "overlap. A call");
    line("// returns 0, or what went wrong, which F_message() puts into words, and has then "
         "updated nothing.");
    line("// Calls at the same time have workspaces of their own, and no state that one of them "
         "updates.");
    line("#ifndef KERATIN_MODEL_" + Twine(model));
    line("#define KERATIN_MODEL_" + Twine(model));
    line("");
    line("#include <stdint.h>");
    line("");
    line("#ifdef __cplusplus");
    line("extern \"C\" {");
    line("#endif");
    line("");
    line("// Workspaces and states begin at a multiple of so many bytes.");
    define("ALIGNMENT", layout.alignment());
    line("");
    state();
    for (auto [number, function] : llvm::enumerate(functions))
      call(function, int32_t(number));
    line("#ifdef __cplusplus");
    line("}");
    line("#endif");
    line("");
    line("#endif // KERATIN_MODEL_" + Twine(model));
    return std::move(text);
  }

  std::map<std::string, std::string> heads() const {
    std::map<std::string, std::string> heads;
    for (const FreestandingFunction &function : functions) {
      const std::string name = model + "_" + function.name;
      heads[name] = callHead(function, nullptr);
      heads[name + "_message"] = messageHead(function, "p0");
    }
    heads[model + "_state_init"] = initHead("p0");
    return heads;
  }

private:
  void line(const Twine &content) { text += content.str() + "\n"; }
  void comment(const Twine &content) { line("// " + commentText(content.str())); }
  void define(const Twine &name, int64_t value) {
    line("#define " + model + "_" + name + " " + Twine(value));
  }

  static std::string shapeOf(llvm::ArrayRef<int64_t> dims) {
    std::string shape = "(";
    for (auto [axis, dim] : llvm::enumerate(dims))
      shape += (axis ? ", " : "") + std::to_string(dim);
    return shape + (dims.size() == 1 ? ",)" : ")");
  }

  void state() {
    std::vector<std::string> constants;
    if (layout.stateBytes() > 0) {
      line("// The variables that functions update. By their places in a state, in bytes:");
      for (auto [number, variable] : llvm::enumerate(graph.variables))
        if (std::optional<int64_t> offset = layout.stateOffset(int32_t(number)))
          comment("  " + Twine(*offset) + "  " + variable.name + ": " +
                  runtime::dtypeName(variable.dtype) + " " + shapeOf(variable.dims));
      define("STATE_BYTES", layout.stateBytes());
      line("// Gives them the values that the model was saved with.");
      line(initHead("state") + ";");
      line("");
    }
    for (auto [number, variable] : llvm::enumerate(graph.variables))
      if (!layout.stateOffset(int32_t(number)))
        constants.push_back(variable.name + ": " + runtime::dtypeName(variable.dtype) + " " +
                            shapeOf(variable.dims));
    if (constants.empty())
      return;
    line("// Variables that no function updates are constants of the code:");
    for (const std::string &constant : constants)
      comment("  " + constant);
    line("");
  }

  void call(const FreestandingFunction &function, int32_t number) {
    const keratin_function_desc_t &f = function.descriptor();
    const FunctionText names(f, number, function.name, identifiers);
    comment(function.name + FunctionText::given(function.name, f.name));
    for (int32_t i = 0; i < f.num_inputs; ++i)
      comment("  input " + Twine(i) + "   " + names.tensor(names.inputs[i], f.inputs[i]));
    for (int32_t i = 0; i < f.num_outputs; ++i)
      comment("  output " + Twine(i) + "  " + names.tensor(names.outputs[i], f.outputs[i]) +
              known.said(number, i, model + "_" + function.name));
    for (int32_t i = 0; i < f.num_updates; ++i)
      comment("  updates   " + Twine(f.variables[f.updates[i].variable].name));
    for (const KnownLoop &loop : function.loops)
      comment("  loop      " + loop.what + ": " + Twine(loop.steps) + " steps at most");
    for (int64_t i = 0, first = 1; i < f.num_sites; ++i) {
      const int64_t numbers = ir::toldElements(f.sites[i].message);
      const std::string message = ir::tellNone(f.sites[i].message);
      if (numbers == 1)
        comment("  returns " + Twine(first) + " where " + message);
      else // all beyond what is told apart share the last
        comment("  returns " + Twine(first) + " + its number, " + Twine(first + numbers - 1) +
                " at most, where " + message);
      first += numbers;
    }
    text += known.definitions(number, model + "_" + function.name);
    define(function.name + "_WORKSPACE_BYTES",
           std::max(layout.workspaceOf(function).bytes, layout.alignment()));
    if (function.stackBytes) {
      line("// Of the stack, at most.");
      define(function.name + "_STACK_BYTES", function.stackBytes);
    }
    if (function.operations) {
      line("// Arithmetic on elements in a call, at most.");
      define(function.name + "_OPERATIONS", *function.operations);
    }
    line(callHead(function, &names) + ";");
    line(messageHead(function, "result") + ";");
    line("");
  }

  // Without names of tensors parameters are numbered.
  std::string callHead(const FreestandingFunction &function, const FunctionText *names) const {
    const keratin_function_desc_t &f = function.descriptor();
    std::string parameters;
    int64_t number = 0;
    auto add = [&](const std::string &type, const std::string &name) {
      parameters += (parameters.empty() ? "" : ", ") + type + " *" +
                    (names ? name : "p" + std::to_string(number++));
    };
    if (layout.usesState(function))
      add(layout.writesState(function) ? "void" : "const void", "state");
    for (int32_t i = 0; i < f.num_inputs; ++i)
      add("const " + std::string(cTypeOf(f.inputs[i].dtype)), names ? names->inputs[i] : "");
    for (int32_t i = 0; i < f.num_outputs; ++i)
      add(cTypeOf(f.outputs[i].dtype), names ? names->outputs[i] : "");
    add("void", "workspace");
    return "int32_t " + model + "_" + function.name + "(" + parameters + ")";
  }

  std::string messageHead(const FreestandingFunction &function, const std::string &result) const {
    return "const char *" + model + "_" + function.name + "_message(int32_t " + result + ")";
  }

  std::string initHead(const std::string &state) const {
    return "int32_t " + model + "_state_init(void *" + state + ")";
  }

  const ir::SavedGraph &graph;
  const KnownOutputs known;
  const std::string &model;
  const std::vector<FreestandingFunction> &functions;
  const ModelLayout &layout;
  Identifiers identifiers;
  std::string text;
};

} // namespace

std::string compiler::makeFreestandingHeader(const ir::SavedGraph &graph, const std::string &model,
                                             const std::vector<FreestandingFunction> &functions,
                                             const ModelLayout &layout, const std::string &target) {
  return HeaderBuilder(graph, model, functions, layout).build(target);
}

std::map<std::string, std::string>
compiler::exportedHeads(const ir::SavedGraph &graph, const std::string &model,
                        const std::vector<FreestandingFunction> &functions,
                        const ModelLayout &layout) {
  return HeaderBuilder(graph, model, functions, layout).heads();
}

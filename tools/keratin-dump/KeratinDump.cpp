// Shows a model at any stage of its compilation.
#include "compiler/driver/ModelFile.h"
#include "compiler/driver/PhaseDump.h"
#include "ir/host/Host.h"
#include "tools/keratin-dump/DeviceText.h"
#include "tools/keratin-dump/Dot.h"
#include "tools/keratin-dump/GraphReader.h"
#include "tools/keratin-dump/Html.h"
#include "tools/keratin-dump/Json.h"
#include "tools/keratin-dump/Neighbourhood.h"
#include "tools/keratin-dump/Sources.h"
#include "tools/keratin-dump/Stages.h"
#include "tools/keratin-dump/Stats.h"
#include "tools/keratin-dump/Text.h"
#include "tools/support/OutputFile.h"
#include "tools/support/Tool.h"
#include "tools/support/Watchdog.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace keratin;
using namespace keratin::dump;
using namespace keratin::tools;

namespace {

// The command line.
std::vector<std::string> inputs, symbolTexts;
std::string outputFile = "-", functionName, stageText, format = "text", around, cpu = "native",
            target = "cpu", float32Products = "float32", sourceFolder;
int64_t depth = 1;
std::chrono::nanoseconds timeout{0};
bool verifyEach = false;

CommandLine commandLine() {
  CommandLine line("keratin-dump <model.ktg or .mlir> [options]",
                   "Shows a model at any stage of its compilation.");
  line.positional(inputs, 1, 1);
  line.text("-o", outputFile, "FILE", "output; default: standard output");
  line.choice(
      "--stage", stageText,
      {"graph", "grad", "simplified", "fused", "plan", "host", "kernels", "llvm", "asm", "ptx",
       "sass"},
      "IR as given (default), with gradients expanded, simplified, with kernels formed, "
      "with a memory plan (default for stats); with the host's program, what the target makes of "
      "each kernel, the host's LLVM IR and assembly, and PTX and machine code of target cuda, as "
      "text only");
  line.choice("--format", format, {"text", "dot", "html", "json", "stats"},
              "IR that keratin-opt reads (default); GraphViz; one page with all stages; JSON; "
              "ops, FLOPs, bytes, memory");
  line.text("--function", functionName, "NAME", "only this function of the model");
  line.text("--around", around, "OP",
            "only ops that match and those near them: a result (%12), an op's name, file:line");
  line.number("--depth", depth, 0, "N", "how many steps from those of --around; default: 1");
  line.texts("--symbol", symbolTexts, "NAME=SIZE",
             "a size known only at run time, for FLOPs and bytes: d0=32; default: 32 each");
  line.text("--source", sourceFolder, "FOLDER",
            "html: show the lines that ops were written at, from files in this folder");
  line.text("--target", target, "TARGET",
            "what is compiled for: cpu (default), cuda, cuda:sm_90, or a triple");
  line.text("--mcpu", cpu, "CPU", "processor for kernels, llvm, asm and html; default: native");
  line.choice("--float32-products", float32Products, {"float32", "tf32"},
              "as keratin-compile: what becomes of products of float32 then");
  line.flag("--verify", verifyEach, "verify the IR after each pass, and the memory plan");
  line.duration("--timeout", timeout, "TIME",
                "end with exit code 4 if not done after 10, 10s, 500ms or 2min");
  return line;
}

// "d0=64", or the symbol's name in the saved graph.
absl::StatusOr<passes::SymbolValues> symbolValues(const ir::SavedFunction &function) {
  passes::SymbolValues values;
  for (const std::string &text : symbolTexts) {
    auto [name, number] = llvm::StringRef(text).split('=');
    int64_t value = 0, id = 0;
    if (number.getAsInteger(10, value) || value < 0)
      return absl::InvalidArgumentError("--symbol needs NAME=SIZE, found '" + text + "'");
    auto named = std::find(function.symbols.begin(), function.symbols.end(), name);
    if (named != function.symbols.end())
      id = named - function.symbols.begin();
    else if (!name.consume_front("d") || name.getAsInteger(10, id) || id < 0)
      return absl::InvalidArgumentError("--symbol: function '" + function.name +
                                        "' has no size of the name in '" + text + "'");
    values[id] = value;
  }
  return values;
}

compiler::CompileOptions compileOptions() {
  compiler::CompileOptions options;
  options.target = target;
  options.cpu = cpu;
  options.float32Products = *codegen::float32ProductsByName(float32Products);
  options.verify = verifyEach;
  return options;
}

mlir::func::FuncOp functionIn(mlir::ModuleOp module) {
  return *module.getOps<mlir::func::FuncOp>().begin();
}

// One function of the model at the stage asked for.
struct Part {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  passes::SymbolValues symbols;
  OpSet shown; // empty: all
};

absl::StatusOr<std::vector<Part>> partsAt(ir::SavedGraph &graph, Stage stage) {
  std::vector<Part> parts;
  for (auto [op, saved] :
       llvm::zip(llvm::to_vector(graph.module->getOps<mlir::func::FuncOp>()), graph.functions)) {
    auto symbols = symbolValues(saved);
    if (!symbols.ok())
      return symbols.status();
    mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(op.getLoc());
    alone->getBody()->push_back(op->clone());
    auto module = moduleAt(*alone, stage, compileOptions());
    if (!module.ok())
      return module.status();
    Part part{*std::move(module), *std::move(symbols), {}};
    if (!around.empty()) {
      part.shown = opsAround(functionIn(*part.module), around, depth);
      if (part.shown.empty())
        continue;
    }
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    return absl::NotFoundError("no op matches --around=" + around);
  return parts;
}

std::string toText(std::vector<Part> &parts) {
  mlir::OwningOpRef<mlir::ModuleOp> whole = mlir::ModuleOp::create(parts[0].module->getLoc());
  for (Part &part : parts) {
    mlir::func::FuncOp function = functionIn(*part.module);
    mlir::OwningOpRef<mlir::ModuleOp> cut;
    if (!part.shown.empty()) {
      cut = cutOut(function, part.shown);
      function = functionIn(*cut);
    }
    whole->getBody()->push_back(function->clone());
    if (auto program = host::programOf(functionIn(*part.module)))
      whole->getBody()->push_back(program->clone());
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true, /*prettyForm=*/false);
  whole->print(stream, flags);
  stream << "\n"; // as keratin-opt ends
  return text;
}

std::vector<GraphView> viewsOf(std::vector<Part> &parts, Stage stage) {
  std::vector<GraphView> views;
  for (Part &part : parts)
    views.push_back(viewOf(functionIn(*part.module), stageName(stage), part.symbols,
                           part.shown.empty() ? nullptr : &part.shown));
  return views;
}

// What is asked of each function alone, one text after the other.
absl::StatusOr<std::string>
textOfFunctions(ir::SavedGraph &graph,
                llvm::function_ref<absl::StatusOr<std::string>(mlir::ModuleOp)> textOf,
                bool isNamed) {
  std::string text;
  for (auto op : graph.module->getOps<mlir::func::FuncOp>()) {
    mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(op.getLoc());
    alone->getBody()->push_back(op->clone());
    auto part = textOf(*alone);
    if (!part.ok())
      return part.status();
    text += isNamed ? readable("function " + op.getName().str() + "\n" + *part) : *part;
  }
  return text;
}

absl::StatusOr<std::string> kernelsText(ir::SavedGraph &graph) {
  return textOfFunctions(
      graph, [](mlir::ModuleOp alone) { return kernelSchedules(alone, compileOptions()); },
      /*isNamed=*/true);
}

absl::StatusOr<std::string> ptxText(ir::SavedGraph &graph) {
  return textOfFunctions(
      graph, [](mlir::ModuleOp alone) { return devicePtx(alone, compileOptions()); },
      /*isNamed=*/false);
}

absl::StatusOr<std::string> sassText(ir::SavedGraph &graph) {
  return textOfFunctions(
      graph, [](mlir::ModuleOp alone) { return deviceSass(alone, compileOptions()); },
      /*isNamed=*/false);
}

absl::StatusOr<std::string> codeText(ir::SavedGraph &graph, bool isAssembly) {
  return textOfFunctions(
      graph,
      [&](mlir::ModuleOp alone) -> absl::StatusOr<std::string> {
        auto code = machineCode(alone, isAssembly, compileOptions());
        if (!code.ok())
          return code.status();
        return code->text;
      },
      /*isNamed=*/false);
}

// The assembly of each kernel, by the name of its function.
absl::Status addCode(mlir::ModuleOp alone, HtmlFunction &page) {
  auto code = machineCode(alone, /*isAssembly=*/true, compileOptions());
  if (!code.ok())
    return code.status();
  for (GraphView &view : page.stages)
    if (view.memory && view.kernels.size() == code->kernelFunctions.size())
      for (size_t i = 0; i < view.kernels.size(); ++i)
        view.kernels[i].function = code->kernelFunctions[i];
  for (const std::string &name : code->kernelFunctions)
    if (std::string &text = page.code[name]; text.empty())
      text = functionOf(code->text, name);
  return absl::OkStatus();
}

// All stages of a function; with --around those in which something matches.
absl::StatusOr<HtmlFunction> htmlFunction(mlir::func::FuncOp op, const ir::SavedFunction &saved) {
  auto symbols = symbolValues(saved);
  if (!symbols.ok())
    return symbols.status();
  mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(op.getLoc());
  alone->getBody()->push_back(op->clone());
  HtmlFunction page;
  for (Stage stage : allStages) {
    auto module = moduleAt(*alone, stage, compileOptions());
    if (!module.ok())
      return module.status();
    OpSet shown;
    if (!around.empty()) {
      shown = opsAround(functionIn(**module), around, depth);
      if (shown.empty())
        continue;
    }
    page.stages.push_back(
        viewOf(functionIn(**module), stageName(stage), *symbols, shown.empty() ? nullptr : &shown));
  }
  if (absl::Status status = addCode(*alone, page); !status.ok())
    return status;
  return page;
}

absl::StatusOr<std::string> htmlText(ir::SavedGraph &graph) {
  HtmlPage page;
  page.title = llvm::sys::path::filename(inputs.front()).str();
  std::set<std::string> places;
  for (auto [op, saved] :
       llvm::zip(llvm::to_vector(graph.module->getOps<mlir::func::FuncOp>()), graph.functions)) {
    auto function = htmlFunction(op, saved);
    if (!function.ok())
      return function.status();
    if (function->stages.empty())
      continue;
    for (const GraphView &view : function->stages)
      for (const ViewNode &node : view.nodes)
        for (const std::string &place : node.places)
          places.insert(llvm::StringRef(place).rsplit(':').first.str());
    page.functions.push_back(*std::move(function));
  }
  if (page.functions.empty())
    return absl::NotFoundError("no op matches --around=" + around);
  page.sources = sourceLines(places, sourceFolder);
  return toHtml(page);
}

absl::StatusOr<std::string> dump(ir::SavedGraph graph) {
  if (format == "html")
    return htmlText(graph);
  if (stageText == "kernels")
    return kernelsText(graph);
  if (stageText == "ptx")
    return ptxText(graph);
  if (stageText == "sass")
    return sassText(graph);
  if (stageText == "llvm" || stageText == "asm")
    return codeText(graph, stageText == "asm");
  Stage stage = *stageByName(stageText);
  auto parts = partsAt(graph, stage);
  if (!parts.ok())
    return parts.status();
  if (format == "text")
    return toText(*parts);
  std::vector<GraphView> views = viewsOf(*parts, stage);
  if (format == "dot")
    return toDot(views);
  if (format == "json")
    return toJson(views);
  return toStats(views);
}

absl::Status run(Watchdog &watchdog) {
  if (absl::Status status = compiler::checkDumpFolder(""); !status.ok())
    return status;
  const std::string &inputFile = inputs.front();
  watchdog.enter("reading the model");
  mlir::DialectRegistry registry;
  compiler::registerModelDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // nobody reads notes
  DiagnosticLines lines(context);
  auto graph = compiler::readModel(inputFile, context, functionName);
  if (!graph.ok())
    return lines.orElse(inFile(inputFile, graph.status()));
  watchdog.enter("compiling and drawing");
  auto text = dump(*std::move(graph));
  if (!text.ok())
    return text.status();
  watchdog.enterWriting("writing the output");
  return writeOutput(outputFile, *text);
}

// What options do not go together; "" if they do.
std::string conflict() {
  bool isCode = llvm::is_contained({"host", "kernels", "llvm", "asm", "ptx", "sass"},
                                   llvm::StringRef(stageText));
  if (isCode && format != "text")
    return "--stage=" + stageText + " is text only";
  if (format == "html" && !stageText.empty())
    return "--format=html shows all stages: it goes without --stage";
  if (!around.empty() && (isCode || format == "stats"))
    return "--around goes with the stages of a graph, as text, dot, json or html";
  return "";
}

} // namespace

int main(int argc, char **argv) {
  const Tool tool("keratin-dump");
  CommandLine line = commandLine();
  if (auto done = tool.parse(line, argc, argv))
    return int(*done);
  if (std::string problem = conflict(); !problem.empty()) {
    llvm::errs() << "keratin-dump: error: " << problem << "\n";
    return int(ExitCode::Usage);
  }
  if (stageText.empty())
    stageText = format == "stats" ? "plan" : "graph";
  Watchdog watchdog(inputs.front(), timeout);
  return tool.finish(tool.attempt([&] { return run(watchdog); }));
}

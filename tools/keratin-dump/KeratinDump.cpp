// Shows a model at any stage of its compilation.
#include "compiler/driver/ModelFile.h"
#include "compiler/driver/PhaseDump.h"
#include "ir/dialect/SizeNames.h"
#include "ir/host/Host.h"
#include "ir/interfaces/ComputedSizes.h"
#include "tools/keratin-dump/DeviceText.h"
#include "tools/keratin-dump/Dot.h"
#include "tools/keratin-dump/GraphReader.h"
#include "tools/keratin-dump/Html.h"
#include "tools/keratin-dump/Json.h"
#include "tools/keratin-dump/Neighbourhood.h"
#include "tools/keratin-dump/Profile.h"
#include "tools/keratin-dump/Sources.h"
#include "tools/keratin-dump/Stages.h"
#include "tools/keratin-dump/Stats.h"
#include "tools/keratin-dump/Text.h"
#include "tools/support/Models.h"
#include "tools/support/OutputFile.h"
#include "tools/support/Shards.h"
#include "tools/support/Sizes.h"
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

std::vector<std::string> inputs;
ShardOptions shards;
NamedNumbers sizes;
std::string outputFile = "-", functionName, stageText, format = "text", around, cpu = "native",
            target = "cpu", float32Products = "float32", assumesSizes = "yes", sourceFolder,
            profileFile;
int64_t depth = 1;
std::chrono::nanoseconds timeout{0};
bool verifyEach = false;

CommandLine commandLine() {
  CommandLine line("keratin-dump <model.ktg, .onnx, .h5 or .mlir> [options]",
                   "Shows a model at any stage of its compilation.");
  line.positional(inputs, 1, 1);
  line.text("-o", outputFile, "FILE", "output; default: standard output");
  line.choice("--stage", stageText, compiler::stageNames(Stage::Input, Stage::Sass),
              "IR as given (default); in stable formulas; gradients expanded; simplified;\n"
              "kernels formed; with a memory plan (default for stats); and as text only:\n"
              "with the host's program; what the target makes of each kernel; the host's\n"
              "LLVM IR; its assembly; PTX and machine code of target cuda");
  line.choice("--format", format, {"text", "dot", "html", "json", "stats"},
              "IR that keratin-opt reads (default); GraphViz; one page with all stages; JSON; "
              "ops, FLOPs, bytes, memory");
  line.text("--function", functionName, "NAME", "only this function of the model");
  addShardOptions(line, shards);
  line.text("--mesh", shards.mesh, "AXIS:RANKS,...",
            "for ranks in this mesh alone, as data:2,model:2 (keratin-compile --help)");
  line.text("--around", around, "OP",
            "only ops that match and those near them: a result (%12), an op's name, file:line");
  line.number("--depth", depth, 0, "N", "how many steps from those of --around; default: 1");
  addSizeOption(line, sizes,
                "an unknown size by its name: d0, d1, ..., INPUT_dimAXIS,\n"
                "or that of a saved graph; for FLOPs and bytes; default:\n"
                "what it is at most, else 32");
  line.text("--profile", profileFile, "FILE",
            "stats, json, html: the times of kernels, which keratin-run --profile wrote");
  line.text("--source", sourceFolder, "FOLDER",
            "html: show the lines that ops were written at, from files in this folder");
  line.text("--target", target, "TARGET",
            "what is compiled for: cpu (default), cuda, cuda:sm_90, or a triple");
  line.text("--mcpu", cpu, "CPU", "processor for kernels, llvm, asm and html; default: native");
  line.choice("--float32-products", float32Products, {"float32", "tf32"},
              "as keratin-compile: what becomes of products of float32 then");
  line.choice("--assume-equal-sizes", assumesSizes, {"yes", "no"},
              "as keratin-compile: whether to show the code for equal sizes, where there is one");
  line.flag("--verify", verifyEach, "verify the IR after each pass, and the memory plan");
  line.duration("--timeout", timeout, "TIME",
                "end with exit code 4 if not done after 10, 10s, 500ms or 2min");
  return line;
}

compiler::CompileOptions compileOptions() {
  compiler::CompileOptions options;
  options.target = target;
  options.cpu = cpu;
  options.float32Products = *codegen::float32ProductsByName(float32Products);
  options.assumeEqualSizes = assumesSizes == "yes";
  options.verify = verifyEach;
  return options;
}

mlir::func::FuncOp functionIn(mlir::ModuleOp module) {
  return *module.getOps<mlir::func::FuncOp>().begin();
}

// As --size says, of a module with one function as it was given.
absl::StatusOr<passes::SymbolValues> symbolValues(mlir::ModuleOp module,
                                                  const ir::SavedFunction &function) {
  mlir::func::FuncOp op = functionIn(module);
  const ir::LimitedSizes limited(op);
  std::map<int64_t, KnownSize> known; // by symbol
  auto named = [&](int64_t id) -> std::vector<std::string> & {
    KnownSize &size = known[id];
    if (size.names.empty())
      size = {{"d" + std::to_string(id)}, limited.of(id).limits};
    return size.names;
  };
  for (size_t id = 0; id < function.symbols.size(); ++id)
    named(int64_t(id)).push_back(function.symbols[id]);
  ir::forEachSymbol(op, named);
  const ir::SizeNames called(op);
  for (auto &[id, size] : known)
    if (!llvm::is_contained(size.names, called[id]))
      size.names.push_back(called[id]);
  // Loops get names for the numbers of their steps.
  bool computesSizes = op.walk([](mlir::Operation *inner) {
                           return mlir::isa<ir::WhileOp>(inner) || ir::symbolDefinedBy(inner)
                                      ? mlir::WalkResult::interrupt()
                                      : mlir::WalkResult::advance();
                         }).wasInterrupted();
  if (computesSizes && !sizes.empty())
    if (auto planned = moduleAt(module, Stage::Plan, compileOptions()); planned.ok())
      ir::forEachSymbol(functionIn(**planned), named);
  std::vector<int64_t> ids;
  std::vector<KnownSize> all;
  for (const auto &[id, size] : known) {
    ids.push_back(id);
    all.push_back(size);
  }
  auto given = findSizes(sizes, all);
  if (!given.ok())
    return given.status();
  passes::SymbolValues values;
  for (auto [index, size] : *given)
    values[ids[index]] = size;
  return values;
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
    mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(op.getLoc());
    alone->getBody()->push_back(op->clone());
    auto symbols = symbolValues(*alone, saved);
    if (!symbols.ok())
      return symbols.status();
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

// The profile of --profile, whose functions must be some of the model's.
absl::StatusOr<std::optional<Profile>> readProfile(const ir::SavedGraph &graph) {
  if (profileFile.empty())
    return std::nullopt;
  auto profile = Profile::read(profileFile);
  if (!profile.ok())
    return profile.status();
  std::vector<std::string> called = profile->functions(), names;
  for (const ir::SavedFunction &function : graph.functions)
    names.push_back(function.name);
  if (llvm::none_of(called,
                    [&](const std::string &name) { return llvm::is_contained(names, name); }))
    return absl::InvalidArgumentError(profileFile + ": error: this is a profile of " +
                                      (called.empty() ? "no calls" : llvm::join(called, ", ")) +
                                      "; needed one of " + llvm::join(names, ", "));
  return *std::move(profile);
}

absl::StatusOr<std::vector<GraphView>> viewsOf(const ir::SavedGraph &graph,
                                               std::vector<Part> &parts, Stage stage) {
  auto profile = readProfile(graph);
  if (!profile.ok())
    return profile.status();
  std::vector<GraphView> views;
  for (Part &part : parts) {
    views.push_back(viewOf(functionIn(*part.module), compiler::stageName(stage), part.symbols,
                           part.shown.empty() ? nullptr : &part.shown));
    if (*profile && stage == Stage::Plan)
      if (absl::Status status = (*profile)->addTo(views.back()); !status.ok())
        return status;
  }
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
  const std::vector<std::string> &functions = code->listing.functions;
  auto addTo = [&](ViewKernel &kernel) {
    if (kernel.kind == std::string_view("kernel") && size_t(kernel.first) < functions.size())
      kernel.function = functions[size_t(kernel.first)];
  };
  for (GraphView &view : page.stages) {
    if (!view.memory)
      continue; // numbers are those of the plan
    for (ViewKernel &kernel : view.kernels) {
      addTo(kernel);
      llvm::for_each(kernel.inside, addTo);
    }
  }
  for (const std::string &name : functions)
    if (std::string &text = page.code[name]; text.empty())
      text = functionOf(code->text, name);
  return absl::OkStatus();
}

// All stages of a function; with --around those in which something matches.
absl::StatusOr<HtmlFunction> htmlFunction(mlir::func::FuncOp op, const ir::SavedFunction &saved,
                                          const std::optional<Profile> &profile) {
  mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(op.getLoc());
  alone->getBody()->push_back(op->clone());
  auto symbols = symbolValues(*alone, saved);
  if (!symbols.ok())
    return symbols.status();
  HtmlFunction page;
  for (Stage stage : pageStages) {
    auto module = moduleAt(*alone, stage, compileOptions());
    if (!module.ok())
      return module.status();
    OpSet shown;
    if (!around.empty()) {
      shown = opsAround(functionIn(**module), around, depth);
      if (shown.empty())
        continue;
    }
    page.stages.push_back(viewOf(functionIn(**module), compiler::stageName(stage), *symbols,
                                 shown.empty() ? nullptr : &shown));
    if (profile && stage == Stage::Plan)
      if (absl::Status status = profile->addTo(page.stages.back()); !status.ok())
        return status;
  }
  if (absl::Status status = addCode(*alone, page); !status.ok())
    return status;
  return page;
}

absl::StatusOr<std::string> htmlText(ir::SavedGraph &graph) {
  auto profile = readProfile(graph);
  if (!profile.ok())
    return profile.status();
  HtmlPage page;
  page.title = llvm::sys::path::filename(inputs.front()).str();
  std::set<std::string> places;
  for (auto [op, saved] :
       llvm::zip(llvm::to_vector(graph.module->getOps<mlir::func::FuncOp>()), graph.functions)) {
    auto function = htmlFunction(op, saved, *profile);
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
  if (sourceFolder.empty())
    return toHtml(page);
  auto sources = sourceLines(places, sourceFolder);
  if (!sources.ok())
    return sources.status();
  page.sources = *std::move(sources);
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
  Stage stage = *compiler::stageByName(stageText);
  auto parts = partsAt(graph, stage);
  if (!parts.ok())
    return parts.status();
  if (format == "text")
    return toText(*parts);
  auto views = viewsOf(graph, *parts, stage);
  if (!views.ok())
    return views.status();
  return format == "dot" ? toDot(*views) : format == "json" ? toJson(*views) : toStats(*views);
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
  auto graph = tools::readModel(inputFile, context, functionName);
  if (!graph.ok())
    return lines.orElse(inFile(inputFile, graph.status()));
  if (absl::Status status = shardSizes(*graph, shards); !status.ok())
    return status;
  if (auto divided = compiler::divideVariables(*graph, partOptions(shards)); !divided.ok())
    return divided.status();
  watchdog.enter("compiling and drawing");
  auto text = dump(*std::move(graph));
  if (!text.ok())
    return text.status();
  watchdog.enterWriting("writing the output");
  return writeOutput(outputFile, *text);
}

// What options do not go together; "" if they do.
std::string conflict() {
  bool isCode = !stageText.empty() && *compiler::stageByName(stageText) >= Stage::Host;
  if (isCode && format != "text")
    return "--stage=" + stageText + " is text only";
  if (format == "html" && !stageText.empty())
    return "--format=html shows all stages: it goes without --stage";
  if (!around.empty() && (isCode || format == "stats"))
    return "--around goes with the stages of a graph, as text, dot, json or html";
  if (!sourceFolder.empty() && format != "html")
    return "--source goes with --format=html";
  bool isPlan = format == "html" || stageText == "plan" || (stageText.empty() && format == "stats");
  if (!profileFile.empty() && (!isPlan || format == "text" || format == "dot"))
    return "--profile goes with the stage plan, as stats or json, and with --format=html";
  return meshProblem(shards);
}

} // namespace

int main(int argc, char **argv) {
  const Tool tool("keratin-dump");
  CommandLine line = commandLine();
  if (auto done = tool.parse(line, argc, argv, conflict))
    return int(*done);
  if (stageText.empty())
    stageText = compiler::stageName(format == "stats" ? Stage::Plan : Stage::Input);
  Watchdog watchdog(inputs.front(), timeout);
  return tool.finish(tool.attempt([&] { return run(watchdog); }));
}

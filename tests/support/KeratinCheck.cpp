// keratin-check: runs a function of textual IR with the reference interpreter and prints the
// results, for FileCheck:
//
//   keratin-opt %s --some-pass | keratin-check --symbol=0=5 | FileCheck %s
//   // CHECK: result #0: tensor<5xf32> [1, 2, 3, 4, 5]
//
// An argument is the value of its attribute `check.value`, or random with the function's attribute
// `check.seed` (0 if it has none). Several sizes are several runs of what is compiled once:
//
//   keratin-check %s --compiled --symbol=0=0,1,7 --most=9.9e-7
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/HostText.h"
#include "ir/reference/Interpreter.h"
#include "ir/text/SourceText.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomTensor.h"
#include "tools/support/Tool.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <map>

using namespace keratin::ir;
using keratin::tools::ExitCode;

static llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<IR file>"),
                                        llvm::cl::init("-"));
static llvm::cl::opt<std::string> functionName("function", llvm::cl::desc("Function to run"),
                                               llvm::cl::init("main"));
static llvm::cl::list<std::string>
    symbols("symbol", llvm::cl::desc("Value of a symbol: d0 is 5; or one for each of several runs"),
            llvm::cl::value_desc("0=5,6"));

static llvm::cl::opt<bool>
    compiled("compiled",
             llvm::cl::desc("Run compiled code, and print how far it is from the interpreter"));
static llvm::cl::opt<double>
    most("most", llvm::cl::desc("With --compiled: the largest difference that is no failure"),
         llvm::cl::init(std::numeric_limits<double>::infinity()));
static llvm::cl::opt<std::string> cpu("mcpu", llvm::cl::desc("Machine to compile for"),
                                      llvm::cl::init("native"));

static int fail(const llvm::Twine &message, ExitCode code = ExitCode::BadInput) {
  llvm::errs() << "error: " << message << "\n";
  return int(code);
}

// The symbols of each run; none if they are not given so. One value is for all runs.
static std::vector<std::map<int64_t, int64_t>> parseSymbols() {
  std::map<int64_t, std::vector<int64_t>> lists;
  size_t runs = 1;
  for (llvm::StringRef text : symbols) {
    auto [left, right] = text.split('=');
    int64_t id;
    if (left.getAsInteger(10, id) || id < 0)
      return {};
    for (llvm::StringRef part : llvm::split(right, ','))
      if (part.getAsInteger(10, lists[id].emplace_back()))
        return {};
    runs = std::max(runs, lists[id].size());
  }
  std::vector<std::map<int64_t, int64_t>> result(runs);
  for (const auto &[id, values] : lists) {
    if (values.size() != 1 && values.size() != runs)
      return {};
    for (size_t run = 0; run < runs; ++run)
      result[run][id] = values[values.size() == 1 ? 0 : run];
  }
  return result;
}

// The argument's value; nullopt with context.error set.
static std::optional<HostTensor> makeArgument(mlir::func::FuncOp function, unsigned number,
                                              EvaluationContext &context) {
  if (auto value = function.getArgAttrOfType<mlir::ElementsAttr>(number, "check.value")) {
    std::optional<HostTensor> tensor = fromElements(value);
    if (!tensor)
      context.error = "cannot read the value of argument " + std::to_string(number);
    return tensor;
  }
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(function.getArgumentTypes()[number]);
  if (!type || dtypeOf(type.getElementType()) == KERATIN_DTYPE_INVALID) {
    context.error = "argument " + std::to_string(number) + " is not a tensor";
    return std::nullopt;
  }
  std::vector<int64_t> dims;
  for (const DimExpr &dim : getShape(type)) {
    std::optional<int64_t> size = context.evaluate(dim);
    if (!size) {
      context.error = "size " + dim.str() + " has no value; give --symbol";
      return std::nullopt;
    }
    dims.push_back(*size);
  }
  auto seed = function->getAttrOfType<mlir::IntegerAttr>("check.seed");
  // Far apart, so that arguments differ.
  uint64_t state = (seed ? seed.getInt() : 0) + (uint64_t(number) << 32);
  const keratin_dtype_t dtype = dtypeOf(type.getElementType());
  bool hasGradients = hasDerivatives(function);
  // With a seed those of keratin-fuzz.
  std::optional<HostTensor> tensor =
      seed ? keratin::tests::variedTensor(dtype, dims, state, hasGradients)
           : keratin::tests::randomTensor(dtype, dims, state);
  if (!tensor)
    context.error = "argument " + std::to_string(number) + " is too large";
  return tensor;
}

// One run, compared with compiled code if there is a runner. The exit code.
static int check(mlir::func::FuncOp function, EvaluationContext &context,
                 keratin::tests::CompiledRunner *runner) {
  std::vector<HostTensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::optional<HostTensor> argument = makeArgument(function, i, context);
    if (!argument)
      return fail(context.error);
    arguments.push_back(std::move(*argument));
  }
  auto results = interpret(function, arguments, context);
  llvm::outs() << context.output;
  if (!runner) {
    if (failed(results))
      return fail(context.error);
    for (auto [i, result] : llvm::enumerate(*results))
      llvm::outs() << "result #" << i << ": " << stableText(result) << "\n";
    return 0;
  }
  auto values = runner->run(arguments);
  if (!values)
    return fail(runner->error);
  if (failed(results))
    return fail("compiled code succeeds, but the interpreter says: " + context.error);
  for (auto [i, result] : llvm::enumerate(*values)) {
    const double difference = keratin::tests::largestDifference(result, (*results)[i]);
    llvm::outs() << "result #" << i << ": " << stableText(result) << "\n"
                 << "difference #" << i << ": " << llvm::format("%.1e", difference) << "\n";
    if (!(difference <= most))
      return fail("result #" + llvm::Twine(i) + " differs", ExitCode::NumericMismatch);
  }
  llvm::outs() << runner->report()->kernels << " kernels, "
               << llvm::format("%.1f", runner->report()->milliseconds) << " ms\n";
  return 0;
}

int main(int argc, char **argv) {
  if (!keratin::tools::parseLlvmOptions(argc, argv, "Keratin's reference interpreter\n"))
    return int(ExitCode::Usage);
  const auto runs = parseSymbols();
  if (runs.empty())
    return fail("a symbol is given as --symbol=ID=VALUE, or with a value for each run",
                ExitCode::Usage);
  mlir::DialectRegistry registry;
  keratin::compiler::registerDialects(registry);
  mlir::MLIRContext mlirContext(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = parseModuleFile(input, &mlirContext);
  if (!module)
    return int(ExitCode::BadInput);
  auto function = module->lookupSymbol<mlir::func::FuncOp>(functionName);
  if (!function)
    return fail("no function @" + functionName);
  keratin::compiler::CompileOptions options;
  options.cpu = cpu;
  options.verify = true;
  std::optional<keratin::tests::CompiledRunner> runner;
  for (const auto &values : runs) {
    EvaluationContext context;
    for (auto [id, value] : values)
      context.symbols[id] = value;
    if (compiled && !runner)
      runner.emplace(function, options);
    if (int code = check(function, context, runner ? &*runner : nullptr))
      return code;
  }
  return 0;
}

// What kernels of the LLVM dialect become as PTX, and what is refused before LLVM's code generator
// sees it. tests/codegen/gpu has whole functions.
#include "codegen/gpu/ptx/PtxModule.h"
#include "codegen/gpu/ptx/PtxText.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "runtime/abi/keratin_abi.h"
#include "tests/support/PtxLint.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin::codegen;
using namespace keratin::tests;
using namespace mlir;

namespace {

// Of a kernel with two slots in argv, its first as the pointer %p and its second as the i32 %site;
// or the error.
std::string ptxOf(const std::string &body, const std::string &outside = "",
                  const KernelBounds &bounds = {}) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  loadCodegenDialects(&context);
  std::string text =
      outside +
      R"(llvm.func @a.kernel(%context: !llvm.ptr, %argv: !llvm.ptr, %begin: i64, %end: i64) {
           %p = llvm.load %argv : !llvm.ptr -> !llvm.ptr
           %1 = llvm.getelementptr %argv[1] : (!llvm.ptr) -> !llvm.ptr, i64
           %site = llvm.load %1 : !llvm.ptr -> i32
           %place = llvm.getelementptr %p[%begin] : (!llvm.ptr, i64) -> !llvm.ptr, f32
           %x = llvm.load %place : !llvm.ptr -> f32
         )" +
      body + "\n llvm.return }";
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return "not a module: " + error;
  std::vector<PtxKernel> kernels = {{"a.kernel", LaunchShape::ofUnits(2), bounds}};
  FailureOr<std::string> ptx = emitPtx(*module, kernels);
  if (failed(ptx))
    return error;
  CHECK(kernels[0].name == "a_kernel");
  CHECK(lintPtx(*ptx) == "");
  return *ptx;
}

bool contains(const std::string &text, const std::string &part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

// A call of the runtime's function at an offset of its table.
std::string callOf(int offset) {
  return R"(%2 = llvm.getelementptr %context[8] : (!llvm.ptr) -> !llvm.ptr, i8
            %3 = llvm.load %2 : !llvm.ptr -> !llvm.ptr
            %4 = llvm.getelementptr %3[)" +
         std::to_string(offset) + R"(] : (!llvm.ptr) -> !llvm.ptr, i8
            %5 = llvm.load %4 : !llvm.ptr -> !llvm.ptr
            llvm.call %5(%context, %site) : !llvm.ptr, (!llvm.ptr, i32) -> ())";
}

} // namespace

TEST_CASE("a kernel is an entry whose threads do units", "[ptx]") {
  std::string ptx = ptxOf("%y = llvm.fadd %x, %x : f32\n llvm.store %y, %place : f32, !llvm.ptr");
  CHECK(contains(ptx, ".visible .entry a_kernel("));
  CHECK(contains(ptx, ".param .u64 a_kernel_param_7\n)"));
  CHECK(contains(ptx, "add.rn.f32"));
  CHECK(contains(ptx, "%nctaid.x"));
}

TEST_CASE("of what the runtime does for kernels a device has the note of a failure", "[ptx]") {
  CHECK(
      contains(ptxOf(callOf(offsetof(keratin_runtime_functions_t, fail))), "atom.global.min.u32"));
  CHECK(ptxOf(callOf(offsetof(keratin_runtime_functions_t, print))) ==
        "not implemented: on the device cuda, a kernel that calls function 1 of the runtime, which "
        "a device has no form of");
}

TEST_CASE("offsets in tensors that are known to be small have 32 bits", "[ptx]") {
  const std::string twice = "%y = llvm.fadd %x, %x : f32\n llvm.store %y, %place : f32, !llvm.ptr";
  std::string unknown = ptxOf(twice), small = ptxOf(twice, "", {.boundedSlots = {0}}),
              other = ptxOf(twice, "", {.boundedSlots = {1}}),
              few = ptxOf(twice, "", {.boundedSlots = {0}, .hasFewUnits = true});
  CHECK(!contains(unknown, "mul.wide.s32"));
  CHECK(!contains(other, "mul.wide.s32"));
  CHECK(contains(small, "mul.wide.s32"));
  // The number of a unit is one of 32 bits, too.
  CHECK(contains(small, "setp.ge.s64"));
  CHECK(contains(few, "setp.ge.s32"));
  CHECK(!contains(few, "cvt.u32.u64"));
}

TEST_CASE("constants stay behind offsets of 32 bits, unless they are large", "[ptx]") {
  auto ptxAt = [](int64_t distance) {
    return ptxOf("%c = llvm.mlir.constant(" + std::to_string(distance) + R"( : i64) : i64
                 %i = llvm.add %begin, %c : i64
                 %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
                 llvm.store %x, %q : f32, !llvm.ptr)",
                 "", {.boundedSlots = {0}, .hasFewUnits = true});
  };
  CHECK(contains(ptxAt(-3), "+-12]"));
  CHECK(contains(ptxAt(300), "+1200]"));
  std::string far = ptxAt(300000000);
  CHECK(!contains(far, "1200000000"));
  CHECK(contains(far, ", 300000000;"));
}

TEST_CASE("addresses that are told keep 64 bits", "[ptx]") {
  std::string ptx = ptxOf(R"(%n = llvm.ptrtoint %place : !llvm.ptr to i64
                             llvm.store %n, %p : i64, !llvm.ptr)",
                          "", {.boundedSlots = {0}});
  CHECK(!contains(ptx, "mul.wide.s32"));
}

TEST_CASE("hints for the caches of a CPU are left out", "[ptx]") {
  std::string ptx =
      ptxOf(R"("llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}> :
                             (!llvm.ptr) -> ())");
  CHECK(contains(ptx, ".visible .entry a_kernel("));
  CHECK(!contains(ptx, "prefetch"));
}

TEST_CASE("what has no form on a device is refused by name", "[ptx]") {
  const std::string prefix = "not implemented: on the device cuda, ";
  CHECK(ptxOf("%y = llvm.call @expf(%x) : (f32) -> f32\n llvm.store %y, %place : f32, !llvm.ptr",
              "llvm.func @expf(f32) -> f32\n") == prefix + "a call of expf in a_kernel");
  CHECK(ptxOf("%y = llvm.intr.exp(%x) : (f32) -> f32\n llvm.store %y, %place : f32, !llvm.ptr") ==
        prefix + "a call of llvm.exp.f32 in a_kernel");
  CHECK(ptxOf("%y = llvm.frem %x, %x : f32\n llvm.store %y, %place : f32, !llvm.ptr") ==
        prefix + "the instruction frem in a_kernel");
  CHECK(ptxOf("llvm.fence seq_cst") == prefix + "the instruction fence in a_kernel");
  CHECK(ptxOf(R"(%y = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<fast>} : f32
                 llvm.store %y, %place : f32, !llvm.ptr)") ==
        prefix + "arithmetic of less than its precision in a_kernel");
  CHECK(ptxOf("llvm.store %context, %place : !llvm.ptr, !llvm.ptr") ==
        prefix + "a kernel that does something of its own with its context");
  CHECK(ptxOf(R"(%2 = llvm.getelementptr %context[16] : (!llvm.ptr) -> !llvm.ptr, i8
                 %3 = llvm.load %2 : !llvm.ptr -> !llvm.ptr
                 llvm.store %x, %3 : f32, !llvm.ptr)") ==
        prefix + "a kernel that reads byte 16 of its context");
  CHECK(ptxOf(R"(%2 = llvm.getelementptr %argv[2] : (!llvm.ptr) -> !llvm.ptr, i64
                 %3 = llvm.load %2 : !llvm.ptr -> f32
                 llvm.store %3, %place : f32, !llvm.ptr)") ==
        prefix + "a kernel that has other arguments than those of its launch");
}

TEST_CASE("the rules of PTX are looked after", "[ptx]") {
  CHECK(lintPtx("\tfma.rn.f32 \t%f1, %f2, %f3, %f4;\n@%p1 bra \t$L;\n\tret;\n") == "");
  CHECK(lintPtx("ret;\n\tadd.f32 %f1, %f2, %f3;") ==
        "line 2: arithmetic that does not say that it rounds to the nearest: add.f32 %f1, %f2, "
        "%f3;");
  CHECK(contains(lintPtx("mul.rn.ftz.f32 %f1, %f2, %f3;"), "arithmetic that is not IEEE's"));
  const std::string power = "ex2.approx.ftz.f32 %f1, %f2;\n";
  const std::string product = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {}, {}, {}, {};\n";
  const std::string entry = ".visible .entry f()\n";
  CHECK(lintPtx(entry + product + power) == "");
  CHECK(lintPtx(entry + power + product) == "");
  CHECK(
      contains(lintPtx(entry + product + entry + power), "line 4: arithmetic that is not IEEE's"));
  CHECK(
      contains(lintPtx(entry + power + entry + product), "line 2: arithmetic that is not IEEE's"));
  CHECK(contains(lintPtx("ex2.approx.f32 %f1, %f2;"), "arithmetic that is not IEEE's"));
  CHECK(contains(lintPtx("ld.f32 %f1, [%rd1];"), "an access to no memory in particular"));
  CHECK(contains(lintPtx(".local .align 4 .b8 \t__local_depot0[8];"), "memory of a thread's own"));
  CHECK(contains(lintPtx("@%p1 call.uni (r), f, (p);"), "no kernel is known to use"));
}

TEST_CASE("modules become one", "[ptx]") {
  auto module = [](const std::string &version, const std::string &target, const std::string &rest) {
    return "//\n// Generated by LLVM\n//\n\n.version " + version + "\n.target " + target +
           "\n.address_size 64\n\n" + rest;
  };
  auto entry = [](const std::string &name) {
    return "\t// .globl\t" + name + "  // -- Begin function " + name + "\n.visible .entry " + name +
           "(\n\t.param .u64 " + name + "_param_0\n)\n.maxntid 256, 1, 1\n{\n\t{ // inline }\n" +
           "\tret;\n\t}\n\tret; // }\n}\n        // -- End function\n";
  };
  auto shared = [](int alignment, const std::string &name = "memory") {
    return ".extern .shared .align " + std::to_string(alignment) + " .b8 " + name + "[];\n";
  };
  const std::string table = ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n";
  std::string error;
  auto merged = mergePtx({module("8.4", "sm_80", shared(16) + table + entry("f")),
                          module("8.0", "sm_90a", table + shared(128) + entry("g") + entry("h")),
                          module("7.8", "sm_90", shared(8) + shared(4, "other"))},
                         &error);
  REQUIRE(merged);
  CHECK(*merged == ".version 8.4\n.target sm_90a\n.address_size 64\n\n" + shared(128) + "\n" +
                       table + "\n" + entry("f") + "\n" + entry("g") + "\n" + entry("h") + "\n" +
                       shared(4, "other"));
  CHECK(mergePtx({*merged}, &error) == merged);
  // What differs only in comments is the same; anything else is not one thing.
  CHECK(mergePtx(
            {module("8.4", "sm_80", entry("f")), module("8.4", "sm_80", "// twice\n" + entry("f"))},
            &error) ==
        module("8.4", "sm_80", entry("f")).substr(module("", "", "").find(".version")));
  CHECK(!mergePtx({module("8.4", "sm_80", entry("f")), module("8.4", "sm_80", shared(16, "f"))},
                  &error));
  CHECK(error == "two functions define 'f' in PTX");
}

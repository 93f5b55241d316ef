#include "compiler/artifact/ModelInterface.h"

#include "compiler/artifact/FunctionText.h"
#include "compiler/artifact/TypesHeader.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "runtime/core/DType.h"
#include "runtime/core/SymbolSource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::compiler;
using llvm::Twine;

const char *compiler::cTypeOf(int32_t dtype) {
  switch (dtype) {
  case KERATIN_DTYPE_INT8:
    return "int8_t";
  case KERATIN_DTYPE_INT16:
    return "int16_t";
  case KERATIN_DTYPE_INT32:
    return "int32_t";
  case KERATIN_DTYPE_INT64:
    return "int64_t";
  case KERATIN_DTYPE_UINT16:
    return "uint16_t";
  case KERATIN_DTYPE_UINT32:
    return "uint32_t";
  case KERATIN_DTYPE_UINT64:
    return "uint64_t";
  case KERATIN_DTYPE_FLOAT16:
  case KERATIN_DTYPE_BFLOAT16:
    return "uint16_t"; // the bits
  case KERATIN_DTYPE_FLOAT32:
  case KERATIN_DTYPE_COMPLEX64: // two an element
    return "float";
  case KERATIN_DTYPE_FLOAT64:
  case KERATIN_DTYPE_COMPLEX128:
    return "double";
  default:
    return "uint8_t"; // bool: 0 or 1
  }
}

namespace {

using Argument = Forwarder::Argument;
using Kind = Argument::Kind;

class InterfaceBuilder {
public:
  InterfaceBuilder(const keratin_object_desc_t &object, const KnownOutputs &known,
                   const std::string &target)
      : object(object), known(known), prefix(object.name), target(target),
        functions(functionTexts(object)) {}

  ModelInterface build() {
    result.queryName = prefix + "_keratin_object";
    result.metadataName = prefix + "_keratin_metadata";
    begin();
    states();
    for (const FunctionText &function : functions)
      calls(function);
    text += "#ifdef __cplusplus\n}\n#endif\n\n#endif // " + guard() + "\n";
    result.header = std::move(text);
    return std::move(result);
  }

private:
  void line(const Twine &content) { text += content.str() + "\n"; }
  // With names and messages of the graph.
  void comment(const Twine &content) { line("// " + commentText(content.str())); }
  // Different for names that differ in case, and no name of a function.
  std::string guard() const { return "KERATIN_MODEL_" + prefix; }

  void begin() {
    comment(
        "Model '" + Twine(object.name) + "', compiled for " + target +
        (object.device ? ", its kernels for device '" + std::string(object.device) + "'," : "") +
        " by " + object.producer + ".");
    line("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception");
    line("// (this header's text and the Keratin runtime that is linked in; the model is its "
         "owner's)");
    line("//");
    line("// Functions:");
    for (const FunctionText &function : functions) {
      comment("  " + function.name + FunctionText::given(function.name, function.f.name));
      for (int32_t i = 0; i < function.f.num_inputs; ++i)
        comment("    input " + Twine(i) + "   " +
                function.tensor(function.inputs[i], function.f.inputs[i]) +
                partText(function.f.inputs[i], function.inputAxis(i)));
      for (int32_t i = 0; i < function.f.num_outputs; ++i)
        comment("    output " + Twine(i) + "  " +
                function.tensor(function.outputs[i], function.f.outputs[i]) +
                partText(function.f.outputs[i], function.outputAxis(i)) + furtherText(function, i) +
                known.said(function.number, i, prefix + "_" + function.name));
      for (int32_t i = 0; i < function.f.num_updates; ++i)
        comment("    updates   " +
                Twine(function.f.variables[function.f.updates[i].variable].name));
      for (int64_t i = 0; i < function.f.num_checks; ++i)
        comment("    requires  " + function.requirement(function.f.checks[i]));
      for (const std::string &assumption : function.assumptions)
        comment("    fastest   " + assumption);
    }
    if (object.num_variables) {
      line("// Variables, by number:");
      for (int32_t i = 0; i < object.num_variables; ++i) {
        const keratin_tensor_desc_t &tensor = object.variables[i].tensor;
        std::string shape = "(";
        for (int32_t axis = 0; axis < tensor.rank; ++axis)
          shape += (axis ? ", " : "") + std::to_string(tensor.dims[axis]);
        comment("  " + Twine(i) + "  " + tensor.name + ": " + runtime::dtypeName(tensor.dtype) +
                " " + shape + (tensor.rank == 1 ? ",)" : ")") + partText(object.variables[i]));
      }
    }
    line("//");
    line("// Tensors are row-major; bool elements are bytes 0 and 1, those of float16 and bfloat16 "
         "their bits,");
    line("// those of complex64 and complex128 two floats and two doubles, the real and the "
         "imaginary "
         "part.");
    line("// A call that fails returns a code other than KERATIN_OK, fills the status (which may "
         "be NULL) with a");
    line("// message, and has updated no variable.");
    line("#ifndef " + guard());
    line("#define " + guard());
    line("");
    checkTarget();
    text += typesHeader;
    line("");
    line("#ifdef __cplusplus");
    line("extern \"C\" {");
    line("#endif");
    line("");
  }

  // Of the ranks that have parts; "": any number of ranks, all of them.
  static std::string among(const char *axis, int64_t ranks = 0) {
    const std::string count = ranks ? std::to_string(ranks) + " " : "";
    return axis    ? " among the " + count + "ranks along " + axis
           : ranks ? " among " + count + "ranks"
                   : "";
  }

  static std::string partText(const keratin_tensor_desc_t &tensor, const char *axis) {
    return tensor.part
               ? ", in parts along dimension " + std::to_string(tensor.part - 1) + among(axis)
               : "";
  }

  // Of an output that is in parts along several axes.
  static std::string furtherText(const FunctionText &function, int32_t output) {
    std::string text;
    for (const keratin_further_part_t &part : function.furtherParts())
      if (part.output == output)
        text += ", and along dimension " + std::to_string(part.dimension) + among(part.axis);
    return text;
  }

  static std::string partText(const keratin_object_variable_t &variable) {
    const keratin_object_part_t *part = variable.part;
    if (!part)
      return "";
    return (part->kind == KERATIN_PART_ALONG
                ? ", in parts along dimension " + std::to_string(part->dimension)
                : std::string(", in parts of its elements")) +
           among(part->axis, part->ranks);
  }

  // Else what is wrong shows when the program is linked, or later.
  void checkTarget() {
    bool isX86 = llvm::StringRef(target).starts_with("x86_64");
    line(isX86 ? "#if !defined(__x86_64__)" : "#if !defined(__aarch64__)");
    line("#error \"model '" + Twine(object.name) + "' was compiled for " +
         llvm::StringRef(target).split(' ').first + "\"");
    line("#endif");
    line("");
  }

  static const char *returnType(Forwarder::Result result) {
    return result == Forwarder::Result::Status    ? "keratin_status_code_t "
           : result == Forwarder::Result::Nothing ? "void "
                                                  : "const struct keratin_device_t *";
  }

  // Declares an exported function and forwards it. Constants are no parameters.
  void declare(const std::string &name, const std::string &runtimeName,
               llvm::ArrayRef<std::pair<const char *, Argument>> arguments,
               Forwarder::Result returned = Forwarder::Result::Status) {
    Forwarder forwarder{prefix + "_" + name, runtimeName, returned, {}};
    std::string parameters;
    for (const auto &[parameter, argument] : arguments) {
      forwarder.arguments.push_back(argument);
      if (argument.kind == Kind::Constant32 || argument.kind == Kind::Object)
        continue;
      std::string spelled = parameter;
      if (size_t place = spelled.find("STATE"); place != std::string::npos)
        spelled.replace(place, 5, prefix + "_state_t");
      parameters += (parameters.empty() ? "" : ", ") + spelled;
    }
    line(returnType(returned) + forwarder.name + "(" + parameters + ");");
    result.forwarders.push_back(std::move(forwarder));
  }

  void states() {
    const Argument pointer{Kind::Pointer}, state{Kind::State}, integer{Kind::Integer32},
        size{Kind::Integer64}, descriptor{Kind::Object};
    line("// The values of the variables. Any number of threads may use one state at once.");
    line("typedef struct keratin_state_t " + prefix + "_state_t;");
    if (isOfRanks())
      line("struct keratin_comm_t;");
    line("");
    line("// A state with the values that the model was saved with.");
    declare("state_create", bringsDevice() ? "keratin_cuda_state_create" : "keratin_state_create",
            {{"", descriptor}, {"STATE **state", pointer}, {"keratin_status_t *status", pointer}});
    if (object.device)
      deviceStates();
    line("// A state of its own with the present values.");
    declare("state_copy", "keratin_state_copy",
            {{"const STATE *from", state},
             {"STATE **copy", pointer},
             {"keratin_status_t *status", pointer}});
    declare("state_destroy", "keratin_state_destroy", {{"STATE *state", state}},
            Forwarder::Result::Nothing);
    line("// The values to a file and back.");
    declare("state_save", "keratin_state_save",
            {{"const STATE *state", state},
             {"const char *path", pointer},
             {"keratin_status_t *status", pointer}});
    declare("state_load", "keratin_state_load",
            {{"STATE *state", state},
             {"const char *path", pointer},
             {"keratin_status_t *status", pointer}});
    line("// The values from a safetensors file, by the names of the variables in the graph.");
    declare("state_load_weights", "keratin_state_load_weights",
            {{"STATE *state", state},
             {"const char *path", pointer},
             {"keratin_status_t *status", pointer}});
    line("// One variable by its name in the graph: its number; its value, of so many bytes.");
    declare("state_find_variable", "keratin_state_find_variable",
            {{"const STATE *state", state},
             {"const char *name", pointer},
             {"int32_t *variable", pointer},
             {"keratin_status_t *status", pointer}});
    declare("state_read_variable", "keratin_state_read_variable",
            {{"const STATE *state", state},
             {"const char *name", pointer},
             {"void *data", pointer},
             {"size_t bytes", size},
             {"keratin_status_t *status", pointer}});
    declare("state_write_variable", "keratin_state_write_variable",
            {{"STATE *state", state},
             {"const char *name", pointer},
             {"const keratin_tensor_t *value", pointer},
             {"keratin_status_t *status", pointer}});
    line("// One by its number, below this: what it is, as a view without data; its value.");
    line("enum { " + prefix + "_state_num_variables = " + Twine(object.num_variables) + " };");
    declare("state_describe_variable", "keratin_state_describe_variable",
            {{"const STATE *state", state},
             {"int32_t variable", integer},
             {"const char **name", pointer},
             {"keratin_tensor_t *view", pointer},
             {"keratin_status_t *status", pointer}});
    declare("state_read", "keratin_state_read",
            {{"const STATE *state", state},
             {"int32_t variable", integer},
             {"void *data", pointer},
             {"size_t bytes", size},
             {"keratin_status_t *status", pointer}});
    declare("state_write", "keratin_state_write",
            {{"STATE *state", state},
             {"int32_t variable", integer},
             {"const keratin_tensor_t *value", pointer},
             {"keratin_status_t *status", pointer}});
    line(
        "// Several by their numbers, all of one moment: between two calls that update variables.");
    declare("state_read_several", "keratin_state_read_several",
            {{"const STATE *state", state},
             {"const int32_t *variables", pointer},
             {"void *const *data", pointer},
             {"const size_t *bytes", pointer},
             {"int32_t count", integer},
             {"keratin_status_t *status", pointer}});
    line("// All of them or, where one is refused, none.");
    declare("state_write_several", "keratin_state_write_several",
            {{"STATE *state", state},
             {"const int32_t *variables", pointer},
             {"const keratin_tensor_t *values", pointer},
             {"int32_t count", integer},
             {"keratin_status_t *status", pointer}});
    if (isOfRanks())
      ranks();
    line("// Threads that calls of this model may use, the calling one included.");
    declare("set_num_threads", "keratin_set_num_threads", {{"int32_t threads", integer}},
            Forwarder::Result::Nothing);
    line("");
    line("// The descriptor, for <keratin/object.h> of the Keratin runtime.");
    line("const struct keratin_object_desc_t *" + result.queryName + "(void);");
    line("// What the model is, as JSON (keratin-compile --metadata); in a shared object it is");
    line("// keratin_model_metadata too.");
    line("extern const char " + result.metadataName + "[];");
    line("");
  }

  bool hasVariableParts() const {
    return llvm::any_of(llvm::ArrayRef(object.variables, object.num_variables),
                        [](const auto &variable) { return variable.part != nullptr; });
  }

  // Whether a function is for several ranks, or a variable among them.
  bool isOfRanks() const {
    return hasVariableParts() || llvm::any_of(functions, [](const FunctionText &function) {
             return runtime::isOfRanks(function.f);
           });
  }

  // "the axes data, model": what the functions have ranks do things along, and have parts along;
  // "": all ranks.
  std::string axisNames() const {
    llvm::SetVector<llvm::StringRef> names;
    auto add = [&](const char *axis) {
      if (axis)
        names.insert(axis);
    };
    for (const FunctionText &function : functions) {
      for (int64_t i = 0; function.f.axes && i < function.f.axes->num_axes; ++i)
        add(function.f.axes->names[i]);
      for (int32_t i = 0; i < function.f.num_inputs; ++i)
        add(function.inputAxis(i));
      for (int32_t i = 0; i < function.f.num_outputs; ++i)
        add(function.outputAxis(i));
      for (const keratin_further_part_t &part : function.furtherParts())
        add(part.axis);
    }
    for (int32_t i = 0; i < object.num_variables; ++i)
      if (object.variables[i].part)
        add(object.variables[i].part->axis);
    if (names.empty())
      return "";
    return (names.size() == 1 ? "the axis " : "the axes ") + llvm::join(names, ", ");
  }

  // What there is of a job: each rank has a state.
  void ranks() {
    const Argument pointer{Kind::Pointer}, state{Kind::State};
    line("// Joins the ranks of a job, each with a state of its own: those of mpirun, srun or "
         "torchrun, or of");
    line("// KERATIN_RANK, KERATIN_RANKS and KERATIN_JOB; with an engine, its ranks "
         "(<keratin/comm.h>). All of them");
    line("// join, once, before any calls a function; the variables then have the values of rank "
         "0. Calls get each");
    line("// rank's rows, and succeed on all ranks or on none. A state that does not join is one "
         "rank.");
    llvm::SmallVector<std::pair<const char *, Argument>> arguments = {
        {"STATE *state", state}, {"struct keratin_comm_t *engine", pointer}};
    const std::string axes = axisNames();
    if (!axes.empty()) {
      line("// They are arranged in a mesh with " + axes + ", \"data:2,model:2\" say.");
      arguments.push_back({"const char *mesh", pointer});
    }
    if (hasVariableParts()) {
      line(
          "// From then on each rank has its part of the variables in parts, and no more. To read, "
          "save or copy");
      line("// their values is something that all ranks do together, in the same order: each gets "
           "the whole; one");
      line("// that saves with path NULL writes no file. Of values that are written or loaded, the "
           "whole as well,");
      line("// each rank keeps its part, and asks no other.");
    }
    arguments.push_back({"keratin_status_t *status", pointer});
    declare("state_join", axes.empty() ? "keratin_state_join" : "keratin_state_join_mesh",
            arguments);
    line("// Which rank this is, of how many.");
    declare("state_ranks", "keratin_state_ranks",
            {{"const STATE *state", state},
             {"int32_t *rank", pointer},
             {"int32_t *ranks", pointer},
             {"keratin_status_t *status", pointer}});
    line("// Leaves the job, as destroying the state does; calls fail from then on.");
    declare("state_leave", "keratin_state_leave",
            {{"STATE *state", state}, {"keratin_status_t *status", pointer}});
  }

  // Whether the model holds what its device needs, beside the driver.
  bool bringsDevice() const {
    return object.device && llvm::StringRef(object.device) == KERATIN_CUDA_DEVICE;
  }

  // What there is beside a device's state. The model holds the runtime, and knows no devices but
  // those it is told of; models for CUDA know the driver's.
  void deviceStates() {
    const Argument pointer{Kind::Pointer}, state{Kind::State}, descriptor{Kind::Object};
    line("// The same on the device of this name, \"" + Twine(object.device) +
         ":1\" say; NULL: \"" + object.device + "\".");
    declare("state_create_on",
            bringsDevice() ? "keratin_cuda_state_create_on" : "keratin_state_create_on",
            {{"", descriptor},
             {"const char *device", pointer},
             {"STATE **state", pointer},
             {"keratin_status_t *status", pointer}});
    line("// Makes a device (<keratin/device.h>) known to the model, before a state is made on it. "
         "It "
         "must live");
    line("// as long as the model.");
    declare("register_device", "keratin_device_register",
            {{"const struct keratin_device_t *device", pointer},
             {"keratin_status_t *status", pointer}});
    line("// The device where a state lies: for tensors whose data lies there.");
    declare("state_device", "keratin_state_device", {{"const STATE *state", state}},
            Forwarder::Result::Device);
  }

  void workspaceBytes(const FunctionText &function, const std::string &in) {
    const Argument pointer{Kind::Pointer}, state{Kind::State};
    line("// Bytes of the workspace of a call with inputs of these dims; their data is not read" +
         Twine(function.readsValues() ? " but where it is a size." : "."));
    declare(function.name + "_workspace_bytes", "keratin_state_workspace_bytes",
            {{"STATE *state", state},
             {"", Argument{Kind::Constant32, function.number}},
             {in.c_str(), pointer},
             {"", Argument{Kind::Constant32, function.f.num_inputs}},
             {"int64_t *bytes", pointer},
             {"keratin_status_t *status", pointer}});
  }

  void calls(const FunctionText &function) {
    const keratin_function_desc_t &f = function.f;
    const Argument pointer{Kind::Pointer}, state{Kind::State}, integer{Kind::Integer32},
        size{Kind::Integer64}, number{Kind::Constant32, function.number},
        inputs{Kind::Constant32, f.num_inputs}, outputs{Kind::Constant32, f.num_outputs};
    const std::string &name = function.name;
    std::string in = "const keratin_tensor_t inputs[" + std::to_string(f.num_inputs) + "]";
    std::string out = "const keratin_tensor_t outputs[" + std::to_string(f.num_outputs) + "]";
    if (!f.num_inputs)
      in = "const keratin_tensor_t *inputs";
    if (!f.num_outputs)
      out = "const keratin_tensor_t *outputs";
    line("// --- " + name + " " + std::string(std::max<int>(3, 90 - int(name.size())), '-'));
    line("");
    text += known.definitions(function.number, prefix + "_" + name);
    if (!object.device)
      workspaceBytes(function, in);
    if (f.num_outputs) {
      line("// The dims of one output of such a call; where the call computes them, what they are "
           "at "
           "most.");
      declare(name + "_output_dims", "keratin_state_output_dims",
              {{"STATE *state", state},
               {"", number},
               {in.c_str(), pointer},
               {"", inputs},
               {"int32_t output", integer},
               {"int64_t *dims", pointer},
               {"keratin_status_t *status", pointer}});
    }
    bool computesDims =
        std::any_of(f.outputs, f.outputs + f.num_outputs,
                    [](const keratin_tensor_desc_t &output) { return output.capacity != nullptr; });
    if (computesDims)
      line("// Dims that the call computes are written to those of the outputs, which must be "
           "writable and hold");
    if (computesDims)
      line("// what they are at most; the elements lie row-major by the new ones.");
    if (object.device) {
      line("// Calls the function. The state finds the memory, and keeps it for the next call: "
           "workspace must be NULL.");
    } else {
      line(
          "// Calls the function in the workspace: no memory is asked for. With workspace NULL the "
          "state finds the");
      line("// memory itself, and keeps it for the next call.");
    }
    declare(name + "_run", "keratin_state_invoke",
            {{"STATE *state", state},
             {"", number},
             {in.c_str(), pointer},
             {"", inputs},
             {out.c_str(), pointer},
             {"", outputs},
             {"void *workspace", pointer},
             {"size_t workspace_bytes", size},
             {"keratin_status_t *status", pointer}});
    if (object.device)
      callOnStream(function, in, out);
    line("");
    if (!llvm::all_of(llvm::ArrayRef(f.inputs, f.num_inputs),
                      [&](const auto &input) { return function.isPlain(input); }))
      return;
    typedCall(function, {"", "_run", ", void *workspace, size_t workspace_bytes",
                         ", workspace, workspace_bytes", "NULL"});
    // Dims of outputs that are read out of inputs would be read before the stream has come so far.
    if (object.device && !function.readsInputs())
      typedCall(function,
                {"_on_stream", "_run_on_stream", ", void *stream", ", stream", "keratin_device"});
  }

  void callOnStream(const FunctionText &function, const std::string &in, const std::string &out) {
    const Argument pointer{Kind::Pointer}, state{Kind::State};
    line("// The same after all that is in a stream of the device" +
         Twine(bringsDevice() ? " (a CUstream, that is, a cudaStream_t)" : "") + " now;");
    line("// returns when it is done. Tensors lie on the host, or on the device (" + prefix +
         "_state_device).");
    declare(function.name + "_run_on_stream", "keratin_state_invoke_on_stream",
            {{"STATE *state", state},
             {"", Argument{Kind::Constant32, function.number}},
             {in.c_str(), pointer},
             {"", Argument{Kind::Constant32, function.f.num_inputs}},
             {out.c_str(), pointer},
             {"", Argument{Kind::Constant32, function.f.num_outputs}},
             {"void *stream", pointer},
             {"keratin_status_t *status", pointer}});
  }

  // How a call with plain pointers ends in one with views.
  struct CallForm {
    const char *suffix, *target;        // behind the name of the function
    const char *parameters, *arguments; // behind the tensors
    const char *device;                 // of the views
  };

  static std::string view(const std::string &name, const keratin_tensor_desc_t &tensor,
                          const char *device) {
    return "{(void *)" + name + ", " + std::to_string(tensor.dtype) + ", " +
           std::to_string(tensor.rank) + ", " + (tensor.rank ? name + "_dims" : "NULL") +
           ", NULL, " + device + "}";
  }

  // The same call with plain pointers and sizes.
  void typedCall(const FunctionText &function, const CallForm &form) {
    const keratin_function_desc_t &f = function.f;
    const std::string name = prefix + "_" + function.name;
    const bool isOnDevice = llvm::StringRef(form.device) != "NULL";
    std::string parameters = prefix + "_state_t *state", body;
    if (isOnDevice && f.num_inputs + f.num_outputs)
      body += std::string("  const struct keratin_device_t *") + form.device + " = " + prefix +
              "_state_device(state);\n";
    for (int64_t i = 0; i < f.num_symbols; ++i)
      if (f.symbols[i].source == KERATIN_SYMBOL_INPUT_DIM)
        parameters += ", int64_t " + function.symbols[i];
    auto dims = [&](const std::string &tensorName, const keratin_tensor_desc_t &tensor) {
      if (!tensor.rank)
        return;
      std::string values;
      for (int32_t axis = 0; axis < tensor.rank; ++axis)
        values += (axis ? ", " : "") + function.dim(tensor.dims[axis]);
      body += "  const int64_t " + tensorName + "_dims[] = {" + values + "};\n";
    };
    auto views = [&](const char *role, const std::vector<std::string> &names,
                     const keratin_tensor_desc_t *tensors) {
      std::string values;
      for (size_t i = 0; i < names.size(); ++i)
        values += (i ? ", " : "") + view(names[i], tensors[i], form.device);
      if (!names.empty())
        body += std::string("  const keratin_tensor_t ") + role + "[] = {" + values + "};\n";
    };
    for (int32_t i = 0; i < f.num_inputs; ++i) {
      parameters +=
          std::string(", const ") + cTypeOf(f.inputs[i].dtype) + " *" + function.inputs[i];
      dims(function.inputs[i], f.inputs[i]);
    }
    views("keratin_inputs", function.inputs, f.inputs);
    std::string in = f.num_inputs ? "keratin_inputs" : "NULL";
    for (int32_t i = 0; i < f.num_outputs; ++i) {
      parameters += std::string(", ") + cTypeOf(f.outputs[i].dtype) + " *" + function.outputs[i];
      bool isComputed = f.outputs[i].capacity;
      if (!isComputed && function.isPlain(f.outputs[i])) {
        dims(function.outputs[i], f.outputs[i]);
        continue;
      }
      std::string array = function.outputs[i] + "_dims";
      std::string declaration = "int64_t " + array + "[" + std::to_string(f.outputs[i].rank) + "]";
      if (isComputed)
        parameters += ", " + declaration;
      else
        body += "  " + declaration + ";\n";
      body += "  keratin_status_code_t " + array + "_code =\n      " + name +
              "_output_dims(state, " + in + ", " + std::to_string(i) + ", " + array +
              ", status);\n  if (" + array + "_code != KERATIN_OK)\n    return " + array +
              "_code;\n";
    }
    views("keratin_outputs", function.outputs, f.outputs);
    line(isOnDevice ? "// The same with plain pointers, of the device's memory all of them."
                    : "// The same with plain pointers and sizes. Each output must have room for "
                      "its shape above, at most.");
    line("static inline keratin_status_code_t " + name + form.suffix + "(" + parameters +
         form.parameters + ", keratin_status_t *status) {");
    text += body;
    line("  return " + name + form.target + "(state, " + in + ", " +
         (f.num_outputs ? "keratin_outputs" : "NULL") + form.arguments + ", status);");
    line("}");
    line("");
  }

  const keratin_object_desc_t &object;
  const KnownOutputs &known;
  std::string prefix, target, text;
  std::vector<FunctionText> functions;
  ModelInterface result;
};

} // namespace

ModelInterface compiler::makeModelInterface(const keratin_object_desc_t &object,
                                            const KnownOutputs &known, const std::string &target) {
  return InterfaceBuilder(object, known, target).build();
}

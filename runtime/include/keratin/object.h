// Models compiled ahead of time: their state and calls. What the header of a compiled model
// declares under the model's own prefix ends here; a program that loads models by name calls these
// functions itself, with the descriptor that <prefix>_keratin_object() gives.
//
// The conventions of <keratin/runtime.h> hold. A state holds the values of a model's variables, and
// what its calls need; states are independent of each other. Any number of threads may call
// functions on one state at once: calls that update variables run one after the other.
//
// Of variables in parts (keratin_object_variable_t::part) each rank has its own once the state has
// joined ranks (<keratin/comm.h>); until then it has the whole. Values are whole none the less.
// What gives them, reading, saving and copying, is done by all ranks together, with the same
// variables in the same order, and fails on all of them if it fails on one; what takes them,
// writing and loading, asks no other rank.
#ifndef KERATIN_OBJECT_H
#define KERATIN_OBJECT_H

#include <keratin/device.h>
#include <keratin_object_abi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keratin_state_t keratin_state_t;

// A state with the values that the variables were saved with. Fails with FAILED_PRECONDITION where
// the processor lacks an instruction set that the model was compiled for, or where the device is
// not known that it was compiled for. All memory that calls in a workspace need is asked for here.
KERATIN_API keratin_status_code_t keratin_state_create(const keratin_object_desc_t *object,
                                                       keratin_state_t **state,
                                                       keratin_status_t *status);
// As keratin_state_create, on the device of this name: "far:1" for a model that was compiled for
// "far". NULL: that which it was compiled for.
KERATIN_API keratin_status_code_t keratin_state_create_on(const keratin_object_desc_t *object,
                                                          const char *device,
                                                          keratin_state_t **state,
                                                          keratin_status_t *status);
// A state with the present values of another.
KERATIN_API keratin_status_code_t keratin_state_copy(const keratin_state_t *from,
                                                     keratin_state_t **copy,
                                                     keratin_status_t *status);
// With the last state the threads of its model's calls end: only then may the object be unloaded.
KERATIN_API void keratin_state_destroy(keratin_state_t *state);

// Writes the values of all variables to a file (a temporary one first, renamed at the end), and
// reads them back. A file whose variables differ in name, dtype or shape is refused; the state then
// keeps its values. Of a state that has joined ranks the path may be NULL: this rank gives the
// others what they need of it, and writes no file.
KERATIN_API keratin_status_code_t keratin_state_save(const keratin_state_t *state, const char *path,
                                                     keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_state_load(keratin_state_t *state, const char *path,
                                                     keratin_status_t *status);

// Reads the values of all variables from a safetensors file, by their names in the graph, or, where
// one is missing or has another dtype or shape, of none. Names that no variable has are passed
// over. A path that ends in .safetensors.index.json is that of the index of a set of files, as
// ranks save checkpoints. A file need not be trusted.
KERATIN_API keratin_status_code_t keratin_state_load_weights(keratin_state_t *state,
                                                             const char *path,
                                                             keratin_status_t *status);

// The number of the variable with this name in the graph.
KERATIN_API keratin_status_code_t keratin_state_find_variable(const keratin_state_t *state,
                                                              const char *name, int32_t *variable,
                                                              keratin_status_t *status);
// Name, dtype, rank and dims of variable number `variable`, less than
// keratin_object_desc_t::num_variables. `name` or `view` may be NULL; the view has no data. What
// they point at lives as long as the object.
KERATIN_API keratin_status_code_t keratin_state_describe_variable(const keratin_state_t *state,
                                                                  int32_t variable,
                                                                  const char **name,
                                                                  keratin_tensor_t *view,
                                                                  keratin_status_t *status);
// One variable by its name; as keratin_variable_read and keratin_variable_write.
KERATIN_API keratin_status_code_t keratin_state_read_variable(const keratin_state_t *state,
                                                              const char *name, void *data,
                                                              size_t bytes,
                                                              keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_state_write_variable(keratin_state_t *state,
                                                               const char *name,
                                                               const keratin_tensor_t *value,
                                                               keratin_status_t *status);
// One variable by its number.
KERATIN_API keratin_status_code_t keratin_state_read(const keratin_state_t *state, int32_t variable,
                                                     void *data, size_t bytes,
                                                     keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_state_write(keratin_state_t *state, int32_t variable,
                                                      const keratin_tensor_t *value,
                                                      keratin_status_t *status);
// Several variables by their numbers: their values as they are between two calls that update them;
// new values, all of them or, where one is refused, none, and no call sees some of them and not the
// others. Else as keratin_state_read and keratin_state_write.
KERATIN_API keratin_status_code_t keratin_state_read_several(const keratin_state_t *state,
                                                             const int32_t *variables,
                                                             void *const *data, const size_t *bytes,
                                                             int32_t count,
                                                             keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_state_write_several(keratin_state_t *state,
                                                              const int32_t *variables,
                                                              const keratin_tensor_t *values,
                                                              int32_t count,
                                                              keratin_status_t *status);

// The processor whose code runs: keratin_object_variant_t::cpu.
KERATIN_API const char *keratin_state_cpu(const keratin_state_t *state);

// For the functions that a model exports, which know its descriptor: the state, or, where another
// model of this runtime made it, one that every function refuses.
KERATIN_API keratin_state_t *keratin_state_of(const keratin_object_desc_t *object,
                                              const keratin_state_t *state);

// What a call of function number `function` with these inputs would need; as
// keratin_executable_output_dims and keratin_executable_workspace_bytes. num_inputs is the length
// of the array, checked against the signature.
KERATIN_API keratin_status_code_t keratin_state_output_dims(
    keratin_state_t *state, int32_t function, const keratin_tensor_t *inputs, int32_t num_inputs,
    int32_t output, int64_t *dims, keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_state_workspace_bytes(keratin_state_t *state,
                                                                int32_t function,
                                                                const keratin_tensor_t *inputs,
                                                                int32_t num_inputs, int64_t *bytes,
                                                                keratin_status_t *status);

// Calls a function: as keratin_invoke_in, or, with workspace NULL, as keratin_invoke. In a
// workspace it asks for no memory at all.
KERATIN_API keratin_status_code_t
keratin_state_invoke(keratin_state_t *state, int32_t function, const keratin_tensor_t *inputs,
                     int32_t num_inputs, const keratin_tensor_t *outputs, int32_t num_outputs,
                     void *workspace, size_t workspace_bytes, keratin_status_t *status);
// As keratin_invoke_with.
KERATIN_API keratin_status_code_t
keratin_state_invoke_with(keratin_state_t *state, int32_t function, const keratin_tensor_t *inputs,
                          int32_t num_inputs, const keratin_tensor_t *outputs, int32_t num_outputs,
                          const keratin_call_options_t *options, keratin_status_t *status);
// The same with a stream as the only option: the call's work comes after what is in it now.
KERATIN_API keratin_status_code_t keratin_state_invoke_on_stream(
    keratin_state_t *state, int32_t function, const keratin_tensor_t *inputs, int32_t num_inputs,
    const keratin_tensor_t *outputs, int32_t num_outputs, void *stream, keratin_status_t *status);

// The device where a state lies, for tensors that lie there (keratin_tensor_t::device); NULL for
// what is no state of this model.
KERATIN_API const keratin_device_t *keratin_state_device(const keratin_state_t *state);

#ifdef __cplusplus
}
#endif

#endif // KERATIN_OBJECT_H

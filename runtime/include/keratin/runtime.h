// The C API of the Keratin runtime: sessions, variables, executables and calls. C99 and C++.
//
// Conventions.
//  1. Opaque objects are made by keratin_X_create and given back by keratin_X_destroy, or, where
//     several owners may hold one, by keratin_X_release. Giving back NULL does nothing; nothing can
//     notice that an object is given back twice, or used afterwards.
//  2. A function that can fail returns a code and takes, last, a status to fill, which may be NULL.
//     A status is a plain value: nothing in it needs freeing. Out parameters are written on success
//     only. NULL for a pointer that is needed is INVALID_ARGUMENT.
//  3. Arrays given to a function are read during the call and not kept, except a descriptor (with
//     all it points at), which must outlive the executables made from it.
//  4. An executable is immutable: any number of threads may call it at once. A session is shared
//     too: calls that update variables are serialised with every call that reads variables of the
//     session. Destroying an object while another thread uses it is an error of the caller.
//  5. Sizes, strides and indices are signed 64-bit numbers; strides count elements, as in DLPack.
//  6. A call that fails has applied no update; its outputs hold unspecified values; every object
//     stays usable.
//  7. Callbacks must return normally: no exception, no longjmp.
#ifndef KERATIN_RUNTIME_H
#define KERATIN_RUNTIME_H

#include <keratin_abi.h>

#if defined(__GNUC__)
#define KERATIN_API __attribute__((visibility("default")))
#else
#define KERATIN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// --- Status --------------------------------------------------------------------------------------

// "INVALID_ARGUMENT", ...; "UNKNOWN" for a number that is no code.
KERATIN_API const char *keratin_status_code_name(int32_t code);

// --- Tensors -------------------------------------------------------------------------------------

// Bytes of one element; 0 for a number that is no dtype.
KERATIN_API size_t keratin_dtype_size(int32_t dtype);
// "float32", ...; "invalid" for a number that is no dtype.
KERATIN_API const char *keratin_dtype_name(int32_t dtype);

// Writes the tensor as NumPy's str() does. *length becomes the length of the text without its
// terminator; the text is cut to capacity, as snprintf does.
KERATIN_API keratin_status_code_t keratin_format(const keratin_tensor_t *tensor, char *text,
                                                 size_t capacity, size_t *length,
                                                 keratin_status_t *status);
// Prints message, a space, the tensor as keratin_format has it and a newline to stdout, or where
// keratin_set_printer says, in one write.
KERATIN_API keratin_status_code_t keratin_print(const char *message, const keratin_tensor_t *tensor,
                                                keratin_status_t *status);

// --- Sessions and variables ----------------------------------------------------------------------

typedef struct keratin_session_t keratin_session_t;
typedef struct keratin_variable_t keratin_variable_t;

KERATIN_API keratin_status_code_t keratin_session_create(keratin_session_t **session,
                                                         keratin_status_t *status);
// Variables of the session stay valid until they are released.
KERATIN_API void keratin_session_destroy(keratin_session_t *session);

// initial is row-major, or NULL for zeros. The caller owns one reference.
KERATIN_API keratin_status_code_t keratin_variable_create(keratin_session_t *session, int32_t dtype,
                                                          int32_t rank, const int64_t *dims,
                                                          const void *initial,
                                                          keratin_variable_t **variable,
                                                          keratin_status_t *status);
KERATIN_API void keratin_variable_retain(keratin_variable_t *variable);
KERATIN_API void keratin_variable_release(keratin_variable_t *variable);

KERATIN_API int32_t keratin_variable_dtype(const keratin_variable_t *variable);
KERATIN_API int32_t keratin_variable_rank(const keratin_variable_t *variable);
KERATIN_API const int64_t *keratin_variable_dims(const keratin_variable_t *variable);
KERATIN_API size_t keratin_variable_bytes(const keratin_variable_t *variable);

// Copies the value, row-major, to data; bytes must be keratin_variable_bytes.
KERATIN_API keratin_status_code_t keratin_variable_read(const keratin_variable_t *variable,
                                                        void *data, size_t bytes,
                                                        keratin_status_t *status);
// dtype and dims of value must be the variable's; strides are allowed. A value that lies on the
// variable's device already, row-major, is copied there.
KERATIN_API keratin_status_code_t keratin_variable_write(keratin_variable_t *variable,
                                                         const keratin_tensor_t *value,
                                                         keratin_status_t *status);

// --- Executables ---------------------------------------------------------------------------------

typedef struct keratin_executable_t keratin_executable_t;

// Checks the descriptor as a whole, so that calls need not.
KERATIN_API keratin_status_code_t
keratin_executable_create(const keratin_function_desc_t *descriptor,
                          keratin_executable_t **executable, keratin_status_t *status);
KERATIN_API void keratin_executable_destroy(keratin_executable_t *executable);

// The signature.
KERATIN_API const keratin_function_desc_t *
keratin_executable_descriptor(const keratin_executable_t *executable);

// What a call with these arguments would need. data of an input may be NULL unless a size is read
// out of the input; variables may be NULL unless a size is read out of a variable. output_dims
// writes as many numbers as the output's rank; the workspace is what keratin_invoke_in takes, its
// greatest part the arena that the memory plan tells of.
KERATIN_API keratin_status_code_t keratin_executable_output_dims(
    keratin_executable_t *executable, keratin_variable_t *const *variables, int32_t num_variables,
    const keratin_tensor_t *inputs, int32_t num_inputs, int32_t output, int64_t *dims,
    keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_executable_workspace_bytes(
    keratin_executable_t *executable, keratin_variable_t *const *variables, int32_t num_variables,
    const keratin_tensor_t *inputs, int32_t num_inputs, int64_t *bytes, keratin_status_t *status);

// Gives an executable whose code assumes sizes to be equal (checks with the status
// KERATIN_SIZES_DIFFER) the code of the same function without that, on the same device, for the
// calls where it does not hold. Once, at any time, also while calls are in flight; `general` must
// outlive the executable. What the descriptor has as `general` is there from the beginning.
KERATIN_API keratin_status_code_t keratin_executable_set_general(keratin_executable_t *executable,
                                                                 keratin_executable_t *general,
                                                                 keratin_status_t *status);

// Frees the arenas that no call is using; the next calls make them anew.
KERATIN_API void keratin_executable_trim(keratin_executable_t *executable);

// --- Calls ---------------------------------------------------------------------------------------

// Runs the function. variables are those of the signature, in order, all of one session.
//
// Inputs: any strides, also 0 or negative. A row-major input aligned to its element is read where
// it lies (no more alignment is needed); any other is first copied. Outputs: row-major, aligned to
// their element, dims exactly those of keratin_executable_output_dims; they may overlap neither
// each other nor an input that is read where it lies, nor variables. Where the function computes
// sizes of an output (keratin_tensor_desc_t::capacity), dims must be writable: after the call they
// are those of the output, whose elements lie row-major by them at the start of the buffer.
KERATIN_API keratin_status_code_t keratin_invoke(keratin_executable_t *executable,
                                                 keratin_variable_t *const *variables,
                                                 int32_t num_variables,
                                                 const keratin_tensor_t *inputs, int32_t num_inputs,
                                                 const keratin_tensor_t *outputs,
                                                 int32_t num_outputs, keratin_status_t *status);

// As keratin_invoke, in memory of the caller's instead of the executable's own: workspace_bytes at
// `workspace`, on any boundary, as many as keratin_executable_workspace_bytes said, overlapping no
// tensor of the call. With more
// threads since then it makes do with fewer. Inputs must be aligned to their element. Asks for no
// other memory, but for the spare buffer of a variable at its first update that is not in place.
KERATIN_API keratin_status_code_t keratin_invoke_in(
    keratin_executable_t *executable, keratin_variable_t *const *variables, int32_t num_variables,
    const keratin_tensor_t *inputs, int32_t num_inputs, const keratin_tensor_t *outputs,
    int32_t num_outputs, void *workspace, size_t workspace_bytes, keratin_status_t *status);

// Gives memory for an output: `bytes` bytes, aligned to the element, overlapping nothing; NULL
// where there is none (then the call fails), but NULL is fine for 0 bytes. Called once an output,
// in order, before any work, with the session locked: it must not use the session. The memory stays
// the caller's, also when the call fails later.
typedef void *(*keratin_allocate_output_fn_t)(void *user, int32_t output, int32_t dtype,
                                              int32_t rank, const int64_t *dims, size_t bytes);

// Tells the dims of an output whose sizes the call computed; memory was asked for with what they
// are at most. The elements lie row-major by these dims at the start of the memory. Called at the
// end of a call that succeeds, as keratin_allocate_output_fn_t is; must not fail.
typedef void (*keratin_resize_output_fn_t)(void *user, int32_t output, int32_t rank,
                                           const int64_t *dims);

// As keratin_invoke, with outputs in memory that the callback gives. resize may be NULL where the
// function computes no sizes.
KERATIN_API keratin_status_code_t keratin_invoke_allocating(
    keratin_executable_t *executable, keratin_variable_t *const *variables, int32_t num_variables,
    const keratin_tensor_t *inputs, int32_t num_inputs, keratin_allocate_output_fn_t allocate,
    keratin_resize_output_fn_t resize, void *user, keratin_status_t *status);

// --- The process ---------------------------------------------------------------------------------

// Threads that one call may use, the calling one included. Default: KERATIN_NUM_THREADS, else the
// processors this process may run on. Results do not depend on it, bit for bit. Waits for a
// parallel region in flight; not to be called from within one.
//
// The pool's threads start at the first call that wants them, as many as the system grants, and end
// with the last executable: then the library may be unloaded.
//
// A child made by fork() has no pool threads; the pool starts afresh there at the first call that
// wants one. A child forked while other threads were calling should only exec: their locks stay
// locked in it.
KERATIN_API void keratin_set_num_threads(int32_t threads);
KERATIN_API int32_t keratin_num_threads(void);

// A pool of the host's. run must call task(data, chunk) once for each chunk in [0, chunks), in any
// order and from any threads, and return when all are done. Chunks do not depend on it, so neither
// do results.
typedef struct keratin_thread_pool_t {
  void (*run)(void *user, void (*task)(void *data, int64_t chunk), void *data, int64_t chunks);
  void *user;
} keratin_thread_pool_t;

// NULL: back to the runtime's own. Only while no call is in flight; pool is copied.
KERATIN_API void keratin_set_thread_pool(const keratin_thread_pool_t *pool);

// Where the runtime's memory comes from. alignment is a power of two; allocate returns NULL where
// there is no memory. Both may be called from any thread.
typedef struct keratin_allocator_t {
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*deallocate)(void *user, void *data, size_t bytes, size_t alignment);
  void *user;
} keratin_allocator_t;

// NULL: back to the C library's. Only while no runtime object exists; allocator is copied.
KERATIN_API void keratin_set_allocator(const keratin_allocator_t *allocator);

// Where printed tensors go. Called in the thread that prints, with a text that ends in a newline;
// several threads may print at once.
typedef struct keratin_printer_t {
  void (*print)(void *user, const char *text, size_t length);
  void *user;
} keratin_printer_t;

// NULL: back to stdout. Only while no call is in flight; printer is copied.
KERATIN_API void keratin_set_printer(const keratin_printer_t *printer);

// What took time between a start and a stop: a call as a whole (kernel and units -1), one of its
// kernels (units -1), or a chunk of a kernel on one thread. Kernels are known of functions that
// were compiled for profiles.
typedef struct keratin_profile_event_t {
  const keratin_function_desc_t *function;
  int32_t kernel;               // number in keratin_function_desc_t::kernels
  int32_t thread;               // 0, 1, ... as they first took part
  int64_t begin, end;           // nanoseconds of CLOCK_MONOTONIC
  int64_t begin_unit, end_unit; // of a chunk
} keratin_profile_event_t;

// Records every call of the process into memory of the caller's until keratin_profile_stop, which
// gives the number of events in it, in no order, and of those that found no room; no thread waits
// for another. Both only while no call is in flight.
KERATIN_API keratin_status_code_t keratin_profile_start(keratin_profile_event_t *events,
                                                        int64_t capacity, keratin_status_t *status);
KERATIN_API int64_t keratin_profile_stop(int64_t *dropped);

// For tests: every call first fills its arena, its scratch memory, its outputs and the spare
// buffers of its updates with this byte, so that a read of memory nobody wrote shows as a
// difference. -1, the default: no filling.
KERATIN_API void keratin_set_debug_fill(int32_t byte);

#ifdef __cplusplus
}
#endif

#endif // KERATIN_RUNTIME_H

// The contract between generated code and the runtime. Stand-alone C: nothing but the standard
// headers.
//
// Conventions.
//  1. Every struct is versioned by KERATIN_ABI_VERSION; reserved fields must be zero. docs/abi.md
//     says how each may grow.
//  2. Pointers inside a descriptor are borrowed: they live as long as the executable made from it.
//  3. Generated code calls the host only through the table of keratin_context_t.
//  4. Sizes are signed 64-bit; a size that does not fit is an error found before any work is done.
#ifndef KERATIN_ABI_H
#define KERATIN_ABI_H

#include "keratin_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KERATIN_ABI_VERSION 4
// Variables, constants, new values of updates and the arena start on this boundary. Inputs and
// outputs may be the caller's: they are aligned to their element only, so generated code uses
// unaligned vector accesses there.
#define KERATIN_ALIGNMENT 64

typedef struct keratin_context_t keratin_context_t;

// A kernel works on the units [begin, end) of its own iteration space. argv holds pointers and
// sizes, eight bytes each, in the order fixed by the compiler.
typedef void (*keratin_kernel_fn_t)(keratin_context_t *context, const int64_t *argv, int64_t begin,
                                    int64_t end);

// A search for the most likely label sequences (keratin.ctc_beam_search), all fields of eight
// bytes. Arrays are row-major; the last class is the blank. A result that is NULL is not wanted.
typedef struct keratin_beam_search_t {
  const void *logits;      // [samples, time, classes], of the float dtype
  const void *lengths;     // [samples], of length_dtype, an integer dtype
  int64_t *labels;         // [samples, paths, time]
  int64_t *counts;         // [samples, paths]
  void *log_probabilities; // [samples, paths], of the float dtype
  void *workspace;         // [samples, workspace_words] of eight bytes
  int64_t time, classes, beam_width, paths, workspace_words, dtype, length_dtype;
  // Sites of a length outside [0, time], and of fewer sequences than paths.
  int64_t length_site, paths_site;
} keratin_beam_search_t;

// Words of a prefix and of a place in the beam. The workspace of a sample has room for
// (2 * beam_width + 1) * time + 2 prefixes, 2 * beam_width + 2 places and as many words more, and
// three words a class.
#define KERATIN_BEAM_NODE_WORDS 6
#define KERATIN_BEAM_STATE_WORDS 8

// A float tensor that an op has read.
typedef struct keratin_number_operand_t {
  const void *data;
  int64_t elements; // as many as the checked tensor has, or 1: the same for each of its elements
  int64_t dtype;
} keratin_number_operand_t;

// Who is to blame for a number that is not finite (keratin.check_numbers).
typedef enum keratin_number_rule_t {
  KERATIN_NUMBER_ELEMENTWISE = 0, // made of the elements of the operands at the same index
  KERATIN_NUMBER_MIXING = 1,      // made of any elements of the operands
  KERATIN_NUMBER_FED = 2 // given by the caller, who minds if one of the operands is not finite
} keratin_number_rule_t;

// A float tensor to look through for NaN and infinities, all fields of eight bytes.
typedef struct keratin_number_check_t {
  int64_t site;  // the message, in which "{}" stands for what was found
  int64_t order; // among the checks of the function
  int64_t rule;  // keratin_number_rule_t
  int64_t dtype, rank;
  const int64_t *dims;
  const void *data;
  const uint8_t *counts; // of each element whether somebody uses it; NULL: somebody does
  const int64_t *step;   // of the innermost loop; NULL: there is none
  int64_t num_operands;
  const keratin_number_operand_t *operands;
} keratin_number_check_t;

// Of keratin_collective_kind_t what functions have.
typedef enum keratin_message_kind_t {
  KERATIN_MESSAGE_ALL_REDUCE = 0,
  KERATIN_MESSAGE_ALL_GATHER = 1,
  KERATIN_MESSAGE_REDUCE_SCATTER = 2,
  KERATIN_MESSAGE_BROADCAST = 3,
  KERATIN_MESSAGE_ALL_TO_ALL = 4,
  KERATIN_MESSAGE_PERMUTE = 5
} keratin_message_kind_t;

// What the ranks of a job do together (keratin.all_reduce and its kin): a keratin_message_kind_t
// and, of reductions, a keratin_reduction_t; all fields of eight bytes.
typedef struct keratin_rank_message_t {
  const void *send;
  void *receive;
  int64_t kind, reduction, dtype;
  int64_t send_elements, receive_elements;
  int64_t site; // whose message says where it is
  // Of a broadcast the rank that sends; of a permutation pairs of ranks, of which the first sends
  // to the second.
  const int64_t *ranks;
  int64_t num_ranks; // the numbers there
  // 1 and its number in keratin_function_desc_t::axes, where that is: the ranks are those along
  // this axis, by their places. 0: all ranks.
  int64_t axis;
} keratin_rank_message_t;

// What generated code calls. One table serves all calls; it grows at its end only, and code looks
// at `bytes` before it reads what its own version has added.
typedef struct keratin_runtime_functions_t {
  uint32_t bytes; // of this table
  uint32_t abi_version;
  // Runs kernel over [0, units), perhaps on several threads and in several calls; returns when all
  // are done. Bounds of calls are multiples of grain. How many calls there are depends on the
  // threads: results must not.
  void (*parallel_for)(keratin_context_t *context, keratin_kernel_fn_t kernel, const int64_t *argv,
                       int64_t units, int64_t grain);
  // Prints message, a space, the value as NumPy prints it, a newline.
  void (*print)(keratin_context_t *context, const char *message, int32_t dtype, int32_t rank,
                const int64_t *dims, const void *data);
  // Records that the site failed; callable from any thread. The lowest site wins, so the report is
  // deterministic.
  void (*fail)(keratin_context_t *context, int32_t site);
  // Told by code compiled for profiles before (end = 0) and after (end = 1) each kernel, by its
  // number in keratin_function_desc_t::kernels. NULL: nobody wants to know.
  void (*profile)(keratin_context_t *context, int32_t kernel, int32_t end);
  // Gives a size that the call computes (keratin_computed_size_t, by its number) its value: the
  // slots of sizes that depend on it hold their values afterwards. In a loop each step gives it
  // another one. Not 0: the call has failed, and the entry function does nothing more.
  int32_t (*define_size)(keratin_context_t *context, int32_t number, int64_t value);
  // Searches the samples [begin, end); fails the call at the search's sites.
  void (*beam_search)(keratin_context_t *context, const keratin_beam_search_t *search,
                      int64_t begin, int64_t end);
  // Makes room for at least `steps` steps in the tapes (KERATIN_MEMORY_TAPE) whose length is this
  // computed size; what is in them stays, perhaps at another place, which the buffers say
  // afterwards. Returns for how many steps there is room. 0: there is no memory, the call has
  // failed, and the loop ends.
  int64_t (*grow_tapes)(keratin_context_t *context, int32_t size, int64_t steps);
  // Looks through a tensor. After a finding the call fails once the entry function is over.
  void (*check_numbers)(keratin_context_t *context, const keratin_number_check_t *check);

  // The rest is for functions with a keratin_device_code_t, whose kernels run on a device: buffers
  // are addresses of its memory, which the entry function hands on and never reads. What is done on
  // one stream is done in order. A device that does not do what it is told fails the call, which
  // has_failed() says afterwards.

  // The device runs a kernel, by its number in keratin_device_code_t::kernels, over [0, units).
  // argv, of so many slots, is read before launch() returns.
  void (*launch)(keratin_context_t *context, int32_t kernel, const int64_t *argv, int32_t slots,
                 int64_t units, int64_t grain, int32_t stream);
  // Copies within the device's memory.
  void (*copy)(keratin_context_t *context, void *to, const void *from, int64_t bytes,
               int32_t stream);
  // Memory of the host's for what goes to and fro, until the next call of staging(). Never NULL
  // for KERATIN_STAGED_SCALARS bytes; else NULL where there is no memory, and the call has failed.
  void *(*staging)(keratin_context_t *context, int64_t bytes);
  // From the device's memory to staged memory; waits for what the stream does. Zeros where
  // something has failed.
  void (*fetch)(keratin_context_t *context, void *staged, const void *from, int64_t bytes,
                int32_t stream);
  // From staged memory, which may be written again when send() returns, to the device's.
  void (*send)(keratin_context_t *context, void *to, const void *staged, int64_t bytes,
               int32_t stream);
  // Not 0: something has failed, as far as is known. A device may wait for its kernels to say so,
  // or see to it that none that is launched from here on changes anything after a failure.
  int32_t (*has_failed)(keratin_context_t *context);

  // Of functions whose inputs are parts of what a job is fed, on whatever they run. A call that has
  // failed, on this rank or another, starts nothing more.

  // Starts what all ranks do together, which goes on beside the call: until it has been waited for,
  // nobody writes what it sends, and nobody touches what it receives. Where kernels run on a device
  // both lie in its memory.
  void (*start_collective)(keratin_context_t *context, const keratin_rank_message_t *wanted);
  // Waits for the first that has been started and not waited for; if there is none, the call has
  // failed.
  void (*wait_collective)(keratin_context_t *context);
  // The ranks tell each other whether something has failed; so it has, or not, on all of them.
  void (*agree)(keratin_context_t *context);
} keratin_runtime_functions_t;

// Bytes that keratin_runtime_functions_t::staging() has at any time.
#define KERATIN_STAGED_SCALARS 64

// What generated code sees of a call. One for each call in flight.
struct keratin_context_t {
  uint32_t abi_version;
  // 0, or 1 + the index of the site (keratin_site_t) that failed; kernels store the smallest index.
  int32_t failed_site;
  const keratin_runtime_functions_t *functions;
  // keratin_function_desc_t::scratch_bytes bytes that belong to the thread running the kernel: each
  // thread that parallel_for uses sees a context of its own.
  void *scratch;
  // Of a function that checks its numbers: set to 1, by any thread, where a kernel comes upon one
  // that is not finite. The function then looks closer, by check_numbers.
  int32_t *numbers_suspect;
  // The runtime's own.
  void *host;
  void *call; // of a thread's context, the context of the call
  void *profiled;
  void *invocation;
  // Not 0: the entry function makes what is prepared (keratin_prepared_t), before all else.
  int64_t prepares;
  // Of a thread's context: where its last run of units of this region ended, whose scratch is as
  // the kernel left it. 0: it has had none.
  int64_t units_done;
  void *reserved[2];
};

// The entry function: buffers are inputs, variables, outputs, new values of the updates that are
// not made in place, constants, the arena, what is prepared if anything is, and last the memory
// that is asked for during the call; sizes are the evaluated size programs.
typedef void (*keratin_entry_fn_t)(keratin_context_t *context, void *const *buffers,
                                   const int64_t *sizes);

// One tensor of the signature. dims[i] >= 0 is a static size; dims[i] = -1 - k means sizes[k].
typedef struct keratin_tensor_desc_t {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims;
  const char *location; // "file:line" that made it, or ""
  // Of an output whose dims depend on sizes that the call computes: what they are at most, which
  // memory is asked for. NULL: dims.
  const int64_t *capacity;
  // Of an input or output of which each rank of a job has a part: 1 + the dimension along which it
  // is one. 0: all ranks have the same.
  int64_t part;
} keratin_tensor_desc_t;

// Where the value of a symbol comes from.
typedef enum keratin_symbol_source_t {
  KERATIN_SYMBOL_INPUT_DIM = 0,   // dimension `index` of input `input`
  KERATIN_SYMBOL_INPUT_VALUE = 1, // element `index` of the integer input `input`, read at the call
  KERATIN_SYMBOL_VARIABLE_VALUE = 2, // element `index` of the integer variable `input`
  KERATIN_SYMBOL_COMPUTED = 3,       // computed size `index`
  // A symbol is never negative: a value that is fails the call. Of a number x that may be negative
  // there are two symbols, max(x, 0) and max(-x, 0); x is their difference.
  KERATIN_SYMBOL_INPUT_POSITIVE_PART = 4,
  KERATIN_SYMBOL_INPUT_NEGATIVE_PART = 5,
  KERATIN_SYMBOL_VARIABLE_POSITIVE_PART = 6,
  KERATIN_SYMBOL_VARIABLE_NEGATIVE_PART = 7,
  // The number of the rank that calls, or, for `index` 1 and a number in
  // keratin_function_desc_t::axes, its place along that axis; 0 of a rank alone.
  KERATIN_SYMBOL_RANK = 8,
  // How many ranks there are, all of them or along that axis; 1 of a rank alone.
  KERATIN_SYMBOL_RANKS = 9
} keratin_symbol_source_t;

typedef struct keratin_symbol_desc_t {
  int32_t source; // keratin_symbol_source_t
  int32_t input;
  int64_t index;
  const char *name; // for messages
} keratin_symbol_desc_t;

// Size programs: postfix code over int64. All arithmetic is checked; overflow fails the call.
typedef enum keratin_size_opcode_t {
  KERATIN_SIZE_CONST = 0, // followed by the value
  KERATIN_SIZE_SLOT = 1,  // followed by the index of an earlier slot of sizes
  KERATIN_SIZE_ADD = 2,
  KERATIN_SIZE_SUB = 3,
  KERATIN_SIZE_MUL = 4,
  KERATIN_SIZE_FLOORDIV = 5, // divisor 0 fails the call
  KERATIN_SIZE_CEILDIV = 6,
  KERATIN_SIZE_MAX = 7,
  KERATIN_SIZE_MIN = 8,
  KERATIN_SIZE_BROADCAST = 9, // a == 1 ? b : (b == 1 || a == b) ? a : failure
  KERATIN_SIZE_MOD = 10       // remainder of FLOORDIV
} keratin_size_opcode_t;

typedef struct keratin_size_program_t {
  const int64_t *code;
  int64_t length;
} keratin_size_program_t;

// A condition on sizes that must hold before the entry function runs: slots lhs and rhs are equal
// (KERATIN_CHECK_EQUAL), lhs is rhs or 1 (KERATIN_CHECK_BROADCAST), lhs >= rhs
// (KERATIN_CHECK_AT_LEAST), lhs <= rhs (KERATIN_CHECK_AT_MOST), lhs is a multiple of rhs, which is
// above 0 (KERATIN_CHECK_MULTIPLE). Checks of equality with the status KERATIN_SIZES_DIFFER stand
// first: what the code assumes, where other calls are not the caller's mistake.
typedef enum keratin_check_kind_t {
  KERATIN_CHECK_EQUAL = 0,
  KERATIN_CHECK_BROADCAST = 1,
  KERATIN_CHECK_AT_LEAST = 2,
  KERATIN_CHECK_AT_MOST = 3,
  KERATIN_CHECK_MULTIPLE = 4
} keratin_check_kind_t;

typedef struct keratin_check_t {
  int32_t kind;
  int32_t status; // keratin_status_code_t on failure
  int64_t lhs;    // slots
  int64_t rhs;
  const char *message; // what needed it, with the source line; the runtime adds the two numbers
} keratin_check_t;

// A size that the call computes. It lies in [0, sizes[bound]], or the call fails.
typedef struct keratin_computed_size_t {
  int64_t bound; // a slot that does not depend on computed sizes
  int32_t status;
  int32_t reserved;
  const char *message; // what needed it, with the source line; the runtime adds the numbers
} keratin_computed_size_t;

// Memory that cannot be asked for before the call, since it depends on a computed size without
// bound.
typedef enum keratin_memory_kind_t {
  KERATIN_MEMORY_ARENA = 0, // asked for when the size is defined
  KERATIN_MEMORY_TAPE = 1   // what each step of a loop keeps; the size is their number, and the
                            // memory grows while the loop runs
} keratin_memory_kind_t;

typedef struct keratin_memory_t {
  int32_t kind;
  int32_t size; // the computed size
  // Slot of the bytes, known with the size; of a tape the bytes of a step, known before it.
  int64_t slot;
} keratin_memory_t;

// What the entry function gets to know on its way. The computed sizes are the last of the symbols,
// in their order; they are defined in this order, too.
typedef struct keratin_computed_sizes_t {
  int64_t num_sizes;
  const keratin_computed_size_t *sizes;
  // For each size program the number of computed sizes that must be defined before it can run. A
  // check is made as soon as both of its slots are known.
  const int64_t *program_levels;
  int64_t num_memories;
  const keratin_memory_t *memories;
  void *reserved[2];
} keratin_computed_sizes_t;

// A place in user code that can fail inside a kernel.
typedef struct keratin_site_t {
  int32_t status;
  const char *message;
} keratin_site_t;

typedef struct keratin_update_desc_t {
  int32_t variable;
  // 1: the entry function writes the variable's own buffer, after everything that can fail, and not
  // at all if
  //    failed_site is set by then.
  // 0: it writes a spare buffer, which the runtime exchanges with the variable's at commit.
  int32_t in_place;
} keratin_update_desc_t;

typedef struct keratin_constant_desc_t {
  const void *data; // aligned to KERATIN_ALIGNMENT
  int64_t bytes;
} keratin_constant_desc_t;

// A kernel in the order in which the entry function calls them, for profiles.
typedef struct keratin_kernel_desc_t {
  const char *name;     // the ops it was made of
  const char *location; // "file:line" of the first of them, or ""
  void *reserved[2];
} keratin_kernel_desc_t;

// What a device runs of a function: machine code that only the device knows, in one image or, for
// devices of several kinds, in some to choose from.
typedef struct keratin_image_t {
  const char *kind; // of the image, in the device's words
  const void *data;
  int64_t bytes;
  void *reserved[1];
} keratin_image_t;

typedef struct keratin_device_code_t {
  const char *device; // by its name: keratin_device_t::name
  int64_t num_images;
  const keratin_image_t *images;
  int64_t num_kernels;
  const char *const *kernels; // their names in the images, by the numbers that launch() takes
  void *reserved[3];
} keratin_device_code_t;

// What a function makes of variables that it does not update, and of constants, in its first call
// and where one of the variables has been written since: it lies in memory that stays from call to
// call, which the entry function writes if keratin_context_t::prepares says so.
typedef struct keratin_prepared_t {
  int64_t bytes;
  int64_t num_variables;
  const int64_t *variables; // that it depends on: their numbers, ascending
  void *reserved[1];
} keratin_prepared_t;

// The axes of a mesh of ranks that a function's messages are along, or places that it asks for.
typedef struct keratin_message_axes_t {
  int64_t num_axes;
  const char *const *names;
  void *reserved[2];
} keratin_message_axes_t;

// One compiled function. sizes has num_symbols slots filled from the inputs, then one for each
// program.
typedef struct keratin_function_desc_t {
  uint32_t abi_version;
  const char *name;
  int32_t num_inputs, num_variables, num_outputs, num_updates, num_constants;
  const keratin_tensor_desc_t *inputs;
  const keratin_tensor_desc_t *variables;
  const keratin_tensor_desc_t *outputs;
  const keratin_update_desc_t *updates;
  const keratin_constant_desc_t *constants;
  int64_t num_symbols;
  const keratin_symbol_desc_t *symbols;
  int64_t num_programs;
  const keratin_size_program_t *programs;
  int64_t num_checks;
  const keratin_check_t *checks;
  int64_t num_sites;
  const keratin_site_t *sites;
  int64_t arena_slot; // slot of sizes that holds the bytes of the arena; -1: there is none
  keratin_entry_fn_t entry;
  int64_t scratch_bytes; // for each thread; 0: none
  int64_t num_kernels;   // 0 unless the function was compiled for profiles
  const keratin_kernel_desc_t *kernels;
  const keratin_computed_sizes_t *computed; // NULL: there are none
  // NULL: the entry function runs its kernels itself, in the memory of the host.
  const keratin_device_code_t *device_code;
  // The same function without what this code assumes of sizes, for the calls where that does not
  // hold; of the same signature, but for the expressions of its outputs' dims. NULL: there is none.
  const struct keratin_function_desc_t *general;
  const keratin_prepared_t *prepared; // NULL: nothing is
  // How many of its kernels are keratin_runtime_functions_t::start_collective; 0: it is for one
  // process.
  int64_t num_collectives;
  const keratin_message_axes_t *axes; // NULL: its messages are among all ranks
} keratin_function_desc_t;

#ifdef __cplusplus
}
static_assert(sizeof(void *) == 8, "sizes and pointers share argv slots of eight bytes");
static_assert(sizeof(keratin_symbol_desc_t) == 24, "layout is part of the ABI");
static_assert(sizeof(keratin_check_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_tensor_desc_t) == 48, "layout is part of the ABI");
static_assert(sizeof(keratin_computed_size_t) == 24, "layout is part of the ABI");
static_assert(sizeof(keratin_memory_t) == 16, "layout is part of the ABI");
static_assert(sizeof(keratin_computed_sizes_t) == 56, "layout is part of the ABI");
static_assert(sizeof(keratin_beam_search_t) == 120, "layout is part of the ABI");
static_assert(sizeof(keratin_number_check_t) == 88, "layout is part of the ABI");
static_assert(sizeof(keratin_rank_message_t) == 88, "layout is part of the ABI");
static_assert(sizeof(keratin_runtime_functions_t) == 144, "layout is part of the ABI");
static_assert(sizeof(keratin_context_t) == 96, "layout is part of the ABI");
static_assert(sizeof(keratin_image_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_device_code_t) == 64, "layout is part of the ABI");
static_assert(sizeof(keratin_prepared_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_message_axes_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_function_desc_t) == 232, "layout is part of the ABI");
#endif

#endif // KERATIN_ABI_H

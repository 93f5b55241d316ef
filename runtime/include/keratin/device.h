// Devices: what kernels run on, and whose memory they work in. The runtime brings the CPU; a
// program or a library registers others.
//
// Conventions beside those of runtime.h.
//  1. A device is a table of functions that lives, unchanged, as long as the process. It grows at
//     its end only; `bytes` says how much of it there is.
//  2. Addresses of a device's memory are numbers to everybody else: the host reads and writes what
//     is there by copies only.
//  3. Work is put into a queue, one for each call in flight, and there onto streams, by number.
//     What is done on one stream is done in order, and a call uses its queue from one thread at a
//     time.
//     No queue (NULL): the device does it at once, after all that was done before.
//  4. Functions may be called from any thread, and for several queues at once.
#ifndef KERATIN_DEVICE_H
#define KERATIN_DEVICE_H

#include <keratin/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERATIN_DEVICE_ABI_VERSION 1

// A tensor that goes to the device before the work of a call, or comes from it behind.
typedef struct keratin_transfer_t {
  void *device_data;
  void *host_data;
  size_t bytes;
} keratin_transfer_t;

// What another library puts into a device's streams (keratin_device_t::fork): a message between the
// devices of ranks.
typedef struct keratin_stream_work_t {
  uint32_t bytes; // of this struct
  uint32_t reserved;
  // Puts it into a stream of the device's own interface, without waiting for it: of CUDA into a
  // CUstream, with the device's context current. Work of a call that is replayed is put once more,
  // into a stream that is captured.
  keratin_status_code_t (*put)(void *user, const int64_t *words, void *stream,
                               keratin_status_t *status);
  // Asked again and again while the host waits for the device, with the nanoseconds that it has
  // waited. Not OK: the work has been ended, and the wait, which fails with this, soon comes to its
  // end.
  keratin_status_code_t (*watch)(void *user, int64_t waited, keratin_status_t *status);
  void *user; // of both
  // What put() gets, copied.
  const int64_t *words;
  int64_t num_words;
  // What is the same on all that take part (keratin_device_call_t::replays).
  uint64_t digest;
} keratin_stream_work_t;

// A whole call (keratin_device_t::run).
typedef struct keratin_device_call_t {
  uint32_t bytes; // of this struct
  int32_t num_inputs, num_outputs, reserved;
  // The inputs that are sent and the outputs that are fetched.
  const keratin_transfer_t *inputs, *outputs;
  // What the host's part does follows from these numbers: calls of a module on a queue with equal
  // keys put the same work into it. 0 words: it may be other work each time.
  const int64_t *key;
  int64_t key_words;
  // The host's part: what it has the device do, by the other functions of the table. Not 0: the
  // call ends, and the host knows why.
  int32_t (*host)(void *user);
  void *user;
  // Of calls with work of other libraries, else NULL: asked once, before anything is done that
  // others wait for, with a digest of that work if the device can do without the host's part, else
  // 0. 1: it does without; 0: with it; -1: the call ends, and the host knows why.
  int32_t (*replays)(void *user, uint64_t digest);
} keratin_device_call_t;

typedef struct keratin_device_t {
  uint32_t bytes; // of this table
  uint32_t abi_version;
  const char *name; // as descriptors name it (keratin_device_code_t::device)
  void *user;       // the first argument of all functions

  // NULL where there is no memory. alignment is a power of two; bytes may be 0. release waits for
  // work about the memory, in whatever queue.
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *data, size_t bytes, size_t alignment);

  // Copies: from the host's memory, which may be written again when it returns; to the host's
  // memory, which holds the bytes when it returns; within the device's memory, apart from each
  // other.
  keratin_status_code_t (*copy_in)(void *user, void *queue, int32_t stream, void *to,
                                   const void *from, size_t bytes, keratin_status_t *status);
  keratin_status_code_t (*copy_out)(void *user, void *queue, int32_t stream, void *to,
                                    const void *from, size_t bytes, keratin_status_t *status);
  keratin_status_code_t (*copy_within)(void *user, void *queue, int32_t stream, void *to,
                                       const void *from, size_t bytes, keratin_status_t *status);
  keratin_status_code_t (*fill)(void *user, void *queue, int32_t stream, void *to, uint8_t byte,
                                size_t bytes, keratin_status_t *status);

  // The rest is NULL of a device that runs no images: the kernels of its functions are called by
  // their entry functions, as the CPU's are.

  // The code of a function (keratin_function_desc_t::device_code, scratch_bytes), ready to run.
  keratin_status_code_t (*load)(void *user, const keratin_function_desc_t *function, void **module,
                                keratin_status_t *status);
  void (*unload)(void *user, void *module);

  // A queue, for one call after the other.
  keratin_status_code_t (*open)(void *user, void **queue, keratin_status_t *status);
  void (*close)(void *user, void *queue);
  // A call begins: nothing has failed in the queue.
  keratin_status_code_t (*begin)(void *user, void *queue, keratin_status_t *status);
  // Runs a kernel of the module over [0, units), in parts whose bounds are multiples of grain.
  keratin_status_code_t (*launch)(void *user, void *queue, int32_t stream, void *module,
                                  int32_t kernel, const int64_t *argv, int32_t slots, int64_t units,
                                  int64_t grain, keratin_status_t *status);
  // What was launched since begin() is over, and *failed_site is 0, or 1 + the lowest site that has
  // failed in it.
  keratin_status_code_t (*wait)(void *user, void *queue, int32_t *failed_site,
                                keratin_status_t *status);
  // Called where nothing may change any more if something has failed: waits as wait() does, or
  // leaves *failed_site as it is and sees to it that what is launched from here on does nothing
  // then.
  keratin_status_code_t (*guard)(void *user, void *queue, int32_t *failed_site,
                                 keratin_status_t *status);
  // All of a call: as begin(), copy_in() of each input, the host's part, wait(), and copy_out() of
  // each output unless something has failed. A device may do without the host's part what it had to
  // do in an earlier call with this key. NULL, or not there (`bytes`): the runtime does it by those
  // functions.
  keratin_status_code_t (*run)(void *user, void *queue, void *module,
                               const keratin_device_call_t *call, int32_t *failed_site,
                               keratin_status_t *status);

  // The rest may be NULL of any device, or not there.

  // What is done in the queue from here on, or without a queue, comes after all that is in `stream`
  // now: a stream of the caller's (keratin_call_options_t).
  keratin_status_code_t (*follow)(void *user, void *queue, void *stream, keratin_status_t *status);
  // Whether the bytes lie in the device's memory, which need not be of allocate(); if not, what
  // they are is said as in "0x7fff… is memory of the host".
  keratin_status_code_t (*check)(void *user, const void *data, size_t bytes,
                                 keratin_status_t *status);
  // For profiles: a mark with a tag in the queue, and, when the call is over, the tag of the nth
  // mark since begin() and the nanoseconds between the first and this one. OUT_OF_RANGE behind the
  // last.
  keratin_status_code_t (*mark)(void *user, void *queue, int32_t tag, keratin_status_t *status);
  keratin_status_code_t (*marked)(void *user, void *queue, int32_t number, int32_t *tag,
                                  int64_t *nanoseconds, keratin_status_t *status);
  // All three or none, of devices with run(). Between the beginning and the end of the host's part:
  // work after all that is in the queue now, beside what comes into it, in the order in which it is
  // forked.
  keratin_status_code_t (*fork)(void *user, void *queue, const keratin_stream_work_t *work,
                                keratin_status_t *status);
  // What comes into the queue from here on comes after the first forked work that has not been
  // joined yet, if there is any. At the end of a call all is joined.
  keratin_status_code_t (*join)(void *user, void *queue, keratin_status_t *status);
  // Addresses of two words of 32 bits in the device's memory: *own holds the lowest site that has
  // failed, all bits 1 where none has. What forked work writes to *all counts for guard() and for
  // the kernels behind it; until it does, they do nothing. *failed_site stays that of this device.
  // Once in a call.
  keratin_status_code_t (*expose)(void *user, void *queue, void **own, void **all,
                                  keratin_status_t *status);
} keratin_device_t;

// Bytes of the table of a device that was made before there was run().
#define KERATIN_DEVICE_LEAST_BYTES offsetof(keratin_device_t, run)

// The memory of the host.
KERATIN_API const keratin_device_t *keratin_cpu_device(void);
// Makes a device known under its name, for executables made afterwards.
KERATIN_API keratin_status_code_t keratin_device_register(const keratin_device_t *device,
                                                          keratin_status_t *status);
// NULL if none of this name is known.
KERATIN_API const keratin_device_t *keratin_device_find(const char *name);
// The same, with the reason where there is none.
KERATIN_API keratin_status_code_t keratin_device_open(const char *name,
                                                      const keratin_device_t **device,
                                                      keratin_status_t *status);

// Makes the device of this name, and registers it, when somebody asks for it first: what costs
// something, or may not be there, is not looked for before. *device stays NULL where the name is
// none of its devices'; where it is, and there is no such device, the status says why.
typedef keratin_status_code_t (*keratin_device_provider_t)(const char *name,
                                                           const keratin_device_t **device,
                                                           keratin_status_t *status);
// One provider for the process.
KERATIN_API void keratin_device_set_provider(keratin_device_provider_t provider);
// The devices that are known, by number, the CPU first; NULL behind the last.
KERATIN_API const keratin_device_t *keratin_device_at(int32_t number);

// What a call may be told beside its arguments. All 0: nothing.
typedef struct keratin_call_options_t {
  uint32_t bytes; // of this struct
  // Not 0: the call's work on its device comes after all that is in `stream` when the call is made,
  // a stream of the device's own interface; of CUDA a CUstream, NULL for the stream 0, of the
  // device's primary context. The call returns when its work is done, as any call: what is put into
  // the stream afterwards comes after it.
  uint32_t has_stream;
  void *stream;
  void *reserved[4];
} keratin_call_options_t;

// As keratin_invoke. Inputs and outputs may lie on the device where the function runs
// (keratin_tensor_t::device), row-major: then they are read and written where they lie.
KERATIN_API keratin_status_code_t keratin_invoke_with(
    keratin_executable_t *executable, keratin_variable_t *const *variables, int32_t num_variables,
    const keratin_tensor_t *inputs, int32_t num_inputs, const keratin_tensor_t *outputs,
    int32_t num_outputs, const keratin_call_options_t *options, keratin_status_t *status);

// A session whose variables lie on the device. Functions that use them run there.
KERATIN_API keratin_status_code_t keratin_session_create_on(const keratin_device_t *device,
                                                            keratin_session_t **session,
                                                            keratin_status_t *status);

// Writes several variables, of any sessions, as keratin_variable_write does: all of them or, where
// one value is refused or a device has no memory for it, none. No call sees some of those of a
// session and not the others.
KERATIN_API keratin_status_code_t keratin_variables_write(keratin_variable_t *const *variables,
                                                          const keratin_tensor_t *values,
                                                          int32_t count, keratin_status_t *status);

// Copies the values of several variables, of any sessions, as keratin_variable_read does: those of
// a session as they are between two calls that update them.
KERATIN_API keratin_status_code_t keratin_variables_read(keratin_variable_t *const *variables,
                                                         void *const *data, const size_t *bytes,
                                                         int32_t count, keratin_status_t *status);

// As keratin_executable_create, on this one of the devices that run the code: code for "far" runs
// on "far", "far:1", "far:2". NULL: the one that has the name.
KERATIN_API keratin_status_code_t keratin_executable_create_on(
    const keratin_function_desc_t *descriptor, const keratin_device_t *device,
    keratin_executable_t **executable, keratin_status_t *status);
// Where an executable runs.
KERATIN_API const keratin_device_t *
keratin_executable_device(const keratin_executable_t *executable);

#ifdef __cplusplus
}
#endif

#endif // KERATIN_DEVICE_H

// The plain values of the C interface, for the runtime and for compiled models alike. Stand-alone
// C99: the header of a compiled model holds this text.
#ifndef KERATIN_TYPES_H
#define KERATIN_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERATIN_MAX_RANK 32

typedef enum keratin_dtype_t {
  KERATIN_DTYPE_INVALID = 0,
  KERATIN_DTYPE_BOOL = 1, // one byte, 0 or 1
  KERATIN_DTYPE_INT8 = 2,
  KERATIN_DTYPE_INT16 = 3,
  KERATIN_DTYPE_INT32 = 4,
  KERATIN_DTYPE_INT64 = 5,
  KERATIN_DTYPE_UINT8 = 6,
  KERATIN_DTYPE_UINT16 = 7,
  KERATIN_DTYPE_UINT32 = 8,
  KERATIN_DTYPE_UINT64 = 9,
  KERATIN_DTYPE_FLOAT16 = 10,
  KERATIN_DTYPE_BFLOAT16 = 11,
  KERATIN_DTYPE_FLOAT32 = 12,
  KERATIN_DTYPE_FLOAT64 = 13,
  // Real and imaginary part, one behind the other.
  KERATIN_DTYPE_COMPLEX64 = 14,
  KERATIN_DTYPE_COMPLEX128 = 15
} keratin_dtype_t;

typedef enum keratin_status_code_t {
  KERATIN_OK = 0,
  KERATIN_INVALID_ARGUMENT = 1,    // a fed value does not fit the signature
  KERATIN_OUT_OF_RANGE = 2,        // an index left its axis; updates were not applied
  KERATIN_RESOURCE_EXHAUSTED = 3,  // the arena or an output could not be allocated
  KERATIN_FAILED_PRECONDITION = 4, // shapes known only at run time disagree
  KERATIN_UNIMPLEMENTED = 5,
  KERATIN_INTERNAL = 6,
  KERATIN_NOT_FINITE = 7,   // a number became NaN or infinite, and the function checks its numbers;
                            // updates were not applied
  KERATIN_SIZES_DIFFER = 8, // the code assumes sizes to be equal that are not, and there is no
                            // other; nothing was done
  KERATIN_ABORTED = 9,      // another rank of the job has failed, or wants something else; nothing
                            // was updated, and the ranks may go on
  KERATIN_UNAVAILABLE = 10  // a rank of the job is lost or did not come in time, and with it the
                            // group: nothing was updated, and nothing will be
} keratin_status_code_t;

// What memory lies on, beside the host; opaque here (<keratin/device.h>).
struct keratin_device_t;

// A view of memory that the caller owns. data is the address of the first element (DLPack: data +
// byte_offset). strides == NULL means row-major. device == NULL means the host's memory.
typedef struct keratin_tensor_t {
  void *data;
  int32_t dtype; // keratin_dtype_t
  int32_t rank;
  const int64_t *dims;
  const int64_t *strides;
  const struct keratin_device_t *device;
} keratin_tensor_t;

typedef struct keratin_status_t {
  int32_t code;       // keratin_status_code_t
  char message[1020]; // "" where code is KERATIN_OK; cut to fit, always terminated
} keratin_status_t;

#ifdef __cplusplus
}
#endif

#endif // KERATIN_TYPES_H

// Trains the string reader of digits_strings.cc from a shared object, without Keratin, and reads
// strings of held-out images. C99; needs the object and the C library.
//
//   digits_strings_object <digits.csv> [steps]
#include "common/digits_c.h"
#include "digits_strings.h"

#include <string.h>

enum { kMostDigits = 6, kMostColumns = 8 * kMostDigits, kRead = 100 };

// Pictures as columns of eight pixels from left to right, zero behind the last.
static float columns[kRead][kMostColumns][8];
static int32_t widths[kRead], labels[kRead][kMostDigits], lengths[kRead];

static void makeStrings(const Digits *digits, int count) {
  memset(columns, 0, sizeof columns);
  for (int i = 0; i < count; ++i) {
    lengths[i] = (int32_t)(3 + nextRandom() % 4);
    widths[i] = 8 * lengths[i];
    for (int d = 0; d < kMostDigits; ++d) {
      labels[i][d] = -1;
      if (d >= lengths[i])
        continue;
      int row = (int)(nextRandom() % (uint64_t)digits->count);
      labels[i][d] = digits->labels[row];
      for (int x = 0; x < 8; ++x)
        for (int y = 0; y < 8; ++y)
          columns[i][8 * d + x][y] = digits->pixels[row][y * 8 + x];
    }
  }
}

static int fail(const keratin_status_t *status) {
  fprintf(stderr, "error: %s\n", status->message);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: digits_strings_object <digits.csv> [steps]\n");
    return 2;
  }
  int steps = argc > 2 ? atoi(argv[2]) : 1500;
  if (!readDigits(argv[1]))
    return 1;
  keratin_status_t status;
  digits_strings_state_t *state;
  if (digits_strings_state_create(&state, &status) != KERATIN_OK)
    return fail(&status);
  float loss = 0;
  for (int step = 1; step <= steps; ++step) {
    makeStrings(&train, kBatch);
    if (digits_strings_train_step(state, kBatch, kMostColumns, kMostDigits, &columns[0][0][0],
                                  widths, &labels[0][0], lengths, &loss, NULL, 0,
                                  &status) != KERATIN_OK)
      return fail(&status);
    if (step % 100 == 0 || step == steps)
      printf("step %4d  loss %.4f\n", step, loss);
  }

  // As wide as the longest string that was read; the memory is for the longest that could be.
  static int64_t read[kRead * kMostColumns];
  int64_t dims[2];
  makeStrings(&test, kRead);
  if (digits_strings_read(state, kRead, kMostColumns, &columns[0][0][0], widths, read, dims, NULL,
                          0, &status) != KERATIN_OK)
    return fail(&status);
  int right = 0;
  for (int i = 0; i < kRead; ++i) {
    int equal = 1;
    for (int64_t d = 0; d < dims[1] || d < kMostDigits; ++d)
      equal &= (d < dims[1] ? read[i * dims[1] + d] : -1) == (d < kMostDigits ? labels[i][d] : -1);
    right += equal;
  }
  digits_strings_state_destroy(state);
  printf("%d of %d strings of held-out images exactly right\n", right, kRead);
  return 0;
}

// What the C programs share: the digits of examples/data, random numbers, time.
#ifndef KERATIN_EXAMPLES_COMMON_DIGITS_C_H
#define KERATIN_EXAMPLES_COMMON_DIGITS_C_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kPixels = 64, kBatch = 32, kMaxRows = 10000 };

typedef struct {
  float pixels[kMaxRows][kPixels]; // row by row, 0 to 1
  int32_t labels[kMaxRows];
  int count;
} Digits;

static Digits train, test;

// A header line, then 64 pixels (0 to 16) and a label a line. Every fifth row is held out: the rows
// are ordered by writer.
static inline int readDigits(const char *path) {
  FILE *file = fopen(path, "r");
  char line[1024];
  if (!file)
    return 0;
  int good = fgets(line, sizeof line, file) != NULL;
  for (int row = 0; good && fgets(line, sizeof line, file); ++row) {
    Digits *digits = row % 5 == 0 ? &test : &train;
    char *place = line;
    good = digits->count < kMaxRows;
    for (int i = 0; good && i < kPixels; ++i) {
      char *end;
      digits->pixels[digits->count][i] = strtof(place, &end) / 16.0f;
      good = end != place && *end == ',';
      place = end + 1;
    }
    if (good)
      digits->labels[digits->count++] = (int32_t)strtol(place, NULL, 10);
  }
  fclose(file);
  if (!good || train.count == 0 || test.count == 0)
    fprintf(stderr, "%s: error: not a file of digits\n", path);
  return good && train.count > 0 && test.count > 0;
}

// Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003.
static uint64_t randomState = 88172645463325252u;
static inline uint64_t nextRandom(void) {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  randomState ^= randomState << 17;
  return randomState;
}

static inline void shuffle(int *order, int count) {
  for (int i = count - 1; i > 0; --i) {
    int other = (int)(nextRandom() % (uint64_t)(i + 1)), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

static inline double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif // KERATIN_EXAMPLES_COMMON_DIGITS_C_H

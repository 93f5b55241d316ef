// Trains and runs the digits network from a shared object, without Keratin: the model that
// digits.cc saved, compiled by keratin-compile. C99; needs libdigits.so and the C library.
//
//   digits_object <digits.csv> [epochs]
#include "digits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kPixels = 64, kBatch = 32, kMaxRows = 10000 };

typedef struct {
  float pixels[kMaxRows][kPixels];
  int32_t labels[kMaxRows];
  int count;
} Digits;

static Digits train, test;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A header line, then 64 pixels (0 to 16) and a label a line. Every fifth row is held out: the rows
// are ordered by writer.
static int readDigits(const char *path) {
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
  return good && train.count > 0 && test.count > 0;
}

// Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003.
static uint64_t randomState = 88172645463325252u;
static uint64_t nextRandom(void) {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  randomState ^= randomState << 17;
  return randomState;
}

static int fail(const keratin_status_t *status) {
  fprintf(stderr, "error: %s\n", status->message);
  return 1;
}

int main(int argc, char **argv) {
  double start = seconds();
  if (argc < 2) {
    fprintf(stderr, "usage: digits_object <digits.csv> [epochs]\n");
    return 2;
  }
  int epochs = argc > 2 ? atoi(argv[2]) : 30;
  if (!readDigits(argv[1])) {
    fprintf(stderr, "%s: error: not a file of digits\n", argv[1]);
    return 1;
  }

  keratin_status_t status;
  digits_state_t *state;
  if (digits_state_create(&state, &status) != KERATIN_OK)
    return fail(&status);
  // One workspace for all steps: its size is known beforehand.
  const int64_t imageDims[] = {kBatch, kPixels}, labelDims[] = {kBatch};
  const keratin_tensor_t feeds[] = {{NULL, KERATIN_DTYPE_FLOAT32, 2, imageDims, NULL},
                                    {NULL, KERATIN_DTYPE_INT32, 1, labelDims, NULL}};
  int64_t bytes;
  if (digits_train_step_workspace_bytes(state, feeds, &bytes, &status) != KERATIN_OK)
    return fail(&status);
  void *workspace = malloc((size_t)bytes);
  if (!workspace)
    return 1;

  static int order[kMaxRows];
  for (int i = 0; i < train.count; ++i)
    order[i] = i;
  static float images[kBatch][kPixels];
  int32_t labels[kBatch];
  double stepSeconds = 0;
  long steps = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    for (int i = train.count - 1; i > 0; --i) {
      int other = (int)(nextRandom() % (uint64_t)(i + 1)), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    double lossSum = 0, accuracySum = 0;
    for (int at = 0; at < train.count; at += kBatch) {
      int count = train.count - at < kBatch ? train.count - at : kBatch;
      for (int i = 0; i < count; ++i) {
        memcpy(images[i], train.pixels[order[at + i]], sizeof images[i]);
        labels[i] = train.labels[order[at + i]];
      }
      float loss, accuracy;
      double stepStart = seconds();
      if (digits_train_step(state, count, count, &images[0][0], labels, &loss, &accuracy, workspace,
                            (size_t)bytes, &status) != KERATIN_OK)
        return fail(&status);
      stepSeconds += seconds() - stepStart;
      ++steps;
      lossSum += loss * count;
      accuracySum += accuracy * count;
    }
    printf("epoch %2d  loss %.4f  accuracy %.4f\n", epoch, lossSum / train.count,
           accuracySum / train.count);
  }

  static int64_t predicted[kMaxRows];
  if (digits_predict(state, test.count, &test.pixels[0][0], predicted, NULL, 0, &status) !=
      KERATIN_OK)
    return fail(&status);
  int correct = 0;
  for (int i = 0; i < test.count; ++i)
    correct += predicted[i] == test.labels[i];
  digits_state_destroy(state);
  free(workspace);
  printf("a workspace of %lld bytes\n", (long long)bytes);
  printf("%.1f us a step\n", steps ? stepSeconds / (double)steps * 1e6 : 0.0);
  printf("test accuracy %.4f\n", (double)correct / test.count);
  printf("%.3f seconds in all\n", seconds() - start);
  return 0;
}

// Trains and runs a digits network from a shared object, without Keratin: a model that digits.cc,
// digits_conv.cc or digits_lstm.cc saved, compiled by keratin-compile. C99; needs the object and
// the C library. MODEL and MODEL_HEADER say which.
//
//   digits_object <digits.csv> [epochs]
#ifndef MODEL
#define MODEL digits
#define MODEL_HEADER "digits.h"
#endif
#include MODEL_HEADER
#include "common/digits_c.h"

#include <string.h>

#define JOIN(a, b) a##b
#define EXPANDED(a, b) JOIN(a, b)
// digits_train_step and so on.
#define MODEL_(name) EXPANDED(MODEL, _##name)

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
  if (!readDigits(argv[1]))
    return 1;

  keratin_status_t status;
  MODEL_(state_t) * state;
  if (MODEL_(state_create)(&state, &status) != KERATIN_OK)
    return fail(&status);
  // One workspace for all steps: its size is known beforehand.
  const int64_t imageDims[] = {kBatch, kPixels}, labelDims[] = {kBatch};
  const keratin_tensor_t feeds[] = {{NULL, KERATIN_DTYPE_FLOAT32, 2, imageDims, NULL, NULL},
                                    {NULL, KERATIN_DTYPE_INT32, 1, labelDims, NULL, NULL}};
  int64_t bytes;
  if (MODEL_(train_step_workspace_bytes)(state, feeds, &bytes, &status) != KERATIN_OK)
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
    shuffle(order, train.count);
    double lossSum = 0, accuracySum = 0;
    for (int at = 0; at < train.count; at += kBatch) {
      int count = train.count - at < kBatch ? train.count - at : kBatch;
      for (int i = 0; i < count; ++i) {
        memcpy(images[i], train.pixels[order[at + i]], sizeof images[i]);
        labels[i] = train.labels[order[at + i]];
      }
      float loss, accuracy;
      double stepStart = seconds();
      if (MODEL_(train_step)(state, count, &images[0][0], labels, &loss, &accuracy, workspace,
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
  if (MODEL_(predict)(state, test.count, &test.pixels[0][0], predicted, NULL, 0, &status) !=
      KERATIN_OK)
    return fail(&status);
  int correct = 0;
  for (int i = 0; i < test.count; ++i)
    correct += predicted[i] == test.labels[i];
  MODEL_(state_destroy)(state);
  free(workspace);
  printf("a workspace of %lld bytes\n", (long long)bytes);
  printf("%.1f us a step\n", steps ? stepSeconds / (double)steps * 1e6 : 0.0);
  printf("test accuracy %.4f\n", (double)correct / test.count);
  printf("%.3f seconds in all\n", seconds() - start);
  return 0;
}

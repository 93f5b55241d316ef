// Classifies digits with a model that is linked into this program; its weights come from a file
// when the program starts. C99; the program needs the C library alone.
//
//   predict <weights.safetensors> <digits.csv>
#include "common/digits_c.h"
#include "digits_model.h"

static int fail(const keratin_status_t *status) {
  fprintf(stderr, "error: %s\n", status->message);
  return 1;
}

static int best(const float *probabilities) {
  int found = 0;
  for (int i = 1; i < 10; ++i)
    if (probabilities[i] > probabilities[found])
      found = i;
  return found;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: predict <weights.safetensors> <digits.csv>\n");
    return 2;
  }
  keratin_status_t status;
  digits_model_state_t *state;
  if (digits_model_state_create(&state, &status) != KERATIN_OK ||
      digits_model_state_load_weights(state, argv[1], &status) != KERATIN_OK)
    return fail(&status);
  if (!readDigits(argv[2]))
    return 1;
  static float probabilities[kMaxRows][10];
  if (digits_model_predict(state, test.count, &test.pixels[0][0], &probabilities[0][0], NULL, 0,
                           &status) != KERATIN_OK)
    return fail(&status);
  int correct = 0;
  for (int i = 0; i < test.count; ++i)
    correct += best(probabilities[i]) == test.labels[i];
  digits_model_state_destroy(state);
  printf("test accuracy %.4f\n", (double)correct / test.count);
  return 0;
}

// Trains the autoencoder of digits_vae.cc from a shared object, without Keratin, and prints one
// digit that it draws. C99; needs the object and the C library.
//
//   digits_vae_object <digits.csv> [epochs]
#include "common/digits_c.h"
#include "digits_vae.h"

#include <string.h>

static int fail(const keratin_status_t *status) {
  fprintf(stderr, "error: %s\n", status->message);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: digits_vae_object <digits.csv> [epochs]\n");
    return 2;
  }
  int epochs = argc > 2 ? atoi(argv[2]) : 30;
  if (!readDigits(argv[1]))
    return 1;
  keratin_status_t status;
  digits_vae_state_t *state;
  if (digits_vae_state_create(&state, &status) != KERATIN_OK)
    return fail(&status);
  static int order[kMaxRows];
  for (int i = 0; i < train.count; ++i)
    order[i] = i;
  static float images[kBatch][kPixels];
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    shuffle(order, train.count);
    double lossSum = 0;
    for (int at = 0; at < train.count; at += kBatch) {
      int count = train.count - at < kBatch ? train.count - at : kBatch;
      for (int i = 0; i < count; ++i)
        memcpy(images[i], train.pixels[order[at + i]], sizeof images[i]);
      float loss;
      if (digits_vae_train_step(state, count, &images[0][0], &loss, NULL, 0, &status) != KERATIN_OK)
        return fail(&status);
      lossSum += loss * count;
    }
    printf("epoch %2d  loss %.3f\n", epoch, lossSum / train.count);
  }
  const float code[8] = {0.5f, -0.5f, 1, 0, -1, 0.25f, 0, -0.25f};
  float drawn[kPixels];
  if (digits_vae_draw(state, 1, code, drawn, NULL, 0, &status) != KERATIN_OK)
    return fail(&status);
  for (int i = 0; i < kPixels; ++i)
    printf("%c%s", " .:-=+*#%@"[(int)(drawn[i] * 9.99f)], i % 8 == 7 ? "\n" : "");
  digits_vae_state_destroy(state);
  return 0;
}

#include "twice.h"

#include <stdio.h>

int main(void) {
  twice_state_t *state;
  keratin_status_t status;
  const float x[] = {1, 2, 3};
  float y[3];
  if (twice_state_create(&state, &status) != KERATIN_OK ||
      twice_double_it(state, 3, x, y, NULL, 0, &status) != KERATIN_OK) {
    fprintf(stderr, "%s\n", status.message);
    return 1;
  }
  twice_state_destroy(state);
  return y[2] != 6;
}

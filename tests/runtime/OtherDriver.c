// A library with one function of the driver.
int cuDriverGetVersion(int *version) {
  *version = VERSION;
  return RESULT;
}

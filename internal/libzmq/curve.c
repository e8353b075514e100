#include <errno.h>

#include "shim.h"

int gz_curve_keypair(char *public_key, char *secret_key) {
  return gz.curve_keypair(public_key, secret_key) < 0 ? -errno : 0;
}

int gz_curve_public(char *public_key, const char *secret_key) {
  return gz.curve_public(public_key, secret_key) < 0 ? -errno : 0;
}

#pragma once
#include "Arduino.h"

class Preferences {
 public:
  bool begin(const char *name, bool readOnly = false);
  String getString(const char *key, String otherwise = String());
  size_t putString(const char *key, String value);
  bool remove(const char *key);
};

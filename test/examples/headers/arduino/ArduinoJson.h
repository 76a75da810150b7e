/* ArduinoJson 7 */
#pragma once
#include "Arduino.h"

class JsonVariant {
 public:
  template <class T>
  T as() const;
  template <class T>
  bool is() const;
  template <class T>
  operator T() const;
  template <class T>
  T operator|(T otherwise) const;
  JsonVariant operator[](const char *name) const;
  template <class T>
  JsonVariant &operator=(const T &value);
};

class JsonDocument {
 public:
  JsonVariant operator[](const char *name);
};

class DeserializationError {
 public:
  explicit operator bool() const;
};
DeserializationError deserializeJson(JsonDocument &document, const String &text);
DeserializationError deserializeJson(JsonDocument &document, const uint8_t *text, size_t length);
size_t serializeJson(const JsonDocument &document, String &text);

/* Declarations of the ESP32's Arduino core that sketches here use, for -fsyntax-only. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <functional>

typedef bool boolean;
typedef uint8_t byte;

class String {
 public:
  String(const char *text = "");
  String(const String &other);
  String &operator=(const String &other);
  const char *c_str() const;
  unsigned int length() const;
  bool isEmpty() const;
  String substring(unsigned int from) const;
  String substring(unsigned int from, unsigned int to) const;
  int indexOf(const String &text) const;
  bool operator==(const String &other) const;
  bool operator==(const char *other) const;
};
String operator+(const String &left, const String &right);

class Print {
 public:
  size_t printf(const char *format, ...) __attribute__((format(printf, 2, 3)));
  size_t println(const char *text);
};
class Stream : public Print {};
class Client : public Stream {};
class HardwareSerial : public Stream {
 public:
  void begin(unsigned long baud);
};
extern HardwareSerial Serial;

template <class T>
const T &min(const T &left, const T &right);
void delay(uint32_t milliseconds);
unsigned long millis();
uint32_t esp_random();

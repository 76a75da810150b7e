#pragma once
#include "WiFi.h"

class HTTPClient {
 public:
  bool begin(WiFiClient &client, String url);
  void setTimeout(uint16_t milliseconds);
  void addHeader(const String &name, const String &value);
  int sendRequest(const char *method, String payload);
  String getString();
  void end();
};

/* PubSubClient 2.8 */
#pragma once
#include "Arduino.h"

#define MQTT_CONNECT_FAILED -2
#define MQTT_CALLBACK_SIGNATURE std::function<void(char *, uint8_t *, unsigned int)> callback

class PubSubClient : public Print {
 public:
  PubSubClient(Client &client);
  PubSubClient &setServer(const char *domain, uint16_t port);
  PubSubClient &setCallback(MQTT_CALLBACK_SIGNATURE);
  boolean setBufferSize(uint16_t size);
  PubSubClient &setKeepAlive(uint16_t seconds);
  boolean connect(const char *id, const char *user, const char *password);
  void disconnect();
  boolean publish(const char *topic, const char *payload);
  boolean subscribe(const char *topic, uint8_t qos);
  boolean loop();
  boolean connected();
  int state();
};

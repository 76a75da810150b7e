/* Declarations of Zephyr 3.7 that code here uses, for -fsyntax-only. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct mqtt_utf8 {
  const uint8_t *utf8;
  uint32_t size;
};
#define MQTT_UTF8_LITERAL(literal) ((struct mqtt_utf8){(const uint8_t *)literal, sizeof(literal) - 1})

struct mqtt_binstr {
  uint8_t *data;
  uint32_t len;
};
struct mqtt_topic {
  struct mqtt_utf8 topic;
  uint8_t qos;
};
struct mqtt_publish_message {
  struct mqtt_topic topic;
  struct mqtt_binstr payload;
};
struct mqtt_publish_param {
  struct mqtt_publish_message message;
  uint16_t message_id;
};

enum mqtt_qos { MQTT_QOS_0_AT_MOST_ONCE, MQTT_QOS_1_AT_LEAST_ONCE };
enum mqtt_version { MQTT_VERSION_3_1_0 = 3, MQTT_VERSION_3_1_1 = 4 };
enum mqtt_evt_type { MQTT_EVT_CONNACK, MQTT_EVT_DISCONNECT, MQTT_EVT_PUBLISH };

struct mqtt_evt {
  enum mqtt_evt_type type;
  int result;
};
struct mqtt_client;
typedef void (*mqtt_evt_cb_t)(struct mqtt_client *client, const struct mqtt_evt *event);

struct mqtt_client {
  struct mqtt_utf8 client_id;
  struct mqtt_utf8 *user_name;
  struct mqtt_utf8 *password;
  const void *broker;
  mqtt_evt_cb_t evt_cb;
  uint8_t *rx_buf;
  uint32_t rx_buf_size;
  uint8_t *tx_buf;
  uint32_t tx_buf_size;
  uint8_t protocol_version;
};

void mqtt_client_init(struct mqtt_client *client);
int mqtt_connect(struct mqtt_client *client);
int mqtt_publish(struct mqtt_client *client, const struct mqtt_publish_param *param);

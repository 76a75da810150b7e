/*
 * The platform functions of device.c. port_posix.c implements it with files, libcurl and
 * libmosquitto. On a microcontroller only these functions are written again:
 *
 *                    ESP-IDF                                  Zephyr
 *   port_setting     nvs_get_str of a partition that the      settings_load_one
 *                    factory has written
 *   port_load        nvs_get_str                              settings_load_one
 *   port_save        nvs_set_str, nvs_commit                  settings_save_one
 *   port_promote     nvs_set_str of the new name, nvs_commit, then nvs_erase_key of the old one
 *                    (in Zephyr settings_save_one, settings_delete): a power failure between the
 *                    two leaves both, which device.c can handle
 *   port_http        esp_http_client_perform                  http_client_req
 *   port_mqtt_open   esp_mqtt_client_start, with              mqtt_connect, and mqtt_input until
 *                    network.disable_auto_reconnect: waits    MQTT_EVT_CONNACK
 *                    for MQTT_EVENT_CONNECTED or _ERROR
 *   port_mqtt_poll   waits on a queue that the event          zsock_poll, mqtt_input, mqtt_live
 *                    handler fills
 *   port_random      esp_random                               sys_rand32_get
 *   port_wait        vTaskDelay                               k_sleep
 *   port_seconds     esp_timer_get_time                       k_uptime_get
 *
 * cJSON and mbedtls are components of ESP-IDF; Zephyr has mbedtls as a module, and cJSON is one
 * file to add.
 */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stdint.h>

/** The values that the factory has set, such as the origin of the API; NULL if it has not. */
const char *port_setting(const char *name);

/* Names: "device", "next" (credentials), "config". */

/** Allocated, or NULL if nothing is stored under the name. */
char *port_load(const char *name);
/** Returns once the text survives a power failure, which never leaves half of it. */
bool port_save(const char *name, const char *text);
/** Makes one stored text take the place of another. */
bool port_promote(const char *from, const char *to);
void port_delete(const char *name);

/**
 * Sends a POST with a body of JSON, or a GET if the body is NULL.
 * @param header one line, such as "authorization: Bearer …"
 * @param response allocated, or NULL
 * @return the status, or 0 if there was no response
 */
long port_http(const char *url, const char *header, const char *body, char **response);

struct port_login {
  const char *host;
  int port;
  bool tls;
  const char *username; /* also the client id */
  const char *password;
};

typedef void (*port_received)(const char *topic, const char *payload, int length);

/** Return code of the CONNACK (MQTT 3.1.1): 0 if accepted; -1 if there was none. */
int port_mqtt_open(const struct port_login *login, port_received received);
bool port_mqtt_subscribe(const char *topic);
/** QoS 1, not retained. */
bool port_mqtt_publish(const char *topic, const char *payload);
/** Handles what comes within the time. @return false if the connection has ended */
bool port_mqtt_poll(int milliseconds);
void port_mqtt_close(void);

uint32_t port_random(void);
void port_wait(unsigned milliseconds);
/** Since some moment in the past; never goes back. */
long port_seconds(void);

#endif

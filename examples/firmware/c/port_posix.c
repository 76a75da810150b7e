/* The functions of port.h on POSIX: files, libcurl and libmosquitto. */
#define _GNU_SOURCE
#include "port.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

const char *port_setting(const char *name) {
  return getenv(name);
}

/* Files in the current folder; a new one replaces the old one by its name. */

static void path_of(char *path, size_t size, const char *name, const char *suffix) {
  snprintf(path, size, "%s.json%s", name, suffix);
}

char *port_load(const char *name) {
  char path[64];
  path_of(path, sizeof path, name, "");
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char *text = calloc(1, 65536);
  if (text != NULL && fread(text, 1, 65535, file) == 0) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

/** A rename survives a power failure once its folder is written. */
static bool sync_folder(void) {
  int folder = open(".", O_RDONLY | O_DIRECTORY);
  bool is_written = folder >= 0 && fsync(folder) == 0;
  if (folder >= 0) close(folder);
  return is_written;
}

bool port_save(const char *name, const char *text) {
  char path[64], temporary[64];
  path_of(path, sizeof path, name, "");
  path_of(temporary, sizeof temporary, name, ".new");
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return false;
  size_t length = strlen(text);
  bool is_written = write(file, text, length) == (ssize_t)length && fsync(file) == 0;
  is_written = close(file) == 0 && is_written;
  return is_written && rename(temporary, path) == 0 && sync_folder();
}

bool port_promote(const char *from, const char *to) {
  char old_path[64], new_path[64];
  path_of(old_path, sizeof old_path, from, "");
  path_of(new_path, sizeof new_path, to, "");
  return rename(old_path, new_path) == 0 && sync_folder();
}

void port_delete(const char *name) {
  char path[64];
  path_of(path, sizeof path, name, "");
  unlink(path);
}

/* HTTP */

struct received {
  char *text;
  size_t length;
};

static size_t collect(char *bytes, size_t size, size_t count, void *to) {
  struct received *received = to;
  size_t added = size * count;
  char *longer = realloc(received->text, received->length + added + 1);
  if (longer == NULL) return 0;
  memcpy(longer + received->length, bytes, added);
  received->text = longer;
  received->length += added;
  longer[received->length] = 0;
  return added;
}

long port_http(const char *url, const char *header, const char *body, char **response) {
  struct received received = {NULL, 0};
  long status = 0;
  CURL *curl = curl_easy_init();
  struct curl_slist *headers = curl_slist_append(NULL, "content-type: application/json");
  headers = curl_slist_append(headers, header);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  if (body != NULL) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &received);
  if (curl_easy_perform(curl) == CURLE_OK) {
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  }
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  *response = received.text;
  return status;
}

/* MQTT */

static struct mosquitto *client;
static int connack;
static port_received on_received;

static void connected(struct mosquitto *mosquitto, void *unused, int code) {
  (void)mosquitto, (void)unused;
  connack = code;
}

static void message(struct mosquitto *mosquitto, void *unused, const struct mosquitto_message *it) {
  (void)mosquitto, (void)unused;
  on_received(it->topic, it->payload, it->payloadlen);
}

int port_mqtt_open(const struct port_login *login, port_received received) {
  static bool is_ready = false;
  if (!is_ready) mosquitto_lib_init();
  is_ready = true;
  on_received = received;
  connack = -1;
  client = mosquitto_new(login->username, true, NULL);
  mosquitto_username_pw_set(client, login->username, login->password);
  /* The roots that the system trusts; see docs/firmware.md for a device. */
  if (login->tls) mosquitto_tls_set(client, NULL, "/etc/ssl/certs", NULL, NULL, NULL);
  mosquitto_connect_callback_set(client, connected);
  mosquitto_message_callback_set(client, message);
  if (mosquitto_connect(client, login->host, login->port, 60) == MOSQ_ERR_SUCCESS) {
    long until = port_seconds() + 10;
    while (connack == -1 && port_seconds() < until && port_mqtt_poll(200)) continue;
  }
  if (connack != 0) port_mqtt_close();
  return connack;
}

bool port_mqtt_subscribe(const char *topic) {
  return mosquitto_subscribe(client, NULL, topic, 1) == MOSQ_ERR_SUCCESS;
}

bool port_mqtt_publish(const char *topic, const char *payload) {
  int length = (int)strlen(payload);
  return mosquitto_publish(client, NULL, topic, length, payload, 1, false) == MOSQ_ERR_SUCCESS;
}

bool port_mqtt_poll(int milliseconds) {
  return mosquitto_loop(client, milliseconds, 1) == MOSQ_ERR_SUCCESS;
}

void port_mqtt_close(void) {
  mosquitto_disconnect(client);
  mosquitto_destroy(client);
  client = NULL;
}

/* Time and chance */

uint32_t port_random(void) {
  uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = (uint32_t)time(NULL);
  return number;
}

void port_wait(unsigned milliseconds) {
  struct timespec pause = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  nanosleep(&pause, NULL);
}

long port_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long)now.tv_sec;
}

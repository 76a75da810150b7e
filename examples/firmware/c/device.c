/*
 * A device in C. It registers itself once, or uses the device.json that a factory has stored; then
 * it reports its state over MQTT, executes commands, applies its configuration and rotates its
 * credentials. docs/firmware.md has the reasons.
 *
 * Debian: apt install gcc libmosquitto-dev libcurl4-openssl-dev libcjson-dev libmbedtls-dev
 *         gcc -o device device.c port_posix.c -lmosquitto -lcurl -lcjson -lmbedcrypto
 *         MOORING_URL=… PROVISION_KEY=… TEMPLATE_ID=… HARDWARE_ID=… ./device
 * ESP-IDF and Zephyr: this file as it is, with a port.c for port.h, which names the functions.
 * Differences between the platforms are marked by ESP_PLATFORM and __ZEPHYR__, which they define.
 */
#include "port.h"

#if defined(ESP_PLATFORM) || defined(__ZEPHYR__)
#include "cJSON.h"
#else
#include <cjson/cJSON.h>
#endif
#include <mbedtls/base64.h>
#include <mbedtls/md.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WAIT_MS 1000
/* After a refusal: what it complains of does not change by itself. */
#define FIRST_WAIT_REFUSED_MS 30000
#define MAX_WAIT_MS 300000
#define BAD_CREDENTIALS 4
#define MAX_CONFIG_BYTES 16384

static const char *origin;
static cJSON *login; /* as POST /provision/device returned it */
static bool is_new = false; /* whether they are the newer ones, which are stored as "next" */
static bool is_on = false, must_rotate = false;
static int report_s = 60;

static const char *text_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
  return text == NULL ? "" : text;
}

static cJSON *load(const char *name) {
  char *text = port_load(name);
  cJSON *object = text == NULL ? NULL : cJSON_Parse(text);
  free(text);
  return object;
}

/** Waits between half and all of a time that doubles with each attempt. */
static void back_off(unsigned attempt, unsigned first_ms) {
  unsigned most_ms = first_ms;
  while (attempt-- > 0 && most_ms < MAX_WAIT_MS) most_ms *= 2;
  if (most_ms > MAX_WAIT_MS) most_ms = MAX_WAIT_MS;
  port_wait(most_ms / 2 + port_random() % (most_ms / 2));
}

/** Requests credentials and stores them. @return whether they are stored */
static bool fetch(const char *path, const char *header, const char *body, const char *name) {
  char url[512], *text = NULL;
  snprintf(url, sizeof url, "%s/api/v1%s", origin, path);
  long status = port_http(url, header, body, &text);
  cJSON *response = text == NULL ? NULL : cJSON_Parse(text);
  bool is_stored = false;
  if ((status == 200 || status == 201) && *text_of(response, "mqtt_password") != 0) {
    is_stored = port_save(name, text);
  } else {
    printf("no credentials: %ld %s\n", status, text_of(response, "code"));
  }
  cJSON_Delete(response);
  free(text);
  return is_stored;
}

/** Repeating it is safe: the hardware id stands for one device, whatever got lost. */
static void provision(const char *key, const char *template_id, const char *hardware_id) {
  char header[256], body[256];
  snprintf(header, sizeof header, "service-auth-code: %s", key);
  snprintf(body, sizeof body, "{\"template_id\":\"%s\",\"hardware_id\":\"%s\"}", template_id,
           hardware_id);
  for (unsigned attempt = 0; !fetch("/provision/device", header, body, "device"); attempt += 1) {
    back_off(attempt, FIRST_WAIT_MS);
  }
}

static void authorization(char *header, size_t size) {
  snprintf(header, size, "authorization: Bearer %s", text_of(login, "device_http_token"));
}

/** Stored before they are used: the first use of the new credentials ends the old ones. */
static bool rotate(void) {
  char header[512];
  authorization(header, sizeof header);
  return fetch("/devices/auth/credentials/rotate", header, "{}", "next");
}

/**
 * Asks whether to rotate. That uses the token as well: only when both the password and the token
 * were accepted do the new credentials take the place of the old ones.
 */
static bool check_in(void) {
  char url[512], header[512], *text = NULL;
  snprintf(url, sizeof url, "%s/api/v1/devices/auth/me", origin);
  authorization(header, sizeof header);
  bool is_good = port_http(url, header, NULL, &text) == 200;
  if (is_good) {
    cJSON *me = cJSON_Parse(text);
    if (cJSON_IsTrue(cJSON_GetObjectItem(me, "rotation_due"))) must_rotate = true;
    cJSON_Delete(me);
    if (is_new) is_new = !port_promote("next", "device");
  }
  free(text);
  return is_good;
}

static void publish(const char *topic, cJSON *payload) {
  char full[256], *text = cJSON_PrintUnformatted(payload);
  snprintf(full, sizeof full, "%s/%s/%s", text_of(login, "workspace_slug"),
           text_of(login, "device_key"), topic);
  if (text != NULL) {
    printf("publishes on %s: %s\n", full, text);
    port_mqtt_publish(full, text);
  }
  free(text);
  cJSON_Delete(payload);
}

static void subscribe(const char *topic) {
  char full[256];
  snprintf(full, sizeof full, "%s/%s/%s", text_of(login, "workspace_slug"),
           text_of(login, "device_key"), topic);
  port_mqtt_subscribe(full);
}

static void report(void) {
  cJSON *state = cJSON_CreateObject();
  cJSON_AddBoolToObject(state, "on", is_on);
  publish("state", state);
}

/* A command is executed once, however often it arrives. */
static void on_command(const cJSON *command) {
  static char last_id[64];
  const char *id = text_of(command, "id"), *name = text_of(command, "name");
  if (strcmp(id, last_id) == 0) return;
  snprintf(last_id, sizeof last_id, "%s", id);
  const cJSON *on = cJSON_GetObjectItem(cJSON_GetObjectItem(command, "payload"), "on");
  const char *error = NULL;
  if (strcmp(name, "set") == 0 && cJSON_IsBool(on)) {
    is_on = cJSON_IsTrue(on);
  } else if (strcmp(name, "rotate_credentials") == 0) {
    must_rotate = true;
  } else {
    error = "unknown command";
  }
  cJSON *ack = cJSON_CreateObject();
  cJSON_AddStringToObject(ack, "id", id);
  cJSON_AddBoolToObject(ack, "ok", error == NULL);
  if (error != NULL) cJSON_AddStringToObject(ack, "error", error);
  publish("ack", ack);
  report();
}

/* docs/config-protocol.md */

static char config_text[MAX_CONFIG_BYTES + 1];
static size_t config_length;

static bool apply(const char *text) {
  cJSON *config = cJSON_Parse(text);
  const cJSON *seconds = cJSON_GetObjectItem(config, "report_s");
  bool is_good = config != NULL && (seconds == NULL || (cJSON_IsNumber(seconds) && seconds->valueint > 0));
  if (is_good && seconds != NULL) report_s = seconds->valueint;
  cJSON_Delete(config);
  return is_good;
}

static void hash(const char *text, char hex[65]) {
  unsigned char digest[32];
  mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), (const unsigned char *)text,
             strlen(text), digest);
  for (int index = 0; index < 32; index += 1) sprintf(hex + 2 * index, "%02x", digest[index]);
}

/** The service has another configuration than the stored one: asks for it. */
static void on_config_meta(const cJSON *meta) {
  char *stored = port_load("config"), have[65] = "";
  if (stored != NULL) hash(stored, have);
  free(stored);
  if (meta == NULL || strcmp(have, text_of(meta, "sha256")) == 0) return;
  cJSON *request = cJSON_CreateObject();
  cJSON_AddStringToObject(request, "rid", text_of(meta, "sha256"));
  cJSON *want = cJSON_AddObjectToObject(request, "want");
  cJSON_AddNumberToObject(want, "chunk_bytes", 1024);
  cJSON_AddNumberToObject(want, "max_total_bytes", MAX_CONFIG_BYTES);
  publish("config/get", request);
}

static void on_config_chunk(const cJSON *chunk) {
  if (!cJSON_IsTrue(cJSON_GetObjectItem(chunk, "ok"))) return;
  int index = cJSON_GetObjectItem(chunk, "chunk_index")->valueint;
  int total = cJSON_GetObjectItem(chunk, "total_chunks")->valueint;
  const char *data = text_of(chunk, "data_b64");
  size_t added = 0;
  if (index == 0) config_length = 0;
  if (mbedtls_base64_decode((unsigned char *)config_text + config_length,
                            MAX_CONFIG_BYTES - config_length, &added,
                            (const unsigned char *)data, strlen(data)) != 0) {
    return;
  }
  config_length += added;
  config_text[config_length] = 0;
  if (index != total - 1) return;
  char got[65];
  hash(config_text, got);
  bool is_applied = strcmp(got, text_of(chunk, "sha256")) == 0 && apply(config_text) &&
                    port_save("config", config_text);
  cJSON *status = cJSON_CreateObject();
  cJSON_AddStringToObject(status, "rid", text_of(chunk, "rid"));
  cJSON_AddBoolToObject(status, "applied", is_applied);
  cJSON_AddNumberToObject(status, "version", cJSON_GetObjectItem(chunk, "version")->valueint);
  cJSON_AddStringToObject(status, "sha256", got);
  publish("config/status", status);
}

static void on_message(const char *topic, const char *payload, int length) {
  /* The second slash ends the part that is the same in all topics of the device. */
  const char *name = strchr(strchr(topic, '/') + 1, '/') + 1;
  cJSON *object = length == 0 ? NULL : cJSON_ParseWithLength(payload, (size_t)length);
  if (strcmp(name, "config/meta") == 0) on_config_meta(object);
  if (object != NULL && strcmp(name, "cmd") == 0) on_command(object);
  if (object != NULL && strcmp(name, "config/resp") == 0) on_config_chunk(object);
  cJSON_Delete(object);
}

/** @return as of port_mqtt_open */
static int connect_with(const char *name) {
  cJSON *stored = load(name);
  if (stored == NULL) return BAD_CREDENTIALS;
  cJSON_Delete(login);
  login = stored;
  struct port_login with = {
      .host = text_of(login, "mqtt_host"),
      .port = cJSON_GetObjectItem(login, "mqtt_port")->valueint,
      .tls = cJSON_IsTrue(cJSON_GetObjectItem(login, "mqtt_tls")),
      .username = text_of(login, "mqtt_username"),
      .password = text_of(login, "mqtt_password"),
  };
  return port_mqtt_open(&with, on_message);
}

/** The newer credentials first; the older ones only if those are refused. */
static int connect_with_any(void) {
  int code = connect_with("next");
  is_new = code == 0;
  if (code != BAD_CREDENTIALS) return code;
  code = connect_with("device");
  /* The newer ones have expired without being used. */
  if (code == 0) port_delete("next");
  return code;
}

/** Until the connection ends. @return whether there are new credentials to connect with */
static bool serve(void) {
  long check_at = 0, report_at = 0, rotate_at = 0;
  subscribe("cmd");
  subscribe("config/meta");
  subscribe("config/resp");
  while (port_mqtt_poll(500)) {
    if (port_seconds() >= check_at) {
      check_at = port_seconds() + (check_in() ? 86400 : 30 + port_random() % 30);
    }
    if (port_seconds() >= report_at) {
      report();
      report_at = port_seconds() + report_s;
    }
    if (must_rotate && port_seconds() >= rotate_at) {
      must_rotate = !rotate();
      if (!must_rotate) return true;
      rotate_at = port_seconds() + 2 + port_random() % 4;
    }
  }
  return false;
}

/** Does not return, unless what it needs is missing. */
static void run(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  origin = port_setting("MOORING_URL");
  char *stored = port_load("device");
  if (stored == NULL) {
    const char *key = port_setting("PROVISION_KEY"), *template_id = port_setting("TEMPLATE_ID"),
               *hardware_id = port_setting("HARDWARE_ID");
    if (origin == NULL || key == NULL || template_id == NULL || hardware_id == NULL) {
      puts("Needs device.json, or MOORING_URL, PROVISION_KEY, TEMPLATE_ID and HARDWARE_ID.");
      return;
    }
    provision(key, template_id, hardware_id);
  }
  free(stored);
  char *config = port_load("config");
  if (config != NULL) apply(config);
  free(config);
  for (unsigned attempt = 0;;) {
    int code = connect_with_any();
    long since = port_seconds();
    if (code == 0) {
      printf("connected as %s\n", text_of(login, "device_key"));
      bool is_rotated = serve();
      port_mqtt_close();
      if (is_rotated) continue;
      /* A connection that lasted was a success; one that ends at once is a failed attempt. */
      if (port_seconds() - since > 30) attempt = 0;
    }
    printf("not connected: %d\n", code);
    bool is_refused = code == BAD_CREDENTIALS || code == 5 || code == 2;
    back_off(attempt++, is_refused ? FIRST_WAIT_REFUSED_MS : FIRST_WAIT_MS);
  }
}

#ifdef ESP_PLATFORM
void app_main(void) {
  run();
}
#else
int main(void) {
  run();
  return 2;
}
#endif

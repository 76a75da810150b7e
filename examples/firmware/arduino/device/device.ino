/*
 * A device as an Arduino sketch, for the ESP32, with the libraries PubSubClient and ArduinoJson. It
 * is small: QoS 0, and its configuration comes over HTTPS. ../../c and docs/firmware.md have more.
 *
 * The factory stores the response of POST /provision/device under the key "device" of the
 * Preferences "mooring", and the origin of the API under "url".
 */
#include <ArduinoJson.h>
#include <HTTPClient.h>
#include <Preferences.h>
#include <PubSubClient.h>
#include <WiFi.h>
#include <WiFiClientSecure.h>

const char *WIFI_NAME = "your network", *WIFI_PASSWORD = "its password";
/* The root certificate of your service, as PEM; see docs/firmware.md. */
const char *ROOT_CA = "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n";
const int BAD_CREDENTIALS = 4;

WiFiClientSecure network, web;
PubSubClient mqtt(network);
Preferences store;
JsonDocument login;
String prefix, lastCommand;
bool isOn = false, isNew = false, mustRotate = false, mustConfigure = false, mustCheckIn = false;
unsigned attempt = 0;
unsigned long reportMs = 60000, reportedAt = 0, askedAt = 0, connectedAt = 0;

/** Waits between half and all of a time that doubles with each attempt. */
void backOff(unsigned long firstMs) {
  unsigned long most = min(firstMs << min(attempt++, 9u), 300000ul);
  delay(most / 2 + esp_random() % (most / 2));
}

/** @return the status, or a negative number; the body is in `text` */
int callApi(const char *method, const char *path, const char *body, String &text) {
  HTTPClient http;
  http.begin(web, store.getString("url") + "/api/v1" + path);
  http.setTimeout(10000);
  http.addHeader("Authorization", String("Bearer ") + login["device_http_token"].as<const char *>());
  http.addHeader("Content-Type", "application/json");
  int status = http.sendRequest(method, body);
  text = http.getString();
  http.end();
  return status;
}

/** Stored before they are used: the first use of the new credentials ends the old ones. */
bool rotate() {
  String text;
  JsonDocument next;
  if (callApi("POST", "/devices/auth/credentials/rotate", "{}", text) != 200) return false;
  if (deserializeJson(next, text) || !next["mqtt_password"].is<const char *>()) return false;
  return store.putString("next", text) > 0;
}

/**
 * Asks whether to rotate. That uses the token as well: only when both the password and the token
 * were accepted do the new credentials take the place of the old ones.
 */
bool checkIn() {
  String text;
  JsonDocument me;
  if (callApi("GET", "/devices/auth/me", "", text) != 200 || deserializeJson(me, text)) return false;
  if (me["rotation_due"].as<bool>()) mustRotate = true;
  if (isNew && store.putString("device", store.getString("next")) > 0) store.remove("next");
  isNew = false;
  return true;
}

bool configure() {
  String text;
  JsonDocument response;
  if (callApi("GET", "/devices/auth/config", "", text) != 200) return false;
  if (deserializeJson(response, text)) return false;
  unsigned long seconds = response["config"]["report_s"] | 60ul;
  reportMs = seconds * 1000;
  return true;
}

void publish(const char *topic, JsonDocument &payload) {
  String text;
  serializeJson(payload, text);
  mqtt.publish((prefix + topic).c_str(), text.c_str());
}

void report() {
  JsonDocument state;
  state["on"] = isOn;
  publish("state", state);
  reportedAt = millis();
}

/* A command is executed once, however often it arrives. */
void execute(JsonDocument &command) {
  String id = command["id"].as<const char *>(), name = command["name"].as<const char *>();
  if (id == lastCommand) return;
  lastCommand = id;
  JsonDocument ack;
  ack["id"] = id;
  ack["ok"] = true;
  if (name == "set" && command["payload"]["on"].is<bool>()) {
    isOn = command["payload"]["on"].as<bool>();
  } else if (name == "rotate_credentials") {
    mustRotate = true;
  } else {
    ack["ok"] = false;
    ack["error"] = "unknown command";
  }
  publish("ack", ack);
  report();
}

void received(char *topic, byte *payload, unsigned int length) {
  String name = String(topic).substring(prefix.length());
  JsonDocument message;
  if (name == "config/meta") mustConfigure = length > 0;
  if (name == "cmd" && !deserializeJson(message, payload, length)) execute(message);
}

/** @return 0, or why not: negative without a response, else the return code of the CONNACK */
int connectWith(const char *name) {
  String text = store.getString(name);
  if (text.isEmpty() || deserializeJson(login, text)) return BAD_CREDENTIALS;
  const char *user = login["mqtt_username"];
  prefix = String(login["workspace_slug"].as<const char *>()) + "/" +
           login["device_key"].as<const char *>() + "/";
  mqtt.setServer(login["mqtt_host"].as<const char *>(), login["mqtt_port"].as<uint16_t>());
  return mqtt.connect(user, user, login["mqtt_password"].as<const char *>()) ? 0 : mqtt.state();
}

/** The newer credentials first; the older ones only if those are refused. */
int connectWithAny() {
  int code = connectWith("next");
  isNew = code == 0;
  if (code != BAD_CREDENTIALS) return code;
  code = connectWith("device");
  /* The newer ones have expired without being used. */
  if (code == 0) store.remove("next");
  return code;
}

void setup() {
  Serial.begin(115200);
  store.begin("mooring");
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  network.setCACert(ROOT_CA);
  web.setCACert(ROOT_CA);
  mqtt.setBufferSize(4096);
  mqtt.setKeepAlive(60);
  mqtt.setCallback(received);
}

void loop() {
  if (!mqtt.connected()) {
    if (connectedAt > 0) {
      /* A connection that lasted was a success; one that ends at once is a failed attempt. */
      if (millis() - connectedAt > 30000) attempt = 0;
      connectedAt = 0;
      return backOff(1000);
    }
    int code = WiFi.status() == WL_CONNECTED ? connectWithAny() : MQTT_CONNECT_FAILED;
    if (code != 0) {
      Serial.printf("not connected: %d\n", code);
      return backOff(code == BAD_CREDENTIALS || code == 5 ? 30000 : 1000);
    }
    connectedAt = millis();
    mustCheckIn = true;
    mqtt.subscribe((prefix + "cmd").c_str(), 1);
    mqtt.subscribe((prefix + "config/meta").c_str(), 1);
    report();
  }
  mqtt.loop();
  if (millis() - reportedAt > reportMs) report();
  if (millis() - askedAt > 86400000) mustCheckIn = true;
  if (!(mustCheckIn || mustRotate || mustConfigure) || millis() - askedAt < 5000) return;
  askedAt = millis();
  if (mustCheckIn) mustCheckIn = !checkIn();
  if (mustConfigure) mustConfigure = !configure();
  if (mustRotate && rotate()) {
    mustRotate = false;
    mqtt.disconnect();
  }
}

/** Programs that connect one device and publish its state, for the wizard. */
import { nodeEnds, pythonEnds } from './end-snippets.ts'

export interface DeviceLogin {
  host: string
  port: number
  tls: boolean
  username: string
  password: string
  clientId: string
  /** `acme/TH2-1`, without a slash at its end. */
  topicPrefix: string
  /** The origin of the API, such as `https://mooring.example`. */
  origin: string
  httpToken: string
}

export interface CodeSample {
  name: string
  /** The prerequisite: a command that installs it, or its name. */
  needs: string
  text: string
}

const urlOf = ({ tls, host, port }: DeviceLogin): string =>
  `${tls ? 'mqtts' : 'mqtt'}://${host}:${port}`

const mosquitto = (login: DeviceLogin): string => `# Publishes one state.
mosquitto_pub -h ${login.host} -p ${login.port}${login.tls ? ' --capath /etc/ssl/certs' : ''} \\
  -i ${login.clientId} -u ${login.username} \\
  -P '${login.password}' \\
  -t ${login.topicPrefix}/state -q 1 -m '{"on": true, "temperature": 21.5}'

# Waits for commands.
mosquitto_sub -h ${login.host} -p ${login.port}${login.tls ? ' --capath /etc/ssl/certs' : ''} \\
  -i ${login.clientId} -u ${login.username} \\
  -P '${login.password}' \\
  -t '${login.topicPrefix}/cmd' -q 1 -v
# It answers one with its id on ${login.topicPrefix}/ack: {"id": "cmd_…", "ok": true}
`

const python = (login: DeviceLogin): string => `import json, time
import paho.mqtt.client as mqtt

PREFIX = "${login.topicPrefix}"

def on_connect(client, userdata, flags, reason_code, properties):
    print("connected:", reason_code)
    client.subscribe(PREFIX + "/cmd", qos=1)

${pythonEnds}

def on_message(client, userdata, message):
    print(message.topic, message.payload.decode())
    command = json.loads(message.payload)
    # Do here what it asks for, and say how that went.
    client.publish(PREFIX + "/ack", json.dumps({"id": command["id"], "ok": True}), qos=1)

# paho 2 wants to know the form of the callbacks; paho 1 has the same with MQTT 5.
versions = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
client = mqtt.Client(*versions, client_id="${login.clientId}", protocol=mqtt.MQTTv5)
client.username_pw_set("${login.username}", "${login.password}")
${login.tls ? 'client.tls_set()\n' : ''}client.on_connect = on_connect
client.on_disconnect = on_disconnect
client.on_message = on_message
client.connect("${login.host}", ${login.port})
client.loop_start()
while True:
    client.publish(PREFIX + "/state", json.dumps({"on": True, "temperature": 21.5}), qos=1)
    time.sleep(10)
`

const node = (login: DeviceLogin): string => `// Save it as device.mjs.
import mqtt from 'mqtt'

const prefix = '${login.topicPrefix}'
const client = mqtt.connect('${urlOf(login)}', {
  clientId: '${login.clientId}',
  username: '${login.username}',
  password: '${login.password}',
  protocolVersion: 5,
})
client.on('connect', () => {
  console.log('connected')
  client.subscribe(\`\${prefix}/cmd\`, { qos: 1 })
})
client.on('message', (topic, payload) => {
  console.log(topic, payload.toString())
  const { id } = JSON.parse(payload.toString())
  // Do here what it asks for, and say how that went.
  client.publish(\`\${prefix}/ack\`, JSON.stringify({ id, ok: true }), { qos: 1 })
})
${nodeEnds}
const publish = () =>
  client.publish(\`\${prefix}/state\`, JSON.stringify({ on: true, temperature: 21.5 }), { qos: 1 })
publish()
setInterval(publish, 10_000)
`

const microPython = (login: DeviceLogin): string => `import json, time
from umqtt.simple import MQTTClient  # mip.install("umqtt.simple")

PREFIX = b"${login.topicPrefix}"

def received(topic, payload):
    print(topic, payload)
    # Do here what it asks for, and say how that went: with QoS 0, which does not wait in here.
    client.publish(PREFIX + b"/ack", json.dumps({"id": json.loads(payload)["id"], "ok": True}))

client = MQTTClient("${login.clientId}", "${login.host}", port=${login.port}, keepalive=60,
                    user="${login.username}", password="${login.password}"${login.tls ? ', ssl=True' : ''})
client.set_callback(received)
client.connect()
client.subscribe(PREFIX + b"/cmd", qos=1)
while True:
    client.publish(PREFIX + b"/state", json.dumps({"on": True, "temperature": 21.5}), qos=1)
    for _ in range(10):
        client.check_msg()
        time.sleep(1)
`

const arduino = (login: DeviceLogin): string => `#include <WiFi.h>
${login.tls ? '#include <WiFiClientSecure.h>\n' : ''}#include <PubSubClient.h>

const char *WIFI_NAME = "your network", *WIFI_PASSWORD = "its password";
const char *PREFIX = "${login.topicPrefix}";
${login.tls ? '// The root certificate of your server, as PEM.\nconst char *ROOT_CA = "-----BEGIN CERTIFICATE-----\\n...";\n' : ''}
${login.tls ? 'WiFiClientSecure' : 'WiFiClient'} network;
PubSubClient mqtt(network);

void received(char *topic, byte *payload, unsigned int length) {
  Serial.printf("%s %.*s\\n", topic, (int)length, (char *)payload);
  // Do here what it asks for, and say how that went: an id has 30 characters.
  char text[256];
  snprintf(text, sizeof text, "%.*s", (int)length, (char *)payload);
  String command(text);
  int at = command.indexOf("cmd_");
  if (at < 0) return;
  String answer = "{\\"id\\": \\"" + command.substring(at, at + 30) + "\\", \\"ok\\": true}";
  mqtt.publish((String(PREFIX) + "/ack").c_str(), answer.c_str());
}

void setup() {
  Serial.begin(115200);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  while (WiFi.status() != WL_CONNECTED) delay(200);
${login.tls ? '  network.setCACert(ROOT_CA);\n' : ''}  mqtt.setServer("${login.host}", ${login.port});
  mqtt.setCallback(received);
}

void loop() {
  if (!mqtt.connected()) {
    if (mqtt.connect("${login.clientId}", "${login.username}", "${login.password}")) {
      mqtt.subscribe((String(PREFIX) + "/cmd").c_str(), 1);
    } else {
      Serial.printf("refused: %d\\n", mqtt.state());
      delay(5000);
      return;
    }
  }
  static unsigned long last = 0;
  if (last == 0 || millis() - last > 10000) {
    last = millis();
    mqtt.publish((String(PREFIX) + "/state").c_str(), "{\\"on\\": true, \\"temperature\\": 21.5}");
  }
  mqtt.loop();
}
`

const espIdf = (login: DeviceLogin): string => `#include "esp_log.h"
#include "mqtt_client.h"
${login.tls ? '#include "esp_crt_bundle.h"\n' : ''}
static void on_event(void *arg, esp_event_base_t base, int32_t id, void *data) {
  esp_mqtt_event_handle_t event = data;
  if (id == MQTT_EVENT_CONNECTED) {
    esp_mqtt_client_subscribe(event->client, "${login.topicPrefix}/cmd", 1);
    esp_mqtt_client_publish(event->client, "${login.topicPrefix}/state", "{\\"on\\": true}", 0, 1, 0);
  } else if (id == MQTT_EVENT_DATA) {
    /* Answer it with its id on ${login.topicPrefix}/ack: {"id": "cmd_…", "ok": true} */
    ESP_LOGI("mqtt", "%.*s", event->data_len, event->data);
  } else if (id == MQTT_EVENT_ERROR) {
    ESP_LOGE("mqtt", "refused: %d", event->error_handle->connect_return_code);
  }
}

/** Call it when the network is up. */
void mqtt_start(void) {
  const esp_mqtt_client_config_t config = {
    .broker.address.uri = "${urlOf(login)}",
${login.tls ? '    .broker.verification.crt_bundle_attach = esp_crt_bundle_attach,\n' : ''}    .credentials.username = "${login.username}",
    .credentials.client_id = "${login.clientId}",
    .credentials.authentication.password = "${login.password}",
  };
  esp_mqtt_client_handle_t client = esp_mqtt_client_init(&config);
  esp_mqtt_client_register_event(client, ESP_EVENT_ANY_ID, on_event, NULL);
  esp_mqtt_client_start(client);
}
`

const zephyr = (
  login: DeviceLogin,
): string => `/* prj.conf: CONFIG_MQTT_LIB=y CONFIG_NETWORKING=y CONFIG_NET_SOCKETS=y${login.tls ? ' CONFIG_MQTT_LIB_TLS=y' : ''} */
#include <zephyr/net/mqtt.h>
#include <string.h>

static uint8_t rx[512], tx[512];
static struct mqtt_client client;
static struct sockaddr_storage broker; /* filled by zsock_getaddrinfo("${login.host}", "${login.port}") */
static struct mqtt_utf8 user = MQTT_UTF8_LITERAL("${login.username}");
static struct mqtt_utf8 password = MQTT_UTF8_LITERAL("${login.password}");

static void on_event(struct mqtt_client *c, const struct mqtt_evt *event) {
  if (event->type != MQTT_EVT_CONNACK || event->result != 0) return;
  struct mqtt_publish_param state = { .message_id = 1 };
  state.message.topic.qos = MQTT_QOS_1_AT_LEAST_ONCE;
  state.message.topic.topic = (struct mqtt_utf8)MQTT_UTF8_LITERAL("${login.topicPrefix}/state");
  state.message.payload.data = (uint8_t *)"{\\"on\\": true}";
  state.message.payload.len = strlen("{\\"on\\": true}");
  mqtt_publish(c, &state);
}

int mqtt_start(void) {
  mqtt_client_init(&client);
  client.broker = &broker;
  client.evt_cb = on_event;
  client.client_id = (struct mqtt_utf8)MQTT_UTF8_LITERAL("${login.clientId}");
  client.user_name = &user;
  client.password = &password;
  client.protocol_version = MQTT_VERSION_3_1_1;
  client.rx_buf = rx;
  client.rx_buf_size = sizeof rx;
  client.tx_buf = tx;
  client.tx_buf_size = sizeof tx;
  return mqtt_connect(&client); /* then poll the socket, mqtt_input() and mqtt_live() */
}
`

const curl = (
  login: DeviceLogin,
): string => `# Over HTTPS a device reads its configuration and its commands. This does not connect by MQTT.
TOKEN='${login.httpToken}'
curl -H "Authorization: Bearer $TOKEN" ${login.origin}/api/v1/devices/auth/me
curl -H "Authorization: Bearer $TOKEN" ${login.origin}/api/v1/devices/auth/config
curl -H "Authorization: Bearer $TOKEN" '${login.origin}/api/v1/devices/auth/commands?wait=30'
`

/** In the order of the wizard's tabs. */
export const codeSamples = (login: DeviceLogin): readonly CodeSample[] => [
  { name: 'mosquitto', needs: 'apt install mosquitto-clients', text: mosquitto(login) },
  { name: 'Python', needs: 'pip install paho-mqtt', text: python(login) },
  { name: 'Node', needs: 'npm install mqtt', text: node(login) },
  { name: 'ESP-IDF', needs: 'ESP-IDF ≥ 5', text: espIdf(login) },
  { name: 'Arduino', needs: 'PubSubClient', text: arduino(login) },
  { name: 'Zephyr', needs: 'Zephyr ≥ 3.7', text: zephyr(login) },
  { name: 'MicroPython', needs: 'umqtt.simple', text: microPython(login) },
  { name: 'curl', needs: 'curl', text: curl(login) },
]

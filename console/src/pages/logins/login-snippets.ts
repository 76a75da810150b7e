/** The password of a login as variables, and code that uses it. */
import { nodeEnds, pythonEnds } from '../../api/end-snippets.ts'
import type { Sample } from '../../kit/Samples.tsx'

/** The credentials of a login, as the service shows them once. */
export interface LoginSecret {
  client_id: string
  mqtt_host: string
  mqtt_port: number
  mqtt_tls: boolean
  mqtt_username: string
  mqtt_password: string
  topic_prefix: string
}

const urlOf = ({ mqtt_tls, mqtt_host, mqtt_port }: LoginSecret): string =>
  `${mqtt_tls ? 'mqtts' : 'mqtt'}://${mqtt_host}:${mqtt_port}`

/** Environment variables of a program that uses it. */
export const secretsOf = (secret: LoginSecret) => ({
  MQTT_URL: urlOf(secret),
  MQTT_CLIENT_ID: secret.client_id,
  MQTT_USERNAME: secret.mqtt_username,
  MQTT_PASSWORD: secret.mqtt_password,
})

const mosquitto = (secret: LoginSecret, filter: string): string =>
  `mosquitto_sub -h ${secret.mqtt_host} -p ${secret.mqtt_port}${secret.mqtt_tls ? ' --capath /etc/ssl/certs' : ''} \\
  -i ${secret.client_id} -u ${secret.mqtt_username} -P '${secret.mqtt_password}' \\
  -t '${filter}' -q 1 -v
`

const node = (secret: LoginSecret, filter: string): string => `// login.mjs
import mqtt from 'mqtt'

const client = mqtt.connect('${urlOf(secret)}', {
  clientId: '${secret.client_id}',
  username: '${secret.mqtt_username}',
  password: '${secret.mqtt_password}',
  protocolVersion: 5,
})
client.on('connect', () => client.subscribe('${filter}', { qos: 1 }))
client.on('message', (topic, payload) => console.log(topic, payload.toString()))
${nodeEnds}
`

const python = (secret: LoginSecret, filter: string): string => `import paho.mqtt.client as mqtt

def on_connect(client, userdata, flags, reason_code, properties):
    print("connected:", reason_code)
    client.subscribe("${filter}", qos=1)

${pythonEnds}

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="${secret.client_id}", protocol=mqtt.MQTTv5)
client.username_pw_set("${secret.mqtt_username}", "${secret.mqtt_password}")
${secret.mqtt_tls ? 'client.tls_set()\n' : ''}client.on_connect = on_connect
client.on_disconnect = on_disconnect
client.on_message = lambda client, userdata, message: print(message.topic, message.payload.decode())
client.connect("${secret.mqtt_host}", ${secret.mqtt_port})
client.loop_forever()
`

/** Programs that print what the login receives. */
export const loginSamples = (secret: LoginSecret, filter: string): readonly Sample[] => [
  { name: 'mosquitto', needs: 'apt install mosquitto-clients', text: mosquitto(secret, filter) },
  { name: 'Python', needs: 'pip install paho-mqtt', text: python(secret, filter) },
  { name: 'Node', needs: 'npm install mqtt', text: node(secret, filter) },
]

/**
 * The MQTT client library. Only external brokers need it, so it is loaded with the first connection
 * to one: it would take a twentieth of every start.
 */
import { createRequire } from 'node:module'
import type * as mqtt from 'mqtt'

const require = createRequire(import.meta.url)

export const connectTo = (url: string, options: mqtt.IClientOptions): mqtt.MqttClient =>
  (require('mqtt') as typeof mqtt).connect(url, options)

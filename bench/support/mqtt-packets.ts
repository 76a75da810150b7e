/** MQTT 3.1.1 packets for a connecting device. */
import type { SeededDevice } from './seed.ts'

/** A UTF-8 string as MQTT writes it; section 1.5.3. */
export function mqttText(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const PROTOCOL_LEVEL = 4
/** User name, password, clean session; section 3.1.2.3. */
const FLAGS = 0b1100_0010
const KEEP_ALIVE_SECONDS = 600

export function connectPacket({
  id,
  mqttPassword,
}: Pick<SeededDevice, 'id' | 'mqttPassword'>): Buffer {
  const body = Buffer.concat([
    mqttText('MQTT'),
    Buffer.of(PROTOCOL_LEVEL, FLAGS, KEEP_ALIVE_SECONDS >> 8, KEEP_ALIVE_SECONDS & 0xff),
    mqttText(id),
    mqttText(id),
    mqttText(mqttPassword),
  ])
  return packet(0x10, body)
}

/** A PUBLISH of quality 0. */
export const publishPacket = (topic: string, payload: string): Buffer =>
  packet(0x30, Buffer.concat([mqttText(topic), Buffer.from(payload)]))

/** Two bytes of length hold up to 16,383; section 2.2.3. */
const packet = (type: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.of(type, (body.length & 0x7f) | 0x80, body.length >> 7), body])

/** A CONNACK that lets it in. */
const ACCEPTED = Buffer.of(0x20, 0x02, 0x00, 0x00)
export const acceptedConnect = (response: Buffer): boolean => response.equals(ACCEPTED)

export const PINGREQ = Buffer.of(0xc0, 0x00)
export const DISCONNECT = Buffer.of(0xe0, 0x00)

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
/** User name and password; section 3.1.2.3. */
const FLAGS = 0b1100_0000
const CLEAN_SESSION = 0b10
const KEEP_ALIVE_SECONDS = 600

/** @param keeps whether the session outlasts the connection */
export function connectPacket(
  { id, mqttPassword }: Pick<SeededDevice, 'id' | 'mqttPassword'>,
  { keeps = false, clientId = id }: { keeps?: boolean; clientId?: string } = {},
): Buffer {
  const flags = keeps ? FLAGS : FLAGS | CLEAN_SESSION
  const body = Buffer.concat([
    mqttText('MQTT'),
    Buffer.of(PROTOCOL_LEVEL, flags, KEEP_ALIVE_SECONDS >> 8, KEEP_ALIVE_SECONDS & 0xff),
    mqttText(clientId),
    mqttText(id),
    mqttText(mqttPassword),
  ])
  return packet(0x10, body)
}

/** A PUBLISH of quality 0, or of quality 1 with an identifier. */
export function publishPacket(topic: string, payload: string, identifier?: number): Buffer {
  const parts = [mqttText(topic), Buffer.from(payload)]
  if (identifier === undefined) return packet(0x30, Buffer.concat(parts))
  parts.splice(1, 0, Buffer.of(identifier >> 8, identifier & 0xff))
  return packet(0x32, Buffer.concat(parts))
}

/** Two bytes of length hold up to 16,383; section 2.2.3. */
const packet = (type: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.of(type, (body.length & 0x7f) | 0x80, body.length >> 7), body])

/** Whether it is a CONNACK that lets the client in, into a new session or its earlier one. */
export const acceptedConnect = (response: Buffer): boolean =>
  response.length === 4 && response.readUInt16BE(0) === 0x2002 && response[3] === 0

export const PINGREQ = Buffer.of(0xc0, 0x00)
export const DISCONNECT = Buffer.of(0xe0, 0x00)

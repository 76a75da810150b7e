/** MQTT by the byte, for what well-behaved clients refuse to send. */
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { eventually } from './eventually.ts'
import type { Credential } from './test-authority.ts'

/** A UTF-8 string as MQTT writes it; bytes go as they are. */
export function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function remainingLength(length: number): Buffer {
  const bytes: number[] = []
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}

/** A whole packet: the first byte, the length, and the parts one after the other. */
export function packet(first: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([first]), remainingLength(body.length), body])
}

/** The properties of an MQTT 5 packet; none in earlier versions. */
export function properties(version: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return version === 5 ? Buffer.concat([remainingLength(body.length), body]) : Buffer.alloc(0)
}

export interface RawWill {
  topic: string | Buffer
  payload?: string | Buffer
  qos?: number
  retain?: boolean
  properties?: Buffer[]
}

export interface RawConnect {
  version: number
  clientId: string | Buffer
  username?: string | Buffer | undefined
  password?: string | Buffer | undefined
  will?: RawWill | undefined
  clean?: boolean
  keepalive?: number
  properties?: Buffer[]
}

export function connectPacket(options: RawConnect): Buffer {
  const { version, clientId, username, password, will, clean = true, keepalive = 60 } = options
  const flags =
    (username === undefined ? 0 : 0x80) |
    (password === undefined ? 0 : 0x40) |
    (will?.retain === true ? 0x20 : 0) |
    ((will?.qos ?? 0) << 3) |
    (will === undefined ? 0 : 0x04) |
    (clean ? 0x02 : 0)
  const parts = [
    text(version === 3 ? 'MQIsdp' : 'MQTT'),
    Buffer.from([version, flags, keepalive >> 8, keepalive & 255]),
    properties(version, ...(options.properties ?? [])),
    text(clientId),
  ]
  if (will !== undefined) {
    parts.push(properties(version, ...(will.properties ?? [])))
    parts.push(text(will.topic), text(will.payload ?? 'will'))
  }
  if (username !== undefined) parts.push(text(username))
  if (password !== undefined) parts.push(text(password))
  return packet(0x10, ...parts)
}

export interface RawPublish {
  version: number
  topic: string | Buffer
  payload?: string
  qos?: 0 | 1 | 2
  retain?: boolean
  messageId?: number
  properties?: Buffer[]
}

export function publishPacket(options: RawPublish): Buffer {
  const { version, topic, payload = 'x', qos = 0, retain = false, messageId = 1 } = options
  return packet(
    0x30 | (qos << 1) | (retain ? 1 : 0),
    text(topic),
    qos === 0 ? Buffer.alloc(0) : Buffer.from([messageId >> 8, messageId & 255]),
    properties(version, ...(options.properties ?? [])),
    Buffer.from(payload),
  )
}

export function subscribePacket(version: number, ...filters: (string | Buffer)[]): Buffer {
  return packet(
    0x82,
    Buffer.from([0, 7]),
    properties(version),
    ...filters.flatMap((filter) => [text(filter), Buffer.from([1])]),
  )
}

export class RawClient {
  readonly socket: Socket
  received = Buffer.alloc(0)
  closed = false

  constructor(t: TestContext, port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setNoDelay(true)
    this.socket.on('data', (bytes) => (this.received = Buffer.concat([this.received, bytes])))
    this.socket.on('error', () => {})
    this.socket.on('close', () => (this.closed = true))
    t.after(() => this.socket.destroy())
  }

  /** Connects as this credential's client and waits for the CONNACK. */
  static async accepted(
    t: TestContext,
    port: number,
    credential: Credential,
    options: Partial<RawConnect> & { version: number },
  ): Promise<RawClient> {
    const client = new RawClient(t, port)
    const { clientId, username, password } = credential
    client.send(connectPacket({ clientId, username, password, ...options }))
    await client.has((bytes) => bytes.length >= 4, 'a CONNACK')
    if (client.received[0] !== 0x20 || client.received[3] !== 0) throw new Error('Refused.')
    client.received = Buffer.alloc(0)
    return client
  }

  send(bytes: Buffer): void {
    if (!this.socket.destroyed) this.socket.write(bytes)
  }

  async has(condition: (bytes: Buffer) => boolean, what: string): Promise<void> {
    await eventually(() => condition(this.received), what)
  }

  async isClosed(): Promise<void> {
    await eventually(() => this.closed, 'the close of a raw connection')
  }
}

/**
 * A server that implements just enough of Postgres' protocol (version 3.0) to accept connections,
 * with or without TLS, and to report its kind.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'

export interface FakePostgres {
  port: number
  /** Each connection that sent its first message, with the name in the client's certificate. */
  sessions: { tls: boolean; client: string | undefined }[]
}

export interface FakeOptions {
  /** Without it the server offers no TLS. */
  tls?: Certificate & { ca?: string }
  /** Its response to a query: one row of text. */
  row?: Readonly<Record<string, string>>
}

const SSL_REQUEST = 80_877_103

function message(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

const int16 = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff)
const int32 = (value: number): Buffer => Buffer.concat([int16(value >> 16), int16(value & 0xffff)])

const ready = message('Z', 'I')
/** Types by what the text looks like: bool, int4, text. */
const typeOf = (text: string): number => (/^[tf]$/.test(text) ? 16 : /^\d+$/.test(text) ? 23 : 25)

function encodeRow(row: Readonly<Record<string, string>>): Buffer {
  const columns = Object.entries(row)
  const fields = columns.map(([name, value]) =>
    Buffer.concat([
      Buffer.from(`${name}\0`),
      int32(0),
      int16(0),
      int32(typeOf(value)),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  )
  const values = columns.map(([, value]) =>
    Buffer.concat([int32(value.length), Buffer.from(value)]),
  )
  return Buffer.concat([
    message('T', int16(columns.length), ...fields),
    message('D', int16(columns.length), ...values),
    message('C', 'SELECT 1\0'),
    ready,
  ])
}

const refusal = message('E', 'SFATAL\0', 'C28P01\0', 'Mpassword authentication failed\0', '\0')

const commonName = (socket: TLSSocket): string | undefined => {
  const name = socket.getPeerCertificate().subject?.CN
  return typeof name === 'string' ? name : undefined
}

/** The session after the question whether there is TLS. */
function converse(socket: Socket, row: FakeOptions['row'], onStart: () => void): void {
  let started = false
  socket.on('data', (bytes: Buffer) => {
    if (!started) {
      started = true
      onStart()
      if (row === undefined) socket.end(refusal)
      else socket.write(Buffer.concat([message('R', int32(0)), ready]))
    } else if (String.fromCharCode(bytes[0] ?? 0) === 'Q') socket.write(encodeRow(row ?? {}))
  })
}

/** Starts it on a free port of loopback. Without `row` it refuses every password. */
export async function startFakePostgres(
  t: Pick<TestContext, 'after'>,
  { tls, row }: FakeOptions = {},
): Promise<FakePostgres> {
  const sessions: FakePostgres['sessions'] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes: Buffer) => {
      if (bytes.readInt32BE(4) !== SSL_REQUEST) {
        converse(socket, row, () => sessions.push({ tls: false, client: undefined }))
        socket.emit('data', bytes)
        return
      }
      if (tls === undefined) {
        socket.write('N')
        return
      }
      const secure = new TLSSocket(socket, {
        isServer: true,
        secureContext: createSecureContext(tls),
        requestCert: true,
        rejectUnauthorized: false,
      })
      secure.on('error', () => {})
      converse(secure, row, () => sessions.push({ tls: true, client: commonName(secure) }))
      socket.write('S')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, sessions }
}

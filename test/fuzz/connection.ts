/**
 * An HTTP/1.1 client that sends bytes as they are, which no library would, and costs little: it
 * shares the machine with what is fuzzed. One request at a time, on a connection that is kept.
 */
import { connect, type Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Coding } from '../../src/platform/lib/compression.ts'

export interface ReceivedResponse {
  /** 0: the connection ended without a response. */
  status: number
  headers: Map<string, string>
  body: Buffer
  /** The omitted part: an event stream is not waited for. */
  isPartial: boolean
  /** The connection ended inside of the response, of which the body has all that came. */
  isDisconnected: boolean
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)
const EVENT_STREAM = /^text\/event-stream/

interface Head {
  status: number
  headers: Map<string, string>
  /** Where the body starts. */
  length: number
}

function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = new Map<string, string>()
  for (const field of fields) {
    const colon = field.indexOf(':')
    headers.set(field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim())
  }
  return { status: Number(line.slice(9, 12)), headers, length: end + END_OF_HEAD.length }
}

/** The content of a chunked body, once its last chunk is there. */
function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    const start = end + 2
    if (bytes.length < start + size + 2) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}

const decoders: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

/** The content as it was before the service compressed it. */
function decode(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || body.length === 0) return body
  const decoder = decoders[encoding as Coding] as typeof gunzipSync | undefined
  if (decoder === undefined) throw new Error(`an unknown content encoding: ${encoding}`)
  return decoder(body)
}

/** The response at the beginning of the bytes, once it is whole. */
export function readResponse(bytes: Buffer, isBodiless: boolean): ReceivedResponse | undefined {
  let head = readHead(bytes)
  // An interim response, such as 100 Continue, precedes the response.
  while (head !== undefined && head.status < 200) {
    bytes = bytes.subarray(head.length)
    head = readHead(bytes)
  }
  if (head === undefined) return undefined
  const { status, headers, length } = head
  const response = (body: Buffer, isPartial = false): ReceivedResponse => ({
    status,
    headers,
    body: decode(body, headers.get('content-encoding')),
    isPartial,
    isDisconnected: false,
  })
  if (isBodiless || status === 204 || status === 304) return response(NOTHING)
  if (EVENT_STREAM.test(headers.get('content-type') ?? '')) return response(NOTHING, true)
  const rest = bytes.subarray(length)
  if (headers.get('transfer-encoding') === 'chunked') {
    // The last bytes show the end of a stream; all of it is read once only.
    if (!rest.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) return undefined
    const body = readChunks(rest)
    return body && response(body)
  }
  const size = Number(headers.get('content-length') ?? 0)
  return rest.length < size ? undefined : response(rest.subarray(0, size))
}

const TIMEOUT_MS = 60_000

export class Connection {
  readonly #port: number
  #socket: Socket | undefined
  #received: Buffer[] = []
  #finish: ((response: ReceivedResponse) => void) | undefined
  #isBodiless = false

  constructor(port: number) {
    this.#port = port
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    // A refused request may be reset before all of it was written; 'close' follows.
    socket.on('error', () => {})
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
    socket.on('close', () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      const body = Buffer.concat(this.#received)
      this.#end({
        status: 0,
        headers: new Map(),
        body,
        isPartial: false,
        isDisconnected: body.length > 0,
      })
    })
    this.#socket = socket
    return socket
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk)
    const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received)
    this.#received = [bytes]
    const response = readResponse(bytes, this.#isBodiless)
    if (response === undefined) return
    if (response.isPartial || response.headers.get('connection') === 'close') this.close()
    this.#end(response)
  }

  #end(response: ReceivedResponse): void {
    this.#received = []
    const finish = this.#finish
    this.#finish = undefined
    finish?.(response)
  }

  /** @param isBodiless whether the method is HEAD */
  send(bytes: Buffer, isBodiless: boolean): Promise<ReceivedResponse> {
    this.#isBodiless = isBodiless
    const socket = this.#socket ?? this.#open()
    const { promise, resolve } = Promise.withResolvers<ReceivedResponse>()
    this.#finish = resolve
    socket.write(bytes)
    return promise
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.destroy()
  }
}

/** A client for server-sent events (WHATWG HTML, "Server-sent events"). */
import assert from 'node:assert/strict'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { until } from './until.ts'

export interface Heard {
  id: string
  type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses freely
  data: any
}

export interface Listener {
  status: number
  headers: IncomingMessage['headers']
  heard: Heard[]
  /** The last `id`, with or without an event. */
  lastId: string
  retryMs: number | undefined
  comments: number
  /**
   * How the stream ended: as a whole response, or disconnected before that; undefined while it
   * continues.
   */
  ended: 'end' | 'cut' | undefined
  /** The response if it is no stream. */
  text: string
  /** Waits until so many events have been heard. */
  hear(count: number): Promise<Heard[]>
  /** Waits for the end. */
  end(): Promise<'end' | 'cut'>
  /** Whether what is sent is taken from the connection. */
  pause(): void
  resume(): void
  close(): void
}

/** Takes the lines of a stream; an event is dispatched by an empty one. */
function parser(listener: Listener): (chunk: string) => void {
  let rest = ''
  let [event, data]: [string, string[]] = ['', []]
  const field = (name: string, value: string): void => {
    if (name === '') listener.comments += 1
    else if (name === 'id') listener.lastId = value
    else if (name === 'event') event = value
    else if (name === 'data') data.push(value)
    else if (name === 'retry') listener.retryMs = Number(value)
    else assert.fail(`there is no field ${name}`)
  }
  return (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line !== '') {
        const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
        field(name, value)
        continue
      }
      if (data.length > 0) {
        listener.heard.push({
          id: listener.lastId,
          type: event,
          data: JSON.parse(data.join('\n')) as unknown,
        })
      }
      ;[event, data] = ['', []]
    }
  }
}

/** Opens a stream; resolves with its head. */
export function listen(url: string, headers: Record<string, string> = {}): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const request = httpGet(url, {
      agent: false,
      headers: { accept: 'text/event-stream', ...headers },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const listener: Listener = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        heard: [],
        lastId: '',
        retryMs: undefined,
        comments: 0,
        ended: undefined,
        text: '',
        hear: (count) =>
          until(`${count} events`, () => listener.heard.length >= count && listener.heard),
        end: () => until('the end of the stream', () => listener.ended),
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => request.destroy(),
      }
      const take = parser(listener)
      const isStream = response.headers['content-type'] === 'text/event-stream'
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (isStream) take(chunk)
        else listener.text += chunk
      })
      response.on('end', () => (listener.ended ??= 'end'))
      response.on('close', () => (listener.ended ??= 'cut'))
      response.on('error', () => {})
      resolve(listener)
    })
  })
}

/** A receiver of webhooks on loopback, the events for it, and what it was sent. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { publishAll } from '../../src/platform/record/record.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from './app.ts'

export interface Received {
  /** The id of the event. */
  id: string
  type: string
  /** The device in the event's data, as `publish` numbers them. */
  device: string
  n: number
  headers: IncomingHttpHeaders
  body: string
}

export interface ReceiverResponse {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** The settings of its environment that allow receivers. */
export const toReceivers = { MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }

/**
 * @param behaviour a status, or more; undefined: the connection is closed
 * @param port any that is free, unless the receiver goes away and comes back
 */
export async function startReceiver(
  t: Pick<TestContext, 'after'>,
  behaviour: (got: Received, all: readonly Received[]) => number | ReceiverResponse | undefined,
  port = 0,
) {
  const got: Received[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks).toString()
      const { id, type, data } = JSON.parse(body)
      const { device = '', n = 0 } = data
      const received: Received = { id, type, device, n, headers: request.headers, body }
      got.push(received)
      const said = behaviour(received, got)
      if (said === undefined) return request.socket.destroy()
      const {
        status,
        headers = {},
        body: text = '',
      } = typeof said === 'number' ? { status: said } : said
      return response.writeHead(status, headers).end(text)
    })
  })
  const open = (at: number) => once(server.listen(at, '127.0.0.1'), 'listening')
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  await open(port)
  t.after(close)
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}/`,
    got,
    /** Nobody listens any more. */
    goAway: async (): Promise<void> => {
      const closed = once(server, 'close')
      close()
      await closed
    },
    comeBack: () => open(address.port),
  }
}

/** The calls on webhooks of an app's workspace. */
export const webhooksOf = ({ call, seed }: TestApp) => {
  const send = (method: string, path = '', body?: unknown): Promise<CallResult> =>
    call(method, `/workspaces/${seed.id}/webhooks${path}`, {
      as: as.platformKey(seed.platformKey),
      ...(body !== undefined && { body }),
    })
  const make = async (body: object): Promise<CallResult['body']> => {
    const { status, body: made, text } = await send('POST', '', body)
    if (status !== 201) throw new Error(text)
    return made
  }
  return { send, make }
}

/** Publishes events `n` of devices, each with an order of its own, in the order that is given. */
export function publish(
  { database, seed }: TestApp,
  events: readonly { device: string; n: number }[],
): Promise<void> {
  return publishAll(
    database,
    events.map(({ device, n }) => ({
      workspaceId: seed.uuid,
      action: 'device.updated',
      subjectId: device,
      data: { device: formatId('dev', device), n },
    })),
  )
}

/** So many events of each of so many devices, by turns. */
export const eventsOf = (devices: readonly string[], each: number) =>
  Array.from({ length: each }, (_none, n) => devices.map((device) => ({ device, n }))).flat()

export const newDevices = (count: number): string[] => Array.from({ length: count }, newUuid)

/** The numbers that came of each device, in the order in which they came. */
export function numbersByDevice(got: readonly Received[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>()
  for (const { device, n } of got) numbers.set(device, [...(numbers.get(device) ?? []), n])
  return numbers
}

/** The limit for webhooks: signed POSTs, as fast as Node sends them, and nothing else. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { respondCalls } from '../support/worker.ts'

export interface BarePosts {
  ports: readonly number[]
  /** Connections to each receiver. */
  connections: number
  seconds: number
  body: string
}

function post(port: number, agent: Agent, secret: Buffer, body: string): Promise<void> {
  const id = randomUUID()
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`)
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/',
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature.digest('base64')}`,
      },
    }
    const sending = request(options, (response) => {
      response.resume().once('end', resolve)
      if (response.statusCode !== 204) reject(new Error(`a receiver said ${response.statusCode}`))
    })
    sending.once('error', reject).end(body)
  })
}

const methods = {
  /** @returns POSTs per second. */
  async run({ ports, connections, seconds, body }: BarePosts): Promise<number> {
    const begun = performance.now()
    const until = begun + seconds * 1_000
    let count = 0
    const drive = async (port: number, agent: Agent, secret: Buffer): Promise<void> => {
      while (performance.now() < until) {
        await post(port, agent, secret, body)
        count += 1
      }
    }
    await Promise.all(
      ports.map(async (port) => {
        const agent = new Agent({ keepAlive: true, maxSockets: connections })
        const secret = randomBytes(32)
        await Promise.all(Array.from({ length: connections }, () => drive(port, agent, secret)))
        agent.destroy()
      }),
    )
    return count / ((performance.now() - begun) / 1_000)
  },
}
export type BarePostsProgram = typeof methods

respondCalls(methods)

/** Brokers that ask the hooks of a service: their file, their secrets, and their calls. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Ask, HookResponse } from './contract.ts'
import { contracts } from './contracts.ts'

export const newSecret = (): string => randomBytes(24).toString('base64url')

export interface TestBroker {
  name: string
  kind: string
  hook_secrets: string[]
  emqx?: object
}

/** One of each kind, and EMQX with each of its settings. */
export const brokers: readonly TestBroker[] = [
  ...contracts.map(({ kind }) => ({ name: kind, kind })),
  { name: 'emqx-6', kind: 'emqx', emqx: { client_id_override: true } },
  { name: 'emqx-asks', kind: 'emqx', emqx: { rules: 'on_demand' } },
].map((broker) => ({ ...broker, hook_secrets: [newSecret(), newSecret()] }))

export const brokerNamed = (name: string): TestBroker => {
  const found = brokers.find((broker) => broker.name === name)
  if (found === undefined) throw new Error(`there is no broker ${name}`)
  return found
}

/** Writes the file of all brokers, or others; it is gone after the suite. */
export function brokersFile(written: readonly object[] = brokers): string {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-hooks-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'brokers.json')
  writeFileSync(file, JSON.stringify({ brokers: written }), { mode: 0o600 })
  return file
}

export const bearer = (secret: string): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
})

/** RabbitMQ, Mosquitto and VerneMQ have it from the address: `http://any:secret@host/…`. */
export const basic = (secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`any:${secret}`).toString('base64')}`,
})

export async function post(
  url: string,
  body: Record<string, unknown> | string,
  headers: Record<string, string> = {},
): Promise<HookResponse> {
  const isForm = typeof body === 'string'
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: isForm ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, type: response.headers.get('content-type') ?? '', text }
}

/** Asks as a broker of the file, with its first secret by default. */
export function askAs(origin: string, name: string, secret?: string): Ask {
  const { kind, hook_secrets } = brokerNamed(name)
  const isBearer = contracts.some((each) => each.kind === kind && each.scheme === 'bearer')
  const proof = isBearer ? bearer : basic
  return (path, body, headers = {}) =>
    post(`${origin}/hooks/${name}/${path}`, body, {
      ...proof(secret ?? (hook_secrets[0] as string)),
      ...headers,
    })
}

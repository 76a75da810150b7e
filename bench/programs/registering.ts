/**
 * The limits for provisioning, prepared in advance and sent over plain connections, without HTTP,
 * keys or checks: rows like the service's with its own statements, and the least that a
 * registration is, in a lean schema.
 */
import { performance } from 'node:perf_hooks'
import { Client, type PoolConfig } from 'pg'
import { createKeyring, type Keyring } from '../../src/platform/access/keyring.ts'
import { generateDeviceSecrets } from '../../src/features/mqtt/device-secrets/device-secret.ts'
import { responseBody } from '../../src/features/fleet/provisioning/rotation.ts'
import {
  newDevice,
  registerByKey,
  registerOne,
  type Registration,
} from '../../src/features/devices/registry/device-registration.ts'
import { formatId } from '../../src/platform/lib/ids.ts'
import { LEAN_SCHEMA, leanMany, leanOne } from '../support/lean-schema.ts'
import { recorded, type RecordedQuery } from '../support/recorded.ts'
import type { SeededWorkspace } from '../support/seed.ts'
import { respondCalls } from '../support/worker.ts'

interface Opened {
  keyring: Keyring
  workspace: SeededWorkspace
  clients: Client[]
}

let opened: Opened | undefined
let number = 0

const endpoint = { host: '127.0.0.1', port: 1883, tls: false }

/** A registration as the service would write it, secrets and encrypted response included. */
function newRegistration({ keyring, workspace }: Opened): Registration {
  number += 1
  const deviceKey = `S-${number}`
  const actor = { kind: 'provision-key', id: formatId('key', workspace.provisionKeyUuid) } as const
  const origin = { actor, requestId: 'req_0123456789abcdef', address: '127.0.0.1' }
  const fields = {
    workspaceId: workspace.uuid,
    deviceKey,
    name: deviceKey,
    templateId: workspace.templateUuid,
    hardwareId: `hw-${String(number).padStart(12, '0')}`,
    tags: {},
  }
  const generated = generateDeviceSecrets(keyring)
  const device = newDevice(origin, fields, generated)
  const deviceId = device.resourceId
  const body = responseBody(endpoint, { deviceId, deviceKey, slug: 'bench', ...generated })
  const response = Buffer.from(JSON.stringify({ status: 201, body }))
  return {
    ...device,
    sealed: keyring.encryptFor(workspace.provisionKey, response, 'bench'),
    response: undefined,
    keyId: workspace.provisionKeyUuid,
    hasQuota: false,
    approval: 'approved',
    slug: 'bench',
  }
}

const manyRegistrations = (from: Opened, count: number): Registration[] =>
  Array.from({ length: count }, () => newRegistration(from))

function requireOpened(): Opened {
  if (opened === undefined) throw new Error('open comes first')
  return opened
}

interface Written {
  /** The result of the statement for one device: null if it is not registered. */
  id?: string | null
}

/**
 * Sends the queries over the connections, each as soon as the one before it is answered.
 * @param isDone whether the response to a query says that all its rows were written.
 */
async function send(
  clients: readonly Client[],
  queries: readonly RecordedQuery[],
  seconds: number,
  isDone: (rows: Written[]) => boolean,
): Promise<{ sent: number; elapsed: number }> {
  let sent = 0
  const started = performance.now()
  const until = started + seconds * 1_000
  const drive = async (client: Client): Promise<void> => {
    for (let query = queries[sent]; query && performance.now() < until; query = queries[sent]) {
      sent += 1
      const { rows } = await client.query<Written>(query)
      if (!isDone(rows)) throw new Error('rows of the limit were not written')
    }
  }
  await Promise.all(clients.map(drive))
  return { sent, elapsed: (performance.now() - started) / 1_000 }
}

/** More than a connection can write in a second here; a run that has none left ends early. */
const ROWS_PER_SECOND = 15_000

interface Sent {
  rate: number
  units: number
}

/** Whole statements only, so that each of them returns as many rows. */
function inBatches<T>(rows: readonly T[], batch: number): T[][] {
  const count = Math.ceil(rows.length / batch)
  return Array.from({ length: count }, (_, at) => rows.slice(at * batch, (at + 1) * batch))
}

const methods = {
  async open(argument: {
    connection: PoolConfig
    masterKey: Uint8Array
    workspace: SeededWorkspace
    clients: number
  }): Promise<void> {
    const { connection, masterKey, workspace, clients: count } = argument
    const clients = Array.from({ length: count }, () => new Client(connection))
    for (const client of clients) await client.connect()
    await clients[0]?.query(LEAN_SCHEMA)
    opened = { keyring: createKeyring(Buffer.from(masterKey)), workspace, clients }
  },

  /** A statement and a transaction for each device. @returns devices per second, and in all. */
  async single(argument: { clients: number; seconds: number; isLean: boolean }): Promise<Sent> {
    const { clients, seconds, isLean } = argument
    const from = requireOpened()
    const rows = manyRegistrations(from, Math.ceil(ROWS_PER_SECOND * seconds))
    const own = (row: Registration) => recorded((db) => registerOne(db, row))
    const queries = isLean ? rows.map(leanOne) : await Promise.all(rows.map(own))
    const chosen = from.clients.slice(0, clients)
    const isDone = ([row]: Written[]): boolean => typeof row?.id === 'string'
    const { sent, elapsed } = await send(chosen, queries, seconds, isDone)
    return { rate: sent / elapsed, units: sent }
  },

  /** Statements of many devices, one after the other. @returns devices per second, and in all. */
  async bulk(argument: { rows: number; batch: number; isLean: boolean }): Promise<Sent> {
    const { batch, isLean } = argument
    const from = requireOpened()
    const count = Math.ceil(argument.rows / batch) * batch
    const batches = inBatches(manyRegistrations(from, count), batch)
    const own = (some: Registration[]) => recorded((db) => registerByKey(db, some))
    const queries = isLean ? batches.map(leanMany) : await Promise.all(batches.map(own))
    const isDone = ({ length }: Written[]): boolean => length === batch
    const { elapsed } = await send(
      from.clients.slice(0, 1),
      queries,
      Number.POSITIVE_INFINITY,
      isDone,
    )
    return { rate: count / elapsed, units: count }
  },
}
export type RegisteringProgram = typeof methods

respondCalls(methods)

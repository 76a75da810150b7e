/** A broker's store in a database of its own, for the tests that also run on stored sessions. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrokerStore } from '../../../../../src/adapters/broker/store-port.ts'
import { DurableStore } from '../../../../../src/features/mqtt/durable-sessions/session-batches.ts'
import { connectDatabase } from '../../../../../src/platform/database/connect.ts'
import { formatId, newUuid } from '../../../../../src/platform/lib/ids.ts'
import { defer } from '../../../../support/cleanup.ts'
import { cloneDatabase } from '../../../../support/database.ts'

export interface OpenedStore {
  store: BrokerStore
  /** @returns its public id */
  addWorkspace: () => Promise<string>
}

const TIMEOUT_MS = 30_000

export async function openStore(t: Pick<TestContext, 'after'>): Promise<OpenedStore> {
  const database = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 4,
    prepared: true,
    statementTimeoutMs: TIMEOUT_MS,
    acquireTimeoutMs: TIMEOUT_MS,
  })
  defer(t, () => database.close())
  // The database is new: there are no principals whose sessions could come back.
  const nobody = (): never => assert.fail('a principal was asked for')
  const store = new DurableStore({
    db: database,
    authority: { load: nobody, refusalOf: nobody },
    usage: { meterOf: nobody },
    warn: (message, error) => assert.fail(`${message}: ${String(error)}`),
  })
  const addWorkspace = async (): Promise<string> => {
    const uuid = newUuid()
    const text = `INSERT INTO workspaces (id, name, slug) VALUES ($1, 'conformance', $2)`
    await database.pool.query(text, [uuid, uuid.slice(-12)])
    return formatId('ws', uuid)
  }
  return { store, addWorkspace }
}

/** The sessions that the register keeps while nothing can be written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '../../../../src/adapters/broker/port.ts'
import { createChangeFeed } from '../../../../src/platform/database/change-feed.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { ConnectionRegister } from '../../../../src/features/mqtt/sessions/connection-register.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'

const SESSION = {
  incarnation: 1,
  grant: {
    principalId: 'dev_x',
    workspaceId: 'ws_x',
    credentialVersion: 1,
    topicPrefix: 'x/x',
    isFirst: false,
    expiresAt: null,
    rules: [],
  },
  clientId: 'dev_x',
  address: '192.0.2.1',
  protocolVersion: 4,
  connectedAt: 0,
} satisfies Omit<Session, 'sessionId'>

test('sessions that come and go for hours fill no memory, and those in the table are taken from it', async () => {
  const inTable = new Set<string>()
  let removals = 0
  let isWritable = true
  const query = async (
    statement: { name: string; parameters: string[] },
    values: unknown[],
  ): Promise<never[]> => {
    if (!isWritable) throw new Error('The disk is full.')
    const isOfIds = (name: string): boolean => name === 'ids' || name === 'id'
    const ids = values[statement.parameters.findIndex(isOfIds)] as string[]
    if (statement.name === 'mqtt_connections.insert') for (const id of ids) inTable.add(id)
    else removals += ids.length
    if (statement.name === 'mqtt_connections.remove') for (const id of ids) inTable.delete(id)
    return []
  }
  const db = { query } as unknown as Db
  const feed = createChangeFeed({ db, clock: systemClock })
  const broker = { disconnect: () => Promise.resolve(0) }
  const register = new ConnectionRegister({ db, feed, nodeId: newUuid(), broker, log: () => {} })
  const workspaceId = newUuid()
  const open = (sessionId: string): Session => {
    const session = { ...SESSION, sessionId }
    register.opened({ session, workspaceId })
    return session
  }
  const written = Array.from({ length: 10 }, (_, at) => open(`written ${at}`))
  await register.flush()
  isWritable = false
  for (let at = 0; at < 60_000; at += 1) {
    register.closed({ session: open(`${at}`), workspaceId })
  }
  const waiting = open('waiting')
  await assert.rejects(register.flush(), /disk is full/)
  for (const session of [...written, waiting]) register.closed({ session, workspaceId })
  isWritable = true
  await register.flush()
  assert.equal(inTable.size, 0)
  assert.ok(removals <= 50_010, `${removals} ends were recorded`)
})

/** A broker of no kind, to see what receipts do on it; and what the tests of them share. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { DisconnectReason } from '../../../../src/adapters/broker/port.ts'
import { BrokerReceiptWorker } from '../../../../src/features/mqtt/revocation/broker-receipts.ts'
import type { ListedTarget } from '../../../../src/features/mqtt/revocation/affected-sessions.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { until } from '../../../support/until.ts'

/** A broker that holds sessions by name, and may be away or slow to let go. */
export function farBroker(name: string, sessions: string[] = []) {
  const state = {
    isAway: false,
    staysOpen: false,
    live: [...sessions],
    disconnects: [] as DisconnectReason[],
  }
  const requireOpen = (): void => {
    if (state.isAway) throw new Error('Broker far: GET /clients failed: connect ECONNREFUSED')
  }
  const target: ListedTarget = {
    name,
    boundSeconds: 3,
    async purge() {
      requireOpen()
    },
    async disconnect(principalId, reason) {
      requireOpen()
      state.disconnects.push(reason)
      const count = state.live.filter((each) => each === principalId).length
      if (!state.staysOpen) state.live = state.live.filter((each) => each !== principalId)
      return count
    },
    async verify(principalId) {
      requireOpen()
      return !state.live.includes(principalId)
    },
    async connections() {
      requireOpen()
      return state.live.map((principalId) => ({ principalId, clientId: principalId }))
    },
  }
  return { target, state }
}

/** @param workspaces of those that are let in whatever the database says. */
export function bring(
  t: TestContext,
  { services, database }: TestApp,
  target: ListedTarget,
  workspaces: Readonly<Record<string, string>> = {},
) {
  const worker = new BrokerReceiptWorker({
    db: database,
    feed: services.feed,
    names: () => [target.name],
    targets: () => [target],
    authorize: async (username) => {
      const { rows } = await database.pool.query(
        `SELECT 1 FROM devices WHERE id = $1 AND status IN ('registered', 'active')`,
        [parseId('dev', username)],
      )
      return rows.length === 0 && workspaces[username] === undefined
        ? { accepted: false, reason: 'banned' }
        : {
            accepted: true,
            grant: {
              principalId: username,
              workspaceId: workspaces[username] ?? '',
              credentialVersion: 1,
              topicPrefix: '',
              isFirst: false,
              expiresAt: null,
              rules: [],
            },
          }
    },
    log: () => {},
  })
  t.after(() => worker.stop())
  return worker
}

export async function provision({ call, seed }: TestApp): Promise<string> {
  const response = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id },
  })
  return response.body.device_id
}

export const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

/** Suspends a device, or asks, with a receipt that also names the broker. */
export async function revoke(app: TestApp, broker: string, path: string): Promise<string> {
  return joined(app, broker, await app.call('POST', path, { as: staff(app), body: {} }))
}

/** The receipt of a response, once it also names the broker. */
export async function joined(app: TestApp, broker: string, response: CallResult): Promise<string> {
  const receipt = /rcp_[a-z0-9]+/.exec(response.headers.link ?? response.text)?.[0]
  assert.ok(receipt, response.text)
  await app.database.pool.query(
    'INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node) VALUES ($1, $2, $3)',
    [app.seed.uuid, parseId('rcp', receipt), broker],
  )
  return `/workspaces/${app.seed.id}/mqtt/receipts/${receipt}`
}

export async function nodeOf(app: TestApp, path: string, name: string) {
  const { body } = await app.call('GET', path, { as: staff(app) })
  const node = body.nodes.find((each: { name: string }) => each.name === name)
  return { ...node, complete: body.complete }
}

/** Before that, a broker may be notified once already; certain steps are then done once. */
export const refused = (app: TestApp, path: string) =>
  until('the process refuses', async () => {
    const node = await nodeOf(app, path, `embedded/${app.services.nodeId}`)
    return node.verified_at !== null
  })

export const suspension = (app: TestApp, deviceId: string): string =>
  `/workspaces/${app.seed.id}/devices/${deviceId}/suspend`

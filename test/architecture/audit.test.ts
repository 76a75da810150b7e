/** Each changing operation leaves an entry in the audit log with its actor and their address. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AccessKind, callerKindOf } from '../../src/platform/access/principal.ts'
import { operations } from '../../src/operations.ts'
import type { TestApp } from '../support/app.ts'
import { sql } from '../support/audit-chain.ts'
import { callByExample } from '../support/examples.ts'
import { seedUser, seedWorkspace } from '../support/seed.ts'
import { useApp } from '../support/suite-app.ts'
import { preparedCertificates } from '../support/seeded-certificates.ts'
import { idOf, seedTenant, type Tenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'

interface Entry {
  actor_kind: string
  actor_id: string | null
  address: string | null
  detail: Record<string, unknown>
}

/** How the secrets of this service begin: keys, passwords and tokens. */
const SECRETS =
  /service_[a-z]{2}_|mqp_[0-9A-Za-z]{49}|dht_|invite_|pc_[0-9A-Z]|eyJ[A-Za-z0-9_-]{20}/

/** Operations that leave no entry, with the reason. */
const SILENT: Readonly<Record<string, string>> = {
  beginTotp: 'What it makes is worth nothing until it is confirmed.',
  beginPasskey: 'Its challenge is worth nothing until a passkey has answered it.',
  beginPasskeySession: 'The same.',
  beginPasskeyProof: 'The same.',
  startSso: 'An attempt is worth nothing until a provider has confirmed it.',
  refreshSession: 'It is the use of a session that is there, several times an hour.',
  refreshMoidSession: 'The same.',
  refreshConsoleSession: 'The same.',
  lookAtInvitation: 'It is a question.',
  closeConsoleSession: 'Without a cookie there is nothing to end; its own test looks.',
  explainMqtt: 'It is a question.',
  previewDeviceAcls: 'It is a question.',
  previewMqttPrincipalAcls: 'It is a question.',
  testWebhook: 'It changes nothing.',
  createPaymentToken: 'It opens nothing that the session does not; each payment has its entry.',
  askReceipt: 'It asks whether all earlier revocations are in effect.',
}

/**
 * Operations that need a secret, or a provider of payments, which nobody but their own tests has;
 * these tests check the entry.
 */
const ELSEWHERE: readonly string[] = [
  'login',
  'verifyMfa',
  'exchangeAuthorizationCode',
  'openConsoleSession',
  'setUp',
  'requestPasswordReset',
  'confirmPasswordReset',
  'confirmEmailChange',
  'register',
  'confirmRegistration',
  'joinByInvitation',
  'verifyConsoleMfa',
  'openPasskeySession',
  'addPasskey',
  'finishSso',
  'linkIdentity',
  'provePasskey',
  'deleteAccount',
  'changePassword',
  'reauthenticate',
  'confirmTotp',
  'removeTotp',
  'renewRecoveryCodes',
  'acceptInvitation',
  'claimShownDevice',
  'bindClaim',
  'verifyDomain',
  'ackOwnCommand',
  'createPaymentMethod',
  'topUpBalance',
]

/** Changes whose entry lacks the old and the new value, with the reason. */
const WITHOUT_VALUES: Readonly<Record<string, string>> = {
  updateDeviceNote: 'What is deleted of a note is not to live on here.',
  renameMoidDevice: 'What people call their things is not the business of the workspace.',
}

type Prepare = (app: TestApp, own: Tenant) => Promise<object | void>

const named = (id: string) => operations.find((each) => each.id === id) as (typeof operations)[0]

/** Changes the tenant's device. */
const device =
  (set: string): Prepare =>
  async (app, { things }) =>
    void (await sql(app.database, `UPDATE devices SET ${set} WHERE id = $1`, [things.dev]))

const otherOwner: Prepare = async ({ app }, { workspace }) =>
  void (await seedUser(app, { [workspace.uuid]: 'owner' }))

/** Something may be sent to the webhook, and comes to nobody. */
const enabledWebhook: Prepare = async (app, { things }) => {
  const text = `UPDATE webhooks SET status = 'enabled', url = 'https://127.0.0.1:1/' WHERE id = $1`
  await sql(app.database, text, [things.whk])
}

/** The device is nobody's. */
const released: Prepare = async (app, { things }) =>
  void (await sql(app.database, 'DELETE FROM claims WHERE device_id = $1', [things.dev]))

/** A rule that is put before the one that is there. */
const reversed =
  (create: string): Prepare =>
  async (app, own) => {
    const { body } = await callByExample(app, named(create), own)
    return { acl_ids: [body.id, idOf(own, 'acl')] }
  }

/** The rows with which an operation succeeds; and a body where the example is of no use. */
const PREPARED: Readonly<Record<string, Prepare>> = {
  deleteWorkspace: async (_app, { workspace }) => ({ confirm: workspace.slug }),
  publishMessage: async (_app, { workspace }) => ({
    topic: `${workspace.slug}/news`,
    payload: 'hello',
  }),
  changeMember: otherOwner,
  removeMember: otherOwner,
  deleteDeviceTemplate: device('template_id = NULL'),
  rollBackDeviceTemplate: async (app, own) =>
    void (await callByExample(app, named('updateDeviceTemplate'), own)),
  resumeDevice: device(`status = 'suspended', suspended_from = 'active'`),
  resumeMqttPrincipal: async (app, { things }) =>
    void (await sql(app.database, `UPDATE mqtt_principals SET status = 'suspended' WHERE id = $1`, [
      things.mqp,
    ])),
  reorderDeviceAcls: reversed('createDeviceAcl'),
  reorderMqttPrincipalAcls: reversed('createMqttPrincipalAcl'),
  approveDevice: device(`approval = 'pending'`),
  rejectDevice: device(`approval = 'pending'`),
  updateCustomField: async () => ({ description: 'Something else' }),
  async rollBackDeviceConfig(app, own) {
    await callByExample(app, named('replaceDeviceConfig'), own)
    return { version: 1 }
  },
  changeDeviceGroupMembers: async (_app, own) => ({ add: [], remove: [idOf(own, 'dev')] }),
  async cancelJob(app, { things }) {
    const text = `UPDATE jobs SET status = 'running', ended_at = NULL WHERE id = $1`
    await sql(app.database, text, [things.job])
  },
  async pauseRotationCampaign(app, { things }) {
    const text = `UPDATE rotation_campaigns SET status = 'running' WHERE id = $1`
    await sql(app.database, text, [things.cmp])
  },
  async redeliverWebhookDelivery(app, own) {
    await enabledWebhook(app, own)
    const text = `INSERT INTO events (workspace_id, id, type, data)
      VALUES ($1, $2, 'device.deleted', '{}')`
    await sql(app.database, text, [own.workspace.uuid, own.things.dlv])
  },
  redeliverWebhookEvents: enabledWebhook,
  showClaimCode: released,
  enableInstallationAccount: async (app, { things }) =>
    void (await sql(app.database, `UPDATE users SET status = 'disabled' WHERE id = $1`, [
      things.usr,
    ])),
  async restoreInstallationWorkspace(app, { workspace }) {
    const text = `UPDATE workspaces SET status = 'deleting', delete_requested_at = now(),
      erase_at = now() + interval '30 days' WHERE id = $1`
    await sql(app.database, text, [workspace.uuid])
  },
  ...preparedCertificates,
  async anchorAuditLog(app, own) {
    await callByExample(app, named('updateWorkspace'), own)
    await until('an entry is appended to the chain', async () => {
      const text = 'SELECT seq FROM audit_chains WHERE workspace_id = $1 AND seq > 0'
      return (await sql(app.database, text, [own.workspace.uuid])).length > 0
    })
  },
}

describe('the audit log', () => {
  // Nobody answers there, and nobody has to.
  const environment = {
    MOORING_ACME_DIRECTORY_URL: 'https://127.0.0.1:1/dir',
    MOORING_PLANS_FILE: 'examples/plans.json',
  }
  const get = useApp({ environment })

  test('every exception is an operation', () => {
    const listed = [SILENT, WITHOUT_VALUES, PREPARED].flatMap((each) => Object.keys(each))
    for (const id of [...listed, ...ELSEWHERE]) assert.ok(named(id), id)
  })

  for (const operation of operations) {
    const { id, method, access } = operation
    if (method === 'GET' || ELSEWHERE.includes(id)) continue
    if (id in SILENT) continue
    test(`records ${id}`, async () => {
      const app = get()
      const own = await seedTenant(app, await seedWorkspace(app.app))
      const body = await PREPARED[id]?.(app, own)
      const response = await callByExample(app, operation, own, body ?? undefined)
      assert.ok(response.status < 300, `it can't be called: prepare it. ${response.text}`)
      const entries = await sql<Entry>(
        app.database,
        'SELECT actor_kind, actor_id, address, detail FROM audit_log WHERE request_id = $1',
        [response.headers['x-request-id']],
      )
      assert.ok(entries.length > 0, 'there is no entry of the request')
      for (const { actor_kind, actor_id, address, detail } of entries) {
        const kind = access === 'public' ? 'anonymous' : callerKindOf(access[0] as AccessKind)
        assert.equal(actor_kind, kind)
        assert.equal(actor_id !== null, kind !== 'anonymous')
        assert.equal(address, '127.0.0.1')
        // An anchor looks like a token, and is there to be shown.
        const { jws: _anchor, ...rest } = detail
        assert.doesNotMatch(JSON.stringify(rest), SECRETS)
      }
      if ((method !== 'PATCH' && method !== 'PUT') || id in WITHOUT_VALUES) return
      const received = entries.some(({ detail: { before, after } }) => {
        const names = Object.keys(after ?? {})
        return names.length > 0 && names.every((name) => name in (before as object))
      })
      assert.ok(received, `no entry tells what was and is: ${JSON.stringify(entries)}`)
    })
  }
})

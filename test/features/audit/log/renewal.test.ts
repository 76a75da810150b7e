/** Chains move on to a newer root key, and only those that are whole do. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test, type TestContext } from 'node:test'
import { createKeyring, type RootKeys } from '../../../../src/platform/access/keyring.ts'
import { renewChains } from '../../../../src/features/audit/log/audit-log-renewal.ts'
import { deleteOldAuditEntries } from '../../../../src/features/audit/log/audit-log-retention.ts'
import { verifyChain } from '../../../../src/features/audit/log/audit-log-verification.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { openAuditBench, sql } from '../../../support/audit-chain.ts'

const addRoot = `INSERT INTO root_keys VALUES (2, 'next', 'x', now())`

/** Two chains, of which the first has lost its oldest entries, and the root keys that follow. */
async function openChains(t: TestContext) {
  const bench = await openAuditBench(t)
  const workspaces = [newUuid(), newUuid()] as const
  await bench.append(workspaces[0])
  await sql(bench.db, `UPDATE audit_log SET occurred_at = now() - interval '40 days'`)
  for (const workspace of workspaces) await bench.append(workspace)
  await bench.appender.append()
  const onError = (error: unknown): void => assert.fail(String(error))
  await deleteOldAuditEntries({ ...bench, clock: systemClock, onError }, 30)
  await bench.appender.append()
  const roots = (oldest: number): RootKeys => ({
    keys: [bench.masterKey, next],
    current: 2,
    oldest: { audit: oldest, session: 1 },
  })
  const next = randomBytes(32)
  return { ...bench, workspaces, roots }
}

suite('a newer root key', () => {
  test('signs heads and starts again, so that the earlier one may go', async (t) => {
    const { db, workspaces, roots } = await openChains(t)
    const late = createKeyring(roots(2))
    for (const workspace of workspaces) {
      assert.equal((await verifyChain({ db, keyring: late }, workspace)).valid, false)
    }
    await sql(db, addRoot)
    const services = { db, keyring: createKeyring(roots(1)) }
    const renewed = await Promise.all([1, 2, 3].map(() => renewChains(services, () => {})))
    for (const each of renewed) assert.deepEqual(each, { chains: 2, broken: 0 })
    for (const workspace of workspaces) {
      assert.equal((await verifyChain({ db, keyring: late }, workspace)).valid, true)
    }
  })

  test('does not sign forged heads', async (t) => {
    const { db, workspaces, roots } = await openChains(t)
    await sql(db, addRoot)
    const [pruned, other] = workspaces
    await sql(db, `UPDATE audit_chains SET pruned_seq = 2 WHERE workspace_id = $1`, [pruned])
    await sql(db, `UPDATE audit_chains SET seq = seq + 1 WHERE workspace_id = $1`, [other])
    const services = { db, keyring: createKeyring(roots(1)) }
    assert.deepEqual(await renewChains(services, () => {}), { chains: 0, broken: 2 })
    for (const workspace of workspaces) {
      assert.equal((await verifyChain(services, workspace)).valid, false)
    }
  })

  test('is read before anything is chained', async (t) => {
    const chains = await openChains(t)
    const { db, appender, problems, keyring, workspaces, roots } = chains
    await chains.append(workspaces[0])
    await sql(db, addRoot)
    await assert.rejects(appender.append(), { code: 'unavailable' })
    const unchained = () => sql(db, 'SELECT FROM audit_queue')
    assert.equal((await unchained()).length, 1)
    assert.deepEqual(problems, [])
    keyring.renew(roots(2))
    const services = { db, keyring: createKeyring(roots(1)) }
    await renewChains(services, () => {})
    await appender.append()
    assert.equal((await unchained()).length, 0)
    assert.equal((await verifyChain({ db, keyring }, workspaces[0])).valid, true)
  })
})

/** Passwords that several processes give to one broker: whatever crosses, the newest one stays. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test, type TestContext } from 'node:test'
import {
  type PasswordStore,
  PasswordPushes,
} from '../../../../src/features/mqtt/password-sync/password-sync.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

/** A broker that keeps one password, which arrives when the way to it lets it through. */
class FarBroker {
  readonly name = `far-${newUuid()}`
  held: { password: string; mark: string } | undefined
  arrivals = 0
  inFlight = 0

  /** How one process sees it. */
  seenBy(pass: (password: string) => Promise<unknown>): PasswordStore {
    return {
      name: this.name,
      setPassword: async (_principalId, password, mark) => {
        this.inFlight += 1
        await pass(password)
        this.held = { password, mark }
        this.arrivals += 1
        this.inFlight -= 1
        return true
      },
      passwordMark: async () => this.held?.mark,
    }
  }
}

function useProcesses(t: TestContext, { database, services }: TestApp) {
  const broker = new FarBroker()
  const principalId = `dev_${newUuid()}`
  const state = { newest: '' }
  const begin = (pass: (password: string) => Promise<unknown> = async () => {}) => {
    const pushes = new PasswordPushes({
      db: database,
      keyring: services.keyring,
      passwordStores: () => [broker.seenBy(pass)],
      isNewest: async (_, password) => password === state.newest,
      warn: () => {},
    })
    t.after(() => pushes.stop())
    return pushes
  }
  const rows = async (): Promise<number> => {
    const text = 'SELECT 1 FROM mqtt_password_pushes WHERE principal_id = $1'
    return (await database.pool.query(text, [principalId])).rows.length
  }
  const set = (change: string) =>
    database.pool.query(`UPDATE mqtt_password_pushes SET ${change} WHERE principal_id = $1`, [
      principalId,
    ])
  return { broker, principalId, state, begin, rows, set }
}

describe('passwords on their way to a broker', () => {
  test('a password that arrives after a newer one is replaced at once', async (t) => {
    const app = await freshTenants(t)
    const { broker, principalId, state, begin, rows, set } = useProcesses(t, app)
    const { promise: connection, resolve: open } = Promise.withResolvers<void>()
    const [slow, quick] = [begin(() => connection), begin()]
    const issue = async (pushes: PasswordPushes, password: string): Promise<void> => {
      await app.database.transaction(async (trx) => {
        await pushes.issued(trx, app.seed.uuid, [{ principalId, password }])
      })
    }
    state.newest = 'old'
    await issue(slow, 'old')
    await until('the old password is in flight', () => broker.inFlight === 1)
    state.newest = 'new'
    await issue(quick, 'new')
    await until('the new one is there', () => broker.held?.password === 'new')
    await until('both are kept', async () => (await rows()) === 2)
    open()
    await until('the old one came', () => broker.arrivals >= 2)
    await until('the new one is back', () => broker.held?.password === 'new')
    await until('the row of the old password is deleted', async () => (await rows()) === 1)

    // So late that its process was taken for dead, and then it died.
    broker.held = { password: 'old', mark: newUuid() }
    await set(`next_at = now(), given_at = now() - interval '1 hour'`)
    await quick.poll()
    await until('the new one is back', () => broker.held?.password === 'new')
    await until('nothing is kept any more', async () => (await rows()) === 0)
  })

  test('a password that arrives before a reset is committed does not outlive it', async (t) => {
    const app = await freshTenants(t)
    const { broker, principalId, state, begin, rows } = useProcesses(t, app)
    const pushes = begin()
    await app.database.transaction(async (trx) => {
      await pushes.replace(trx, app.seed.uuid, { principalId, password: 'reset' })
      assert.equal(broker.held?.password, 'reset')
      broker.held = { password: 'old', mark: newUuid() }
      state.newest = 'reset'
    })
    await until('the new one is back', () => broker.held?.password === 'reset')
    assert.equal(await rows(), 1)
  })

  test('the last of many passwords from many processes stays', async (t) => {
    const app = await freshTenants(t)
    const { broker, principalId, state, begin } = useProcesses(t, app)
    const away = new Set<string>()
    const processes = Array.from({ length: 4 }, () =>
      begin(async (password) => {
        await sleep(Math.random() * 40)
        if (away.delete(password)) throw new Error('It is away.')
      }),
    )
    for (let round = 0; round < 12; round += 1) {
      const password = `password ${round}`
      if (round % 3 === 0) away.add(password)
      const pushes = processes[round % processes.length] as PasswordPushes
      await app.database.transaction(async (trx) => {
        await pushes.issued(trx, app.seed.uuid, [{ principalId, password }])
        state.newest = password
      })
      for (const each of processes) await each.poll()
      await sleep(Math.random() * 10)
    }
    await until('the last one is there', async () => {
      for (const each of processes) await each.poll()
      return broker.held?.password === 'password 11'
    })
    await until('nothing is in flight', async () => {
      // A postponed write is tried again.
      for (const each of processes) await each.poll()
      const { rows } = await app.database.pool.query(
        `SELECT 1 FROM mqtt_password_pushes
         WHERE principal_id = $1 AND (given_at IS NULL OR next_at < now() + interval '1 minute')`,
        [principalId],
      )
      return rows.length === 0
    })
    assert.equal(broker.held?.password, 'password 11')
  })
})

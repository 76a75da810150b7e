/**
 * The state of the service for operators, who see the whole installation, and lose what they may as
 * soon as their mark is removed.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setInstallationRole } from '../../../../src/features/identity/accounts/account.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { seedOperator } from '../../../support/seed.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { BASE, operatorOf, type Operator } from '../operators.ts'

describe('an operator', () => {
  const get = useApp()
  let app: TestApp
  let operator: Operator

  before(async () => {
    app = get()
    operator = await operatorOf(app)
  })

  test('is refused everything as soon as the mark is removed', async () => {
    const other = await seedOperator(app.app)
    const health = () => app.call('GET', `${BASE}/health`, { as: as.user(other.token) })
    assert.equal((await health()).status, 200)
    await setInstallationRole(app.services, other.uuid, null)
    await until('the mark is gone', async () => (await health()).status !== 200)
    assert.deepEqual([(await health()).body.code], ['operator_required'])
    const { body } = await app.call('GET', '/auth/me', { as: as.user(other.token) })
    assert.equal(body.installation_role, null)
  })

  test('owners of workspaces see nothing of the installation, and cannot probe for it', async () => {
    const owner = as.user(app.seed.owner.token)
    const texts = new Set<string>()
    for (const id of [app.seed.owner.id, formatId('usr', newUuid())]) {
      const path = `${BASE}/accounts/${id}`
      const { status, body } = await app.call('GET', path, { as: owner })
      assert.equal(status, 403)
      texts.add(`${body.code} ${body.detail}`)
    }
    assert.equal(texts.size, 1)
  })

  test('sees the health, the same as the status of the operator port', async () => {
    const { status, findings } = (await operator.ok('GET', '/health')).body
    const { operator: port } = app.app.ports
    const response = await fetch(`http://127.0.0.1:${port}/status`)
    const shown = (await response.json()) as Record<string, unknown>
    assert.deepEqual(Object.keys(status).toSorted(), Object.keys(shown).toSorted())
    assert.equal(status.version, shown.version)
    assert.deepEqual(status.problems, [])
    assert.ok(Array.isArray(findings))
  })

  test('sees the settings without secrets', async () => {
    const { items } = (await operator.ok('GET', '/settings')).body
    const names = items.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('MOORING_CONSOLE_ADMIN') && names.includes('MOORING_MASTER_KEY'))
  })

  test('sees the brokers and the tasks', async () => {
    const { items: brokers } = (await operator.ok('GET', '/brokers')).body
    assert.deepEqual([brokers[0].name, brokers[0].bridge], ['embedded', null])
    const { items: tasks } = (await operator.ok('GET', '/tasks?status=waiting')).body
    assert.ok(tasks.some(({ task }: { task: string }) => task === 'mail.forget'))
  })
})

test('with MOORING_CONSOLE_ADMIN=off there is no installation area', async (t) => {
  const app = await startApp(t, { environment: { MOORING_CONSOLE_ADMIN: 'off' } })
  const { token } = await seedOperator(app.app)
  const { status, body } = await app.call('GET', `${BASE}/health`, { as: as.user(token) })
  assert.deepEqual([status, body.code], [404, 'not_found'])
  const config = await app.call('GET', '/console/api/config')
  assert.equal(config.body.installation, false)
})

/** Names behind the ids that operators read in the audit log of the installation. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useApp } from '../../../support/suite-app.ts'
import { BASE, operatorOf, type Operator } from '../operators.ts'

describe('an operator', () => {
  const get = useApp()
  let app: TestApp
  let operator: Operator

  before(async () => {
    app = get()
    operator = await operatorOf(app)
  })

  test('reads addresses and names in place of ids', async () => {
    const [account, workspace] = [app.seed.owner.id, app.seed.id]
    const erased = formatId('usr', newUuid())
    const { body } = await operator.ok('GET', `/names?ids=${[account, workspace, erased].join()}`)
    assert.deepEqual(body.items, [
      { id: account, label: app.seed.owner.email },
      { id: workspace, label: app.seed.slug },
    ])
    assert.deepEqual((await operator.ok('GET', '/names')).body, { items: [] })
    const many = Array.from({ length: 51 }, () => formatId('ws', newUuid())).join()
    for (const ids of [formatId('dev', newUuid()), 'usr_1', many]) {
      assert.equal((await operator.call('GET', `/names?ids=${ids}`)).status, 400)
    }
  })

  test('alone gets them: an owner learns no address, known or not', async () => {
    const { owner, other } = app.seed
    const ids = [other.owner.id, formatId('usr', newUuid())]
    const refused = await Promise.all(
      ids.map((id) => app.call('GET', `${BASE}/names?ids=${id}`, { as: as.user(owner.token) })),
    )
    for (const { status, body, text } of refused) {
      assert.deepEqual([status, body.code], [403, 'operator_required'])
      assert.ok(!text.includes(other.owner.email))
    }
  })
})

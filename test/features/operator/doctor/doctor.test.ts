/** Examinations of brokers that operators start. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { operatorOf, type Operator } from '../operators.ts'

describe('an operator', () => {
  const get = useApp()
  let operator: Operator

  before(async () => {
    operator = await operatorOf(get())
  })

  test('starts one examination of a broker at a time, whose end is reported', async () => {
    const start = () => operator.call('POST', '/doctor-runs', { broker: 'embedded' })
    const started = await Promise.all(Array.from({ length: 10 }, start))
    const [made, ...more] = started.filter(({ status }) => status === 201)
    assert.ok(made !== undefined)
    const refused = started.filter(({ status }) => status !== 201)
    assert.ok(refused.every(({ body }) => body.code === 'doctor_run_in_progress'))
    await operator.assertRecorded(made, 'doctor.started')
    let run = made.body
    await until('it has ended', async () => {
      run = (await operator.ok('GET', `/doctor-runs/${run.id}`)).body
      return run.ended_at !== null
    })
    // This process was not given what examines brokers.
    assert.deepEqual([run.status, run.results], ['failed', []])
    assert.match(run.problem, /mooring doctor/)
    const { items } = (await operator.ok('GET', '/doctor-runs')).body
    assert.equal(items.length, more.length + 1)
    const unknown = await operator.call('POST', '/doctor-runs', { broker: 'nobody' })
    assert.equal(unknown.body.code, 'broker_not_found')
    const nobody = await operator.call('GET', `/doctor-runs/${formatId('run', newUuid())}`)
    assert.equal(nobody.body.code, 'doctor_run_not_found')
  })
  test('reads a finding of an older release with the defaults of what it lacks', async () => {
    const id = newUuid()
    const finding = { id: 'anonymous', title: 'Refuses', verdict: 'pass', saw: 'refused' }
    await get().database.query(
      unnamed(`INSERT INTO doctor_runs (id, broker, status, results, ended_at)
               VALUES ($1, 'old', 'completed', $2, now())`),
      [id, JSON.stringify([finding])],
    )
    const { body } = await operator.ok('GET', `/doctor-runs/${formatId('run', id)}`)
    assert.deepEqual(body.results, [{ ...finding, change: null }])
  })
})

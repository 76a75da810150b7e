/** An operator has a broker examined by the service itself, as `mooring doctor` does it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateSync } from 'otplib'
import { callUrl } from '../../support/app.ts'
import { skip } from '../../support/browser.ts'
import { preparedDataDir, runMooring, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

test('an examination that an operator starts finds what `mooring doctor` finds', {
  skip,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_CONSOLE: 'on' }
  const service = await startService(t, dataDir, { environment })
  const email = 'ada@example.com'
  const options = { environment: { MOORING_DATA_DIR: dataDir }, input: 'seventeen brown kettles\n' }
  const args = ['accounts', 'create', '--email', email, '--operator', '--password-stdin']
  const made = await runMooring(t, args, options)
  assert.equal(made.code, 0, made.stderr)
  const body = { email, password: 'seventeen brown kettles' }
  const { body: session } = await service.call('POST', '/auth/login', { body })
  const headers = {
    authorization: `Bearer ${session.access_token}`,
    'sec-fetch-site': 'same-origin',
  }
  const path = '/console/api/installation/doctor-runs'
  const call = (method: string, more = '', sent?: object) =>
    callUrl(`${service.origin}${path}${more}`, method, { headers, ...(sent && { body: sent }) })
  assert.equal((await call('GET')).body.code, 'mfa_required')
  const { secret } = (await service.call('POST', '/auth/mfa/totp', { headers })).body
  const code = generateSync({ secret })
  await service.call('POST', '/auth/mfa/totp/confirm', { headers, body: { code } })
  const started = await call('POST', '', { broker: 'embedded' })
  assert.equal(started.status, 201, started.text)
  let run = started.body
  await until('the examination has ended', async () => {
    run = (await call('GET', `/${run.id}`)).body
    return run.ended_at !== null
  })
  assert.equal(run.status, 'completed', run.problem)
  assert.ok(run.results.length > 5)
  assert.deepEqual(
    run.results.filter(({ verdict }: { verdict: string }) => verdict === 'fail'),
    [],
  )
  await service.stop()
})

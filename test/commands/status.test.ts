/** `mooring status` of a service that runs, and of one that does not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { newDataDir, preparedDataDir, runMooring, startService } from '../support/service.ts'

test('the status lists what works, fails for the rest, and says what to do next', async (t) => {
  const environment = {
    MOORING_DATA_DIR: await preparedDataDir(t),
    MOORING_OPERATOR_PORT: String(await freePort()),
  }
  const ask = (...args: string[]) => runMooring(t, ['status', ...args], { environment })
  const missingFolder = { ...environment, MOORING_DATA_DIR: await newDataDir(t) }
  const never = await runMooring(t, ['status'], { environment: missingFolder })
  assert.match(never.stdout, /no service responds: nothing listens there/, never.stderr)
  const before = await ask()
  assert.equal(before.code, 1)
  assert.match(before.stdout, /DOES NOT RESPOND at http:\/\/127\.0\.0\.1:\d+\/status/)
  assert.match(before.stdout, /no service responds: nothing listens there/)
  assert.match(before.stdout, /start it: npm run -s mooring -- serve/)

  const service = await startService(t, environment.MOORING_DATA_DIR, { environment })
  const text = await ask()
  assert.equal(text.code, 0, text.stdout)
  assert.match(text.stdout, /^service +ready, version \d+\.\d+\.\d+$/m)
  assert.match(text.stdout, /^database +Postgres 18\.\d+, embedded, \d+ MiB; connections: /m)
  assert.match(text.stdout, /^waiting +webhook deliveries 0, mails 0, audit entries \d+$/m)
  assert.match(text.stdout, /^certificate +none/m)

  const json = await ask('--json')
  const report = JSON.parse(json.stdout) as { service: { problems: string[] }; findings: unknown[] }
  assert.deepEqual(report.service.problems, [])
  await service.stop()
})

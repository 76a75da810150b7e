/**
 * The view of callers and of the operator while the embedded Postgres hangs, and when it has
 * crashed.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { defer } from '../support/cleanup.ts'
import {
  preparedDataDir,
  printedOwner,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'
import { until } from '../support/until.ts'

async function started(t: TestContext) {
  const dataDir = await preparedDataDir(t)
  const service = await startService(t, dataDir, { environment: { MOORING_LOG_PRIORITY: 'on' } })
  const credential = await signIn(service, printedOwner(service))
  const read = () => service.call('GET', '/workspaces', { as: credential })
  const serves = async () => (await read()).status === 200
  const postmaster = Number(
    readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0],
  )
  return { service, read, serves, postmaster }
}

interface Line {
  /** The priority of syslog: 3 is an error, 4 a warning. */
  priority: string
  message: string
  error: string
  cause: string
}

/** The lines of the log about the database, and about failures without it, in order. */
const linesOf = ({ output }: Service): Line[] =>
  output.stderr
    .split('\n')
    .map((line) => /^<(\d)>(\{.*\})$/.exec(line) ?? [])
    .filter(([whole]) => whole !== undefined)
    .map(([, priority, text = '']) => ({ error: '', cause: '', priority, ...JSON.parse(text) }))
    .filter(({ message }) => /database|Postgres|queue|refused|failed/.test(message))

/** The responses of the operator's port. */
async function readiness({ output }: Service): Promise<{ status: number; body: unknown }> {
  const [, url = ''] = /^ {2}Operator +(http\S+\/readyz)/m.exec(output.stdout) ?? []
  const response = await fetch(url)
  return { status: response.status, body: await response.json() }
}

const messagesOf = (service: Service): string[] => linesOf(service).map(({ message }) => message)

const AWAY = 'the database is not available: requests are refused until it is'
const BACK = 'the database is available again'

suite('the service', () => {
  test('refuses while its database hangs, serves again, and logs two lines', async (t) => {
    const { service, read, serves, postmaster } = await started(t)
    const children = execFileSync('pgrep', ['-P', String(postmaster)], { encoding: 'utf8' })
    const processes = [postmaster, ...children.trim().split('\n').map(Number)]
    const send = (signal: NodeJS.Signals) => {
      for (const pid of processes) process.kill(pid, signal)
    }
    send('SIGSTOP')
    let isFrozen = true
    const thaw = () => {
      if (isFrozen) send('SIGCONT')
      isFrozen = false
    }
    defer(t, thaw)
    await until('the outage is noticed', () => messagesOf(service).includes(AWAY))
    for (const { status, headers, body } of await Promise.all(Array.from({ length: 50 }, read))) {
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'unavailable', '2'])
    }
    assert.deepEqual(await readiness(service), {
      status: 503,
      body: { status: 'not ready', problems: ['the database was not read within the last second'] },
    })
    thaw()
    await until('it serves again', serves)
    await until('it is ready', async () => (await readiness(service)).status === 200)
    assert.deepEqual((await readiness(service)).body, { status: 'ready' })
    await until('its end is logged', () => messagesOf(service).includes(BACK))
    // On a busy machine, statements that were frozen may have taken too long for the server, and
    // writes in the background may have waited too long for their turn.
    const isLate = ({ error, cause }: Line): boolean =>
      /statement timeout|too many writes are queued/.test(`${error} ${cause}`)
    const others = linesOf(service).filter((line) => !isLate(line))
    const unexpected = others.filter(({ message }) => message !== AWAY && message !== BACK)
    assert.deepEqual(unexpected, [])
    const said = others.map(({ priority, message }) => `<${priority}> ${message}`)
    assert.deepEqual([...new Set(said)], [`<3> ${AWAY}`, `<4> ${BACK}`])
  })

  test('says when its database crashed and when it is back, and little else', async (t) => {
    const { service, serves, postmaster } = await started(t)
    process.kill(postmaster, 'SIGKILL')
    await until('it runs again', () => /runs again/.test(service.output.stderr))
    await until('it serves again', serves)
    const reports = [AWAY, BACK, 'database connections were lost and are being reopened']
    const restarts = [
      'the embedded Postgres ended by itself and is started again',
      'the embedded Postgres runs again',
    ]
    const reported = () =>
      messagesOf(service).some((message) => message !== AWAY && reports.includes(message))
    await until('the end is logged', reported)
    // The end of a job that ran at that moment can't be written.
    const jobs = /^queue: Failed to (?:complete|fail) jobs|^the queue restarts$/
    const others = messagesOf(service).filter(
      (each) => ![...reports, ...restarts].includes(each) && !jobs.test(each),
    )
    assert.deepEqual(others, [])
  })
})

/**
 * The cost of open pages: `npm run bench -- streams`. Each browser keeps one live stream; a
 * thousand watch the fleet of one workspace. The service is one process. A time is counted from
 * before the request for a change is sent, until the last stream has received it.
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireFiles } from './idle.ts'
import { type Credential, expect, openStream } from './support/delays.ts'
import type { Fixture, RunningService } from './support/environment.ts'
import { kept, type Line, timeLine } from './support/measured-lines.ts'
import { grouped } from './support/plain-table.ts'
import { processorSeconds, residentMiB } from './support/processes.ts'

const STREAMS = 1_000
/** That are being opened at once. */
const OPENERS = 20
const QUIET_MS = 10_000
const CHANGES = 20
/** Hints of one thing are merged for a quarter of a second; each change is of another thing. */
const PAUSE_MS = 300
const TIMEOUT_MS = 30_000

const aims = {
  /** The memory of each stream. */
  kibibytes: 64,
  /** Percent of a core, while nothing happens. */
  quietPercent: 5,
  /** Processor time of a change, for each stream. */
  changeMicroseconds: 200,
  /** As for any change in another process. */
  updateMs: 1_000,
}

interface Place {
  service: RunningService
  staff: Credential
  workspace: string
}

/** Counts what the streams receive of a thing that is waited for. */
class Audience {
  #wanted = ''
  #missing = 0
  #done: () => void = () => {}

  listen(stream: IncomingMessage): void {
    let rest = ''
    // The service is killed with its streams once all is measured.
    stream.on('error', () => {})
    stream.setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\n\n')
      rest = messages.pop() ?? ''
      for (const message of messages) this.#receive(message)
    })
  }

  #receive(message: string): void {
    if (this.#wanted === '' || !message.includes(this.#wanted)) return
    this.#missing -= 1
    if (this.#missing === 0) this.#done()
  }

  /** Resolves once each stream has received a hint of the thing. */
  hear(id: string): Promise<void> {
    this.#wanted = id
    this.#missing = STREAMS
    const all = new Promise<void>((resolve) => (this.#done = resolve))
    const late = sleep(TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${this.#missing} streams have not received the change`)
    })
    return Promise.race([all, late])
  }
}

async function gather({ service, staff, workspace }: Place): Promise<Audience> {
  const audience = new Audience()
  let opened = 0
  const open = async (): Promise<void> => {
    while (opened < STREAMS) {
      opened += 1
      audience.listen(await openStream(service, staff, `${workspace}/live?watch=fleet`))
    }
  }
  await Promise.all(Array.from({ length: OPENERS }, open))
  return audience
}

/** Renames devices, each once. @returns how long until all streams knew, in ms. */
async function change(
  { service, staff, workspace }: Place,
  audience: Audience,
  ids: readonly string[],
): Promise<number[]> {
  const times: number[] = []
  for (const id of ids) {
    const heard = audience.hear(id)
    const begin = performance.now()
    await expect(200, service, staff, 'PATCH', `${workspace}/devices/${id}`, { name: 'Seen' })
    await heard
    times.push(performance.now() - begin)
    await sleep(PAUSE_MS)
  }
  return times
}

export async function streams(fixture: Fixture): Promise<Line[]> {
  requireFiles(2 * STREAMS)
  const database = await fixture.newDatabase()
  const { id, platformKey } = database.workspace
  const max = String(2 * STREAMS)
  const limits = {
    MOORING_STREAMS: max,
    MOORING_STREAMS_PER_WORKSPACE: max,
    MOORING_HTTP_MAX_CONNECTIONS_PER_ADDRESS: max,
  }
  const service = await fixture.startService(database, limits)
  const place = { service, staff: { 'x-api-key': platformKey }, workspace: `/workspaces/${id}` }
  const ids = database.devices.slice(0, CHANGES).map((device) => device.id)
  await service.settle()
  const restMiB = residentMiB(service.pid)
  const audience = await gather(place)
  await service.settle()
  const each = ((residentMiB(service.pid) - restMiB) * 1_024) / STREAMS
  const [quiet] = await spent(service, () => sleep(QUIET_MS))
  const percent = (quiet / (QUIET_MS / 1_000)) * 100
  const [busy, times] = await spent(service, () => change(place, audience, ids))
  const micro = (busy * 1_000_000) / CHANGES / STREAMS
  const count = grouped(STREAMS)
  return [
    kept(
      `memory of each of ${count} streams`,
      `${each.toFixed(1)} KiB`,
      `${aims.kibibytes} KiB`,
      each <= aims.kibibytes,
    ),
    kept(
      'processor, while nothing happens',
      `${percent.toFixed(1)} % of a core`,
      `${aims.quietPercent} %`,
      percent <= aims.quietPercent,
    ),
    kept(
      'processor time of a change, for each stream',
      `${micro.toFixed(0)} µs`,
      `${aims.changeMicroseconds} µs`,
      micro <= aims.changeMicroseconds,
    ),
    timeLine('from a change until the last stream knows', times, aims.updateMs),
  ]
}

/** Processor time of the service in seconds, and what the work returns. */
async function spent<T>(
  { pid }: RunningService,
  work: () => Promise<T>,
): Promise<[seconds: number, result: T]> {
  const begun = processorSeconds(pid)
  const result = await work()
  return [processorSeconds(pid) - begun, result]
}

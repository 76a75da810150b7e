/** The results of a run: counts, and each violation so that it can be sent again. */
import type { ReceivedResponse } from './connection.ts'
import { senders } from './credentials.ts'
import { type Draft, requestKinds } from './requests.ts'

const MAX_SHOWN = 20
const MAX_BYTES = 4_000

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a command line. */
function curlOf(draft: Draft, origin: string): string {
  const { method, path, query, headers, body } = draft
  const url = `${origin}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const options = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const call = `curl -i --path-as-is -X ${method} ${quoted(url)} ${options.join(' ')}`
  if (body === undefined) return call
  const note = body.length > MAX_BYTES ? ` # the first ${MAX_BYTES} of ${body.length} bytes` : ''
  const shown = body.subarray(0, MAX_BYTES).toString('base64')
  return `echo ${shown} | base64 -d | ${call} --data-binary @-${note}`
}

export interface Settings {
  seed: number
  origin: string
}

export class Report {
  requests = 0
  violations = 0
  readonly #settings: Settings
  readonly #statuses = new Map<number, number>()
  readonly #codes = new Map<string, number>()
  readonly #combinations = new Set<string>()
  readonly #operations = new Set<string>()
  readonly #succeeded = new Set<string>()
  readonly #memory: number[] = []
  readonly #faults = new Map<string, number>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  count({ target, sender, kind }: Draft, { status, body }: ReceivedResponse): void {
    this.requests += 1
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    this.#combinations.add(`${target.id} ${sender} ${kind}`)
    this.#operations.add(target.id)
    if (status > 0 && status < 400) this.#succeeded.add(target.id)
    if (status < 400) return
    const code = /"code":"([a-z_]+)"/.exec(body.toString('utf8', 0, 2_000))?.[1]
    if (code !== undefined) this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1)
  }

  /** @param memory resident, in MiB */
  remember(memory: number): void {
    this.#memory.push(memory)
  }

  /** @param before the request before it on its connection, which may have prevented a response */
  violation(
    number: number,
    draft: Draft,
    response: ReceivedResponse,
    fault: string,
    before?: Draft,
  ): void {
    this.violations += 1
    const name = `${draft.target.id}: ${response.status} ${fault}`
    const count = (this.#faults.get(name) ?? 0) + 1
    this.#faults.set(name, count)
    // The same fault is printed in full once.
    if (count > 1 || this.#faults.size > MAX_SHOWN) return
    process.stdout.write(
      [
        `\n${name}`,
        `  seed ${this.#settings.seed}, request ${number}, ${draft.kind}, sent by: ${draft.sender}`,
        `  ${curlOf(draft, this.#settings.origin)}`,
        ...(response.status === 0 && before !== undefined
          ? [`  after ${curlOf(before, this.#settings.origin)}`]
          : []),
        `  ${response.status} ${response.body.toString('utf8', 0, 2_000)}\n`,
      ].join('\n'),
    )
  }

  summary(all: {
    operations: number
    seconds: number
    use: { peak: number; seconds: number }
  }): string {
    const pairs = (counts: ReadonlyMap<unknown, number>): string =>
      [...counts]
        .sort(([, one], [, other]) => other - one)
        .map(([name, count]) => `${String(name)} ${count}`)
        .join(', ')
    const possible = all.operations * senders.length * requestKinds.length
    const { user } = process.cpuUsage()
    const every = Math.max(1, Math.ceil(this.#memory.length / 10))
    const memory = this.#memory.filter((_value, index) => index % every === 0).map(Math.round)
    return [
      '',
      `requests        ${this.requests} in ${all.seconds.toFixed(1)} s, ` +
        `${Math.round(this.requests / all.seconds)} a second`,
      `statuses        ${pairs(this.#statuses)}`,
      `codes           ${pairs(this.#codes)}`,
      `operations      ${this.#operations.size} of ${all.operations}, ` +
        `${this.#succeeded.size} of them succeeded`,
      `combinations    ${this.#combinations.size} of ${possible} of operation, sender and kind`,
      `memory          ${memory.join(' ')} MiB; at most ${Math.round(all.use.peak)}`,
      `processor       ${all.use.seconds.toFixed(1)} s of the service, ` +
        `${(user / 1e6).toFixed(1)} s of the fuzzer`,
      `violations      ${this.violations}`,
      ...[...this.#faults].map(([name, count]) => `  ${count} × ${name}`),
      '',
    ].join('\n')
  }
}

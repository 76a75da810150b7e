/**
 * Hook decisions: a CONNECT that EMQX asks about, with a response that contains all its rules.
 * Warm: the device is cached. Cold: the process has never seen it, as after a restart of both, so
 * each is a point read.
 *
 * The limit of the warm rate is Fastify that reads a body and sends a text of the same size. The
 * limit of the cold one is a latency: 5 ms at the 99th percentile, while a fleet of 10,000
 * reconnects over as many connections as a broker's pool has.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BareHookProgram } from './programs/bare-hook.ts'
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { PacedLoadProgram } from './programs/paced-load.ts'
import type { Bench, Comparison, Side } from './support/comparison.ts'
import type { SeededDevice } from './support/seed.ts'
import { postRequest } from './support/requests.ts'

const DEVICES = 10_000
const FLEETS = 8
/** Few enough to be cached after the first, unmeasured round. */
const KNOWN = 500
const CLIENTS = 64
const COLD_PER_SECOND = 1_000
const LIMIT_MS = 5

const PATH = '/hooks/bench/emqx/authn'

/** @returns a brokers file, in the folder of temporary files that goes with the run. */
function writeBrokers(secret: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-bench-hooks-'))
  const file = join(folder, 'brokers.json')
  const broker = { name: 'bench', kind: 'emqx', hook_secrets: [secret] }
  writeFileSync(file, JSON.stringify({ brokers: [broker] }), { mode: 0o600 })
  return file
}

const loginOf = ({ id, mqttPassword }: SeededDevice) => ({
  username: id,
  password: mqttPassword,
  clientid: id,
  peerhost: '127.0.0.1',
})

export const hooks: Bench = {
  name: 'hooks',
  topic: 'Connections',
  async prepare(fixture): Promise<Comparison[]> {
    const database = await fixture.newDatabase(DEVICES * FLEETS)
    const secret = randomBytes(24).toString('base64url')
    const environment = { MOORING_BROKERS_FILE: writeBrokers(secret) }
    const service = await fixture.startService(database, environment)
    const { operator } = service.ports
    const authorization = { authorization: `Bearer ${secret}` }
    const requests = database.devices.map((device) =>
      postRequest(PATH, loginOf(device), authorization),
    )
    const [first] = database.devices as [SeededDevice]
    const response = await fetch(`http://127.0.0.1:${operator}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify(loginOf(first)),
    })
    const bare = fixture.start<BareHookProgram>('bench/programs/bare-hook.ts')
    const barePort = await bare.call('start', { response: await response.text() })
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    const paced = fixture.start<PacedLoadProgram>('bench/programs/paced-load.ts')
    const known = requests.slice(0, KNOWN)
    const plain = database.devices
      .slice(0, KNOWN)
      .map((device) => postRequest('/hook', loginOf(device), authorization))
    const side =
      (port: number, sent: string[]): Side =>
      (seconds) =>
        load.call('run', { port, clients: CLIENTS, seconds, requests: sent, status: 200 })
    let fleet = 0
    const cold: Side = async () => {
      fleet = (fleet % (FLEETS - 1)) + 1
      const { p99 } = await paced.call('run', {
        port: operator,
        connections: CLIENTS,
        perSecond: COLD_PER_SECOND,
        requests: requests.slice(fleet * DEVICES, (fleet + 1) * DEVICES),
        expected: '{"result":"allow"',
      })
      return 1_000 / p99
    }
    const { settle } = service
    return [
      {
        name: `decide CONNECTs by a hook, warm, ${CLIENTS} connections`,
        unit: 'responses',
        against: 'Fastify and a text',
        aim: 0.6,
        settle,
        ours: side(operator, known),
        limit: side(barePort, plain),
      },
      {
        name: `decide 10,000 CONNECTs by a hook, cold, ${COLD_PER_SECOND} a second`,
        unit: 'times p99',
        against: `${LIMIT_MS} ms`,
        aim: 1,
        isCounted: false,
        settle,
        ours: cold,
        limit: () => Promise.resolve(1_000 / LIMIT_MS),
      },
    ]
  },
}

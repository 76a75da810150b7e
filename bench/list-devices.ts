/**
 * Reads a list of 100 devices with a platform key, compressed. The limit is the same list without
 * compression, so the ratio is what compression costs in requests; a client far away gets it back
 * in time on the wire.
 */
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { Bench } from './support/comparison.ts'
import { getRequest } from './support/requests.ts'

const CLIENTS = 16
const DEVICES = 100

export const listDevices: Bench = {
  name: 'list-devices',
  async prepare(fixture) {
    const database = await fixture.newDatabase()
    const { workspace } = database
    const { ports } = await fixture.startService(database)
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    const path = `/api/v1/workspaces/${workspace.id}/devices?limit=${DEVICES}`
    const run = (headers: Record<string, string>) => (seconds: number) =>
      load.call('run', {
        clients: CLIENTS,
        status: 200,
        port: ports.http,
        seconds,
        requests: [getRequest(path, { 'x-api-key': workspace.platformKey, ...headers })],
      })
    return (['br', 'gzip'] as const).map((coding) => ({
      name: `list ${DEVICES} devices by ${coding}, ${CLIENTS} clients`,
      unit: 'answers',
      against: 'the same list uncompressed',
      aim: 0.8,
      ours: run({ 'accept-encoding': coding }),
      limit: run({}),
    }))
  },
}

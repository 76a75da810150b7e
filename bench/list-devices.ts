/**
 * Reads lists of devices with a platform key, the most common request of a page.
 *
 * The limit of a list is Fastify with one route that sends the result of one query with the same
 * columns. The difference is the key, the permission, the cursor, ids, times, and the response
 * schema. The limit of a compressed list is the same one uncompressed: a client far away gets what
 * compression costs back in time on the wire.
 */
import type { BareHttpProgram } from './programs/bare-http.ts'
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { Bench } from './support/comparison.ts'
import { getRequest } from './support/requests.ts'

const CLIENTS = 16
const LIST = 50
const COMPRESSED_LIST = 100

export const listDevices: Bench = {
  name: 'list-devices',
  topic: 'Reads and lists',
  async prepare(fixture) {
    const database = await fixture.newDatabase()
    const { workspace, connection } = database
    const { ports } = await fixture.startService(database)
    const bare = fixture.start<BareHttpProgram>('bench/programs/bare-http.ts')
    const barePort = await bare.call('start', { connection, workspaceId: workspace.uuid })
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    const run = (port: number, path: string, headers: Record<string, string>) => {
      const requests = [getRequest(path, headers)]
      return (seconds: number) =>
        load.call('run', { clients: CLIENTS, status: 200, port, seconds, requests })
    }
    const path = `/api/v1/workspaces/${workspace.id}/devices`
    const list = (query: string, headers: Record<string, string> = {}) =>
      run(ports.http, `${path}?${query}`, { 'x-api-key': workspace.platformKey, ...headers })
    const common = { unit: 'responses', against: 'Fastify and one query' }
    const bareList = run(barePort, `/devices?limit=${LIST}`, {})
    const filter = encodeURIComponent('status = active AND tags.site = "north"')
    return [
      {
        ...common,
        name: `list ${LIST} devices, ${CLIENTS} clients`,
        aim: 0.6,
        ours: list(`limit=${LIST}`),
        limit: bareList,
      },
      {
        ...common,
        name: `list ${LIST} devices by a filter, ${CLIENTS} clients`,
        aim: 0.3,
        ours: list(`limit=${LIST}&filter=${filter}`),
        limit: bareList,
      },
      ...(
        [
          ['brotli', 'br'],
          ['gzip', 'gzip'],
        ] as const
      ).map(([name, coding]) => ({
        name: `list ${COMPRESSED_LIST} devices by ${name}, ${CLIENTS} clients`,
        unit: 'responses',
        against: 'the same list uncompressed',
        aim: 0.6,
        ours: list(`limit=${COMPRESSED_LIST}`, { 'accept-encoding': coding }),
        limit: list(`limit=${COMPRESSED_LIST}`),
      })),
    ]
  },
}

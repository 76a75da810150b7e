/**
 * Reads a device with a platform key, the most common request of a backend.
 *
 * The limit is Fastify with one route that sends the result of the same query without
 * authentication: the most this stack can do. The difference is the key, the permission, ids,
 * headers such as ETag and X-Request-Id, and the response schema.
 */
import type { BareHttpProgram } from './programs/bare-http.ts'
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { Bench } from './support/comparison.ts'
import { getRequest } from './support/requests.ts'

const CLIENTS = 16

export const readDevice: Bench = {
  name: 'read-device',
  topic: 'Reads and lists',
  async prepare(fixture) {
    const database = await fixture.newDatabase()
    const { workspace, devices, connection } = database
    const { ports } = await fixture.startService(database)
    const bare = fixture.start<BareHttpProgram>('bench/programs/bare-http.ts')
    const barePort = await bare.call('start', { connection, workspaceId: workspace.uuid })
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    const path = `/api/v1/workspaces/${workspace.id}/devices`
    const key = { 'x-api-key': workspace.platformKey }
    const requests = devices.map(({ id }) => getRequest(`${path}/${id}`, key))
    const bareRequests = devices.map(({ uuid }) => getRequest(`/devices/${uuid}`))
    const common = { clients: CLIENTS, status: 200 }
    return [
      {
        name: `read a device, ${CLIENTS} clients`,
        unit: 'responses',
        against: 'Fastify and the same query',
        aim: 0.75,
        ours: (seconds) => load.call('run', { ...common, port: ports.http, seconds, requests }),
        limit: (seconds) =>
          load.call('run', { ...common, port: barePort, seconds, requests: bareRequests }),
      },
    ]
  },
}

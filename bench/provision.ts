/**
 * Registers devices one by one over HTTP, with 1, 8 and 32 clients.
 *
 * The limit is the same rows, written by the service's own statement over as many plain
 * connections: what Postgres on this machine can commit. The difference is everything the service
 * adds (HTTP, the key, checks, generating and encrypting secrets, the audit chain), and the load
 * generator, which the limit does not need.
 */
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { RegisteringProgram } from './programs/registering.ts'
import type { Bench } from './support/comparison.ts'
import { NEW_NUMBER, postRequest } from './support/requests.ts'

const CLIENTS = [1, 8, 32]

export const provision: Bench = {
  name: 'provision',
  async prepare(fixture) {
    const database = await fixture.newDatabase()
    const { workspace } = database
    const { ports, settle } = await fixture.startService(database)
    const port = ports.http
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    // Its own database, so that one side's rows add no work to the other's audit chain.
    const bare = await fixture.newDatabase()
    const registering = fixture.start<RegisteringProgram>('bench/programs/registering.ts')
    await registering.call('open', {
      connection: bare.connection,
      masterKey: fixture.masterKey,
      workspace: bare.workspace,
      clients: Math.max(...CLIENTS),
    })
    const body = { template_id: workspace.templateId, hardware_id: `hw-${NEW_NUMBER}` }
    const requests = [
      postRequest('/api/v1/provision/device', body, {
        'service-auth-code': workspace.provisionKey,
      }),
    ]
    return CLIENTS.map((clients) => ({
      name: `register a device, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
      unit: 'devices',
      against: 'the same rows as one raw statement',
      aim: 0.6,
      settle,
      ours: (seconds) => load.call('run', { port, clients, seconds, requests, status: 201 }),
      limit: (seconds) => registering.call('single', { clients, seconds }),
    }))
  },
}

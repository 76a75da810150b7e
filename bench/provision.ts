/**
 * Registers devices one by one over HTTP, with 1, 8 and 32 clients.
 *
 * The limit is one lean transaction (a device, its credential and an audit entry, in three tables
 * with a primary key each) over as many plain connections: the least that Postgres on this machine
 * could do. Behind Fastify it says how much of that HTTP leaves. The service's own statement over
 * bare connections says which part is HTTP, the key, checks, secrets and the audit chain, and which
 * is the schema.
 */
import type { BareRegistrationProgram } from './programs/bare-registration.ts'
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { RegisteringProgram } from './programs/registering.ts'
import type { Bench } from './support/comparison.ts'
import { NEW_NUMBER, postRequest } from './support/requests.ts'

/** Numbers of clients, and the ratio that is aimed at with each. */
const AIMS = [
  [1, 0.45],
  [8, 0.4],
  [32, 0.5],
] as const
const AIM_BEHIND_HTTP = 0.45
const MAX_CLIENTS = 32
/** Where the own statement is measured. */
const OWN_CLIENTS = 8

export const provision: Bench = {
  name: 'provision',
  topic: 'Registrations',
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
      clients: MAX_CLIENTS,
    })
    const behindHttp = fixture.start<BareRegistrationProgram>('bench/programs/bare-registration.ts')
    const barePort = await behindHttp.call('start', {
      connection: bare.connection,
      clients: MAX_CLIENTS,
      workspaceId: bare.workspace.uuid,
      templateId: bare.workspace.templateUuid,
    })
    const body = { template_id: workspace.templateId, hardware_id: `hw-${NEW_NUMBER}` }
    const requests = [
      postRequest('/api/v1/provision/device', body, {
        'service-auth-code': workspace.provisionKey,
      }),
    ]
    const send = (to: number, clients: number) => (seconds: number) =>
      load.call('run', { port: to, clients, seconds, requests, status: 201 })
    const side = (clients: number) => ({
      name: `register a device, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
      unit: 'devices',
      settle,
      ours: send(port, clients),
    })
    const limit = (clients: number, isLean: boolean) => (seconds: number) =>
      registering.call('single', { clients, seconds, isLean })
    const lean = AIMS.map(([clients, aim]) => ({
      ...side(clients),
      against: 'one lean transaction',
      aim,
      limit: limit(clients, true),
    }))
    const leanBehindHttp = AIMS.map(([clients]) => ({
      ...side(clients),
      against: 'the lean transaction behind Fastify',
      aim: AIM_BEHIND_HTTP,
      limit: send(barePort, clients),
    }))
    const own = {
      ...side(OWN_CLIENTS),
      against: 'the same rows as one raw statement',
      aim: 0.6,
      limit: limit(OWN_CLIENTS, false),
    }
    return [...lean, ...leanBehindHttp, own]
  },
}

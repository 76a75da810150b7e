/**
 * The cost of row-level security: the service as it is, against the same service whose requests run
 * as the owner of the tables (`MOORING_DATABASE_ROLE=none`), on the same database. CONNECTs are not
 * included: they are decided from memory, or by one read as the owner.
 */
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { Bench, Side } from './support/comparison.ts'
import type { SeededDevice, SeededWorkspace } from './support/seed.ts'
import { getRequest, NEW_NUMBER, postRequest } from './support/requests.ts'

const CLIENTS = 16
const WORKSPACES = 50
const DEVICES_EACH = 100

const readOf = ({ id, platformKey }: SeededWorkspace, device: SeededDevice) =>
  getRequest(`/api/v1/workspaces/${id}/devices/${device.id}`, { 'x-api-key': platformKey })

export const rowSecurity: Bench = {
  name: 'row-security',
  topic: 'Tenant isolation',
  async prepare(fixture) {
    const database = await fixture.newDatabase()
    const { workspace, devices, seeder } = database
    const fleets: { workspace: SeededWorkspace; devices: SeededDevice[] }[] = []
    while (fleets.length < WORKSPACES) {
      const one = await seeder.workspace(`bench-${fleets.length}`)
      fleets.push({ workspace: one, devices: await seeder.devices(one, DEVICES_EACH) })
    }
    const isolated = await fixture.startService(database)
    const open = await fixture.startService(database, { MOORING_DATABASE_ROLE: 'none' })
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    const settle = async (): Promise<void> => {
      await Promise.all([isolated.settle(), open.settle()])
    }
    const reads = devices.map((device) => readOf(workspace, device))
    // Each read after one of another workspace: the setting is changed for every one.
    const mixed = Array.from({ length: DEVICES_EACH }, (_, index) =>
      fleets.map((fleet) => readOf(fleet.workspace, fleet.devices[index] as SeededDevice)),
    ).flat()
    const key = { 'x-api-key': workspace.platformKey }
    const list = `/api/v1/workspaces/${workspace.id}/devices?limit=50`
    const registration = postRequest(
      '/api/v1/provision/device',
      { template_id: workspace.templateId, hardware_id: `hw-${NEW_NUMBER}` },
      { 'service-auth-code': workspace.provisionKey },
    )
    const comparison = (name: string, unit: string, requests: typeof reads, status: number) => {
      const side =
        (port: number): Side =>
        (seconds) =>
          load.call('run', { port, clients: CLIENTS, seconds, requests, status })
      const ours = side(isolated.ports.http)
      const limit = side(open.ports.http)
      return { name, unit, against: 'the same without it', aim: 0.9, settle, ours, limit }
    }
    return [
      comparison('under row-level security: read a device', 'responses', reads, 200),
      comparison(
        `under row-level security: read devices of ${WORKSPACES} workspaces`,
        'responses',
        mixed,
        200,
      ),
      comparison(
        'under row-level security: a page of 50 devices',
        'pages',
        [getRequest(list, key)],
        200,
      ),
      comparison('under row-level security: register a device', 'devices', [registration], 201),
    ]
  },
}

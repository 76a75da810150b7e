/**
 * A backend: with a platform key it creates a device template if needed, lists the workspace's
 * devices with their latest states, and prints the most recent audit entries.
 */
import { MooringError } from '../sdk/client.ts'
import { fail, openClient, readOptions, url } from './api.ts'

const help = `Usage: npx node examples/backend.ts --key service_ak_… [options]

  --key <key>            platform key (or PLATFORM_KEY)
  --url <origin>         of the service (or API_URL; http://127.0.0.1:8080)

Example: npx node examples/backend.ts --key service_ak_…`

const values = readOptions(help, {
  key: { type: 'string', default: process.env['PLATFORM_KEY'] },
  url,
})

async function main(apiKey: string): Promise<void> {
  const client = openClient(values.url, { apiKey })
  // A platform key belongs to one workspace, and sees only that one.
  const { items } = await client.call('listWorkspaces')
  const [workspace] = items
  if (workspace === undefined) throw new Error('this key has no workspace')
  const params = { id: workspace.id }
  console.log(`workspace ${workspace.slug} (${workspace.id})`)

  const body = { model_key: 'example-sensor', name: 'Sensor', serial_format: 'EX-%Y%M-%#f' }
  try {
    await client.call('createDeviceTemplate', { params, body })
    console.log(`created the device template ${body.model_key}`)
  } catch (error) {
    if (!(error instanceof MooringError) || error.code !== 'model_key_taken') throw error
  }

  for await (const { id, device_key: key, status, connected } of client.pages('listDevices', {
    params,
  })) {
    const found = await client
      .call('getDeviceState', { params: { ...params, device_id: id } })
      .catch(() => undefined)
    const now = `${status}, ${connected ? 'online' : 'offline'}`
    console.log(`${key}: ${now}, ${found ? JSON.stringify(found.state) : 'no state yet'}`)
  }

  const log = await client.call('listAuditLog', { params, query: { limit: 5 } })
  for (const entry of log.items) console.log(`${entry.occurred_at}  ${entry.action}`)
}

if (values.key === undefined) fail(new Error(help))
else await main(values.key).catch(fail)

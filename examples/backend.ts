/**
 * A backend: with a platform key it creates a device template if needed, lists the workspace's
 * devices with their latest states, and prints the most recent audit entries.
 */
import { call, fail, Refused, readOptions, url } from './api.ts'

const help = `Usage: npx node examples/backend.ts --key service_ak_… [options]

  --key <key>            platform key (or PLATFORM_KEY)
  --url <origin>         of the service (or API_URL; http://127.0.0.1:8080)

Example: npx node examples/backend.ts --key service_ak_…`

const values = readOptions(help, {
  key: { type: 'string', default: process.env['PLATFORM_KEY'] },
  url,
})

interface List<T> {
  items: T[]
  next_cursor: string | null
}
interface Device {
  id: string
  device_key: string
  status: string
  connected: boolean
}

async function main(key: string): Promise<void> {
  const get = <T>(path: string): Promise<T> => call(values.url, `GET ${path}`, { 'x-api-key': key })
  // A platform key belongs to one workspace, and sees only that one.
  const { items } = await get<List<{ id: string; slug: string }>>('/workspaces')
  const [workspace] = items
  if (workspace === undefined) throw new Error('this key has no workspace')
  const path = `/workspaces/${workspace.id}`
  console.log(`workspace ${workspace.slug} (${workspace.id})`)

  const template = { model_key: 'example-sensor', name: 'Sensor', serial_format: 'EX-%Y%M-%#f' }
  try {
    await call(values.url, `POST ${path}/device-templates`, { 'x-api-key': key }, template)
    console.log(`created the device template ${template.model_key}`)
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'model_key_taken') throw error
  }

  let cursor: string | null = ''
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: List<Device> = await get(`${path}/devices?limit=100${after}`)
    for (const { id, device_key: name, status, connected } of page.items) {
      const state = await get<{ state: unknown }>(`${path}/devices/${id}/state`).catch(() => null)
      const now = `${status}, ${connected ? 'online' : 'offline'}`
      console.log(`${name}: ${now}, ${state ? JSON.stringify(state.state) : 'no state yet'}`)
    }
    cursor = page.next_cursor
  }

  interface Entry {
    occurred_at: string
    action: string
  }
  const log = await get<List<Entry>>(`${path}/audit-log?limit=5`)
  for (const entry of log.items) console.log(`${entry.occurred_at}  ${entry.action}`)
}

if (values.key === undefined) fail(new Error(help))
else await main(values.key).catch(fail)

/** Devices by what people call them. */
import { call } from './client.ts'
import { escaped } from './filter.ts'

const MOST = 20

/** @throws Problem */
async function withKeyOrName(workspaceId: string, text: string) {
  const word = escaped(text)
  const filter = `device_key = "${word}" OR name = "${word}"`
  const query = { filter, limit: MOST }
  return (await call('listDevices', { params: { id: workspaceId }, query })).items
}

/**
 * The device with this key, or else the one with this name.
 * @returns its id; `several` if only names say it, and those of several
 * @throws Problem
 */
export async function deviceNamed(workspaceId: string, text: string) {
  const items = await withKeyOrName(workspaceId, text)
  const keyed = items.find(({ device_key }) => device_key === text)
  const found = keyed === undefined ? items : [keyed]
  return found.length > 1 ? 'several' : found[0]?.id
}

/** @returns the ids of the devices that have this key or this name, exactly */
export async function devicesNamed(workspaceId: string, text: string): Promise<string[]> {
  const found = await withKeyOrName(workspaceId, text).catch(() => [])
  return found.map(({ id }) => id)
}

/** Devices by what people call them. */
import { call } from './client.ts'
import { escaped } from './filter.ts'

const MOST = 20

/** @returns the ids of the devices that have this key or this name, exactly */
export async function devicesNamed(workspaceId: string, text: string): Promise<string[]> {
  const word = escaped(text)
  const filter = `device_key = "${word}" OR name = "${word}"`
  const input = { params: { id: workspaceId }, query: { filter, limit: MOST } }
  const found = await call('listDevices', input).catch(() => null)
  return (found?.items ?? []).map(({ id }) => id)
}

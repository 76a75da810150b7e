/** Devices by what people call them. */
import { t } from '../i18n/frame.ts'
import { call } from './client.ts'
import { escaped } from './filter.ts'

const MAX_NAMED = 20

/** Why a name is not enough. */
export const SEVERAL = t('Several devices have this name. Use the key of one.')

export const isDeviceId = (text: string): boolean => /^dev_[0-7][0-9a-z]{25}$/.test(text)

/** @throws Problem */
const found = async (workspaceId: string, filter: string, limit: number) =>
  (await call('listDevices', { params: { id: workspaceId }, query: { filter, limit } })).items

/**
 * The device with this key, or else the one with this name.
 * @returns its id; `several` if only names say it, and those of several
 * @throws Problem
 */
export async function deviceNamed(workspaceId: string, text: string) {
  const word = escaped(text)
  const [keyed] = await found(workspaceId, `device_key = "${word}"`, 1)
  if (keyed !== undefined) return keyed.id
  const [named, another] = await found(workspaceId, `name = "${word}"`, 2)
  return another === undefined ? named?.id : 'several'
}

/** @returns the ids of the devices that have this key or this name, exactly */
export async function devicesNamed(workspaceId: string, text: string): Promise<string[]> {
  const word = escaped(text)
  const filter = `device_key = "${word}" OR name = "${word}"`
  const devices = await found(workspaceId, filter, MAX_NAMED).catch(() => [])
  return devices.map(({ id }) => id)
}

/** The phone that has a device. */
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** @returns the id of the phone: null if there is none, undefined until that was read */
export function usePhoneOf(deviceId: string, enabled = true): string | null | undefined {
  const { id } = useWorkspace()
  const query = { filter: `status = bound AND device_id = ${deviceId}`, limit: 1 }
  const { data } = useRead('listWorkspaceClaims', { params: { id }, query }, { enabled })
  return data && (data.items[0]?.moid_id ?? null)
}

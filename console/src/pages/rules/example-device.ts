/** A device to ask about: the first question of a check is about a topic that there is. */
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** A key that a device could have. */
export const EXAMPLE_KEY = 'device-1'

/** The key of the newest device, or one that it could have. */
export function useExampleKey(): string {
  const { id } = useWorkspace()
  const input = { params: { id }, query: { limit: 1 } }
  const { data } = useRead('listDevices', input, { staleTime: 60_000 })
  return data?.items[0]?.device_key ?? EXAMPLE_KEY
}

/** A device to ask about: the first question of a check is about a topic that there is. */
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The key of the newest device; undefined where there is none, and until it is read. */
export function useNewestKey(): string | undefined {
  const { id } = useWorkspace()
  const input = { params: { id }, query: { limit: 1 } }
  const { data } = useRead('listDevices', input, { staleTime: 60_000 })
  return data?.items[0]?.device_key
}

/** Where there is no device, a key that one could have. */
export const useExampleKey = (): string => useNewestKey() ?? 'device-1'

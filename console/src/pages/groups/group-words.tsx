/** Of groups, what several pages show. */
import type { DeviceGroup } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { countText } from '../../kit/numbers.ts'
import { t } from './words.ts'

export const kindWords: Readonly<Record<DeviceGroup['kind'], string>> = {
  static: t('static'),
  dynamic: t('dynamic'),
}

const SLOW_MS = 15_000

/** How many devices a group has now. */
export function Members({ groupId }: { groupId: string }) {
  const { id } = useWorkspace()
  const query = { filter: `group = ${groupId}` }
  const { data } = useRead('countDevices', { params: { id }, query }, { refetchInterval: SLOW_MS })
  if (data === undefined) return <>…</>
  return <>{countText(data)}</>
}

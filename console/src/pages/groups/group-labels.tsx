/** The parts of groups that several pages show. */
import type { DeviceGroup } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { DevicesText } from '../../kit/Counts.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { countText } from '../../kit/numbers.ts'
import { t } from './translations.ts'

export const kindLabels: Readonly<Record<DeviceGroup['kind'], string>> = {
  static: t('fixed list'),
  dynamic: t('by filter'),
}

const SLOW_MS = 15_000

/** How many devices a group has now; undefined until that was read. */
function useMembers(groupId: string) {
  const { id } = useWorkspace()
  const query = { filter: `group = ${groupId}` }
  const { data } = useRead('countDevices', { params: { id }, query }, { refetchInterval: SLOW_MS })
  return data
}

/** For a column that says of what. */
export function Members({ groupId }: { groupId: string }) {
  const count = useMembers(groupId)
  return <>{count === undefined ? '…' : countText(count)}</>
}

export const DeviceCount = ({ groupId }: { groupId: string }) => (
  <DevicesText count={useMembers(groupId)} />
)

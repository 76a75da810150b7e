/** Of groups, what several pages show. */
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const SLOW_MS = 15_000

/** How many devices a group has now. */
export function Members({ groupId }: { groupId: string }) {
  const { id } = useWorkspace()
  const query = { filter: `group = ${groupId}` }
  const { data } = useRead('countDevices', { params: { id }, query }, { refetchInterval: SLOW_MS })
  if (data === undefined) return <>…</>
  return (
    <>
      {data.value.toLocaleString('en')}
      {data.is_lower_bound && '+'}
    </>
  )
}

/** Whether a stream that a page follows is open. */
import type { Followed } from '../live/follow.ts'
import { Badge } from './Badge.tsx'

const statuses = {
  closed: ['off', 'Paused'],
  opening: ['info', 'Opening'],
  open: ['ok', 'Watching'],
  lost: ['warn', 'Interrupted, trying again'],
} as const

export function FollowStatus({ status }: Pick<Followed<unknown>, 'status'>) {
  const [tone, text] = statuses[status]
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  )
}

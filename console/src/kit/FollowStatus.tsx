/** Whether a stream that a page follows is open. */
import type { Followed } from '../live/follow.ts'
import { Badge } from './Badge.tsx'
import { t } from '../words/frame.ts'

const statuses = {
  closed: ['off', t('Paused')],
  opening: ['info', t('Opening')],
  open: ['ok', t('Watching')],
  lost: ['warn', t('Interrupted, trying again')],
} as const

export function FollowStatus({ status }: Pick<Followed<unknown>, 'status'>) {
  const [tone, text] = statuses[status]
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  )
}

/** Whether a stream that a page follows is open. */
import type { Followed } from '../live/follow.ts'
import { Badge } from './Badge.tsx'
import { t } from '../i18n/frame.ts'

const statuses = {
  closed: ['off', t('Paused')],
  opening: ['info', t('Opening')],
  open: ['ok', t('Watching')],
  lost: ['warn', t('Interrupted')],
  refused: ['bad', t('Refused')],
  away: ['bad', t('The service does not answer, trying again')],
} as const

type State = Pick<Followed<unknown>, 'status' | 'problem' | 'isReached'>

function shownOf({ status, problem, isReached }: State): keyof typeof statuses {
  if (status === 'closed' && problem !== null) return 'refused'
  return status === 'lost' && !isReached ? 'away' : status
}

export function FollowStatus({ state }: { state: State }) {
  const [tone, text] = statuses[shownOf(state)]
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  )
}

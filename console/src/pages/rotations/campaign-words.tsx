/** Rotation campaigns in words, and how far one is. */
import type { RotationCampaign } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Progress } from '../../kit/Progress.tsx'

const tones: Readonly<Record<RotationCampaign['status'], BadgeTone>> = {
  preparing: 'info',
  running: 'info',
  paused: 'warn',
  halted: 'bad',
  completed: 'ok',
  cancelled: 'off',
  failed: 'bad',
}

export const CampaignStatus = ({ status }: Pick<RotationCampaign, 'status'>) => (
  <Badge tone={tones[status]}>{status}</Badge>
)

export const isOver = ({ status }: Pick<RotationCampaign, 'status'>): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'failed'

export const CampaignProgress = ({ campaign: { counts } }: { campaign: RotationCampaign }) => (
  <Progress
    label="Devices that have ended"
    total={counts.total}
    parts={[
      { tone: 'ok', count: counts.confirmed },
      { tone: 'bad', count: counts.failed },
    ]}
  />
)

export const percent = (share: number): string =>
  `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`

/** The share of failed devices among those that have ended; undefined before the first. */
export function failureRate({ counts }: RotationCampaign): number | undefined {
  const ended = counts.confirmed + counts.failed
  return ended === 0 ? undefined : counts.failed / ended
}

/** Path parameters of calls about a campaign. */
export const ofCampaign = ({ workspace_id: id, id: campaign_id }: RotationCampaign) => ({
  id,
  campaign_id,
})

/** Rotation campaigns in words, and how far one is. */
import type { RotationCampaign } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Progress } from '../../kit/Progress.tsx'
import { t } from './words.ts'

const tones: Readonly<Record<RotationCampaign['status'], BadgeTone>> = {
  preparing: 'info',
  running: 'info',
  paused: 'warn',
  halted: 'bad',
  completed: 'ok',
  cancelled: 'off',
  failed: 'bad',
}

const words: Readonly<Record<RotationCampaign['status'], string>> = {
  preparing: t('preparing'),
  running: t('running'),
  paused: t('paused'),
  halted: t('halted'),
  completed: t('completed'),
  cancelled: t('cancelled'),
  failed: t('failed'),
}

export const CampaignStatus = ({ status }: Pick<RotationCampaign, 'status'>) => (
  <Badge tone={tones[status]}>{words[status]}</Badge>
)

export const isOver = ({ status }: Pick<RotationCampaign, 'status'>): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'failed'

export const CampaignProgress = ({ campaign: { counts } }: { campaign: RotationCampaign }) => (
  <Progress
    label={t('Devices that have confirmed or failed')}
    total={counts.total}
    parts={[
      { tone: 'ok', count: counts.confirmed },
      { tone: 'bad', count: counts.failed },
    ]}
  />
)

/** As the service makes them: the last one may be smaller. */
export function wavesOf({ wave, wave_size, wave_percent, counts }: RotationCampaign): number {
  const share = Math.max(1, Math.ceil((counts.total * (wave_percent ?? 100)) / 100))
  return Math.max(wave, Math.ceil(counts.total / (wave_size ?? share)))
}

/** Path parameters of calls about a campaign. */
export const ofCampaign = ({ workspace_id: id, id: campaign_id }: RotationCampaign) => ({
  id,
  campaign_id,
})

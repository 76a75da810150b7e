/** Rotation campaigns in words, and how far one is. */
import type { RotationCampaign } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Progress } from '../../kit/Progress.tsx'
import { sizeOfWave } from './waves.ts'
import { t } from './translations.ts'

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

export interface CampaignProps {
  campaign: RotationCampaign
}

export function CampaignStatus({ status, counts }: Pick<RotationCampaign, 'status' | 'counts'>) {
  if (status === 'completed' && counts.failed > 0) {
    return <Badge tone="warn">{t('completed, {n} failed', { n: numberText(counts.failed) })}</Badge>
  }
  if (status === 'completed' && counts.waiting > 0) {
    const n = numberText(counts.waiting)
    return <Badge tone="warn">{t('completed, {n} not reached', { n })}</Badge>
  }
  return <Badge tone={tones[status]}>{words[status]}</Badge>
}

export const isOver = ({ status }: Pick<RotationCampaign, 'status'>): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'failed'

export const CampaignProgress = ({ campaign: { counts } }: CampaignProps) => (
  <Progress
    label={t('Devices that have confirmed or failed')}
    total={counts.total}
    parts={[
      { tone: 'ok', count: counts.confirmed },
      { tone: 'bad', count: counts.failed },
    ]}
  />
)

function sizeOf({ wave_size, wave_percent, counts }: RotationCampaign): number {
  return wave_size ?? sizeOfWave(counts.total, wave_percent ?? 100)
}

/** As the service makes them: the last one may be smaller. */
export function wavesOf(campaign: RotationCampaign): number {
  return Math.max(campaign.wave, Math.ceil(campaign.counts.total / sizeOf(campaign)))
}

/** How many devices the next wave asks. */
export const nextWaveOf = (campaign: RotationCampaign): number =>
  Math.min(sizeOf(campaign), campaign.counts.due)

/** Every device was asked: resumed, the campaign is completed, even if some never came online. */
export const isLastWave = ({ status, counts: { due } }: RotationCampaign): boolean =>
  status === 'halted' && due === 0

/** Path parameters of calls about a campaign. */
export const ofCampaign = ({ workspace_id: id, id: campaign_id }: RotationCampaign) => ({
  id,
  campaign_id,
})

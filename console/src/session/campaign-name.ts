/** The name of a rotation campaign: its devices, and when it was started. */
import type { RotationCampaign } from '../../../sdk/schema.ts'
import { counted, t } from '../i18n/frame.ts'
import { locale } from '../i18n/language.ts'

const started = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

export function campaignName({ filter, counts, created_at }: RotationCampaign): string {
  const chosen = counted(counts.total, '{n} device', '{n} devices')
  return t('Rotation of {devices}, {time}', {
    devices: filter === null ? chosen : filter || t('all devices'),
    time: started.format(Date.parse(created_at)),
  })
}

/** A device's condition in one word. */
import type { Device } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Small } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { CellLink } from '../../kit/Table.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

type Condition = readonly [word: string, tone: BadgeTone]

/** An obstacle comes first; only then whether it is connected. */
function conditionOf({ status, approval, connected }: Device): Condition {
  if (status === 'decommissioned') return [t('Decommissioned'), 'off']
  if (status === 'suspended') return [t('Suspended'), 'bad']
  if (approval === 'rejected') return [t('Rejected'), 'bad']
  if (approval === 'pending') return [t('Awaits approval'), 'warn']
  if (connected) return [t('Online'), 'ok']
  return status === 'registered' ? [t('Registered'), 'info'] : [t('Offline'), 'off']
}

export function Condition({ device }: { device: Device }) {
  const [word, tone] = conditionOf(device)
  return <Badge tone={tone}>{word}</Badge>
}

/** As filters name them. */
export const statusLabels: Readonly<Record<Device['status'], string>> = {
  registered: t('registered'),
  active: t('active'),
  suspended: t('suspended'),
  decommissioned: t('decommissioned'),
}

export const approvalLabels: Readonly<Record<Device['approval'], string>> = {
  approved: t('approved'),
  pending: t('pending'),
  rejected: t('rejected'),
}

/** As firmware reports a configuration; others are shown as they came. */
const reportLabels: Readonly<Record<string, string>> = {
  applied: t('applied'),
  failed: t('failed'),
  rejected: t('rejected'),
}

export const reportLabel = (status: string): string => reportLabels[status] ?? status

export const nameOf = ({ name, device_key }: Device): string => (name === '' ? device_key : name)

/** Its name, which leads to its page, and its key where that is another. */
export function DeviceName({ device }: { device: Device }) {
  const { slug } = useWorkspace()
  const { id, device_key } = device
  const name = nameOf(device)
  return (
    <>
      <CellLink to={below(slug, `devices/${id}`)}>{name}</CellLink>
      {name !== device_key && (
        <>
          {' '}
          <Small>{device_key}</Small>
        </>
      )}
    </>
  )
}

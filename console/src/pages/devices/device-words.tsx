/** A device's condition in one word. */
import type { Device } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'

type Condition = readonly [word: string, tone: BadgeTone]

/** What stands in the way comes first; only then whether it is connected. */
function conditionOf({ status, approval, connected }: Device): Condition {
  if (status === 'decommissioned') return ['Decommissioned', 'off']
  if (status === 'suspended') return ['Suspended', 'bad']
  if (approval === 'rejected') return ['Rejected', 'bad']
  if (approval === 'pending') return ['Awaits approval', 'warn']
  if (connected) return ['Online', 'ok']
  return status === 'registered' ? ['Registered', 'info'] : ['Offline', 'off']
}

export function Condition({ device }: { device: Device }) {
  const [word, tone] = conditionOf(device)
  return <Badge tone={tone}>{word}</Badge>
}

export const nameOf = ({ name, device_key }: Device): string => (name === '' ? device_key : name)

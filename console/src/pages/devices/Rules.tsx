/** What a device may publish and receive: its own rules, and the one that decides about a topic. */
import { Columns } from '../../kit/Layout.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Explain } from '../rules/Explain.tsx'
import { OwnRules } from '../rules/OwnRules.tsx'
import { deviceOwner } from '../rules/rule-owner.ts'
import type { SectionProps } from './of-device.ts'

export function Rules({ device }: SectionProps) {
  const { slug } = useWorkspace()
  const owner = deviceOwner(device, slug)
  return (
    <Columns wideFirst>
      <OwnRules owner={owner} />
      <Explain client={device.id} topic={`${owner.topic}state`} />
    </Columns>
  )
}

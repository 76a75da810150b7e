/** What a device may publish and receive: its own rules, and the one that decides about a topic. */
import { Link } from '@tanstack/react-router'
import { Columns } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Explain } from '../rules/Explain.tsx'
import { OwnRules } from '../rules/OwnRules.tsx'
import { deviceOwner } from '../rules/rule-owner.ts'
import { type SectionProps, useTemplateOf } from './of-device.ts'
import { rich, t } from './words.ts'

/** Which rules apply where none of its own does. */
function Otherwise({ device }: Pick<SectionProps, 'device'>) {
  const { slug } = useWorkspace()
  const { data: template } = useTemplateOf(device)
  const defaults = <Link to={below(slug, 'rules')}>{t('The default rules')}</Link>
  if (template === undefined) {
    return (
      device.template_id === null &&
      rich('{rules} apply: its own topics only.', { rules: defaults })
    )
  }
  const link = (
    <Link to={below(slug, `templates/${template.id}`)} search={{ tab: 'rules' }}>
      {template.name}
    </Link>
  )
  return template.mqtt_acl.length === 0
    ? rich(
        '{rules} apply, because its template {link} has no rules: it may use its own topics only.',
        {
          rules: defaults,
          link,
        },
      )
    : rich('The rules of its template {link} apply.', { link })
}

export function Rules({ device }: SectionProps) {
  const { slug } = useWorkspace()
  const owner = { ...deviceOwner(device, slug), otherwise: <Otherwise device={device} /> }
  return (
    <Columns wideFirst>
      <OwnRules owner={owner} />
      <Explain client={device.id} first={{ action: 'publish', topic: `${owner.topic}state` }} />
    </Columns>
  )
}

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

interface FollowingProps extends Pick<SectionProps, 'device'> {
  /** Whether it has rules of its own, which come first. */
  isAfterOwn?: boolean
}

/** Which rules apply where none of its own does. */
function Following({ device, isAfterOwn = false }: FollowingProps) {
  const { slug } = useWorkspace()
  const { data: template } = useTemplateOf(device)
  if (template === undefined && device.template_id !== null) return null
  const toDefaults = (name: string) => <Link to={below(slug, 'rules')}>{name}</Link>
  const link = template && (
    <Link to={below(slug, `templates/${template.id}`)} search={{ tab: 'rules' }}>
      {template.name}
    </Link>
  )
  const count = template?.mqtt_acl.length ?? 0
  if (isAfterOwn) {
    if (count === 0) {
      const rules = toDefaults(t('the default rules'))
      return rich('Then {rules} apply. What no rule allows is denied.', { rules })
    }
    return count === 1
      ? rich('Then the rule of its template {link} applies. What no rule allows is denied.', {
          link,
        })
      : rich('Then the {n} rules of its template {link} apply. What no rule allows is denied.', {
          n: count,
          link,
        })
  }
  const rules = toDefaults(t('The default rules'))
  if (link === undefined) return rich('{rules} apply: its own topics only.', { rules })
  return count === 0
    ? rich(
        '{rules} apply, because its template {link} has no rules: it may use its own topics only.',
        { rules, link },
      )
    : rich('The rules of its template {link} apply.', { link })
}

export function Rules({ device }: SectionProps) {
  const { slug } = useWorkspace()
  const owner = {
    ...deviceOwner(device, slug),
    otherwise: <Following device={device} />,
    afterwards: <Following device={device} isAfterOwn />,
  }
  return (
    <Columns wideFirst>
      <OwnRules owner={owner} />
      <Explain client={device.id} first={{ action: 'publish', topic: `${owner.topic}state` }} />
    </Columns>
  )
}

/**
 * The rights of a device to publish and receive: its own rules, and the one that decides about a
 * topic.
 */
import { Link } from '@tanstack/react-router'
import type { Device } from '../../../../sdk/schema.ts'
import { Columns } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Explain } from '../rules/Explain.tsx'
import { OwnRules } from '../rules/OwnRules.tsx'
import { deviceOwner } from '../rules/rule-owner.ts'
import { type SectionProps, useTemplateOf } from './of-device.ts'
import { rich, t } from './translations.ts'

/**
 * The template of a device, the default rules, and how many rules it has; undefined while unread.
 */
function useFollowing(device: Device) {
  const { slug } = useWorkspace()
  const { data: template } = useTemplateOf(device)
  if (template === undefined && device.template_id !== null) return undefined
  return {
    count: template?.mqtt_acl.length ?? 0,
    toDefaults: (name: string) => <Link to={below(slug, 'rules')}>{name}</Link>,
    link: template && (
      <Link to={below(slug, `templates/${template.id}`)} search={{ tab: 'rules' }}>
        {template.name}
      </Link>
    ),
  }
}

/** The rules of a device without own ones. */
function Otherwise({ device }: Pick<SectionProps, 'device'>) {
  const following = useFollowing(device)
  if (following === undefined) return null
  const { count, link, toDefaults } = following
  const rules = toDefaults(t('The default rules'))
  if (link === undefined) return rich('{rules} apply: its own topics only.', { rules })
  return count === 0
    ? rich(
        '{rules} apply, because its template {link} has no rules: it may use its own topics only.',
        { rules, link },
      )
    : rich('The rules of its template {link} apply.', { link })
}

/** The rules where none of its own applies. */
function Afterwards({ device }: Pick<SectionProps, 'device'>) {
  const following = useFollowing(device)
  if (following === undefined) return null
  const { count: n, link, toDefaults } = following
  const rules = toDefaults(t('the default rules'))
  const ofTemplate =
    n === 1
      ? rich('Then the rule of its template {link} applies. What no rule allows is denied.', {
          link,
        })
      : rich('Then the {n} rules of its template {link} apply. What no rule allows is denied.', {
          n,
          link,
        })
  return (
    <p>
      {n === 0 ? rich('Then {rules} apply. What no rule allows is denied.', { rules }) : ofTemplate}
    </p>
  )
}

export function Rules({ device }: SectionProps) {
  const { slug } = useWorkspace()
  const owner = {
    ...deviceOwner(device, slug),
    otherwise: <Otherwise device={device} />,
    afterwards: <Afterwards device={device} />,
  }
  return (
    <Columns wideFirst>
      <OwnRules owner={owner} />
      <Explain client={device.id} first={{ action: 'publish', topic: `${owner.topic}state` }} />
    </Columns>
  )
}

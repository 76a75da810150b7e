/** What a change of a template takes from its devices and gives to them. */
import type { TemplateEffect, TopicAccess } from '../../../../sdk/schema.ts'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { findingTitle } from '../rules/rule-owner.ts'
import { actionWords } from '../rules/rule-words.ts'
import { t } from './words.ts'

function inWords({ value, is_lower_bound }: TemplateEffect['devices']): string {
  const n = numberText(value)
  return is_lower_bound ? t('{n} or more', { n }) : n
}

function concerned({ devices, connected }: TemplateEffect): string {
  const values = { devices: inWords(devices), connected: inWords(connected) }
  return devices.value === 1
    ? t(
        '{devices} device has this template, {connected} of them connected. Live sessions get the change within a second.',
        values,
      )
    : t(
        '{devices} devices have this template, {connected} of them connected. Live sessions get the change within a second.',
        values,
      )
}

interface AccessProps {
  title: string
  tone: 'ok' | 'warn'
  topics: readonly TopicAccess[]
}

const Access = ({ title, tone, topics }: AccessProps) =>
  topics.length === 0 ? null : (
    <Note tone={tone} title={title}>
      <ul>
        {topics.map(({ action, topic }) => (
          <li key={`${action} ${topic}`}>
            {actionWords[action]} <code>{topic}</code>
          </li>
        ))}
      </ul>
    </Note>
  )

export function Effect({ effect }: { effect: TemplateEffect }) {
  const { topics, findings } = effect
  const isNothing = topics.gained.length === 0 && topics.lost.length === 0
  return (
    <Stack tight>
      <p>{concerned(effect)}</p>
      <Access title={t('Each of them loses')} tone="warn" topics={topics.lost} />
      <Access title={t('Each of them gains')} tone="ok" topics={topics.gained} />
      {isNothing && <Note>{t('No topic is gained or lost.')}</Note>}
      {!topics.is_complete && (
        <Note tone="warn">{t('There may be more: not all were examined.')}</Note>
      )}
      {findings.map((finding) => (
        <Note
          key={`${finding.kind} ${finding.rule.position}`}
          tone="warn"
          title={findingTitle(finding)}
        >
          <span lang="en">{finding.message}</span>
        </Note>
      ))}
    </Stack>
  )
}

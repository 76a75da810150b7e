/** What a change of a template takes from its devices and gives to them. */
import type { TemplateEffect, TopicAccess } from '../../../../sdk/schema.ts'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'

const counted = ({ value, is_lower_bound }: TemplateEffect['devices']): string =>
  `${value}${is_lower_bound ? ' or more' : ''}`

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
            {action} <code>{topic}</code>
          </li>
        ))}
      </ul>
    </Note>
  )

export function Effect({ effect }: { effect: TemplateEffect }) {
  const { devices, connected, topics, findings } = effect
  const isNothing = topics.gained.length === 0 && topics.lost.length === 0
  return (
    <Stack tight>
      <p>
        {counted(devices)} {devices.value === 1 ? 'device has' : 'devices have'} this template,{' '}
        {counted(connected)} of them connected. Live sessions get the change within a second.
      </p>
      <Access title="Each of them loses" tone="warn" topics={topics.lost} />
      <Access title="Each of them gains" tone="ok" topics={topics.gained} />
      {isNothing && <Note>No topic is gained or lost.</Note>}
      {!topics.is_complete && <Note tone="warn">There may be more: not all were examined.</Note>}
      {findings.map(({ kind, rule, message }) => (
        <Note key={`${kind} ${rule.position}`} tone="warn" title={`Rule ${rule.position}: ${kind}`}>
          {message}
        </Note>
      ))}
    </Stack>
  )
}

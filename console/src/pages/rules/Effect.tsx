/** The rights that a change of rules takes and gives, shown before it is saved. */
import type { ReactNode } from 'react'
import type {
  MqttRuleFinding,
  MqttRulesEffect,
  TopicAccess,
  TopicEffect,
} from '../../../../sdk/schema.ts'
import type { Problem } from '../../api/problem.ts'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { Token } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { findingText, findingTitle } from './finding-labels.ts'
import { actionLabels, shownTopic } from './rule-labels.ts'
import { t } from './translations.ts'

/** Whether it certainly takes and gives nothing. */
export const isNothing = ({ gained, lost, is_complete }: TopicEffect): boolean =>
  gained.length === 0 && lost.length === 0 && is_complete

interface AccessProps {
  title: string
  tone: 'ok' | 'warn'
  topics: readonly TopicAccess[]
}

function Access({ title, tone, topics }: AccessProps) {
  const { slug } = useWorkspace()
  return topics.length === 0 ? null : (
    <Note tone={tone} title={title}>
      <ul>
        {topics.map(({ action, topic }) => (
          <li key={`${action} ${topic}`}>
            {actionLabels[action]} <Token>{shownTopic(topic, slug)}</Token>
          </li>
        ))}
      </ul>
    </Note>
  )
}

export const Findings = ({ findings }: { findings: readonly MqttRuleFinding[] }) =>
  findings.map((finding) => (
    <Note
      key={`${finding.kind} ${finding.rule.source} ${finding.rule.position}`}
      tone="warn"
      title={findingTitle(finding)}
    >
      {findingText(finding)}
    </Note>
  ))

interface EffectProps {
  effect: MqttRulesEffect
  /** Above what is lost, and above what is gained. */
  titles: readonly [lost: string, gained: string]
}

export function Effect({ effect: { topics, findings }, titles: [loses, gains] }: EffectProps) {
  const { gained, lost, is_complete } = topics
  return (
    <>
      <Access title={loses} tone="warn" topics={lost} />
      <Access title={gains} tone="ok" topics={gained} />
      {gained.length + lost.length === 0 && <Note>{t('No topic is gained or lost.')}</Note>}
      {!is_complete && <Note tone="warn">{t('There may be more: not all were examined.')}</Note>}
      <Findings findings={findings} />
    </>
  )
}

interface ConfirmRulesProps {
  title: string
  act: string
  effect: MqttRulesEffect
  busy: boolean
  problem: Problem | null
  onConfirm: () => void
  onClose: () => void
  /** The resource that is changed. */
  children?: ReactNode
}

/** Asks whether to change the own rules of one client, once it is known what that does. */
export const ConfirmRules = ({ effect, children, ...dialog }: ConfirmRulesProps) => (
  <ConfirmDialog {...dialog} kind={effect.topics.lost.length > 0 ? 'danger' : 'primary'}>
    <Stack tight>
      {children}
      <p>{t('Live sessions get the change within a second.')}</p>
      <Effect effect={effect} titles={[t('It loses'), t('It gains')]} />
    </Stack>
  </ConfirmDialog>
)

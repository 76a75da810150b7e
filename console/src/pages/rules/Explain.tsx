/** Whether a client may use a topic, with the rule that decides. */
import { useState } from 'react'
import type { ExplainMqtt, MqttExplanation } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Panel } from '../../kit/Layout.tsx'
import { Announced, Note } from '../../kit/Note.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { explainRefusal } from '../devices/reasons.ts'
import { actionLabels, permissionLabels } from './rule-labels.ts'
import { t } from './translations.ts'

export const asked: readonly { value: ExplainMqtt['action']; label: string }[] = [
  { value: 'publish', label: t('publish to') },
  { value: 'subscribe', label: t('subscribe to') },
  { value: 'receive', label: t('receive from') },
]

/** Rules have no such action as the one that is asked about. */
export const hintOf = (action: string): string | undefined =>
  action === 'receive' ? t('Subscribe rules also decide what it may receive.') : undefined

function decides(rule: NonNullable<MqttExplanation['rule']>): string {
  const words = t('{permission} {action} {topic}', {
    permission: permissionLabels[rule.permission],
    action: actionLabels[rule.action],
    topic: rule.resolved_topic,
  })
  const values = { position: rule.position, rule: words }
  const sentences = {
    device: t('Rule {position} of the device decides: {rule}.', values),
    principal: t('Rule {position} of the login decides: {rule}.', values),
    template: t('Rule {position} of the template decides: {rule}.', values),
    default: t('Rule {position} of the default list decides: {rule}.', values),
  }
  return sentences[rule.source]
}

/** The reason of a decision, as a text. */
export function reasonOf({ reason, rule, would_connect }: MqttExplanation): string {
  const { reason: refusal } = would_connect
  if (rule !== null && refusal === null) return decides(rule)
  const why = refusal === null ? t('refused') : explainRefusal(refusal).what
  const reasons = {
    rule: '',
    no_rule: t(
      'No rule matches, and what no rule allows is denied. Topics of a workspace begin with its slug.',
    ),
    client_refused: t('It could not connect: {why}.', { why }),
    malformed_topic: t('This is no well-formed topic.'),
    reserved_topic: t('Topics that begin with $ belong to the broker.'),
  }
  if (rule === null) return reasons[reason]
  return `${reasons.client_refused} ${t('Once it connects:')} ${decides(rule)}`
}

export const Explanation = ({ answer }: { answer: MqttExplanation }) => (
  <Note
    tone={answer.allowed ? 'ok' : 'warn'}
    title={answer.allowed ? t('Yes, it may.') : t('No, it may not.')}
  >
    {reasonOf(answer)}
  </Note>
)

/** The text in the field until something else is typed. */
export type Question = Pick<ExplainMqtt, 'action' | 'topic'>

export function Explain({ client, first }: { client: string; first: Question }) {
  const { id, slug } = useWorkspace()
  const [chosen, setChosen] = useState<Partial<Question>>({})
  const { action, topic } = { ...first, ...chosen }
  const explain = useChange('explainMqtt')
  const body = { client, action, topic }
  const about = explain.variables?.body
  const isCurrent = explain.data !== undefined && about?.action === action && about.topic === topic
  useNextCall('explainMqtt', { params: { id }, body })
  return (
    <Panel title={t('Check access')}>
      <Form onSubmit={() => explain.mutate({ params: { id }, body })} problem={explain.error}>
        <Select
          label={t('Action')}
          value={action}
          options={asked}
          hint={hintOf(action)}
          onValue={(next) => setChosen({ ...chosen, action: next })}
        />
        <TextField
          label={t('Topic')}
          mono
          pointer="/topic"
          placeholder={`${slug}/…`}
          value={topic}
          onValue={(next) => setChosen({ ...chosen, topic: next })}
        />
        <FormActions>
          <Button type="submit" busy={explain.isPending}>
            {t('Check')}
          </Button>
        </FormActions>
        <Announced>{isCurrent && <Explanation answer={explain.data} />}</Announced>
      </Form>
    </Panel>
  )
}

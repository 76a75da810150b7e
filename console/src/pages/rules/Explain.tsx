/** “May it?”, with the rule that decides. */
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

export const asked: readonly { value: ExplainMqtt['action']; label: string }[] = [
  { value: 'publish', label: 'publish to' },
  { value: 'subscribe', label: 'subscribe to' },
  { value: 'receive', label: 'receive from' },
]

const sources: Readonly<Record<NonNullable<MqttExplanation['rule']>['source'], string>> = {
  device: 'the device',
  principal: 'the login',
  template: 'the template',
  default: 'the default list',
}

/** The reason of an answer, in words. */
export function reasonOf({ reason, rule, would_connect }: MqttExplanation): string {
  if (rule !== null) {
    return `Rule ${rule.position} of ${sources[rule.source]} decides: ${rule.permission} ${rule.action} ${rule.resolved_topic}.`
  }
  const reasons = {
    rule: '',
    no_rule: 'No rule matches, and what no rule allows is denied.',
    client_refused: `It could not connect: ${explainRefusal(would_connect.reason ?? 'refused').what.toLowerCase()}.`,
    malformed_topic: 'This is no well-formed topic.',
    reserved_topic: 'Topics that begin with $ belong to the broker.',
  }
  return reasons[reason]
}

export const Answer = ({ answer }: { answer: MqttExplanation }) => (
  <Note
    tone={answer.allowed ? 'ok' : 'warn'}
    title={answer.allowed ? 'Yes, it may.' : 'No, it may not.'}
  >
    {reasonOf(answer)}
  </Note>
)

/** @param topic asked about at first */
export function Explain({ client, topic: first }: { client: string; topic: string }) {
  const { id } = useWorkspace()
  const [action, setAction] = useState<ExplainMqtt['action']>('publish')
  const [topic, setTopic] = useState(first)
  const explain = useChange('explainMqtt')
  const body = { client, action, topic }
  useNextCall('explainMqtt', { params: { id }, body })
  return (
    <Panel title="May it …?">
      <Form onSubmit={() => explain.mutate({ params: { id }, body })} problem={explain.error}>
        <Select label="Action" value={action} options={asked} onValue={setAction} />
        <TextField label="Topic" mono pointer="/topic" value={topic} onValue={setTopic} />
        <FormActions>
          <Button type="submit" busy={explain.isPending}>
            Ask
          </Button>
        </FormActions>
        <Announced>{explain.data && <Answer answer={explain.data} />}</Announced>
      </Form>
    </Panel>
  )
}

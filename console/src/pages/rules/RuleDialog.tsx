/** A new rule, or another wording of one: it applies to live sessions within a second. */
import { useState } from 'react'
import type { CreateDeviceAcl, MqttAcl } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
import type { RuleOwner } from './rule-owner.ts'

export const actions: readonly { value: MqttAcl['action']; label: string }[] = [
  { value: 'publish', label: 'publish' },
  { value: 'subscribe', label: 'subscribe' },
  { value: 'pubsub', label: 'publish and subscribe' },
]

const permissions: readonly { value: MqttAcl['permission']; label: string }[] = [
  { value: 'allow', label: 'allow' },
  { value: 'deny', label: 'deny' },
]

interface RuleDialogProps {
  owner: RuleOwner
  rules: readonly MqttAcl[]
  /** Undefined: a new one. */
  rule?: MqttAcl | undefined
  onClose: () => void
}

const LAST = 'last'

export function RuleDialog({ owner, rules, rule, onClose }: RuleDialogProps) {
  const { operations, params } = owner
  const [action, setAction] = useState(rule?.action ?? 'subscribe')
  const [topic, setTopic] = useState(rule?.topic ?? owner.topic)
  const [permission, setPermission] = useState(rule?.permission ?? 'allow')
  const [place, setPlace] = useState(LAST)
  const refreshes = [operations.list, 'explainMqtt'] as const
  const create = useChange(operations.create, refreshes)
  const update = useChange(operations.update, refreshes)
  const wording = { action, topic: topic.trim(), permission }
  const body: CreateDeviceAcl = { ...wording, ...(place !== LAST && { before_id: place }) }
  const changed = { ...params, acl_id: rule?.id ?? '' }
  const isNew = rule === undefined
  useNextCall(
    isNew ? operations.create : operations.update,
    isNew ? { params, body } : { params: changed, body: wording },
  )
  const done = {
    onSuccess: () => {
      say(isNew ? 'Rule added' : 'Rule changed', 'It applies to live sessions within a second.')
      onClose()
    },
  }
  const submit = (): void =>
    isNew
      ? create.mutate({ params, body }, done)
      : update.mutate({ params: changed, body: wording }, done)
  return (
    <Dialog title={isNew ? 'Add a rule' : `Change rule ${rule.position}`} open onClose={onClose}>
      <Form onSubmit={submit} problem={create.error ?? update.error}>
        <TextField
          label="Topic"
          mono
          pointer="/topic"
          hint="Rules about subscriptions may have + for one level and # at the end for all that follow."
          value={topic}
          onValue={setTopic}
        />
        <Select label="Action" value={action} options={actions} onValue={setAction} />
        <Select
          label="Permission"
          value={permission}
          options={permissions}
          onValue={setPermission}
        />
        {isNew && rules.length > 0 && (
          <Select
            label="Place"
            value={place}
            onValue={setPlace}
            options={[
              { value: LAST, label: 'last' },
              ...rules.map((each) => ({
                value: each.id,
                label: `before ${each.position}: ${each.permission} ${each.topic}`,
              })),
            ]}
          />
        )}
        <FormActions>
          <Button type="submit" kind="primary" busy={create.isPending || update.isPending}>
            {isNew ? 'Add' : 'Save'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}

/** A new rule, or another wording of one: it applies to live sessions within a second. */
import { useState } from 'react'
import type { CreateDeviceAcl, MqttAcl } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
import type { RuleOwner } from './rule-owner.ts'
import { actionWords, permissions, permissionWords } from './rule-words.ts'
import { t } from './words.ts'

const actions: readonly { value: MqttAcl['action']; label: string }[] = [
  { value: 'publish', label: actionWords.publish },
  { value: 'subscribe', label: actionWords.subscribe },
  { value: 'pubsub', label: actionWords.pubsub },
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
      say(
        isNew ? t('Rule added') : t('Rule changed'),
        t('It applies to live sessions within a second.'),
      )
      onClose()
    },
  }
  const submit = (): void =>
    isNew
      ? create.mutate({ params, body }, done)
      : update.mutate({ params: changed, body: wording }, done)
  return (
    <Dialog
      title={isNew ? t('Add a rule') : t('Change rule {position}', rule)}
      open
      onClose={onClose}
    >
      <Form onSubmit={submit} problem={create.error ?? update.error}>
        <TextField
          label={t('Topic')}
          mono
          pointer="/topic"
          hint={t(
            'Rules about subscriptions may have + for one level and # at the end for all that follow.',
          )}
          value={topic}
          onValue={setTopic}
        />
        <Select label={t('Action')} value={action} options={actions} onValue={setAction} />
        <Select
          label={t('Permission')}
          value={permission}
          options={permissions}
          onValue={setPermission}
        />
        {isNew && rules.length > 0 && (
          <Select
            label={t('Place')}
            value={place}
            onValue={setPlace}
            options={[
              { value: LAST, label: t('last') },
              ...rules.map((each) => ({
                value: each.id,
                label: t('before {position}: {permission} {topic}', {
                  position: each.position,
                  permission: permissionWords[each.permission],
                  topic: each.topic,
                }),
              })),
            ]}
          />
        )}
        <FormActions>
          <Button type="submit" kind="primary" busy={create.isPending || update.isPending}>
            {isNew ? t('Add') : t('Save')}
          </Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}

/**
 * A new rule, or another wording of one: rights that it gives and takes are shown before it is
 * saved.
 */
import { useState } from 'react'
import type { MqttAcl } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, Select, TextField } from '../../kit/Field.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ConfirmRules } from './Effect.tsx'
import { proposalOf, type RuleOwner, type Wording } from './rule-owner.ts'
import { actionLabels, permissions, permissionLabels, shownTopic } from './rule-labels.ts'
import { t } from './translations.ts'

const actions: readonly { value: MqttAcl['action']; label: string }[] = [
  { value: 'publish', label: actionLabels.publish },
  { value: 'subscribe', label: actionLabels.subscribe },
  { value: 'pubsub', label: actionLabels.pubsub },
]

/** Stands for no rule: at the end. */
const LAST = 'last'

interface Draft extends Wording {
  /** Id of the rule before which a new one is inserted. */
  place: string
}

interface FieldsProps {
  draft: Draft
  onChange: (changes: Partial<Draft>) => void
  /** Where its topic is in the list that is asked about. */
  pointer: string
  /** Rows before which a new one can be inserted. */
  others: readonly MqttAcl[]
}

function Fields({ draft, onChange, pointer, others }: FieldsProps) {
  const { slug } = useWorkspace()
  return (
    <>
      <TextField
        label={t('Topic')}
        mono
        pointer={pointer}
        hint={t(
          '{variable} is {slug}. Rules about subscriptions may have + for one level and # at the end for all that follow.',
          { variable: '{slug}', slug },
        )}
        value={draft.topic}
        onValue={(topic) => onChange({ topic })}
      />
      <Select
        label={t('Action')}
        value={draft.action}
        options={actions}
        onValue={(action) => onChange({ action })}
      />
      <Select
        label={t('Permission')}
        value={draft.permission}
        options={permissions}
        onValue={(permission) => onChange({ permission })}
      />
      {others.length > 0 && (
        <Select
          label={t('Place')}
          value={draft.place}
          onValue={(place) => onChange({ place })}
          options={[
            { value: LAST, label: t('last') },
            ...others.map(({ id, position, permission, topic }) => ({
              value: id,
              label: t('before {position}: {permission} {topic}', {
                position,
                permission: permissionLabels[permission],
                topic: shownTopic(topic, slug),
              }),
            })),
          ]}
        />
      )}
    </>
  )
}

interface RuleDialogProps {
  owner: RuleOwner
  rules: readonly MqttAcl[]
  /** The entity tag of the list. */
  etag: string | undefined
  /** Undefined: a new one. */
  rule?: MqttAcl | undefined
  onClose: () => void
}

/** The calls that save a rule. */
function useSave({ owner, etag, rule, onClose }: RuleDialogProps, { place, ...wording }: Draft) {
  const { operations, params } = owner
  const refreshes = [operations.list, 'explainMqtt'] as const
  const create = useChange(operations.create, refreshes)
  const update = useChange(operations.update, refreshes)
  const isNew = rule === undefined
  const added = { params, body: { ...wording, ...(place !== LAST && { before_id: place }) } }
  const changed = { params: { ...params, acl_id: rule?.id ?? '' }, body: wording }
  useNextCall(isNew ? operations.create : operations.update, isNew ? added : changed)
  const onSuccess = (): void => {
    say(
      isNew ? t('Rule added') : t('Rule changed'),
      t('It applies to live sessions within a second.'),
    )
    onClose()
  }
  const run = (): void =>
    isNew
      ? create.mutate({ ...added, etag }, { onSuccess })
      : update.mutate({ ...changed, etag }, { onSuccess })
  const { isPending, error, reset } = isNew ? create : update
  return { run, isPending, error, reset }
}

export function RuleDialog(props: RuleDialogProps) {
  const { owner, rules, rule, onClose } = props
  const [typed, setTyped] = useState<Draft>({
    action: rule?.action ?? 'subscribe',
    topic: rule?.topic ?? owner.topic,
    permission: rule?.permission ?? 'allow',
    place: LAST,
  })
  const draft = { ...typed, topic: typed.topic.trim() }
  const preview = useChange(owner.operations.preview)
  // Saved only if the list is still the one for which the effect was shown.
  const [shownFor, setShownFor] = useState(props.etag)
  const save = useSave({ ...props, etag: shownFor }, draft)
  const isNew = rule === undefined
  const found = rules.findIndex(({ id }) => id === (rule?.id ?? draft.place))
  const at = found < 0 ? rules.length : found
  const proposed: readonly Wording[] = (rules as readonly Wording[]).toSpliced(
    at,
    isNew ? 0 : 1,
    draft,
  )
  if (preview.data !== undefined) {
    return (
      <ConfirmRules
        title={isNew ? t('Add this rule?') : t('Change rule {position}?', rule)}
        act={isNew ? t('Add') : t('Save')}
        effect={preview.data}
        busy={save.isPending}
        problem={save.error}
        onConfirm={save.run}
        onClose={() => {
          save.reset()
          preview.reset()
        }}
      />
    )
  }
  return (
    <Dialog
      title={isNew ? t('Add a rule') : t('Change rule {position}', rule)}
      open
      onClose={onClose}
    >
      <Form
        onSubmit={() => {
          setShownFor(props.etag)
          preview.mutate({ params: owner.params, body: proposalOf(proposed) })
        }}
        problem={preview.error}
      >
        <Fields
          draft={typed}
          onChange={(changes) => setTyped({ ...typed, ...changes })}
          pointer={`/rules/${at}/topic`}
          others={isNew ? rules : []}
        />
        <SubmitActions act={t('See the effect…')} busy={preview.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

/** One rule in the table of rules. */
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import type { TemplateTopicRule } from '../../../../sdk/schema.ts'
import { IconButton } from '../../kit/Button.tsx'
import { Select, TextField } from '../../kit/Field.tsx'
import { FieldRow } from '../../kit/Layout.tsx'
import { actionLabels, permissions } from '../rules/rule-labels.ts'
import { t } from './translations.ts'

const actions: readonly { value: TemplateTopicRule['action']; label: string }[] = [
  { value: 'publish', label: actionLabels.publish },
  { value: 'subscribe', label: actionLabels.subscribe },
  { value: 'pubsub', label: t('both') },
]

interface RuleRowProps {
  rule: TemplateTopicRule
  /** From 1. */
  position: number
  count: number
  onChange: (rule: TemplateTopicRule) => void
  onUp: () => void
  onDown: () => void
  onRemove: () => void
}

export function RuleRow(props: RuleRowProps) {
  const { rule, position, count, onChange, onUp, onDown, onRemove } = props
  return (
    <FieldRow
      label={t('Rule {position}', { position })}
      acts={
        <>
          <IconButton
            label={t('Move rule {position} up', { position })}
            icon={<ArrowUp size={15} />}
            blocked={position === 1 ? t('It is the first.') : undefined}
            onClick={onUp}
          />
          <IconButton
            label={t('Move rule {position} down', { position })}
            icon={<ArrowDown size={15} />}
            blocked={position === count ? t('It is the last.') : undefined}
            onClick={onDown}
          />
          <IconButton
            label={t('Remove rule {position}', { position })}
            icon={<Trash2 size={15} />}
            onClick={onRemove}
          />
        </>
      }
    >
      <Select
        label={t('Permission')}
        value={rule.permission}
        options={permissions}
        onValue={(permission) => onChange({ ...rule, permission })}
      />
      <Select
        label={t('Action')}
        value={rule.action}
        options={actions}
        onValue={(action) => onChange({ ...rule, action })}
      />
      <TextField
        label={t('Topic')}
        pointer={`/mqtt_acl/${position - 1}/topic`}
        mono
        value={rule.topic}
        onValue={(topic) => onChange({ ...rule, topic })}
      />
    </FieldRow>
  )
}

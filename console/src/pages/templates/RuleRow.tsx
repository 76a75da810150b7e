/** One rule in the table of rules. */
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import type { TemplateTopicRule } from '../../../../sdk/schema.ts'
import { IconButton } from '../../kit/Button.tsx'
import { Select, TextField } from '../../kit/Field.tsx'
import { FieldRow } from '../../kit/Layout.tsx'

const actions: readonly { value: TemplateTopicRule['action']; label: string }[] = [
  { value: 'publish', label: 'publish' },
  { value: 'subscribe', label: 'subscribe' },
  { value: 'pubsub', label: 'both' },
]

const permissions: readonly { value: TemplateTopicRule['permission']; label: string }[] = [
  { value: 'allow', label: 'allow' },
  { value: 'deny', label: 'deny' },
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
      label={`Rule ${position}`}
      acts={
        <>
          <IconButton
            label={`Move rule ${position} up`}
            icon={<ArrowUp size={15} />}
            blocked={position === 1 ? 'It is the first.' : undefined}
            onClick={onUp}
          />
          <IconButton
            label={`Move rule ${position} down`}
            icon={<ArrowDown size={15} />}
            blocked={position === count ? 'It is the last.' : undefined}
            onClick={onDown}
          />
          <IconButton
            label={`Remove rule ${position}`}
            icon={<Trash2 size={15} />}
            onClick={onRemove}
          />
        </>
      }
    >
      <Select
        label="Permission"
        value={rule.permission}
        options={permissions}
        onValue={(permission) => onChange({ ...rule, permission })}
      />
      <Select
        label="Action"
        value={rule.action}
        options={actions}
        onValue={(action) => onChange({ ...rule, action })}
      />
      <TextField
        label="Topic"
        pointer={`/mqtt_acl/${position - 1}/topic`}
        mono
        value={rule.topic}
        onValue={(topic) => onChange({ ...rule, topic })}
      />
    </FieldRow>
  )
}

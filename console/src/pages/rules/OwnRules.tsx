/** The own rules of a device or a login as a table: add, change, reorder and remove them. */
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { MqttAcl } from '../../../../sdk/schema.ts'
import { useChange, useResource } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button, IconButton } from '../../kit/Button.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { RuleDialog } from './RuleDialog.tsx'
import { findingTitle, moved, type RuleOwner } from './rule-owner.ts'
import { actionWords, permissionWords } from './rule-words.ts'
import { rich, t } from './words.ts'

interface OwnerProps {
  owner: RuleOwner
}

interface RemoveProps extends OwnerProps {
  rule: MqttAcl
  onClose: () => void
}

function Remove({ owner, rule, onClose }: RemoveProps) {
  const { operations, params } = owner
  const remove = useChange(operations.remove, [operations.list, 'explainMqtt'])
  const words = rich('{permission} {action} {topic}', {
    permission: permissionWords[rule.permission],
    action: actionWords[rule.action],
    topic: <code>{rule.topic}</code>,
  })
  return (
    <ConfirmDialog
      title={t('Remove rule {position}?', rule)}
      act={t('Remove')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() =>
        remove.mutate({ params: { ...params, acl_id: rule.id } }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      {rich('{rule}. Live sessions get and lose rights within a second.', { rule: words })}
    </ConfirmDialog>
  )
}

interface ActsProps {
  rule: MqttAcl
  count: number
  blocked: string | undefined
  onMove: (by: -1 | 1) => void
  onChange: () => void
  onRemove: () => void
}

function Acts({ rule: { position }, count, blocked, onMove, onChange, onRemove }: ActsProps) {
  const first = position === 1 ? t('It is the first.') : undefined
  const last = position === count ? t('It is the last.') : undefined
  return (
    <>
      <IconButton
        label={t('Move rule {position} up', { position })}
        icon={<ArrowUp size={15} />}
        blocked={blocked ?? first}
        onClick={() => onMove(-1)}
      />
      <IconButton
        label={t('Move rule {position} down', { position })}
        icon={<ArrowDown size={15} />}
        blocked={blocked ?? last}
        onClick={() => onMove(1)}
      />
      <IconButton
        label={t('Change rule {position}', { position })}
        icon={<Pencil size={15} />}
        blocked={blocked}
        onClick={onChange}
      />
      <IconButton
        label={t('Remove rule {position}', { position })}
        icon={<Trash2 size={15} />}
        blocked={blocked}
        onClick={onRemove}
      />
    </>
  )
}

const wording: readonly Column<MqttAcl>[] = [
  { name: '#', cell: ({ position }) => position },
  {
    name: t('Permission'),
    cell: ({ permission }) => (
      <Badge tone={permission === 'allow' ? 'ok' : 'bad'}>{permissionWords[permission]}</Badge>
    ),
  },
  { name: t('Action'), cell: ({ action }) => actionWords[action] },
  { name: t('Topic'), wraps: true, cell: ({ topic }) => <code>{topic}</code> },
]

type Open = { what: 'add' } | { what: 'change' | 'remove'; rule: MqttAcl }

export function OwnRules({ owner }: OwnerProps) {
  const { operations, params } = owner
  const query = useResource(operations.list, { params }, { isLive: true })
  const [open, setOpen] = useState<Open | null>(null)
  const reorder = useChange(operations.reorder, [operations.list, 'explainMqtt'])
  const blocked = useBlocked(operations.create)
  const rules = query.data?.body.items ?? []
  const move = (rule: MqttAcl, by: -1 | 1): void =>
    reorder.mutate({
      params,
      body: { acl_ids: moved(rules, rule.position - 1, by).map(({ id }) => id) },
      etag: query.data?.etag,
    })
  const close = (): void => setOpen(null)
  const acts: Column<MqttAcl> = {
    name: t('Acts'),
    hidesName: true,
    number: true,
    cell: (rule) => (
      <Acts
        rule={rule}
        count={rules.length}
        blocked={blocked}
        onMove={(by) => move(rule, by)}
        onChange={() => setOpen({ what: 'change', rule })}
        onRemove={() => setOpen({ what: 'remove', rule })}
      />
    ),
  }
  return (
    <Stack>
      {reorder.error !== null && <ProblemNote problem={reorder.error} />}
      {query.data?.body.findings.map((finding) => (
        <Note
          key={`${finding.kind} ${finding.rule.source} ${finding.rule.position}`}
          tone="warn"
          title={findingTitle(finding)}
        >
          <span lang="en">{finding.message}</span>
        </Note>
      ))}
      <Panel
        title={t('Own rules, the first that matches decides')}
        aside={
          <Button
            icon={<Plus size={15} />}
            blocked={blocked}
            onClick={() => setOpen({ what: 'add' })}
          >
            {t('Add rule…')}
          </Button>
        }
        flush
      >
        <Table
          label={t('Own rules')}
          columns={[...wording, acts]}
          list={listOf({ ...query, data: query.data?.body })}
          keyOf={({ id }) => id}
          empty={<Empty title={t('No rules of its own')}>{owner.otherwise}</Empty>}
        />
      </Panel>
      {open?.what === 'remove' && <Remove owner={owner} rule={open.rule} onClose={close} />}
      {open !== null && open.what !== 'remove' && (
        <RuleDialog
          owner={owner}
          rules={rules}
          rule={open.what === 'change' ? open.rule : undefined}
          onClose={close}
        />
      )}
    </Stack>
  )
}

/**
 * The own rules of a device or a login as a table: add, change, reorder and remove them, each after
 * a look at what that gives and takes.
 */
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { MqttAcl, MqttRulesEffect } from '../../../../sdk/schema.ts'
import { useChange, useResource } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button, IconButton } from '../../kit/Button.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Token } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ConfirmRules, Findings, isNothing } from './Effect.tsx'
import { RuleDialog } from './RuleDialog.tsx'
import { moved, proposalOf, type RuleOwner } from './rule-owner.ts'
import { actionLabels, permissionLabels, shownTopic } from './rule-labels.ts'
import { t } from './translations.ts'

interface OwnerProps {
  owner: RuleOwner
}

interface RemoveProps extends OwnerProps {
  rule: MqttAcl
  effect: MqttRulesEffect
  etag: string | undefined
  onClose: () => void
}

function Remove({ owner, rule, effect, etag, onClose }: RemoveProps) {
  const { slug } = useWorkspace()
  const { operations, params } = owner
  const remove = useChange(operations.remove, [operations.list, 'explainMqtt'])
  const input = { params: { ...params, acl_id: rule.id } }
  useNextCall(operations.remove, input)
  return (
    <ConfirmRules
      title={t('Remove rule {position}?', rule)}
      act={t('Remove')}
      effect={effect}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate({ ...input, etag }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        {t('{permission} {action} {topic}', {
          permission: permissionLabels[rule.permission],
          action: actionLabels[rule.action],
          topic: shownTopic(rule.topic, slug),
        })}
      </p>
    </ConfirmRules>
  )
}

interface MoveProps extends Omit<RemoveProps, 'etag'> {
  order: readonly MqttAcl[]
  reorder: ReturnType<typeof useRules>['reorder']
  onConfirm: () => void
}

function Move({ owner, rule, order, effect, reorder, onConfirm, onClose }: MoveProps) {
  const { operations, params } = owner
  useNextCall(operations.reorder, { params, body: orderOf(order) })
  return (
    <ConfirmRules
      title={t('Move rule {position}?', rule)}
      act={t('Move')}
      effect={effect}
      busy={reorder.isPending}
      problem={reorder.error}
      onConfirm={onConfirm}
      onClose={onClose}
    />
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

const wordingOf = (slug: string): readonly Column<MqttAcl>[] => [
  { name: '#', saysName: true, cell: ({ position }) => position },
  {
    name: t('Permission'),
    cell: ({ permission }) => (
      <Badge tone={permission === 'allow' ? 'ok' : 'bad'}>{permissionLabels[permission]}</Badge>
    ),
  },
  { name: t('Action'), cell: ({ action }) => actionLabels[action] },
  {
    name: t('Topic'),
    wraps: true,
    cell: ({ topic }) => <Token>{shownTopic(topic, slug)}</Token>,
  },
]

/** The rules for which an effect was shown: they are saved only if the list is still the same. */
interface Shown {
  etag: string | undefined
  effect: MqttRulesEffect
}

type Open =
  | { what: 'add' }
  | { what: 'change'; rule: MqttAcl }
  | ({ what: 'remove'; rule: MqttAcl } & Shown)
  | ({ what: 'move'; rule: MqttAcl; order: readonly MqttAcl[] } & Shown)

const orderOf = (rules: readonly MqttAcl[]) => ({ acl_ids: rules.map(({ id }) => id) })

/** The list, what is asked about it, and the acts that change it. */
function useRules({ operations, params }: RuleOwner) {
  const query = useResource(operations.list, { params }, { isLive: true })
  const [open, setOpen] = useState<Open | null>(null)
  const preview = useChange(operations.preview)
  const reorder = useChange(operations.reorder, [operations.list, 'explainMqtt'])
  const rules = query.data?.body.items ?? []
  const etag = query.data?.etag
  const close = (): void => setOpen(null)
  const put = (order: readonly MqttAcl[], of: string | undefined): void => {
    reorder.mutate({ params, body: orderOf(order), etag: of }, { onSuccess: close })
  }
  const ask = (next: readonly MqttAcl[], onShown: (shown: Shown) => void): void => {
    reorder.reset()
    const onSuccess = (effect: MqttRulesEffect): void => onShown({ etag, effect })
    preview.mutate({ params, body: proposalOf(next) }, { onSuccess })
  }
  return {
    query,
    rules,
    etag,
    open,
    setOpen,
    close,
    reorder,
    put,
    problem: preview.error ?? (open === null ? reorder.error : null),
    remove: (rule: MqttAcl): void =>
      ask(
        rules.filter(({ id }) => id !== rule.id),
        (shown) => setOpen({ what: 'remove', rule, ...shown }),
      ),
    /** An order that gives and takes nothing is saved at once. */
    move: (rule: MqttAcl, by: -1 | 1): void => {
      const order = moved(rules, rule.position - 1, by)
      ask(order, (shown) =>
        isNothing(shown.effect.topics)
          ? put(order, shown.etag)
          : setOpen({ what: 'move', rule, order, ...shown }),
      )
    },
  }
}

/** The dialog that is open. */
function Opened({ owner, state }: OwnerProps & { state: ReturnType<typeof useRules> }) {
  const { rules, etag, open, close, reorder, put } = state
  if (open === null) return null
  const known = { owner, onClose: close }
  if (open.what === 'remove') {
    return <Remove {...known} rule={open.rule} etag={open.etag} effect={open.effect} />
  }
  if (open.what === 'move') {
    const { rule, order, effect } = open
    const move = { ...known, rule, order, effect, reorder }
    return <Move {...move} onConfirm={() => put(order, open.etag)} />
  }
  return (
    <RuleDialog
      {...known}
      etag={etag}
      rules={rules}
      rule={open.what === 'change' ? open.rule : undefined}
    />
  )
}

export function OwnRules({ owner }: OwnerProps) {
  const { slug } = useWorkspace()
  const state = useRules(owner)
  const { query, rules, setOpen, move, remove, problem } = state
  const blocked = useBlocked(owner.operations.create)
  const acts: Column<MqttAcl> = {
    name: t('Acts'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (rule) => (
      <Acts
        rule={rule}
        count={rules.length}
        blocked={blocked}
        onMove={(by) => move(rule, by)}
        onChange={() => setOpen({ what: 'change', rule })}
        onRemove={() => remove(rule)}
      />
    ),
  }
  return (
    <Stack>
      {problem !== null && <ProblemNote problem={problem} />}
      <Findings findings={query.data?.body.findings ?? []} />
      <Stack tight>
        <Panel
          title={t('Own rules: the first match decides')}
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
            columns={[...wordingOf(slug), acts]}
            list={listOf({ ...query, data: query.data?.body })}
            keyOf={({ id }) => id}
            empty={<Empty title={t('No rules of its own')}>{owner.otherwise}</Empty>}
          />
        </Panel>
        {rules.length > 0 && owner.afterwards}
      </Stack>
      <Opened owner={owner} state={state} />
    </Stack>
  )
}

/** Whether the audit log is as it was written: its chain is computed again, part by part. */
import { useMutation } from '@tanstack/react-query'
import { Anchor, ShieldCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AuditAnchor, AuditVerification } from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import { useChange, useList } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextField } from '../../kit/Field.tsx'
import { Fold } from '../../kit/Fold.tsx'
import { Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Dialog, say } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Code, CopyButton, Id, Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { aboutChain } from './audit-labels.ts'
import { rich, t } from './translations.ts'

export interface Checked {
  last: AuditVerification
  /** The first entry of the chain that is kept. */
  from: number | null
  entries: number
  at: string
  /** The `seq` of the anchor that was compared. */
  anchor: number | undefined
}

interface Compared {
  anchor_seq: number
  anchor_hash: string
}

/** All parts: one call looks at up to a million entries. */
export async function verifyParts(
  read: (query: { from_seq?: number } & Partial<Compared>) => Promise<AuditVerification>,
  anchor?: Compared,
): Promise<Checked> {
  let last = await read({ ...anchor })
  const from = last.sealed_from_seq
  let entries = last.entries_checked
  // Whether the anchor is in the chain is known after the part that should have it.
  let contained = last.anchor
  while (last.valid && last.next_from_seq !== null) {
    const query = { from_seq: last.next_from_seq, ...anchor }
    last = await read(query)
    contained = last.anchor ?? contained
    entries += last.entries_checked
  }
  const at = new Date().toISOString()
  return { last: { ...last, anchor: contained }, from, entries, at, anchor: anchor?.anchor_seq }
}

const reasons: Readonly<Record<NonNullable<AuditVerification['reason']>, string>> = {
  entry_altered: t('It is not what was appended: one of its values was changed.'),
  entry_missing: t('It was removed, or another was put in its place.'),
  entry_beyond_head: t('It follows the head of the chain, which nobody but the service may move.'),
  entry_unchained: t('An entry has no place in the chain, and does not wait for one.'),
  head_missing: t('The head of the chain is gone.'),
  head_forged: t('The head of the chain was not written by the service.'),
  head_differs: t('The head of the chain is not the hash of the last entry.'),
  anchor_missing: t('The chain does not contain the anchor: it was computed again after a change.'),
}

function Broken({ checked: { last } }: { checked: Checked }) {
  const place = last.first_bad_seq
  return (
    <Note
      tone="bad"
      title={
        place === null
          ? t('The chain is broken')
          : t('The chain is broken at entry {seq}', { seq: numberText(place) })
      }
    >
      {last.reason === null ? t('The chain is not what was appended.') : reasons[last.reason]}{' '}
      {t('Entries before it are as they were written; nothing is known of those after it.')}
    </Note>
  )
}

/** Further facts, in sentences. */
function foundOf({ last, from, anchor }: Checked): string[] {
  const { pruned_to_seq: pruned, sealed_to_seq: to, unsealed } = last
  const range = from !== null && { from: numberText(from), to: numberText(to ?? from) }
  const said = [
    range && t('Entries {from} to {to}, each follows from the one before.', range),
    unsealed > 0 && t('{n} new ones are not in the chain yet.', { n: numberText(unsealed) }),
    pruned !== null &&
      t('Those up to {seq} were deleted by retention.', { seq: numberText(pruned) }),
    last.anchor === 'contained' &&
      t('The anchor at {seq} is in the chain.', { seq: numberText(anchor ?? 0) }),
    last.anchor === 'pruned' && t('The entry of the anchor was deleted by retention.'),
  ]
  return said.filter((each) => each !== false)
}

function Whole({ checked }: { checked: Checked }) {
  const entries = numberText(checked.entries)
  return (
    <Note
      tone="ok"
      title={t('The chain is intact: {entries} entries are as they were written', { entries })}
    >
      {foundOf(checked).join(' ')}
    </Note>
  )
}

export const Result = ({ checked }: { checked: Checked }) => (
  <Stack tight>
    {checked.last.valid ? <Whole checked={checked} /> : <Broken checked={checked} />}
    <Small>
      {rich(
        'Verified {time}. The head of the chain; store it elsewhere to prove later that nothing before it was changed:',
        { time: <Time at={checked.at} /> },
      )}
    </Small>
    {checked.last.head_hash !== null && (
      <Code label={t('Head of the chain')}>{checked.last.head_hash}</Code>
    )}
  </Stack>
)

/** The stored form of an anchor: all of it, in a line of a file. */
const lineOf = (anchor: AuditAnchor): string => JSON.stringify(anchor)

interface ChecksProps {
  onCheck: (anchor: Compared) => void
  /** Why it can't be checked now. */
  blocked: string | undefined
  /** The anchor being compared: one at a time, since each computes the whole chain. */
  running: Compared | undefined
}

const ANOTHER = t('Another anchor is being verified.')

const anchorColumns = ({
  onCheck,
  blocked,
  running,
}: ChecksProps): readonly Column<AuditAnchor>[] => [
  { name: t('Anchored'), cell: ({ anchored_at }) => <Time at={anchored_at} /> },
  { name: t('Entry'), number: true, cell: ({ seq }) => numberText(seq) },
  { name: t('Hash'), cell: ({ hash }) => <Id>{hash}</Id> },
  {
    name: t('Acts'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (anchor) => {
      const isRunning = running?.anchor_hash === anchor.hash
      const another = running === undefined || isRunning ? undefined : ANOTHER
      return (
        <>
          <CopyButton text={lineOf(anchor)} label={t('Copy')} />{' '}
          <Button
            busy={isRunning}
            blocked={blocked ?? another}
            onClick={() => onCheck({ anchor_seq: anchor.seq, anchor_hash: anchor.hash })}
          >
            {t('Verify')}
          </Button>
        </>
      )
    },
  },
]

/** An anchor that was stored elsewhere, to be compared with the chain. */
function Kept({ onCheck, blocked, running }: ChecksProps) {
  const [seq, setSeq] = useState('')
  const [hash, setHash] = useState('')
  const isValid = /^\d+$/.test(seq.trim()) && /^[0-9a-f]{64}$/.test(hash.trim())
  const check = (): void => {
    if (isValid) onCheck({ anchor_seq: Number(seq), anchor_hash: hash.trim() })
  }
  const fault = isValid ? undefined : t('A number, and 64 hex digits.')
  return (
    <Fold label={t('Verify an anchor that you have kept')}>
      <Form problem={null} onSubmit={check}>
        <TextField
          label={t('Entry of your anchor')}
          hint={t('Its number, which is “seq” in the copy.')}
          inputMode="numeric"
          value={seq}
          onValue={setSeq}
        />
        <TextField
          label={t('Its hash')}
          hint={t('64 hex digits.')}
          mono
          value={hash}
          onValue={setHash}
        />
        <FormActions>
          <Button type="submit" busy={running !== undefined} blocked={blocked ?? fault}>
            {t('Verify')}
          </Button>
        </FormActions>
      </Form>
    </Fold>
  )
}

/** Compares anchors with the chain. */
function useChecks() {
  const [check, blocked] = useCheck()
  const running = check.isPending ? check.variables : undefined
  const onCheck = (anchor: Compared): void => {
    if (running === undefined) check.mutate(anchor)
  }
  return [check, { onCheck, blocked, running }] as const
}

function Anchors({ onClose }: { onClose: () => void }) {
  const { id } = useWorkspace()
  const list = useList('listAuditAnchors', { params: { id }, query: { limit: 20 } })
  const make = useChange('anchorAuditLog', ['listAuditAnchors'])
  const blocked = useBlocked('anchorAuditLog')
  const [check, checks] = useChecks()
  useNextCall('anchorAuditLog', { params: { id } })
  const anchor = (): void =>
    make.mutate(
      { params: { id } },
      { onSuccess: ({ seq }) => say(t('Anchored at entry {seq}', { seq })) },
    )
  return (
    <Dialog title={t('Anchors')} open wide onClose={onClose}>
      <Stack>
        <Note>
          {t(
            'An anchor is the head of the chain at a time, signed. Copy anchors to where the operator of the service cannot change them: then nobody can rewrite the log unseen.',
          )}
        </Note>
        {make.error !== null && <ProblemNote problem={make.error} />}
        <Panel
          title={t('Newest anchors')}
          aside={
            <Button kind="primary" blocked={blocked} busy={make.isPending} onClick={anchor}>
              {t('Anchor now')}
            </Button>
          }
          flush
        >
          <Table
            label={t('Anchors')}
            columns={anchorColumns(checks)}
            list={list}
            keyOf={({ seq }) => String(seq)}
            empty={<Empty title={t('No anchors yet')}>{t('They are created once an hour.')}</Empty>}
          />
        </Panel>
        <Kept {...checks} />
        <Outcome check={check} />
      </Stack>
    </Dialog>
  )
}

/** Computes the chain again, and why the person may not; with an anchor, whether it has that. */
function useCheck() {
  const { id } = useWorkspace()
  const check = useMutation<Checked, Problem, Compared | undefined>({
    mutationFn: (anchor) =>
      verifyParts((query) => call('verifyAuditLog', { params: { id }, query }), anchor),
  })
  return [check, useBlocked('verifyAuditLog')] as const
}

interface OutcomeProps {
  check: ReturnType<typeof useCheck>[0]
  /** Before the first check. */
  children?: ReactNode
}

const Outcome = ({ check: { error, data, isPending }, children }: OutcomeProps) => (
  <div aria-live="polite">
    {isPending && <Small>{t('Verifying…')}</Small>}
    {error !== null && <ProblemNote problem={error} of={t('The hash chain')} />}
    {data !== undefined && <Result checked={data} />}
    {data === undefined && error === null && !isPending && children}
  </div>
)

export function Chain() {
  const [isOpen, setOpen] = useState(false)
  const [check, blocked] = useCheck()
  return (
    <Panel
      title={t('Hash chain')}
      aside={
        <Row>
          <Button icon={<Anchor size={15} />} onClick={() => setOpen(true)}>
            {t('Anchors…')}
          </Button>
          <Button
            icon={<ShieldCheck size={15} />}
            blocked={blocked}
            busy={check.isPending}
            onClick={() => check.mutate(undefined)}
          >
            {t('Verify')}
          </Button>
        </Row>
      }
    >
      <Outcome check={check}>
        <Small>{aboutChain}</Small>
      </Outcome>
      {isOpen && <Anchors onClose={() => setOpen(false)} />}
    </Panel>
  )
}

/** A receipt: each node says that no session has more rights than it would get now. */
import { Link } from '@tanstack/react-router'
import type { RevokeReceipt } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Facts, None, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note, Pending, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Dialog } from '../../kit/Overlay.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { CopyButton, downloadText, exactTime, Id } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { eventText } from '../events/event-labels.ts'
import { rich, t } from './translations.ts'

const LIVE_MS = 500

type Node = RevokeReceipt['nodes'][number]

/** Milliseconds after the request; a dash until it has happened. */
const After = ({ from, at }: { from: string; at: string | null }) =>
  at === null ? <None /> : <>{`${numberText(Math.max(0, Date.parse(at) - Date.parse(from)))} ms`}</>

function State({ verified_at, gone_at, problem }: Node) {
  if (verified_at !== null) return <Badge tone="ok">{t('verified')}</Badge>
  if (gone_at !== null) return <Badge>{t('gone')}</Badge>
  return problem === null ? (
    <Badge tone="info">{t('checking')}</Badge>
  ) : (
    <Badge tone="warn">{t('open: {problem}', { problem })}</Badge>
  )
}

const columnsOf = (from: string): readonly Column<Node>[] => [
  { name: t('Node'), wraps: true, cell: ({ name }) => <code>{name}</code> },
  { name: t('State'), cell: State },
  {
    name: t('Refuses after'),
    number: true,
    cell: (node) => <After from={from} at={node.denied_at} />,
  },
  {
    name: t('Cache cleared after'),
    number: true,
    cell: (node) => <After from={from} at={node.cache_purged_at} />,
  },
  { name: t('Sessions ended'), number: true, cell: ({ sessions_cut }) => sessions_cut },
  {
    name: t('Verified after'),
    number: true,
    cell: (node) => <After from={from} at={node.verified_at ?? node.gone_at} />,
  },
]

/** When the last node was done, in milliseconds. */
function lastOf({ requested_at, nodes }: RevokeReceipt): number {
  const times = nodes.map((node) => Date.parse(node.verified_at ?? node.gone_at ?? requested_at))
  return Math.max(0, ...times.map((time) => time - Date.parse(requested_at)))
}

/** Reasons that end sessions; others change the rights of sessions. */
const ENDS_SESSIONS: ReadonlySet<string> = new Set([
  'device.suspended',
  'device.sessions_cut',
  'device.decommissioned',
  'device.deleted',
  'mqtt_principal.suspended',
  'mqtt_principal.sessions_cut',
  'mqtt_principal.deleted',
  'mqtt_connections.cut',
])

interface ReceiptProps {
  receipt: RevokeReceipt
}

function Complete({ receipt }: ReceiptProps) {
  const { reason, nodes } = receipt
  const sessions = nodes.reduce((sum, { sessions_cut }) => sum + sessions_cut, 0)
  const all = { n: nodes.length }
  const after = { ms: numberText(lastOf(receipt)), n: numberText(sessions) }
  const several =
    sessions === 0
      ? t('after {ms} ms. No session was open.', after)
      : t('after {ms} ms: {n} sessions.', after)
  const said = sessions === 1 ? t('after {ms} ms: {n} session.', after) : several
  return ENDS_SESSIONS.has(reason) ? (
    <Note
      tone="ok"
      title={
        sessions === 0
          ? t('Refused on {n} of {n} nodes', all)
          : t('Disconnected on {n} of {n} nodes', all)
      }
    >
      {said}
    </Note>
  ) : (
    <Note tone="ok" title={t('Verified on {n} of {n} nodes', all)}>
      {t('after {ms} ms. No live session has more rights than it would get now.', after)}
    </Note>
  )
}

const causes: Readonly<Record<string, string>> = {
  asked: t('A check that was asked for'),
  expired: t('Its time was up'),
  admitted_late: t('Admitted with a right that had just ended'),
}

/** Its proof, subject and time, for a reader who was not there. */
const About = ({ receipt: { id, reason, subject, requested_at } }: ReceiptProps) => (
  <Facts
    facts={[
      [t('What'), causes[reason] ?? eventText(reason)],
      [t('Subject'), subject === null ? t('the whole workspace') : <Who id={subject} />],
      [t('Requested'), exactTime(requested_at)],
      [
        t('Receipt'),
        <Id key="id" full>
          {id}
        </Id>,
      ],
    ]}
  />
)

/** As the API gives it, and where it is found again. */
function Keep({ receipt }: ReceiptProps) {
  const { slug } = useWorkspace()
  const json = `${JSON.stringify(receipt, null, 2)}\n`
  return (
    <>
      <Small>
        {rich('The service keeps it for 30 days, {here}. Download it to keep it for longer.', {
          here: (
            <Link to={below(slug, 'endpoints')} search={{ receipt: receipt.id }}>
              {t('at this address')}
            </Link>
          ),
        })}
      </Small>
      <FormActions>
        <CopyButton text={json} label={t('Copy as JSON')} />
        <Button onClick={() => downloadText(`${receipt.id}.json`, json)}>{t('Download')}</Button>
      </FormActions>
    </>
  )
}

/** Reads a receipt until it is complete. */
export function ReceiptNodes({ receiptId }: { receiptId: string }) {
  const { id } = useWorkspace()
  const params = { id, receipt_id: receiptId }
  const query = useRead('getReceipt', { params })
  const isComplete = query.data?.complete === true
  useRead('getReceipt', { params }, { refetchInterval: isComplete ? false : LIVE_MS })
  if (query.data === undefined) return <Pending query={query} of={t('The receipt')} />
  const { nodes, requested_at } = query.data
  return (
    <Stack tight>
      <About receipt={query.data} />
      {isComplete ? (
        <Complete receipt={query.data} />
      ) : (
        <Note title={t('Checking')}>
          {t('Each process and each broker reports when it is done.')}
        </Note>
      )}
      <Table
        label={t('Nodes')}
        columns={columnsOf(requested_at)}
        list={listOf({ ...query, data: { items: nodes } })}
        keyOf={({ name }) => name}
        empty={<Note>{t('There is no node.')}</Note>}
      />
      <Keep receipt={query.data} />
    </Stack>
  )
}

interface DialogProps {
  receiptId: string
  onClose: () => void
}

export const ReceiptDialog = ({ receiptId, onClose }: DialogProps) => (
  <Dialog title={t('Receipt')} open wide onClose={onClose}>
    <ReceiptNodes receiptId={receiptId} />
    <FormActions>
      <Button onClick={onClose}>{t('Close')}</Button>
    </FormActions>
  </Dialog>
)

/** @param bounds of each broker, how soon a revocation takes effect there */
export function Receipt({ bounds }: { bounds: readonly (readonly [string, string])[] }) {
  const { id } = useWorkspace()
  const [{ receipt }, setState] = useSearchState<{ receipt: string }>()
  const ask = useChange('askReceipt')
  const blocked = useBlocked('askReceipt')
  const params = { id }
  useNextCall('askReceipt', { params })
  const submit = (): void =>
    ask.mutate({ params }, { onSuccess: (made) => setState({ receipt: made.id }) })
  return (
    <Panel
      title={t('How soon a revocation takes effect')}
      aside={
        <Button busy={ask.isPending} blocked={blocked} onClick={submit}>
          {t('Ask for a receipt')}
        </Button>
      }
    >
      <Stack>
        <Facts facts={bounds} />
        <p>
          {t(
            'A receipt is the proof: every process and every broker checks all sessions of this workspace, ends those that have lost their rights, and says when it was done.',
          )}
        </p>
        {ask.error !== null && <ProblemNote problem={ask.error} />}
        {receipt !== undefined && <ReceiptNodes key={receipt} receiptId={receipt} />}
      </Stack>
    </Panel>
  )
}

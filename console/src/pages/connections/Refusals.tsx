/** The refused clients of the last day: by reason, with what to do and the latest attempts. */
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { MqttRefusals } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Piece, Time, Token } from '../../kit/Text.tsx'
import { numberText } from '../../kit/numbers.ts'
import { useName } from '../../session/names.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { explainRefusal } from '../devices/reasons.ts'
import { REFUSALS } from './refusals-place.ts'
import { rich, t } from './translations.ts'

type Refusal = MqttRefusals['items'][number]

const SLOW_MS = 15_000
const NAMED = 3

const Latest = ({ latest, clients }: Refusal) => (
  <>
    {latest.slice(0, NAMED).map(({ principal_id, address }, at) => (
      <span key={principal_id}>
        {at > 0 && ', '}
        <Who id={principal_id} />{' '}
        <Piece>
          <Small>{t('from {address}', { address })}</Small>
        </Piece>
      </span>
    ))}
    {clients > NAMED && <Small> {t('and {n} more', { n: numberText(clients - NAMED) })}</Small>}
  </>
)

/** The client id that one sent, and the one that it has to send. */
function WrongId({ principal_id, client_id }: Refusal['latest'][number]) {
  const named = useName(principal_id)
  const who = <Who id={principal_id} />
  const own = <Token>{principal_id}</Token>
  const key = principal_id.startsWith('dev_') ? named?.detail : null
  const right =
    typeof key === 'string' ? rich('{key} or {id}', { key: <Token>{key}</Token>, id: own }) : own
  if (client_id === '') return rich('{who} sent an empty client id. Use {right}.', { who, right })
  const used = <Token>{client_id}</Token>
  return rich('{who} used the client id {used}. Use {right}.', { who, used, right })
}

const WrongIds = ({ latest }: Pick<Refusal, 'latest'>) => (
  <Stack tight>
    {latest.slice(0, NAMED).map((each) => (
      <span key={each.principal_id}>
        <WrongId {...each} />
      </span>
    ))}
    <span>{t('For a second connection at the same time append “:2”, for a third “:3”.')}</span>
  </Stack>
)

const columns: readonly Column<Refusal>[] = [
  { name: t('Reason'), cell: ({ reason }) => explainRefusal(reason).what },
  { name: t('Clients'), number: true, cell: ({ clients }) => numberText(clients) },
  { name: t('Attempts'), number: true, cell: ({ attempts }) => numberText(attempts) },
  { name: t('Last'), cell: ({ last_at }) => <Time at={last_at} /> },
  { name: t('Who tried last'), wraps: true, cell: (refusal) => <Latest {...refusal} /> },
  {
    name: t('What to do'),
    wraps: true,
    cell: ({ reason, latest }) =>
      reason === 'client_id_invalid' ? (
        <WrongIds latest={latest} />
      ) : (
        <Stack tight>
          <span>{explainRefusal(reason).todo}</span>
        </Stack>
      ),
  },
]

export const useRefusals = () =>
  useRead('listMqttRefusals', { params: { id: useWorkspace().id } }, { refetchInterval: SLOW_MS })

export function Refusals({ query }: { query: ReturnType<typeof useRefusals> }) {
  const isWanted = useLocation({ select: ({ hash }) => hash === REFUSALS })
  const isRead = query.data !== undefined
  // Only now it is where it stays.
  useEffect(() => {
    if (isWanted && isRead) document.querySelector(`#${REFUSALS}`)?.scrollIntoView()
  }, [isWanted, isRead])
  return (
    <Panel title={t('Refused in the last 24 hours')} id={REFUSALS} flush>
      <Table
        label={t('Refused connections by reason')}
        columns={columns}
        list={listOf(query)}
        keyOf={({ reason }) => reason}
        empty={
          <Empty title={t('No refused connections')}>
            {t('Each refusal appears here with its reason.')}
          </Empty>
        }
      />
    </Panel>
  )
}

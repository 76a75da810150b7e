/** Who was refused during the last day: by reason, with what to do and who tried last. */
import type { MqttRefusals } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Panel, Small } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { numberText } from '../../kit/numbers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { explainRefusal } from '../devices/reasons.ts'
import { t } from './words.ts'

type Refusal = MqttRefusals['items'][number]

const SLOW_MS = 15_000
const NAMED = 3

const Latest = ({ latest, clients }: Refusal) => (
  <>
    {latest.slice(0, NAMED).map(({ principal_id, address }, at) => (
      <span key={principal_id}>
        {at > 0 && ', '}
        <Who id={principal_id} /> <Small>{address}</Small>
      </span>
    ))}
    {clients > NAMED && <Small> {t('and {n} more', { n: numberText(clients - NAMED) })}</Small>}
  </>
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
    cell: ({ reason }) => <Small>{explainRefusal(reason).todo}</Small>,
  },
]

export function Refusals() {
  const { id } = useWorkspace()
  const query = useRead('listMqttRefusals', { params: { id } }, { refetchInterval: SLOW_MS })
  return (
    <Panel title={t('Refused in the last 24 hours')} flush>
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

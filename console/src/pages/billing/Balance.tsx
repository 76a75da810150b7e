/** The prepaid balance, what is unpaid, and each entry that has changed them. */
import type { BalanceEntry } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Cards, Columns, None, Panel, Row, Small, Stack, Stat } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, Note, Pending, ProblemNote } from '../../kit/Note.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { HowToPay } from './HowToPay.tsx'
import { useInstructions, usePaying } from './paying.ts'
import { rich, t } from './translations.ts'

const signed = (amount: number, currency: string): string =>
  `${amount > 0 ? '+' : ''}${moneyText(amount, currency)}`

/** The resource of an entry, by its reference: `invoice:inv_…`, `payment:pay_…`, `credit:…`. */
function Source({ reference }: Pick<BalanceEntry, 'reference'>) {
  const [kind, subject = '', end] = reference.split(':')
  if (kind === 'invoice') {
    const invoice = <Who id={subject} kind="invoice" />
    return end === 'void' ? rich('{invoice}, voided', { invoice }) : invoice
  }
  const name = kind === 'payment' ? t('Payment received') : t('Credit')
  return (
    <>
      {name} <Id>{reference.slice(reference.indexOf(':') + 1)}</Id>
    </>
  )
}

/** The unpaid amount, and the way to the invoices. */
function UnpaidNote() {
  const { id, slug } = useWorkspace()
  const { data } = useRead('getBalance', { params: { id } }, { isLive: true })
  if (data === undefined || data.currency === null || data.outstanding <= 0) return null
  return (
    <Note
      tone="warn"
      title={t('{amount} is unpaid', { amount: moneyText(data.outstanding, data.currency) })}
      action={
        <LinkButton to={below(slug, 'billing')} search={{ tab: 'invoices' }}>
          {t('See the invoices')}
        </LinkButton>
      }
    />
  )
}

const columns: readonly Column<BalanceEntry>[] = [
  { name: t('When'), ends: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('What'), heads: true, cell: ({ reference }) => <Source reference={reference} /> },
  {
    name: t('Change of the balance'),
    number: true,
    cell: ({ prepaid_change: change, currency }) =>
      change === 0 ? <None /> : signed(change, currency),
  },
  {
    name: t('Change of what is unpaid'),
    number: true,
    cell: ({ outstanding_change: change, currency }) =>
      change === 0 ? <None /> : signed(change, currency),
  },
]

function TopUp() {
  const { blocked, busy, problem, go } = usePaying('top-up')
  const { instructions, query } = useInstructions()
  if (instructions === undefined) return <Pending query={query} of={t('How to pay')} />
  if (typeof instructions === 'string') {
    return (
      <HowToPay title={t('Pay in advance')} instructions={instructions}>
        <p>{t('The next invoice uses the balance first.')}</p>
      </HowToPay>
    )
  }
  return (
    <Panel title={t('Pay in advance')}>
      <Stack tight>
        <p>{t('The next invoice uses the balance first.')}</p>
        {problem !== null && <ProblemNote problem={problem} />}
        {blocked !== undefined && <Small>{blocked}</Small>}
        <Row>
          <Button kind="primary" blocked={blocked} busy={busy} onClick={go}>
            {t('Add to the balance')}
          </Button>
        </Row>
      </Stack>
    </Panel>
  )
}

export function Balance() {
  const { id, slug } = useWorkspace()
  const balance = useRead('getBalance', { params: { id } }, { isLive: true })
  const input = { params: { id }, query: { limit: 50 } }
  const list = useList('listBalanceEntries', input, { isLive: true })
  if (balance.data === undefined) return <Pending query={balance} of={t('The balance')} />
  const { currency, prepaid, outstanding } = balance.data
  if (currency === null) {
    return (
      <Panel>
        <Empty title={t('Nothing to pay')}>
          {t('There is a balance once the workspace has had a paid plan.')}
        </Empty>
      </Panel>
    )
  }
  return (
    <Columns wideFirst>
      <Stack>
        <UnpaidNote />
        <Cards>
          <Stat label={t('Prepaid balance')} value={moneyText(prepaid, currency)} />
          <Stat
            label={t('Unpaid invoices')}
            value={moneyText(outstanding, currency)}
            link={{ to: below(slug, 'billing'), search: { tab: 'invoices' } }}
          />
        </Cards>
        <Panel title={t('Entries')} flush>
          <Table
            label={t('Entries')}
            columns={columns}
            list={list}
            keyOf={(entry) => entry.id}
            empty={
              <Empty title={t('No entries yet')}>{t('Invoices and payments appear here.')}</Empty>
            }
          />
        </Panel>
      </Stack>
      <TopUp />
    </Columns>
  )
}

/** The prepaid balance, what is unpaid, and each entry that has changed them. */
import { useState } from 'react'
import type { BalanceEntry } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { minorOf, moneyText } from '../../api/money.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextField } from '../../kit/Field.tsx'
import { Cards, Columns, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { Empty, Pending } from '../../kit/Note.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { PaymentNote } from './PaymentNote.tsx'

const signed = (amount: number, currency: string): string =>
  `${amount > 0 ? '+' : ''}${moneyText(amount, currency)}`

const columns: readonly Column<BalanceEntry>[] = [
  { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'From', breaks: true, cell: ({ reference }) => <code>{reference}</code> },
  {
    name: 'Balance',
    number: true,
    cell: ({ prepaid_change: change, currency }) => (change === 0 ? '–' : signed(change, currency)),
  },
  {
    name: 'Unpaid',
    number: true,
    cell: ({ outstanding_change: change, currency }) =>
      change === 0 ? '–' : signed(change, currency),
  },
]

function TopUp({ currency }: { currency: string }) {
  const { id } = useWorkspace()
  const [text, setText] = useState('')
  const topUp = useChange('topUpBalance', ['getBalance', 'listBalanceEntries', 'listPayments'])
  const blocked = useBlocked('topUpBalance')
  const amount = minorOf(text, currency)
  const input = { params: { id }, body: { amount: amount ?? 0 } }
  useNextCall('topUpBalance', input)
  const why = blocked ?? (amount === undefined || amount === 0 ? 'Type an amount.' : undefined)
  return (
    <Panel title="Pay in advance">
      <Form
        problem={topUp.error}
        onSubmit={() => why === undefined && !topUp.isPending && topUp.mutate(input)}
      >
        {topUp.data !== undefined && <PaymentNote result={topUp.data} />}
        <TextField
          label={`Amount in ${currency}`}
          inputMode="decimal"
          pointer="/amount"
          hint="The next invoice uses the balance first."
          value={text}
          onValue={setText}
        />
        <FormActions>
          <Button type="submit" kind="primary" blocked={why} busy={topUp.isPending}>
            Pay
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}

export function Balance() {
  const { id } = useWorkspace()
  const balance = useRead('getBalance', { params: { id } }, { isLive: true })
  const input = { params: { id }, query: { limit: 50 } }
  const list = useList('listBalanceEntries', input, { isLive: true })
  if (balance.data === undefined) return <Pending query={balance} />
  const { currency, prepaid, outstanding } = balance.data
  if (currency === null) {
    return (
      <Panel>
        <Empty title="Nothing to pay">
          There is a balance once the workspace has had a plan with prices.
        </Empty>
      </Panel>
    )
  }
  return (
    <Columns wideFirst>
      <Stack>
        <Cards>
          <Stat label="Prepaid balance" value={moneyText(prepaid, currency)} />
          <Stat label="Unpaid invoices" value={moneyText(outstanding, currency)} />
        </Cards>
        <Panel title="Entries" flush>
          <Table
            label="Entries"
            columns={columns}
            list={list}
            keyOf={(entry) => entry.id}
            empty={<Empty title="No entries yet">Invoices and payments appear here.</Empty>}
          />
        </Panel>
      </Stack>
      <TopUp currency={currency} />
    </Columns>
  )
}

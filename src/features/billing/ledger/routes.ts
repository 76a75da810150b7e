/** Operations on the balance. */
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { type BalanceServices, getBalance, listBalanceEntries } from './balance.ts'
import { BalanceEntryPage, BalanceView, ListBalanceEntries } from './schema.ts'

const ledgerOperation = operationGroupOf<Services & BalanceServices>()({
  tag: 'Billing',
  access: ['user', 'platform-key'],
})

export const ledgerOperations = [
  ledgerOperation({
    id: 'getBalance',
    route: 'GET /workspaces/:id/balance',
    summary: 'Get the balance',
    description:
      'The prepaid amount, and the unpaid amount of issued invoices. Amounts are integers in minor units, such as cents.',
    permission: 'billing.read',
    takesPaymentToken: true,
    returns: { 200: BalanceView },
    run: (context) => getBalance(context),
  }),
  ledgerOperation({
    id: 'listBalanceEntries',
    route: 'GET /workspaces/:id/balance/entries',
    summary: 'List balance transactions',
    description:
      "The transactions of the workspace's double-entry ledger, newest first. They never change; a mistake is corrected by another transaction.",
    permission: 'billing.read',
    query: ListBalanceEntries,
    returns: { 200: BalanceEntryPage },
    run: (context, { query }) => listBalanceEntries(context, query),
  }),
]

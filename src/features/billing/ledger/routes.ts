/** Operations on the balance. */
import type { Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { type BalanceServices, getBalance, listBalanceEntries } from './balance.ts'
import { BalanceEntryPage, BalanceView, ListBalanceEntries } from './schema.ts'

const ledgerOperation = operationOf<Services & BalanceServices>()

const access = ['user', 'platform-key'] as const
const tag = 'Billing'
const params = { id: idParam('ws', 'workspace_not_found') }

export const ledgerOperations = [
  ledgerOperation({
    id: 'getBalance',
    method: 'GET',
    path: '/workspaces/:id/balance',
    tag,
    summary: 'Get the balance',
    description:
      'The prepaid amount, and the unpaid amount of issued invoices. Amounts are integers in minor units, such as cents.',
    access,
    permission: 'billing.read',
    params,
    returns: { 200: BalanceView },
    fails: [],
    run: async (context) => respond(200, await getBalance(context)),
  }),
  ledgerOperation({
    id: 'listBalanceEntries',
    method: 'GET',
    path: '/workspaces/:id/balance/entries',
    tag,
    summary: 'List balance transactions',
    description:
      "The transactions of the workspace's double-entry ledger, newest first. They never change; a mistake is corrected by another transaction.",
    access,
    permission: 'billing.read',
    params,
    query: ListBalanceEntries,
    returns: { 200: BalanceEntryPage },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listBalanceEntries(context, query)),
  }),
]

/** Operations of the web console on the accounts of the installation, for operators. */
import { operationGroup } from '../../../context.ts'
import { forOperators } from '../../../platform/http/operation.ts'
import { EndedSessions } from '../../common/ended-sessions.ts'
import { getAccount, listAccounts, listNames } from './account-list.ts'
import {
  createAccount,
  createPasswordLink,
  disableAccount,
  enableAccount,
  endAccountSessions,
  removeAccountFactors,
} from './account-change.ts'
import * as schema from './schema.ts'

const operation = operationGroup(forOperators)

export const operatorAccountOperations = [
  operation({
    id: 'listInstallationAccounts',
    route: 'GET /installation/accounts',
    description: 'In the order of their addresses.',
    query: schema.ListAccounts,
    returns: { 200: schema.AccountPage },
    run: (context, { query }) => listAccounts(context, query),
  }),
  operation({
    needsFreshProof: true,
    id: 'createInstallationAccount',
    route: 'POST /installation/accounts',
    body: schema.NewAccount,
    returns: { 201: schema.MadeAccount },
    fails: ['limit_reached'],
    example: { email: 'grace@example.com', name: 'Grace Hopper' },
    run: (context, { body }) => createAccount(context, body),
  }),
  operation({
    id: 'getInstallationAccount',
    route: 'GET /installation/accounts/:account_id',
    returns: { 200: schema.AccountView },
    run: (context, { params }) => getAccount(context, params.account_id),
  }),
  operation({
    needsFreshProof: true,
    id: 'disableInstallationAccount',
    route: 'POST /installation/accounts/:account_id/disable',
    returns: { 200: schema.DisabledAccount },
    fails: ['invalid_transition'],
    run: (context, { params }) => disableAccount(context, params.account_id),
  }),
  operation({
    needsFreshProof: true,
    id: 'enableInstallationAccount',
    route: 'POST /installation/accounts/:account_id/enable',
    returns: { 204: null },
    run: (context, { params }) => enableAccount(context, params.account_id),
  }),
  operation({
    needsFreshProof: true,
    id: 'createInstallationPasswordLink',
    route: 'POST /installation/accounts/:account_id/password-link',
    returns: { 200: schema.PasswordLink },
    fails: ['invalid_transition', 'limit_reached'],
    run: (context, { params }) => createPasswordLink(context, params.account_id),
  }),
  operation({
    needsFreshProof: true,
    id: 'removeInstallationFactors',
    route: 'DELETE /installation/accounts/:account_id/factors',
    returns: { 204: null },
    fails: ['invalid_transition'],
    run: (context, { params }) => removeAccountFactors(context, params.account_id),
  }),
  operation({
    needsFreshProof: true,
    id: 'endInstallationSessions',
    route: 'DELETE /installation/accounts/:account_id/sessions',
    bucket: 'safety',
    returns: { 200: EndedSessions },
    run: (context, { params }) => endAccountSessions(context, params.account_id),
  }),
  operation({
    id: 'listInstallationNames',
    route: 'GET /installation/names',
    query: schema.ListNames,
    returns: { 200: schema.NameList },
    run: (context, { query }) => listNames(context, query.ids),
  }),
]

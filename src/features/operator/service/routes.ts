/** Operations of the web console on the state of the service, for operators. */
import type { Services } from '../../../context.ts'
import { forOperators, operationGroupOf } from '../../../platform/http/operation.ts'
import { listMails, retryMail } from './mail.ts'
import { Brokers, Health, ListMails, ListTasks, MailPage, Settings, TaskPage } from './schema.ts'
import { type InstallationServices, listBrokers, listTasks } from './service-state.ts'

const operation = operationGroupOf<Services & InstallationServices>()(forOperators)

export const operatorServiceOperations = [
  operation({
    id: 'getInstallationHealth',
    route: 'GET /installation/health',
    returns: { 200: Health },
    run: ({ health }) => health.read(),
  }),
  operation({
    id: 'getInstallationSettings',
    route: 'GET /installation/settings',
    returns: { 200: Settings },
    run: ({ settings }) => Promise.resolve(settings()),
  }),
  operation({
    id: 'listInstallationBrokers',
    route: 'GET /installation/brokers',
    returns: { 200: Brokers },
    run: (context) => listBrokers(context),
  }),
  operation({
    id: 'listInstallationTasks',
    route: 'GET /installation/tasks',
    description: 'In the order in which they were made, latest first.',
    query: ListTasks,
    returns: { 200: TaskPage },
    run: (context, { query }) => listTasks(context, query),
  }),
  operation({
    id: 'listInstallationMails',
    route: 'GET /installation/mails',
    description: 'Newest first.',
    query: ListMails,
    returns: { 200: MailPage },
    run: (context, { query }) => listMails(context, query),
  }),
  operation({
    id: 'retryInstallationMail',
    route: 'POST /installation/mails/:mail_id/retry',
    needsFreshProof: true,
    returns: { 204: null },
    fails: ['invalid_transition'],
    run: (context, { params }) => retryMail(context, params.mail_id),
  }),
]

/** The operation of the web console that reads names in place of ids, for operators. */
import { operationGroup } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { listNames } from './names.ts'
import { ListNames, NameList } from './schema.ts'

const operation = operationGroup({
  tag: 'Installation',
  access: ['operator'],
  base: CONSOLE_BASE,
  isPlanFree: true,
  idempotency: 'own',
})

export const operatorNameOperations = [
  operation({
    id: 'listInstallationNames',
    route: 'GET /installation/names',
    query: ListNames,
    returns: { 200: NameList },
    run: (context, { query }) => listNames(context, query.ids),
  }),
]

/** The operation that lists the plans. */
import type { Services } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
import type { PlanServices } from './plan-directory.ts'
import { listPlans } from './plan.ts'
import { PlanList } from './schema.ts'

const planOperation = operationOf<Services & PlanServices>()

export const planOperations = [
  planOperation({
    id: 'listPlans',
    route: 'GET /plans',
    tag: 'Billing',
    summary: 'List the available plans',
    description:
      'Plans with their limits and prices, in minor units of their currency. Custom plans are not included. In an installation without plans there are no limits and no invoices.',
    access: ['user', 'platform-key'] as const,
    returns: { 200: PlanList },
    run: (context) => Promise.resolve(listPlans(context)),
  }),
]

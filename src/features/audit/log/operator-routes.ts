/** Operations of the web console on the audit log of the installation, for operators. */
import { operationGroup } from '../../../context.ts'
import { forOperators } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { listInstallationAudit, verifyInstallationAudit } from './audit-log.ts'
import { AuditEntryView, AuditLogQuery, Verification, VerifyQuery } from './schema.ts'

const operation = operationGroup(forOperators)

export const operatorAuditOperations = [
  operation({
    id: 'listInstallationAuditLog',
    route: 'GET /installation/audit-log',
    description: 'Newest first.',
    query: AuditLogQuery,
    returns: { 200: Page(AuditEntryView) },
    run: (context, { query }) => listInstallationAudit(context, query),
  }),
  operation({
    id: 'verifyInstallationAuditLog',
    route: 'GET /installation/audit-log/verify',
    query: VerifyQuery,
    returns: { 200: Verification },
    fails: ['verification_in_progress'],
    run: (context, { query }) => verifyInstallationAudit(context, query),
  }),
]

/** Validates an action's parameters before a job is accepted. */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { requireSmall, requireSmallConfig } from '../../common/json-object.ts'
import { actions } from './actions.ts'
import type { JobAction, JobParameters } from './schema.ts'
import * as store from './store.ts'

/**
 * A job may do what its creator may do to a single device.
 * @throws Failure permission_denied
 */
export function requireActionAllowed(
  { caller, workspaceId }: Context<StaffCaller>,
  action: JobAction,
): void {
  const { permission } = actions[action]
  if (callerHolds(caller, workspaceId, permission)) return
  throw new Failure('permission_denied', {
    detail: `The action ${action} needs the permission ${permission}, which the caller does not hold.`,
  })
}

function requireMembers(action: JobAction, parameters: JobParameters): void {
  const { takes = [], oneOf = [] } = actions[action]
  for (const name of Object.keys(parameters) as (keyof JobParameters)[]) {
    if (!takes.includes(name)) {
      throw invalid(`/parameters/${name}`, `does not belong to the action ${action}`)
    }
  }
  const isGiven = (name: keyof JobParameters): boolean => {
    const value = parameters[name]
    if (value === undefined) return false
    return typeof value !== 'object' || value === null || Object.keys(value).length > 0
  }
  if (oneOf.length > 0 && !oneOf.some(isGiven)) {
    throw invalid(`/parameters/${oneOf[0]}`, `is needed by the action ${action}`)
  }
}

/** @throws Failure invalid_request */
export async function requireParameters(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  action: JobAction,
  parameters: JobParameters,
): Promise<void> {
  requireMembers(action, parameters)
  const { payload = {}, config = {} } = parameters
  requireSmall('/parameters/payload', payload)
  requireSmallConfig('/parameters/config', config)
  const { template_id } = parameters
  if (template_id === undefined || template_id === null) return
  if (!(await store.hasTemplate.any(db, { workspaceId, id: uuidOf('tpl', template_id) }))) {
    throw invalid('/parameters/template_id', 'is not a template of this workspace')
  }
}

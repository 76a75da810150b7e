/** What an operation is called with: the services for its workspace, and what is of one request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { scopeOf } from './gate.ts'
import type { Passed } from './gate-hook.ts'
import type { Operation } from './operation.ts'
import { requestInfo } from './request-info.ts'

export interface CallOptions<Services> {
  services: Services
  /** The same services for one workspace, to which the database shows nothing of others. */
  within(workspaceId: string): Services
}

export function servicesOf<Services>(options: CallOptions<Services>, passed: Passed): Services {
  const scope = scopeOf(passed.caller, passed.workspaceId)
  return scope === undefined ? options.services : options.within(scope)
}

/** What an operation is called with that answers with a stream. */
export function callOf<Services>(
  operation: Operation<Services>,
  options: CallOptions<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const passed = request.passed as Passed
  const { caller, params, workspaceId } = passed
  const info = requestInfo(operation, request, reply)
  const services = servicesOf(options, passed)
  return { params, context: { ...services, caller, request: info, workspaceId } }
}

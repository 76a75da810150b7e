/**
 * Builds the argument of an operation's `run`: the services scoped to its workspace, and the
 * request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { scopeOf } from './gate.ts'
import type { Passed } from './gate-hook.ts'
import type { Operation } from './operation.ts'
import { requestInfo } from './request-info.ts'

export interface CallOptions<Services> {
  services: Services
  /** The same services, with a database connection that can see this workspace only. */
  within(workspaceId: string): Services
}

export function servicesOf<Services>(options: CallOptions<Services>, passed: Passed): Services {
  const scope = scopeOf(passed.caller, passed.workspaceId)
  return scope === undefined ? options.services : options.within(scope)
}

/** The argument of an operation that streams its response. */
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

/** Invites several people, one after the other. */
import type { CreateInvitation, Invitation } from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import { type Problem, type ProblemCode, problemOf } from '../../api/problem.ts'

/** The outcome of the invitation of an address. */
export interface Outcome {
  email: string
  /** Where no mail server sends it. */
  url: string | null
  problem: Problem | null
}

/** After these, the next address would be refused, too. */
const stops: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'offline',
  'limit_reached',
  'rate_limited',
  'permission_denied',
  'fresh_authentication_required',
  'mfa_required',
  'credential_missing',
  'credential_rejected',
])

/** @returns null if it failed: the list of invitations has it, too */
async function linkOf({ workspace_id: id, id: invitation_id }: Invitation): Promise<string | null> {
  const params = { id, invitation_id }
  const link = await call('createInvitationLink', { params }).catch(() => null)
  return link?.url ?? null
}

async function invite(id: string, body: CreateInvitation, hasMail: boolean): Promise<Outcome> {
  const { email } = body
  try {
    const made = await call('createInvitation', { params: { id }, body })
    return { email, url: hasMail ? null : await linkOf(made), problem: null }
  } catch (error) {
    return { email, url: null, problem: problemOf(error) }
  }
}

interface InviteAll {
  /** The id of the workspace. */
  id: string
  bodies: readonly CreateInvitation[]
  hasMail: boolean
  onOutcomes: (outcomes: readonly Outcome[]) => void
}

export async function inviteAll({ id, bodies, hasMail, onOutcomes }: InviteAll): Promise<void> {
  const outcomes: Outcome[] = []
  let problem: Problem | null = null
  for (const body of bodies) {
    const isStopped = problem !== null && stops.has(problem.code)
    const outcome: Outcome = isStopped
      ? { email: body.email, url: null, problem }
      : await invite(id, body, hasMail)
    problem = outcome.problem
    outcomes.push(outcome)
    onOutcomes([...outcomes])
  }
}

/** Background tasks of invitations. */
import type { Db } from '../../../platform/database/connect.ts'
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { expireInvitations } from './invitation-revocation.ts'

const EXPIRE = 'members.expire_invitations'

export const createMemberTasks = ({ db }: { db: Db }): Task[] => [
  { name: EXPIRE, run: () => expireInvitations(db) },
]

export const memberRepetitions: readonly Periodic[] = [{ task: EXPIRE, everyMs: 30_000 }]

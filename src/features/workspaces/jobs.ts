/** The end of deleted workspaces, as a task of the background. */
import type { Db } from '../../database/connect.ts'
import type { Periodic, Task } from '../../jobs/job.ts'
import { eraseWorkspaces } from './workspace-erasure.ts'

const ERASE = 'workspaces.erase'

export const createWorkspaceTasks = ({ db }: { db: Db }): Task[] => [
  { name: ERASE, run: async (_payload, signal) => void (await eraseWorkspaces(db, signal)) },
]

export const workspaceRepetitions: readonly Periodic[] = [{ task: ERASE, everyMs: 60_000 }]

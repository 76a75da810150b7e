/** Background task that erases deleted workspaces. */
import type { Db } from '../../../platform/database/connect.ts'
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import type { PlanServices } from '../../metering/plans/plan-directory.ts'
import { eraseWorkspaces, QUIET_MS } from './workspace-erasure.ts'

const ERASE = 'workspaces.erase'

export const createWorkspaceTasks = ({ db, plans }: { db: Db } & PlanServices): Task[] => [
  {
    name: ERASE,
    run: async (_payload, signal) => void (await eraseWorkspaces(db, signal, QUIET_MS, plans.isOn)),
  },
]

export const workspaceRepetitions: readonly Periodic[] = [{ task: ERASE, everyMs: 60_000 }]

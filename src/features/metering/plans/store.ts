/** The query for a workspace's chosen plan. */
import { type Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { readStored } from '../../../platform/lib/stored-json.ts'
import { Plan } from '../../common/plan-shapes.ts'

// Limits take effect before prices, if those begin with the next hour.
const present = sql(
  'plans.present',
  `SELECT plan FROM subscription_terms WHERE workspace_id = $workspaceId
   ORDER BY starts_at DESC LIMIT 1`,
)

export async function findChosenPlan(db: Db, workspaceId: string): Promise<Plan | undefined> {
  const [row] = await present.rows(db, { workspaceId })
  return row && readStored(Plan, row.plan)
}

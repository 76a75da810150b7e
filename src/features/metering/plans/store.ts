/** The query for a workspace's chosen plan. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { Plan } from '../../common/plan-shapes.ts'

// Limits take effect before prices, if those begin with the next hour.
const present = statement(
  'plans.present',
  `SELECT plan FROM subscription_terms WHERE workspace_id = $1
   ORDER BY starts_at DESC LIMIT 1`,
)

/** The plan as chosen; undefined if none was. */
export async function findChosenPlan(db: Db, workspaceId: string): Promise<Plan | undefined> {
  return (await db.query<{ plan: Plan }>(present, [workspaceId]))[0]?.plan
}

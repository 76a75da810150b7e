/** The query for a workspace's chosen plan. */
import { sql, stored } from '../../../platform/database/sql.ts'
import { Plan } from '../../common/plan-shapes.ts'

// Limits take effect before prices, if those begin with the next hour.
export const findChosenPlan = sql('plans.present')`
  SELECT ${stored('plan', Plan)} FROM subscription_terms WHERE workspace_id = $workspaceId
  ORDER BY starts_at DESC LIMIT 1`

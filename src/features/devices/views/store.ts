/** Queries on saved views. A view without a user is shared. */
import { isUniqueViolation } from '../../../platform/database/connect.ts'
import { type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { Columns } from './schema.ts'

export type ViewRow = RowOf<typeof insertView>

const columns = `workspace_id, id, user_id, name, filter, ${stored('columns', Columns)}, created_by,
  created_at, updated_at, revision`

export const insertView = sql('views.insert')`
  INSERT INTO views (workspace_id, id, user_id, name, filter, columns, created_by)
  VALUES ($workspaceId, $id, $userId?, $name, $filter?, $columns?, $createdBy)
  RETURNING ${columns}`

/** Counts the views of a user; without a user, the shared views. */
export const countViews = sql('views.count')`
  SELECT count(*) AS views FROM views
  WHERE workspace_id = $workspaceId AND user_id IS NOT DISTINCT FROM $userId?`

/** The views that the user sees; without a user, the shared ones. */
const visible = `workspace_id = $workspaceId AND (user_id IS NULL OR user_id = $userId?)`

export const listViews = sql('views.list')`
  SELECT ${columns} FROM views WHERE ${visible} ORDER BY name, id`
export const findView = sql('views.by_id')`
  SELECT ${columns} FROM views WHERE ${visible} AND id = $id`
export const lockView = sql('views.lock')`${findView.source} FOR UPDATE`
export const updateView = sql('views.update')`
  UPDATE views SET name = $name, filter = $filter?, columns = $columns?, user_id = $userId?,
    revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const deleteView = sql('views.delete')`
  DELETE FROM views WHERE workspace_id = $workspaceId AND id = $id`

export const isNameTaken = (error: unknown): boolean =>
  isUniqueViolation(error, 'views_own_name') || isUniqueViolation(error, 'views_shared_name')

/** Statements of job actions, each for all devices of a chunk. */
import { sql } from '../../../platform/database/sql.ts'

const update = (set: string) =>
  `UPDATE devices SET ${set}, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])`

export const changeTags = sql('fleet_actions.tag')`
  UPDATE devices SET tags = (tags || $set::jsonb) - $removed::text[], revision = revision + 1,
                     updated_at = now()
  WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])`
export const moveToTemplate = sql('fleet_actions.move')`${update('template_id = $templateId?')}`
export const markRotationAsked = sql('fleet_actions.request_rotation')`
  ${update('rotation_asked_at = now()')}`

/** Parts of statements that append to the audit log. */

export const INSERT_AUDIT = `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action,
  resource_kind, resource_id, request_id, address, detail)`

/** An entry that is given as parameters, in the order of its columns. */
export const AUDIT_ENTRY = `$workspaceId, $auditId, $actorKind, $actorId?, $action, $resourceKind?,
  $resourceId?, $requestId?, $address?, $detail`

/** The one place that inserts secrets of devices: the stores of several slices compose it. */

interface NewSecrets {
  /** What has the devices: a table of the statement. */
  from: string
  /** Columns or parameters of it; a hash that is null is no secret. */
  device: string
  generation: string
  mqttHash: string
  httpHash: string
  /** Without it they are confirmed. */
  expiresAt?: string
  issuedBy?: 'rotation' | 'reset'
}

/** SQL that inserts a password and a token of one generation for each device. */
export const secretsInsert = (secrets: NewSecrets): string => {
  const { from, device, generation, mqttHash, httpHash, expiresAt = 'NULL', issuedBy } = secrets
  return `INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash, expires_at,
                                      issued_by)
    SELECT $workspaceId, ${device}, secret.kind, ${generation}, secret.hash,
           ${expiresAt}::timestamptz, ${issuedBy === undefined ? 'NULL' : `'${issuedBy}'`}
    FROM ${from}, LATERAL (VALUES ('mqtt', ${mqttHash}), ('http', ${httpHash}))
      AS secret (kind, hash)
    WHERE secret.hash IS NOT NULL`
}

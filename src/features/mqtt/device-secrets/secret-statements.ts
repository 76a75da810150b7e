/** The common parts of statements on secrets: the stores of several slices compose them. */

interface NewSecrets {
  /** The table of the statement that has the devices. */
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

/** Pending generations valid at once; see docs/decisions/0004-pending-generations.md. */
const PENDING_GENERATIONS = 32

/** SQL: the pending secret `s` ends when its owner, a row of `owner`, gets a new generation. */
export const isOutdatedBy = (owner: string): string => `s.expires_at IS NOT NULL
      AND (s.generation <= ${owner}.generation - ${PENDING_GENERATIONS} OR s.expires_at <= now())`

interface SecretTable {
  table: string
  /** SQL that finds the secrets of `$ref` there. */
  own: string
  /** Further assignments to the confirmed one. */
  also?: string
  change: 'device' | 'mqtt-principal'
}

/**
 * SQL that confirms a pending secret and deletes older ones. All secrets are locked in one order:
 * two concurrent confirmations would otherwise deadlock deleting each other.
 */
export const secretConfirmation = ({ table, own, also = '', change }: SecretTable): string =>
  `WITH held AS (
     SELECT generation FROM ${table} WHERE ${own} AND generation <= $generation
     ORDER BY generation FOR UPDATE
   ), confirmed AS (
     UPDATE ${table} SET expires_at = NULL${also} WHERE ${own} AND expires_at > now()
       AND generation = (SELECT max(generation) FROM held WHERE generation = $generation)
     RETURNING generation
   ), announced AS (
     INSERT INTO changes (kind, ref) SELECT '${change}', $ref::uuid FROM confirmed
   ), dead AS (
     DELETE FROM ${table} s USING confirmed
     WHERE ${own} AND s.generation < confirmed.generation
   )
   SELECT generation FROM confirmed`

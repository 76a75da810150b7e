/** Statements on stored sessions: one claims the store for a process, one writes a whole batch. */
import { type ParamsOf, type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { Identifiers, StoredWill, Subscriptions } from './schema.ts'

/** Takes the store. @returns the last sign of life of its previous process */
export const claim = sql('mqtt_store.claim')`
  WITH last AS (SELECT seen_at FROM mqtt_store FOR UPDATE)
  UPDATE mqtt_store SET epoch = epoch + 1, seen_at = now() FROM last
  RETURNING epoch, last.seen_at AS last_seen_at`

export const findWorkspacesToStore = sql('mqtt_store.workspaces')`
  SELECT id FROM workspaces WHERE mqtt_durable`

export const readSessions = sql('mqtt_store.sessions')`
  SELECT workspace_id, id, principal_id, client_id, credential_version, protocol_version,
    incarnation, expiry_s, ${stored('subscriptions', Subscriptions)},
    ${stored('will', StoredWill)}, away_at, unsent_from
  FROM mqtt_stored_sessions
  WHERE (workspace_id, id) > ($workspaceId, $id) ORDER BY workspace_id, id LIMIT $limit`

export const readMessages = sql('mqtt_store.messages')`
  SELECT workspace_id, session_id, seq, packet_id, qos, retain, is_released, topic, payload,
    properties, expires_at, ${stored('identifiers', Identifiers)}, share
  FROM mqtt_stored_messages
  WHERE (workspace_id, session_id, seq) > ($workspaceId, $sessionId, $seq)
  ORDER BY workspace_id, session_id, seq LIMIT $limit`

export const readReceipts = sql('mqtt_store.receipts')`
  SELECT workspace_id, session_id, array_agg(packet_id) AS packet_ids! FROM mqtt_stored_receipts
  GROUP BY workspace_id, session_id`

export const readRetained = sql('mqtt_store.retained')`
  SELECT * FROM mqtt_retained_messages
  WHERE (workspace_id, topic_hash) > ($workspaceId, $topicHash)
  ORDER BY workspace_id, topic_hash LIMIT $limit`

export type SessionRow = RowOf<typeof readSessions>
export type MessageRow = RowOf<typeof readMessages>
export type RetainedRow = RowOf<typeof readRetained>

/**
 * Writes a batch. Nothing is written, and no row returned, if another process has the store. Rows
 * of a workspace that is deleted meanwhile are left out.
 */
export const writeBatch = sql('mqtt_store.write')`
  WITH owner AS (
    UPDATE mqtt_store SET seen_at = now() WHERE epoch = $epoch RETURNING epoch
  ), gone AS (
    SELECT g.* FROM owner, unnest($goneIn::uuid[], $gone::bigint[]) AS g (workspace_id, id)
  ), gone_sessions AS (
    DELETE FROM mqtt_stored_sessions s USING gone g
    WHERE s.workspace_id = g.workspace_id AND s.id = g.id
  ), gone_messages AS (
    DELETE FROM mqtt_stored_messages m USING gone g
    WHERE m.workspace_id = g.workspace_id AND m.session_id = g.id
  ), gone_receipts AS (
    DELETE FROM mqtt_stored_receipts r USING gone g
    WHERE r.workspace_id = g.workspace_id AND r.session_id = g.id
  ), saved AS (
    INSERT INTO mqtt_stored_sessions (workspace_id, id, principal_id, client_id,
      credential_version, protocol_version, incarnation, expiry_s, subscriptions, will, away_at,
      unsent_from)
    SELECT s.* FROM owner
    CROSS JOIN unnest($savedIn::uuid[], $saved::bigint[], $principals::text[],
      $clientIds::text[], $credentialVersions::bigint[], $protocolVersions::smallint[],
      $incarnations::bigint[], $expiries::bigint[], $subscriptions::jsonb[], $wills::jsonb[],
      $awayAts::timestamptz[], $unsentFroms::bigint[]) AS s (workspace_id, id, principal_id,
      client_id, credential_version, protocol_version, incarnation, expiry_s, subscriptions,
      will, away_at, unsent_from)
    JOIN workspaces w ON w.id = s.workspace_id
    ON CONFLICT (workspace_id, id) DO UPDATE SET
      credential_version = excluded.credential_version,
      protocol_version = excluded.protocol_version, incarnation = excluded.incarnation,
      expiry_s = excluded.expiry_s, subscriptions = excluded.subscriptions,
      will = excluded.will, away_at = excluded.away_at, unsent_from = excluded.unsent_from
  ), queued AS (
    INSERT INTO mqtt_stored_messages (workspace_id, session_id, seq, packet_id, qos, retain,
      is_released, topic, payload, properties, expires_at, identifiers, share)
    SELECT m.* FROM owner
    CROSS JOIN unnest($queuedIn::uuid[], $queuedFor::bigint[], $seqs::bigint[],
      $packetIds::int[], $qos::smallint[], $retains::boolean[], $areReleased::boolean[],
      $topics::text[], $payloads::bytea[], $properties::bytea[], $expiresAts::timestamptz[],
      $identifiers::jsonb[], $shares::text[]) AS m (workspace_id, session_id, seq, packet_id,
      qos, retain, is_released, topic, payload, properties, expires_at, identifiers, share)
    JOIN workspaces w ON w.id = m.workspace_id
    ON CONFLICT DO NOTHING
  ), released AS (
    UPDATE mqtt_stored_messages m SET is_released = true, payload = '', properties = ''
    FROM owner, unnest($releasedIn::uuid[], $releasedFor::bigint[], $released::bigint[])
      AS r (workspace_id, session_id, seq)
    WHERE m.workspace_id = r.workspace_id AND m.session_id = r.session_id AND m.seq = r.seq
  ), taken AS (
    DELETE FROM mqtt_stored_messages m
    USING owner, unnest($takenIn::uuid[], $takenFrom::bigint[], $taken::bigint[])
      AS t (workspace_id, session_id, seq)
    WHERE m.workspace_id = t.workspace_id AND m.session_id = t.session_id AND m.seq = t.seq
  ), received AS (
    INSERT INTO mqtt_stored_receipts (workspace_id, session_id, packet_id)
    SELECT r.* FROM owner
    CROSS JOIN unnest($receivedIn::uuid[], $receivedBy::bigint[], $received::int[])
      AS r (workspace_id, session_id, packet_id)
    JOIN workspaces w ON w.id = r.workspace_id
    ON CONFLICT DO NOTHING
  ), unreceived AS (
    DELETE FROM mqtt_stored_receipts r
    USING owner, unnest($unreceivedIn::uuid[], $unreceivedBy::bigint[], $unreceived::int[])
      AS f (workspace_id, session_id, packet_id)
    WHERE r.workspace_id = f.workspace_id AND r.session_id = f.session_id
      AND r.packet_id = f.packet_id
  ), retained AS (
    INSERT INTO mqtt_retained_messages (workspace_id, topic_hash, topic, payload, qos,
      properties, expires_at, principal_id)
    SELECT t.* FROM owner
    CROSS JOIN unnest($retainedIn::uuid[], $retainedHashes::bytea[], $retainedTopics::text[],
      $retainedPayloads::bytea[], $retainedQos::smallint[], $retainedProperties::bytea[],
      $retainedUntil::timestamptz[], $owners::text[]) AS t (workspace_id, topic_hash, topic,
      payload, qos, properties, expires_at, principal_id)
    JOIN workspaces w ON w.id = t.workspace_id
    ON CONFLICT (workspace_id, topic_hash) DO UPDATE SET
      payload = excluded.payload, qos = excluded.qos, properties = excluded.properties,
      expires_at = excluded.expires_at, principal_id = excluded.principal_id
  ), unretained AS (
    DELETE FROM mqtt_retained_messages t
    USING owner, unnest($unretainedIn::uuid[], $unretained::bytea[])
      AS u (workspace_id, topic_hash)
    WHERE t.workspace_id = u.workspace_id AND t.topic_hash = u.topic_hash
  )
  SELECT epoch FROM owner`

export type BatchParams = ParamsOf<typeof writeBatch>

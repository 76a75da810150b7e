/** Queries on examinations of brokers. */
import { sql, stored } from '../../../platform/database/sql.ts'
import { StoredResults } from './schema.ts'

const columns = `id, broker, status, address, problem, created_by, created_at, ended_at`
const withResults = `${columns}, ${stored('results', StoredResults)}`

/** Longer than an examination takes: its process has ended without a word. */
const LOST = `interval '15 minutes'`

export const closeLostRuns = sql('doctor_runs.close_lost')`
  UPDATE doctor_runs SET status = 'failed', ended_at = now(),
    problem = 'The process that examined the broker has ended.'
  WHERE ended_at IS NULL AND created_at < now() - ${LOST}`
/** @returns nothing while another one of the broker runs */
export const insertRun = sql('doctor_runs.insert')`
  INSERT INTO doctor_runs (id, broker, created_by) VALUES ($id, $broker, $createdBy)
  ON CONFLICT (broker) WHERE ended_at IS NULL DO NOTHING RETURNING ${withResults}`
export const deleteOldRuns = sql('doctor_runs.delete_old')`
  DELETE FROM doctor_runs WHERE ended_at IS NOT NULL AND id <= (
    SELECT id FROM doctor_runs ORDER BY id DESC OFFSET 100 LIMIT 1)`
export const beginRun = sql('doctor_runs.begin')`
  UPDATE doctor_runs SET status = 'running', results = '[]' WHERE id = $id AND ended_at IS NULL
  RETURNING broker`
export const addResult = sql('doctor_runs.add_result')`
  UPDATE doctor_runs SET results = results || $result::jsonb
  WHERE id = $id AND ended_at IS NULL`
export const endRun = sql('doctor_runs.end')`
  UPDATE doctor_runs SET status = $status, address = $address?, problem = $problem?,
    ended_at = now()
  WHERE id = $id AND ended_at IS NULL`
export const findRun = sql('doctor_runs.find')`
  SELECT ${withResults} FROM doctor_runs WHERE id = $id`
export const pageOfRuns = sql('doctor_runs.page')`
  SELECT ${columns},
    (SELECT count(*) FROM jsonb_array_elements(results) r WHERE r ->> 'verdict' = 'fail') AS holes!
  FROM doctor_runs WHERE $after?::uuid IS NULL OR id < $after ORDER BY id DESC LIMIT $limit`

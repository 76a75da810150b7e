/**
 * The values that occur among devices, from the indexes that filters use. Each value is found by
 * a descent of the index, past all entries of the value before it.
 */
import { sql } from '../../../platform/database/sql.ts'

/** Steps from one distinct value of an index to the next; `first` and `next` are subqueries. */
const distinct = (first: string, next: string): string =>
  `WITH RECURSIVE step AS (
     SELECT (${first}) AS value
     UNION ALL
     SELECT (${next}) FROM step WHERE step.value IS NOT NULL
   ), found AS MATERIALIZED (
     SELECT step.value FROM step WHERE step.value IS NOT NULL LIMIT $limit
   )`

const label = (condition: string): string =>
  `SELECT l.label FROM device_labels l
   WHERE l.workspace_id = $workspaceId AND ${condition} AND l.label < $to
   ORDER BY l.label LIMIT 1`

/** A label without its value, and what sorts after all labels that begin so. */
const head = `split_part(step.value, '=', 1)`
const past = `(${head} || '>') COLLATE "C"`

/** The names of tags or custom fields, with the number of devices that have each. */
export const labelNames = sql('device_facets.names')`
  ${distinct(label('l.label >= $from'), label(`l.label >= ${past}`))}
  SELECT substr(split_part(found.value, '=', 1), 3) AS name!,
    (SELECT count(*)::integer FROM (
       SELECT FROM device_labels l
       WHERE l.workspace_id = $workspaceId
         AND l.label >= (split_part(found.value, '=', 1) || '=') COLLATE "C"
         AND l.label < (split_part(found.value, '=', 1) || '>') COLLATE "C"
       LIMIT $max) AS devices) AS count!
  FROM found`

/** The labels of a tag or custom field, with the number of devices that have each. */
export const labelValues = sql('device_facets.values')`
  ${distinct(label('l.label >= $from'), label('l.label > step.value'))}
  SELECT found.value AS label!,
    (SELECT count(*)::integer FROM (
       SELECT FROM device_labels l
       WHERE l.workspace_id = $workspaceId AND l.label = found.value
       LIMIT $max) AS devices) AS count!
  FROM found`

const template = (condition: string): string =>
  `SELECT d.template_id FROM devices d
   WHERE d.workspace_id = $workspaceId AND ${condition} ORDER BY d.template_id LIMIT 1`

/** The templates that devices have, with the number of devices of each. */
export const usedTemplates = sql('device_facets.templates')`
  ${distinct(template('d.template_id IS NOT NULL'), template('d.template_id > step.value'))}
  SELECT found.value AS id!,
    (SELECT count(*)::integer FROM (
       SELECT FROM devices d
       WHERE d.workspace_id = $workspaceId AND d.template_id = found.value
       LIMIT $max) AS devices) AS count!
  FROM found`

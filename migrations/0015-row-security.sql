-- compatible
-- Tenant isolation by row-level security. A role that does not own the tables sees, writes and
-- deletes only the rows of the workspace that the setting `mooring.workspace` names. It has access
-- to no rows while the setting is empty or unset. The policies do not apply to the owner, which
-- runs migrations, jobs and sign-in. They therefore do not apply to earlier builds either. The
-- privileges of the role that serves requests are granted at each start.
--
-- The file changes every table that belongs to workspaces, because a table without a policy would
-- be a gap. Only the catalogue changes, so the locks are held for a moment. If another transaction
-- blocks a lock for too long, the whole file is rolled back and retried.

DO $$
DECLARE
  place record;
  rule text;
BEGIN
  FOR place IN
    SELECT c.oid::regclass AS name, c.relname, a.attname AS key
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      AND a.attname = CASE c.relname WHEN 'workspaces' THEN 'id' ELSE 'workspace_id' END
    ORDER BY c.relname COLLATE "C"
  LOOP
    rule := format('%I = NULLIF(current_setting(''mooring.workspace'', true), '''')::uuid',
                   place.key);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', place.name);
    EXECUTE format('CREATE POLICY workspace ON %s USING (%s) WITH CHECK (%s)',
                   place.name, rule, rule);
  END LOOP;
END $$;

-- Requests enqueue background jobs in the transaction of the change that needs them. They have no
-- other access to the schema of the queue. The library of the queue creates this schema after the
-- migrations. Postgres resolves the names in the body of this function only when the function runs.
CREATE FUNCTION enqueue_job(
  task text, payload json, queue text, due timestamptz, attempts integer, key text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  PERFORM graphile_worker.add_job(task, payload, queue_name => queue, run_at => due,
                                  max_attempts => attempts, job_key => key);
END $$;
REVOKE ALL ON FUNCTION enqueue_job FROM PUBLIC;

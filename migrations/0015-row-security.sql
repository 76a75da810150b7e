-- compatible
-- The second wall: whoever does not own the tables sees, writes and deletes only the rows of the
-- workspace that the setting `mooring.workspace` names; nobody's when it is empty or unset.
-- The owner, who runs migrations, jobs and sign-in, is not held back, and so neither is a build
-- before this file. What the role of requests may do at all is granted at each start.
--
-- It touches every table, because a table left out would be a hole. Only the catalogue changes, so
-- that the locks are over in a moment; whoever is in the way has the whole file tried again.

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

-- Requests ask for work in the background with the change that needs it, and may do nothing else in
-- the queue's own schema. That is made by its library after the migrations; the body of a function
-- is looked at when it runs.
CREATE FUNCTION enqueue_job(
  task text, payload json, queue text, due timestamptz, attempts integer, key text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  PERFORM graphile_worker.add_job(task, payload, queue_name => queue, run_at => due,
                                  max_attempts => attempts, job_key => key);
END $$;
REVOKE ALL ON FUNCTION enqueue_job FROM PUBLIC;

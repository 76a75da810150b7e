-- compatible
-- Examinations of brokers that operators have started in the console. At most one examination of a
-- broker runs at a time.
CREATE TABLE doctor_runs (
  id uuid PRIMARY KEY,
  broker text NOT NULL,
  status text NOT NULL DEFAULT 'queued'
    CONSTRAINT doctor_runs_status CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  -- The address at which the broker was reached.
  address text,
  -- The reason why the broker could not be examined.
  problem text,
  results jsonb NOT NULL DEFAULT '[]',
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE UNIQUE INDEX doctor_runs_open ON doctor_runs (broker) WHERE ended_at IS NULL;

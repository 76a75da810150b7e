-- compatible
-- Examinations of brokers that operators have started in the console. One of each broker runs at a
-- time.
CREATE TABLE doctor_runs (
  id uuid PRIMARY KEY,
  broker text NOT NULL,
  status text NOT NULL DEFAULT 'queued'
    CONSTRAINT doctor_runs_status CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  -- Where the broker was reached.
  address text,
  -- Why it could not be examined.
  problem text,
  results jsonb NOT NULL DEFAULT '[]',
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE UNIQUE INDEX doctor_runs_open ON doctor_runs (broker) WHERE ended_at IS NULL;

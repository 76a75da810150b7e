-- compatible
-- Jobs over a fleet, rotation campaigns, and when a device was asked to rotate. Of the tables that
-- are there only `devices` is touched.

-- Null as long as nobody asked. Confirmed secrets from before it are due for rotation.
ALTER TABLE devices ADD COLUMN rotation_asked_at timestamptz;

CREATE TABLE jobs (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  action       text NOT NULL,
  parameters   jsonb NOT NULL DEFAULT '{}',
  -- As it was written; null for a list of devices, or for what failed of another job.
  filter       text,
  retry_of     uuid,
  status       text NOT NULL
               CHECK (status IN ('preparing', 'running', 'completed', 'cancelled', 'failed')),
  -- Why it failed as a whole.
  failure      text,
  -- How far the set was gathered; opaque.
  expanded_to  text,
  total        integer NOT NULL DEFAULT 0,
  succeeded    integer NOT NULL DEFAULT 0,
  failed       integer NOT NULL DEFAULT 0,
  skipped      integer NOT NULL DEFAULT 0,
  actor_kind   text NOT NULL,
  actor_id     text,
  request_id   text,
  address      text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  ended_at     timestamptz,
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT jobs_retry_of UNIQUE (workspace_id, retry_of),
  FOREIGN KEY (workspace_id, retry_of) REFERENCES jobs ON DELETE SET NULL (retry_of),
  CHECK ((status IN ('preparing', 'running')) = (ended_at IS NULL))
);
CREATE INDEX jobs_open ON jobs (workspace_id, id) WHERE ended_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

-- The devices of a job. They are named also when they are gone: no key refers to them.
CREATE TABLE job_items (
  workspace_id uuid NOT NULL,
  job_id       uuid NOT NULL,
  device_id    uuid NOT NULL,
  status       text NOT NULL DEFAULT 'pending'
               CHECK (status IN ('pending', 'succeeded', 'failed', 'skipped')),
  code         text,
  detail       text,
  ended_at     timestamptz,
  PRIMARY KEY (workspace_id, job_id, device_id),
  FOREIGN KEY (workspace_id, job_id) REFERENCES jobs ON DELETE CASCADE
);
CREATE INDEX job_items_status ON job_items (workspace_id, job_id, status, device_id);

CREATE TABLE rotation_campaigns (
  workspace_id     uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id               uuid NOT NULL,
  filter           text,
  status           text NOT NULL CHECK (status IN ('preparing', 'running', 'paused', 'halted',
                                                   'completed', 'cancelled', 'failed')),
  failure          text,
  -- One of both.
  wave_size        integer,
  wave_percent     integer,
  pause_s          integer NOT NULL,
  confirm_within_s integer NOT NULL,
  max_failure_rate float8 NOT NULL,
  expanded_to      text,
  -- The newest wave; 0 before the first.
  wave             integer NOT NULL DEFAULT 0,
  -- Devices of the newest wave that are still to be asked.
  wave_left        integer NOT NULL DEFAULT 0,
  -- Waves from this one on count for the failure rate.
  judged_from      integer NOT NULL DEFAULT 1,
  -- When the newest wave was found finished.
  wave_ended_at    timestamptz,
  total            integer NOT NULL DEFAULT 0,
  due              integer NOT NULL DEFAULT 0,
  waiting          integer NOT NULL DEFAULT 0,
  notified         integer NOT NULL DEFAULT 0,
  rotated          integer NOT NULL DEFAULT 0,
  confirmed        integer NOT NULL DEFAULT 0,
  failed           integer NOT NULL DEFAULT 0,
  actor_kind       text NOT NULL,
  actor_id         text,
  request_id       text,
  address          text,
  created_at       timestamptz NOT NULL DEFAULT now(),
  ended_at         timestamptz,
  PRIMARY KEY (workspace_id, id),
  CHECK (num_nonnulls(wave_size, wave_percent) = 1)
);
CREATE INDEX rotation_campaigns_open ON rotation_campaigns (workspace_id, id)
  WHERE ended_at IS NULL;

CREATE TABLE rotation_campaign_devices (
  workspace_id     uuid NOT NULL,
  campaign_id      uuid NOT NULL,
  device_id        uuid NOT NULL,
  status           text NOT NULL DEFAULT 'due' CHECK (status IN ('due', 'waiting', 'notified',
                                                                'rotated', 'confirmed', 'failed')),
  wave             integer,
  asked_at         timestamptz,
  -- The generation of its newest secrets when it was asked: what is newer, it has rotated to.
  asked_generation integer,
  -- When it was first found online after it was asked: from then on it could have rotated.
  online_at        timestamptz,
  code             text,
  ended_at         timestamptz,
  PRIMARY KEY (workspace_id, campaign_id, device_id),
  FOREIGN KEY (workspace_id, campaign_id) REFERENCES rotation_campaigns ON DELETE CASCADE
);
CREATE INDEX rotation_campaign_devices_status
  ON rotation_campaign_devices (workspace_id, campaign_id, status, device_id);
-- What is looked at again and again, until it is confirmed or has failed.
CREATE INDEX rotation_campaign_devices_open
  ON rotation_campaign_devices (workspace_id, campaign_id, device_id)
  WHERE status IN ('waiting', 'notified', 'rotated');

-- compatible
-- Jobs for many devices, rotation campaigns, and the time at which a device was asked to rotate its
-- secrets. Of the existing tables, only `devices` changes.

-- The time at which the device was last asked to rotate. Null: never. Confirmed secrets from before
-- this time are due for rotation.
ALTER TABLE devices ADD COLUMN rotation_asked_at timestamptz;

CREATE TABLE jobs (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  action       text NOT NULL,
  parameters   jsonb NOT NULL DEFAULT '{}',
  -- The filter as the caller wrote it. Null for a list of devices, and for a retry of the failed
  -- devices of another job.
  filter       text,
  retry_of     uuid,
  status       text NOT NULL
               CHECK (status IN ('preparing', 'running', 'completed', 'cancelled', 'failed')),
  -- The reason, if the job failed as a whole.
  failure      text,
  -- An opaque cursor: how far the devices of the job have been collected.
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

-- The devices of a job. There is no foreign key to devices, so that the rows of deleted devices
-- remain.
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
  -- Exactly one of the two is set.
  wave_size        integer,
  wave_percent     integer,
  pause_s          integer NOT NULL,
  confirm_within_s integer NOT NULL,
  max_failure_rate float8 NOT NULL,
  expanded_to      text,
  -- The number of the newest wave; 0 before the first.
  wave             integer NOT NULL DEFAULT 0,
  -- The number of devices of the newest wave that have not been asked yet.
  wave_left        integer NOT NULL DEFAULT 0,
  -- The first wave that counts for the failure rate; all later waves count too.
  judged_from      integer NOT NULL DEFAULT 1,
  -- The time at which the newest wave was found to be finished.
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
  -- The generation of the device's newest secrets when it was asked. Secrets of a later generation
  -- are the result of a rotation.
  asked_generation integer,
  -- The time at which the device was first found to have been online after it was asked. From then
  -- on it was able to rotate.
  online_at        timestamptz,
  code             text,
  ended_at         timestamptz,
  PRIMARY KEY (workspace_id, campaign_id, device_id),
  FOREIGN KEY (workspace_id, campaign_id) REFERENCES rotation_campaigns ON DELETE CASCADE
);
CREATE INDEX rotation_campaign_devices_status
  ON rotation_campaign_devices (workspace_id, campaign_id, status, device_id);
-- The devices that are checked repeatedly until they are confirmed or have failed.
CREATE INDEX rotation_campaign_devices_open
  ON rotation_campaign_devices (workspace_id, campaign_id, device_id)
  WHERE status IN ('waiting', 'notified', 'rotated');

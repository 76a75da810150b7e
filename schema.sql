CREATE SEQUENCE public.events_seq AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE TABLE public.acme_accounts (
  id uuid NOT NULL,
  directory_url text NOT NULL,
  sealed_key bytea NOT NULL,
  url text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT acme_accounts_pkey PRIMARY KEY (id),
  CONSTRAINT acme_accounts_directory_url_key UNIQUE (directory_url)
);

CREATE TABLE public.acme_orders (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  domain_id uuid NOT NULL,
  name text NOT NULL,
  challenge text NOT NULL,
  is_renewal boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'ordering'::text,
  url text,
  token text,
  proof text,
  sealed_key bytea,
  looks integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  refusals integer NOT NULL DEFAULT 0,
  next_at timestamp with time zone DEFAULT now(),
  problem text,
  node uuid,
  turn uuid,
  turn_until timestamp with time zone,
  created_by text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT acme_orders_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT acme_orders_challenge_check CHECK ((challenge = ANY (ARRAY['http-01'::text, 'dns-01'::text]))),
  CONSTRAINT acme_orders_status_check CHECK ((status = ANY (ARRAY['ordering'::text, 'waiting'::text, 'validating'::text, 'finalizing'::text, 'issued'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT acme_orders_workspace_id_domain_id_fkey FOREIGN KEY (workspace_id, domain_id) REFERENCES public.domains(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX acme_orders_due ON public.acme_orders USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX acme_orders_of_domain ON public.acme_orders USING btree (workspace_id, domain_id, created_at);
CREATE UNIQUE INDEX acme_orders_open ON public.acme_orders USING btree (workspace_id, domain_id) WHERE (ended_at IS NULL);
CREATE INDEX acme_orders_token ON public.acme_orders USING btree (token) WHERE (token IS NOT NULL);
ALTER TABLE public.acme_orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.acme_orders AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.api_keys (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  hint text NOT NULL,
  template_ids uuid[],
  actions text[] NOT NULL DEFAULT '{register,rotate}'::text[],
  allowed_cidrs text[],
  rate_per_min integer,
  device_quota integer,
  registered integer NOT NULL DEFAULT 0,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_ip text,
  revision integer NOT NULL DEFAULT 1,
  on_known_device text NOT NULL DEFAULT 'rotate'::text,
  approval text NOT NULL DEFAULT 'none'::text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT api_keys_approval CHECK ((approval = ANY (ARRAY['none'::text, 'required'::text]))),
  CONSTRAINT api_keys_check CHECK (((kind = 'provision'::text) OR ((expires_at IS NULL) AND (device_quota IS NULL)))),
  CONSTRAINT api_keys_kind_check CHECK ((kind = ANY (ARRAY['platform'::text, 'provision'::text]))),
  CONSTRAINT api_keys_on_known_device CHECK ((on_known_device = ANY (ARRAY['rotate'::text, 'rotate_unclaimed'::text, 'replay_only'::text, 'refuse'::text]))),
  CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_hash ON public.api_keys USING btree (hash);
ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.api_keys AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.audit_anchors (
  workspace_id uuid NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  anchored_at timestamp(3) with time zone NOT NULL,
  jws text NOT NULL,
  CONSTRAINT audit_anchors_pkey PRIMARY KEY (workspace_id, seq)
);
ALTER TABLE public.audit_anchors ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.audit_anchors AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.audit_batches (
  workspace_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  ids uuid[] NOT NULL,
  hashes bytea[] NOT NULL,
  least_id uuid NOT NULL,
  greatest_id uuid NOT NULL,
  CONSTRAINT audit_batches_pkey PRIMARY KEY (workspace_id, last_seq)
);
CREATE INDEX audit_batches_ids ON public.audit_batches USING btree (workspace_id, greatest_id);
ALTER TABLE public.audit_batches ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.audit_batches AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.audit_chains (
  workspace_id uuid NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  mac bytea NOT NULL,
  sealed_at timestamp with time zone NOT NULL,
  pruned_seq bigint NOT NULL DEFAULT 0,
  pruned_hash bytea,
  pruned_mac bytea,
  CONSTRAINT audit_chains_pkey PRIMARY KEY (workspace_id)
);
ALTER TABLE public.audit_chains ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.audit_chains AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.audit_counts (
  workspace_id uuid NOT NULL,
  window_start timestamp with time zone NOT NULL,
  action text NOT NULL,
  address_block text NOT NULL,
  written integer NOT NULL DEFAULT 0,
  counted bigint NOT NULL DEFAULT 0,
  first_at timestamp with time zone,
  last_at timestamp with time zone,
  CONSTRAINT audit_counts_pkey PRIMARY KEY (workspace_id, window_start, action, address_block)
);
CREATE INDEX audit_counts_window ON public.audit_counts USING btree (window_start);
ALTER TABLE public.audit_counts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.audit_counts AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.audit_log (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  actor_kind text NOT NULL,
  actor_id text,
  action text NOT NULL,
  resource_kind text,
  resource_id text,
  request_id text,
  address text,
  detail jsonb NOT NULL DEFAULT '{}'::jsonb,
  seq bigint,
  hash bytea,
  CONSTRAINT audit_log_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX audit_log_action ON public.audit_log USING btree (workspace_id, action, id);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (workspace_id, actor_id, id);
CREATE INDEX audit_log_resource ON public.audit_log USING btree (workspace_id, resource_id, id);
CREATE UNIQUE INDEX audit_log_seq ON public.audit_log USING btree (workspace_id, seq) WHERE (seq IS NOT NULL);
CREATE TRIGGER audit_log_enqueued AFTER INSERT ON public.audit_log REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_enqueue();
CREATE TRIGGER audit_log_kept BEFORE UPDATE OF seq, hash ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_is_kept();
ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.audit_log AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.audit_queue (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  ids uuid[] NOT NULL,
  CONSTRAINT audit_queue_pkey PRIMARY KEY (workspace_id, id)
);
ALTER TABLE public.audit_queue ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.audit_queue AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.authorization_codes (
  code_hash bytea NOT NULL,
  code_challenge bytea NOT NULL,
  session_id uuid NOT NULL,
  sign_in_version integer NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT authorization_codes_pkey PRIMARY KEY (code_hash),
  CONSTRAINT authorization_codes_code_challenge_check CHECK ((octet_length(code_challenge) = 32)),
  CONSTRAINT authorization_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.user_sessions(id) ON DELETE CASCADE
);
CREATE INDEX authorization_codes_session ON public.authorization_codes USING btree (session_id);

CREATE TABLE public.broker_bridges (
  name text NOT NULL,
  holder uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  problem text,
  CONSTRAINT broker_bridges_pkey PRIMARY KEY (name)
);

CREATE TABLE public.changes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kind text NOT NULL,
  ref uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT changes_pkey PRIMARY KEY (id)
);
CREATE INDEX changes_at ON public.changes USING btree (at);
CREATE INDEX changes_xid ON public.changes USING btree (xid);

CREATE TABLE public.claims (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  shown_by text NOT NULL,
  moid_id uuid,
  name text,
  code_hash bytea NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  device_id uuid,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  bound_at timestamp with time zone,
  ended_at timestamp with time zone,
  revision integer NOT NULL DEFAULT 1,
  counted_under text,
  CONSTRAINT claims_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT claims_code UNIQUE (workspace_id, code_hash),
  CONSTRAINT claims_check CHECK (
CASE shown_by
    WHEN 'phone'::text THEN (moid_id IS NOT NULL)
    ELSE (device_id IS NOT NULL)
END),
  CONSTRAINT claims_check1 CHECK (((status <> ALL (ARRAY['bound'::text, 'released'::text])) OR ((moid_id IS NOT NULL) AND (device_id IS NOT NULL) AND (bound_at IS NOT NULL)))),
  CONSTRAINT claims_check2 CHECK (((status = ANY (ARRAY['open'::text, 'bound'::text])) = (ended_at IS NULL))),
  CONSTRAINT claims_shown_by_check CHECK ((shown_by = ANY (ARRAY['phone'::text, 'device'::text]))),
  CONSTRAINT claims_status_check CHECK ((status = ANY (ARRAY['open'::text, 'bound'::text, 'released'::text, 'expired'::text, 'cancelled'::text]))),
  CONSTRAINT claims_moid_id_fkey FOREIGN KEY (moid_id) REFERENCES public.moids(id) ON DELETE CASCADE,
  CONSTRAINT claims_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE,
  CONSTRAINT claims_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX claims_bound_device ON public.claims USING btree (workspace_id, device_id) WHERE (status = 'bound'::text);
CREATE INDEX claims_device ON public.claims USING btree (workspace_id, device_id) WHERE (device_id IS NOT NULL);
CREATE INDEX claims_ended ON public.claims USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX claims_moid ON public.claims USING btree (moid_id, id) WHERE (moid_id IS NOT NULL);
CREATE INDEX claims_moid_live ON public.claims USING btree (moid_id, status, id) WHERE (status = ANY (ARRAY['open'::text, 'bound'::text]));
CREATE INDEX claims_open ON public.claims USING btree (expires_at) WHERE (status = 'open'::text);
CREATE INDEX claims_shown_code ON public.claims USING btree (code_hash) WHERE (shown_by = 'device'::text);
CREATE UNIQUE INDEX claims_shown_device ON public.claims USING btree (workspace_id, device_id) WHERE ((status = 'open'::text) AND (shown_by = 'device'::text));
ALTER TABLE public.claims ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.claims AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.connected_samples (
  workspace_id uuid NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  connected_devices bigint NOT NULL,
  CONSTRAINT connected_samples_pkey PRIMARY KEY (workspace_id, starts_at)
);
ALTER TABLE public.connected_samples ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.connected_samples AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.connection_attempts (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  id uuid NOT NULL,
  refusal text,
  attempts integer NOT NULL,
  client_id text NOT NULL,
  address text NOT NULL,
  protocol_version smallint NOT NULL,
  at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  end_reason text,
  node_id uuid,
  replaced_at timestamp with time zone,
  CONSTRAINT connection_attempts_pkey PRIMARY KEY (workspace_id, device_id, id),
  CONSTRAINT connection_attempts_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX connection_attempts_refused ON public.connection_attempts USING btree (workspace_id, last_at) WHERE (refusal IS NOT NULL);
CREATE INDEX connection_attempts_replaced ON public.connection_attempts USING btree (workspace_id, replaced_at) WHERE (replaced_at IS NOT NULL);
ALTER TABLE public.connection_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.connection_attempts AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.custom_fields (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  type text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  options text[],
  minimum double precision,
  maximum double precision,
  max_length integer,
  purged_by jsonb,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT custom_fields_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT custom_fields_name UNIQUE (workspace_id, name),
  CONSTRAINT custom_fields_type_check CHECK ((type = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text, 'json'::text]))),
  CONSTRAINT custom_fields_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX custom_fields_purged ON public.custom_fields USING btree (workspace_id, id) WHERE (purged_by IS NOT NULL);
ALTER TABLE public.custom_fields ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.custom_fields AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_acls (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  rules jsonb NOT NULL,
  revision integer NOT NULL DEFAULT 2,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT device_acls_pkey PRIMARY KEY (workspace_id, device_id),
  CONSTRAINT device_acls_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.device_acls ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_acls AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_commands (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  device_id uuid NOT NULL,
  name text NOT NULL,
  payload jsonb NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  result jsonb,
  error text,
  created_by text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone,
  ended_at timestamp with time zone,
  revision integer NOT NULL DEFAULT 1,
  job_id uuid,
  rotation_campaign_id uuid,
  cancelled_by text,
  cancel_reason text,
  CONSTRAINT device_commands_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT device_commands_cancel_reason_check CHECK ((cancel_reason = ANY (ARRAY['request'::text, 'credentials_reset'::text]))),
  CONSTRAINT device_commands_check CHECK (((status = ANY (ARRAY['pending'::text, 'sent'::text])) = (ended_at IS NULL))),
  CONSTRAINT device_commands_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'acknowledged'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text]))),
  CONSTRAINT device_commands_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX device_commands_device ON public.device_commands USING btree (workspace_id, device_id, id);
CREATE INDEX device_commands_ended ON public.device_commands USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX device_commands_expiry ON public.device_commands USING btree (expires_at) WHERE (ended_at IS NULL);
CREATE INDEX device_commands_job ON public.device_commands USING btree (workspace_id, job_id, device_id) WHERE (job_id IS NOT NULL);
CREATE INDEX device_commands_open ON public.device_commands USING btree (workspace_id, device_id, status) WHERE (ended_at IS NULL);
ALTER TABLE public.device_commands ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_commands AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_config_reports (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  version integer,
  sha256 text,
  status text NOT NULL,
  error text,
  reported_at timestamp with time zone NOT NULL DEFAULT now(),
  error_code text,
  applied_at timestamp with time zone,
  CONSTRAINT device_config_reports_pkey PRIMARY KEY (workspace_id, device_id),
  CONSTRAINT device_config_reports_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.device_config_reports ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_config_reports AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_configs (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  version integer NOT NULL,
  config jsonb NOT NULL,
  changed_by text,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT device_configs_pkey PRIMARY KEY (workspace_id, device_id, version),
  CONSTRAINT device_configs_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.device_configs ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_configs AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_group_members (
  workspace_id uuid NOT NULL,
  group_id uuid NOT NULL,
  device_id uuid NOT NULL,
  CONSTRAINT device_group_members_pkey PRIMARY KEY (workspace_id, group_id, device_id),
  CONSTRAINT device_group_members_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE,
  CONSTRAINT device_group_members_workspace_id_group_id_fkey FOREIGN KEY (workspace_id, group_id) REFERENCES public.device_groups(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX device_group_members_device ON public.device_group_members USING btree (workspace_id, device_id);
ALTER TABLE public.device_group_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_group_members AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_groups (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  filter text,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT device_groups_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT device_groups_name UNIQUE (workspace_id, name),
  CONSTRAINT device_groups_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.device_groups ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_groups AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_labels (
  workspace_id uuid NOT NULL,
  label text COLLATE "C" NOT NULL,
  device_id uuid NOT NULL,
  CONSTRAINT device_labels_pkey PRIMARY KEY (workspace_id, label, device_id)
);
ALTER TABLE public.device_labels ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_labels AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_notes (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  device_id uuid NOT NULL,
  text text NOT NULL,
  author_kind text NOT NULL,
  author_id text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT device_notes_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT device_notes_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX device_notes_device ON public.device_notes USING btree (workspace_id, device_id, id);
ALTER TABLE public.device_notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_notes AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_presence (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  connected boolean NOT NULL,
  incarnation bigint NOT NULL,
  node_id uuid NOT NULL,
  address text NOT NULL DEFAULT ''::text,
  protocol_version smallint NOT NULL DEFAULT 4,
  connected_at timestamp with time zone,
  disconnected_at timestamp with time zone,
  last_seen_at timestamp with time zone NOT NULL,
  last_seen_slot timestamp with time zone GENERATED ALWAYS AS (date_bin('00:15:00'::interval, last_seen_at, '2000-01-01 00:00:00+00'::timestamp with time zone)) STORED,
  CONSTRAINT device_presence_pkey PRIMARY KEY (workspace_id, device_id),
  CONSTRAINT device_presence_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX device_presence_connection ON public.device_presence USING btree (workspace_id, connected, device_id);
CREATE INDEX device_presence_node ON public.device_presence USING btree (node_id) WHERE connected;
CREATE INDEX device_presence_seen ON public.device_presence USING btree (workspace_id, last_seen_slot, device_id);
ALTER TABLE public.device_presence ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_presence AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_secrets (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  kind text NOT NULL,
  generation integer NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  is_used boolean NOT NULL DEFAULT false,
  confirmed_at timestamp with time zone,
  issued_by text,
  CONSTRAINT device_secrets_pkey PRIMARY KEY (workspace_id, device_id, kind, generation),
  CONSTRAINT device_secrets_issued_by_check CHECK ((issued_by = ANY ('{rotation,reset}'::text[]))),
  CONSTRAINT device_secrets_kind_check CHECK ((kind = ANY ('{mqtt,http}'::text[])))
);
CREATE UNIQUE INDEX device_secrets_http ON public.device_secrets USING btree (hash) WHERE (kind = 'http'::text);
ALTER TABLE public.device_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_secrets AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_states (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  state jsonb NOT NULL,
  version bigint NOT NULL,
  reported_at timestamp with time zone NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT device_states_pkey PRIMARY KEY (workspace_id, device_id),
  CONSTRAINT device_states_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.device_states ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_states AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_template_versions (
  workspace_id uuid NOT NULL,
  template_id uuid NOT NULL,
  version integer NOT NULL,
  fields jsonb NOT NULL,
  changed text[] NOT NULL,
  actor_kind text,
  actor_id text,
  at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT device_template_versions_pkey PRIMARY KEY (workspace_id, template_id, version),
  CONSTRAINT device_template_versions_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES public.device_templates(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.device_template_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_template_versions AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.device_templates (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  model_key text NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  serial_format text NOT NULL,
  capabilities jsonb NOT NULL DEFAULT '[]'::jsonb,
  capability_definitions jsonb NOT NULL DEFAULT '[]'::jsonb,
  default_config jsonb NOT NULL DEFAULT '{}'::jsonb,
  mqtt_acl jsonb NOT NULL DEFAULT '[]'::jsonb,
  rotation_overlap_s integer NOT NULL DEFAULT 604800,
  firmware jsonb,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT device_templates_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT device_templates_model_key UNIQUE (workspace_id, model_key),
  CONSTRAINT device_templates_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.device_templates ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.device_templates AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.devices (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  device_key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  template_id uuid,
  hardware_id text COLLATE "C",
  status text NOT NULL DEFAULT 'registered'::text,
  suspended_from text,
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  custom_fields jsonb NOT NULL DEFAULT '{}'::jsonb,
  config jsonb NOT NULL DEFAULT '{}'::jsonb,
  secret_generation integer NOT NULL DEFAULT 1,
  sessions_from bigint NOT NULL DEFAULT 0,
  claimed_at timestamp with time zone,
  released_at timestamp with time zone,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  config_version integer NOT NULL DEFAULT 1,
  name_lower text COLLATE "C" GENERATED ALWAYS AS (lower(name)) STORED,
  key_reversed text COLLATE "C" GENERATED ALWAYS AS (reverse(device_key)) STORED,
  is_claimed boolean GENERATED ALWAYS AS ((claimed_at IS NOT NULL)) STORED,
  rotation_asked_at timestamp with time zone,
  approval text NOT NULL DEFAULT 'approved'::text,
  rotation_allowed_at timestamp with time zone,
  CONSTRAINT devices_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT devices_device_key UNIQUE (workspace_id, device_key),
  CONSTRAINT devices_hardware_id UNIQUE (workspace_id, hardware_id),
  CONSTRAINT devices_approval_check CHECK ((approval = ANY ('{approved,pending,rejected}'::text[]))),
  CONSTRAINT devices_status_check CHECK ((status = ANY ('{registered,active,suspended,decommissioned}'::text[]))),
  CONSTRAINT devices_suspended_from_check CHECK ((suspended_from = ANY ('{registered,active}'::text[]))),
  CONSTRAINT devices_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES public.device_templates(workspace_id, id)
);
CREATE INDEX devices_approval ON public.devices USING btree (workspace_id, approval, id) WHERE (approval <> 'approved'::text);
CREATE INDEX devices_claimed ON public.devices USING btree (workspace_id, is_claimed, id);
CREATE INDEX devices_claimed_at ON public.devices USING btree (workspace_id, claimed_at, id) WHERE (claimed_at IS NOT NULL);
CREATE INDEX devices_id ON public.devices USING btree (id);
CREATE INDEX devices_key_reversed ON public.devices USING btree (workspace_id, key_reversed);
CREATE INDEX devices_name ON public.devices USING btree (workspace_id, name_lower, id);
CREATE INDEX devices_status ON public.devices USING btree (workspace_id, status, id);
CREATE INDEX devices_template ON public.devices USING btree (workspace_id, template_id, id);
CREATE TRIGGER devices_credentials_delete AFTER DELETE ON public.devices FOR EACH ROW EXECUTE FUNCTION public.device_credentials_delete();
CREATE TRIGGER devices_labels_delete AFTER DELETE ON public.devices FOR EACH ROW WHEN (((old.tags <> '{}'::jsonb) OR (old.custom_fields <> '{}'::jsonb) OR (old.name <> (old.device_key COLLATE "default")))) EXECUTE FUNCTION public.device_labels_delete();
CREATE TRIGGER devices_labels_update AFTER UPDATE OF name, tags, custom_fields ON public.devices FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.tags IS DISTINCT FROM new.tags) OR (old.custom_fields IS DISTINCT FROM new.custom_fields))) EXECUTE FUNCTION public.device_labels_update();
CREATE TRIGGER devices_presence_update AFTER UPDATE OF status ON public.devices FOR EACH ROW WHEN (((new.status = 'active'::text) AND (old.status = 'registered'::text))) EXECUTE FUNCTION public.device_presence_begin();
ALTER TABLE public.devices ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.devices AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.doctor_runs (
  id uuid NOT NULL,
  broker text NOT NULL,
  status text NOT NULL DEFAULT 'queued'::text,
  address text,
  problem text,
  results jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_by uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT doctor_runs_pkey PRIMARY KEY (id),
  CONSTRAINT doctor_runs_status CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text]))),
  CONSTRAINT doctor_runs_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX doctor_runs_open ON public.doctor_runs USING btree (broker) WHERE (ended_at IS NULL);

CREATE TABLE public.domain_certificates (
  workspace_id uuid NOT NULL,
  domain_id uuid NOT NULL,
  id uuid NOT NULL,
  source text NOT NULL,
  challenge text,
  chain text NOT NULL,
  sealed_key bytea NOT NULL,
  names text[] NOT NULL,
  issuer text NOT NULL,
  serial_number text NOT NULL,
  fingerprint text NOT NULL,
  key_type text NOT NULL,
  not_before timestamp with time zone NOT NULL,
  not_after timestamp with time zone NOT NULL,
  renew_at timestamp with time zone,
  warned_days integer,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  renewal_look_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT domain_certificates_pkey PRIMARY KEY (workspace_id, domain_id),
  CONSTRAINT domain_certificates_challenge_check CHECK ((challenge = ANY (ARRAY['http-01'::text, 'dns-01'::text]))),
  CONSTRAINT domain_certificates_source_check CHECK ((source = ANY (ARRAY['upload'::text, 'acme'::text]))),
  CONSTRAINT domain_certificates_workspace_id_domain_id_fkey FOREIGN KEY (workspace_id, domain_id) REFERENCES public.domains(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX domain_certificates_end ON public.domain_certificates USING btree (not_after);
CREATE INDEX domain_certificates_renewal ON public.domain_certificates USING btree (renew_at) WHERE (renew_at IS NOT NULL);
CREATE INDEX domain_certificates_renewal_look ON public.domain_certificates USING btree (renewal_look_at) WHERE (renew_at IS NOT NULL);
ALTER TABLE public.domain_certificates ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.domain_certificates AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.domains (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  purpose text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  value text NOT NULL,
  verified_at timestamp with time zone,
  failing_since timestamp with time zone,
  warned_at timestamp with time zone,
  checked_at timestamp with time zone,
  last_error jsonb,
  next_check_at timestamp with time zone,
  created_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT domains_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT domains_name UNIQUE (workspace_id, name),
  CONSTRAINT domains_purpose_check CHECK ((purpose = ANY (ARRAY['mqtt'::text, 'api'::text]))),
  CONSTRAINT domains_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'verified'::text, 'lapsed'::text]))),
  CONSTRAINT domains_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX domains_due ON public.domains USING btree (next_check_at) WHERE (next_check_at IS NOT NULL);
CREATE INDEX domains_host ON public.domains USING btree (name) WHERE (status <> 'pending'::text);
CREATE UNIQUE INDEX domains_owner ON public.domains USING btree (name) WHERE (status = 'verified'::text);
ALTER TABLE public.domains ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.domains AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.event_floors (
  workspace_id uuid NOT NULL,
  seq bigint NOT NULL,
  id uuid NOT NULL,
  CONSTRAINT event_floors_pkey PRIMARY KEY (workspace_id)
);
ALTER TABLE public.event_floors ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.event_floors AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.events (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  subject_id uuid,
  data jsonb NOT NULL,
  occurred_at timestamp with time zone NOT NULL DEFAULT now(),
  seq bigint NOT NULL DEFAULT CASE
    WHEN (pg_current_xact_id() IS NOT NULL) THEN nextval('public.events_seq'::regclass)
    ELSE NULL::bigint
END,
  traceparent text,
  CONSTRAINT events_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX events_config_reports ON public.events USING btree (workspace_id, subject_id, id) WHERE (type = 'device.config_reported'::text);
CREATE INDEX events_feed ON public.events USING btree (workspace_id, seq, id);
CREATE INDEX events_subject ON public.events USING btree (workspace_id, subject_id, seq, id) WHERE (subject_id IS NOT NULL);
ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.events AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.failed_tries (
  subject bytea NOT NULL,
  factor text NOT NULL,
  tries integer NOT NULL,
  locked_until timestamp with time zone,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT failed_tries_pkey PRIMARY KEY (subject, factor),
  CONSTRAINT failed_tries_factor_check CHECK ((factor = ANY (ARRAY['password'::text, 'totp'::text, 'recovery'::text, 'source'::text])))
);
CREATE INDEX failed_tries_age ON public.failed_tries USING btree (updated_at) WHERE (factor = ANY (ARRAY['password'::text, 'source'::text]));

CREATE TABLE public.idempotency_keys (
  scope bytea NOT NULL,
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key_hash)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

CREATE TABLE public.installation (
  name text NOT NULL,
  value text NOT NULL,
  CONSTRAINT installation_pkey PRIMARY KEY (name)
);

CREATE TABLE public.invitations (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  token_hash bytea NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  created_by text NOT NULL,
  accepted_by uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT invitations_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT invitations_check CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
  CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text]))),
  CONSTRAINT invitations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'revoked'::text, 'expired'::text]))),
  CONSTRAINT invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX invitations_ended ON public.invitations USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX invitations_expiry ON public.invitations USING btree (expires_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX invitations_pending ON public.invitations USING btree (workspace_id, email) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX invitations_token ON public.invitations USING btree (token_hash);
ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.invitations AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.invoice_numbers (
  singleton boolean NOT NULL DEFAULT true,
  last bigint NOT NULL,
  CONSTRAINT invoice_numbers_pkey PRIMARY KEY (singleton),
  CONSTRAINT invoice_numbers_singleton_check CHECK (singleton)
);

CREATE TABLE public.invoices (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  status text NOT NULL DEFAULT 'draft'::text,
  period_start timestamp with time zone NOT NULL,
  period_end timestamp with time zone NOT NULL,
  currency text NOT NULL,
  number bigint,
  content jsonb,
  subtotal bigint,
  tax bigint,
  total bigint,
  balance_used bigint,
  issued_at timestamp with time zone,
  due_at timestamp with time zone,
  paid_at timestamp with time zone,
  voided_at timestamp with time zone,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT invoices_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT invoices_number UNIQUE (number),
  CONSTRAINT invoices_period UNIQUE (workspace_id, period_start),
  CONSTRAINT invoices_check CHECK (((status = 'paid'::text) = (paid_at IS NOT NULL))),
  CONSTRAINT invoices_check1 CHECK (((status = 'void'::text) = (voided_at IS NOT NULL))),
  CONSTRAINT invoices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT invoices_issued CHECK (((status = 'draft'::text) OR ((number IS NOT NULL) AND (content IS NOT NULL) AND (issued_at IS NOT NULL) AND (due_at IS NOT NULL) AND (total = (subtotal + tax)) AND ((balance_used >= 0) AND (balance_used <= total))))),
  CONSTRAINT invoices_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'overdue'::text, 'paid'::text, 'void'::text]))),
  CONSTRAINT invoices_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id)
);
CREATE INDEX invoices_drafts ON public.invoices USING btree (period_end) WHERE (status = 'draft'::text);
CREATE INDEX invoices_due ON public.invoices USING btree (due_at) WHERE (status = 'open'::text);
CREATE INDEX invoices_list ON public.invoices USING btree (workspace_id, period_start DESC, id DESC);
CREATE TRIGGER invoices_kept BEFORE UPDATE ON public.invoices FOR EACH ROW EXECUTE FUNCTION public.invoice_is_kept();
CREATE TRIGGER invoices_not_deleted BEFORE DELETE ON public.invoices FOR EACH ROW EXECUTE FUNCTION public.billing_is_kept();
ALTER TABLE public.invoices ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.invoices AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.job_items (
  workspace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  device_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  code text,
  detail text,
  ended_at timestamp with time zone,
  CONSTRAINT job_items_pkey PRIMARY KEY (workspace_id, job_id, device_id),
  CONSTRAINT job_items_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text]))),
  CONSTRAINT job_items_workspace_id_job_id_fkey FOREIGN KEY (workspace_id, job_id) REFERENCES public.jobs(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX job_items_code ON public.job_items USING btree (workspace_id, job_id, code, device_id) WHERE (code IS NOT NULL);
CREATE INDEX job_items_status ON public.job_items USING btree (workspace_id, job_id, status, device_id);
ALTER TABLE public.job_items ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.job_items AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.jobs (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  action text NOT NULL,
  parameters jsonb NOT NULL DEFAULT '{}'::jsonb,
  filter text,
  retry_of uuid,
  status text NOT NULL,
  failure text,
  expanded_to text,
  total integer NOT NULL DEFAULT 0,
  succeeded integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  actor_kind text NOT NULL,
  actor_id text,
  request_id text,
  address text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  cancel_origin jsonb,
  CONSTRAINT jobs_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT jobs_retry_of UNIQUE (workspace_id, retry_of),
  CONSTRAINT jobs_check CHECK (((status = ANY (ARRAY['preparing'::text, 'running'::text])) = (ended_at IS NULL))),
  CONSTRAINT jobs_status_check CHECK ((status = ANY (ARRAY['preparing'::text, 'running'::text, 'cancelling'::text, 'completed'::text, 'cancelled'::text, 'failed'::text]))),
  CONSTRAINT jobs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE,
  CONSTRAINT jobs_workspace_id_retry_of_fkey FOREIGN KEY (workspace_id, retry_of) REFERENCES public.jobs(workspace_id, id) ON DELETE SET NULL (retry_of)
);
CREATE INDEX jobs_ended ON public.jobs USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX jobs_open ON public.jobs USING btree (workspace_id, id) WHERE (ended_at IS NULL);
ALTER TABLE public.jobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.jobs AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.ledger_entries (
  workspace_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  "position" smallint NOT NULL,
  account text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (workspace_id, transaction_id, "position"),
  CONSTRAINT ledger_entries_account_check CHECK ((account = ANY (ARRAY['balance'::text, 'receivable'::text, 'revenue'::text, 'tax'::text, 'payments'::text, 'adjustments'::text]))),
  CONSTRAINT ledger_entries_amount_check CHECK ((amount <> 0)),
  CONSTRAINT ledger_entries_workspace_id_transaction_id_fkey FOREIGN KEY (workspace_id, transaction_id) REFERENCES public.ledger_transactions(workspace_id, id)
);
CREATE INDEX ledger_entries_account ON public.ledger_entries USING btree (workspace_id, account, currency) INCLUDE (amount);
CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION public.ledger_is_balanced();
CREATE TRIGGER ledger_entries_kept BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION public.billing_is_kept();
ALTER TABLE public.ledger_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.ledger_entries AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.ledger_transactions (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  key text NOT NULL,
  currency text NOT NULL,
  entries smallint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT ledger_transactions_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT ledger_transactions_key UNIQUE (workspace_id, key),
  CONSTRAINT ledger_transactions_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT ledger_transactions_entries_check CHECK ((entries >= 2)),
  CONSTRAINT ledger_transactions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id)
);
CREATE TRIGGER ledger_transactions_balanced AFTER INSERT ON public.ledger_transactions FOR EACH ROW EXECUTE FUNCTION public.ledger_is_balanced();
CREATE TRIGGER ledger_transactions_kept BEFORE DELETE OR UPDATE ON public.ledger_transactions FOR EACH ROW EXECUTE FUNCTION public.billing_is_kept();
ALTER TABLE public.ledger_transactions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.ledger_transactions AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mail_outbox (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  recipient text NOT NULL,
  subject text NOT NULL,
  sealed_text bytea,
  status text NOT NULL DEFAULT 'queued'::text,
  tries integer NOT NULL DEFAULT 0,
  last_error text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT mail_outbox_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT mail_outbox_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'kept'::text, 'failed'::text])))
);
CREATE INDEX mail_outbox_ended ON public.mail_outbox USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX mail_outbox_newest ON public.mail_outbox USING btree (id);
CREATE INDEX mail_outbox_queued ON public.mail_outbox USING btree (created_at) WHERE (status = 'queued'::text);
ALTER TABLE public.mail_outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mail_outbox AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.memberships (
  workspace_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT memberships_pkey PRIMARY KEY (workspace_id, user_id),
  CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text]))),
  CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE,
  CONSTRAINT memberships_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX memberships_user ON public.memberships USING btree (user_id);
ALTER TABLE public.memberships ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.memberships AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mfa_challenges (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  salt bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  limited_to uuid,
  CONSTRAINT mfa_challenges_pkey PRIMARY KEY (id),
  CONSTRAINT mfa_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
CREATE INDEX mfa_challenges_expiry ON public.mfa_challenges USING btree (expires_at);
CREATE INDEX mfa_challenges_user ON public.mfa_challenges USING btree (user_id);

CREATE TABLE public.moid_mqtt_logins (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  moid_id uuid NOT NULL,
  session_id uuid NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT moid_mqtt_logins_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT moid_mqtt_logins_moid_id_fkey FOREIGN KEY (moid_id) REFERENCES public.moids(id) ON DELETE CASCADE,
  CONSTRAINT moid_mqtt_logins_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.moid_sessions(id) ON DELETE CASCADE,
  CONSTRAINT moid_mqtt_logins_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX moid_mqtt_logins_expiry ON public.moid_mqtt_logins USING btree (expires_at);
CREATE INDEX moid_mqtt_logins_id ON public.moid_mqtt_logins USING btree (id);
CREATE INDEX moid_mqtt_logins_moid ON public.moid_mqtt_logins USING btree (moid_id, created_at);
CREATE INDEX moid_mqtt_logins_session ON public.moid_mqtt_logins USING btree (session_id);
ALTER TABLE public.moid_mqtt_logins ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.moid_mqtt_logins AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.moid_sessions (
  id uuid NOT NULL,
  moid_id uuid NOT NULL,
  workspace_id uuid,
  salt bytea NOT NULL,
  generation integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  rotated_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  end_reason text,
  CONSTRAINT moid_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT moid_sessions_moid_id_fkey FOREIGN KEY (moid_id) REFERENCES public.moids(id) ON DELETE CASCADE,
  CONSTRAINT moid_sessions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX moid_sessions_ended ON public.moid_sessions USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX moid_sessions_expiry ON public.moid_sessions USING btree (expires_at);
CREATE INDEX moid_sessions_moid ON public.moid_sessions USING btree (moid_id);
CREATE INDEX moid_sessions_workspace ON public.moid_sessions USING btree (workspace_id) WHERE (workspace_id IS NOT NULL);
ALTER TABLE public.moid_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.moid_sessions AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.moids (
  id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  check_at timestamp with time zone NOT NULL DEFAULT (now() + '30 days'::interval),
  CONSTRAINT moids_pkey PRIMARY KEY (id)
);
CREATE INDEX moids_check ON public.moids USING btree (check_at);

CREATE TABLE public.mqtt_connections (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  principal_id text NOT NULL,
  client_id text NOT NULL,
  address text NOT NULL,
  transport text NOT NULL,
  protocol text NOT NULL,
  credential_version integer NOT NULL,
  node text NOT NULL,
  connected_at timestamp with time zone NOT NULL,
  cut_at timestamp with time zone,
  CONSTRAINT mqtt_connections_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_connections_address ON public.mqtt_connections USING btree (workspace_id, address, id);
CREATE INDEX mqtt_connections_client ON public.mqtt_connections USING btree (workspace_id, client_id, id);
CREATE INDEX mqtt_connections_cut ON public.mqtt_connections USING btree (node, id) WHERE (cut_at IS NOT NULL);
CREATE INDEX mqtt_connections_holder ON public.mqtt_connections USING btree (node);
CREATE INDEX mqtt_connections_node ON public.mqtt_connections USING btree (workspace_id, node, id);
CREATE INDEX mqtt_connections_principal ON public.mqtt_connections USING btree (workspace_id, principal_id, id);
ALTER TABLE public.mqtt_connections ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_connections AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_messages (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  retain boolean NOT NULL,
  CONSTRAINT mqtt_messages_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_messages_id ON public.mqtt_messages USING btree (id);
ALTER TABLE public.mqtt_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_messages AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_password_pushes (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  principal_id text NOT NULL,
  broker text NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  next_at timestamp with time zone NOT NULL DEFAULT now(),
  given_at timestamp with time zone,
  CONSTRAINT mqtt_password_pushes_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_password_pushes_due ON public.mqtt_password_pushes USING btree (next_at);
ALTER TABLE public.mqtt_password_pushes ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_password_pushes AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_principal_acls (
  workspace_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  rules jsonb NOT NULL,
  revision integer NOT NULL DEFAULT 2,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT mqtt_principal_acls_pkey PRIMARY KEY (workspace_id, principal_id),
  CONSTRAINT mqtt_principal_acls_workspace_id_principal_id_fkey FOREIGN KEY (workspace_id, principal_id) REFERENCES public.mqtt_principals(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_principal_acls ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_principal_acls AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_principal_attempts (
  workspace_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  id uuid NOT NULL,
  refusal text,
  attempts integer NOT NULL,
  client_id text NOT NULL,
  address text NOT NULL,
  protocol_version smallint NOT NULL,
  at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  end_reason text,
  node_id uuid,
  replaced_at timestamp with time zone,
  CONSTRAINT mqtt_principal_attempts_pkey PRIMARY KEY (workspace_id, principal_id, id),
  CONSTRAINT mqtt_principal_attempts_workspace_id_principal_id_fkey FOREIGN KEY (workspace_id, principal_id) REFERENCES public.mqtt_principals(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX mqtt_principal_attempts_replaced ON public.mqtt_principal_attempts USING btree (workspace_id, replaced_at) WHERE (replaced_at IS NOT NULL);
ALTER TABLE public.mqtt_principal_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_principal_attempts AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_principal_secrets (
  workspace_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  generation integer NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT mqtt_principal_secrets_pkey PRIMARY KEY (workspace_id, principal_id, generation),
  CONSTRAINT mqtt_principal_secrets_workspace_id_principal_id_fkey FOREIGN KEY (workspace_id, principal_id) REFERENCES public.mqtt_principals(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_principal_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_principal_secrets AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_principals (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  status text NOT NULL DEFAULT 'active'::text,
  expires_at timestamp with time zone,
  rotation_overlap_s integer NOT NULL DEFAULT 604800,
  secret_generation integer NOT NULL DEFAULT 1,
  sessions_from bigint NOT NULL DEFAULT 0,
  last_incarnation bigint NOT NULL DEFAULT 0,
  last_connected_at timestamp with time zone,
  created_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT mqtt_principals_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT mqtt_principals_name UNIQUE (workspace_id, name),
  CONSTRAINT mqtt_principals_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text]))),
  CONSTRAINT mqtt_principals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX mqtt_principals_id ON public.mqtt_principals USING btree (id);
ALTER TABLE public.mqtt_principals ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_principals AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_receipt_nodes (
  workspace_id uuid NOT NULL,
  receipt_id uuid NOT NULL,
  node text NOT NULL,
  denied_at timestamp with time zone,
  cache_purged_at timestamp with time zone,
  sessions_cut integer NOT NULL DEFAULT 0,
  sessions_cut_at timestamp with time zone,
  verified_at timestamp with time zone,
  gone_at timestamp with time zone,
  problem text,
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT mqtt_receipt_nodes_pkey PRIMARY KEY (workspace_id, receipt_id, node),
  CONSTRAINT mqtt_receipt_nodes_workspace_id_receipt_id_fkey FOREIGN KEY (workspace_id, receipt_id) REFERENCES public.mqtt_receipts(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX mqtt_receipt_nodes_open ON public.mqtt_receipt_nodes USING btree (node, next_at) WHERE ((verified_at IS NULL) AND (gone_at IS NULL));
ALTER TABLE public.mqtt_receipt_nodes ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_receipt_nodes AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_receipts (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  reason text NOT NULL,
  subject text,
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  narrowed jsonb,
  client_id text,
  CONSTRAINT mqtt_receipts_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_receipts_id ON public.mqtt_receipts USING btree (id);
CREATE INDEX mqtt_receipts_narrowed ON public.mqtt_receipts USING btree (workspace_id, subject) WHERE (narrowed IS NOT NULL);
ALTER TABLE public.mqtt_receipts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_receipts AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_retained_messages (
  workspace_id uuid NOT NULL,
  topic_hash bytea NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  properties bytea NOT NULL,
  expires_at timestamp with time zone,
  principal_id text,
  CONSTRAINT mqtt_retained_messages_pkey PRIMARY KEY (workspace_id, topic_hash),
  CONSTRAINT mqtt_retained_messages_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_retained_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_retained_messages AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_store (
  only_one boolean NOT NULL DEFAULT true,
  epoch bigint NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT mqtt_store_pkey PRIMARY KEY (only_one),
  CONSTRAINT mqtt_store_only_one_check CHECK (only_one)
);

CREATE TABLE public.mqtt_stored_messages (
  workspace_id uuid NOT NULL,
  session_id bigint NOT NULL,
  seq bigint NOT NULL,
  packet_id integer NOT NULL,
  qos smallint NOT NULL,
  retain boolean NOT NULL,
  is_released boolean NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  properties bytea NOT NULL,
  expires_at timestamp with time zone,
  identifiers jsonb,
  share text,
  CONSTRAINT mqtt_stored_messages_pkey PRIMARY KEY (workspace_id, session_id, seq),
  CONSTRAINT mqtt_stored_messages_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_stored_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_stored_messages AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_stored_receipts (
  workspace_id uuid NOT NULL,
  session_id bigint NOT NULL,
  packet_id integer NOT NULL,
  CONSTRAINT mqtt_stored_receipts_pkey PRIMARY KEY (workspace_id, session_id, packet_id),
  CONSTRAINT mqtt_stored_receipts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_stored_receipts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_stored_receipts AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_stored_sessions (
  workspace_id uuid NOT NULL,
  id bigint NOT NULL,
  principal_id text NOT NULL,
  client_id text NOT NULL,
  credential_version bigint NOT NULL,
  protocol_version smallint NOT NULL,
  incarnation bigint NOT NULL,
  expiry_s bigint NOT NULL,
  subscriptions jsonb NOT NULL,
  will jsonb,
  away_at timestamp with time zone,
  unsent_from bigint NOT NULL,
  CONSTRAINT mqtt_stored_sessions_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT mqtt_stored_sessions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_stored_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_stored_sessions AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_tail_messages (
  workspace_id uuid NOT NULL,
  tail_id uuid NOT NULL,
  id uuid NOT NULL,
  batch jsonb NOT NULL,
  CONSTRAINT mqtt_tail_messages_pkey PRIMARY KEY (workspace_id, tail_id, id),
  CONSTRAINT mqtt_tail_messages_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_tail_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_tail_messages AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.mqtt_tails (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  node_id uuid NOT NULL,
  slug text NOT NULL,
  filter text NOT NULL,
  has_config boolean NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT mqtt_tails_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT mqtt_tails_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
ALTER TABLE public.mqtt_tails ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.mqtt_tails AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.nodes (
  id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  beat_at timestamp with time zone NOT NULL DEFAULT now(),
  master_key text,
  CONSTRAINT nodes_pkey PRIMARY KEY (id)
);

CREATE TABLE public.one_time_links (
  id uuid NOT NULL,
  purpose text NOT NULL,
  token_hash bytea NOT NULL,
  email text NOT NULL,
  user_id uuid,
  sign_in_version integer,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  used_at timestamp with time zone,
  CONSTRAINT one_time_links_pkey PRIMARY KEY (id),
  CONSTRAINT one_time_links_token UNIQUE (token_hash),
  CONSTRAINT one_time_links_purpose_check CHECK ((purpose = ANY (ARRAY['setup'::text, 'registration'::text, 'password_reset'::text, 'email_change'::text]))),
  CONSTRAINT one_time_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
CREATE INDEX one_time_links_by_email ON public.one_time_links USING btree (email, purpose, created_at);
CREATE INDEX one_time_links_by_user ON public.one_time_links USING btree (user_id);

CREATE TABLE public.passkeys (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  signatures bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_credential UNIQUE (credential_id),
  CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id, id);

CREATE TABLE public.payment_customers (
  workspace_id uuid NOT NULL,
  provider text NOT NULL,
  customer_id text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payment_customers_pkey PRIMARY KEY (workspace_id, provider),
  CONSTRAINT payment_customers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id)
);
CREATE INDEX payment_customers_customer_id ON public.payment_customers USING btree (customer_id);
ALTER TABLE public.payment_customers ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.payment_customers AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.payment_events (
  provider text NOT NULL,
  id text NOT NULL,
  taken_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payment_events_pkey PRIMARY KEY (provider, id)
);
CREATE INDEX payment_events_taken_at ON public.payment_events USING btree (taken_at);

CREATE TABLE public.payment_methods (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  provider text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  setup_id text,
  provider_id text,
  brand text,
  last4 text,
  exp_month smallint,
  exp_year smallint,
  is_default boolean NOT NULL DEFAULT false,
  created_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  check_at timestamp with time zone NOT NULL DEFAULT (now() + '00:01:00'::interval),
  checks integer NOT NULL DEFAULT 0,
  CONSTRAINT payment_methods_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT payment_methods_check CHECK (((status <> 'active'::text) OR ((provider_id IS NOT NULL) AND (last4 IS NOT NULL)))),
  CONSTRAINT payment_methods_check1 CHECK (((NOT is_default) OR (status = 'active'::text))),
  CONSTRAINT payment_methods_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'abandoned'::text, 'detached'::text]))),
  CONSTRAINT payment_methods_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id)
);
CREATE INDEX payment_methods_check_at ON public.payment_methods USING btree (check_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX payment_methods_default ON public.payment_methods USING btree (workspace_id) WHERE is_default;
CREATE UNIQUE INDEX payment_methods_provider_id ON public.payment_methods USING btree (workspace_id, provider, provider_id) WHERE (status = 'active'::text);
CREATE INDEX payment_methods_setup_id ON public.payment_methods USING btree (setup_id);
ALTER TABLE public.payment_methods ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.payment_methods AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.payment_reversals (
  workspace_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  reversal_id text NOT NULL,
  kind text NOT NULL,
  amount bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  undone_at timestamp with time zone,
  CONSTRAINT payment_reversals_pkey PRIMARY KEY (workspace_id, payment_id, reversal_id),
  CONSTRAINT payment_reversals_amount_check CHECK ((amount > 0)),
  CONSTRAINT payment_reversals_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'dispute'::text]))),
  CONSTRAINT payment_reversals_workspace_id_payment_id_fkey FOREIGN KEY (workspace_id, payment_id) REFERENCES public.payments(workspace_id, id)
);
ALTER TABLE public.payment_reversals ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.payment_reversals AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.payments (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  invoice_id uuid,
  provider text NOT NULL,
  provider_id text,
  method_id uuid,
  status text NOT NULL DEFAULT 'created'::text,
  amount bigint NOT NULL,
  currency text NOT NULL,
  credited_to text,
  reversed bigint NOT NULL DEFAULT 0,
  failure_code text,
  failure_message text,
  request_key bytea,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  check_at timestamp with time zone NOT NULL DEFAULT (now() + '00:01:00'::interval),
  checks integer NOT NULL DEFAULT 0,
  CONSTRAINT payments_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT payments_amount_check CHECK ((amount > 0)),
  CONSTRAINT payments_check CHECK (((kind = 'invoice'::text) = (invoice_id IS NOT NULL))),
  CONSTRAINT payments_check1 CHECK (((status = ANY (ARRAY['created'::text, 'requires_action'::text, 'processing'::text])) = (ended_at IS NULL))),
  CONSTRAINT payments_check2 CHECK (((status = ANY (ARRAY['succeeded'::text, 'refunded'::text])) = (credited_to IS NOT NULL))),
  CONSTRAINT payments_credited_to_check CHECK ((credited_to = ANY (ARRAY['invoice'::text, 'balance'::text]))),
  CONSTRAINT payments_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT payments_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'top_up'::text]))),
  CONSTRAINT payments_reversed_check CHECK ((reversed >= 0)),
  CONSTRAINT payments_status_check CHECK ((status = ANY (ARRAY['created'::text, 'requires_action'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'refunded'::text]))),
  CONSTRAINT payments_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id),
  CONSTRAINT payments_workspace_id_invoice_id_fkey FOREIGN KEY (workspace_id, invoice_id) REFERENCES public.invoices(workspace_id, id),
  CONSTRAINT payments_workspace_id_method_id_fkey FOREIGN KEY (workspace_id, method_id) REFERENCES public.payment_methods(workspace_id, id)
);
CREATE INDEX payments_check_at ON public.payments USING btree (check_at) WHERE (status = ANY (ARRAY['created'::text, 'requires_action'::text, 'processing'::text]));
CREATE INDEX payments_invoice ON public.payments USING btree (workspace_id, invoice_id);
CREATE INDEX payments_method ON public.payments USING btree (workspace_id, method_id);
CREATE UNIQUE INDEX payments_open_of_invoice ON public.payments USING btree (workspace_id, invoice_id) WHERE (status = ANY (ARRAY['created'::text, 'requires_action'::text, 'processing'::text]));
CREATE UNIQUE INDEX payments_provider_id ON public.payments USING btree (provider, provider_id);
CREATE UNIQUE INDEX payments_request_key ON public.payments USING btree (workspace_id, request_key);
ALTER TABLE public.payments ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.payments AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.rate_limits (
  key character varying(255) NOT NULL,
  points integer NOT NULL DEFAULT 0,
  expire bigint,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
);

CREATE TABLE public.registration_answers (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  key_id uuid NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT registration_answers_pkey PRIMARY KEY (workspace_id, device_id)
);
CREATE INDEX registration_answers_age ON public.registration_answers USING btree (created_at);
ALTER TABLE public.registration_answers ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.registration_answers AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.root_keys (
  number smallint NOT NULL,
  master_key text NOT NULL,
  sealed bytea NOT NULL,
  active_from timestamp with time zone NOT NULL,
  CONSTRAINT root_keys_pkey PRIMARY KEY (number, master_key),
  CONSTRAINT root_keys_number_check CHECK (((number >= 1) AND (number <= 255)))
);

CREATE TABLE public.rotation_campaign_devices (
  workspace_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  device_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'due'::text,
  wave integer,
  asked_at timestamp with time zone,
  asked_generation integer,
  online_at timestamp with time zone,
  code text,
  ended_at timestamp with time zone,
  CONSTRAINT rotation_campaign_devices_pkey PRIMARY KEY (workspace_id, campaign_id, device_id),
  CONSTRAINT rotation_campaign_devices_status_check CHECK ((status = ANY (ARRAY['due'::text, 'waiting'::text, 'notified'::text, 'rotated'::text, 'confirmed'::text, 'failed'::text]))),
  CONSTRAINT rotation_campaign_devices_workspace_id_campaign_id_fkey FOREIGN KEY (workspace_id, campaign_id) REFERENCES public.rotation_campaigns(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX rotation_campaign_devices_code ON public.rotation_campaign_devices USING btree (workspace_id, campaign_id, code, device_id) WHERE (code IS NOT NULL);
CREATE INDEX rotation_campaign_devices_open ON public.rotation_campaign_devices USING btree (workspace_id, campaign_id, device_id) WHERE (status = ANY (ARRAY['waiting'::text, 'notified'::text, 'rotated'::text]));
CREATE INDEX rotation_campaign_devices_status ON public.rotation_campaign_devices USING btree (workspace_id, campaign_id, status, device_id);
ALTER TABLE public.rotation_campaign_devices ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.rotation_campaign_devices AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.rotation_campaigns (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  filter text,
  status text NOT NULL,
  failure text,
  wave_size integer,
  wave_percent integer,
  pause_s integer NOT NULL,
  confirm_within_s integer NOT NULL,
  max_failure_rate double precision NOT NULL,
  expanded_to text,
  wave integer NOT NULL DEFAULT 0,
  wave_left integer NOT NULL DEFAULT 0,
  judged_from integer NOT NULL DEFAULT 1,
  wave_ended_at timestamp with time zone,
  total integer NOT NULL DEFAULT 0,
  due integer NOT NULL DEFAULT 0,
  waiting integer NOT NULL DEFAULT 0,
  notified integer NOT NULL DEFAULT 0,
  rotated integer NOT NULL DEFAULT 0,
  confirmed integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  actor_kind text NOT NULL,
  actor_id text,
  request_id text,
  address text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT rotation_campaigns_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT rotation_campaigns_check CHECK ((num_nonnulls(wave_size, wave_percent) = 1)),
  CONSTRAINT rotation_campaigns_status_check CHECK ((status = ANY (ARRAY['preparing'::text, 'running'::text, 'paused'::text, 'halted'::text, 'completed'::text, 'cancelled'::text, 'failed'::text]))),
  CONSTRAINT rotation_campaigns_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE INDEX rotation_campaigns_open ON public.rotation_campaigns USING btree (workspace_id, id) WHERE (ended_at IS NULL);
ALTER TABLE public.rotation_campaigns ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.rotation_campaigns AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  compatible boolean NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
);

CREATE TABLE public.sign_in_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_codes_pkey PRIMARY KEY (user_id),
  CONSTRAINT sign_in_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);

CREATE TABLE public.signing_keys (
  kid text NOT NULL,
  issuer text NOT NULL,
  public_key bytea NOT NULL,
  sealed_private bytea NOT NULL,
  state text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  activated_at timestamp with time zone,
  retired_at timestamp with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT signing_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'active'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX signing_keys_active ON public.signing_keys USING btree (issuer) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX signing_keys_next ON public.signing_keys USING btree (issuer) WHERE (state = 'next'::text);

CREATE TABLE public.sso_attempts (
  state_hash bytea NOT NULL,
  browser_hash bytea NOT NULL,
  provider text NOT NULL,
  stay boolean NOT NULL,
  is_fresh boolean NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sso_attempts_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX sso_attempts_end ON public.sso_attempts USING btree (expires_at);

CREATE TABLE public.sso_identities (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  email text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sso_identities_pkey PRIMARY KEY (id),
  CONSTRAINT sso_identities_subject UNIQUE (issuer, subject),
  CONSTRAINT sso_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
CREATE INDEX sso_identities_user ON public.sso_identities USING btree (user_id);

CREATE TABLE public.sso_links (
  token_hash bytea NOT NULL,
  browser_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  email text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sso_links_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sso_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
CREATE INDEX sso_links_end ON public.sso_links USING btree (expires_at);
CREATE INDEX sso_links_user ON public.sso_links USING btree (user_id);

CREATE TABLE public.subscription_terms (
  workspace_id uuid NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  plan_id text NOT NULL,
  plan jsonb NOT NULL,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT subscription_terms_pkey PRIMARY KEY (workspace_id, starts_at),
  CONSTRAINT subscription_terms_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.subscriptions(workspace_id)
);
ALTER TABLE public.subscription_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.subscription_terms AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.subscriptions (
  workspace_id uuid NOT NULL,
  currency text,
  billing_details jsonb NOT NULL DEFAULT '{}'::jsonb,
  tax_rate_bp integer,
  drafted_until timestamp with time zone NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  billed_from timestamp with time zone,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT subscriptions_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT subscriptions_tax_rate_bp_check CHECK (((tax_rate_bp >= 0) AND (tax_rate_bp <= 10000))),
  CONSTRAINT subscriptions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id)
);
CREATE INDEX subscriptions_drafted_until ON public.subscriptions USING btree (drafted_until);
ALTER TABLE public.subscriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.subscriptions AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.template_serials (
  workspace_id uuid NOT NULL,
  template_id uuid NOT NULL,
  next bigint NOT NULL DEFAULT 1,
  CONSTRAINT template_serials_pkey PRIMARY KEY (workspace_id, template_id),
  CONSTRAINT template_serials_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES public.device_templates(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.template_serials ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.template_serials AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.unused_serials (
  workspace_id uuid NOT NULL,
  template_id uuid NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  CONSTRAINT unused_serials_pkey PRIMARY KEY (workspace_id, template_id, first),
  CONSTRAINT unused_serials_check CHECK ((last >= first)),
  CONSTRAINT unused_serials_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES public.device_templates(workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE public.unused_serials ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.unused_serials AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.usage_days (
  workspace_id uuid NOT NULL,
  day timestamp with time zone NOT NULL,
  template_id uuid NOT NULL,
  messages bigint NOT NULL,
  bytes bigint NOT NULL,
  api_calls bigint NOT NULL,
  connected_devices bigint NOT NULL,
  CONSTRAINT usage_days_pkey PRIMARY KEY (workspace_id, day, template_id)
);
ALTER TABLE public.usage_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.usage_days AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.usage_entries (
  workspace_id uuid NOT NULL,
  hour timestamp with time zone NOT NULL,
  template_id uuid NOT NULL,
  node_id uuid NOT NULL,
  seq bigint NOT NULL,
  messages bigint NOT NULL,
  bytes bigint NOT NULL,
  api_calls bigint NOT NULL,
  connected_devices bigint NOT NULL,
  CONSTRAINT usage_entries_pkey PRIMARY KEY (workspace_id, hour, template_id, node_id, seq)
);
CREATE INDEX usage_entries_unfolded ON public.usage_entries USING btree (hour) WHERE (node_id <> '00000000-0000-0000-0000-000000000000'::uuid);
ALTER TABLE public.usage_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.usage_entries AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.usage_horizon (
  is_only boolean NOT NULL DEFAULT true,
  closed_until timestamp with time zone NOT NULL,
  CONSTRAINT usage_horizon_pkey PRIMARY KEY (is_only),
  CONSTRAINT usage_horizon_is_only_check CHECK (is_only)
);

CREATE TABLE public.usage_hours (
  workspace_id uuid NOT NULL,
  hour timestamp with time zone NOT NULL,
  template_id uuid NOT NULL,
  messages bigint NOT NULL,
  bytes bigint NOT NULL,
  api_calls bigint NOT NULL,
  connected_devices bigint NOT NULL,
  CONSTRAINT usage_hours_pkey PRIMARY KEY (workspace_id, hour, template_id)
) WITH (fillfactor=70);
ALTER TABLE public.usage_hours ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.usage_hours AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.usage_months (
  workspace_id uuid NOT NULL,
  month timestamp with time zone NOT NULL,
  messages bigint NOT NULL,
  bytes bigint NOT NULL,
  api_calls bigint NOT NULL,
  connected_devices bigint NOT NULL,
  CONSTRAINT usage_months_pkey PRIMARY KEY (workspace_id, month)
) WITH (fillfactor=70);
CREATE INDEX usage_months_by_month ON public.usage_months USING btree (month, workspace_id);
ALTER TABLE public.usage_months ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.usage_months AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.usage_thresholds (
  workspace_id uuid NOT NULL,
  month timestamp with time zone NOT NULL,
  meter text NOT NULL,
  threshold smallint NOT NULL,
  reached_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT usage_thresholds_once PRIMARY KEY (workspace_id, month, meter, threshold)
);
ALTER TABLE public.usage_thresholds ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.usage_thresholds AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.usage_writers (
  node_id uuid NOT NULL,
  seq bigint NOT NULL,
  written_at timestamp with time zone NOT NULL,
  CONSTRAINT usage_writers_pkey PRIMARY KEY (node_id)
);

CREATE TABLE public.used_passkey_challenges (
  challenge bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_passkey_challenges_pkey PRIMARY KEY (challenge)
);
CREATE INDEX used_passkey_challenges_by_expiry ON public.used_passkey_challenges USING btree (expires_at);

CREATE TABLE public.user_recovery_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  CONSTRAINT user_recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT user_recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);

CREATE TABLE public.user_sessions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  salt bytea NOT NULL,
  generation integer NOT NULL DEFAULT 1,
  mfa boolean NOT NULL DEFAULT false,
  address text NOT NULL DEFAULT ''::text,
  user_agent text NOT NULL DEFAULT ''::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  rotated_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  end_reason text,
  authenticated_at timestamp with time zone,
  limited_to uuid,
  ends_at timestamp with time zone,
  passkey_id uuid,
  CONSTRAINT user_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT user_sessions_passkey_id_fkey FOREIGN KEY (passkey_id) REFERENCES public.passkeys(id) ON DELETE SET NULL,
  CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
CREATE INDEX user_sessions_by_passkey ON public.user_sessions USING btree (passkey_id) WHERE (passkey_id IS NOT NULL);
CREATE INDEX user_sessions_ended ON public.user_sessions USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX user_sessions_expiry ON public.user_sessions USING btree (expires_at);
CREATE INDEX user_sessions_live ON public.user_sessions USING btree (user_id) WHERE (ended_at IS NULL);

CREATE TABLE public.user_totp (
  user_id uuid NOT NULL,
  sealed_secret bytea NOT NULL,
  last_step bigint NOT NULL DEFAULT 0,
  confirmed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT user_totp_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_totp_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);

CREATE TABLE public.users (
  id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL DEFAULT ''::text,
  password_hash text NOT NULL,
  sign_in_version integer NOT NULL DEFAULT 1,
  status text NOT NULL DEFAULT 'active'::text,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  initial_password_until timestamp with time zone,
  installation_role text,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email_key UNIQUE (email),
  CONSTRAINT users_installation_role CHECK ((installation_role = 'operator'::text)),
  CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

CREATE TABLE public.views (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid,
  name text NOT NULL,
  filter text,
  columns jsonb,
  created_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT views_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT views_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE,
  CONSTRAINT views_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES public.memberships(workspace_id, user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX views_own_name ON public.views USING btree (workspace_id, user_id, name) WHERE (user_id IS NOT NULL);
CREATE UNIQUE INDEX views_shared_name ON public.views USING btree (workspace_id, name) WHERE (user_id IS NULL);
ALTER TABLE public.views ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.views AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.webhook_cursors (
  workspace_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  seq bigint NOT NULL,
  event_id uuid NOT NULL,
  holder uuid,
  lease_until timestamp with time zone,
  epoch bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  probe_at timestamp with time zone,
  CONSTRAINT webhook_cursors_pkey PRIMARY KEY (workspace_id, webhook_id),
  CONSTRAINT webhook_cursors_workspace_id_webhook_id_fkey FOREIGN KEY (workspace_id, webhook_id) REFERENCES public.webhooks(workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor=50);
ALTER TABLE public.webhook_cursors ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.webhook_cursors AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.webhook_deliveries (
  workspace_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  event_id uuid NOT NULL,
  seq bigint NOT NULL,
  subject_id uuid,
  type text NOT NULL,
  status text NOT NULL,
  tries integer NOT NULL,
  first_tried_at timestamp with time zone,
  tried_at timestamp with time zone,
  next_try_at timestamp with time zone,
  hurried_at timestamp with time zone,
  attempts jsonb NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (workspace_id, webhook_id, id),
  CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'delivered'::text, 'dead'::text])))
);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (workspace_id, webhook_id, next_try_at) WHERE (status = 'waiting'::text);
CREATE INDEX webhook_deliveries_line ON public.webhook_deliveries USING btree (workspace_id, webhook_id, subject_id, seq, event_id) WHERE (status = 'waiting'::text);
CREATE INDEX webhook_deliveries_open ON public.webhook_deliveries USING btree (workspace_id, webhook_id, status, id) WHERE (status <> 'delivered'::text);
CREATE UNIQUE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (workspace_id, webhook_id, event_id) WHERE (status = 'waiting'::text);
ALTER TABLE public.webhook_deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.webhook_deliveries AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.webhooks (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  description text,
  types text[],
  status text NOT NULL DEFAULT 'enabled'::text,
  disabled_reason text,
  disabled_at timestamp with time zone,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_until timestamp with time zone,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT webhooks_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT webhooks_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text]))),
  CONSTRAINT webhooks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id)
);
CREATE INDEX webhooks_by_previous_until ON public.webhooks USING btree (previous_until) WHERE (previous_secret IS NOT NULL);
ALTER TABLE public.webhooks ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.webhooks AS PERMISSIVE FOR ALL TO public USING ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE TABLE public.workspaces (
  id uuid NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  delete_requested_at timestamp with time zone,
  erase_at timestamp with time zone,
  erasure jsonb NOT NULL DEFAULT '{}'::jsonb,
  mfa_required boolean NOT NULL DEFAULT false,
  mqtt_durable boolean NOT NULL DEFAULT false,
  CONSTRAINT workspaces_pkey PRIMARY KEY (id),
  CONSTRAINT workspaces_slug_key UNIQUE (slug),
  CONSTRAINT workspaces_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleting'::text])))
);
CREATE INDEX workspaces_erase ON public.workspaces USING btree (erase_at) WHERE (status = 'deleting'::text);
ALTER TABLE public.workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON public.workspaces AS PERMISSIVE FOR ALL TO public USING ((id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((id = (NULLIF(current_setting('mooring.workspace'::text, true), ''::text))::uuid));

CREATE OR REPLACE FUNCTION public.audit_log_enqueue()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO audit_queue (workspace_id, id, ids)
  SELECT workspace_id, written[1], written FROM (
    SELECT workspace_id, array_agg(id) AS written FROM added WHERE seq IS NULL GROUP BY workspace_id
  ) AS entries;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_log_is_kept()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE 'entries of the audit log are chained in audit_batches: end processes of earlier builds';
END $function$;

CREATE OR REPLACE FUNCTION public.billing_is_kept()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM workspaces w
    WHERE w.id = OLD.workspace_id AND w.status = 'deleting' AND w.erase_at <= now()
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'what is in % is never changed or deleted', TG_TABLE_NAME
    USING ERRCODE = '23514', CONSTRAINT = 'billing_is_kept';
END $function$;

CREATE OR REPLACE FUNCTION public.device_credentials_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  DELETE FROM device_secrets WHERE workspace_id = OLD.workspace_id AND device_id = OLD.id;
  DELETE FROM registration_answers WHERE workspace_id = OLD.workspace_id AND device_id = OLD.id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.device_label_number(value numeric)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN hex < '8'
    THEN translate(left(hex, 1), '01234567', '89abcdef') || substr(hex, 2)
    ELSE translate(hex, '0123456789abcdef', 'fedcba9876543210') END
  FROM (SELECT encode(float8send((CASE
    WHEN value > 1e300 THEN 1e300
    WHEN value < -1e300 THEN -1e300
    WHEN abs(value) < 1e-300 THEN 0
    ELSE value END)::float8), 'hex') COLLATE "C" AS hex) AS bits
$function$;

CREATE OR REPLACE FUNCTION public.device_label_texts(device_key text, name text, tags jsonb, custom_fields jsonb)
 RETURNS SETOF text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT 't:' || t.key || '=' || left(t.value, 256)
  FROM jsonb_each_text(tags) AS t WHERE t.value IS NOT NULL AND length(t.key) <= 64
  UNION ALL
  SELECT 'w:' || word
  FROM regexp_split_to_table(lower(name COLLATE "default") COLLATE "C",
                             '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') AS word
  WHERE name COLLATE "C" <> device_key COLLATE "C" AND word <> ''
  UNION ALL
  SELECT 'c:' || f.key || '=' || CASE jsonb_typeof(f.value)
    WHEN 'string' THEN 's' || left(f.value #>> '{}', 256)
    WHEN 'number' THEN 'n' || device_label_number((f.value #>> '{}')::numeric)
    WHEN 'boolean' THEN 'b' || (f.value #>> '{}')
    ELSE 'j' END
  FROM jsonb_each(custom_fields) AS f
  WHERE jsonb_typeof(f.value) <> 'null' AND f.key COLLATE "C" ~ '^[A-Za-z0-9_.-]{1,64}$'
$function$;

CREATE OR REPLACE FUNCTION public.device_labels_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  DELETE FROM device_labels d
  WHERE d.workspace_id = OLD.workspace_id AND d.device_id = OLD.id
    AND d.label = ANY (ARRAY(
      SELECT l.label FROM device_label_texts(OLD.device_key, OLD.name, OLD.tags, OLD.custom_fields)
        AS l (label)));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.device_labels_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  gone text[] := ARRAY(
    SELECT l.label FROM device_label_texts(OLD.device_key, OLD.name, OLD.tags, OLD.custom_fields)
      AS l (label));
  here text[] := ARRAY(
    SELECT l.label FROM device_label_texts(NEW.device_key, NEW.name, NEW.tags, NEW.custom_fields)
      AS l (label));
BEGIN
  DELETE FROM device_labels d
  WHERE d.workspace_id = OLD.workspace_id AND d.device_id = OLD.id
    AND d.label = ANY (ARRAY(SELECT unnest(gone) EXCEPT SELECT unnest(here)));
  INSERT INTO device_labels (workspace_id, label, device_id)
  SELECT NEW.workspace_id, fresh.label, NEW.id
  FROM (SELECT unnest(here) AS label EXCEPT SELECT unnest(gone)) AS fresh
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.device_name_words(device_key text, name text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN name COLLATE "C" = device_key COLLATE "C" THEN '{}' ELSE ARRAY(
    SELECT DISTINCT word
    FROM regexp_split_to_table(lower(name COLLATE "default") COLLATE "C",
                               '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') AS word
    WHERE word <> '') END
$function$;

CREATE OR REPLACE FUNCTION public.device_presence_begin()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
  VALUES (NEW.workspace_id, NEW.id, false, 0, '00000000-0000-0000-0000-000000000000', now())
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.enqueue_job(task text, payload json, queue text, due timestamp with time zone, attempts integer, key text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
BEGIN
  PERFORM graphile_worker.add_job(task, payload, queue_name => queue, run_at => due,
                                  max_attempts => attempts, job_key => key);
END $function$;

CREATE OR REPLACE FUNCTION public.invoice_is_kept()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF (OLD.workspace_id, OLD.id, OLD.period_start, OLD.period_end, OLD.currency)
       IS DISTINCT FROM (NEW.workspace_id, NEW.id, NEW.period_start, NEW.period_end, NEW.currency)
     OR (OLD.status <> 'draft' AND
       (OLD.number, OLD.content, OLD.subtotal, OLD.tax, OLD.total, OLD.balance_used, OLD.issued_at,
        OLD.due_at)
       IS DISTINCT FROM
       (NEW.number, NEW.content, NEW.subtotal, NEW.tax, NEW.total, NEW.balance_used, NEW.issued_at,
        NEW.due_at))
     OR (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
       ('draft', 'open'), ('draft', 'paid'), ('open', 'paid'), ('open', 'overdue'),
       ('open', 'void'), ('overdue', 'paid'), ('overdue', 'void')))
  THEN
    RAISE EXCEPTION 'an invoice keeps what it says'
      USING ERRCODE = '23514', CONSTRAINT = 'invoice_is_kept';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.ledger_is_balanced()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  of_transaction uuid := CASE TG_TABLE_NAME WHEN 'ledger_entries'
    THEN to_jsonb(NEW) ->> 'transaction_id' ELSE to_jsonb(NEW) ->> 'id' END::uuid;
  wrong boolean;
BEGIN
  SELECT count(e.*) <> t.entries OR sum(e.amount) <> 0 OR bool_or(e.currency <> t.currency)
  INTO wrong
  FROM ledger_transactions t
  LEFT JOIN ledger_entries e ON e.workspace_id = t.workspace_id AND e.transaction_id = t.id
  WHERE t.workspace_id = NEW.workspace_id AND t.id = of_transaction
  GROUP BY t.entries;
  IF wrong IS DISTINCT FROM false THEN
    RAISE EXCEPTION 'a transaction of the ledger does not add up'
      USING ERRCODE = '23514', CONSTRAINT = 'ledger_is_balanced';
  END IF;
  RETURN NULL;
END $function$;

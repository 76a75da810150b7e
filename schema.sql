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
  CONSTRAINT api_keys_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT api_keys_check CHECK (((kind = 'provision'::text) OR ((expires_at IS NULL) AND (device_quota IS NULL)))),
  CONSTRAINT api_keys_kind_check CHECK ((kind = ANY (ARRAY['platform'::text, 'provision'::text]))),
  CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_hash ON public.api_keys USING btree (hash);

CREATE TABLE public.audit_chains (
  workspace_id uuid NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  mac bytea NOT NULL,
  sealed_at timestamp with time zone NOT NULL,
  CONSTRAINT audit_chains_pkey PRIMARY KEY (workspace_id)
);

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
CREATE INDEX audit_log_unsealed ON public.audit_log USING btree (workspace_id, id) WHERE (seq IS NULL);

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
  CONSTRAINT device_presence_pkey PRIMARY KEY (workspace_id, device_id),
  CONSTRAINT device_presence_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX device_presence_connected ON public.device_presence USING btree (workspace_id, device_id) WHERE connected;
CREATE INDEX device_presence_node ON public.device_presence USING btree (node_id) WHERE connected;

CREATE TABLE public.device_secrets (
  workspace_id uuid NOT NULL,
  device_id uuid NOT NULL,
  kind text NOT NULL,
  generation integer NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT device_secrets_pkey PRIMARY KEY (workspace_id, device_id, kind, generation),
  CONSTRAINT device_secrets_kind_check CHECK ((kind = ANY (ARRAY['mqtt'::text, 'http'::text]))),
  CONSTRAINT device_secrets_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX device_secrets_http ON public.device_secrets USING btree (hash) WHERE (kind = 'http'::text);

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
  CONSTRAINT devices_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT devices_device_key UNIQUE (workspace_id, device_key),
  CONSTRAINT devices_hardware_id UNIQUE (workspace_id, hardware_id),
  CONSTRAINT devices_status_check CHECK ((status = ANY (ARRAY['registered'::text, 'active'::text, 'suspended'::text, 'decommissioned'::text]))),
  CONSTRAINT devices_suspended_from_check CHECK ((suspended_from = ANY (ARRAY['registered'::text, 'active'::text]))),
  CONSTRAINT devices_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE,
  CONSTRAINT devices_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES public.device_templates(workspace_id, id)
);
CREATE INDEX devices_claimed ON public.devices USING btree (workspace_id, id) WHERE (claimed_at IS NOT NULL);
CREATE INDEX devices_id ON public.devices USING btree (id);
CREATE INDEX devices_name ON public.devices USING btree (workspace_id, lower(name) COLLATE "C");
CREATE INDEX devices_status ON public.devices USING btree (workspace_id, status, id) WHERE (status <> 'registered'::text);
CREATE INDEX devices_tags ON public.devices USING gin (tags);
CREATE INDEX devices_template ON public.devices USING btree (workspace_id, template_id, id);

CREATE TABLE public.events (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  subject_id uuid,
  data jsonb NOT NULL,
  occurred_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT events_pkey PRIMARY KEY (workspace_id, id)
);

CREATE TABLE public.failed_tries (
  subject bytea NOT NULL,
  factor text NOT NULL,
  tries integer NOT NULL,
  locked_until timestamp with time zone,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT failed_tries_pkey PRIMARY KEY (subject, factor),
  CONSTRAINT failed_tries_factor_check CHECK ((factor = ANY (ARRAY['password'::text, 'totp'::text, 'recovery'::text])))
);
CREATE INDEX failed_tries_age ON public.failed_tries USING btree (updated_at) WHERE (factor = 'password'::text);

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

CREATE TABLE public.mfa_challenges (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  salt bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT mfa_challenges_pkey PRIMARY KEY (id),
  CONSTRAINT mfa_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
CREATE INDEX mfa_challenges_expiry ON public.mfa_challenges USING btree (expires_at);
CREATE INDEX mfa_challenges_user ON public.mfa_challenges USING btree (user_id);

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

CREATE TABLE public.moids (
  id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  check_at timestamp with time zone NOT NULL DEFAULT (now() + '30 days'::interval),
  CONSTRAINT moids_pkey PRIMARY KEY (id)
);
CREATE INDEX moids_check ON public.moids USING btree (check_at);

CREATE TABLE public.nodes (
  id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  beat_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT nodes_pkey PRIMARY KEY (id)
);

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
  CONSTRAINT registration_answers_pkey PRIMARY KEY (workspace_id, device_id),
  CONSTRAINT registration_answers_workspace_id_device_id_fkey FOREIGN KEY (workspace_id, device_id) REFERENCES public.devices(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX registration_answers_age ON public.registration_answers USING btree (created_at);

CREATE TABLE public.schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  compatible boolean NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
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

CREATE TABLE public.template_serials (
  workspace_id uuid NOT NULL,
  template_id uuid NOT NULL,
  next bigint NOT NULL DEFAULT 1,
  CONSTRAINT template_serials_pkey PRIMARY KEY (workspace_id, template_id),
  CONSTRAINT template_serials_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES public.device_templates(workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE public.unused_serials (
  workspace_id uuid NOT NULL,
  template_id uuid NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  CONSTRAINT unused_serials_pkey PRIMARY KEY (workspace_id, template_id, first),
  CONSTRAINT unused_serials_check CHECK ((last >= first)),
  CONSTRAINT unused_serials_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES public.device_templates(workspace_id, id) ON DELETE CASCADE
);

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
  CONSTRAINT user_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE
);
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
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email_key UNIQUE (email),
  CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

CREATE TABLE public.workspaces (
  id uuid NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT workspaces_pkey PRIMARY KEY (id),
  CONSTRAINT workspaces_slug_key UNIQUE (slug),
  CONSTRAINT workspaces_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleting'::text])))
);

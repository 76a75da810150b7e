-- compatible
-- Payments and payment methods. Earlier builds use neither.

-- The customer that represents a workspace at a payment provider.
CREATE TABLE payment_customers (
  workspace_id uuid NOT NULL REFERENCES workspaces,
  provider     text NOT NULL,
  -- The customer id that the provider has assigned.
  customer_id  text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, provider)
);
-- Events of the provider contain only the provider's id.
CREATE INDEX payment_customers_customer_id ON payment_customers (customer_id);
ALTER TABLE payment_customers ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON payment_customers
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Of a card, only the details are stored that people need to recognize it. `pending`: the setup has
-- begun and is not complete.
CREATE TABLE payment_methods (
  workspace_id uuid NOT NULL REFERENCES workspaces,
  id           uuid NOT NULL,
  provider     text NOT NULL,
  status       text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'active', 'abandoned', 'detached')),
  -- The provider's ids of the setup and of the resulting payment method.
  setup_id     text,
  provider_id  text,
  brand        text,
  last4        text,
  exp_month    smallint,
  exp_year     smallint,
  is_default   boolean NOT NULL DEFAULT false,
  created_by   text NOT NULL,
  revision     integer NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  -- The time of the next query to the provider, and the number of queries so far.
  check_at     timestamptz NOT NULL DEFAULT now() + interval '1 minute',
  checks       integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, id),
  CHECK (status <> 'active' OR (provider_id IS NOT NULL AND last4 IS NOT NULL)),
  CHECK (NOT is_default OR status = 'active')
);
CREATE UNIQUE INDEX payment_methods_default ON payment_methods (workspace_id) WHERE is_default;
CREATE UNIQUE INDEX payment_methods_provider_id
  ON payment_methods (workspace_id, provider, provider_id) WHERE status = 'active';
-- Events of the provider contain only the provider's id.
CREATE INDEX payment_methods_setup_id ON payment_methods (setup_id);
CREATE INDEX payment_methods_check_at ON payment_methods (check_at) WHERE status = 'pending';
ALTER TABLE payment_methods ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON payment_methods
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- The states are created -> requires_action -> processing -> succeeded | failed; a payment may skip
-- some. Reversing the whole amount changes succeeded to refunded, and undoing a reversal changes it
-- back. The row is written before any request to the provider.
CREATE TABLE payments (
  workspace_id    uuid NOT NULL REFERENCES workspaces,
  id              uuid NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('invoice', 'top_up')),
  invoice_id      uuid,
  -- `balance`: paid from the prepaid balance, and succeeded from the start.
  provider        text NOT NULL,
  -- The provider's id of the payment. Nothing is charged before this id is stored.
  provider_id     text,
  method_id       uuid,
  status          text NOT NULL DEFAULT 'created' CHECK (status IN
    ('created', 'requires_action', 'processing', 'succeeded', 'failed', 'refunded')),
  amount          bigint NOT NULL CHECK (amount > 0),
  currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- The purpose that the money was booked for. If the invoice was paid otherwise or voided in the
  -- meantime, the money is credited to the balance. Null: the payment has not succeeded.
  credited_to     text CHECK (credited_to IN ('invoice', 'balance')),
  -- The amount that was returned to the payer by refunds and disputes.
  reversed        bigint NOT NULL DEFAULT 0 CHECK (reversed >= 0),
  failure_code    text,
  failure_message text,
  -- The SHA-256 of the Idempotency-Key of the request that created the payment.
  request_key     bytea,
  created_by      text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  -- The time of the next query to the provider, and the number of queries so far.
  check_at        timestamptz NOT NULL DEFAULT now() + interval '1 minute',
  checks          integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, invoice_id) REFERENCES invoices,
  FOREIGN KEY (workspace_id, method_id) REFERENCES payment_methods,
  CHECK ((kind = 'invoice') = (invoice_id IS NOT NULL)),
  CHECK ((status IN ('created', 'requires_action', 'processing')) = (ended_at IS NULL)),
  CHECK ((status IN ('succeeded', 'refunded')) = (credited_to IS NOT NULL))
);
-- An invoice has at most one open payment, even with concurrent requests.
CREATE UNIQUE INDEX payments_open_of_invoice ON payments (workspace_id, invoice_id)
  WHERE status IN ('created', 'requires_action', 'processing');
CREATE UNIQUE INDEX payments_request_key ON payments (workspace_id, request_key);
CREATE UNIQUE INDEX payments_provider_id ON payments (provider, provider_id);
CREATE INDEX payments_check_at ON payments (check_at)
  WHERE status IN ('created', 'requires_action', 'processing');
CREATE INDEX payments_invoice ON payments (workspace_id, invoice_id);
CREATE INDEX payments_method ON payments (workspace_id, method_id);
ALTER TABLE payments ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON payments
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Refunds and disputes. Each is booked once. When it is undone, the opposite amount is booked once.
CREATE TABLE payment_reversals (
  workspace_id uuid NOT NULL,
  payment_id   uuid NOT NULL,
  -- The provider's id of the refund or dispute.
  reversal_id  text NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('refund', 'dispute')),
  amount       bigint NOT NULL CHECK (amount > 0),
  created_at   timestamptz NOT NULL DEFAULT now(),
  undone_at    timestamptz,
  PRIMARY KEY (workspace_id, payment_id, reversal_id),
  FOREIGN KEY (workspace_id, payment_id) REFERENCES payments
);
ALTER TABLE payment_reversals ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON payment_reversals
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Events of payment providers that were processed. They are kept for longer than a provider can
-- send an event again.
CREATE TABLE payment_events (
  provider text NOT NULL,
  id       text NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, id)
);
CREATE INDEX payment_events_taken_at ON payment_events (taken_at);

-- compatible
-- Subscriptions, the double-entry ledger, and invoices. Earlier builds use none of these tables.

-- The subscription of each workspace, with its buyer. `currency` is the currency of its first plan
-- that has a price, and does not change. Invoices have been drafted for the time before
-- `drafted_until`.
CREATE TABLE subscriptions (
  workspace_id    uuid PRIMARY KEY REFERENCES workspaces,
  currency        text CHECK (currency ~ '^[A-Z]{3}$'),
  -- The name, address, tax id and mail address of the buyer, if they were entered.
  billing_details jsonb NOT NULL DEFAULT '{}',
  -- The tax rate in basis points. Null: the rate of the installation. 0: exempt.
  tax_rate_bp     integer CHECK (tax_rate_bp BETWEEN 0 AND 10000),
  drafted_until   timestamptz NOT NULL,
  revision        integer NOT NULL DEFAULT 1,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX subscriptions_drafted_until ON subscriptions (drafted_until);
ALTER TABLE subscriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON subscriptions
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- The plan of a workspace from a given hour on. `plan` is a full copy of the plan at the time when
-- it was chosen, so that changes of the plans file change no invoice.
CREATE TABLE subscription_terms (
  workspace_id uuid NOT NULL REFERENCES subscriptions,
  -- The beginning of an hour. Each hour has one plan.
  starts_at    timestamptz NOT NULL,
  plan_id      text NOT NULL,
  plan         jsonb NOT NULL,
  created_by   text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, starts_at)
);
ALTER TABLE subscription_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON subscription_terms
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- The ledger. Each transaction has a unique key and is written once, with all of its entries in one
-- statement. The sum of its entries is zero. Positive amounts are debits and negative amounts are
-- credits, in minor units of the currency.
CREATE TABLE ledger_transactions (
  workspace_id uuid NOT NULL REFERENCES workspaces,
  id           uuid NOT NULL,
  key          text NOT NULL,
  currency     text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  entries      smallint NOT NULL CHECK (entries >= 2),
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT ledger_transactions_key UNIQUE (workspace_id, key)
);
ALTER TABLE ledger_transactions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON ledger_transactions
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

CREATE TABLE ledger_entries (
  workspace_id   uuid NOT NULL,
  transaction_id uuid NOT NULL,
  position       smallint NOT NULL,
  account        text NOT NULL CHECK (account IN
    ('balance', 'receivable', 'revenue', 'tax', 'payments', 'adjustments')),
  currency       text NOT NULL,
  amount         bigint NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (workspace_id, transaction_id, position),
  FOREIGN KEY (workspace_id, transaction_id) REFERENCES ledger_transactions
);
CREATE INDEX ledger_entries_account ON ledger_entries (workspace_id, account, currency)
  INCLUDE (amount);
ALTER TABLE ledger_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON ledger_entries
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Runs at the end of the statement that writes a transaction or its entries. It requires that the
-- transaction has the stated number of entries, that all are in its currency, and that their sum is
-- zero. Therefore no entry can be added later either.
CREATE FUNCTION ledger_is_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE TRIGGER ledger_transactions_balanced AFTER INSERT ON ledger_transactions
  FOR EACH ROW EXECUTE FUNCTION ledger_is_balanced();
CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION ledger_is_balanced();

-- Refuses every update and delete, also for the owner of the tables. The only exception is the
-- erasure of a deleted workspace after its `erase_at`.
CREATE FUNCTION billing_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM workspaces w
    WHERE w.id = OLD.workspace_id AND w.status = 'deleting' AND w.erase_at <= now()
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'what is in % is never changed or deleted', TG_TABLE_NAME
    USING ERRCODE = '23514', CONSTRAINT = 'billing_is_kept';
END $$;
CREATE TRIGGER ledger_transactions_kept BEFORE UPDATE OR DELETE ON ledger_transactions
  FOR EACH ROW EXECUTE FUNCTION billing_is_kept();
CREATE TRIGGER ledger_entries_kept BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION billing_is_kept();

-- One invoice for each workspace and month (UTC). A draft has no amounts: they are computed from
-- the usage when it is read. The content of an issued invoice is fixed.
CREATE TABLE invoices (
  workspace_id uuid NOT NULL REFERENCES workspaces,
  id           uuid NOT NULL,
  status       text NOT NULL DEFAULT 'draft'
    CHECK (status IN ('draft', 'open', 'overdue', 'paid', 'void')),
  period_start timestamptz NOT NULL,
  period_end   timestamptz NOT NULL,
  currency     text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- The number of the invoice, without gaps in the whole installation. Null: a draft.
  number       bigint CONSTRAINT invoices_number UNIQUE,
  -- The lines, the data that they were computed from, the tax, the seller and the buyer.
  content      jsonb,
  subtotal     bigint,
  tax          bigint,
  total        bigint,
  -- The amount that was taken from the prepaid balance when the invoice was issued.
  balance_used bigint,
  issued_at    timestamptz,
  due_at       timestamptz,
  paid_at      timestamptz,
  voided_at    timestamptz,
  revision     integer NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT invoices_period UNIQUE (workspace_id, period_start),
  CONSTRAINT invoices_issued CHECK (status = 'draft' OR
    (number IS NOT NULL AND content IS NOT NULL AND issued_at IS NOT NULL AND due_at IS NOT NULL
     AND total = subtotal + tax AND balance_used BETWEEN 0 AND total)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((status = 'void') = (voided_at IS NOT NULL))
);
CREATE INDEX invoices_list ON invoices (workspace_id, period_start DESC, id DESC);
CREATE INDEX invoices_drafts ON invoices (period_end) WHERE status = 'draft';
CREATE INDEX invoices_due ON invoices (due_at) WHERE status = 'open';
ALTER TABLE invoices ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON invoices
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- The period and the currency of an invoice never change, nor does the content of an issued
-- invoice. The status only changes by the transitions below. No invoice can be deleted before the
-- erasure of its workspace, not even a draft, because it is the only invoice of its month.
CREATE FUNCTION invoice_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE TRIGGER invoices_kept BEFORE UPDATE ON invoices
  FOR EACH ROW EXECUTE FUNCTION invoice_is_kept();
CREATE TRIGGER invoices_not_deleted BEFORE DELETE ON invoices
  FOR EACH ROW EXECUTE FUNCTION billing_is_kept();

-- The last invoice number that was assigned. The transaction that issues an invoice increments it,
-- so that no number is lost. Concurrent transactions that issue invoices wait for each other, a
-- moment for each invoice.
CREATE TABLE invoice_numbers (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  last      bigint NOT NULL
);
INSERT INTO invoice_numbers (last) VALUES (0);

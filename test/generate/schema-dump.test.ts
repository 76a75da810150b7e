// The guarantees of the dump: everything that matters is in it, and nothing that may differ.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dumpSchema } from '../../generate/schema-dump.ts'
import { scratchDatabase } from '../support/scratch-database.ts'

const parents = `
  CREATE TYPE mood AS ENUM ('good', 'it''s bad');
  CREATE DOMAIN percent AS int NOT NULL DEFAULT 0 CONSTRAINT in_range CHECK (VALUE BETWEEN 0 AND 100);
  CREATE SEQUENCE serials AS int START 5 INCREMENT 2;
  CREATE TABLE workspaces (id uuid PRIMARY KEY, name text COLLATE "C" NOT NULL DEFAULT 'x''y');
`
const children = `
  CREATE TABLE "Odd Things" (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id bigint GENERATED ALWAYS AS IDENTITY,
    dropped int,
    feeling mood DEFAULT 'good',
    share percent,
    doubled numeric(6, 2) GENERATED ALWAYS AS (id * 2) STORED,
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT small CHECK (id < 1000),
    CONSTRAINT one_feeling UNIQUE (workspace_id, feeling)
  ) WITH (fillfactor = 80);
  ALTER TABLE "Odd Things" DROP COLUMN dropped;
  CREATE INDEX things_by_share ON "Odd Things" (share DESC) WHERE share > 3;
  CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$;
  CREATE TRIGGER touched BEFORE UPDATE ON "Odd Things" FOR EACH ROW EXECUTE FUNCTION touch();
  ALTER TABLE "Odd Things" ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON "Odd Things" FOR SELECT USING (share > 1);
  CREATE TABLE parted (workspace_id uuid, at date) PARTITION BY RANGE (at);
  CREATE INDEX parted_at ON parted (at);
  CREATE TABLE parted_2026 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
  CREATE VIEW named AS SELECT name FROM workspaces;
`
const expected = `CREATE TYPE public.mood AS ENUM ('good', 'it''s bad');

CREATE DOMAIN public.percent AS integer NOT NULL DEFAULT 0
  CONSTRAINT in_range CHECK (((VALUE >= 0) AND (VALUE <= 100)));

CREATE SEQUENCE public.serials AS integer START 5 INCREMENT 2 MINVALUE 1 MAXVALUE 2147483647 CACHE 1;

CREATE TABLE public."Odd Things" (
  workspace_id uuid NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  feeling public.mood DEFAULT 'good'::public.mood,
  share public.percent,
  doubled numeric(6,2) GENERATED ALWAYS AS ((id * 2)) STORED,
  CONSTRAINT "Odd Things_pkey" PRIMARY KEY (workspace_id, id),
  CONSTRAINT one_feeling UNIQUE (workspace_id, feeling),
  CONSTRAINT small CHECK ((id < 1000)),
  CONSTRAINT "Odd Things_workspace_id_fkey" FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE
) WITH (fillfactor=80);
CREATE INDEX things_by_share ON public."Odd Things" USING btree (share DESC) WHERE ((share)::integer > 3);
CREATE TRIGGER touched BEFORE UPDATE ON public."Odd Things" FOR EACH ROW EXECUTE FUNCTION public.touch();
ALTER TABLE public."Odd Things" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON public."Odd Things" AS PERMISSIVE FOR SELECT TO public USING (((share)::integer > 1));

CREATE TABLE public.parted (
  workspace_id uuid,
  at date
) PARTITION BY RANGE (at);
CREATE INDEX parted_at ON ONLY public.parted USING btree (at);

CREATE TABLE public.parted_2026 PARTITION OF public.parted (
  workspace_id uuid,
  at date
) FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');

CREATE TABLE public.workspaces (
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT 'x''y'::text,
  CONSTRAINT workspaces_pkey PRIMARY KEY (id)
);

CREATE VIEW public.named (
  name text COLLATE "C"
) -- reads public.workspaces.name

CREATE OR REPLACE FUNCTION public.touch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN RETURN new; END $function$;
`

test('the dump has every type, table, constraint, index, trigger, policy and function', async (t) => {
  const database = await scratchDatabase(t)
  const client = await database.connect()
  try {
    await client.query(parents)
    await client.query(children)
    assert.equal(await dumpSchema(client), expected)
    assert.equal(await dumpSchema(client), expected)
    // The session still finds its tables by their short names.
    assert.deepEqual((await client.query('SELECT name FROM named')).rows, [])
  } finally {
    await client.end()
  }
})

test('an empty schema gives an empty dump', async (t) => {
  const client = await (await scratchDatabase(t)).connect()
  assert.equal(await dumpSchema(client), '')
  await client.end()
})

test('every change that code can notice changes the dump', async (t) => {
  const database = await scratchDatabase(t)
  const client = await database.connect()
  try {
    await client.query(parents)
    await client.query(children)
    const seen = new Set([await dumpSchema(client)])
    const changes = [
      'ALTER TABLE workspaces ALTER name DROP NOT NULL',
      "ALTER TABLE workspaces ALTER name SET DEFAULT 'z'",
      'ALTER TABLE "Odd Things" DROP CONSTRAINT small',
      'DROP INDEX things_by_share',
      'ALTER TABLE "Odd Things" FORCE ROW LEVEL SECURITY',
      'ALTER POLICY own ON "Odd Things" USING (share > 2)',
      "ALTER TYPE mood ADD VALUE 'new'",
      'CREATE OR REPLACE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN old; END $$',
      'DROP TRIGGER touched ON "Odd Things"',
      'CREATE OR REPLACE VIEW named AS SELECT name FROM workspaces WHERE id IS NOT NULL',
      'ALTER SEQUENCE serials CYCLE',
    ]
    for (const change of changes) {
      await client.query(change)
      const dump = await dumpSchema(client)
      assert.ok(!seen.has(dump), `not noticed: ${change}`)
      seen.add(dump)
    }
  } finally {
    await client.end()
  }
})

/**
 * The definition of a table besides its rows, as statements that make it again; and the parts of it
 * that Postgres cannot keep over partitions.
 */
import type { Client } from 'pg'

/** A constraint or an index that partitions get one by one, so that its name there is known. */
export interface IndexDefinition {
  name: string
  /** `CREATE UNIQUE INDEX … ON …`, with `%I` for the name and the table. */
  create: string
  /** `PRIMARY KEY (…)` if it belongs to a constraint. */
  constraint: string | null
}

export interface TableDefinition {
  name: string
  isPartitioned: boolean
  /** Estimates of the planner. */
  rows: number
  bytes: number
  /** Storage parameters, which partitions have and partitioned tables do not. */
  storage: string | null
  /** Columns that are not computed from others. */
  columns: string[]
  indexes: IndexDefinition[]
  /** Statements: triggers, policies, grants, comments. */
  others: string[]
  /** Why it cannot be converted. */
  problems: string[]
}

export interface Reference {
  /** Table, quoted. */
  table: string
  name: string
  definition: string
}

const NAME = 'c.oid::regclass::text'

const tables = `
  SELECT c.relname AS name, c.relkind = 'p' AS "isPartitioned",
    greatest(c.reltuples, 0)::float8 AS rows, pg_total_relation_size(c.oid)::float8 AS bytes,
    array_to_string(c.reloptions, ', ') AS storage,
    ARRAY(SELECT quote_ident(attname) FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      ORDER BY attnum)::text[] AS columns
  FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition AND c.relname = ANY ($1) ORDER BY c.relname COLLATE "C"`

// The name and the table of an index stand at fixed places of its definition.
const indexes = `
  SELECT c.relname AS "table", i.relname AS name,
    regexp_replace(pg_get_indexdef(x.indexrelid), '^(CREATE (?:UNIQUE )?INDEX) .*? ON (?:ONLY )?\\S+ ',
      '\\1 %I ON %I ') AS create,
    (SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k
     WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x')) AS constraint
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1)
  ORDER BY x.indisprimary DESC, i.relname COLLATE "C"`

const ofTable = 'c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1)'

const others = `
  SELECT "table", line FROM (
    SELECT c.relname AS "table", 1 AS kind, g.tgname::text AS name, pg_get_triggerdef(g.oid) AS line
    FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
    WHERE ${ofTable} AND NOT g.tgisinternal AND g.tgparentid = 0
    UNION ALL
    SELECT c.relname, 2, g.tgname, format('ALTER TABLE %s %s TRIGGER %I', ${NAME},
      CASE g.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA'
        ELSE 'ENABLE ALWAYS' END, g.tgname)
    FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
    WHERE ${ofTable} AND NOT g.tgisinternal AND g.tgenabled <> 'O'
    UNION ALL
    SELECT c.relname, 3, mode, format('ALTER TABLE %s %s ROW LEVEL SECURITY', ${NAME}, mode)
    FROM pg_class c,
      LATERAL (VALUES ('ENABLE', relrowsecurity), ('FORCE', relforcerowsecurity)) m (mode, is_set)
    WHERE ${ofTable} AND is_set
    UNION ALL
    SELECT c.relname, 4, p.polname, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', p.polname,
        ${NAME}, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
          WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        (SELECT string_agg(CASE r WHEN 0 THEN 'public' ELSE r::regrole::text END, ', ')
         FROM unnest(p.polroles) r))
      || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
      || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE ${ofTable}
    UNION ALL
    SELECT c.relname, 5, a.privilege_type || a.grantee, format('GRANT %s ON %s TO %s%s',
        a.privilege_type, ${NAME}, CASE a.grantee WHEN 0 THEN 'public' ELSE a.grantee::regrole::text
        END, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM pg_class c, aclexplode(c.relacl) a WHERE ${ofTable} AND a.grantee <> c.relowner
    UNION ALL
    SELECT c.relname, 6, t.attname || a.privilege_type || a.grantee,
        format('GRANT %s (%I) ON %s TO %s%s', a.privilege_type, t.attname, ${NAME},
        CASE a.grantee WHEN 0 THEN 'public' ELSE a.grantee::regrole::text END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid, aclexplode(t.attacl) a
    WHERE ${ofTable} AND a.grantee <> c.relowner
    UNION ALL
    SELECT c.relname, 7, '', format('COMMENT ON TABLE %s IS %L', ${NAME},
      obj_description(c.oid, 'pg_class'))
    FROM pg_class c WHERE ${ofTable} AND obj_description(c.oid, 'pg_class') IS NOT NULL
  ) AS lines ORDER BY kind, name COLLATE "C"`

const problems = `
  SELECT c.relname AS "table", problem FROM pg_class c, LATERAL (
    SELECT 'it belongs to the role ' || c.relowner::regrole || '; connect as that one'
      WHERE c.relowner <> current_user::regrole
    UNION ALL SELECT 'it has no column workspace_id' WHERE NOT EXISTS (
      SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'workspace_id'
        AND NOT attisdropped)
    UNION ALL SELECT format('the unique index %s holds across workspaces, which Postgres cannot ' ||
        'keep over partitions by workspace', x.indexrelid::regclass)
      FROM pg_index x WHERE x.indrelid = c.oid AND x.indisunique AND NOT EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace_id'
          AND a.attnum = ANY (x.indkey[0:x.indnkeyatts - 1]))
    UNION ALL SELECT format('the index %s is invalid; drop or rebuild it', x.indexrelid::regclass)
      FROM pg_index x WHERE x.indrelid = c.oid AND NOT x.indisvalid
    UNION ALL SELECT format('the constraint %s is an exclusion', conname)
      FROM pg_constraint WHERE conrelid = c.oid AND contype = 'x'
    UNION ALL SELECT format('the constraint %s is not validated', conname)
      FROM pg_constraint WHERE (conrelid = c.oid OR confrelid = c.oid) AND NOT convalidated
    UNION ALL SELECT format('the column %I is an identity', attname)
      FROM pg_attribute WHERE attrelid = c.oid AND attidentity <> '' AND NOT attisdropped
    UNION ALL SELECT format('it owns the sequence %s', objid::regclass)
      FROM pg_depend WHERE classid = 'pg_class'::regclass AND refobjid = c.oid AND deptype = 'a'
        AND refobjsubid > 0 AND EXISTS (
          SELECT FROM pg_class s WHERE s.oid = objid AND s.relkind = 'S')
    UNION ALL SELECT format('the view %s reads it', ev_class::regclass)
      FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass
      WHERE d.refobjid = c.oid AND r.ev_class <> c.oid
    UNION ALL SELECT format('it is part of the publication %I', pubname)
      FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid WHERE prrelid = c.oid
    UNION ALL SELECT 'it inherits, or is inherited from' WHERE c.relkind = 'r' AND EXISTS (
      SELECT FROM pg_inherits WHERE inhrelid = c.oid OR inhparent = c.oid)
    UNION ALL SELECT 'it has a replica identity of its own' WHERE c.relreplident <> 'd'
    UNION ALL SELECT format('the trigger %I is for each row, with transition tables', tgname)
      FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal AND tgtype & 1 = 1
        AND (tgoldtable IS NOT NULL OR tgnewtable IS NOT NULL)
  ) AS found (problem) WHERE ${ofTable} ORDER BY 1, 2`

interface OfTable {
  table: string
}

/** @param names of tables in the current schema; missing ones are left out */
export async function readTables(
  client: Client,
  names: readonly string[],
): Promise<TableDefinition[]> {
  const read = async <Row extends object>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text, [names])).rows
  const found = await read<Omit<TableDefinition, 'indexes' | 'others' | 'problems'>>(tables)
  const allIndexes = await read<IndexDefinition & OfTable>(indexes)
  const allOthers = await read<OfTable & { line: string }>(others)
  const allProblems = await read<OfTable & { problem: string }>(problems)
  const of = <Row extends OfTable>(rows: readonly Row[], name: string): Row[] =>
    rows.filter(({ table }) => table === name)
  return found.map((table) => ({
    ...table,
    indexes: of(allIndexes, table.name),
    others: of(allOthers, table.name).map(({ line }) => line),
    problems: of(allProblems, table.name).map(({ problem }) => problem),
  }))
}

const references = `
  SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name,
    pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k
  WHERE contype = 'f' AND conparentid = 0 AND EXISTS (
    SELECT FROM pg_class c WHERE ${ofTable} AND c.oid IN (conrelid, confrelid))
  ORDER BY 1, 2`

/** Foreign keys of the tables, and those of any table to them. */
export const readReferences = async (
  client: Client,
  names: readonly string[],
): Promise<Reference[]> => (await client.query<Reference>(references, [names])).rows

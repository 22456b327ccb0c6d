import type { Client } from 'pg';
import { queryChecked } from '@trellis/postgres';

/** What a table says of its columns, and the names of types. */
export interface Catalogue {
  /** `uuid`, `text[]`. @throws Error for an oid that no type has */
  typeName(oid: number): string;
  /** Whether the table declares it NOT NULL. */
  isNotNull(table: number, column: number): boolean;
  /** The texts that a check of the table lets in; undefined without such a check. */
  allowedTexts(table: number, column: number): readonly string[] | undefined;
}

const TYPES = `
  SELECT type.oid::int4 AS oid, coalesce(element.typname || '[]', type.typname) AS name
  FROM pg_type AS type LEFT JOIN pg_type AS element ON element.oid = type.typelem AND type.typcategory = 'A'`;

const NOT_NULL = 'SELECT attrelid::int4 AS "table", attnum AS number FROM pg_attribute WHERE attnotnull';

const CHECKS = `
  SELECT conrelid::int4 AS "table", conkey[1] AS number, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint WHERE contype = 'c' AND cardinality(conkey) = 1`;

/** Reads the catalogue of a database. */
export async function readCatalogue(client: Client): Promise<Catalogue> {
  const types = await queryChecked(client, { oid: 'int4', name: 'text' }, TYPES);
  const notNull = await queryChecked(client, { table: 'int4', number: 'int2' }, NOT_NULL);
  const checks = await queryChecked(client, { table: 'int4', number: 'int2', definition: 'text' }, CHECKS);
  const names = new Map(types.map(({ oid, name }) => [oid, name]));
  const required = new Set(notNull.map(({ table, number }) => keyOf(table, number)));
  const texts = new Map(
    checks.map(({ table, number, definition }) => [keyOf(table, number), readAllowedTexts(definition)]),
  );
  return {
    typeName: (oid) => {
      const name = names.get(oid);
      if (name === undefined) throw new Error(`No type has the oid ${oid}.`);
      return name;
    },
    isNotNull: (table, column) => required.has(keyOf(table, column)),
    allowedTexts: (table, column) => texts.get(keyOf(table, column)),
  };
}

function keyOf(table: number, column: number): string {
  return `${table}.${column}`;
}

/** What PostgreSQL writes for `CHECK (role IN ('ADMIN', 'EDITOR'))`. */
const IN_LIST = /^CHECK \(\(\w+ = ANY \(ARRAY\[((?:'(?:[^']|'')*'::text(?:, )?)+)\]\)\)\)$/;

function readAllowedTexts(definition: string): readonly string[] | undefined {
  const [, list] = IN_LIST.exec(definition) ?? [];
  if (list === undefined) return undefined;
  return [...list.matchAll(/'((?:[^']|'')*)'::text/g)].map(([, text = '']) => text.replaceAll("''", "'"));
}

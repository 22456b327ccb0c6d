import { isListedType, type Statement, type StatementDescription } from '@trellis/postgres';
import type { DescribedColumn, DescribedStatement } from './describe-statement.ts';
import { hasOuterJoin } from './outer-joins.ts';
import type { Catalogue } from './read-catalogue.ts';

/** A column, or a parameter, in the words of the generated table. */
type Column = string | readonly (string | null)[];

/** A {@link StatementDescription} that is about to be written. */
export interface TypedStatement {
  readonly parameters: readonly string[];
  readonly row: Readonly<Record<string, Column>>;
}

/**
 * The types of a statement's parameters and columns. A column is nullable unless its table declares it NOT NULL and no outer
 * join is near, or the statement says that it is never null.
 *
 * @throws Error that names the statement, for a type that rows can't have, two columns of one name, or a superfluous `notNull`
 */
export function typeStatement(
  statement: Statement<StatementDescription>,
  { parameters, columns }: DescribedStatement,
  catalogue: Catalogue,
): TypedStatement {
  const row = new Map<string, Column>();
  for (const column of columns) {
    if (row.has(column.name)) throw new Error(`${statement.id} returns two columns ${column.name}.`);
    row.set(column.name, typeColumn(statement, column, catalogue));
  }
  const missing = statement.notNull.find((name) => !row.has(name));
  if (missing !== undefined) throw new Error(`${statement.id} returns no column ${missing}.`);
  return {
    parameters: parameters.map((oid) => nameType(statement.id, catalogue.typeName(oid))),
    row: Object.fromEntries(row),
  };
}

function typeColumn(
  { id, text, notNull }: Statement<StatementDescription>,
  { name, type, table, number }: DescribedColumn,
  catalogue: Catalogue,
): Column {
  const isDeclared = notNull.includes(name);
  const isKnown = table !== 0 && catalogue.isNotNull(table, number) && !hasOuterJoin(text);
  if (isDeclared && isKnown) throw new Error(`${id}: PostgreSQL knows that ${name} is not null.`);
  const isNullable = !isDeclared && !isKnown;
  const texts = catalogue.allowedTexts(table, number);
  if (texts) return isNullable ? [...texts, null] : texts;
  return nameType(id, catalogue.typeName(type)) + (isNullable ? '?' : '');
}

function nameType(id: string, name: string): string {
  if (isListedType(name)) return name;
  throw new Error(`${id} has the type ${name}, which packages/postgres/src/sql-types.ts does not list.`);
}

import { channel } from 'node:diagnostics_channel';
import type { Pool } from './pool.ts';
import {
  findRowMismatch,
  type ParametersOf,
  type RowDescription,
  type RowOf,
  type StatementDescription,
} from './sql-types.ts';

/** What statements run on: a pool, or the connection of a transaction. */
export type Queryable = Pick<Pool, 'query'>;

/** An SQL statement with what PostgreSQL says of it. */
export interface Statement<Description extends StatementDescription> {
  /** The file that defines it and its name there: `post-store.findByIds`. */
  readonly id: string;
  readonly text: string;
  /** A connection prepares it once under this name. Absent: it is prepared for each call. */
  readonly preparedAs?: string;
  /** Columns that are never null, for reasons that PostgreSQL does not see. */
  readonly notNull: readonly string[];
  readonly description: Description;
}

/** A statement as it is written. */
export interface StatementText<Description extends StatementDescription> {
  readonly text: string;
  /** Has each connection prepare the statement once, under this name. For frequent ones with few rows. */
  readonly preparedAs?: string;
  /**
   * Columns that are never null though PostgreSQL can't say so: expressions, columns of a UNION, and all columns of a statement
   * with an outer join are taken for nullable otherwise.
   */
  readonly notNull?: readonly (keyof Description['row'] & string)[];
}

/** A row that a statement returns. */
export type StatementRow<Of extends Statement<StatementDescription>> = RowOf<Of['description']['row']>;

/** What `npm run generate` writes: by file, and by name of the statement. */
type StatementTable = Readonly<Record<string, Readonly<Record<string, StatementDescription>>>>;

type Texts<Descriptions extends Readonly<Record<string, StatementDescription>>> = {
  readonly [Name in keyof Descriptions]: string | StatementText<Descriptions[Name]>;
};

/** Of a file that is not known. */
type AnyTexts = Texts<Readonly<Record<string, StatementDescription>>>;

type Statements<Descriptions extends Readonly<Record<string, StatementDescription>>> = {
  readonly [Name in keyof Descriptions]: Statement<Descriptions[Name]>;
};

/** Node's diagnostics channel of the statements that a file defines, when it is loaded. */
export const STATEMENTS_DEFINED = 'trellis:postgres:statements-defined';

/** Node's diagnostics channel of the rows that a statement returned, while someone listens. */
export const ROWS_RETURNED = 'trellis:postgres:rows-returned';

/** A message of {@link STATEMENTS_DEFINED}. */
export interface StatementsDefined {
  readonly file: string;
  readonly statements: readonly Statement<StatementDescription>[];
}

/** A message of {@link ROWS_RETURNED}. */
export interface RowsReturned {
  readonly statement: Statement<StatementDescription>;
  readonly rows: readonly object[];
}

const defined = channel(STATEMENTS_DEFINED);
const returned = channel(ROWS_RETURNED);

/**
 * Defines the SQL of a file. The types of parameters and rows come from PostgreSQL: `npm run generate` prepares every statement
 * and writes them to `src/generated/statements.ts` (ADR 0054).
 *
 * @param table the generated table of the package
 * @param file the file's name without its extension; it occurs once in the repository
 */
export function defineStatements<Table extends StatementTable, File extends keyof Table & string>(
  table: Table,
  file: File,
  texts: Texts<Table[File]>,
): Statements<Table[File]> {
  const descriptions: Readonly<Record<string, StatementDescription>> | undefined = table[file];
  const statements = Object.entries<string | StatementText<StatementDescription>>(texts as AnyTexts).map(
    ([name, written]) => [name, createStatement(`${file}.${name}`, written, descriptions?.[name])] as const,
  );
  if (defined.hasSubscribers) defined.publish({ file, statements: statements.map(([, one]) => one) });
  return Object.fromEntries(statements) as unknown as Statements<Table[File]>; // the same names
}

/** A statement that is newer than the generated table has no description until it is generated. */
const UNKNOWN: StatementDescription = { parameters: [], row: {} };

function createStatement(
  id: string,
  written: string | StatementText<StatementDescription>,
  description: StatementDescription = UNKNOWN,
): Statement<StatementDescription> {
  const { text, notNull = [], preparedAs } = typeof written === 'string' ? { text: written } : written;
  return Object.freeze({ id, text, notNull, description, ...(preparedAs !== undefined && { preparedAs }) });
}

/** Runs a statement. @returns its rows */
export async function queryRows<Description extends StatementDescription>(
  database: Queryable,
  statement: Statement<Description>,
  parameters: ParametersOf<Description>,
): Promise<readonly RowOf<Description['row']>[]> {
  const { rows } = await send(database, statement, parameters);
  if (returned.hasSubscribers) returned.publish({ statement, rows });
  return rows as readonly RowOf<Description['row']>[]; // the description is PostgreSQL's own
}

/** Runs a statement for its effect. @returns how many rows it changed, or found */
export async function execute<Description extends StatementDescription>(
  database: Queryable,
  statement: Statement<Description>,
  parameters: ParametersOf<Description>,
): Promise<number> {
  return (await send(database, statement, parameters)).rowCount ?? 0;
}

interface Sent {
  readonly rows: readonly object[];
  readonly rowCount: number | null;
}

function send(
  database: Queryable,
  { text, preparedAs }: Statement<StatementDescription>,
  parameters: object,
): Promise<Sent> {
  const values = parameters as unknown[]; // pg only reads them
  if (preparedAs === undefined) return database.query(text, values);
  return database.query({ name: preparedAs, text, values });
}

/**
 * The row of a statement that returns exactly one: an INSERT of one row, or a change of a row that is locked.
 *
 * @throws Error when there is another number of rows
 */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1)
    throw new Error(`A statement returned ${rows.length} rows, not one.`);
  return row;
}

/**
 * Runs a statement that is made at run time, and checks each row.
 *
 * @param row the columns that it returns
 * @throws Error when a row is not as described
 */
export async function queryChecked<const Row extends RowDescription>(
  database: Queryable,
  row: Row,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<readonly RowOf<Row>[]> {
  const { rows }: Sent = await database.query(text, [...parameters]);
  const problem = rows.map((one) => findRowMismatch(row, one)).find((found) => found !== undefined);
  if (problem !== undefined) throw new Error(`${problem}, in a row of: ${text}`);
  return rows as readonly RowOf<Row>[]; // checked above
}

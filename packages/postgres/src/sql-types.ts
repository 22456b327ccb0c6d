/** A value of a column of JSON, as `JSON.parse` returns it. */
export type SqlJson =
  string | number | boolean | null | readonly SqlJson[] | { readonly [name: string]: SqlJson };

/** What pg returns for a value that is not null, by PostgreSQL's name of its type. */
export interface SqlTypes {
  readonly bool: boolean;
  readonly bytea: Buffer;
  readonly float8: number;
  readonly int2: number;
  readonly int4: number;
  /** More than a number holds: pg returns its digits. */
  readonly int8: string;
  readonly json: SqlJson;
  readonly jsonb: SqlJson;
  readonly name: string;
  readonly text: string;
  readonly timestamptz: Date;
  readonly uuid: string;
  readonly varchar: string;
  /** Of a function that is called for its effect. */
  readonly void: string;
}

/** What pg writes as a parameter, where that is more or other than it returns. */
interface WrittenTypes {
  readonly int8: number | bigint | string;
  /** The text of the JSON: pg would write an array as an array of PostgreSQL. */
  readonly json: string;
  readonly jsonb: string;
  readonly timestamptz: Date | string;
}

/** PostgreSQL's name of a type that statements use. */
export type SqlType = keyof SqlTypes;

/** A type of which pg reads arrays. Those of others it returns as text. */
type ElementType = Exclude<SqlType, 'name' | 'void'>;

/** The type of a column that is not null: `uuid`, `text[]`, or the texts that a check of its table lets in. */
type NotNullColumn = SqlType | `${ElementType}[]` | readonly string[];

/** The type of a column: `uuid`, `text[]?` where it may be null; the list of its texts, with null among them where it may be. */
export type SqlColumn = NotNullColumn | `${SqlType}?` | `${ElementType}[]?` | readonly (string | null)[];

/** The columns of a row by their names. */
export type RowDescription = Readonly<Record<string, SqlColumn>>;

/** What PostgreSQL says of a prepared statement. */
export interface StatementDescription {
  readonly parameters: readonly (SqlType | `${ElementType}[]`)[];
  readonly row: RowDescription;
}

type Returned<Name> = Name extends SqlType ? SqlTypes[Name] : never;
type ReturnedValue<Name> = Name extends `${infer Element}[]` ? readonly Returned<Element>[] : Returned<Name>;
type ColumnOf<Column> = Column extends readonly (infer Text)[]
  ? Text
  : Column extends `${infer Name}?`
    ? ReturnedValue<Name> | null
    : ReturnedValue<Column>;

type Written<Name> = Name extends keyof WrittenTypes ? WrittenTypes[Name] : Returned<Name>;
type WrittenValue<Name> = Name extends `${infer Element}[]`
  ? readonly (Written<Element> | null | undefined)[]
  : Written<Name>;

/** A row with these columns. */
export type RowOf<Row extends RowDescription> = { readonly [Name in keyof Row]: ColumnOf<Row[Name]> };

/** The values of a statement's parameters. PostgreSQL takes NULL for any of them, and pg writes undefined as NULL. */
export type ParametersOf<Description extends StatementDescription> = WrittenValues<Description['parameters']>;

type WrittenValues<Names extends readonly unknown[]> = {
  readonly [Index in keyof Names]: WrittenValue<Names[Index]> | null | undefined;
};

const isString = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';

/** Whether a value is what {@link SqlTypes} says. */
const fits: Readonly<Record<SqlType, (value: unknown) => boolean>> = {
  bool: (value) => typeof value === 'boolean',
  bytea: (value) => Buffer.isBuffer(value),
  float8: isNumber,
  int2: isNumber,
  int4: isNumber,
  int8: isString,
  json: (value) => value !== undefined,
  jsonb: (value) => value !== undefined,
  name: isString,
  text: isString,
  timestamptz: (value) => value instanceof Date,
  uuid: isString,
  varchar: isString,
  void: isString,
};

/** Whether rows and parameters may have a type. @param name PostgreSQL's: `uuid`, `text[]` */
export function isListedType(name: string): boolean {
  return isSqlType(name) || (name.endsWith('[]') && isElementType(name.slice(0, -2)));
}

function isSqlType(name: string): name is SqlType {
  return Object.hasOwn(fits, name);
}

function isElementType(name: string): name is ElementType {
  return isSqlType(name) && name !== 'name' && name !== 'void';
}

/** @returns the first difference between a row and its description, in words; undefined where it fits */
export function findRowMismatch(description: RowDescription, row: object): string | undefined {
  const values = new Map<string, unknown>(Object.entries(row));
  const unknown = [...values.keys()].find((name) => !Object.hasOwn(description, name));
  if (unknown !== undefined) return `column ${unknown} is not described`;
  const wrong = Object.entries(description).find(([name, column]) => !fitsColumn(column, values.get(name)));
  return wrong && `column ${wrong[0]} is no ${JSON.stringify(wrong[1])}: ${typeof values.get(wrong[0])}`;
}

function fitsColumn(column: SqlColumn, value: unknown): boolean {
  if (typeof column !== 'string') return column.some((text) => text === value);
  if (column.endsWith('?')) return value === null || fitsType(column.slice(0, -1), value);
  return fitsType(column, value);
}

function fitsType(name: string, value: unknown): boolean {
  if (name.endsWith('[]'))
    return Array.isArray(value) && value.every((one) => fitsType(name.slice(0, -2), one));
  return (
    value !== undefined && isSqlType(name) && fits[name](value) && (value !== null || name.startsWith('json'))
  );
}

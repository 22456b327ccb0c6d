import { z } from 'zod';
import { secrets, weaknessOf } from './secret-strength.ts';
import { flag, list, url, wholeNumber } from './variable-types.ts';

interface Documented {
  /** What it means, in sentences. Limits, unit and default stand beside it and are not said again. */
  readonly doc: string;
}

interface Absent {
  /** Whether it may be absent although it has no default. @default false */
  readonly optional?: true;
}

/**
 * One environment variable, defined once, as a literal: its type, the check of what is set, and its documentation come from
 * here. The environment is read when a process starts, so every variable needs a restart.
 */
export type Variable = Documented &
  (
    | {
        readonly type: 'int';
        readonly min: number;
        readonly max: number;
        readonly default: number;
        /** What is counted: seconds, bytes, requests; absent where the number counts nothing. */
        readonly unit?: string;
      }
    | { readonly type: 'flag'; readonly default: boolean }
    | { readonly type: 'list'; readonly default: readonly string[] }
    | { readonly type: 'secrets' }
    | ({ readonly type: 'choice'; readonly choices: readonly string[] } & Absent)
    | ({ readonly type: 'url'; readonly schemes: readonly string[] } & Absent)
    | ({
        readonly type: 'text' | 'secret';
        readonly default?: string;
        /** Name of the form that it must have, one of those that {@link variableTypes} is given. */
        readonly form?: string;
      } & Absent)
  );

/** Variables by their names. */
export type VariableTable = Readonly<Record<string, Variable>>;

interface Values {
  readonly int: number;
  readonly flag: boolean;
  readonly list: readonly string[];
  readonly secrets: readonly string[];
  readonly choice: string;
  readonly url: string;
  readonly text: string;
  readonly secret: string;
}

type ValueOf<Row extends Variable> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Values[Row['type']];

type OptionalNames<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly optional: true } ? Name : never;
}[keyof Table];

/** What a process knows once its environment is read: the values of a table of variables. */
export type ConfigOf<Table extends VariableTable> = {
  readonly [Name in Exclude<keyof Table, OptionalNames<Table>>]: ValueOf<Table[Name]>;
} & {
  readonly [Name in OptionalNames<Table>]?: ValueOf<Table[Name]> | undefined;
};

/** Schemas of a table of variables, by name. */
export type VariableTypes<Table extends VariableTable> = {
  readonly [Name in keyof Table]-?: z.ZodType<
    ValueOf<Table[Name]> | (Table[Name] extends { readonly optional: true } ? undefined : never)
  >;
};

/** Forms of texts, by name: each says what is wrong with a text (`must be …`), or nothing. */
export type Forms = Readonly<Record<string, (text: string) => string | undefined>>;

/**
 * Makes the schemas of a table of variables, to be put into the schema of a deployable.
 *
 * @param forms those that the table names
 * @throws Error when the table names another
 */
export function variableTypes<const Table extends VariableTable>(
  table: Table,
  forms: Forms = {},
): VariableTypes<Table> {
  const entries = Object.entries(table).map(([name, variable]) => {
    const { type: _type, doc: description, ...facts } = variable;
    return [name, typeOf(variable, forms).meta({ description, ...facts })];
  });
  return Object.fromEntries(entries) as VariableTypes<Table>; // an entry for each name, of its type
}

function typeOf(variable: Variable, forms: Forms): z.ZodType {
  switch (variable.type) {
    case 'int':
      return wholeNumber(variable.min, variable.max, variable.default);
    case 'flag':
      return flag(variable.default);
    case 'list':
      return list(variable.default);
    case 'secrets':
      return secrets();
    case 'choice':
      return absentOrNot(z.enum(variable.choices), variable);
    case 'url':
      return absentOrNot(url(...variable.schemes), variable);
    case 'text':
      return absentOrNot(textOf(formOf(variable.form, forms)), variable);
    case 'secret':
      return absentOrNot(textOf(formOf(variable.form, forms), weaknessOf), variable);
    default:
      return variable satisfies never;
  }
}

function absentOrNot(
  type: z.ZodType,
  { optional, default: value }: { readonly optional?: true; readonly default?: string },
): z.ZodType {
  if (value !== undefined) return type.default(value);
  return optional === true ? type.optional() : type;
}

function textOf(...forms: readonly Forms[string][]): z.ZodType<string> {
  return z.string().superRefine((text, context) => {
    const problem = forms.map((problemOf) => problemOf(text)).find((found) => found !== undefined);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
}

function formOf(name: string | undefined, forms: Forms): Forms[string] {
  if (name === undefined) return () => undefined;
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined) throw new Error(`There is no form ${name} of a variable.`);
  return form;
}

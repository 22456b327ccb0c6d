import type { JsonWebKeySet, PrivateJsonWebKey } from './json-web-key.ts';

interface Documented {
  /** What it means, in sentences. Limits, unit and default stand beside it and are not said again. */
  readonly doc: string;
}

interface Absent {
  /** Whether it may be absent although it has no default. @default false */
  readonly optional?: true;
}

interface Sensitive {
  /** Whether it holds a secret, so that `NAME_FILE` may name a file with it. @default false */
  readonly sensitive?: true;
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
    /** A TCP port; 0 takes any free one. */
    | { readonly type: 'port'; readonly default: number }
    /** `true` or `false`, also `1` and `0`. */
    | { readonly type: 'flag'; readonly default: boolean }
    /** Items separated by white space. */
    | {
        readonly type: 'list';
        readonly default: readonly string[];
        /** Name of the form that every item must have. */
        readonly form?: string;
      }
    /** `name=http://…` items, separated by white space. */
    | ({ readonly type: 'urls-by-name' } & Absent)
    | ({ readonly type: 'secrets' } & Absent)
    | ({ readonly type: 'choice'; readonly choices: readonly string[]; readonly default?: string } & Absent)
    /** An absolute URL of one of the schemes, as it was written. */
    | ({ readonly type: 'url'; readonly schemes: readonly string[] } & Absent & Sensitive)
    | ({
        readonly type: 'text';
        readonly default?: string;
        /** Name of the form that it must have, one of those that `readConfig` is given. */
        readonly form?: string;
      } & Absent &
        Sensitive)
    | ({ readonly type: 'secret'; readonly form?: string } & Absent)
    | ({ readonly type: 'private-key' } & Absent)
    | ({ readonly type: 'key-set' } & Absent)
  );

/** Variables by their names. */
export type VariableTable = Readonly<Record<string, Variable>>;

interface Values {
  readonly int: number;
  readonly port: number;
  readonly flag: boolean;
  readonly list: readonly string[];
  readonly 'urls-by-name': Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly choice: string;
  readonly url: string;
  readonly text: string;
  readonly secret: string;
  readonly 'private-key': PrivateJsonWebKey;
  readonly 'key-set': JsonWebKeySet;
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

/** Forms of texts, by name: each says what is wrong with a text (`must be …`), or nothing. */
export type Forms = Readonly<Record<string, (text: string) => string | undefined>>;

const SENSITIVE_TYPES: ReadonlySet<string> = new Set(['secret', 'secrets', 'private-key']);

/** Whether a variable holds a secret, so that a file may hold it instead. */
export function isSensitive(variable: Variable): boolean {
  return SENSITIVE_TYPES.has(variable.type) || ('sensitive' in variable && variable.sensitive !== undefined);
}

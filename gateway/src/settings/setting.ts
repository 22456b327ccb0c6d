/** When a change of a setting holds: at once, for connections that are opened after it, or from the next start. */
export type Reload = 'live' | 'new-connections' | 'restart';

/** A default that is no literal. */
export type DerivedDefault =
  /** The value of another setting, by its key. */
  | { readonly same: string }
  /** Half of another setting, rounded up. */
  | { readonly half: string }
  /** What the gateway computes when it starts: says how. `optional`: it may come to nothing. */
  | { readonly computed: string; readonly optional?: true };

interface Described {
  /** What it means, in sentences. Default, unit and range stand beside it and are not repeated. */
  readonly doc: string;
}

type Changeable = Described & {
  /** Whether the group around it is invalid without it. @default false */
  readonly required?: true;
} & (
    | { readonly reload: Exclude<Reload, 'restart'> }
    /** `needsRestart`: why a reload can't apply it, as an operator reads it. */
    | { readonly reload: 'restart'; readonly needsRestart: string }
  );

interface Numeric {
  readonly min: number;
  readonly max?: number;
  /** What is counted: milliseconds, bytes, requests; absent where the number counts nothing. */
  readonly unit?: string;
}

/** What stands for a value in a mapping with free keys. */
type MapValue =
  ({ readonly type: 'int' | 'number' } & Numeric) | { readonly type: 'text'; readonly form?: string };

/** A setting with a value of its own. Its `form` is one of those in settings/forms.ts. */
export type ValueSetting = Changeable &
  (
    | ({
        readonly type: 'int' | 'number';
        readonly default?: number | DerivedDefault;
        /** Null: unbounded in a gateway without a configuration. */
        readonly bare?: null;
        /** The error code that clients get who exceed it. */
        readonly exceeded?: string;
      } & Numeric)
    | { readonly type: 'flag'; readonly default?: boolean | DerivedDefault }
    | { readonly type: 'text'; readonly form?: string; readonly default?: DerivedDefault }
    | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default?: string }
    | {
        readonly type: 'list';
        readonly form?: string;
        /** Elements that it has at least. @default 0 */
        readonly minItems?: number;
        readonly default?: readonly string[];
      }
    | { readonly type: 'flag-or-list'; readonly default?: boolean }
    | { readonly type: 'text-or-list'; readonly form?: string }
    /** A text, a number or a flag. */
    | { readonly type: 'scalar' }
    | {
        readonly type: 'map';
        readonly values: MapValue;
        /** Form of its keys. */
        readonly keys?: string;
        readonly default?: Readonly<Record<string, never>>;
      }
  );

/** A limit that no operator can change. */
export interface FixedLimit extends Described {
  readonly type: 'fixed';
  readonly value: number;
  readonly unit: string;
  readonly exceeded?: string;
}

/** Settings below a key. */
export interface SettingGroup extends Described {
  readonly type: 'group';
  readonly members: SettingTable;
  /** Whether there is nothing where it is absent; otherwise its defaults hold. @default false */
  readonly optional?: true;
  /** Whether `false` switches it off. @default false */
  readonly canBeOff?: true;
  /** A rule between its members, one of those in settings/forms.ts. */
  readonly rule?: string;
}

/** A list of groups, or groups by a free name. */
export interface SettingGroups extends Described {
  readonly type: 'groups' | 'groups-by-name';
  readonly members: SettingTable;
  readonly reload: Exclude<Reload, 'restart'>;
}

/** What can stand at a key of gateway.yaml. */
export type Setting = ValueSetting | FixedLimit | SettingGroup | SettingGroups;

/** Settings by their keys: each fact once. */
export type SettingTable = { readonly [Key: string]: Setting };

interface ValuesByType {
  readonly int: number;
  readonly number: number;
  readonly flag: boolean;
  readonly text: string;
  readonly list: readonly string[];
  readonly 'flag-or-list': boolean | readonly string[];
  readonly 'text-or-list': string | readonly string[];
  readonly scalar: string | number | boolean;
}

type ValueOf<S> = S extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : S extends { readonly values: { readonly type: infer T extends keyof ValuesByType } }
    ? Readonly<Record<string, ValuesByType[T]>>
    : S extends { readonly type: infer T extends keyof ValuesByType }
      ? ValuesByType[T]
      : never;

type GivenOf<S> = S extends { readonly type: 'group'; readonly members: infer Members }
  ? Given<Members> | (S extends { readonly canBeOff: true } ? false : never)
  : S extends { readonly type: 'groups'; readonly members: infer Members }
    ? readonly Given<Members>[]
    : S extends { readonly type: 'groups-by-name'; readonly members: infer Members }
      ? Readonly<Record<string, Given<Members>>>
      : ValueOf<S>;

/** What an operator gives of a table. */
export type Given<Table> = {
  readonly [
    Key in keyof Table as Table[Key] extends { readonly type: 'fixed' } | { readonly required: true }
      ? never
      : Key
  ]?: GivenOf<Table[Key]> | undefined;
} & {
  readonly [Key in keyof Table as Table[Key] extends { readonly required: true } ? Key : never]: GivenOf<
    Table[Key]
  >;
};

type IsAlwaysSet<S> = S extends { readonly default: { readonly optional: true } }
  ? false
  : S extends { readonly default: unknown } | { readonly required: true }
    ? true
    : false;

type InForceOf<S> = S extends { readonly type: 'fixed' }
  ? number
  : S extends { readonly type: 'group'; readonly members: infer Members }
    ? | InForce<Members>
      | (S extends { readonly optional: true } | { readonly canBeOff: true } ? undefined : never)
    : S extends { readonly type: 'groups'; readonly members: infer Members }
      ? readonly InForce<Members>[]
      : S extends { readonly type: 'groups-by-name'; readonly members: infer Members }
        ? Readonly<Record<string, Given<Members>>>
        : ValueOf<S> | (IsAlwaysSet<S> extends true ? never : undefined);

/** A table with every default filled in. A group that is switched off is undefined; groups by name stay as they are given. */
export type InForce<Table> = { readonly [Key in keyof Table]: InForceOf<Table[Key]> };

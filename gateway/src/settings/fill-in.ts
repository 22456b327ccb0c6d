import { ownOf } from '@trellis/runtime/own-property';
import type {
  DerivedDefault,
  Given,
  InForce,
  Setting,
  SettingGroup,
  SettingTable,
  ValueSetting,
} from './setting.ts';

/** What defaults depend on beside the table. */
export interface Surroundings {
  /** Whether the gateway has no configuration: limits that may be unbounded are. @default false */
  readonly isBare?: boolean;
  /** What the gateway computes, by the key of the setting. @default nothing */
  readonly computed?: Readonly<Record<string, unknown>>;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Fills in the defaults of a table.
 *
 * @returns a frozen object with every key of the table
 */
export function fillIn<const Table extends SettingTable>(
  members: Table,
  given: Given<Table>,
  surroundings: Surroundings = {},
): InForce<Table> {
  return fillMembers(members, given, new Filling(surroundings, { members, given }), '') as InForce<Table>; // a value for each key, of its type
}

function fillMembers(members: SettingTable, given: Values, filling: Filling, path: string): object {
  const entries = Object.entries(members).map(([key, setting]) => [
    key,
    fillSetting(setting, given[key], filling, path === '' ? key : `${path}.${key}`),
  ]);
  return Object.freeze(Object.fromEntries(entries) as object); // of entries
}

function fillSetting(setting: Setting, given: unknown, filling: Filling, path: string): unknown {
  switch (setting.type) {
    case 'fixed':
      return setting.value;
    case 'group':
      return fillGroup(setting, given, filling, path);
    case 'groups':
      return ((given ?? []) as readonly Values[]).map((one) =>
        fillMembers(setting.members, one, filling, path),
      ); // as the schema says
    case 'groups-by-name':
      return given ?? {};
    default:
      return given ?? filling.defaultOf(setting, path);
  }
}

function fillGroup(group: SettingGroup, given: unknown, filling: Filling, path: string): object | undefined {
  if (given === false || (given === undefined && group.optional)) return undefined;
  return fillMembers(group.members, (given ?? {}) as Values, filling, path); // as the schema says
}

/** All that is given, where defaults name other settings. */
interface Root {
  readonly members: SettingTable;
  readonly given: object;
}

class Filling {
  readonly #isBare: boolean;
  readonly #computed: Values;
  readonly #root: Root;

  constructor({ isBare = false, computed = {} }: Surroundings, root: Root) {
    this.#isBare = isBare;
    this.#computed = computed;
    this.#root = root;
  }

  /** @param path of the setting, keys joined by dots */
  defaultOf(setting: ValueSetting, path: string): unknown {
    if (this.#isBare && 'bare' in setting) return Number.POSITIVE_INFINITY;
    const value = 'default' in setting ? setting.default : undefined;
    if (!isDerived(value)) return value;
    if ('computed' in value) return this.#computed[path];
    return 'same' in value ? this.#valueAt(value.same) : Math.ceil(Number(this.#valueAt(value.half)) / 2);
  }

  /** The value in force of a setting, found from the top. */
  #valueAt(path: string): unknown {
    const keys = path.split('.');
    const setting = keys.reduce<unknown>((found, key) => memberOf(found, key), {
      members: this.#root.members,
    });
    const given = keys.reduce<unknown>((found, key) => ownOf(found, key), this.#root.given);
    return given ?? this.defaultOf(setting as ValueSetting, path); // a test looks up every one that the tables name
  }
}

/** Whether a default is no literal. */
export function isDerived(value: unknown): value is DerivedDefault {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}

function memberOf(setting: unknown, key: string): unknown {
  return ownOf(ownOf(setting, 'members'), key);
}

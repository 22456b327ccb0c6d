import { limits } from './limits.ts';
import type { FixedLimit, SettingTable, ValueSetting } from './setting.ts';
import { timeouts } from './timeouts.ts';

type NamesIn<Members> = {
  [Name in keyof Members]: Members[Name] extends { readonly exceeded: 'QUERY_TOO_COMPLEX' } ? Name : never;
}[keyof Members];

/** The name of a limit, as in `extensions.limit.name`. */
export type LimitName = NamesIn<typeof limits.members> | NamesIn<typeof timeouts.members>;

/** A limit as clients see it. */
export interface CataloguedLimit {
  /** Its key in gateway.yaml; a fixed limit has none there. */
  readonly key: string;
  readonly name: string;
  /** The error code of an operation that exceeds it. */
  readonly exceeded: string;
  readonly setting: FixedLimit | ValueSetting;
}

/** Every limit whose excess clients get an error for. */
export function limitCatalogue(): readonly CataloguedLimit[] {
  return [...limitsIn('limits', limits.members), ...limitsIn('timeouts', timeouts.members)];
}

function limitsIn(group: string, members: SettingTable): readonly CataloguedLimit[] {
  return Object.entries(members).flatMap(([name, setting]) =>
    'exceeded' in setting && setting.exceeded !== undefined
      ? [{ key: `${group}.${name}`, name, exceeded: setting.exceeded, setting }]
      : [],
  );
}

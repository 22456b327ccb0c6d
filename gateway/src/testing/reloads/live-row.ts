import { type GatewayResponse } from '../test-gateway.ts';
import type { ReloadWorld } from './reload-world.ts';

/** How the effect of one setting is seen. */
export interface LiveRow {
  /** Settings that stand beside it all the time. @default none */
  readonly beside?: object;
  /** Its value at first. @default absent */
  readonly from?: unknown;
  /** Its value after the reload. */
  readonly to: unknown;
  /** What stands for `<name>` in its key. @default desk */
  readonly name?: string;
  /** Of which element of a list it is. @default 0 */
  readonly index?: number;
  /** What clients, subgraphs or operators see: equal whenever the setting is, and different where it is not. */
  readonly see: (world: ReloadWorld, settings: object) => Promise<unknown>;
}

/** Rows by the key of their setting, as documented. */
export type LiveRows = Readonly<Record<string, LiveRow>>;

/** Settings with a value at a documented key. */
export function settingsAt(
  key: string,
  value: unknown,
  { beside = {}, name = 'desk', index = 0 }: LiveRow,
): object {
  const settings = structuredClone(beside) as Record<string, unknown>;
  if (value === undefined) return settings;
  const path = key.replaceAll('<name>', name).replaceAll('[]', `.${index}`).split('.');
  let place = settings;
  for (const [at, segment] of path.slice(0, -1).entries()) {
    place[segment] ??= /^\d+$/.test(path[at + 1] ?? '') ? [] : {};
    place = place[segment] as Record<string, unknown>; // made right here, or given as a group
  }
  place[path.at(-1) ?? ''] = value;
  return settings;
}

/** The same rows at keys that begin otherwise. */
export function rowsBelow(prefix: string, rows: LiveRows): LiveRows {
  return Object.fromEntries(Object.entries(rows).map(([key, row]) => [`${prefix}.${key}`, row]));
}

/** What two slow operations at once come to. */
export const twoAtOnce: LiveRow['see'] = async ({ ask, graph: { slowRequests } }) => {
  for (const ms of SLOWER_AND_SLOWER) {
    slowRequests.mostAtOnce = 0;
    const both = await Promise.all([1, 2].map((id) => ask(`{ slow(id: ${id}, ms: ${ms}) }`)));
    const outcomes = both.map(outcomeOf).toSorted();
    if (slowRequests.mostAtOnce > 1 || outcomes.some((outcome) => outcome !== 'data')) return outcomes;
  }
  return ['data', 'data'];
};

/** A busy machine may have answered the first before it has read the second: that would say nothing. */
const SLOWER_AND_SLOWER = [80, 1_000];

/** The code of the first error; `data` where there is none. */
export function outcomeOf({ body }: GatewayResponse): string {
  const code = body.errors?.[0]?.extensions['code'];
  return typeof code === 'string' ? code : 'data';
}

/** What one query comes to. */
export const outcomeAfter =
  (query: string): LiveRow['see'] =>
  async ({ ask }) =>
    outcomeOf(await ask(query));

import type { HeaderMerge, HeaderSettings } from '../settings/headers.ts';

/** How headers are merged, by their names in lower case. */
export type HeaderMerges = ReadonlyMap<string, HeaderMerge>;

/** Which headers of subgraphs clients get. */
export interface HeaderDisclosure {
  /** Those of one subgraph. Absent: none. */
  of(subgraph: string): HeaderMerges | undefined;
  /** Of all that go on in one response. */
  readonly maxBytes: number;
  /** Those that scripts of other origins may read: all but cookies. */
  readonly names: readonly string[];
}

/** @returns nothing where no header goes on */
export function compileHeaderDisclosure({
  response,
  responseBytes,
  subgraphs,
}: HeaderSettings): HeaderDisclosure | undefined {
  const ofAll = mergesOf(response);
  const special = new Map(
    Object.entries(subgraphs)
      .filter(([, rules]) => rules.response)
      .map(([name, rules]) => [name, new Map([...ofAll, ...mergesOf(rules.response)])]),
  );
  const names = new Set([ofAll, ...special.values()].flatMap((merges) => [...merges.keys()]));
  if (names.size === 0) return undefined;
  return {
    of: (subgraph) => special.get(subgraph) ?? (ofAll.size > 0 ? ofAll : undefined),
    maxBytes: responseBytes,
    names: [...names].filter((name) => name !== 'set-cookie'),
  };
}

function mergesOf(given: HeaderSettings['response'] = {}): HeaderMerges {
  return new Map(
    Object.entries(given).map(([name, merge]) => [name.toLowerCase(), merge as HeaderMerge]), // its form was checked
  );
}

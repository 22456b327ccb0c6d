import type { FetchNode } from '@apollo/query-planner';
import type { BroughtKeys, ExpectedSelection } from '../plan/fetch-fields.ts';
import { readSelections, type ReadSelection, type ReadFragment } from './read-selections.ts';

/** How a rewrite's path names a type condition. */
export const FRAGMENT_PREFIX = '... on ';

/** The response keys of a fetch. */
export interface ResponseKeys {
  /** Those at the top. */
  readonly expected: readonly ExpectedSelection[];
  readonly brings: BroughtKeys;
  /** Whether no field at the top has fields of its own. */
  readonly isFlat: boolean;
}

/** Reads the response keys of a fetch from its operation's text: below `_entities` where it asks for entities. */
export function readResponseKeys(node: FetchNode): ResponseKeys {
  const reader = new KeyReader(node);
  const top = node.requires ? reader.entitySelections() : reader.root;
  const brings = reader.keysBelow(top);
  const expected = reader.expected(top);
  return { expected, brings, isFlat: [...brings.values()].every((below) => below === undefined) };
}

class KeyReader {
  readonly root: readonly ReadSelection[];
  readonly #fragments: ReadonlyMap<string, ReadFragment>;
  readonly #renames: ReadonlyMap<string, string>;

  constructor(node: FetchNode) {
    const { root, fragments } = readSelections(node.operation);
    this.root = root;
    this.#fragments = fragments;
    this.#renames = topLevelRenames(node);
  }

  entitySelections(): readonly ReadSelection[] {
    for (const selected of this.root)
      if (selected.kind === 'field' && selected.name === '_entities') return selected.selections ?? [];
    return [];
  }

  expected(set: readonly ReadSelection[], typeCondition?: string): ExpectedSelection[] {
    const keys: string[] = [];
    const below: ExpectedSelection[] = [];
    for (const selected of set) {
      if (selected.kind === 'field') keys.push(this.#renames.get(selected.key) ?? selected.key);
      else {
        const fragment = this.#fragmentOf(selected);
        if (fragment)
          below.push(...this.expected(fragment.selections, fragment.typeCondition ?? typeCondition));
      }
    }
    return keys.length > 0 ? [{ typeCondition, keys }, ...below] : below;
  }

  keysBelow(
    set: readonly ReadSelection[],
    keys: Map<string, BroughtKeys | undefined> = new Map(),
  ): BroughtKeys {
    for (const selected of set) {
      if (selected.kind === 'field') {
        const { key, selections } = selected;
        keys.set(key, selections && this.keysBelow(selections, new Map(keys.get(key))));
      } else {
        const fragment = this.#fragmentOf(selected);
        if (fragment) this.keysBelow(fragment.selections, keys);
      }
    }
    return keys;
  }

  #fragmentOf(selected: Exclude<ReadSelection, { kind: 'field' }>): ReadFragment | undefined {
    return selected.kind === 'fragment' ? selected : this.#fragments.get(selected.name);
  }
}

/** What output rewrites make of the keys at the top. */
function topLevelRenames({ outputRewrites = [] }: FetchNode): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const rewrite of outputRewrites) {
    const isTop = rewrite.path.slice(0, -1).every((step) => step.startsWith(FRAGMENT_PREFIX));
    if (rewrite.kind === 'KeyRenamer' && isTop) names.set(rewrite.path.at(-1) ?? '', rewrite.renameKeyTo);
  }
  return names;
}

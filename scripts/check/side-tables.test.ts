import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checkSideTables, findSideTables } from './side-tables.ts';

function keys(text: string): readonly string[] {
  return findSideTables('a.ts', text).map((problem) => /keyed by (.*)\. Make/u.exec(problem)?.[1] ?? '');
}

describe('A table at the top of a module', () => {
  it.each([
    ['const writers = new WeakMap<SelectionShape, Writer>();', 'SelectionShape'],
    ['export const judges = new Map<Plan, Judge>();', 'Plan'],
    ['const seen = new WeakSet<FetchStep>();', 'FetchStep'],
    ['const seen: Set<DocumentNode> = new Set();', 'DocumentNode'],
    ['const tables = { plans: new WeakMap<Plan, string>() };', 'Plan'],
    ['class Writers { static readonly known = new WeakMap<Plan, string>(); }', 'Plan'],
    ['let known = new Map<Supergraph, Keys>() as ReadonlyMap<Supergraph, Keys>;', 'Supergraph'],
    ['const any = new WeakMap();', 'what it does not say'],
    ['const any = new Map();', 'what it does not say'],
    ['const all = [new Map<string | Plan, number>()];', 'string | Plan'],
  ])('is found that is keyed by what is compiled: %s', (text, key) => {
    expect(keys(text)).toEqual([key]);
  });

  it.each([
    'const targets = new Map<string, Target>();',
    "const kinds = new Map<'query' | 'mutation', number>();",
    "const names: ReadonlySet<string> = new Set(['a']);",
    "const names = new Set(['a']);",
    'const none: Origins = new Map();',
    'const none = Object.freeze({ fields: new Map<FieldNode, Denial>() });',
    'const watchers = new WeakMap<AbortSignal, Set<() => void>>();',
    'class Groups { readonly #groups = new WeakMap<Plan, Group>(); }',
    'function group() { return new Map<Plan, Group>(); }',
    'const group = () => new Map<Plan, Group>();',
  ])('may be: %s', (text) => {
    expect(keys(text)).toEqual([]);
  });

  it('is named with its line', () => {
    expect(findSideTables('plan/a.ts', '\n\nconst x = new WeakMap<Plan, string>();')[0]).toMatch(
      /^plan\/a\.ts:3 /u,
    );
  });

  it('is nowhere in the gateway', () => {
    expect(checkSideTables(repository, ['gateway/src'])).toEqual([]);
  });
});

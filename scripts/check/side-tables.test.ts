import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checkSideTables, findStateAtTop, isAllowed } from './side-tables.ts';

function keys(text: string): readonly string[] {
  return findStateAtTop('a.ts', text)
    .filter((state) => state.kind === 'table' && !isAllowed(state))
    .map(({ name }) => name);
}

function variables(path: string, text: string): readonly string[] {
  return findStateAtTop(path, text)
    .filter((state) => state.kind === 'variable' && !isAllowed(state))
    .map(({ name }) => name);
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
    "const kinds = new Map<string, Kind>([['query', 1]]);",
    'const targets: ReadonlyMap<string, Target> = new Map<string, Target>();',
    'class Targets { readonly #targets = new Map<string, Target>(); }',
    "const names: ReadonlySet<string> = new Set(['a']);",
    "const names = new Set(['a']);",
    'const none: Origins = new Map();',
    'const none: ReadonlySet<ServerResponse> = new Set();',
    'const codes: ReadonlyMap<unknown, Code> = new Map<unknown, Code>([]);',
    'const none = Object.freeze({ fields: new Map<FieldNode, Denial>() });',
    'const watchers = new WeakMap<AbortSignal, Set<() => void>>();',
    'class Groups { readonly #groups = new WeakMap<Plan, Group>(); }',
    'function group() { return new Map<Plan, Group>(); }',
    'const group = () => new Map<Plan, Group>();',
  ])('may be: %s', (text) => {
    expect(keys(text)).toEqual([]);
  });

  it.each([
    ['const targets = new Map<string, Target>();', 'string'],
    ["const kinds = new Map<'query' | 'mutation', number>();", "'query' | 'mutation'"],
    ['const protocol = { heads: new Map<number, string>() };', 'number'],
  ])('is found that is keyed by texts or numbers, and filled later: %s', (text, key) => {
    expect(keys(text)).toEqual([key]);
  });

  it('that is keyed by texts may be by its file and the name of what holds it', () => {
    const text = 'const protocol = { heads: new Map<string, string>() };';
    const isAllowedIn = (path: string): readonly boolean[] => findStateAtTop(path, text).map(isAllowed);
    expect(isAllowedIn('gateway/src/http/websocket/wire-protocol.ts')).toEqual([true]);
    expect(isAllowedIn('gateway/src/http/websocket/other.ts')).toEqual([false]);
  });

  it('is named with its line', () => {
    expect(findStateAtTop('plan/a.ts', '\n\nconst x = new WeakMap<Plan, string>();')).toEqual([
      { path: 'plan/a.ts', line: 3, kind: 'table', name: 'Plan', holder: 'x' },
    ]);
  });

  it('is nowhere in the product, but for the exceptions, which are all needed', () => {
    expect(checkSideTables(repository)).toEqual([]);
  });
});

describe('A variable at the top of a module', () => {
  it.each([
    ['let latest: Settings | undefined;', ['latest']],
    ['export let count = 0;', ['count']],
    ['var first, second;', ['first', 'second']],
    ['let { a } = b;', ['a pattern']],
  ])('is found: %s', (text, names) => {
    expect(variables('a.ts', text)).toEqual(names);
  });

  it.each([
    'const LIMIT = 1;',
    'declare let given: string;',
    'function count() { let sum = 0; return sum; }',
    'for (let at = 0; at < 3; at += 1) print(at);',
    'class Counter { #count = 0; }',
  ])('is none: %s', (text) => {
    expect(variables('a.ts', text)).toEqual([]);
  });

  it('may be where there is one in a process, by the name of its file', () => {
    const text = 'let ahead: Promise<WorkerThread> | undefined;';
    expect(variables('gateway/src/planning/threads/worker-thread.ts', text)).toEqual([]);
    expect(variables('gateway/src/planning/threads/other.ts', text)).toEqual(['ahead']);
  });
});

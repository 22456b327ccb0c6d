import { describe, expect, it } from 'vitest';
import type { FetchFields } from '../plan/fetch-fields.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { EntityCalls, type EntityCaller } from './plan-run.ts';
import type { DataObject, WritableObject } from './failure.ts';
import { FetchStep } from '../plan/plan.ts';
import type { RepresentationBatch } from './representations.ts';

const fields: FetchFields = {
  id: undefined,
  subgraph: 'stock',
  isMutation: false,
  bodyStart: '',
  pathText: '',
  brings: new Map(),
  variableNames: [],
  path: [],
  requires: [],
  expected: [],
  mergeKey: 'key',
  dependents: [],
  inputRewrites: [],
  outputRewrites: [],
  contextValues: [],
};

const types: TypeIndex = { isSubtype: () => true, isObject: () => true, fieldType: () => undefined };
const step = new FetchStep(fields, types);

/** Answers each representation with its own text. */
class EchoCaller implements EntityCaller {
  readonly asked: string[][] = [];
  isFailing = false;

  async ask(
    _step: FetchStep,
    { texts, targets }: RepresentationBatch,
  ): Promise<readonly unknown[] | undefined> {
    this.asked.push([...texts]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const [index, objects] of targets.entries()) this.place(step, objects, texts[index]);
    return this.isFailing ? undefined : [...texts];
  }

  place(_step: FetchStep, objects: readonly DataObject[], entity: unknown): void {
    for (const object of objects as readonly WritableObject[]) object['brought'] = entity;
  }
}

function batchOf(...texts: string[]): RepresentationBatch & { readonly objects: DataObject[] } {
  const objects = texts.map((): DataObject => ({}));
  return { missing: new Map(), texts, targets: objects.map((object) => [object]), objects };
}

const brought = ({ objects }: { objects: DataObject[] }): unknown[] =>
  objects.map((object) => object['brought']);

describe('Entity fetches of one run', () => {
  it('become one call when they ask for the same at the same time', async () => {
    const caller = new EchoCaller();
    const calls = new EntityCalls(caller);
    const [left, right] = [batchOf('a', 'b'), batchOf('b', 'c')];
    await Promise.all([calls.fetch(step, 'key', left, ''), calls.fetch(step, 'key', right, '')]);
    expect(caller.asked).toEqual([['a', 'b', 'c']]);
    expect([brought(left), brought(right)]).toEqual([
      ['a', 'b'],
      ['b', 'c'],
    ]);
  });

  it('stay apart when they ask for different things', async () => {
    const caller = new EchoCaller();
    const calls = new EntityCalls(caller);
    await Promise.all([
      calls.fetch(step, 'key', batchOf('a'), ''),
      calls.fetch(step, 'other', batchOf('a'), ''),
    ]);
    expect(caller.asked).toEqual([['a'], ['a']]);
  });

  it('ask for an entity once, while it is on its way and after', async () => {
    const caller = new EchoCaller();
    const calls = new EntityCalls(caller);
    const first = calls.fetch(step, 'key', batchOf('a'), '');
    await new Promise((resolve) => setImmediate(resolve));
    const [during, after] = [batchOf('a', 'b'), batchOf('b', 'a')];
    await Promise.all([first, calls.fetch(step, 'key', during, '')]);
    await calls.fetch(step, 'key', after, '');
    expect(caller.asked).toEqual([['a'], ['b']]);
    expect([brought(during), brought(after)]).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });

  it('ask again for what was not answered well, and for everything after a mutation', async () => {
    const caller = new EchoCaller();
    const calls = new EntityCalls(caller);
    caller.isFailing = true;
    await calls.fetch(step, 'key', batchOf('a'), '');
    caller.isFailing = false;
    await calls.fetch(step, 'key', batchOf('a'), '');
    calls.forget();
    await calls.fetch(step, 'key', batchOf('a'), '');
    expect(caller.asked).toEqual([['a'], ['a'], ['a']]);
  });
});

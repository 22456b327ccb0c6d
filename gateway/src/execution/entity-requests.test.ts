import { describe, expect, it } from 'vitest';
import type { FetchFields } from '../plan/fetch-fields.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { EntityRequests, type EntityFetcher } from './plan-run.ts';
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
class EchoCaller implements EntityFetcher {
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
    const fetcher = new EchoCaller();
    const requests = new EntityRequests(fetcher);
    const [left, right] = [batchOf('a', 'b'), batchOf('b', 'c')];
    await Promise.all([requests.fetch(step, 'key', left, ''), requests.fetch(step, 'key', right, '')]);
    expect(fetcher.asked).toEqual([['a', 'b', 'c']]);
    expect([brought(left), brought(right)]).toEqual([
      ['a', 'b'],
      ['b', 'c'],
    ]);
  });

  it('stay apart when they ask for different things', async () => {
    const fetcher = new EchoCaller();
    const requests = new EntityRequests(fetcher);
    await Promise.all([
      requests.fetch(step, 'key', batchOf('a'), ''),
      requests.fetch(step, 'other', batchOf('a'), ''),
    ]);
    expect(fetcher.asked).toEqual([['a'], ['a']]);
  });

  it('ask for an entity once, while it is on its way and after', async () => {
    const fetcher = new EchoCaller();
    const requests = new EntityRequests(fetcher);
    const first = requests.fetch(step, 'key', batchOf('a'), '');
    await new Promise((resolve) => setImmediate(resolve));
    const [during, after] = [batchOf('a', 'b'), batchOf('b', 'a')];
    await Promise.all([first, requests.fetch(step, 'key', during, '')]);
    await requests.fetch(step, 'key', after, '');
    expect(fetcher.asked).toEqual([['a'], ['b']]);
    expect([brought(during), brought(after)]).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });

  it('ask again for what was not answered well, and for everything after a mutation', async () => {
    const fetcher = new EchoCaller();
    const requests = new EntityRequests(fetcher);
    fetcher.isFailing = true;
    await requests.fetch(step, 'key', batchOf('a'), '');
    fetcher.isFailing = false;
    await requests.fetch(step, 'key', batchOf('a'), '');
    requests.forget();
    await requests.fetch(step, 'key', batchOf('a'), '');
    expect(fetcher.asked).toEqual([['a'], ['a'], ['a']]);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendRecord } from './append-record.ts';
import { realDisk } from './stores/durable-files.ts';
import { FolderStore } from './stores/folder-store.ts';
import { exploreStates } from './testing/explore-states.ts';
import { publisherModel, type Flaws } from './testing/publisher-model.ts';
import { createKey, log, publishAll, releaseOf } from './testing/sample-log.ts';

describe('The protocol of publishers', () => {
  it('has no bad state: 3 publishers, kills at every step, a loss of power, gc beside them', () => {
    const { states, counterexample } = exploreStates(publisherModel(3));
    expect(counterexample).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  });

  it.each<[keyof Flaws, RegExp]>([
    ['createsOver', /was published|does not follow/],
    ['recordFirst', /names a text that is missing/],
    ['keepsDecision', /lost what the one before it has/],
    ['saysEarly', /was published/],
    ['buildsOnUnsynced', /Record 1 is missing/],
    ['deletesAtOnce', /names a text that is missing/],
    ['doesNotTouch', /names a text that is missing/],
  ])('is found out by exploring it with the flaw %s', (flaw, violation) => {
    const { counterexample } = exploreStates(publisherModel(2, { [flaw]: true }));
    expect(counterexample?.violation).toMatch(violation);
    expect(counterexample?.trace.length).toBeGreaterThan(1);
  });
});

describe('The model of publishers', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('has the steps of the code, in their order', async () => {
    const signal = AbortSignal.timeout(60_000);
    const steps: string[] = [];
    const step =
      <Args extends readonly unknown[]>(name: string, call: (...args: Args) => Promise<void>) =>
      (...args: Args) => (steps.push(name), call(...args));
    const store = new FolderStore(folder, {
      disk: {
        ...realDisk,
        link: step('link', realDisk.link),
        syncFolder: step('sync', realDisk.syncFolder),
      },
    });
    await store.initialize(signal);
    const key = await createKey();
    await publishAll(store, ['posts'], { ...key, signal });
    steps.length = 0;
    await appendRecord({ store, log, ...key, signal }, async () => {
      steps.push('read');
      const next = await releaseOf(store, 'users', signal);
      steps.splice(1, Infinity, 'text');
      return next;
    });
    expect(steps).toEqual(['read', 'text', 'sync', 'link', 'sync']);
  });
});

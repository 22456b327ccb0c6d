import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { composeSubgraphs, DEFAULT_CHECK_RULES } from '@trellis/composition';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgements } from '../publish/judgements.ts';
import { composedOf } from '../supergraph/composed-graph.ts';
import { openOnceRead } from '../../testing/open-once-read.ts';
import { createJudgementThread, type JudgementPlace } from './judgement-thread.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
const OLD = print(gql`
  type Query {
    a: Int
    b: Int
  }
`);
const NEW = print(gql`
  type Query {
    a: Int
  }
`);
const REMOVED = expect.arrayContaining([
  expect.objectContaining({ code: 'FIELD_REMOVED', coordinate: 'Query.b' }),
]) as unknown[];
let folder: string;
let thread: JudgementPlace;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'judgement-'));
  thread = createJudgementThread();
});

afterAll(async () => {
  await thread.close();
  rmSync(folder, { recursive: true });
});

function schemaOf(sdl: string) {
  return [{ name: 'a', routingUrl: 'http://a.test', sdl, source: 'a.graphql' }];
}

function compose(sdl: string) {
  return composedOf(schemaOf(sdl), { composition: composeSubgraphs(schemaOf(sdl)), warnings: [] });
}

function supergraphOf(sdl: string): string {
  const { supergraphSdl } = compose(sdl);
  if (supergraphSdl === undefined) throw new Error('It does not compose.');
  return supergraphSdl;
}

function changeOf(operations: readonly string[] = []) {
  return {
    base: { supergraphSdl: supergraphOf(OLD), subgraphs: schemaOf(OLD) },
    baseName: 'content@production',
    composed: compose(NEW),
    rules: DEFAULT_CHECK_RULES,
    operations,
    limits: undefined,
    limitsAgainst: undefined,
    place: 'content@production',
    now: new Date(0),
  };
}

describe('A judgement thread', () => {
  it('judges as the thread that calls does', async () => {
    const judge = thread.judgeUntil(signal);
    const change = changeOf();
    const report = await judge.checkGraphs(change);
    expect(report).toEqual(await judgements.checkGraphs(change));
    expect(report).toMatchObject({ changes: REMOVED });
    const running = new Map([['a', NEW]]);
    const guarded = [{ ...change.base, subgraphs: schemaOf(OLD) }, change.base, running] as const;
    expect(await judge.guardRelease(...guarded)).toEqual(await judgements.guardRelease(...guarded));
    expect(await judge.printServedApi(change.base.supergraphSdl, undefined)).toContain('b: Int');
  });

  it('fails with the code of what it met', async () => {
    const change = changeOf(['/no/such/operations.jsonl']);
    const [here, there] = await Promise.all(
      [judgements, thread.judgeUntil(signal)].map((judge) =>
        judge.checkGraphs(change).catch((error: unknown) => error),
      ),
    );
    expect(here).toBeInstanceOf(Error);
    expect(there).toMatchObject({ name: (here as Error).name, message: (here as Error).message });
  });

  it('is ended by who waits for it, and judges the next change in another', async () => {
    const pipe = join(folder, 'operations.jsonl');
    execFileSync('mkfifo', [pipe]);
    const ending = new AbortController();
    const hanging = thread.judgeUntil(ending.signal).checkGraphs(changeOf([pipe]));
    const writer = await openOnceRead(pipe);
    ending.abort();
    await expect(hanging).rejects.toMatchObject({ name: 'ThreadEnded' });
    await writer.close();
    expect(await thread.judgeUntil(signal).checkGraphs(changeOf())).toMatchObject({ changes: REMOVED });
  });

  it('ends where it needs more memory than it may have, and judges the next change in another', async () => {
    const small = createJudgementThread({ maxHeapMb: 96 });
    const fields = Array.from({ length: 60_000 }, (_, index) => `f${index}: Int`).join(' ');
    const judge = small.judgeUntil(signal);
    const large = `schema { query: Query } type Query { ${fields} }`;
    await expect(judge.printServedApi(large, undefined)).rejects.toMatchObject({
      name: 'ThreadEnded',
      message: expect.stringContaining('memory') as string,
    });
    expect(await judge.printServedApi(changeOf().base.supergraphSdl, undefined)).toContain('b: Int');
    await small.close();
  });
});

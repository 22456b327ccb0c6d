import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gql } from 'graphql-tag';
import { writeTextBlob, type BlobReference } from '@trellis/registry';
import { encodeVerdict, type ReleaseVerdict } from '@trellis/release-verdict';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayProcess, type GatewayProcess } from '../../test-fixtures/gateway-process.ts';
import { PublishedGraph } from '../testing/published-graph.ts';
import { RecordVerdicts } from './record-verdicts.ts';

const VERDICT: ReleaseVerdict = {
  counts: { breaking: 0, dangerous: 0, unknown: 0, safe: 1, approved: 0 },
  changes: [],
  order: { verdict: 'ordered', steps: [{ action: 'deploy', subgraph: 'numbers' }, { action: 'publish' }] },
};
const numbers = {
  name: 'numbers',
  url: 'http://numbers.test/graphql',
  typeDefs: gql`
    type Query {
      one: Int
    }
  `,
};

describe.each(['1', '2'])(
  'What was judged of a record, at the operations port, with WORKERS=%s',
  (workers) => {
    let graph: PublishedGraph;
    let gateway: GatewayProcess;
    const write = (text: string): Promise<BlobReference> =>
      writeTextBlob(graph.store, text, AbortSignal.timeout(90_000));

    beforeAll(async () => {
      graph = await PublishedGraph.create();
      await graph.publish([numbers]);
      await graph.append({ verdict: await write(encodeVerdict(VERDICT) ?? '') });
      await graph.append({ verdict: await write('no verdict') });
      const gone = await write(encodeVerdict({ ...VERDICT, operations: 1 }) ?? '');
      await graph.append({ verdict: gone });
      await rm(join(graph.folder, 'blobs/sha256', gone.digest));
      const file = join(graph.folder, '..', 'gateway.yaml');
      await writeFile(file, graph.settings());
      gateway = await startGatewayProcess({ SUPERGRAPH: 'registry', CONFIG: file, WORKERS: workers });
    });
    afterAll(async () => {
      await gateway.stop();
      graph.close();
    });

    it.each([
      ['2', 200, { format: 'trellis-gateway-record/1', verdict: VERDICT }],
      ['1', 200, { format: 'trellis-gateway-record/1', verdict: null }],
      ['3', 503, { error: 'Service Unavailable' }],
      ['4', 503, { error: 'Service Unavailable' }],
      ['5', 404, { error: 'Not Found' }],
      ['0', 404, { error: 'Not Found' }],
      ['x', 404, { error: 'Not Found' }],
    ])('is said of record %s with status %i', async (sequence, status, body) => {
      const response = await fetch(`${gateway.operationsUrl}/gateway/records/${sequence}`);
      expect([response.status, await response.json()]).toEqual([status, expect.objectContaining(body)]);
    });

    it('is no condition of serving', async () => {
      const response = await fetch(`${gateway.url}/graphql?query=%7B__typename%7D`, {
        headers: { accept: 'application/json', 'apollo-require-preflight': '1' },
      });
      expect(response.status).toBe(200);
    });
  },
);

describe('A verdict that cannot be read', () => {
  const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline

  it('is reported with its reason, once until it can be', async () => {
    const graph = await PublishedGraph.create();
    const reported: (readonly [number, string])[] = [];
    const verdicts = new RecordVerdicts(graph.store, (sequence, error) =>
      reported.push([sequence, String(error)]),
    );
    await graph.publish([numbers]);
    const text = encodeVerdict(VERDICT) ?? '';
    const verdict = await writeTextBlob(graph.store, text, signal);
    const missing = join(graph.folder, 'blobs/sha256', verdict.digest);
    verdicts.follow((await graph.append({ verdict })).record);
    const large = await writeTextBlob(graph.store, ' '.repeat(300_000), signal);
    verdicts.follow((await graph.append({ verdict: large })).record);
    await rm(missing);
    const found = async (sequence: number): Promise<string> => (await verdicts.find(sequence, signal)).kind;
    expect([await found(2), await found(2), await found(3)]).toEqual(Array(3).fill('unreadable'));
    expect(reported).toEqual([
      [2, expect.stringContaining('has no text')],
      [3, expect.stringContaining('300000 bytes')],
    ]);
    await writeFile(missing, text);
    expect([await found(2), reported.length]).toEqual(['found', 2]);
    graph.close();
  });
});

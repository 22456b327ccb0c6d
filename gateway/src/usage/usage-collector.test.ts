import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageCollector } from './usage-collector.ts';
import type { RecordedInterval, RecordedLine } from './usage-lines.ts';
import { NeverStored } from './usage-queue.ts';

interface SentRecord {
  readonly eventName: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly boolValue?: boolean } }[];
}

let server: Server;
let endpoint: string;
/** The records of each request that was accepted. */
let accepted: SentRecord[][];
/** What the collector responds to each request, by how many came before. */
let respond: (before: number) => { readonly status: number; readonly body?: object };
let requests: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const { status, body = {} } = respond(requests);
      requests += 1;
      if (status === 200) accepted.push(recordsIn(Buffer.concat(chunks).toString()));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`;
});
afterAll(() => server.close());
beforeEach(() => {
  [accepted, requests] = [[], 0];
  respond = () => ({ status: 200 });
});

function recordsIn(text: string): SentRecord[] {
  const { resourceLogs } = JSON.parse(text) as {
    resourceLogs: { scopeLogs: { logRecords: SentRecord[] }[] }[];
  };
  return resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
}

function interval(texts: readonly string[], minute = 1): RecordedInterval {
  const operations = texts.map((text, index): RecordedLine => ({
    id: String(index),
    name: undefined,
    requests: 1,
    errors: 0,
    text,
  }));
  const [from, to] = [new Date(minute * 60_000), new Date((minute + 1) * 60_000)];
  return { from, to, process: 'one', isComplete: true, operations };
}

const isComplete = ({ attributes }: SentRecord): boolean | undefined =>
  attributes.find(({ key }) => key === 'trellis.usage.complete')?.value.boolValue;

const eventsOf = (): readonly (readonly [string, number])[] =>
  accepted.map((records) => [records[0]?.eventName ?? '', records.length]);

const OPERATION = 'trellis.usage.operation';
const INTERVAL = 'trellis.usage.interval';
const signal = new AbortController().signal;

describe('Recorded operations on their way to a collector', () => {
  it('M2: go on where the attempt before has ended, however slow the collector is', async () => {
    const collector = new UsageCollector({ endpoint, headers: () => ({}) }, 'one');
    const sent = interval(Array.from({ length: 600 }, () => '{}'));
    respond = (before) => ({ status: before === 1 ? 401 : 200 });
    await expect(collector.write(sent, signal)).rejects.toThrow();
    expect(eventsOf()).toEqual([[OPERATION, 256]]);
    expect(await collector.write(sent, signal)).toBe(0);
    expect(eventsOf()).toEqual([
      [OPERATION, 256],
      [OPERATION, 256],
      [OPERATION, 88],
      [INTERVAL, 1],
    ]);
    expect(accepted.at(-1)?.map(isComplete)).toEqual([true]);
    expect(await collector.write(interval(['{}'], 2), signal)).toBe(0);
    expect(eventsOf().slice(4)).toEqual([
      [OPERATION, 1],
      [INTERVAL, 1],
    ]);
    await collector.close(signal);
  });

  it('M3: lack one that is larger than a collector takes, and say so', async () => {
    const collector = new UsageCollector({ endpoint, headers: () => ({}) }, 'one');
    expect(await collector.write(interval(['{}', 'x'.repeat(1_048_577), '{}']), signal)).toBe(1);
    expect(eventsOf()).toEqual([
      [OPERATION, 2],
      [INTERVAL, 1],
    ]);
    expect(accepted.at(-1)?.map(isComplete)).toEqual([false]);
  });

  it('M3: count as lost where the collector rejects some of them', async () => {
    const collector = new UsageCollector({ endpoint, headers: () => ({}) }, 'one');
    respond = (before) => ({
      status: 200,
      body: before === 0 ? { partialSuccess: { rejectedLogRecords: '2' } } : {},
    });
    expect(await collector.write(interval(['{}', '{}', '{}']), signal)).toBe(2);
    expect(accepted.at(-1)?.map(isComplete)).toEqual([false]);
  });

  it.each([400, 413, 422])(
    'M3: are not sent for ever to a collector that rejects them with %i',
    async (status) => {
      const collector = new UsageCollector({ endpoint, headers: () => ({}) }, 'one');
      respond = () => ({ status });
      await expect(collector.write(interval(['{}']), signal)).rejects.toThrow(NeverStored);
    },
  );
});

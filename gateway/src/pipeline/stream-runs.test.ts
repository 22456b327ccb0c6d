import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EventStage } from '../testing/event-stage.ts';

let stage: EventStage;

beforeAll(async () => {
  stage = await EventStage.start('live: { intervalMs: 1000 }');
});
afterEach(() => stage.disconnect());
afterAll(() => stage.close());

/** The value of a series, summed over the labels that are not given. */
async function valueOf(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const lines = (await stage.gateway.metrics.metrics()).split('\n');
  const given = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const own = lines.filter(
    (line) => line.startsWith(`${name}{`) && given.every((each) => line.includes(each)),
  );
  return own.reduce((sum, line) => sum + Number(line.slice(line.indexOf('} ') + 2)), 0);
}

const RUNS = 'trellis_gateway_stream_runs_total';
const TIMED = 'trellis_gateway_stream_run_duration_seconds_count';

describe('What comes of events and ticks', () => {
  it('is counted once for each, however many subscribers there are, with what it ended in and what it took', async () => {
    const { news } = stage.graph;
    const sockets = [await stage.connect(), await stage.connect()];
    for (const socket of sockets) socket.subscribe('1', 'subscription { published { id author { name } } }');
    await until(() => news.open() === 1);
    await until(async () => (await valueOf('trellis_gateway_streams', {})) === 2);
    news.publish({ id: 'a', author: '1' });
    news.publish({ id: null as unknown as string, author: '1' }); // what a subgraph must not send
    for (const socket of sockets) for (const _ of [1, 2]) await socket.next();
    expect(await valueOf(RUNS, { kind: 'event' })).toBe(2);
    expect(await valueOf(RUNS, { kind: 'event', outcome: 'OK' })).toBe(1);
    expect(await valueOf(TIMED, { kind: 'event' })).toBe(2);
  });

  it('is counted for ticks of live queries', async () => {
    const socket = await stage.connect();
    socket.subscribe('1', 'query @live { __typename }');
    await socket.next();
    await until(async () => (await valueOf(RUNS, { kind: 'tick', outcome: 'OK' })) >= 1);
    expect(await valueOf(TIMED, { kind: 'tick' })).toBeGreaterThanOrEqual(1);
  });
});

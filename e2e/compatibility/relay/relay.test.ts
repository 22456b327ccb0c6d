import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import { authorization, endpoint, openStage, until, untilHeard, type Stage } from '../scene.ts';
import { startRelayApp, type RelayApp } from './relay-app.ts';

/** What a streamed list was: its lengths as it grew, and its items in the end. */
interface Streamed {
  readonly counts: readonly number[];
  readonly items: readonly unknown[];
}

describe('Relay, with the network of docs/relay.md', () => {
  let stage: Stage;
  let app: RelayApp;

  beforeAll(async () => {
    stage = await openStage();
    const token = (await authorization()).replace('Bearer ', '');
    app = await startRelayApp({
      ENDPOINT: endpoint,
      TOKEN: token,
      POST: stage.postId,
      HEARD_POST: stage.heardPostId,
    });
  });
  afterAll(async () => {
    app.stop();
    await stage.remove();
  });

  async function got(name: string): Promise<unknown> {
    await until(() => app.got[name] !== undefined, `${name} has come`);
    return app.got[name]?.[0];
  }

  it(cell('Relay', 'compiler'), async () => {
    expect(app.compiled).toMatch(/Compilation completed/i);
    expect(app.compiled).not.toMatch(/error/i);
  });

  it(cell('Relay', 'query'), async () => {
    expect(await got('query')).toMatchObject({ posts: [{}, {}, {}] });
  });

  it(cell('Relay', 'mutation'), async () => {
    expect(await got('mutation')).toMatchObject({ addComment: { body: 'From Relay' } });
  });

  it(cell('Relay', 'errors'), async () => {
    expect(await got('errors')).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it(cell('Relay', '@defer'), async () => {
    const count = { commentCount: expect.any(Number) as number };
    expect(await got('defer')).toEqual([count, count]);
  });

  it(cell('Relay', '@stream'), async () => {
    const author = { name: expect.any(String) as string };
    const list = (await got('stream')) as Streamed;
    expect(list.counts).toEqual(Array.from({ length: 19 }, (_, index) => index + 2)); // each item is a payload
    expect(list.items).toEqual(list.items.map(() => expect.objectContaining({ author }) as unknown));
    const { counts, items } = (await got('streamConnection')) as Streamed;
    expect([counts[0], items]).toMatchObject([
      1,
      [{ node: { author } }, { node: { author } }, { node: { author } }],
    ]);
  });

  it(cell('Relay', 'subscription over WebSocket'), async () => {
    const heard = (): readonly string[] => (app.got['subscription'] ?? []).map(String);
    await untilHeard(stage, heard);
  });

  it(cell('Relay', '@live over WebSocket'), async () => {
    expect(await got('live')).toMatchObject({ me: { name: 'Ada Marlow' } });
  });

  it(cell('Relay', '@refetchable, @connection'), async () => {
    const text = expect.any(String) as string;
    expect(await got('refetchable')).toEqual([text, text, 'Said once, and fetched again']);
    const ids = (await got('connection')) as readonly string[];
    expect([ids.length, new Set(ids).size]).toEqual([6, 6]);
  });
});

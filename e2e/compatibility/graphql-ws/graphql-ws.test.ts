import { createClient, type Client } from 'graphql-ws';
import WebSocket from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import {
  ADD_COMMENT,
  authorization,
  COMMENT_ADDED,
  DEFERRED,
  LIVE,
  openStage,
  POSTS,
  socketEndpoint,
  STREAMED,
  untilHeard,
  WRONG,
  type Stage,
} from '../scene.ts';

describe('graphql-ws', () => {
  let stage: Stage;
  let client: Client;

  beforeAll(async () => {
    stage = await openStage();
    client = createClient({
      url: socketEndpoint,
      webSocketImpl: WebSocket,
      connectionParams: async () => ({ Authorization: await authorization() }),
    });
  });
  afterAll(async () => {
    await client.dispose();
    await stage.remove();
  });

  async function first(query: string, variables: Record<string, unknown> = {}): Promise<unknown> {
    for await (const result of client.iterate({ query, variables })) return result;
    return undefined;
  }

  it(cell('graphql-ws', 'query'), async () => {
    expect(await first(POSTS, { first: 2 })).toMatchObject({ data: { posts: [{}, {}] } });
  });

  it(cell('graphql-ws', 'mutation'), async () => {
    expect(await first(ADD_COMMENT, { postId: stage.postId, body: 'Hello' })).toMatchObject({
      data: { addComment: { body: 'Hello' } },
    });
  });

  it(cell('graphql-ws', 'errors'), async () => {
    const rejected = { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };
    await expect(first(WRONG)).rejects.toMatchObject([rejected]);
  });

  it(cell('graphql-ws', '@defer'), async () => {
    const parts: unknown[] = [];
    for await (const part of client.iterate({ query: DEFERRED, variables: { first: 1 } })) parts.push(part);
    expect(parts[0]).toMatchObject({ data: { posts: [{}] }, hasNext: true });
    expect(parts.at(-1)).toMatchObject({
      incremental: [
        { label: 'rest', path: ['posts', 0], data: { commentCount: expect.any(Number) as number } },
      ],
      hasNext: false,
    });
  });

  it(cell('graphql-ws', '@stream'), async () => {
    const parts: unknown[] = [];
    for await (const part of client.iterate({ query: STREAMED, variables: { first: 4 } })) parts.push(part);
    expect(parts).toMatchObject([
      { data: { posts: [{}, {}] }, hasNext: true },
      { incremental: [{ label: 'feed', path: ['posts', 2], items: [{}, {}] }], hasNext: false },
    ]);
  });

  it(cell('graphql-ws', 'subscription over WebSocket'), async () => {
    const heard: string[] = [];
    const end = client.subscribe<{ commentAdded: { body: string } }>(
      { query: COMMENT_ADDED, variables: { postId: stage.heardPostId } },
      {
        next: ({ data }) => void heard.push(data?.commentAdded.body ?? ''),
        error: (error) => void heard.push(String(error)),
        complete: () => undefined,
      },
    );
    await untilHeard(stage, heard);
    end();
  });

  it(cell('graphql-ws', '@live over WebSocket'), async () => {
    expect(await first(LIVE)).toMatchObject({ data: { me: { name: 'Ada Marlow' } } });
  });
});

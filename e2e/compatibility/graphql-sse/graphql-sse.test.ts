import { createClient, type Client } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import {
  ADD_COMMENT,
  authorization,
  COMMENT_ADDED,
  DEFERRED,
  endpoint,
  LIVE,
  openStage,
  POSTS,
  untilHeard,
  WRONG,
  type Stage,
} from '../scene.ts';

describe('graphql-sse', () => {
  let stage: Stage;
  const clients: Client<boolean>[] = [];

  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(async () => {
    for (const client of clients) client.dispose();
    await stage.remove();
  });

  function connect(singleConnection: boolean): Client<boolean> {
    const client: Client<boolean> = createClient<boolean>({
      url: `${endpoint}/stream`,
      singleConnection,
      headers: async () => ({ Authorization: await authorization() }),
    });
    clients.push(client);
    return client;
  }

  async function first(
    client: Client<boolean>,
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<unknown> {
    for await (const result of client.iterate({ query, variables })) return result;
    return undefined;
  }

  async function subscribes(client: Client<boolean>): Promise<void> {
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
  }

  it(cell('graphql-sse', 'query'), async () => {
    expect(await first(connect(false), POSTS, { first: 2 })).toMatchObject({ data: { posts: [{}, {}] } });
  });

  it(cell('graphql-sse', 'mutation'), async () => {
    const variables = { postId: stage.postId, body: 'Hello' };
    expect(await first(connect(false), ADD_COMMENT, variables)).toMatchObject({
      data: { addComment: { body: 'Hello' } },
    });
  });

  it(cell('graphql-sse', 'errors'), async () => {
    const errors = [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }];
    expect(await first(connect(false), WRONG)).toMatchObject({ errors });
  });

  it(cell('graphql-sse', 'subscription over SSE'), () => subscribes(connect(false)));

  it(cell('graphql-sse', '@live over SSE'), async () => {
    expect(await first(connect(false), LIVE)).toMatchObject({ data: { me: { name: 'Ada Marlow' } } });
  });

  it(cell('graphql-sse', 'single connection mode'), async () => {
    const client = connect(true);
    expect(await first(client, POSTS, { first: 2 })).toMatchObject({ data: { posts: [{}, {}] } });
    await subscribes(client);
    expect(await first(client, LIVE)).toMatchObject({ data: { me: { name: 'Ada Marlow' } } });
    const parts: unknown[] = [];
    for await (const part of client.iterate({ query: DEFERRED, variables: { first: 1 } })) parts.push(part);
    expect(parts.at(-1)).toMatchObject({ incremental: [{ label: 'rest' }], hasNext: false });
    const errors = [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }];
    expect(await first(client, WRONG)).toMatchObject({ errors });
  });
});

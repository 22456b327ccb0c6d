import { queryChecked } from '@trellis/postgres';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import { proof } from '@trellis/testkit';
import type { UserContext } from '@trellis/subgraph-protocol';
import { buildServer } from '../src/server.ts';

const EDITORS = 16;

interface Post {
  readonly id: string;
  readonly metadata: { readonly edits: number };
  readonly updatedAt: string;
}

/** Sixteen editors count up in the same post: each of them must see what the others have done. */
proof({
  name: 'concurrent-editors',
  description: 'no update of 16 editors of one post is lost, and no stale one is accepted',
  async run({ size }) {
    const editsEach = size === 'full' ? 50 : 4;
    const subgraph = await startTestSubgraph({
      service: 'posts',
      migrations: new URL('../migrations/', import.meta.url),
      buildServer,
    });
    try {
      const { id } = await create(subgraph);
      const rejected = await Promise.all(
        Array.from({ length: EDITORS }, () => editRepeatedly(subgraph, id, editsEach)),
      );
      const edits = EDITORS * editsEach;
      const { metadata } = await read(subgraph, id);
      const versions = await countVersions(subgraph);
      return {
        passed: metadata.edits === edits && versions === edits + 1,
        figures: {
          editors: EDITORS,
          edits,
          lost: edits - metadata.edits,
          staleRejected: rejected.reduce((sum, count) => sum + count, 0),
        },
      };
    } finally {
      await subgraph.close();
    }
  },
});

function editor(): UserContext {
  const user = { id: createId(), roles: ['EDITOR'], tokenIssuedAt: 1 };
  return { user, scopes: ['read:data', 'write:data'] };
}

async function create(subgraph: TestSubgraph): Promise<Post> {
  const input = { title: 'Counter', body: 'Words.', metadata: { edits: 0 } };
  const { data } = await subgraph.ask<{ createPost: { post: Post } }>({
    query:
      'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id metadata updatedAt } } }',
    variables: { input },
    as: editor(),
  });
  return data.createPost.post;
}

async function read(subgraph: TestSubgraph, id: string): Promise<Post> {
  const { data } = await subgraph.ask<{ post: Post }>({
    query: 'query ($id: ID!) { post(id: $id) { id metadata updatedAt } }',
    variables: { id },
  });
  return data.post;
}

/** @returns how often the editor had to read again */
async function editRepeatedly(subgraph: TestSubgraph, id: string, edits: number): Promise<number> {
  const as = editor();
  let rejected = 0;
  for (let done = 0; done < edits;) {
    const { metadata, updatedAt } = await read(subgraph, id);
    const { errors } = await subgraph.ask({
      query: 'mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { id } }',
      variables: { id, input: { metadata: { edits: metadata.edits + 1 }, expectedUpdatedAt: updatedAt } },
      as,
    });
    const [error] = errors;
    if (!error) done += 1;
    else if (error.extensions['code'] === 'BAD_USER_INPUT') rejected += 1;
    else throw new Error(error.message);
  }
  return rejected;
}

/** Every version was published once. */
async function countVersions({ pool }: TestSubgraph): Promise<number> {
  const rows = await queryChecked(pool, { count: 'int4' }, 'SELECT count(*)::int AS count FROM outbox');
  return rows[0]?.count ?? 0;
}

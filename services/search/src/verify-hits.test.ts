import type { ServiceClient } from '@trellis/subgraph-protocol';
import { createId } from '@trellis/subgraph-kit';
import { describe, expect, it } from 'vitest';
import type { Hit } from './hit.ts';
import { createOwners } from './owners.ts';
import { verifyHits } from './verify-hits.ts';

const clientThat = (post: ServiceClient['post']): ServiceClient => ({
  get: () => Promise.reject(new Error('not asked for here')),
  post,
});
const answering = clientThat((path, body) => {
  const { ids } = body as { ids: string[] };
  return Promise.resolve({ [path.split('/').at(-1) ?? '']: ids.map((id) => ({ id })) });
});
const hanging = clientThat(
  (_path, _body, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    }),
);

describe('Hits of an owner that hangs', () => {
  const user: Hit = { kind: 'User', id: createId(), postId: null, rank: '0' };
  const post: Hit = { kind: 'Post', id: createId(), postId: null, rank: '0' };

  it('are left out, and the others are shown', async () => {
    const owners = createOwners({ users: answering, posts: hanging }, 20);
    const { alive, failures } = await verifyHits([post, user], owners);
    expect(alive).toEqual([user]);
    expect(failures).toEqual([expect.objectContaining({ name: 'TimeoutError' })]);
  });

  it('make the search fail when there is nothing else', async () => {
    await expect(verifyHits([post], createOwners({ posts: hanging }, 20))).rejects.toThrow('timeout');
  });
});

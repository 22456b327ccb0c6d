import type { ServiceClient } from '@trellis/subgraph-protocol';
import { createLogger } from '@trellis/runtime';
import { createId } from '@trellis/subgraph-kit';
import { describe, expect, it, vi } from 'vitest';
import type { KnownPostStore } from './known-post-store.ts';
import { createPostFinder } from './post-finder.ts';

const authorId = createId();
const anybody = { userId: null, isEditor: false };
/** Never asked here: the posts service answers. */
const knownPosts = {} as KnownPostStore;

interface Call {
  readonly ids: readonly string[];
  response(): void;
}

/** A posts service that answers on demand; every post exists, and is published unless it is named as a draft. */
function startOwner(draft?: string) {
  const calls: Call[] = [];
  const client: ServiceClient = {
    get: () => Promise.reject(new Error('not asked for here')),
    post: (_path, body) =>
      new Promise((resolve) => {
        const { ids } = body as { ids: string[] };
        const posts = ids.map((id) => ({ id, authorId, published: id !== draft }));
        calls.push({ ids, response: () => resolve({ posts }) });
      }),
  };
  return { calls, client };
}

describe('Looking posts up at their owner', () => {
  it('takes one call at a time, and one for all that is wanted meanwhile', async () => {
    const [first, second, draft] = [createId(), createId(), createId()];
    const { calls, client } = startOwner(draft);
    const logger = createLogger({ service: 'comments', level: 'fatal' });
    const finder = createPostFinder({ knownPosts, posts: client, logger });

    const found = [finder.find(first, anybody)];
    await vi.waitFor(() => expect(calls).toHaveLength(1), { timeout: 90_000 });
    found.push(finder.find(second, anybody), finder.find(draft, anybody), finder.find(second, anybody));
    await new Promise(setImmediate);
    expect(calls.map(({ ids }) => ids)).toEqual([[first]]);

    calls[0]?.response();
    await vi.waitFor(() => expect(calls).toHaveLength(2), { timeout: 90_000 });
    expect(calls[1]?.ids).toEqual([second, draft]);
    calls[1]?.response();
    expect((await Promise.all(found)).map((post) => post?.id)).toEqual([first, second, undefined, second]);
  });
});

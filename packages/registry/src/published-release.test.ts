import { describe, expect, it } from 'vitest';
import { decodeRelease, encodeRelease, type PublishedRelease } from './published-release.ts';

const text = { digest: '0'.repeat(64), bytes: 1 };
const users = { name: 'users', schema: text, routing: { url: 'http://users.test/' } };

function releaseOf(subgraph: Partial<PublishedRelease['subgraphs'][number]>): PublishedRelease {
  const subgraphs = [{ ...users, ...subgraph }];
  return { subgraphs, supergraph: text, apiSchema: text, contracts: [], hints: [], composers: {} };
}

describe('A release that could not be read again', () => {
  it.each([
    ['subgraphs.0.name', { name: 'a/b' }],
    ['subgraphs.0.version', { version: 'v'.repeat(257) }],
    ['subgraphs.0.routing.url', { routing: { url: `http://${'u'.repeat(2048)}.test/` } }],
  ])('is not written, and the message names %s', (place, subgraph) => {
    expect(() => encodeRelease(releaseOf(subgraph))).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: expect.stringContaining(`: ${place}: `) as string,
      }),
    );
    expect(decodeRelease(encodeRelease(releaseOf({}))).subgraphs).toEqual([users]);
  });
});

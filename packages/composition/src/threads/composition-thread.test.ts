import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { CompositionThread } from './composition-thread.ts';

const subgraphs = [
  {
    name: 'a',
    routingUrl: 'http://a',
    sdl: print(gql`
      type Query {
        a: Int
      }
    `),
    source: 'a.graphql',
  },
];

describe('A thread that composes', () => {
  it('begins nothing once it is closed, though tasks wait', async () => {
    const thread = new CompositionThread('apollo');
    const results = [1, 2].map(() => thread.compose({ subgraphs }).catch((error: unknown) => String(error)));
    await new Promise(setImmediate); // the first has begun
    await thread.close();
    expect(await Promise.all(results)).toEqual([
      'ThreadEnded: The composition thread has ended.',
      'ThreadEnded: The composition thread was closed.',
    ]);
    await expect(thread.compose({ subgraphs })).rejects.toThrow('was closed');
  });
});

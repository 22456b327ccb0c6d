import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMocks, type Mocks } from './start-mocks.ts';

let mocks: Mocks;
beforeAll(async () => {
  mocks = await startMocks();
});
afterAll(() => mocks.close());

async function ask(name: string, query: string): Promise<unknown> {
  const response = await fetch(mocks.urlOf(name), { method: 'POST', body: JSON.stringify({ query }) });
  return response.json();
}

describe('Mocks', () => {
  it('follow a schema, and stay as they were where the newest text is none', async () => {
    mocks.set(
      'a',
      print(gql`
        type Query {
          one: Int
        }
      `),
    );
    mocks.set(
      'a',
      print(gql`
        type Query {
          two: Int
        }
      `),
    );
    const two = { data: { two: expect.any(Number) } };
    expect(await ask('a', '{ two }')).toEqual(two);
    expect(await ask('a', '{ one }')).toMatchObject({ errors: [{}] });
    mocks.set('a', 'type Query {');
    expect(await ask('a', '{ two }')).toEqual(two);
    mocks.set(
      'a',
      print(gql`
        type Query {
          one: Int
        }
      `),
    );
    expect(await ask('a', '{ one }')).toEqual({ data: { one: expect.any(Number) } });
  });

  it('have nothing for a subgraph that never had a schema', async () => {
    mocks.set('b', 'type Query {');
    for (const name of ['b', 'c'])
      expect(await ask(name, '{ a }')).toEqual({
        errors: [{ message: 'No such subgraph is mocked.' }],
      });
  });
});

import { describe, expect, it } from 'vitest';
import { NEW } from '../../testing/magazine-stage.ts';
import { type Sending } from '../../testing/send-query.ts';
import { stageCatalogue } from '../../testing/catalogue-stage.ts';

const stage = stageCatalogue();
const { open } = stage;

async function errorOf(query: string, variables: Sending['variables'] = {}): Promise<unknown> {
  const response = await stage.gateway.post({ query, variables });
  const [error] = response.body.errors ?? [];
  return [error?.extensions['code'], error?.message];
}

describe('@stream is rejected', () => {
  it.each([
    ['on what is no list', '{ order @stream { id } }', 'is no list'],
    ['with a negative count', '{ names(count: 1) @stream(initialCount: -1) }', '0 or more'],
    ['on a field of Mutation', 'mutation { restock @stream { id } }', 'Fields of Mutation'],
    ['on the field of a subscription', 'subscription { added @stream { id } }', 'Fields of Subscription'],
    [
      'with a label twice',
      '{ a: names(count: 1) @stream(label: "L") b: names(count: 1) @stream(label: "L") }',
      'more than one',
    ],
    [
      'with a label of @defer',
      '{ a: names(count: 1) @stream(label: "L") ...@defer(label: "L") { order { id } } }',
      'more than one',
    ],
    [
      'with a variable for a label',
      'query($l: String) { names(count: 1) @stream(label: $l) }',
      'has to be a text',
    ],
    [
      'beside the same list, streamed otherwise',
      '{ ...A names(count: 1) @stream } fragment A on Query { names(count: 1) @stream(initialCount: 1) }',
      'streamed in different ways',
    ],
    [
      'beside the same list, not streamed',
      '{ order { lines @stream { id } } ...{ order { lines { id } } } }',
      'streamed in different ways',
    ],
    ['with an unknown argument', '{ names(count: 1) @stream(count: 1) }', 'Unknown argument'],
    ['on a fragment', '{ ... @stream { names(count: 1) } }', 'may not be used'],
  ])('%s', async (_, query, message) => {
    expect(await errorOf(query)).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringContaining(message)]);
  });

  it.each([
    ['null for a condition', 'query($v: Boolean) { names(count: 1) @stream(if: $v) }', null],
    ['null for a count', 'query($v: Int) { names(count: 1) @stream(initialCount: $v) }', null],
    ['a negative count', 'query($v: Int = 1) { names(count: 1) @stream(initialCount: $v) }', -1],
  ])('with %s by a variable', async (_, query, v) => {
    expect(await errorOf(query, { v })).toEqual(['BAD_USER_INPUT', expect.stringContaining('$v')]);
  });

  it('nowhere else: the same list twice, streamed alike, is one list', async () => {
    const query =
      '{ ...A products(count: 2) @stream(initialCount: 1) { id } } fragment A on Query { products(count: 2) @stream(initialCount: 1) { price } }';
    const parts = await open(query, NEW);
    expect(await parts.next()).toMatchObject({ data: { products: [{ id: 'p0', price: 0 }] } });
    expect(await parts.rest()).toMatchObject([{ incremental: [{ items: [{ id: 'p1', price: 1 }] }] }]);
  });
});

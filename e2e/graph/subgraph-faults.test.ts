import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { signIn } from '../harness/sign-in.ts';
import { startTappedPlatform, type TappedPlatform } from '../harness/tapped-platform.ts';

interface Counts {
  readonly posts: readonly { readonly title: string; readonly commentCount: number | null }[];
  readonly users: readonly { readonly name: string }[];
}

const counts = '{ posts(first: 2) { title commentCount } users(limit: 1) { name } }';

describe('A subgraph that fails', () => {
  let platform: TappedPlatform;
  let token: string;

  beforeAll(async () => {
    platform = await startTappedPlatform((taps) => taps.comments.close());
    ({ access_token: token } = await signIn(platform.addresses.issuer));
  });

  afterAll(() => platform.close());

  it('prevents nothing else from being served when it is down at the start, and gets requests again when it is up', async () => {
    const response = await ask<Counts>(counts);
    expectPartial(response);
    await platform.taps.comments.reopen();
    const recovered = await eventually(
      () => ask<Counts>(counts),
      ({ errors }) => errors === undefined,
    );
    expect(dataOf(recovered).posts.map(({ commentCount }) => typeof commentCount)).toEqual([
      'number',
      'number',
    ]);
  });

  it('does the same when it goes down later', async () => {
    await platform.taps.comments.close();
    expectPartial(await ask<Counts>(counts));
    await platform.taps.comments.reopen();
    await eventually(
      () => ask<Counts>(counts),
      ({ errors }) => errors === undefined,
    );
  });

  it('does the same when it drops connections or answers what is not GraphQL (S-110)', async () => {
    for (const behaviour of ['drop', 'garbage'] as const) {
      platform.taps.comments.behave(behaviour);
      expectPartial(await ask<Counts>(counts));
    }
    platform.taps.comments.behave('forward');
    await eventually(
      () => ask<Counts>(counts),
      ({ errors }) => errors === undefined,
    );
  });

  it('makes a root field null with its path, and leaves its neighbours', async () => {
    await platform.taps.posts.close();
    const response = await ask<Readonly<Record<string, unknown>>>(
      '{ me { name } post(id: "01941f29-7c00-7a00-8000-000000000000") { title } }',
    );
    expect(response.status).toBe(200);
    expect(response.data).toEqual({ me: { name: expect.stringMatching(/^Ada/) as string }, post: null });
    expect(response.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['post'], 'INTERNAL_SERVER_ERROR'],
    ]);
    await platform.taps.posts.reopen();
    await eventually(
      () => ask<Counts>(counts),
      ({ errors }) => errors === undefined,
    );
  });

  it('does not make the gateway unready, nor show clients its address (S-101)', async () => {
    await platform.taps.comments.close();
    const { errors } = await ask<Counts>(counts);
    expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|localhost|ECONNREFUSED|:\d{4,5}/);
    expect((await fetch(`${platform.addresses.gateway}/health/ready`)).status).toBe(200);
    await platform.taps.comments.reopen();
  });

  function ask<Data>(query: string): Promise<GraphResponse<Data>> {
    return askGraph<Data>(platform.addresses.graph, { query, token });
  }
});

/** All but the counts of comments is present, and both errors say where. */
function expectPartial(response: GraphResponse<Counts>): void {
  expect(response.status).toBe(200);
  expect(response.data?.users).toEqual([{ name: expect.any(String) as string }]);
  const post = { title: expect.any(String) as string, commentCount: null };
  expect(response.data?.posts).toEqual([post, post]);
  expect(response.errors?.map(({ path }) => path)).toEqual([
    ['posts', 0, 'commentCount'],
    ['posts', 1, 'commentCount'],
  ]);
  for (const { message, extensions } of response.errors ?? []) {
    expect(message).toEqual(expect.any(String));
    expect(extensions.code).toBe('INTERNAL_SERVER_ERROR');
  }
}

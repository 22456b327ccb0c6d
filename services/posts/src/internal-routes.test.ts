import { createDemoContent } from '@trellis/demo-data';
import {
  createServiceTokenSigner,
  createServiceTokenVerifier,
  generateServiceKey,
  publicServiceKey,
} from '@trellis/subgraph-protocol';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostStore } from './post-store.ts';
import { buildServer } from './server.ts';

const demo = createDemoContent().posts;
const keys = {
  comments: await generateServiceKey('comments'),
  users: await generateServiceKey('users'),
};
const jwks = { keys: Object.values(keys).map(publicServiceKey) };

let posts: TestSubgraph;
beforeAll(async () => {
  posts = await startTestSubgraph({
    service: 'posts',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
    peers: { verifier: createServiceTokenVerifier('posts', jwks), client: undefined },
  });
  await createPostStore(posts.pool).seed(demo);
});
afterAll(() => posts.close());

async function call(url: string, caller?: keyof typeof keys, payload?: object) {
  const token = caller && (await (await createServiceTokenSigner(keys[caller])).sign('posts'));
  const response = await posts.server.inject({
    url,
    method: payload ? 'POST' : 'GET',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(payload && { payload }),
  });
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

describe.each(['/internal/events?after=0', '/internal/snapshot', '/internal/posts'])('%s', (url) => {
  const payload = url === '/internal/posts' ? { ids: [] } : undefined;

  it('is for the services that need it', async () =>
    expect((await call(url, 'comments', payload)).status).toBe(200));
  it('is not for other services', async () => expect((await call(url, 'users', payload)).status).toBe(403));
  it('S-041 is not for anybody else', async () =>
    expect((await call(url, undefined, payload)).status).toBe(401));
});

describe('POST /internal/posts', () => {
  it('returns authors and publication of posts, drafts included', async () => {
    const [first, draft] = [
      demo.find(({ published }) => published),
      demo.find(({ published }) => !published),
    ];
    const ids = [first?.id, draft?.id, '01941f29-7c00-7a00-8000-00000000ffff'];
    const { body } = await call('/internal/posts', 'comments', { ids });
    expect(body['posts']).toEqual(
      expect.arrayContaining(
        [first, draft].map((post) => ({
          id: post?.id,
          authorId: post?.authorId,
          published: post?.published,
        })),
      ),
    );
    expect(body['posts']).toHaveLength(2);
  });

  it('takes every id that clients may send for one of none', async () => {
    const payload = { ids: ['12345678-1234-0234-0234-123456789012'] };
    expect(await call('/internal/posts', 'comments', payload)).toMatchObject({
      status: 200,
      body: { posts: [] },
    });
  });

  it.each([{}, { ids: 'x' }, { ids: ['nonsense'] }])('rejects the body %j', async (payload) => {
    expect((await call('/internal/posts', 'comments', payload)).status).toBe(400);
  });
});

describe('GET /internal/snapshot', () => {
  it('pages through all posts, in the order of their ids', async () => {
    const { body } = await call('/internal/snapshot', 'comments');
    expect(body['next']).toBeNull();
    expect((body['items'] as { subject: string }[]).map(({ subject }) => subject)).toEqual(
      demo.map(({ id }) => id),
    );
    const { body: rest } = await call(`/internal/snapshot?after=${demo[300]?.id}`, 'comments');
    expect((rest['items'] as object[]).length).toBe(demo.length - 301);
    expect((rest['items'] as object[])[0]).toEqual({
      type: 'post.saved',
      subject: demo[301]?.id,
      payload: {
        id: demo[301]?.id,
        authorId: demo[301]?.authorId,
        title: demo[301]?.title,
        body: demo[301]?.body,
        tags: demo[301]?.tags,
        published: demo[301]?.published,
        announced: false,
      },
    });
  });

  it.each([
    '/internal/snapshot?after=x',
    '/internal/events',
    '/internal/events?after=-1',
    '/internal/events?after=0&limit=0',
  ])('rejects %s', async (url) => expect((await call(url, 'comments')).status).toBe(400));
});

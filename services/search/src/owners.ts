import type { ServiceClient } from '@trellis/subgraph-protocol';
import { z } from 'zod';
import type { Source } from './config.ts';

/** The services that own what can be found. Of what does not exist, or is not for everybody, they say nothing. */
export interface Owners {
  /** @returns those that exist */
  findUsers(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** @returns those that everybody may see */
  findPosts(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** @returns those that everybody may see */
  findComments(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** @returns those that exist, with what decides who may see them */
  readPosts(ids: readonly string[]): Promise<ReadonlyMap<string, PostFacts>>;
  /** @returns those that exist, with what decides who may see the posts that they are on */
  readPostsOfComments(ids: readonly string[]): Promise<ReadonlyMap<string, PostFacts>>;
}

/** What decides who may see a post. */
export interface PostFacts {
  readonly authorId: string;
  readonly published: boolean;
}

/** The clients to the owners; one that can't be asked is absent. */
export type OwnerClients = Readonly<Partial<Record<Source, ServiceClient>>>;

const things = z.array(z.object({ id: z.uuid() }));
const usersResponse = z.object({ users: things });
const commentsResponse = z.object({ comments: things });
const postFacts = z.object({ authorId: z.uuid(), published: z.boolean() });
const postsResponse = z.object({ posts: z.array(postFacts.extend({ id: z.uuid() })) });
const placesResponse = z.object({ 'comment-places': z.array(z.object({ id: z.uuid(), post: postFacts })) });

/**
 * Asks the owners by signed calls, one for all ids of a kind. No one is asked about nothing.
 *
 * @param patienceMs milliseconds for a response; less than what a resolver may take, so that one owner that hangs costs its own
 *   hits and not the whole response
 */
export function createOwners(clients: OwnerClients, patienceMs = 2_000): Owners {
  const ask = async (source: Source, ids: readonly string[], things: string = source): Promise<unknown> => {
    if (ids.length === 0) return { [things]: [] };
    const client = clients[source];
    if (!client)
      throw new Error(`The ${source} service can't be asked: its address or this service's key is absent.`);
    return client.post(`/internal/${things}`, { ids }, AbortSignal.timeout(patienceMs));
  };
  return {
    findUsers: async (ids) => idsOf(usersResponse.parse(await ask('users', ids)).users),
    findPosts: async (ids) => {
      const response = postsResponse.parse(await ask('posts', ids));
      return idsOf(response.posts.filter(({ published }) => published));
    },
    findComments: async (ids) => idsOf(commentsResponse.parse(await ask('comments', ids)).comments),
    readPosts: async (ids) => {
      const { posts } = postsResponse.parse(await ask('posts', ids));
      return new Map(posts.map((post) => [post.id, post]));
    },
    readPostsOfComments: async (ids) => {
      const response = placesResponse.parse(await ask('comments', ids, 'comment-places'));
      return new Map(response['comment-places'].map(({ id, post }) => [id, post]));
    },
  };
}

function idsOf(found: readonly { readonly id: string }[]): ReadonlySet<string> {
  return new Set(found.map(({ id }) => id));
}

import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

// What the clients of this suite ask, and of whom. Each of them is used as its own README does.

const { graph, issuer } = sharedPlatform().addresses;

/** The endpoint, over HTTP. */
export const endpoint: string = graph;
/** The endpoint, over WebSocket. */
export const socketEndpoint: string = graph.replace('http', 'ws');

let tokens = new TokenBook(issuer);

/** Signs in again from here on: files share this module, and those of others may have ended the sessions. */
export function forgetTokens(): void {
  tokens = new TokenBook(issuer);
}

/** What a client sends as `Authorization`. */
export async function authorization(): Promise<string> {
  return `Bearer ${await tokens.of('ada')}`;
}

/** Asks for posts with their authors: two subgraphs. */
export const POSTS = 'query Posts($first: Int!) { posts(first: $first) { id title author { id name } } }';
/** Defers what a third subgraph knows. */
export const DEFERRED =
  'query Deferred($first: Int!) { posts(first: $first) { id title ... @defer(label: "rest") { commentCount } } }';
/** Streams all but two posts of a list; their authors come from another subgraph. */
export const STREAMED =
  'query Streamed($first: Int!) { posts(first: $first) @stream(initialCount: 2, label: "feed") { id title author { id name } } }';
/** Stores what it is given. */
export const ADD_COMMENT =
  'mutation AddComment($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { id body author { id name } } }';
/** Receives what {@link ADD_COMMENT} stores. */
export const COMMENT_ADDED =
  'subscription CommentAdded($postId: ID!) { commentAdded(postId: $postId) { id body author { id name } } }';
/** Follows a state. */
export const LIVE = 'query Live @live { me { id name } }';
/** Fits no schema. */
export const WRONG = 'query Wrong { noSuchField }';
/** More than a request may have. */
export const TOO_LARGE = 'x'.repeat(1_200_000);
/** What {@link LIVE} over a response without a stream is answered with. */
export const NEEDS_STREAM = /needs a stream.*text\/event-stream/s;

/** Posts of this suite's own. */
export interface Stage {
  /** One that clients comment. */
  readonly postId: string;
  /** One to subscribe to: an event of what a client has written may come late, so none of them comments it. */
  readonly heardPostId: string;
  /** The comments of that one. */
  readonly said: readonly string[];
  /** Comments it. */
  comment(body: string): Promise<void>;
  remove(): Promise<void>;
}

/** Makes the posts. */
export async function openStage(): Promise<Stage> {
  forgetTokens();
  const token = await tokens.of('ada');
  const ask: Ask = async <Data>(query: string, variables: Readonly<Record<string, unknown>>) =>
    dataOf(await askGraph<Data>(endpoint, { query, variables, token }));
  const [postId, heardPostId] = [await createPost(ask), await createPost(ask)];
  const said: string[] = [];
  return {
    postId,
    heardPostId,
    said,
    async comment(body) {
      said.push(body);
      await ask(ADD_COMMENT, { postId: heardPostId, body });
    },
    async remove() {
      const close = 'mutation Close($id: ID!) { deletePost(id: $id) }';
      await Promise.all([postId, heardPostId].map((id) => ask(close, { id })));
    },
  };
}

type Ask = <Data>(query: string, variables: Readonly<Record<string, unknown>>) => Promise<Data>;

async function createPost(ask: Ask): Promise<string> {
  const input = { title: 'Compatibility', body: `Clients as they come, ${crypto.randomUUID()}` };
  const { createPost } = await ask<{ createPost: { post: { id: string } } }>(
    'mutation Open($input: CreatePostInput!) { createPost(input: $input) { post { id } } }',
    { input },
  );
  return createPost.post.id;
}

const BETWEEN_MS = 300;
const DEADLINE_MS = 15_000;

/**
 * Comments the stage until a subscriber has heard one: nothing says to outsiders that a subscription is open.
 *
 * @param heard the texts of the comments that it was sent
 */
export async function untilHeard(
  stage: Stage,
  heard: readonly string[] | (() => readonly string[]),
): Promise<void> {
  const first = (): string | undefined => (typeof heard === 'function' ? heard() : heard)[0];
  const deadline = Date.now() + DEADLINE_MS;
  while (first() === undefined && Date.now() < deadline) {
    await stage.comment(`Comment ${stage.said.length}`);
    await pause(BETWEEN_MS);
  }
  expect(stage.said).toContain(first());
}

/** Waits until something is so. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  await expect.poll(isSo, { timeout: DEADLINE_MS, interval: 20, message: what }).toBe(true);
}

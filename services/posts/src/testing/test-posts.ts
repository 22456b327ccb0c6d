import { queryChecked, type Pool } from '@trellis/postgres';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type ResponseError, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { buildServer } from '../server.ts';

/** One who may write, as far as scopes go. */
export function callerWith(role: Role, id: string = createId()): UserContext {
  return {
    user: { id, roles: [role], tokenIssuedAt: 1 },
    clientId: 'cli',
    scopes: ['read:data', 'write:data'],
  };
}

export const idOf = (context: UserContext): string => context.user?.id ?? '';
export const editor: UserContext = callerWith('EDITOR');
export const otherEditor: UserContext = callerWith('EDITOR');
export const administrator: UserContext = callerWith('ADMIN');
export const viewer: UserContext = callerWith('VIEWER');
/** Wrote as an editor, and is one no more. */
export const formerEditor: UserContext = callerWith('VIEWER', idOf(editor));
export const client: UserContext = { clientId: 'robot', scopes: ['write:data'] };

const POST = 'id title body tags metadata published createdAt updatedAt author { id }';

/** A post as mutations return it. */
export interface ReturnedPost {
  readonly id: string;
  readonly title: string;
  readonly published: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface Created {
  readonly post: ReturnedPost;
  readonly success: boolean;
  readonly errors: readonly object[];
}

interface Retry {
  readonly idempotencyKey?: string;
}

type Errors = readonly ResponseError[];

/** The codes of errors, in their order. */
export function codes(errors: Errors): readonly unknown[] {
  return errors.map(({ extensions }) => extensions['code']);
}

/** An event as it waits in the outbox. */
export interface OutboxEvent {
  readonly type: string;
  readonly subject: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The posts subgraph, and its mutations as functions. An editor sends them, unless a test says otherwise. */
export class TestPosts {
  readonly pool: Pool;
  readonly ask: TestSubgraph['ask'];
  readonly #subgraph: TestSubgraph;

  private constructor(subgraph: TestSubgraph) {
    this.#subgraph = subgraph;
    this.pool = subgraph.pool;
    this.ask = (question) => subgraph.ask(question);
  }

  static async start(): Promise<TestPosts> {
    const migrations = new URL('../../migrations/', import.meta.url);
    return new TestPosts(await startTestSubgraph({ service: 'posts', migrations, buildServer }));
  }

  /** Leaves no post, no event and no idempotency key. */
  async empty(): Promise<void> {
    await this.pool.query('TRUNCATE post, outbox, idempotent_answer');
  }

  async create(
    input: object,
    as: UserContext = editor,
    retry: Retry = {},
  ): Promise<{ readonly result: Created | undefined; readonly errors: Errors }> {
    const { data, errors } = await this.ask<{ createPost: Created } | null>({
      query: `mutation ($input: CreatePostInput!) { createPost(input: $input)
      { success errors { field message code } post { ${POST} } } }`,
      variables: { input },
      as,
      ...retry,
    });
    return { result: data?.createPost, errors };
  }

  /** A new post that is like no other. */
  async createdPost(input: object = {}, as: UserContext = editor): Promise<ReturnedPost> {
    const { result, errors } = await this.create({ title: `T ${createId()}`, body: 'B', ...input }, as);
    if (!result || errors.length > 0) throw new Error(`No post was made: ${JSON.stringify(errors)}`);
    return result.post;
  }

  async update(
    id: string,
    input: object,
    as: UserContext = editor,
    retry: Retry = {},
  ): Promise<{ readonly post: ReturnedPost | null | undefined; readonly errors: Errors }> {
    const { data, errors } = await this.ask<{ updatePost: ReturnedPost | null }>({
      query: `mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { ${POST} } }`,
      variables: { id, input },
      as,
      ...retry,
    });
    return { post: data?.updatePost, errors };
  }

  async remove(
    id: string,
    as: UserContext = editor,
    retry: Retry = {},
  ): Promise<{ readonly deleted: boolean | undefined; readonly errors: Errors }> {
    const query = 'mutation ($id: ID!) { deletePost(id: $id) }';
    const { data, errors } = await this.ask<{ deletePost: boolean } | null>({
      query,
      variables: { id },
      as,
      ...retry,
    });
    return { deleted: data?.deletePost, errors };
  }

  async countPosts(): Promise<number | null> {
    return (await this.pool.query('SELECT FROM post')).rowCount;
  }

  /** What was published, in its order. */
  async events(): Promise<readonly OutboxEvent[]> {
    const columns = { type: 'text', subject: 'uuid', payload: 'json' } as const;
    const list = 'SELECT type, subject, payload FROM outbox ORDER BY position';
    const rows = await queryChecked(this.pool, columns, list);
    return rows.map((row) => ({ ...row, payload: row.payload as Record<string, unknown> })); // of our own events
  }

  /** The row of a post. */
  async stored(id: string): Promise<Record<string, unknown> | undefined> {
    return (await this.pool.query('SELECT * FROM post WHERE id = $1', [id])).rows[0] as
      Record<string, unknown> | undefined;
  }

  async close(): Promise<void> {
    await this.#subgraph.close();
  }
}

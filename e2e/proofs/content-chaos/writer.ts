import type { Random } from '@trellis/demo-data';
import type { Ledger } from './ledger.ts';
import type { MutationOutcome, Sender } from './send-mutation.ts';

/** What a writer works with. */
export interface WriterOptions {
  readonly userId: string;
  readonly random: Random;
  readonly sender: Sender;
  /** Shared by all writers. */
  readonly ledger: Ledger;
  /** Resolves to false when there is nothing more to do. */
  readonly mayGoOn: () => Promise<boolean>;
}

type Step = (options: WriterOptions, own: Own) => Promise<void>;

/** What this writer has made, and no one else changes. */
interface Own {
  readonly posts: string[];
  readonly comments: string[];
  written: number;
}

/** Long enough for events to fill pages, short enough to stay in them. */
const BODY = 'Words. '.repeat(200);

/** Of a hundred mutations, how many are of each kind. */
const MIX: readonly (readonly [share: number, step: Step])[] = [
  [5, createUser],
  [30, createPost],
  [20, updatePost],
  [4, deletePost],
  [28, addComment],
  [9, editComment],
  [4, deleteComment],
];

/** Writes until stopped, and enters in the ledger what mutations returned. A step that has nothing to work on makes a post. */
export async function write(options: WriterOptions): Promise<void> {
  const own: Own = { posts: [], comments: [], written: 0 };
  while (await options.mayGoOn()) {
    await chooseStep(options.random)(options, own);
    options.ledger.acknowledged += 1;
  }
}

function chooseStep(random: Random): Step {
  let number = random.below(100);
  return MIX.find(([share]) => (number -= share) < 0)?.[1] ?? createPost;
}

async function createUser({ userId, sender, ledger }: WriterOptions, own: Own): Promise<void> {
  const name = nextText(userId, own);
  const outcome = await sender.send({
    service: 'users',
    query: 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }',
    variables: { input: { name } },
  });
  ledger.saveUser((resultOf(outcome, 'createUser') as { id: string }).id, name);
}

async function createPost({ userId, sender, ledger }: WriterOptions, own: Own): Promise<void> {
  const title = nextText(userId, own);
  const outcome = await sender.send({
    service: 'posts',
    query: 'mutation ($input: CreatePostInput!) { createPost(input: $input) { success post { id } } }',
    variables: { input: { title, body: BODY } },
  });
  const { success, post } = resultOf(outcome, 'createPost') as { success: boolean; post: { id: string } };
  if (!success) throw new Error(`"${title}" was made twice.`);
  ledger.savePost(post.id, { authorId: userId, title, published: true });
  own.posts.push(post.id);
}

async function updatePost(options: WriterOptions, own: Own): Promise<void> {
  const { userId, random, sender, ledger } = options;
  if (own.posts.length === 0) return createPost(options, own);
  const id = random.pick(own.posts);
  const input = { title: nextText(userId, own), published: !random.chance(0.1) };
  const outcome = await sender.send({
    service: 'posts',
    query: 'mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { title } }',
    variables: { id, input },
  });
  const { title } = resultOf(outcome, 'updatePost') as { title: string };
  ledger.savePost(id, { authorId: userId, title, published: input.published });
}

async function deletePost(options: WriterOptions, own: Own): Promise<void> {
  if (own.posts.length === 0) return createPost(options, own);
  const [id = ''] = own.posts.splice(options.random.below(own.posts.length), 1);
  const outcome = await options.sender.send({
    service: 'posts',
    query: 'mutation ($id: ID!) { deletePost(id: $id) }',
    variables: { id },
  });
  if (!resultOf(outcome, 'deletePost')) throw new Error(`The post ${id} was gone already.`);
  options.ledger.deletePost(id);
}

async function addComment(options: WriterOptions, own: Own): Promise<void> {
  const { userId, random, sender, ledger } = options;
  if (ledger.posts.size === 0) return createPost(options, own);
  const postId = random.pick([...ledger.posts.keys()].slice(-200));
  const body = nextText(userId, own);
  const outcome = await sender.send({
    service: 'comments',
    query: 'mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { id } }',
    variables: { postId, body },
  });
  if (outcome.codes.includes('BAD_USER_INPUT')) return; // someone has deleted the post meanwhile
  const { id } = resultOf(outcome, 'addComment') as { id: string };
  ledger.saveComment(id, { postId, body });
  own.comments.push(id);
}

async function editComment(options: WriterOptions, own: Own): Promise<void> {
  const { userId, random, sender, ledger } = options;
  if (own.comments.length === 0) return addComment(options, own);
  const id = random.pick(own.comments);
  const body = nextText(userId, own);
  const outcome = await sender.send({
    service: 'comments',
    query: 'mutation ($id: ID!, $body: String!) { editComment(id: $id, body: $body) { id } }',
    variables: { id, body },
  });
  const comment = ledger.comments.get(id);
  if (outcome.data?.['editComment'] && comment) ledger.saveComment(id, { ...comment, body });
  else requireDeletedPost(options, id);
}

async function deleteComment(options: WriterOptions, own: Own): Promise<void> {
  if (own.comments.length === 0) return addComment(options, own);
  const [id = ''] = own.comments.splice(options.random.below(own.comments.length), 1);
  const outcome = await options.sender.send({
    service: 'comments',
    query: 'mutation ($id: ID!) { deleteComment(id: $id) }',
    variables: { id },
  });
  if (resultOf(outcome, 'deleteComment')) options.ledger.deleteComment(id);
  else requireDeletedPost(options, id);
}

/** A comment that was written and is not found must have gone with its post, by now or a moment later in the ledger. */
function requireDeletedPost({ ledger }: WriterOptions, commentId: string): void {
  const postId = ledger.comments.get(commentId)?.postId ?? '';
  ledger.missedPosts.add(postId);
}

/** What the field was answered with; the query says what is in it. */
function resultOf({ data, codes }: MutationOutcome, field: string): unknown {
  const result = data?.[field];
  if (result === null || result === undefined) throw new Error(`${field} was rejected: ${codes.join(', ')}`);
  return result;
}

/** Never the same twice, so that every change changes something. */
function nextText(userId: string, own: Own): string {
  own.written += 1;
  return `${userId} ${own.written}`;
}

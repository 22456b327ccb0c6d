import { demoAccounts } from './demo-accounts.ts';
import { DEMO_END_MS, demoId, demoTime } from './demo-ids.ts';
import { familyNames, givenNames } from './people.ts';
import { createRandom, type Random } from './random.ts';
import { demoBody, demoComment, demoTitle } from './sentences.ts';
import { topics, type Topic } from './topics.ts';

/** A profile of the users subgraph. */
export interface DemoUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: 'ADMIN' | 'EDITOR' | 'VIEWER';
  readonly createdAt: Date;
}

/** A post of the posts subgraph. */
export interface DemoPost {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string | number>> | null;
  readonly published: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A comment of the comments subgraph. */
export interface DemoComment {
  readonly id: string;
  readonly postId: string;
  readonly authorId: string;
  readonly body: string;
  readonly edited: boolean;
  readonly createdAt: Date;
}

/** What a first start in development holds. Oldest first; the ids are UUID v7 and carry `createdAt`. */
export interface DemoContent {
  readonly users: readonly DemoUser[];
  readonly posts: readonly DemoPost[];
  readonly comments: readonly DemoComment[];
}

const USERS = 220;
const POSTS = 320;
const COMMENTS = 900;
const DAYS = 243;

interface Subject {
  readonly post: DemoPost;
  readonly topic: Topic;
}

/** Makes the same content at every call: {@link demoAccounts} and others, posts (one in twelve a draft) and comments. */
export function createDemoContent(): DemoContent {
  const random = createRandom(20_250_101);
  const users = [...demoAccounts.map(accountUser), ...madeUpUsers(random)];
  const subjects = Array.from({ length: POSTS }, (_, index) => createSubject(index, users, random));
  const comments = Array.from({ length: COMMENTS }, () => createComment(subjects, users, random));
  return { users, posts: sortById(subjects.map(({ post }) => post)), comments: sortById(comments) };
}

function accountUser(account: (typeof demoAccounts)[number]): DemoUser {
  const createdAt = new Date(Number.parseInt(account.id.replace('-', '').slice(0, 12), 16));
  return { ...account, createdAt };
}

function madeUpUsers(random: Random): readonly DemoUser[] {
  const names = random.sample(
    givenNames.flatMap((given) => familyNames.map((family) => ({ given, family }))),
    USERS - demoAccounts.length,
  );
  return sortById(names.map(({ given, family }, index) => createUser(given, family, index, random)));
}

function createUser(given: string, family: string, index: number, random: Random): DemoUser {
  const createdAt = demoTime(random, 1, 60);
  return {
    id: demoId(createdAt, random),
    name: `${given} ${family}`,
    email: `${asciiLetters(given)}.${asciiLetters(family)}@example.com`,
    role: index % 10 === 0 ? 'EDITOR' : 'VIEWER',
    createdAt,
  };
}

/** Every demo account that may write is an author early on, so that the first query in the README shows something. */
function createSubject(index: number, users: readonly DemoUser[], random: Random): Subject {
  const authors = users.filter(({ role }) => role !== 'VIEWER');
  const author = index % 9 === 0 ? (authors[index % 2] as DemoUser) : random.pick(authors); // the first two are demo accounts
  const topic = random.pick(topics);
  const createdAt = demoTime(random, 60, DAYS - 30);
  const post: DemoPost = {
    id: demoId(createdAt, random),
    authorId: author.id,
    title: demoTitle(topic, random),
    body: demoBody(topic, random),
    tags: [topic.tag, ...random.sample(topic.related, random.below(3))],
    metadata: random.chance(0.3) ? { readingMinutes: 1 + random.below(6), series: topic.tag } : null,
    published: index % 12 !== 5,
    createdAt,
    updatedAt: random.chance(0.2) ? laterThan(createdAt, random) : createdAt,
  };
  return { post, topic };
}

/** The square makes a few posts much discussed and leaves many with little; drafts get no comments. */
function createComment(
  subjects: readonly Subject[],
  users: readonly DemoUser[],
  random: Random,
): DemoComment {
  const open = subjects.filter(({ post }) => post.published);
  const { post, topic } = open[Math.floor((random.below(1_000) / 1_000) ** 2 * open.length)] as Subject; // below 1 times the length
  const createdAt = laterThan(post.createdAt, random);
  return {
    id: demoId(createdAt, random),
    postId: post.id,
    authorId: random.pick(users).id,
    body: demoComment(topic, random),
    edited: random.chance(0.1),
    createdAt,
  };
}

function laterThan(time: Date, random: Random): Date {
  return new Date(time.getTime() + 60_000 + random.below(DEMO_END_MS - time.getTime() - 60_000));
}

function asciiLetters(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase();
}

function sortById<Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

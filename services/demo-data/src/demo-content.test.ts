import { validate, version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { demoAccounts } from './demo-accounts.ts';
import { createDemoContent } from './demo-content.ts';

const { users, posts, comments } = createDemoContent();
const everything = [...users, ...posts, ...comments];

/** Milliseconds since 1970 in a UUID v7 (RFC 9562 §5.7). */
const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

describe('the demo content', () => {
  it('is the same at every start', () => {
    expect(createDemoContent()).toEqual({ users, posts, comments });
  });

  it('holds a few hundred of each', () => {
    expect([users.length, posts.length, comments.length]).toEqual([220, 320, 900]);
  });

  it('has UUID v7 ids that are unique and carry the time of creation', () => {
    expect(new Set(everything.map(({ id }) => id)).size).toBe(everything.length);
    for (const { id, createdAt } of everything) {
      expect([validate(id), version(id), timeOf(id)]).toEqual([true, 7, createdAt.getTime()]);
    }
  });

  it('has a profile for each demo account, with its name, e-mail and role', () => {
    for (const account of demoAccounts) expect(users).toContainEqual(expect.objectContaining(account));
  });

  it('has e-mail addresses that are unique', () => {
    expect(new Set(users.map(({ email }) => email)).size).toBe(users.length);
  });

  it('has no posts by viewers', () => {
    const roles = new Map(users.map(({ id, role }) => [id, role]));
    expect(posts.filter(({ authorId }) => !['ADMIN', 'EDITOR'].includes(roles.get(authorId) ?? ''))).toEqual(
      [],
    );
  });

  it('gives the demo accounts that may write both published posts and drafts', () => {
    const [ada, ed] = demoAccounts;
    for (const account of [ada, ed]) {
      const kinds = new Set(
        posts.filter(({ authorId }) => authorId === account?.id).map(({ published }) => published),
      );
      expect(kinds).toEqual(new Set([true, false]));
    }
  });

  it('has comments on published posts alone, by known users, after the post', () => {
    const published = new Map(posts.filter((post) => post.published).map((post) => [post.id, post]));
    const known = new Set(users.map(({ id }) => id));
    for (const { postId, authorId, createdAt } of comments) {
      expect(published.get(postId)?.createdAt.getTime()).toBeLessThan(createdAt.getTime());
      expect(known.has(authorId)).toBe(true);
    }
  });

  it('varies its titles and bodies', () => {
    expect(new Set(posts.map(({ title }) => title)).size).toBeGreaterThan(150);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(posts.length);
  });
});

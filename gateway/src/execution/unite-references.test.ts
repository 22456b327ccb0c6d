import { describe, expect, it } from 'vitest';
import type { DataObject } from './failure.ts';
import { unitedTargetsAt } from './equal-objects.ts';

const path = ['posts', '@', 'author'];
const keys = ['__typename', 'id'];

function authors(root: DataObject): unknown[] {
  return (root['posts'] as DataObject[]).map(({ author }) => author);
}

function posts(...all: unknown[]): DataObject {
  return { posts: all.map((author) => ({ author })) };
}

describe('objects at a path', () => {
  it('that are equal in their keys become one, in all places', () => {
    const [first, second, other] = [user('1'), user('1'), user('2')];
    const root = posts(first, other, second);
    expect(unitedTargetsAt(root, path, keys)).toEqual([user('1'), user('2')]);
    expect(authors(root).map((author) => author === first)).toEqual([true, false, true]);
  });

  it('differ where a value differs in its type alone', () => {
    const root = posts(user('1'), { __typename: 'User', id: 1 }, { __typename: 'Bot', id: '1' });
    expect(unitedTargetsAt(root, path, keys)).toHaveLength(3);
  });

  it('stay as they are where a value is missing, or no plain one', () => {
    const [missing, list] = [{ __typename: 'User' }, { __typename: 'User', id: ['1'] }];
    const root = posts(missing, { ...missing }, list, { ...list }, null, 'text');
    expect(unitedTargetsAt(root, path, keys)).toHaveLength(4);
    expect(authors(root).slice(4)).toEqual([null, 'text']);
  });

  it('may be the elements of lists of lists', () => {
    const root = { rows: [[user('1'), user('2')], null, [user('1')]] };
    expect(unitedTargetsAt(root, ['rows', '@', '@'], keys)).toHaveLength(2);
    expect(root.rows[2]?.[0]).toBe(root.rows[0]?.[0]);
  });

  it('are not looked for in what objects inherit', () => {
    expect(unitedTargetsAt({}, ['constructor', 'prototype'], keys)).toEqual([]);
  });
});

function user(id: string): DataObject {
  return { __typename: 'User', id };
}

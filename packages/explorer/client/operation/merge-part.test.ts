import { describe, expect, it } from 'vitest';
import { mergePart } from './merge-part.ts';

describe('A part of a response', () => {
  const first = {
    data: { post: { title: 'Tidings', author: { name: 'Ada' }, tags: [{ id: 1 }, { id: 2 }] } },
  };

  it('is the response where it is the first', () => {
    expect(mergePart(undefined, { ...first, hasNext: true })).toEqual(first);
  });

  it('adds what was deferred at its path, and leaves what was drawn before as it was', () => {
    const whole = mergePart(first, {
      incremental: [{ path: ['post'], data: { rating: 5, author: { name: 'Ada', fame: 7 } } }],
      hasNext: false,
    });
    expect(whole.data).toEqual({
      post: { title: 'Tidings', rating: 5, author: { name: 'Ada', fame: 7 }, tags: [{ id: 1 }, { id: 2 }] },
    });
    expect(first.data.post).not.toHaveProperty('rating');
  });

  it('adds to one element of a list', () => {
    const { data } = mergePart(first, { incremental: [{ path: ['post', 'tags', 1], data: { name: 'b' } }] });
    expect(data).toMatchObject({ post: { tags: [{ id: 1 }, { id: 2, name: 'b' }] } });
  });

  it('that failed adds its errors and no data; extensions of the last part are those of the response', () => {
    const item = { path: ['post'], data: null, errors: [{ message: 'No.' }] };
    const whole = mergePart(
      { ...first, errors: [{ message: 'First.' }] },
      { incremental: [item], extensions: { a: 1 } },
    );
    expect(whole.data).toEqual(first.data);
    expect(whole.errors?.map(({ message }) => message)).toEqual(['First.', 'No.']);
    expect(whole.extensions).toEqual({ a: 1 });
  });

  it('adds items to a list that is streamed', () => {
    const { data } = mergePart(first, { incremental: [{ path: ['post', 'tags', 2], items: [{ id: 3 }] }] });
    expect(data).toMatchObject({ post: { tags: [{ id: 1 }, { id: 2 }, { id: 3 }] } });
    const failed = { path: ['post', 'tags', 2], items: null, errors: [{ message: 'No.' }] };
    expect(mergePart(first, { incremental: [failed] }).data).toEqual(first.data);
  });

  it('has no effect at a path that does not exist', () => {
    expect(mergePart(first, { incremental: [{ path: ['gone', 3, 'x'], data: { a: 1 } }] }).data).toEqual({
      ...first.data,
      gone: undefined,
    });
  });

  it('takes names of prototypes for plain names', () => {
    const data = JSON.parse('{"__proto__":{"polluted":true}}') as unknown;
    mergePart({ data: {} }, { incremental: [{ path: [], data }] });
    expect({}).not.toHaveProperty('polluted');
  });
});

import { COMMENT_DELETED, COMMENT_SAVED } from '@trellis/content-events';
import { createId } from '@trellis/subgraph-kit';
import { describe, expect, it } from 'vitest';
import { changesOf } from './comment-changes.ts';

const [id, postId] = [createId(), createId()];
const saved = { id, postId, authorId: createId(), body: 'B', edited: false };
const comment = { type: 'TextComment', id };
const post = { type: 'Post', id: postId };

describe('What responses show otherwise', () => {
  it.each([
    ['a comment is new', COMMENT_SAVED, { ...saved, announced: true }, [comment, post]],
    ['its words have changed', COMMENT_SAVED, { ...saved, announced: false }, [comment]],
    ['it is gone', COMMENT_DELETED, { id, postId }, [comment, post]],
    ['something else has happened', 'comment.liked', {}, []],
  ])('since %s', (_name, type, payload, changes) => {
    const event = { seq: 1, id: createId(), type, subject: id, payload, occurredAt: new Date() };
    expect(changesOf(event)).toEqual(changes);
  });
});

import { expect, it } from 'vitest';
import { applyBatches } from './apply-batches.ts';
import type { SequencedEvent } from './domain-event.ts';

const event = (type: string, subject: string, payload: number): SequencedEvent => ({
  seq: payload,
  id: String(payload),
  type,
  subject,
  payload,
  occurredAt: new Date(0),
});

it('Events are applied in order, those of different subjects in one go, and none is left out', async () => {
  const done: unknown[] = [];
  const events = [
    event('saved', 'a', 1),
    event('saved', 'b', 2),
    event('saved', 'a', 3),
    event('deleted', 'b', 4),
    event('unknown', 'c', 5),
    event('saved', 'b', 6),
  ];
  await applyBatches(events, {
    readSaved: ({ type, payload }) => (type === 'saved' ? payload : undefined),
    save: (things) => Promise.resolve(void done.push(things)),
    applyOther: ({ type, subject }) => Promise.resolve(void done.push(`${type} ${subject}`)),
  });
  expect(done).toEqual([[1, 2], [3], 'deleted b', 'unknown c', [6]]);
});

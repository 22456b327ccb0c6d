import { describe, expect, it } from 'vitest';
import type { IntrospectionQuestion } from '../plan/introspection-question.ts';
import { IntrospectionPlaces } from './introspection-places.ts';

const ask = (name: string): IntrospectionQuestion => ({
  field: `__type(name: "${name}")`,
  selections: '{name}',
  variables: [],
});

describe('Places of introspection', () => {
  it('are the same for questions with the same text, and others for others', () => {
    const places = new IntrospectionPlaces();
    const [first, second, again] = [ask('A'), ask('B'), ask('A')].map((question) => places.placeOf(question));
    expect(again).toBe(first);
    expect([first?.endsWith(':0'), second?.endsWith(':1')]).toEqual([true, true]);
    expect(places.placeOf(ask('C')).endsWith(':2')).toBe(true);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { IntrospectionQuestion, Introspector } from '../plan/introspection-question.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import { IntrospectionPlaces } from './introspection-places.ts';

const sdl = readFileSync(new URL('../../../graph/supergraph.graphql', import.meta.url), 'utf8');
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

  it('are filled with what is asked of them alone: no part of a response asks for what another has', async () => {
    const places = new IntrospectionPlaces();
    const [first = '', second = ''] = [ask('A'), ask('B')].map((question) => places.placeOf(question));
    const asked: string[] = [];
    const introspector: Introspector = {
      introspect({ text }) {
        asked.push(text.slice(0, '{__type(name: "A"'.length));
        return `{"name":${asked.length}}`;
      },
    };
    const { signal } = new AbortController();
    const supergraph = buildSupergraph(sdl);
    const run = { supergraph, context: { variables: {}, introspector, signal } };
    const parts = ['{"rest":1}', `{"a":"${first}","b":"${first}"}`, `{"c":"${second}"}`];
    const filled: string[] = [];
    for (const part of parts) filled.push(await places.fill(part, run));
    expect(filled).toEqual(['{"rest":1}', '{"a":{"name":1},"b":{"name":1}}', '{"c":{"name":2}}']);
    expect(asked).toEqual(['{__type(name: "A"', '{__type(name: "B"']);
  });
});

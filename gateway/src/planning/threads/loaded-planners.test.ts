import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { compose } from '../../testing/compose.ts';
import { LoadedPlanners } from './loaded-planners.ts';

const sdl = compose([
  {
    name: 'items',
    typeDefs: gql`
      type Query {
        item: Int
      }
    `,
  },
]);

describe('The planners of a thread', () => {
  it('are one for each supergraph, and go when it is unloaded', () => {
    const planners = new LoadedPlanners();
    planners.load('first', sdl);
    const planner = planners.of('first');
    planners.load('first', sdl);
    planners.load('second', sdl);
    expect([planners.size, planners.of('first') === planner]).toEqual([2, true]);
    planners.unload('first');
    expect(planners.size).toBe(1);
    expect(() => planners.of('first')).toThrow('The supergraph first was not loaded.');
  });
});

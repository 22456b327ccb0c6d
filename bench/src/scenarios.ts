import {
  catalogue,
  deferred,
  deferredWhole,
  distinct,
  nested,
  newOperation,
  single,
  threeHops,
  type Operation,
} from './operations.ts';

/** One row group of the benchmark. */
export interface Scenario {
  readonly name: string;
  /** What the n-th request of a round asks; the warm-up is round 0. */
  readonly operation: (index: number, round: number) => Operation;
  /** What clients accept. @default application/json */
  readonly accept?: string;
  /** Where the response comes in parts: the operation that is answered at once as the parts add up. */
  readonly whole?: Operation;
  /** How many of its operations all targets are asked for before, to compare the responses. @default 1 */
  readonly compared?: number;
  readonly connections: number;
  /** Requests of one round; slow targets get fewer. */
  readonly requests: number;
  readonly authorization?: (index: number) => string;
  /** Targets that can't answer it: the floor is written for four queries. */
  readonly without?: readonly string[];
}

const differing = (index: number): string => `Bearer client-${index}`;

/** What is measured, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'nested, differing clients',
    operation: () => nested,
    connections: 32,
    requests: 600,
    authorization: differing,
  },
  {
    name: 'nested, 128 connections',
    operation: () => nested,
    connections: 128,
    requests: 1_500, // of fewer, the opening of the connections would be a part of the cost
    authorization: differing,
  },
  { name: 'nested, identical clients', operation: () => nested, connections: 32, requests: 1_000 },
  {
    name: 'three hops',
    operation: () => threeHops,
    connections: 32,
    requests: 3_000,
    authorization: differing,
  },
  {
    name: 'single fetch',
    operation: () => single,
    connections: 32,
    requests: 6_000,
    authorization: differing,
  },
  {
    name: 'list of 1 MB',
    operation: () => catalogue,
    connections: 8,
    requests: 80,
    authorization: differing,
  },
  {
    name: '1,000 distinct operations',
    operation: (index) => distinct[index % distinct.length] as Operation,
    compared: distinct.length,
    connections: 16,
    requests: 1_000,
    authorization: differing,
    without: ['floor'],
  },
  {
    name: '1,000 new operations',
    operation: (index, round) => newOperation(1_000 * (round + 1) + index),
    compared: 100,
    connections: 16,
    requests: 1_000,
    authorization: differing,
    without: ['floor'],
  },
  {
    name: '@defer, two parts',
    operation: () => deferred,
    whole: deferredWhole,
    accept: 'multipart/mixed;deferSpec=20220824',
    connections: 32,
    requests: 2_000,
    authorization: differing,
    without: ['floor'],
  },
];

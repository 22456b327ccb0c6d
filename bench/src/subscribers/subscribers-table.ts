import { markdownTable } from '../markdown-table.ts';
import type { SubscriberCost } from './measure-subscribers.ts';

const HEAD = [
  'gateway',
  'subscriptions upstream',
  'fetches per event',
  'CPU per delivery, µs',
  'memory per client, KB',
  'last client after, ms',
];

/** What ours may cost at most, whatever the others do. */
const GOALS: readonly {
  readonly text: string;
  readonly of: (cost: SubscriberCost) => number;
  readonly limit: number;
}[] = [
  { text: 'subscriptions upstream', of: (cost) => cost.upstreamSubscriptions, limit: 1 },
  { text: 'fetches per event', of: (cost) => cost.fetchesPerEvent, limit: 1 },
  { text: 'CPU per delivery, µs', of: (cost) => cost.microsecondsPerDelivery, limit: 12 },
  { text: 'memory per client, KB', of: (cost) => cost.kilobytesPerClient, limit: 40 },
];

/** The costs as a table in Markdown, a line for each gateway, and one that says of each goal whether ours meets it. */
export function formatSubscribers(costs: readonly SubscriberCost[]): string {
  const table = markdownTable(HEAD, costs.map(cellsOf));
  const ours = costs.find(({ target }) => target === 'trellis');
  return ours ? `${table}\n\n${formatGoals(ours)}` : table;
}

function cellsOf(cost: SubscriberCost): string[] {
  return [
    cost.target,
    String(cost.upstreamSubscriptions),
    String(cost.fetchesPerEvent),
    cost.microsecondsPerDelivery.toFixed(1),
    cost.kilobytesPerClient.toFixed(0),
    cost.lastDeliveryMs.toFixed(0),
  ];
}

function formatGoals(ours: SubscriberCost): string {
  const rows = GOALS.map(({ text, of, limit }) => [
    text,
    of(ours).toFixed(1),
    String(limit),
    of(ours) <= limit ? 'met' : 'not met',
  ]);
  return markdownTable(['goal', 'measured', 'at most', 'verdict'], rows);
}

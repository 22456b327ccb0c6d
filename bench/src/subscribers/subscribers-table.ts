import type { SubscriberCost } from './measure-subscribers.ts';

/** The costs as a table in Markdown, a line for each gateway. */
export function formatSubscribers(costs: readonly SubscriberCost[]): string {
  const head =
    '| Gateway | Subscriptions upstream | Fetches per event | CPU per delivery, µs | Memory per client, KB | Last client after, ms |';
  const lines = costs.map((cost) =>
    [
      '',
      cost.target,
      cost.upstreamSubscriptions,
      cost.fetchesPerEvent,
      cost.microsecondsPerDelivery.toFixed(1),
      cost.kilobytesPerClient.toFixed(0),
      cost.lastDeliveryMs.toFixed(0),
      '',
    ]
      .join(' | ')
      .trim(),
  );
  return [head, '| --- | --- | --- | --- | --- | --- |', ...lines].join('\n');
}

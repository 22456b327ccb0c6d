import type { Metrics } from '@trellis/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';

/** What a feed counts. */
export interface FeedMetrics {
  readonly begun: Counter<'topic'>;
  readonly subscribers: Gauge<'topic'>;
  readonly delivered: Counter<'topic'>;
  readonly overrun: Counter<'topic'>;
  readonly delay: Histogram;
}

const DELAY_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics of the feeds of a process; further feeds share them. */
export function createFeedMetrics(metrics: Metrics): FeedMetrics {
  const registers = [metrics];
  const labelNames = ['topic'] as const;
  return {
    begun: shared(metrics, 'trellis_subscriptions_total', (name) => {
      return new Counter({ name, help: 'Subscriptions started, by topic.', labelNames, registers });
    }),
    subscribers: shared(metrics, 'trellis_subscribers', (name) => {
      return new Gauge({ name, help: 'Open subscriptions, by topic.', labelNames, registers });
    }),
    delivered: shared(metrics, 'trellis_subscription_events_total', (name) => {
      return new Counter({ name, help: 'Events delivered to subscribers, by topic.', labelNames, registers });
    }),
    overrun: shared(metrics, 'trellis_subscription_overruns_total', (name) => {
      const help = 'Subscriptions that ended because their events were not taken fast enough, by topic.';
      return new Counter({ name, help, labelNames, registers });
    }),
    delay: shared(metrics, 'trellis_subscription_delay_seconds', (name) => {
      const help = 'Time from a change to its being given to subscribers, of the newest event of each batch.';
      return new Histogram({ name, help, buckets: DELAY_BUCKETS_S, registers });
    }),
  };
}

function shared<Metric>(metrics: Metrics, name: string, make: (name: string) => Metric): Metric {
  return (metrics.getSingleMetric(name) as Metric | undefined) ?? make(name); // it was registered here
}

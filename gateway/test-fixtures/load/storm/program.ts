import type { BlowRequest, EventCounts, StormRequest } from './messages.ts';
import { startPlainNews } from './plain-news.ts';
import { TopicSubscribers } from './topic-subscribers.ts';

// The subgraphs of a news desk and those who listen to it, in a process of their own: what they cost is not counted for anybody else.

/** Portions a second: events of a storm do not come all in one moment. */
const PORTIONS_PER_SECOND = 20;

const news = await startPlainNews();
const subscribers = new TopicSubscribers();
let timer: NodeJS.Timeout | undefined;
let published = 0;

process.on('message', (request: StormRequest) => {
  if (request.kind === 'subscribe') void subscribers.open(request).then(() => process.send?.('subscribed'));
  else if (request.kind === 'blow') blow(request);
  else process.send?.({ published, delivered: subscribers.delivered } satisfies EventCounts);
});
process.once('disconnect', () => process.exit()); // it does not outlive the proof
process.send?.(news.subgraphs);

function blow({ topics, perSecond }: BlowRequest): void {
  clearInterval(timer);
  if (perSecond === 0) return;
  const portion = Math.max(1, Math.round((topics * perSecond) / PORTIONS_PER_SECOND));
  timer = setInterval(() => {
    for (let index = 0; index < portion; index += 1) {
      published += 1;
      news.publish(`topic-${published % topics}`, String(published));
    }
  }, 1_000 / PORTIONS_PER_SECOND);
}

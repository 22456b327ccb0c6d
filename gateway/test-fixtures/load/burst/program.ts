import { createAddressedClient } from '../ask-from.ts';
import type { BurstReport, BurstRequest } from './messages.ts';

// Sends bursts from a process of its own: what sending costs delays no request whose latency is measured.

process.on('message', (request: BurstRequest) => {
  void send(request).then((report) => process.send?.(report));
});
process.send?.('ready');

async function send({ url, queries }: BurstRequest): Promise<BurstReport> {
  const client = createAddressedClient(url);
  const statuses = new Map<number, number>();
  await Promise.all(
    queries.map(async ({ query, localAddress }) => {
      const status = await client.ask(query, localAddress).then(
        (response) => response.status,
        () => 0,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
  );
  client.close();
  return [...statuses];
}

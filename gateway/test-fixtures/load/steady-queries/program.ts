import { setTimeout as sleep } from 'node:timers/promises';
import { gql } from 'graphql-tag';
import { startSubgraph } from '../../../src/testing/subgraph-server.ts';
import { addressOf, createAddressedClient } from '../ask-from.ts';
import { startLoad, type LoadReport } from '../open-loop.ts';
import type { QueriedSubgraph, SteadyQueriesRequest } from './messages.ts';

// Sends queries and answers them for the gateway, and does nothing else, so that no work of a proof delays what is measured.

const { name, url, typeDefs } = await startSubgraph({
  name: 'shop',
  typeDefs: gql`
    type Query {
      stock(key: Int): Int
    }
  `,
  resolvers: { Query: { stock: () => 1 } },
});

process.on('message', (request: SteadyQueriesRequest) => {
  void query(request).then((report) => process.send?.(report));
});
process.once('disconnect', () => process.exit()); // it does not outlive the proof
process.send?.({ name, url, typeDefs } satisfies QueriedSubgraph);

async function query({ url, perSecond, durationMs, networks }: SteadyQueriesRequest): Promise<LoadReport> {
  const client = createAddressedClient(url);
  const send = async (number: number): Promise<void> => {
    const { text } = await client.ask(`{ stock(key: ${number % 10}) }`, addressOf(number % networks));
    if (text.trim() !== '{"data":{"stock":1}}') throw new Error(text);
  };
  for (let network = 0; network < networks; network += 1) await send(network); // connects
  const load = startLoad({ perSecond, send });
  await sleep(durationMs);
  const report = await load.stop();
  client.close();
  return report;
}

import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { compose } from '../src/testing/compose.ts';
import { startSubgraph } from '../src/testing/subgraph-server.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/gateway-process.ts';
import { addressOf, createAddressedClient, type AddressedClient } from '../test-fixtures/load/ask-from.ts';

const RESPONSE_BYTES = 4_000_000;
const SIZES = {
  // where the bound is small, what a runtime has not collected yet is much beside it
  small: { clients: 40, boundBytes: 48_000_000, maxGrownBytes: 120_000_000, watchMs: 100 },
  full: { clients: 150, boundBytes: 134_217_728, maxGrownBytes: 134_217_728, watchMs: 20_000 },
} as const;

const SAMPLE_MS = 20;
const AT_ONCE = 10;
const ASK_DEADLINE_MS = 60_000;
/** What a runtime needs for large responses, however they are read, it has after so many. */
const WARM_UP = 30;

/** G7: who asks and does not read holds a bounded part of the process. */
proof({
  name: 'unread-responses',
  description:
    'Clients that ask for megabytes and read nothing make the gateway grow by less than the bound on unread bytes.',
  async run({ size }) {
    const { clients, boundBytes, maxGrownBytes, watchMs } = SIZES[size];
    const stage = await openStage(boundBytes);
    try {
      const ofOne = await stage.grownBy(clients, watchMs, () => '127.0.0.1');
      const ofMany = await stage.grownBy(clients, watchMs, (index) => addressOf(index));
      const most = Math.max(ofOne.grownBytes, ofMany.grownBytes);
      const cutOff = ofOne.cutOff + ofMany.cutOff;
      return {
        passed: most < maxGrownBytes && cutOff > 0 && ofOne.isResponding && ofMany.isResponding,
        figures: {
          clients,
          askedForMb: Math.round((clients * RESPONSE_BYTES) / 1e6),
          boundMb: Math.round(boundBytes / 1e6),
          grownByOneAddressMb: Math.round(ofOne.grownBytes / 1e6),
          grownByManyNetworksMb: Math.round(ofMany.grownBytes / 1e6),
          cutOff,
          othersAnswered: ofOne.isResponding && ofMany.isResponding ? 'yes' : 'no',
        },
      };
    } finally {
      await stage.close();
    }
  },
});

interface Grown {
  readonly grownBytes: number;
  readonly cutOff: number;
  /** Whether someone else was answered meanwhile. */
  readonly isResponding: boolean;
}

interface Stage {
  grownBy(clients: number, watchMs: number, addressFor: (index: number) => string): Promise<Grown>;
  close(): Promise<void>;
}

async function openStage(boundBytes: number): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const text = 'x'.repeat(RESPONSE_BYTES);
  const subgraph = await startSubgraph({
    name: 'big',
    typeDefs: gql`
      type Query {
        big(key: Int): String
        small: String
      }
    `,
    resolvers: { Query: { big: () => text, small: () => 'y' } },
  });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([subgraph]));
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(settings, `{ http: { unread: { bytes: ${boundBytes} } } }`);
  const gateway = await startGatewayProcess({ SUPERGRAPH: file, CONFIG: settings });
  const client = createAddressedClient(gateway.url);
  for (let index = 0; index < WARM_UP; index += 1) await client.ask(`{ big(key: ${index}) }`, '127.0.0.1');
  return {
    grownBy: (clients, watchMs, addressFor) => grownBy(gateway, client, { clients, watchMs, addressFor }),
    async close() {
      client.close();
      await gateway.stop();
      await subgraph.close();
      directory.remove();
    },
  };
}

interface Attack {
  readonly clients: number;
  readonly watchMs: number;
  readonly addressFor: (index: number) => string;
}

async function grownBy(gateway: GatewayProcess, client: AddressedClient, attack: Attack): Promise<Grown> {
  const before = gateway.residentBytes();
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, gateway.residentBytes())), SAMPLE_MS);
  const cutOffBefore = await cutOffs(gateway);
  const sockets: Socket[] = [];
  for (let index = 0; index < attack.clients; index += 1) {
    sockets.push(askAndReadNothing(gateway, index, attack.addressFor(index)));
    if (index % AT_ONCE === AT_ONCE - 1) await untilResponding(sockets);
  }
  await untilResponding(sockets);
  await sleep(attack.watchMs);
  const { text } = await client.ask('{ small }', '127.250.0.1');
  clearInterval(sampling);
  const cutOff = (await cutOffs(gateway)) - cutOffBefore;
  for (const socket of sockets) socket.destroy();
  return { grownBytes: most - before, cutOff, isResponding: text === '{"data":{"small":"y"}}' };
}

async function cutOffs({ operationsUrl }: GatewayProcess): Promise<number> {
  const page = await (await fetch(`${operationsUrl}/metrics`)).text();
  return [...page.matchAll(/^trellis_gateway_unread_cut_offs_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

function askAndReadNothing({ url }: GatewayProcess, key: number, localAddress: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined); // being cut off is what is to happen
  const body = JSON.stringify({ query: `{ big(key: ${key}) }` });
  const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

/** All responses have begun to arrive: then the first bytes wait here, and the others in the gateway. */
async function untilResponding(sockets: readonly Socket[]): Promise<void> {
  const deadline = performance.now() + ASK_DEADLINE_MS;
  while (sockets.some(({ bytesRead, destroyed }) => bytesRead === 0 && !destroyed)) {
    if (performance.now() > deadline) throw new Error('The responses did not begin.');
    await sleep(SAMPLE_MS);
  }
}

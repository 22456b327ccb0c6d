import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { EchoServer, type RequestsRead } from './echo-server.ts';
import type { Random } from '@trellis/testkit/random';
import { cutAtRandom, type RandomMessage } from './random-message.ts';

/** Two servers: connections of one begin with the own reader, those of the other are Node's alone. */
export interface ConnectionPair {
  /** @returns what they disagree about, if anything */
  compare(requests: readonly RandomMessage[], random: Random): Promise<string | undefined>;
  /** Requests that the own reader has read. */
  readonly plain: () => number;
  close(): Promise<void>;
}

/** Starts both. */
export async function startConnectionPair(): Promise<ConnectionPair> {
  const directory = createTemporaryDirectory();
  const own = new EchoServer(join(directory.path, 'own'), true);
  const ofNode = new EchoServer(join(directory.path, 'node'), false);
  await Promise.all([own.start(), ofNode.start()]);
  return {
    plain: () => own.plain,
    async compare(requests, random) {
      const { cut, whole } = random.chance(50) ? behindOneAnother(requests, random) : oneByOne(requests);
      const [read, readByNode] = await Promise.all([own.requestsIn(cut), ofNode.requestsIn(whole)]);
      return differenceOf(read, readByNode);
    },
    async close() {
      await Promise.all([own.close(), ofNode.close()]);
      directory.remove();
    },
  };
}

/**
 * Both must have read the same. With a rejection a server ends the connection, and how much of what comes behind is still read
 * depends on when it arrives: then the first may have read less, and nothing else.
 */
function differenceOf(own: RequestsRead, ofNode: RequestsRead): string | undefined {
  const missing = [...ofNode.requests];
  const more = own.requests.filter((request) => {
    const index = missing.indexOf(request);
    if (index !== -1) missing.splice(index, 1);
    return index === -1;
  });
  if (more.length > 0) return `reads ${more.join(' ')}, which Node does not`;
  return missing.length > 0 && !own.isEnded ? `does not read ${missing.join(' ')}` : undefined;
}

/** What each of the two is sent, in steps of pieces. */
interface Sent {
  readonly cut: readonly (readonly Buffer[])[];
  readonly whole: readonly (readonly Buffer[])[];
}

/** The own reader gets all of them in random pieces, and Node in one. */
function behindOneAnother(requests: readonly RandomMessage[], random: Random): Sent {
  const whole = Buffer.from(requests.map(({ text }) => text).join(''), 'latin1');
  return { cut: [cutAtRandom(whole, random)], whole: [[whole]] };
}

/** Both get one after the other's response, as most clients send them. */
function oneByOne(requests: readonly RandomMessage[]): Sent {
  const whole = requests.map(({ text }) => [Buffer.from(text, 'latin1')]);
  return { cut: whole, whole };
}

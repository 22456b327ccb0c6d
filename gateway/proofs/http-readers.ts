import type { Proof } from '@trellis/testkit';
import {
  startConnectionPair,
  type ConnectionPair,
} from '../test-fixtures/http-messages/compare-connections.ts';
import { compareRequest } from '../test-fixtures/http-messages/compare-requests.ts';
import { compareResponse, type Comparison } from '../test-fixtures/http-messages/compare-responses.ts';
import { cutAtRandom } from '../test-fixtures/http-messages/random-message.ts';
import { randomRequest, randomRequests } from '../test-fixtures/http-messages/random-request.ts';
import { randomResponse } from '../test-fixtures/http-messages/random-response.ts';
import { createRandom, type Random } from '../test-fixtures/synthetic/hash.ts';

const TOTAL = { small: 2_000, full: 500_000 };
/** Of 100 inputs so many are responses, and so many connections with some requests; the others are single requests. */
const RESPONSE_PERCENT = 60;
const CONNECTION_PERCENT = 8;

/** Random requests and responses, ordinary and odd, against the parser of Node itself. */
export const proof: Proof = {
  name: 'http-readers',
  description:
    'What the own reader of requests and the own HTTP/1 client accept, llhttp accepts too and reads as the same, ' +
    'however it is cut and whatever comes behind it.',
  async run({ size, seed }) {
    const connections = await startConnectionPair();
    try {
      const found = await compareMany(TOTAL[size], createRandom(seed), connections);
      const { differences, ...counts } = found;
      const figures = { seed, inputs: TOTAL[size], ...counts, differences: differences.length };
      const passed = differences.length === 0 && isTelling(counts, TOTAL[size]);
      return { passed, figures: { ...figures, ...(differences[0] && { first: differences[0] }) } };
    } finally {
      await connections.close();
    }
  },
};

interface Counts {
  responses: number;
  acceptedResponses: number;
  requests: number;
  acceptedRequests: number;
  connections: number;
  plainRequests: number;
}

async function compareMany(
  total: number,
  random: Random,
  pair: ConnectionPair,
): Promise<Counts & { readonly differences: readonly string[] }> {
  const counts = { responses: 0, acceptedResponses: 0, requests: 0, acceptedRequests: 0, connections: 0 };
  const differences: string[] = [];
  const note = (what: string, text: string, difference: string | undefined): void => {
    if (difference !== undefined) differences.push(`${what} ${JSON.stringify(text)}: ${difference}`);
  };
  const responds = (): void => {
    const message = randomResponse(random);
    const pieces = cutAtRandom(Buffer.from(message.text, 'latin1'), random);
    const { isAccepted, difference }: Comparison = compareResponse(message, pieces);
    counts.responses += 1;
    if (isAccepted) counts.acceptedResponses += 1;
    note('response', message.text, difference);
  };
  const asks = (): void => {
    const message = randomRequest(random);
    const { isAccepted, difference } = compareRequest(message);
    counts.requests += 1;
    if (isAccepted) counts.acceptedRequests += 1;
    note('request', message.text, difference);
  };
  const connects = async (): Promise<void> => {
    const messages = randomRequests(random);
    counts.connections += 1;
    const text = messages.map((message) => message.text).join('');
    note('connection', text, await pair.compare(messages, random));
  };
  for (let index = 0; index < total; index += 1) {
    const kind = random.below(100);
    if (kind < RESPONSE_PERCENT) responds();
    else if (kind < RESPONSE_PERCENT + CONNECTION_PERCENT) await connects();
    else asks();
  }
  return { ...counts, plainRequests: pair.plain(), differences };
}

/** Whether enough was accepted: readers that refuse everything agree with everybody. */
function isTelling(counts: Counts, total: number): boolean {
  return (
    counts.acceptedResponses > counts.responses / 4 &&
    counts.acceptedRequests > counts.requests / 6 &&
    counts.plainRequests > counts.connections / 10 &&
    counts.connections > total / 20
  );
}

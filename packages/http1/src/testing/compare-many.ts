import { createRandom, type Random } from '@trellis/testkit/random';
import { startConnectionPair, type ConnectionPair } from './compare-connections.ts';
import { compareRequest } from './compare-requests.ts';
import { compareResponse } from './compare-responses.ts';
import { cutAtRandom } from './random-message.ts';
import { randomRequest, randomRequests } from './random-request.ts';
import { randomResponse } from './random-response.ts';

/** Of 100 inputs so many are responses, and so many connections with some requests; the others are single requests. */
const RESPONSE_PERCENT = 60;
const CONNECTION_PERCENT = 8;

/** What was compared. */
export interface Counts {
  responses: number;
  acceptedResponses: number;
  requests: number;
  acceptedRequests: number;
  connections: number;
  /** Of the connections, those that the own reader took. */
  plainRequests: number;
}

/** What came of it. */
export interface Findings extends Counts {
  /** Each input that the readers disagree about, and how. */
  readonly differences: readonly string[];
  /** Whether enough was accepted: readers that reject everything agree with everybody. */
  readonly isMeaningful: boolean;
}

/** Has random messages, ordinary and odd, read by the own readers and by llhttp. */
export async function compareReaders(total: number, seed: number): Promise<Findings> {
  const pair = await startConnectionPair();
  try {
    const comparison = new Comparisons(createRandom(seed), pair);
    for (let index = 0; index < total; index += 1) await comparison.next();
    return comparison.findings;
  } finally {
    await pair.close();
  }
}

class Comparisons {
  readonly #random: Random;
  readonly #pair: ConnectionPair;
  readonly #counts = { responses: 0, acceptedResponses: 0, requests: 0, acceptedRequests: 0, connections: 0 };
  readonly #differences: string[] = [];

  constructor(random: Random, pair: ConnectionPair) {
    this.#random = random;
    this.#pair = pair;
  }

  get findings(): Findings {
    const counts = { ...this.#counts, plainRequests: this.#pair.plain() };
    return { ...counts, differences: this.#differences, isMeaningful: isMeaningful(counts) };
  }

  async next(): Promise<void> {
    const kind = this.#random.below(100);
    if (kind < RESPONSE_PERCENT) this.#readResponse();
    else if (kind < RESPONSE_PERCENT + CONNECTION_PERCENT) await this.#readConnection();
    else this.#readRequest();
  }

  #readResponse(): void {
    const message = randomResponse(this.#random);
    const pieces = cutAtRandom(Buffer.from(message.text, 'latin1'), this.#random);
    const { isAccepted, difference } = compareResponse(message, pieces);
    this.#counts.responses += 1;
    if (isAccepted) this.#counts.acceptedResponses += 1;
    this.#note('response', message.text, difference);
  }

  #readRequest(): void {
    const message = randomRequest(this.#random);
    const { isAccepted, difference } = compareRequest(message);
    this.#counts.requests += 1;
    if (isAccepted) this.#counts.acceptedRequests += 1;
    this.#note('request', message.text, difference);
  }

  async #readConnection(): Promise<void> {
    const messages = randomRequests(this.#random);
    this.#counts.connections += 1;
    const text = messages.map((message) => message.text).join('');
    this.#note('connection', text, await this.#pair.compare(messages, this.#random));
  }

  #note(what: string, text: string, difference: string | undefined): void {
    if (difference !== undefined) this.#differences.push(`${what} ${JSON.stringify(text)}: ${difference}`);
  }
}

function isMeaningful(counts: Counts): boolean {
  return (
    counts.acceptedResponses > counts.responses / 4 &&
    counts.acceptedRequests > counts.requests / 6 &&
    counts.plainRequests > counts.connections / 10 &&
    counts.connections > counts.responses / 20
  );
}

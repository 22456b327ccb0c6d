import type { ClientSoftware } from '../identity/caller.ts';

/** Upper bounds, in milliseconds. */
export const LATENCY_BOUNDS_MS: readonly number[] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];

/** Codes of one client's errors of one operation; the gateway has some fifty. */
const MAX_CODES = 20;
/** What does not have the form of a code is counted as one: subgraphs may give any text. */
const PLAIN_CODE = /^[\w.:-]{1,64}$/;

/** Who sends: a program as it names itself, and the OAuth client of its token. The same object for the same two. */
export interface Sender {
  readonly client: ClientSoftware | undefined;
  readonly oauthClient: string | undefined;
}

/** What one client has sent of one operation. */
export class ClientCounts {
  readonly sender: Sender;
  /** When the last response was made, by `performance.now()`. */
  lastMs = 0;
  /** How many took so long, by the index of {@link LATENCY_BOUNDS_MS}; the last are longer than all. */
  readonly latency: Uint32Array = new Uint32Array(LATENCY_BOUNDS_MS.length + 1);
  #errors: Map<string, number> | undefined;

  constructor(sender: Sender) {
    this.sender = sender;
  }

  get requests(): number {
    return this.latency.reduce((sum, requests) => sum + requests, 0);
  }

  /** By code. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors ?? NO_ERRORS;
  }

  /**
   * @param nowMs by `performance.now()`
   * @param errorCode of its first error; undefined without one
   */
  count(nowMs: number, durationMs: number, errorCode: string | undefined): void {
    this.lastMs = nowMs;
    const bucket = bucketOf(durationMs);
    this.latency[bucket] = (this.latency[bucket] ?? 0) + 1;
    if (errorCode !== undefined) countError((this.#errors ??= new Map()), errorCode);
  }
}

const NO_ERRORS: ReadonlyMap<string, number> = new Map();

function bucketOf(durationMs: number): number {
  let bucket = 0;
  while (bucket < LATENCY_BOUNDS_MS.length && durationMs > (LATENCY_BOUNDS_MS[bucket] ?? 0)) bucket += 1;
  return bucket;
}

function countError(errors: Map<string, number>, code: string): void {
  const isCounted = PLAIN_CODE.test(code) && (errors.has(code) || errors.size < MAX_CODES);
  const name = isCounted ? code : 'OTHER';
  errors.set(name, (errors.get(name) ?? 0) + 1);
}

const OTHER_CLIENT: ClientSoftware = { name: 'other', version: '' };

/** The clients of an interval, each one object: it is found by its names without making a text of them. */
export class Senders {
  /** By OAuth client, then name, then version. A program has a name that is not empty. */
  readonly #known = new Map<string | undefined, Map<string, Map<string, Sender>>>();
  readonly #atMost: number;
  #count = 0;
  /** In the place of all that are too many. */
  readonly others: Sender;

  constructor(atMost: number) {
    this.#atMost = atMost + 1;
    this.others = this.#add(OTHER_CLIENT, undefined);
  }

  of(client: ClientSoftware | undefined, oauthClient: string | undefined): Sender {
    const known = this.#known
      .get(oauthClient)
      ?.get(client?.name ?? '')
      ?.get(client?.version ?? '');
    if (known) return known;
    return this.#count < this.#atMost ? this.#add(client, oauthClient) : this.others;
  }

  #add(client: ClientSoftware | undefined, oauthClient: string | undefined): Sender {
    const sender = { client, oauthClient };
    const names = memberOf(this.#known, oauthClient, () => new Map<string, Map<string, Sender>>());
    const versions = memberOf(names, client?.name ?? '', () => new Map<string, Sender>());
    versions.set(client?.version ?? '', sender);
    this.#count += 1;
    return sender;
  }
}

function memberOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

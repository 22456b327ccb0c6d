import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { explainTlsProblem } from '../subgraphs/tls/tls-problem.ts';
import { ACCEPT } from './event-requests.ts';
import { readCallback, type CallbackMessage } from './callback-message.ts';
import { readBounded, requestStream, type StreamRequest } from './stream-response.ts';
import {
  httpUrl,
  type UpstreamConnection,
  type UpstreamMessage,
  type UpstreamSink,
  type UpstreamTarget,
} from './upstream-transport.ts';

/** What a callback is answered with. */
export interface CallbackResponse {
  readonly status: 204 | 400 | 401 | 404 | 409;
  /** Why, for all but 204. */
  readonly message?: string;
}

/** As the protocol names itself, in the header `subscription-protocol`. */
export const CALLBACK_PROTOCOL = 'callback/1.0';

const UNKNOWN: CallbackResponse = { status: 404, message: 'There is no subscription of this id.' };
const ENDED: CallbackResponse = { status: 404, message: 'The subscription has ended.' };
const FALSE_VERIFIER: CallbackResponse = {
  status: 401,
  message: 'The verifier is not that of the subscription.',
};
const TOO_EARLY: CallbackResponse = { status: 409, message: 'The first callback has to be a check.' };
const DONE: CallbackResponse = { status: 204 };

/** Ids of subscriptions that have ended, which have a response of their own. */
const MAX_ENDED = 2_000;
/** Between two checks of a subgraph, milliseconds; less where less silence is allowed. */
const HEARTBEAT_MS = 5_000;

/**
 * Subscriptions whose events the subgraph sends by requests of its own: Apollo's HTTP callback protocol, version 1.0. Ids and
 * verifiers are random, so that no other sender can send events.
 */
export class CallbackSubscriptions {
  readonly #publicUrl: () => string | undefined;
  readonly #open = new Map<string, CallbackSubscription>();
  readonly #ended = new LRUCache<string, true>({ max: MAX_ENDED });

  /** @param publicUrl where subgraphs reach the gateway; a path with the id is put behind it */
  constructor(publicUrl: () => string | undefined) {
    this.#publicUrl = publicUrl;
  }

  /** Subscribes once: a request that fails, or silence, is an error of the sink. */
  subscribe(target: UpstreamTarget, message: UpstreamMessage, sink: UpstreamSink): UpstreamConnection {
    const id = randomUUID();
    const publicUrl = this.#publicUrl()?.replace(/\/$/, '');
    const subscription = new CallbackSubscription({ id, target, sink }, () => {
      this.#open.delete(id);
      this.#ended.set(id, true);
    });
    this.#open.set(id, subscription);
    void subscription.run(message, `${publicUrl ?? ''}/${id}`);
    return subscription;
  }

  /** Why a callback to an id is rejected whatever it says; nothing where its body is worth reading. */
  rejectionOf(id: string): CallbackResponse | undefined {
    if (this.#open.has(id)) return undefined;
    return this.#ended.has(id) ? ENDED : UNKNOWN;
  }

  /** @param id as the address has it @param text the body */
  receive(id: string, text: string): CallbackResponse {
    const subscription = this.#open.get(id);
    if (!subscription) return this.rejectionOf(id) ?? UNKNOWN;
    const message = readCallback(text);
    if (typeof message === 'string') return { status: 400, message };
    if (message.id !== id) return { status: 400, message: 'The id is not that of the address.' };
    return subscription.receive(message);
  }

  close(): void {
    for (const subscription of this.#open.values()) subscription.cancel();
  }
}

interface CallbackParts {
  readonly id: string;
  readonly target: UpstreamTarget;
  readonly sink: UpstreamSink;
}

class CallbackSubscription implements UpstreamConnection {
  readonly #parts: CallbackParts;
  readonly #onEnd: () => void;
  readonly #verifier = randomBytes(32).toString('base64url');
  readonly #ending = new AbortController();
  #silence: NodeJS.Timeout | undefined;
  #isChecked = false;
  #isAccepted = false;

  constructor(parts: CallbackParts, onEnd: () => void) {
    this.#parts = parts;
    this.#onEnd = onEnd;
  }

  isEstablished(): boolean {
    return this.#isAccepted;
  }

  cancel(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    clearTimeout(this.#silence);
    this.#onEnd();
  }

  async run(message: UpstreamMessage, callbackUrl: string): Promise<void> {
    const { target } = this.#parts;
    const { signal } = this.#ending;
    try {
      const request = this.#request(message, callbackUrl);
      const { statusCode, body } = await requestStream(target.connections, request);
      const text = await readBounded(body);
      if (signal.aborted) return;
      const errors = errorsIn(text);
      if (errors && statusCode < 500) return this.#fail(errors);
      if (statusCode !== 200 || errors)
        throw new Error(`A subscription by callback was answered with ${statusCode}.`);
      if (!this.#isChecked)
        throw new Error('The subgraph sent no check before it accepted the subscription.');
      this.#isAccepted = true;
      this.#awaitHeartbeat();
    } catch (error) {
      if (!signal.aborted) this.#fail(error instanceof Error ? explainTlsProblem(error) : error);
    }
  }

  receive(message: CallbackMessage): CallbackResponse {
    if (!isSame(message.verifier, this.#verifier)) return FALSE_VERIFIER;
    if (message.action !== 'check' && !this.#isChecked) return TOO_EARLY;
    this.#isChecked = true;
    if (this.#isAccepted) this.#awaitHeartbeat();
    if (message.action === 'next') this.#parts.sink.next(message.payload);
    if (message.action === 'complete') this.#complete(message.errors);
    return DONE;
  }

  #request({ headers, ...message }: UpstreamMessage, callbackUrl: string): StreamRequest {
    const { id, target } = this.#parts;
    const { origin, pathname, search } = new URL(httpUrl(target.url));
    const { query, operationName, variables } = message;
    const subscription = {
      callbackUrl,
      subscriptionId: id,
      verifier: this.#verifier,
      heartbeatIntervalMs: Math.min(HEARTBEAT_MS, Math.ceil(target.idleMs / 3)),
    };
    return {
      origin,
      path: `${pathname}${search}`,
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: ACCEPT.callback,
        'accept-encoding': 'identity',
      },
      body: JSON.stringify({ query, operationName, variables, extensions: { subscription } }),
      signal: this.#ending.signal,
      idleMs: target.idleMs,
    };
  }

  #complete(errors: readonly unknown[] | undefined): void {
    if (errors) return this.#fail(errors);
    this.cancel();
    this.#parts.sink.complete();
  }

  #fail(error: unknown): void {
    const { sink } = this.#parts;
    sink.error(error);
    this.cancel();
  }

  #awaitHeartbeat(): void {
    const { idleMs } = this.#parts.target;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#fail(new Error(`The subgraph sent no heartbeat for ${idleMs} ms.`)),
      idleMs,
    ).unref();
  }
}

function errorsIn(text: string): readonly unknown[] | undefined {
  const body = JSON.parse(text) as { readonly errors?: unknown } | null; // read as unknown
  const errors = body?.errors;
  return Array.isArray(errors) && errors.length > 0 ? errors : undefined;
}

/** In constant time, whatever the lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

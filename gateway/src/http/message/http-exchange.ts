import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ShareKeys } from '@trellis/runtime/admission';
import type { WholeBody } from '@trellis/http1';
import { shareKeysOfCaller, type Caller } from '../../identity/caller.ts';
import type { PresentedProof } from '../../identity/presented-proof.ts';
import { CLIENT_CLOSED, gatewayErrorCodes, rejected } from '../../errors.ts';
import { DeadlineSignal } from '../../abort/deadline-signal.ts';

/** The life of one HTTP request. */
export interface RequestSignal {
  /** Aborts when the client disconnects, or when the time to the first byte is over. */
  readonly signal: AbortSignal;
  /** To be called when the response is ready: the deadline no longer applies. */
  settle(): void;
}

/** An HTTP request that asks for GraphQL, whichever server has read it. */
export interface HttpExchange {
  /** Names it in logs, in `x-request-id`, and towards subgraphs. */
  readonly id: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's network address, as reported by trusted proxies. */
  readonly address: string;
  /** Goes with a token that is bound to a key. */
  readonly proof: PresentedProof | undefined;
  /** Thumbprint of the client's certificate, as a trusted proxy says. */
  readonly certificate: string | undefined;
  /** Milliseconds since its head was read. */
  readonly elapsedMs: number;
  /** Begins to watch for its end: that of the client, or of the time to the first byte. To be called once. */
  watch(): RequestSignal;
}

/** Names in lower case. Of a list each is a line of its own. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A response that goes out whole. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; without those of the framing. */
  readonly headers: ResponseHeaders;
  readonly body: WholeBody;
  /** Whose share it counts in; absent where only the network is known. */
  readonly caller?: Caller | undefined;
}

/** What a response is counted under while its client has not read it. */
export function shareKeysOf(
  { address }: Pick<HttpExchange, 'address'>,
  { caller }: Pick<HttpResponse, 'caller'>,
): ShareKeys {
  return shareKeysOfCaller(caller, address);
}

/** Watches a response: the reasons of the signal are rejections, with their codes. */
export function watchRequest(response: ServerResponse, timeoutMs: number): RequestSignal {
  const signal = new DeadlineSignal(timeoutMs);
  const timer = setTimeout(() => {
    signal.abort(rejected('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary));
  }, timeoutMs);
  const onClose = (): void => {
    clearTimeout(timer);
    if (!response.writableFinished) signal.abort(CLIENT_CLOSED);
  };
  response.once('close', onClose);
  const settle = (): void => {
    clearTimeout(timer);
    signal.clearDeadline();
  };
  return { signal, settle };
}

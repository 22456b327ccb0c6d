import { lookup } from 'node:dns';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

const DEADLINE_MS = 5_000;

/** A request to an address that a client or operator has named. */
export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  /** Of http or https. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string;
  /** Bytes of the response's body that are read; a longer one is an error. 0 leaves it unread. */
  readonly maxBytes: number;
  /** Milliseconds for the whole exchange, its body included. @default 5000 */
  readonly deadlineMs?: number;
  readonly signal: AbortSignal;
}

/** What came back. Redirects are not followed: their status is returned as any other. */
export interface GuardedResponse {
  readonly status: number;
  /** Empty where it was left unread. */
  readonly body: string;
}

/** The same, with the body as it came. */
export interface GuardedBytes {
  readonly status: number;
  /** Empty where it was left unread. */
  readonly bytes: Buffer;
}

/** The same as {@link fetchGuardedBytes}, with the body as text. */
export async function sendGuarded(request: GuardedRequest, guard: AddressGuard): Promise<GuardedResponse> {
  const { status, bytes } = await fetchGuardedBytes(request, guard);
  return { status, body: bytes.toString('utf8') };
}

/**
 * Sends a request to an address that a client or operator has named: the only way from here to such an address. It is checked after the
 * name was resolved, and is the one connected to.
 *
 * @throws Error when the address is rejected, the body is too long, or the deadline passes
 */
export function fetchGuardedBytes(request: GuardedRequest, guard: AddressGuard): Promise<GuardedBytes> {
  const { url, method, headers = {}, body, maxBytes, deadlineMs = DEADLINE_MS } = request;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard.allows(host)) return Promise.reject(rejected(host));
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method,
      agent: false,
      lookup: guardedLookup(guard),
      headers,
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(deadlineMs)]),
    });
    outgoing.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      readBody(response, maxBytes).then((bytes) => resolve({ status, bytes }), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (maxBytes === 0) {
    response.destroy();
    return Buffer.alloc(0);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`The response has more than ${maxBytes} bytes.`); // ends the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function guardedLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, '');
      else if (!first || !addresses.every(({ address }) => guard.allows(address)))
        callback(rejected(hostname), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function rejected(host: string): Error {
  return new Error(`${host} is an address to which no requests may be sent.`);
}

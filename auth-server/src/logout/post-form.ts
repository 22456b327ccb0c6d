import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

/** Milliseconds for a whole delivery. */
const DEADLINE_MS = 5_000;

/**
 * Posts a form and returns the status of the response, whose body is not read and whose redirects are not followed. The
 * address is checked after the name was resolved, and is the one connected to.
 *
 * @throws Error when the address is rejected or nothing answers within 5 s
 */
export function postForm(
  url: URL,
  form: Readonly<Record<string, string>>,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<number> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard.allows(host)) return Promise.reject(rejected(host));
  const body = new URLSearchParams(form).toString();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      lookup: guardedLookup(guard),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
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
  return new Error(`${host} is an address that no client may have requests sent to.`);
}

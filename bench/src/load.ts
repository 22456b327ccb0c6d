import { Pool } from 'undici';
import type { Operation } from './operations.ts';

const JSON_TYPE = 'application/json';
/** No data of the measured graph looks like that. */
const ERRORS = '"errors":[';

/** What a round of load saw. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from request to whole response, ascending. */
  readonly latenciesMs: readonly number[];
}

/** A round of load. */
export interface Load {
  readonly url: string;
  /** The operation of the n-th request. */
  readonly operation: (index: number) => Operation;
  readonly requests: number;
  readonly connections: number;
  /** The Authorization header of the n-th request; absent sends none. */
  readonly authorization?: (index: number) => string;
  /** @default application/json */
  readonly accept?: string;
}

/** Sends requests over a fixed number of connections, each one after the other's response. Throws at the first response that is not 200, or has errors. */
export async function applyLoad(load: Load): Promise<LoadResult> {
  const url = new URL(load.url);
  const pool = new Pool(url.origin, { connections: load.connections, pipelining: 1 });
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < load.requests) {
      const index = next++;
      latenciesMs.push(await send(pool, url.pathname, load, index));
    }
  };
  await Promise.all(Array.from({ length: load.connections }, worker));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  return { requests: load.requests, seconds, latenciesMs: latenciesMs.toSorted((a, b) => a - b) };
}

/** Asks once and returns the response's text. */
export async function askOnce(
  url: string,
  operation: Operation,
  accept: string = JSON_TYPE,
): Promise<string> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 1 });
  try {
    const response = await pool.request({
      method: 'POST',
      path: pathname,
      headers: { 'content-type': JSON_TYPE, accept },
      body: JSON.stringify(operation),
    });
    return await response.body.text();
  } finally {
    await pool.close();
  }
}

async function send(pool: Pool, path: string, load: Load, index: number): Promise<number> {
  const authorization = load.authorization?.(index);
  const headers = { 'content-type': JSON_TYPE, accept: load.accept ?? JSON_TYPE };
  const startedAt = performance.now();
  const response = await pool.request({
    method: 'POST',
    path,
    headers: authorization === undefined ? headers : { ...headers, authorization },
    body: JSON.stringify(load.operation(index)),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200 || text.includes(ERRORS))
    throw new Error(`${load.url} answered ${response.statusCode}: ${text.slice(0, 500)}`);
  return performance.now() - startedAt;
}

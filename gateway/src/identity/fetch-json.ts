import { request, type Dispatcher } from 'undici';

const DEADLINE_MS = 5_000;
const MAX_BYTES = 262_144;

/** A response that is not what was asked for. */
export class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus';
  readonly status: number;

  constructor(what: string, status: number) {
    super(`The ${what} answered with status ${status}.`);
    this.status = status;
  }
}

/** Settings of {@link fetchJson}. */
export interface FetchJsonOptions {
  /** What is asked for, for messages. */
  readonly what: string;
  readonly accept?: string;
  /** Milliseconds for the whole exchange. @default 5_000 */
  readonly timeoutMs?: number;
  /** Of a POST. @default a GET */
  readonly form?: { readonly body: string; readonly headers: Readonly<Record<string, string>> };
}

/**
 * Reads JSON of an issuer. Redirects are not followed; the response is at most 256 KiB.
 *
 * @throws UnexpectedStatus, and Error where there is no such response
 */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  return JSON.parse((await fetchText(url, options)).text) as unknown;
}

/** A response as it came. */
export interface TextResponse {
  readonly text: string;
  /** In lower case, without parameters; empty where there is none. */
  readonly mediaType: string;
}

/** The same of what is no JSON. @throws UnexpectedStatus, and Error where there is no such response */
export async function fetchText(url: string, options: FetchJsonOptions): Promise<TextResponse> {
  const { what, accept = 'application/json', timeoutMs = DEADLINE_MS, form } = options;
  const sent: Dispatcher.HttpMethod = form ? 'POST' : 'GET';
  const { statusCode, headers, body } = await request(url, {
    method: sent,
    headers: { accept, ...form?.headers },
    body: form?.body ?? null,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await readAtMost(body, MAX_BYTES, what);
  if (statusCode !== 200) throw new UnexpectedStatus(what, statusCode);
  const [mediaType = ''] = String(headers['content-type'] ?? '').split(';', 1);
  return { text, mediaType: mediaType.trim().toLowerCase() };
}

async function readAtMost(body: AsyncIterable<Buffer>, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The ${what} is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

import { MAX_BLOB_BYTES } from '../blob.ts';
import { isLogPart, type LogName } from '../log-name.ts';
import { RegistryError, registryErrors, type RegistryErrorCode } from '../registry-error.ts';
import { MAX_RECORD_BYTES, type RegistryStore, type StoredBlob } from '../registry-store.ts';
import { readAtMost } from './read-at-most.ts';
import type { Authorize, RequestAuthorization } from './registry-authorization.ts';

/** What a {@link HttpStore} is made with. */
export interface HttpStoreOptions {
  /** What each request says of who sends it. @default nothing */
  readonly authorize?: Authorize | undefined;
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch | undefined;
}

/** A request of the registry has that long, beside what it waits for by itself. */
const TIMEOUT_MS = 30_000;
/** A server holds a request for the next record that long. */
const WAIT_S = 25;

/** A registry behind `trellis registry serve`. It reads as any store does; the server composes, checks and signs what is published. */
export class HttpStore implements RegistryStore {
  readonly description: string;
  readonly #base: string;
  readonly #options: HttpStoreOptions;

  constructor(base: string, options: HttpStoreOptions = {}) {
    const { origin, pathname } = new URL(base);
    this.#base = `${origin}${pathname.replace(/\/$/, '')}`;
    this.#options = options;
    this.description = `the registry ${this.#base}`;
  }

  async readBlob(digest: string, bytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const response = await this.#send(`/v1/blobs/${digest}`, signal);
    return response.status === 404
      ? undefined
      : readAtMost(response, Math.min(bytes, MAX_BLOB_BYTES), signal);
  }

  async readRecord(log: LogName, sequence: number, signal: AbortSignal): Promise<string | undefined> {
    const response = await this.#send(`${logPath(log)}/records/${sequence}`, signal);
    return response.status === 404
      ? undefined
      : Buffer.from(await readAtMost(response, MAX_RECORD_BYTES, signal)).toString('utf8');
  }

  async readHead(log: LogName, signal: AbortSignal): Promise<number> {
    return headOf(await readJson(await this.#send(`${logPath(log)}/head`, signal), signal));
  }

  async waitForRecord(log: LogName, after: number, signal: AbortSignal): Promise<number> {
    return headOf(
      await readJson(await this.#send(`${logPath(log)}/head?after=${after}&waitS=${WAIT_S}`, signal), signal),
    );
  }

  async listLogs(signal: AbortSignal): Promise<readonly LogName[]> {
    const { logs } = (await readJson(await this.#send('/v1/logs', signal), signal)) as {
      readonly logs?: unknown;
    };
    const parts = Array.isArray(logs) ? (logs as readonly (Partial<LogName> | null)[]) : []; // judged below
    return parts.flatMap((part) => {
      const { graph = '', environment = '' } = part ?? {};
      return isLogPart(graph) && isLogPart(environment) ? [{ graph, environment }] : [];
    });
  }

  /**
   * Asks the server for a change: `publications`, `rollbacks`, `variants`, ….
   *
   * @param log undefined for what is of the whole registry
   * @returns what it says came of it
   * @throws RegistryError with the code that it names
   */
  async submit(log: LogName | undefined, what: string, body: object, signal: AbortSignal): Promise<unknown> {
    const path = `${log ? logPath(log) : '/v1'}/${what}`;
    return readJson(await this.#send(path, signal, JSON.stringify(body)), signal);
  }

  writeBlob(): Promise<never> {
    return this.#readOnly();
  }

  createRecord(): Promise<never> {
    return this.#readOnly();
  }

  deleteBlob(): Promise<never> {
    return this.#readOnly();
  }

  listBlobs(): Promise<readonly StoredBlob[]> {
    return this.#readOnly();
  }

  #readOnly(): Promise<never> {
    return Promise.reject(
      new RegistryError('NO_RIGHT', `${this.description} writes by itself: ask it for changes.`),
    );
  }

  async #send(path: string, signal: AbortSignal, body?: string): Promise<Response> {
    const { authorize } = this.#options;
    const [method, url] = [body === undefined ? 'GET' : 'POST', `${this.#base}${path}`];
    const authorization = await authorize?.(method, url);
    const response = await this.#exchange(url, signal, body, authorization);
    if (response.ok || response.status === 404) return response;
    // A token may have been revoked before its time, and its client may get another. Nothing was done: it is sent once again.
    const other = response.status === 401 ? await authorize?.(method, url, authorization) : undefined;
    if (!other) throw await this.#failure(response, signal);
    await response.body?.cancel();
    const repeated = await this.#exchange(url, signal, body, other);
    if (repeated.ok || repeated.status === 404) return repeated;
    throw await this.#failure(repeated, signal);
  }

  async #exchange(
    url: string,
    signal: AbortSignal,
    body: string | undefined,
    authorization: RequestAuthorization | undefined,
  ): Promise<Response> {
    signal.throwIfAborted();
    const { fetch: send = fetch } = this.#options;
    return send(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json, application/jose, application/octet-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...authorization,
      },
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal: AbortSignal.any([
        signal,
        AbortSignal.timeout(body === undefined ? TIMEOUT_MS : 10 * TIMEOUT_MS),
      ]),
    }).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw new RegistryError('STORE_UNAVAILABLE', `${this.description} did not respond.`, { cause: error });
    });
  }

  async #failure(response: Response, signal: AbortSignal): Promise<RegistryError> {
    const { error } = (await readJson(response, signal).catch(() => ({}))) as {
      readonly error?: { readonly code?: unknown; readonly message?: unknown };
    };
    const message =
      typeof error?.message === 'string' ? error.message.slice(0, 2000) : `status ${response.status}`;
    return new RegistryError(
      codeOf(error?.code) ?? byStatus(response.status),
      `${this.description}: ${message}`,
    );
  }
}

function logPath({ graph, environment }: LogName): string {
  return `/v1/graphs/${encodeURIComponent(graph)}/environments/${encodeURIComponent(environment)}`;
}

function codeOf(code: unknown): RegistryErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(registryErrors, code)
    ? (code as RegistryErrorCode)
    : undefined; // its own key
}

function byStatus(status: number): RegistryErrorCode {
  return status === 401 || status === 403 ? 'NO_RIGHT' : 'STORE_UNAVAILABLE';
}

function headOf(value: object): number {
  const { sequence } = value as { readonly sequence?: unknown };
  if (typeof sequence === 'number' && Number.isSafeInteger(sequence) && sequence >= 0) return sequence;
  throw new RegistryError('STORE_UNAVAILABLE', 'The registry did not say where its log ends.');
}

/** A page of something else is no object. */
async function readJson(response: Response, signal: AbortSignal): Promise<object> {
  const text = Buffer.from(await readAtMost(response, MAX_BLOB_BYTES, signal)).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // says the same as another value
  }
  throw new RegistryError(
    'STORE_UNAVAILABLE',
    'What responds is no registry: it does not send JSON objects.',
  );
}

import type { ServiceTokenSigner } from './service-token.ts';

/** Calls one other service. */
export interface ServiceClient {
  /**
   * @param path with its query, for example `/internal/events?after=7`
   * @throws ServiceCallFailed when the service can't be reached, takes too long, or does not answer 2xx
   */
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  /** Like {@link get}, with a body of JSON. */
  post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>;
}

/** Settings of {@link createServiceClient}. */
export interface ServiceClientOptions {
  /** The service that is called: the audience of the token. */
  readonly service: string;
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  readonly signer: ServiceTokenSigner;
  /** Milliseconds until a call is given up. @default 5_000 */
  readonly timeoutMs?: number;
}

/** A call to another service that came to nothing. */
export class ServiceCallFailed extends Error {
  override readonly name = 'ServiceCallFailed';
  /** What the service answered; undefined when it did not. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Makes a client whose every call is signed for the one service it calls. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  return {
    get: (path, signal) => call(options, path, {}, signal),
    post: (path, body, signal) =>
      call(
        options,
        path,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        signal,
      ),
  };
}

async function call(
  { service, url, signer, timeoutMs = 5_000 }: ServiceClientOptions,
  path: string,
  init: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  },
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const headers = { ...init.headers, authorization: `Bearer ${await signer.sign(service)}` };
  const response = await fetch(url + path, {
    ...init,
    headers,
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  }).catch((cause: unknown) => {
    throw new ServiceCallFailed(`${service} could not be reached at ${url}.`, undefined, { cause });
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new ServiceCallFailed(`${service} answered ${response.status} to ${path}.`, response.status);
  }
  return response.json();
}

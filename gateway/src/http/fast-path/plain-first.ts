import type { ServerOptions } from 'node:http';
import type { FastifyServerFactory } from 'fastify';
import { createAddressReader } from '../message/client-address.ts';
import { createPlainResponder, type PlainResponderOptions } from './plain-responder.ts';
import { PlainFirstServer } from './plain-first-server.ts';

/** Settings of {@link plainFirst}. */
export interface PlainFirstOptions extends Omit<PlainResponderOptions, 'times' | 'addressOf'> {
  /** Milliseconds for which a connection may be silent while a response is made, or read. */
  readonly silentMs: () => number;
}

/** Makes the framework's HTTP server one that answers plain requests before the framework sees them. */
export function plainFirst({ silentMs, ...options }: PlainFirstOptions): FastifyServerFactory {
  return (listener, framework) => {
    const { http: ofNode, keepAliveTimeout, requestTimeout } = framework as unknown as FrameworkOptions;
    const responder = createPlainResponder({
      ...options,
      times: () => ({
        firstRequestMs: options.settings().timeouts.requestMs,
        keepAliveMs: keepAliveTimeout,
        silentMs: silentMs(),
      }),
      addressOf: createAddressReader(() => options.settings().http.trustProxy),
    });
    const server = new PlainFirstServer(ofNode, listener, responder);
    server.keepAliveTimeout = keepAliveTimeout;
    server.requestTimeout = requestTimeout;
    return server.setTimeout(silentMs());
  };
}

/** Those of Fastify's options that concern the server, all of which createHttpServer sets. */
interface FrameworkOptions {
  readonly http: ServerOptions;
  readonly keepAliveTimeout: number;
  readonly requestTimeout: number;
}

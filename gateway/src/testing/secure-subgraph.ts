import { createServer as createHttp2Server, createSecureServer, type Http2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { TestCertificate } from '@trellis/testkit';

/** What a {@link SecureSubgraph} was sent. */
export interface SecureRequest {
  readonly httpVersion: string;
  readonly headers: IncomingMessage['headers'];
  /** Subject of the client certificate; undefined without one. */
  readonly client: string | undefined;
  /** The name that the client asked for by SNI. */
  readonly serverName: string | undefined;
}

/** How a {@link SecureSubgraph} listens. */
export interface SecureSubgraphOptions {
  readonly protocols: 'http1' | 'http2' | 'both' | 'h2c';
  /** Absent without TLS. */
  readonly certificate?: TestCertificate;
  /** Authority of the clients, which then need a certificate. */
  readonly clientAuthority?: TestCertificate;
  /** Responds. @default `{"data":{"best":1}}` */
  readonly respond?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A server that responds to every POST, over TLS or HTTP/2. */
export interface SecureSubgraph {
  readonly url: string;
  readonly server: Server | Http2Server;
  readonly requests: SecureRequest[];
  close(): Promise<void>;
}

/** Starts one on a free port. */
export async function startSecureSubgraph(options: SecureSubgraphOptions): Promise<SecureSubgraph> {
  const requests: SecureRequest[] = [];
  const respond =
    options.respond ??
    ((_request: IncomingMessage, response: ServerResponse): void => {
      response.setHeader('content-type', 'application/json');
      response.end('{"data":{"best":1}}');
    });
  const sockets = new Set<{ destroy(): unknown }>();
  const server = listener(options, (request, response) => {
    requests.push(requestOf(request));
    request.resume();
    respond(request, response);
  });
  server.on('connection', (socket: { destroy(): unknown }) => sockets.add(socket));
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `${options.certificate ? 'https' : 'http'}://127.0.0.1:${port}/graphql`,
    server,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function listener(
  { protocols, certificate, clientAuthority }: SecureSubgraphOptions,
  listen: Listener,
): Server | Http2Server {
  const compatible = listen as never; // node:http2 has the same interface for both
  if (protocols === 'h2c') return createHttp2Server(compatible);
  const options = {
    ...(certificate && { cert: certificate.certificate, key: certificate.key }),
    ...(clientAuthority && { ca: clientAuthority.certificate, requestCert: true, rejectUnauthorized: true }),
  };
  if (protocols === 'http1') return createHttpsServer(options, listen);
  return createSecureServer({ ...options, allowHTTP1: protocols === 'both' }, compatible);
}

function requestOf({ httpVersion, headers, socket }: IncomingMessage): SecureRequest {
  const secure = socket as TLSSocket & { readonly servername?: string };
  const peer = 'getPeerCertificate' in secure ? secure.getPeerCertificate() : undefined;
  const subject = peer && 'subject' in peer ? String(peer.subject.CN) : undefined;
  return { httpVersion, headers, client: subject, serverName: secure.servername };
}

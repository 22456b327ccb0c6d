import { request as requestHttp } from 'node:http';
import { createServer, request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { TestCertificate } from '@trellis/testkit';

/** A proxy that ends TLS, asks clients for certificates, and says which they have shown. RFC 9440 */
export interface MutualTlsProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts one on a free port. @param target base URL of the server behind it, which may be known later */
export async function startMutualTlsProxy(
  target: () => string,
  { certificate: cert, key }: TestCertificate,
): Promise<MutualTlsProxy> {
  const server = createServer(
    { cert, key, requestCert: true, rejectUnauthorized: false },
    (incoming, response) => {
      const { 'client-cert': _untrusted, ...headers } = incoming.headers;
      const shown = (incoming.socket as TLSSocket).getPeerX509Certificate(); // it speaks TLS alone
      const forwarded = shown && { 'client-cert': `:${shown.raw.toString('base64')}:` };
      const outgoing = requestHttp(target() + (incoming.url ?? ''), {
        method: incoming.method,
        headers: { ...headers, ...forwarded },
      });
      outgoing.on('response', (result) => {
        response.writeHead(result.statusCode ?? 502, result.headers);
        result.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      incoming.pipe(outgoing);
    },
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** `fetch` that shows a certificate, and trusts an authority. */
export function fetchWith(
  certificate: Pick<TestCertificate, 'certificate' | 'key'> | undefined,
  ca: string,
): typeof fetch {
  return async (input, init = {}) => {
    const { method, headers, body } = new Request(input, init);
    const text = body === null ? '' : await new Response(body).text();
    return new Promise((resolve, reject) => {
      const sent = requestHttps(new URL(input as string), {
        method,
        ca,
        agent: false,
        headers: Object.fromEntries(headers),
        ...(certificate && { cert: certificate.certificate, key: certificate.key }),
      });
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('end', () => {
          const { statusCode: status = 0, headers: received } = response;
          const type = received['content-type'] ?? '';
          resolve(new Response(Buffer.concat(chunks), { status, headers: { 'content-type': type } }));
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  };
}

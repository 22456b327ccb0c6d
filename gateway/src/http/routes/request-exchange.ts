import type { FastifyReply, FastifyRequest } from 'fastify';
import { PresentedProof } from '../../identity/presented-proof.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import { normalAddress } from '../message/client-address.ts';
import type { CertificateReader } from '../message/client-certificate.ts';
import { type HttpExchange, watchRequest } from '../message/http-exchange.ts';

/** What an {@link HttpExchange} is made with. */
export interface ExchangeOptions {
  readonly settings: () => TransportSettings;
  /** Absent where no header says which certificate a client has used. */
  readonly certificateOf: CertificateReader;
}

/** Makes the exchange of a request that the framework has read. */
export function exchangeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { settings, certificateOf }: ExchangeOptions,
): HttpExchange {
  const { id, method, headers, ip } = request;
  return {
    id,
    method,
    headers,
    address: normalAddress(ip),
    certificate: certificateOf(request.raw),
    proof: headers['dpop'] === undefined ? undefined : proofOf(request, headers['dpop']),
    get elapsedMs() {
      return reply.elapsedTime;
    },
    watch: () => watchRequest(reply.raw, settings().timeouts.requestMs),
  };
}

/** A header that is sent twice is no proof: its values are joined, and that was not signed. */
function proofOf({ method, protocol, host, url }: FastifyRequest, header: string | string[]): PresentedProof {
  return new PresentedProof({ proof: String(header), method, url: `${protocol}://${host}${url}` });
}

import type { FastifyInstance } from 'fastify';
import { gatewayErrorCodes, rejected } from '../../errors.ts';
import { writeResult } from '../../pipeline/respond.ts';
import type { HostCheck } from './cross-origin.ts';

/** What a client gets to read that has named another host. */
export const MISDIRECTED: string = `${gatewayErrorCodes.MISDIRECTED_REQUEST.summary} Ask localhost or an address, or name the host in http.hosts of gateway.yaml.`;

const BODY = writeResult({
  data: undefined,
  errors: rejected('MISDIRECTED_REQUEST', MISDIRECTED).errors.map((error) => error.toJSON()),
});

/**
 * Rejects requests for other hosts, whatever they ask for, before anything else is done for them. The header counts, and not what a proxy
 * forwards: a page can write every other header to its own origin.
 *
 * @see RFC 9110 §15.5.20
 */
export function rejectOtherHosts(server: FastifyInstance, hosts: () => HostCheck | undefined): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (hosts()?.(request.headers.host) !== false) return done();
    reply
      .status(gatewayErrorCodes.MISDIRECTED_REQUEST.status)
      .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
      .send(BODY);
  });
}

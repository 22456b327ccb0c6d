import type { FastifyInstance } from 'fastify';
import { addEndpoint } from '../http/endpoint.ts';
import { queryParameters } from '../http/request-parameters.ts';
import { paths } from '../paths.ts';
import type { HasSettings } from '../settings/settings.ts';
import { redirect } from './send-response.ts';

/** The issuer's own address leads to the account page. */
export function addHomeRoute(server: FastifyInstance, { settings }: HasSettings): void {
  addEndpoint(server, paths.home, {
    GET: (request, reply) => {
      queryParameters(request); // rejects what no address may hold
      return redirect(reply, `${settings.issuer}${paths.account}`);
    },
  });
}

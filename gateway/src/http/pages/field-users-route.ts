import type { FastifyInstance } from 'fastify';
import { isOfThisMachine } from './graph-events.ts';
import { SAFE_CONTENT, type PageOptions } from './page.ts';

/** Where the explorer asks who uses a field. */
export const FIELD_USERS_PATH = '/explorer/field-users';

const COORDINATE = /^[_A-Za-z]\w{0,255}\.[_A-Za-z]\w{0,255}$/;

/** Says who has sent operations with a field: names of clients are no one else's business, so it is for development alone. */
export function addFieldUsers(server: FastifyInstance, { settings, services }: PageOptions): void {
  server.get<{ Querystring: { readonly field?: unknown } }>(FIELD_USERS_PATH, (request, reply) => {
    const { usage } = services();
    if (!settings().pages.enabled || !usage?.usersOf || !isOfThisMachine(request))
      return reply.callNotFound();
    const { field } = request.query;
    if (typeof field !== 'string' || !COORDINATE.test(field))
      return reply.status(400).send({ error: 'Bad Request', message: 'Say which field: ?field=User.name' });
    return reply
      .headers({ ...SAFE_CONTENT, 'cache-control': 'no-store' })
      .send({ field, users: usage.usersOf(field) });
  });
}

import type { FastifyInstance } from 'fastify';
import type { FieldUse } from '../../pipeline/services.ts';
import { isOfThisMachine } from './graph-events.ts';
import { SAFE_CONTENT, type PageOptions } from './page.ts';

/** Where the explorer asks who uses a field. */
export const FIELD_USERS_PATH = '/explorer/field-users';

const COORDINATE = /^[_A-Za-z]\w{0,255}\.[_A-Za-z]\w{0,255}$/;

/**
 * `GET /explorer/field-users?field=User.name`: says who has sent operations with a field, to any worker. Answers 200 and the members of
 * {@link FieldUse}, within two seconds; 400 where no field is named; 404 where there are no pages or no usage is recorded, and to
 * requests that name another host than this machine: names of clients are not for other users, so it is for development alone.
 */
export function addFieldUsers(server: FastifyInstance, { settings, services }: PageOptions): void {
  server.get<{ Querystring: { readonly field?: unknown } }>(FIELD_USERS_PATH, async (request, reply) => {
    const { usage } = services();
    if (!settings().pages.enabled || !usage?.usersOf || !isOfThisMachine(request))
      return reply.callNotFound();
    const { field } = request.query;
    if (!isCoordinate(field))
      return reply.status(400).send({ error: 'Bad Request', message: 'Say which field: ?field=User.name' });
    const use: FieldUse = await usage.usersOf(field);
    return reply.headers({ ...SAFE_CONTENT, 'cache-control': 'no-store' }).send({ field, ...use });
  });
}

function isCoordinate(field: unknown): field is string {
  return typeof field === 'string' && COORDINATE.test(field);
}

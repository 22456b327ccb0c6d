import type { Logger } from '@trellis/runtime';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Invalidation, Invalidations } from '../../response-cache/invalidations.ts';

/** What {@link addInvalidationRoute} needs. */
export interface InvalidationRouteOptions {
  /** Those of the cache that is in force; nothing where no responses are cached. */
  readonly invalidations: () => Pick<Invalidations, 'publish'> | undefined;
  readonly logger: Logger;
}

const MAX_CHANGES = 1_000;
const MAX_ID_CHARACTERS = 1_024;
const MAX_TYPE_CHARACTERS = 255;
const MAX_PROBLEMS = 10;

/** A Name of GraphQL, October 2021, §2.1.9. */
const NAME = /^[A-Za-z_]\w*$/;

const changes: z.ZodType<readonly Invalidation[]> = z
  .array(
    z.strictObject({
      type: z.string().max(MAX_TYPE_CHARACTERS).regex(NAME, { error: 'must be the name of a type' }),
      id: z
        .union([z.string().min(1).max(MAX_ID_CHARACTERS), z.int().transform(String)], {
          error: `must be a whole number, or a string of 1 to ${MAX_ID_CHARACTERS} characters`,
        })
        .optional(),
    }),
    { error: 'must be a list of { "type": …, "id": … }' },
  )
  .min(1)
  .max(MAX_CHANGES);

/**
 * `POST /cache/invalidate`: a list of 1 to 1,000 changes, each `{ "type", "id"? }` as in the stream. Answers 200 and how many were
 * published; 400 and what is wrong, with nothing published; 404 where no responses are cached; 503 when Redis can't be reached. Then some may have been published,
 * and it does no harm to send all of them again. The body has to be `application/json`, which a web page can't send to
 * another origin without being allowed to.
 */
export function addInvalidationRoute(server: FastifyInstance, options: InvalidationRouteOptions): void {
  server.post('/cache/invalidate', async (request, reply) => {
    const read = changes.safeParse(request.body);
    if (!read.success) return reject(reply, read.error);
    return publish(reply, read.data, options);
  });
}

const NOT_CACHED = { error: 'Not Found', problems: ['No responses are cached: responseCache is not set.'] };

function reject(reply: FastifyReply, error: z.ZodError): FastifyReply {
  const problems = error.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
  return reply.status(400).send({ error: 'Bad Request', problems });
}

async function publish(
  reply: FastifyReply,
  published: readonly Invalidation[],
  { invalidations, logger }: InvalidationRouteOptions,
): Promise<FastifyReply> {
  try {
    const current = invalidations();
    if (!current) return reply.status(404).send(NOT_CACHED);
    await current.publish(published);
  } catch (error) {
    logger.error({ err: error, changes: published.length }, 'publishing changes failed');
    return reply
      .status(503)
      .header('retry-after', '1')
      .send({ error: 'Service Unavailable', problems: ['Redis can’t be reached. Send all of it again.'] });
  }
  logger.info({ changes: published.length }, 'changes published; cached responses invalidated');
  return reply.send({ published: published.length });
}

import { FIELD_COORDINATE } from '@trellis/release-verdict';
import type { Logger } from '@trellis/runtime';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { FieldSearch, SearchOutcome } from '../../usage/field-search/recorded-use.ts';

/** What {@link addRecordedUsers} needs. */
export interface RecordedUsersOptions {
  /** Where usage is recorded now; undefined where nothing is, or nowhere that can be searched. */
  readonly recorded: () => Pick<FieldSearch, 'database' | 'directory'> | undefined;
  /** The text of the supergraph that is served now; undefined before one is. */
  readonly sdl: (signal: AbortSignal) => Promise<string | undefined>;
  /** Searches, on no thread that serves queries. */
  readonly search: (search: FieldSearch, signal: AbortSignal) => Promise<SearchOutcome>;
  readonly logger: Logger;
}

const DAY_MS = 86_400_000;
/** Milliseconds for reading what was recorded, and for all of a search. */
const [BUDGET_MS, DEADLINE_MS] = [7_000, 10_000];
const RETRY_AFTER_S = '10';

const askedSchema = z.strictObject({
  field: z.string().regex(FIELD_COORDINATE, { error: 'must be a field of a type: User.name' }),
  days: z.int().min(1).max(90).default(7),
});

type Asked = z.infer<typeof askedSchema>;

/**
 * `POST /gateway/field-users`: `{ "field": "User.name", "days": 7 }`. Answers 200 and who has used the field, as recorded usage has it;
 * 400 and what is wrong; 404 where the supergraph has no such field; 409 where no usage is recorded that can be searched; 503 while another
 * search runs, before a supergraph is served, and where what was recorded can't be read. It takes a secret as all that costs this process
 * something does; one search runs at a time.
 */
export function addRecordedUsers(server: FastifyInstance, options: RecordedUsersOptions): void {
  let isSearching = false;
  server.post('/gateway/field-users', { bodyLimit: 4_096 }, async (request, reply) => {
    const asked = askedSchema.safeParse(request.body);
    if (!asked.success) return reject(reply, 400, asked.error.issues.map(describeIssue));
    if (isSearching) return reject(reply, 503, ['Another search is running. Retry later.']);
    isSearching = true;
    try {
      return await respond(reply, asked.data, options);
    } finally {
      isSearching = false;
    }
  });
}

async function respond(
  reply: FastifyReply,
  asked: Asked,
  options: RecordedUsersOptions,
): Promise<FastifyReply> {
  const { recorded, sdl, search, logger } = options;
  const places = recorded();
  if (!places) return reject(reply, 409, [NOT_RECORDED]);
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const text = await sdl(signal);
    if (text === undefined) return reject(reply, 503, ['No supergraph is served yet. Retry later.']);
    return report(reply, await search(searchFor(asked, places, text), signal), logger);
  } catch (error) {
    logger.error({ err: error }, 'recorded usage cannot be searched');
    return reject(reply, 503, ['The search failed, or took too long. Ask for fewer days.']);
  }
}

const NOT_RECORDED =
  'No usage is recorded in a folder or in PostgreSQL: see usage.directory and USAGE_DATABASE_URL.';

function searchFor(
  { field: coordinate, days }: Asked,
  recorded: Pick<FieldSearch, 'database' | 'directory'>,
  sdl: string,
): FieldSearch {
  const [type = '', field = ''] = coordinate.split('.');
  return { ...recorded, type, field, sdl, sinceMs: Date.now() - days * DAY_MS, budgetMs: BUDGET_MS };
}

function report(reply: FastifyReply, outcome: SearchOutcome, logger: Logger): FastifyReply {
  switch (outcome.kind) {
    case 'found':
      if (outcome.interruption !== undefined)
        logger.warn({ reason: outcome.interruption }, 'recorded usage cannot be searched to its end');
      return reply.header('cache-control', 'no-store').send(outcome.use);
    case 'unknown field':
      return reject(reply, 404, ['The supergraph that is served has no such field.']);
    case 'unreadable':
      logger.error({ reason: outcome.message }, 'recorded usage cannot be searched');
      return reject(reply, 503, ['What was recorded cannot be read: see the log of the gateway.']);
    default:
      return outcome satisfies never;
  }
}

const TITLES = { 400: 'Bad Request', 404: 'Not Found', 409: 'Conflict', 503: 'Service Unavailable' } as const;

function reject(reply: FastifyReply, status: keyof typeof TITLES, problems: readonly string[]): FastifyReply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER_S);
  return reply.status(status).send({ error: TITLES[status], problems });
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}

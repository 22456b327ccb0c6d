import { RECORD_SEQUENCE } from '@trellis/release-verdict';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { RecordVerdict } from '../../registry/record-verdicts.ts';

/** What {@link addRecordVerdicts} needs. */
interface RecordVerdictsOptions {
  /** What was judged of a record; undefined before one is served, and without a registry. */
  readonly verdict: (sequence: number, signal: AbortSignal) => Promise<RecordVerdict | undefined>;
}

const DEADLINE_MS = 2_500;
/** At once. */
const MAX_READING = 4;

/**
 * `GET /gateway/records/42`: what was judged of a record of the registry when it was published. Answers 200 and its verdict, `null` for a
 * record without one; 404 for a record that is not in the history of this gateway; 503 while several are read, and where the registry
 * can't be read, or no longer has it.
 */
export function addRecordVerdicts(server: FastifyInstance, { verdict }: RecordVerdictsOptions): void {
  let reading = 0;
  server.get<{ Params: { readonly sequence: string } }>(
    '/gateway/records/:sequence',
    async ({ params: { sequence } }, reply) => {
      reply.header('cache-control', 'no-store');
      if (!RECORD_SEQUENCE.test(sequence)) return reject(reply, 404);
      if (reading >= MAX_READING) return reject(reply, 503);
      reading += 1;
      try {
        return respond(reply, await verdict(Number(sequence), AbortSignal.timeout(DEADLINE_MS)));
      } catch {
        return reject(reply, 503);
      } finally {
        reading -= 1;
      }
    },
  );
}

function respond(reply: FastifyReply, found: RecordVerdict = { kind: 'unknown record' }): FastifyReply {
  switch (found.kind) {
    case 'found':
      return reply.send({ format: 'trellis-gateway-record/1', verdict: found.verdict });
    case 'none':
      return reply.send({ format: 'trellis-gateway-record/1', verdict: null });
    case 'unreadable':
      return reject(reply, 503);
    case 'unknown record':
      return reject(reply, 404);
    default:
      return found satisfies never;
  }
}

const PROBLEMS = {
  404: { error: 'Not Found', problems: ['The history of this gateway has no such record.'] },
  503: {
    error: 'Service Unavailable',
    problems: ['What was judged of this record cannot be read now. Retry later.'],
  },
} as const;

function reject(reply: FastifyReply, status: keyof typeof PROBLEMS): FastifyReply {
  return reply.status(status).send(PROBLEMS[status]);
}

import { z } from 'zod';

/** How whole answers are kept. */
export interface ResponseCacheSettings {
  readonly redisUrl?: string | undefined;
  readonly maxAgeS?: number | undefined;
  readonly maxCharacters?: number | undefined;
  readonly perCallerMinute?: number | undefined;
  readonly sharePublic?: boolean | undefined;
}

/** Seconds for which an answer is kept at most, whatever is configured: so long is it remembered what has become void. */
const LONGEST_S = 3_600;

/** The part of `gateway.yaml` about the response cache. */
export const responseCacheSettings: z.ZodType<ResponseCacheSettings> = z
  .strictObject({
    redisUrl: z
      .string()
      .regex(/^rediss?:\/\/./, { error: 'must be redis://… or rediss://…' })
      .optional()
      .describe(
        'Redis of its own, with maxmemory and an evicting maxmemory-policy, and never that of REDIS_URL. Default CACHE_REDIS_URL. A change takes effect at the next start.',
      ),
    maxAgeS: z
      .int()
      .min(1)
      .max(LONGEST_S)
      .optional()
      .describe('Seconds for which an answer is kept, where its Cache-Control allows for more. Default 300.'),
    maxCharacters: z
      .int()
      .min(1)
      .optional()
      .describe('Answers with more characters of data are not kept. Default 262,144.'),
    perCallerMinute: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Characters of answers that one caller may have kept in a minute, by each process; further ones are not kept. Default 67,108,864. A change takes effect at the next start.',
      ),
    sharePublic: z
      .boolean()
      .optional()
      .describe(
        'Whether answers that the schema says are PUBLIC are shared by all users with the same roles and scopes. Subgraphs are then told of these alone, so that what only the user may see is not in the answer. Default false: each user has answers of their own.',
      ),
  })
  .describe(
    'Keeps answers in Redis for as long as their Cache-Control allows. Absent: off. It begins with the next start.',
  );

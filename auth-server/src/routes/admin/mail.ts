import { z } from 'zod';
import type { HasClock } from '../../clock.ts';
import type { MailFeatures } from '../../mail/mail-limits.ts';
import { required } from './admin-context.ts';
import type { AdminOperation, PerformFeatures } from './admin-operation.ts';

/** What the administration of mail works with. */
export type MailApiFeatures = HasClock & Pick<MailFeatures, 'mailStore'> & PerformFeatures;

const MOST_MESSAGES = 200;

/** A message; what it says is for its reader: it may open an account. Moments are seconds since 1970. */
export interface MessageJson {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly attempts: number;
  readonly next_attempt_at: number;
  readonly expires_at: number;
}

const messageSchema = z.object({
  id: z.string(),
  to: z.string(),
  subject: z.string(),
  attempts: z.number(),
  next_attempt_at: z.number(),
  expires_at: z.number(),
});

/** Lists messages that wait to be handed over, those that are due first, 200 at most. */
export const listMail: AdminOperation<
  MailApiFeatures,
  { messages: readonly MessageJson[]; waiting: number }
> = {
  id: 'listMail',
  method: 'GET',
  path: '/mail',
  scope: 'auth:mail:read',
  summary: 'Lists messages that wait to be handed over, those that are due first, 200 at most.',
  output: z.object({ messages: z.array(messageSchema), waiting: z.number() }),
  statuses: [200],
  run: async ({ mailStore }) => {
    const { messages, waiting } = await mailStore.list(MOST_MESSAGES);
    const listed = messages.map(({ id, to, subject, attempts, nextAttemptAt, expiresAt }) => ({
      id,
      to,
      subject,
      attempts,
      next_attempt_at: Math.floor(nextAttemptAt / 1000),
      expires_at: Math.floor(expiresAt / 1000),
    }));
    return { status: 200, body: { messages: listed, waiting } };
  },
};

/** Has a message handed over with the next look at the queue. */
export const retryMail: AdminOperation<MailApiFeatures, undefined> = {
  id: 'retryMail',
  method: 'POST',
  path: '/mail/:id/retry',
  scope: 'auth:mail:write',
  summary: 'Has a message handed over with the next look at the queue.',
  statuses: [204],
  run: async ({ mailStore, clock }, { path }) => {
    const id = messageIdOf(path);
    required((await mailStore.has(id)) ? true : undefined);
    await mailStore.postpone(id, clock());
    return { status: 204, body: undefined };
  },
};

/** Removes a message: it is not handed over any more. */
export const removeMail: AdminOperation<MailApiFeatures, undefined> = {
  id: 'removeMail',
  method: 'DELETE',
  path: '/mail/:id',
  scope: 'auth:mail:write',
  summary: 'Removes a message: it is not handed over any more.',
  statuses: [204],
  run: async ({ mailStore }, { path }) => {
    const id = messageIdOf(path);
    required((await mailStore.has(id)) ? true : undefined);
    await mailStore.remove(id);
    return { status: 204, body: undefined };
  },
};

/** @throws OAuthError not_found */
function messageIdOf(path: Readonly<Record<string, string>>): string {
  const { id = '' } = path;
  return required(z.uuid().safeParse(id).success ? id : undefined);
}

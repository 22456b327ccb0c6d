import { createHmac } from 'node:crypto';
import { MailRejected, type MailTransport } from './mail.ts';

/** Who is asked to send messages. */
export interface WebhookOptions {
  readonly url: string;
  /** Key of the signatures. */
  readonly secret: string;
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

const TIMEOUT_MS = 15_000;

/**
 * Posts messages as JSON to a service that sends them, signed as Standard Webhooks says: the headers `webhook-id`,
 * `webhook-timestamp` and `webhook-signature` prove who sent it, and when; the id stays the same when it is repeated.
 *
 * @see https://www.standardwebhooks.com
 */
export function createWebhookTransport({ url, secret, from, clock }: WebhookOptions): MailTransport {
  return {
    deliver: async (id, message) => {
      const now = clock();
      const body = JSON.stringify({
        type: 'mail.message',
        timestamp: new Date(now).toISOString(),
        data: { from, ...message },
      });
      const timestamp = String(Math.floor(now / 1000));
      const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
      const { ok, status } = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        },
        body,
      });
      if (ok) return;
      const what = `The webhook answered ${status}.`;
      throw isFinal(status) ? new MailRejected(what) : new Error(what);
    },
    close: () => Promise.resolve(),
  };
}

/** The receiver understands the message and does not want it. */
function isFinal(status: number): boolean {
  return [400, 410, 413, 422].includes(status);
}

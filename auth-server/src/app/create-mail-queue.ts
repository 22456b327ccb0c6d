import type { Logger } from '@trellis/runtime';
import type { AuthServerConfig } from './auth-server-config.ts';
import { createMailQueue, type MailQueue, type MailQueueDependencies } from '../mail/mail-queue.ts';
import type { MailTransport } from '../mail/mail.ts';
import { createSmtpTransport } from '../mail/smtp-transport.ts';
import { createWebhookTransport } from '../mail/webhook-transport.ts';

/** What a queue is made with, beside the configuration. */
export interface MailQueueResources extends Pick<MailQueueDependencies, 'store' | 'metrics' | 'clock'> {
  readonly logger: Logger;
  readonly issuer: string;
}

/** Makes the queue that the configuration asks for: none without mail, and none where mail is only logged. */
export function createConfiguredMailQueue(
  config: AuthServerConfig,
  resources: MailQueueResources,
): MailQueue | undefined {
  if (config.MAIL_URL === undefined || config.MAIL_URL === 'log:') return undefined;
  const transport = createTransport(config.MAIL_URL, config, resources);
  return createMailQueue({ ...resources, transport, ttlS: config.LINK_TTL_S });
}

function createTransport(
  url: string,
  { MAIL_FROM: from = '', MAIL_WEBHOOK_SECRET: secret = '' }: AuthServerConfig, // demanded with the URL
  { issuer, clock }: MailQueueResources,
): MailTransport {
  return url.startsWith('http')
    ? createWebhookTransport({ url, secret, from, clock })
    : createSmtpTransport({ url, from, issuer });
}

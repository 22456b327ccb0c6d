import type { Logger } from '@trellis/runtime';
import type { Mail } from './mail.ts';

/** Writes messages, one-time links and all, into the log: for development, where no one else reads it. */
export function createLogMail(logger: Logger): Mail {
  return {
    send: (message) => {
      logger.info({ mail: message }, 'mail message');
      return Promise.resolve();
    },
  };
}

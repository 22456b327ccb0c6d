import type { Logger } from '../telemetry/logger.ts';

/** Milliseconds that the end may take: what is in flight may never come to one after a fault. */
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Logs an error or a rejection that no one has handled as a record like any other, and ends the process with 1: what the program's
 * state is by then, no one knows. What is in flight has five seconds.
 *
 * @param close ends what the process serves
 */
export function endOnUnhandledError(logger: Logger, close: () => Promise<unknown>): void {
  let isEnding = false;
  const end = async (): Promise<never> => {
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
    try {
      await close();
    } catch (failure) {
      logger.error({ err: failure }, 'graceful shutdown failed');
    }
    return process.exit(1);
  };
  // Rejections come here, too: that is Node's default for those that no one handles.
  process.on('uncaughtException', (error, origin) => {
    logger.fatal({ err: error, origin }, 'uncaught error; ending the process');
    if (isEnding) return;
    isEnding = true;
    void end();
  });
}

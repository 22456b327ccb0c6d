import type { DestinationStream } from 'pino';

/**
 * Gathers the records of one turn of the event loop and writes them in one go: a system call for each costs a busy server
 * more than making the record. What is still held when the process exits, by itself or by an uncaught error, is written then.
 */
export function writeByTurns(destination: DestinationStream): DestinationStream {
  let waiting = '';
  const flush = (): void => {
    const text = waiting;
    waiting = '';
    if (text !== '') destination.write(text);
  };
  process.on('exit', flush);
  return {
    write: (record) => {
      if (waiting === '') setImmediate(flush);
      waiting += record;
    },
  };
}

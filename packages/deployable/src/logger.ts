import { pino, type DestinationStream, type Logger } from 'pino';
import { writeByTurns } from './write-by-turns.ts';

export type { Logger } from 'pino';

/** Settings of {@link createLogger}. */
export interface LoggerOptions {
  /** The deployable; in every record as `service`. */
  readonly service: string;
  /** `silent`, `error`, `warn`, `info`, `debug`, `trace`. @default 'info' */
  readonly level?: string;
  /** Where records go, one JSON object a line. @default standard output */
  readonly destination?: DestinationStream;
}

/** Members whose values never reach a log, at the depths where requests and configurations carry them. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'client_secret',
  'code_verifier',
  'refresh_token',
  'access_token',
  'id_token',
];

/** An authorization code is called `code`, as are error codes, which must be readable: so by the places where it arrives. */
const CODES = ['body.code', 'query.code', '*.body.code', '*.query.code'];

/** One for all loggers of the process. */
const standardOutput = writeByTurns(pino.destination({ dest: 1, sync: true }));

/** A structured logger that writes JSON lines and removes secrets. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: { service: options.service },
    redact: {
      paths: [...CODES, ...SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])],
      censor: '[secret]',
    },
  };
  return pino(settings, options.destination ?? standardOutput);
}

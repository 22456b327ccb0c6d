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

const CENSOR = '[secret]';

/** One for all loggers of the process. */
const standardOutput = writeByTurns(pino.destination({ dest: 1, sync: true }));

/** A structured logger that writes JSON lines and removes secrets. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: { service: options.service },
    redact: {
      paths: [...CODES, ...SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])],
      censor: CENSOR,
    },
  };
  return pino(settings, options.destination ?? standardOutput);
}

/**
 * The same logger for flat records, whose members are texts, numbers and lists of them: it looks for secrets among a record's own
 * members alone. To look at every depth costs several times what it costs to write such a record.
 */
export function createFlatLogger(logger: Logger): Logger {
  return logger.child({}, { redact: { paths: [...SECRETS], censor: CENSOR } });
}

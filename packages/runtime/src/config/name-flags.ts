import { own } from '../own-property.ts';

/** A variable in a sentence; in paths and in `${env.NAME}` it is another one. */
const VARIABLE = /(?<![\w./$-])[A-Z][A-Z_]*(?![\w/-]|\.\w)/g;

/**
 * A message about variables, for a user who has given some of them as flags.
 *
 * @param flags by variable: `GATEWAY_PORT` and `PORT` are `--port`
 * @example 'GATEWAY_PORT: must be a whole number.' → '--port: must be a whole number.'
 */
export function nameFlags(message: string, flags: Readonly<Record<string, string>>): string {
  return message.replaceAll(VARIABLE, (variable) => own(flags, variable) ?? variable);
}

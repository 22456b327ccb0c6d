import type { Bytes } from './bytes.ts';

/** A rejection that the client reads. Its message is the whole error line, code first: `WRONGTYPE Operation against …`. */
export class RedisError extends Error {
  override readonly name = 'RedisError';
}

/** A request that breaks the protocol: it is answered with this message, and the connection ends. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** The texts that several commands share. Clients match on them, so they are Redis' own. */
export const messages = {
  wrongType: 'WRONGTYPE Operation against a key holding the wrong kind of value',
  syntax: 'ERR syntax error',
  notInteger: 'ERR value is not an integer or out of range',
  notFloat: 'ERR value is not a valid float',
  overflow: 'ERR increment or decrement would overflow',
  notANumber: 'ERR resulting score is not a number (NaN)',
  noSuchKey: 'ERR no such key',
  negativeTimeout: 'ERR timeout is negative',
  invalidStreamId: 'ERR Invalid stream ID specified as stream command argument',
  noScript: 'NOSCRIPT No matching script. Please use EVAL.',
  noAuth: 'NOAUTH Authentication required.',
  wrongPassword: 'WRONGPASS invalid username-password pair or user is disabled.',
} as const;

/** @param command lower case; a subcommand as `config|get` */
export function wrongArity(command: string): RedisError {
  return new RedisError(`ERR wrong number of arguments for '${command}' command`);
}

/** @param command lower case */
export function invalidExpiry(command: string): RedisError {
  return new RedisError(`ERR invalid expire time in '${command}' command`);
}

/** @param command upper case: the name that HELP is asked of */
export function unknownSubcommand(command: string, subcommand: Bytes): RedisError {
  return new RedisError(`ERR unknown subcommand '${printable(subcommand)}'. Try ${command} HELP.`);
}

/** At most 128 bytes of what a client sent, fit for an error line: line breaks would end it. */
export function printable(bytes: Bytes): Bytes {
  return bytes.slice(0, 128).replace(/[\r\n]/g, ' ');
}

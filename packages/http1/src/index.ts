export {
  BrokenResponse,
  MalformedRequest,
  type ExchangeHandler,
  type ExchangeRequest,
  type HeadField,
  type HeadFields,
  type ResponseStart,
} from './client/exchange.ts';
export { ConnectionPool, type ConnectionPoolOptions } from './client/connection-pool.ts';
export { ParsedFields } from './client/parsed-fields.ts';
export { assertHeader, BodyBuffer, BodyMemory } from './client/messages.ts';
export {
  ASCII_VALUE,
  CONNECTION_FIELDS,
  isFieldName,
  isFieldValue,
  isScopeToken,
  MESSAGE_FIELDS,
} from './fields.ts';
export { PlainFirstServer } from './server/plain-first-server.ts';
export type { PlainRequest } from './server/plain-messages.ts';
export type { PlainExchange, PlainResponder, PlainTimes } from './server/plain-responder.ts';
export { AsciiText } from './server/ascii-text.ts';
export { byteLengthOf, largeBody, PIECE_BYTES, writeInPieces } from './server/plain-messages.ts';
export type { WholeBody, WholeResponse } from './server/plain-messages.ts';

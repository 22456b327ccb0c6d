import { ownOf } from '@trellis/runtime/own-property';

/**
 * Where a `subscribe` message from the gateway carries what the headers of an HTTP request would: `extensions.headers`, an
 * object of strings, names in lower case. One socket serves many users, so nothing of them is in the connection.
 */
export const SUBSCRIBE_HEADERS_EXTENSION = 'headers';

/** Where a `subscribe` message names the last event that the client has seen: `extensions.lastEventId`, a string. */
export const LAST_EVENT_ID_EXTENSION = 'lastEventId';

/** Where the result of an event carries what it can be resumed after: `extensions.eventId`, a string. */
export const EVENT_ID_EXTENSION = 'eventId';

/**
 * Reads one header of a `subscribe` message.
 *
 * @param name in lower case
 * @returns undefined when it is absent or no string
 */
export function readSubscribeHeader(extensions: unknown, name: string): string | undefined {
  return readString(ownOf(extensions, SUBSCRIBE_HEADERS_EXTENSION), name);
}

/** Reads the event that a `subscribe` message asks to go on after. Undefined: from now on. */
export function readLastEventId(extensions: unknown): string | undefined {
  return readString(extensions, LAST_EVENT_ID_EXTENSION);
}

/** Reads the id of the event that a result carries. Undefined: it can't be resumed after. */
export function readEventId(extensions: unknown): string | undefined {
  return readString(extensions, EVENT_ID_EXTENSION);
}

function readString(object: unknown, name: string): string | undefined {
  const value = ownOf(object, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

import { v7, validate, version } from 'uuid';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A new UUID v7 (RFC 9562 §5.7). Within a process every id is greater than the one before. */
export function createId(): string {
  return v7();
}

/** The moment that a UUID v7 carries, exact to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** An id from outside in the form in which the database keeps it; undefined for what can't be an id, which is an unknown id. */
export function parseId(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined;
}

/** Whether a text is a UUID v7, whose order is the order in time. */
export function isTimeOrderedId(text: string): boolean {
  return validate(text) && version(text) === 7;
}

import type { AddressGuard } from './address-guard.ts';
import { sendGuarded } from './guarded-request.ts';

/** A document at an address. */
export interface DocumentRequest {
  readonly url: string;
  /** Media types, as the header `Accept` has them. */
  readonly accept: string;
  /** A longer one is an error. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Reads a document. Redirects are not followed: they would lead where no one has pointed. @throws Error that says what is wrong */
export async function readDocument(
  { url, accept, maxBytes, signal }: DocumentRequest,
  guard: AddressGuard,
): Promise<string> {
  const request = { method: 'GET', url: new URL(url), headers: { accept }, maxBytes, signal } as const;
  const { status, body } = await sendGuarded(request, guard);
  if (status !== 200) throw new Error(`The status is ${status}.`);
  return body;
}

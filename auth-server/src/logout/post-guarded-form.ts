import type { AddressGuard } from '../outbound/address-guard.ts';
import { sendGuarded } from '../outbound/guarded-request.ts';

/**
 * Posts a form and returns the status of the response, whose body is not read and whose redirects are not followed.
 *
 * @throws Error when the address is rejected or does not respond within 5 s
 */
export async function postGuardedForm(
  url: URL,
  form: Readonly<Record<string, string>>,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<number> {
  const body = new URLSearchParams(form).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
  };
  const { status } = await sendGuarded({ method: 'POST', url, headers, body, maxBytes: 0, signal }, guard);
  return status;
}

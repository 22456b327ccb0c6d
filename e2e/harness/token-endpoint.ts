import { sharedPlatform } from './shared-platform.ts';

/** Form fields by name. */
export type Fields = Readonly<Record<string, string>>;

/** Sends a token request of the demo client to the shared platform; `fields` say how it differs from a code exchange. */
export function postToken(fields: Fields, headers: Fields = {}): Promise<Response> {
  return fetch(`${sharedPlatform().addresses.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: 'trellis-cli', ...fields }),
    headers,
  });
}

/** The `error` of a response of RFC 6749 §5.2, with its status: `400 invalid_grant`. */
export async function rejectionOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { readonly error: string };
  return `${response.status} ${error}`;
}

/** Shows a token to userinfo. */
export function userInfo({ access_token: token }: { readonly access_token: string }): Promise<Response> {
  return fetch(`${sharedPlatform().addresses.issuer}/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  });
}

/** What a JWT says, unverified. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A client with a secret, as a web application on a server is. */
export const confidentialClient = {
  client_id: 'e2e-web',
  client_name: 'Reading Room',
  client_secret: 'a-secret-that-only-this-suite-and-its-platform-know-0123456789',
  application_type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: ['http://127.0.0.1:53124/callback?from=reading-room'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'openid profile email offline_access read:data',
};

/** A public client whose redirect URI is compared to the letter. */
export const exactClient = {
  client_id: 'e2e-exact',
  client_name: 'Exact',
  application_type: 'web',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['https://app.example.com/signed-in', 'https://app.example.com/also'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'openid read:data',
};

/** A single-page application, which the suite serves at this port. */
export const singlePageClient = {
  client_id: 'e2e-spa',
  client_name: 'Single Page',
  application_type: 'web',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1:53125/callback'],
  post_logout_redirect_uris: ['http://127.0.0.1:53125/bye'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'openid email read:data',
} as const;

/** Writes the file that CLIENTS_FILE names. @returns its path */
export function writeClientsFile(directory: string): string {
  const path = join(directory, 'clients.json');
  writeFileSync(path, JSON.stringify([confidentialClient, exactClient, singlePageClient], undefined, 2));
  return path;
}

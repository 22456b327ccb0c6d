import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks, documentationPages } from '../documentation/code-blocks.ts';

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

/** The secret of the documentation's clients here; the platform and the tests are processes of their own. */
const documentedSecret = 'rT2k9-VwQm4xL0pZ8sYd_HbN7cJf3gAeU6iO1tKqXyM';

/** Stands in for `http://localhost:3000` of the documentation, which may be in use. Systems hand out no port as low to others. */
export const documentedOrigin = 'http://localhost:23126';

/** What stands for a secret in the documentation; it is rejected as it stands. */
const DOCUMENTED_SECRET = 'change-this-to-43-random-characters-of-your-own';

/** A text of the documentation, at the addresses of this suite and with a secret. */
export function atSuiteOrigin(text: string): string {
  return text
    .replaceAll('http://localhost:3000', documentedOrigin)
    .replaceAll(DOCUMENTED_SECRET, documentedSecret);
}

/** The clients of the documentation, as its pages register them. */
function documentedClients(): readonly unknown[] {
  return documentationPages()
    .filter((page) => page.startsWith('docs/clients/'))
    .flatMap(codeBlocks)
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(atSuiteOrigin(text)) as unknown);
}

/** Writes the file that CLIENTS_FILE names. @returns its path */
export function writeClientsFile(directory: string): string {
  const path = join(directory, 'clients.json');
  const clients = [confidentialClient, exactClient, singlePageClient, ...documentedClients()];
  writeFileSync(path, JSON.stringify(clients, undefined, 2));
  return path;
}

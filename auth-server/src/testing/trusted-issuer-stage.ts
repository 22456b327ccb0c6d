import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
import { addClient, command } from './add-client.ts';
import { basic, postForm, type JsonResponse } from './flow.ts';
import { startPartnerIssuer, type PartnerIssuer } from './partner-issuer.ts';
import { startTestAuthServer, type TestAuthServer } from './test-auth-server.ts';
import { API } from './test-clients.ts';

/** A server that trusts issuers, each in its own way. */
export interface TrustedIssuerStage {
  readonly server: TestAuthServer;
  /** Its users are accounts that are linked, and its keys are found by discovery. */
  readonly partner: PartnerIssuer;
  /** Its users have no accounts, and its keys are declared. */
  readonly guests: PartnerIssuer;
  /** Its tokens are exchanged and are no grants. */
  readonly exchanged: PartnerIssuer;
  /** Can't be reached yet. */
  readonly absent: PartnerIssuer;
  /** Presents an assertion as a grant. */
  present(assertion: string, changes?: Record<string, string>, clientId?: string): Promise<JsonResponse>;
  isActive(token: unknown): Promise<boolean>;
  /** Records of the log of a security event. */
  audited(event: string): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

/** Starts it. */
export async function startTrustedIssuerStage(): Promise<TrustedIssuerStage> {
  const directory = createTemporaryDirectory();
  const [partner, guests, exchanged, absent] = await Promise.all([
    startPartnerIssuer(),
    startPartnerIssuer(),
    startPartnerIssuer(),
    startPartnerIssuer(),
  ]);
  const clients = ['billing'];
  const common = { clients, scopes: ['read:data', 'write:data'], subjects: 'linked', uses: ['assertion'] };
  const issuers = [
    { ...common, issuer: partner.issuer, algorithms: ['ES256'] },
    {
      ...common,
      issuer: guests.issuer,
      subjects: 'namespaced',
      jwks: { keys: [guests.publicKey] },
      scopes: ['read:data'],
    },
    {
      ...common,
      issuer: exchanged.issuer,
      uses: ['subject_token'],
      audiences: ['api://billing'],
      subjects: 'namespaced',
      jwks_uri: `${exchanged.issuer}/keys`,
    },
    { ...common, issuer: absent.issuer },
  ];
  const file = join(directory.path, 'issuers.json');
  writeFileSync(file, JSON.stringify(issuers));
  const server = await startTestAuthServer({ TRUSTED_ISSUERS_FILE: file, ADMIN_API: 'true' });
  const grants = [JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT];
  const service = { grant_types: grants, scope: 'profile read:data write:data read:profile' };
  await addClient(server, { ...service, client_id: 'billing', token_exchange_audiences: [API] });
  await addClient(server, { ...service, client_id: 'another' });
  await command(
    server,
    'accounts',
    'link',
    '--email',
    'ada@example.com',
    '--issuer',
    partner.issuer,
    '--subject',
    'ada-there',
  );
  return {
    server,
    partner,
    guests,
    exchanged,
    absent,
    present(assertion, changes = {}, clientId = 'billing') {
      const form = { grant_type: JWT_BEARER_GRANT, assertion, ...changes };
      return postForm(`${server.issuer}/token`, form, basic(clientId));
    },
    async isActive(token) {
      const form = { token: String(token) };
      return (await postForm(`${server.issuer}/introspect`, form, basic('basic'))).body['active'] === true;
    },
    audited: (event) =>
      server.log
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((record) => record['event'] === event),
    async close() {
      await server.stop();
      await Promise.all([partner, guests, exchanged, absent].map((issuer) => issuer.close()));
      directory.remove();
    },
  };
}

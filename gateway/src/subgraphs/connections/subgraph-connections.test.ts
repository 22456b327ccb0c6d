import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigError } from '@trellis/runtime';
import { createTemporaryDirectory, createAuthority, until } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../config/read-settings.ts';
import { fillIn } from '../../settings/fill-in.ts';
import { settingTable } from '../../settings/settings.ts';
import {
  startSecureSubgraph,
  type SecureSubgraph,
  type SecureSubgraphOptions,
} from '../../testing/secure-subgraph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { createSubgraphClient, type SubgraphResponse } from '../subgraph-client.ts';
import { SubgraphConnections } from './subgraph-connections.ts';

const files = createTemporaryDirectory();
const authority = createAuthority(files.path);
const otherAuthority = createAuthority(files.path, 'other-authority');
const server = authority.issue('server');
const client = authority.issue('gateway');
const nextClient = authority.issue('gateway-next');
const expiredClient = authority.issue('gateway-expired', { days: -1 });
const otherClient = otherAuthority.issue('gateway-other');

const TYPE_DEFS = gql`
  type Query {
    best: Int
  }
`;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});
afterAll(() => files.remove());

async function subgraph(options: SecureSubgraphOptions): Promise<SecureSubgraph> {
  const started = await startSecureSubgraph(options);
  open.push(started);
  return started;
}

async function gatewayTo({ url }: Pick<SecureSubgraph, 'url'>, settings: string): Promise<TestGateway> {
  const gateway = await startTestGateway({
    subgraphs: [{ name: 'ratings', typeDefs: TYPE_DEFS, url } as never], // composed by its SDL
    settings,
  });
  open.push(gateway);
  return gateway;
}

const ask = (gateway: TestGateway): ReturnType<TestGateway['post']> => gateway.post({ query: '{ best }' });

const BEST = { data: { best: 1 } };
const CA = `ca: "\${file.${authority.certificateFile}}"`;
const CLIENT = `certificate: "\${file.${client.certificateFile}}", key: "\${file.${client.keyFile}}"`;
const tls = (members: string, more = ''): string => `subgraphConnections: { tls: { ${members} }${more} }`;

/** Sends a request by the settings of a gateway.yaml. */
async function send({ url }: Pick<SecureSubgraph, 'url'>, settings: string): Promise<SubgraphResponse> {
  const file = join(files.path, 'gateway.yaml');
  writeFileSync(file, settings);
  const inUse = fillIn(settingTable, readSettings(file, {}).settings);
  const bounds = { maxConnections: 2, connectTimeoutMs: 5_000 };
  const connections = new SubgraphConnections(inUse.subgraphConnections, bounds);
  const { signal } = new AbortController();
  const request = { subgraph: 'ratings', url, body: '{}', headers: {}, isMutation: false, signal };
  return createSubgraphClient({ connections })
    .send(request)
    .finally(() => connections.close());
}

/** Why the subgraph could not be reached, as the log has it. */
async function reasonOf(sending: Promise<SubgraphResponse>): Promise<string> {
  const failure = await sending.catch((error: unknown) => error);
  expect(failure).toMatchObject({
    kind: 'unreachable',
    message: 'The subgraph "ratings" could not be reached.',
  });
  return String((failure as Error).cause);
}

describe('TLS to a subgraph', () => {
  it('shows the client certificate, and trusts the configured authority', async () => {
    const ratings = await subgraph({ protocols: 'http1', certificate: server, clientAuthority: authority });
    const gateway = await gatewayTo(ratings, tls(`${CLIENT}, ${CA}`));
    expect((await ask(gateway)).body).toEqual(BEST);
    expect(ratings.requests).toMatchObject([{ client: 'gateway', httpVersion: '1.1' }]);
  });

  it('asks for the configured name, and the certificate has to be for it', async () => {
    const named = authority.issue('named', { name: 'DNS:ratings.test' });
    const ratings = await subgraph({ protocols: 'http1', certificate: named });
    const response = await send(ratings, tls(`${CA}, serverName: ratings.test`));
    expect(response.status).toBe(200);
    expect(ratings.requests).toMatchObject([{ serverName: 'ratings.test' }]);
  });

  it('has rules of its own for one subgraph', async () => {
    const ratings = await subgraph({ protocols: 'http1', certificate: server, clientAuthority: authority });
    const own = `, subgraphs: { ratings: { tls: { ${CLIENT}, ${CA} } } }`;
    expect((await send(ratings, tls('serverName: other.test', own))).status).toBe(200);
  });

  it.each<readonly [string, SecureSubgraphOptions, string, string]>([
    [
      'an authority that is not trusted',
      { protocols: 'http1', certificate: otherAuthority.issue('unknown-server') },
      CA,
      'No authority that the gateway trusts has signed the certificate of the subgraph',
    ],
    [
      'the authorities of Node.js alone',
      { protocols: 'http1', certificate: server },
      '',
      'No authority that the gateway trusts has signed the certificate of the subgraph',
    ],
    [
      'an expired certificate',
      { protocols: 'http1', certificate: authority.issue('expired-server', { days: -1 }) },
      CA,
      'The certificate of the subgraph has expired.',
    ],
    [
      'a certificate for another name',
      { protocols: 'http1', certificate: authority.issue('other-server', { name: 'DNS:other.test' }) },
      CA,
      'The certificate of the subgraph is for other names',
    ],
    [
      'no client certificate where one is demanded',
      { protocols: 'http1', certificate: server, clientAuthority: authority },
      CA,
      'reject a client certificate or ask for one', // a server of Node.js closes the connection without an alert
    ],
    [
      'a client certificate of another authority',
      { protocols: 'http1', certificate: server, clientAuthority: authority },
      `${CA}, certificate: "\${file.${otherClient.certificateFile}}", key: "\${file.${otherClient.keyFile}}"`,
      'reject a client certificate or ask for one',
    ],
    [
      'no HTTP/2 where it is demanded',
      { protocols: 'http1', certificate: server },
      `${CA} }, protocol: http2, subgraphs: {`,
      'The subgraph speaks no version of HTTP that subgraphConnections.protocol allows.',
    ],
    [
      'an untrusted authority over HTTP/2',
      { protocols: 'http2', certificate: server },
      `serverName: a.test }, protocol: http2, subgraphs: {`,
      'No authority that the gateway trusts',
    ],
  ])('the failure says why with %s', async (_what, options, members, sentence) => {
    const ratings = await subgraph(options);
    const reason = await reasonOf(send(ratings, tls(members)));
    expect(reason).toContain(sentence);
    expect(ratings.requests).toEqual([]);
  });

  it('the failure says why where the server sends an alert', async () => {
    const accepting = [
      's_server',
      '-accept',
      '127.0.0.1:0',
      '-cert',
      server.certificateFile,
      '-key',
      server.keyFile,
    ];
    const demanding = [
      '-CAfile',
      authority.certificateFile,
      '-Verify',
      '1',
      '-verify_return_error',
      '-alpn',
      'h2',
    ];
    const child = spawn('openssl', [...accepting, ...demanding], { stdio: ['pipe', 'pipe', 'ignore'] });
    open.push({ close: async () => void child.kill() });
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    await until(() => /ACCEPT \S+:\d+/.test(said), 'openssl listens');
    const url = `https://127.0.0.1:${/ACCEPT \S+:(\d+)/.exec(said)?.[1]}/graphql`;
    const reason = await reasonOf(send({ url }, tls(CA, ', protocol: http2')));
    expect(reason).toContain('The subgraph demands a client certificate, or does not accept');
  });

  it('a client certificate that has expired is in the log from the start, by its key', async () => {
    const ratings = await subgraph({ protocols: 'http1', certificate: otherAuthority.issue('unknown') });
    const { certificateFile, keyFile } = expiredClient;
    const gateway = await gatewayTo(
      ratings,
      tls(`${CA}, certificate: "\${file.${certificateFile}}", key: "\${file.${keyFile}}"`),
    );
    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({
        msg: 'client certificate for subgraphs expired or not yet valid',
        setting: 'subgraphConnections.tls.certificate',
        validTo: expect.any(String) as string,
      }),
    );
    await ask(gateway);
    const log = JSON.stringify(gateway.logged());
    expect(log).toContain('No authority that the gateway trusts has signed the certificate of the subgraph');
    expect(log).not.toMatch(/PRIVATE KEY|BEGIN/);
  });

  it('a certificate that rotates is shown from then on, without a restart', async () => {
    const ratings = await subgraph({ protocols: 'http1', certificate: server, clientAuthority: authority });
    const rotating = {
      certificate: join(files.path, 'rotating.pem'),
      key: join(files.path, 'rotating-key.pem'),
    };
    const write = (pair: typeof client): void => {
      writeFileSync(rotating.certificate, pair.certificate);
      writeFileSync(rotating.key, pair.key);
    };
    write(client);
    const pair = `certificate: "\${file.${rotating.certificate}}", key: "\${file.${rotating.key}}"`;
    const gateway = await gatewayTo(ratings, tls(`${CA}, ${pair}`));
    await ask(gateway);
    write(nextClient);
    await until(() => gateway.logged().some(({ msg }) => msg === 'configuration reloaded'), 'it is reloaded');
    expect((await ask(gateway)).body).toEqual(BEST);
    expect(ratings.requests.map((request) => request.client)).toEqual(['gateway', 'gateway-next']);
    rmSync(rotating.key);
    await until(
      () => JSON.stringify(gateway.logged()).includes('keeping the current one'),
      'a key that is missing changes nothing',
    );
    expect((await ask(gateway)).body).toEqual(BEST);
  });
});

describe('HTTP/2 to a subgraph', () => {
  it.each<readonly [string, SecureSubgraphOptions['protocols'], string]>([
    ['auto', 'both', '2.0'],
    ['auto', 'http1', '1.1'],
    ['auto', 'http2', '2.0'],
    ['http2', 'both', '2.0'],
    ['http1', 'both', '1.1'],
  ])('protocol %s, at a subgraph with %s: HTTP/%s', async (protocol, protocols, version) => {
    const ratings = await subgraph({ protocols, certificate: server, clientAuthority: authority });
    const settings = tls(`${CLIENT}, ${CA}`, `, protocol: ${protocol}`);
    expect(String((await send(ratings, settings)).body)).toBe(JSON.stringify(BEST));
    expect(ratings.requests.map(({ httpVersion }) => httpVersion)).toEqual([version]);
    expect(ratings.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'trellis-timeout-ms': expect.stringMatching(/^\d+$/) as string,
    });
  });

  it('by prior knowledge without TLS, where it is configured', async () => {
    const ratings = await subgraph({ protocols: 'h2c' });
    const gateway = await gatewayTo(
      ratings,
      'subgraphConnections: { subgraphs: { ratings: { protocol: http2 } } }',
    );
    expect((await ask(gateway)).body).toEqual(BEST);
    expect(ratings.requests).toMatchObject([{ httpVersion: '2.0' }]);
  });
});

describe('Settings of connections that do not go together', () => {
  const file = join(files.path, 'gateway.yaml');
  it.each([
    [CLIENT.split(', ')[0], 'subgraphConnections.tls.certificate: needs its key beside it (gateway.yaml:1).'],
    [CLIENT.split(', ')[1], 'subgraphConnections.tls.key: needs its certificate beside it (gateway.yaml:1).'],
    [
      `certificate: "\${file.${client.certificateFile}}", key: "\${file.${server.keyFile}}"`,
      'subgraphConnections.tls.key: is not the key of the certificate (gateway.yaml:1).',
    ],
    ['ca: nothing', 'subgraphConnections.tls.ca: must be a certificate in PEM (gateway.yaml:1).'],
    [
      `ca: "\${file.${client.keyFile}}"`,
      'subgraphConnections.tls.ca: must be a certificate in PEM (gateway.yaml:1).',
    ],
    [
      'ca: "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----"',
      'subgraphConnections.tls.ca: has a certificate that cannot be read (gateway.yaml:1).',
    ],
    [
      `key: "\${file.${client.certificateFile}}"`,
      'subgraphConnections.tls.key: must be a private key in PEM (gateway.yaml:1).',
    ],
    [
      'key: "-----BEGIN ENCRYPTED PRIVATE KEY-----"',
      'subgraphConnections.tls.key: must be a private key without a passphrase (gateway.yaml:1).',
    ],
    ['serverName: "a b"', 'subgraphConnections.tls.serverName: must be the name of a host (gateway.yaml:1).'],
  ])('%s', (members, problem) => {
    writeFileSync(file, tls(members ?? ''));
    try {
      readSettings(file, {});
      expect.unreachable();
    } catch (error) {
      expect((error as ConfigError).problems).toEqual([problem]);
      expect((error as ConfigError).message).not.toContain('PRIVATE KEY-----');
    }
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repository } from '../programs/run-program.ts';
import { generateSecrets } from 'trellis/generate-secrets';
import { HEAP_FLAGS, programs } from 'trellis/programs';
import { environmentIn, readComposeFile, type ComposeService } from './compose-environment.ts';
import { environmentOf, parseDockerfile } from './dockerfile.ts';

const deployables = programs.map(({ service }) => service);

const composeFile = join(repository, 'docker-compose.yml');

let text: string;
let services: Readonly<Record<string, ComposeService>>;
let image: Readonly<Record<string, string>>;
let secrets: Readonly<Record<string, string>>;

beforeAll(async () => {
  ({ text, services } = await readComposeFile());
  const stages = parseDockerfile(await readFile(join(repository, 'Dockerfile'), 'utf8'));
  image = environmentOf(stages.at(-1) ?? { base: '', instructions: [] });
  secrets = await generateSecrets();
});

function serviceOf(name: string): ComposeService {
  const service = services[name];
  if (!service) throw new Error(`There is no service ${name}.`);
  return service;
}

describe.each(programs)('docker-compose.yml: $service', ({ service: name, variables, read }) => {
  it('is built from its own deployable', () => {
    expect(serviceOf(name).build?.args.DEPLOYABLE).toBe(name);
  });

  it('sets only variables that the deployable has', () => {
    const set = Object.keys({ ...image, ...serviceOf(name).environment });
    // NODE_ENV concerns libraries as well, so it is set for all.
    expect(set.filter((variable) => variable !== 'NODE_ENV' && !Object.hasOwn(variables, variable))).toEqual(
      [],
    );
  });

  it('is a configuration that the deployable accepts in production, once the secrets exist', () => {
    const set = environmentIn(serviceOf(name), secrets);
    const mounted = { CONFIG: join(repository, 'graph/gateway.yaml') };
    expect(read({ ...image, ...set, ...(name === 'gateway' && mounted) })).toMatchObject({
      HOST: '0.0.0.0',
      PORT: 8_080,
    });
    expect(image['NODE_ENV']).toBe('production');
  });

  it('runs without rights that it does not need, and waits for what it cannot do without', () => {
    const service = serviceOf(name);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {}))
      expect(condition).toBe(
        name === 'database-roles' ? 'service_completed_successfully' : 'service_healthy',
      );
  });
});

describe('docker-compose.yml', () => {
  it('has the deployables, their stores, what prepares these, and the proxy of a profile, and nothing else', () => {
    expect(Object.keys(services).toSorted()).toEqual(
      [
        ...deployables,
        'postgres',
        'database-roles',
        'redis',
        'cache-redis',
        'redis-users',
        'tls-proxy',
      ].toSorted(),
    );
  });

  it('H4: shows the network nothing but the proxy that ends TLS, and that in its profile alone', () => {
    const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(published.map(([name]) => name)).toEqual(['gateway', 'auth-server', 'tls-proxy']);
    expect(serviceOf('gateway').ports).toEqual(['127.0.0.1:${GATEWAY_PORT:-4000}:8080']);
    expect(serviceOf('auth-server').ports).toEqual(['127.0.0.1:${AUTH_PORT:-4001}:8080']);
    expect(serviceOf('tls-proxy')).toMatchObject({ profiles: ['tls'], ports: ['80:80', '443:443'] });
  });

  it('H4: leads each name to the service that is meant, and gives the proxy its names and its file', async () => {
    const file = await readFile(join(repository, 'scripts/containers/Caddyfile'), 'utf8');
    const sites = [...file.matchAll(/^\{\$(\w+)\} \{\n\treverse_proxy (\S+)/gm)];
    expect(sites.map(([, name, upstream]) => [name, upstream])).toEqual([
      ['GRAPH_DOMAIN', 'gateway:8080'],
      ['ISSUER_DOMAIN', 'auth-server:8080'],
    ]);
    const { environment, volumes } = serviceOf('tls-proxy');
    expect(environment).toEqual({
      GRAPH_DOMAIN: '${GRAPH_DOMAIN:-}',
      ISSUER_DOMAIN: '${ISSUER_DOMAIN:-}',
    });
    expect(volumes).toContain('./scripts/containers:/etc/caddy:ro');
  });

  it('trusts the proxy of the profile, and no other, about the addresses of clients', async () => {
    const { networks } = parse(text, { merge: true }) as {
      networks: { edge: { ipam: { config: object[] } } };
    };
    expect(networks.edge.ipam.config).toEqual([{ subnet: '172.31.255.0/28', ip_range: '172.31.255.8/29' }]);
    const proxy = '172.31.255.2';
    expect(serviceOf('tls-proxy').networks).toEqual({ edge: { ipv4_address: proxy } });
    expect(serviceOf('auth-server').environment?.['TRUSTED_PROXIES']).toBe(proxy);
    const settings = parse(await readFile(join(repository, 'graph/gateway.yaml'), 'utf8')) as object;
    expect(settings).toEqual({ http: { trustProxy: [proxy] } });
  });

  it('gives the gateway the folder of the supergraph: a file that is mounted by itself never changes', () => {
    const { volumes, environment } = serviceOf('gateway');
    expect(volumes).toEqual(['./graph:/etc/trellis:ro']);
    expect(environment).toMatchObject({
      SUPERGRAPH: '/etc/trellis/supergraph.graphql',
      CONFIG: '/etc/trellis/gateway.yaml',
    });
  });

  it('H4: gives each service a role and a Redis user of its own, with a password of its own', () => {
    const urls = deployables.flatMap((name) =>
      Object.entries(serviceOf(name).environment ?? {}).filter(([variable]) =>
        /(DATABASE|REDIS)_URL$/.test(variable),
      ),
    );
    expect(urls).toHaveLength(5 + 7);
    const users = urls.map(([, url]) => /^\w+:\/\/([\w-]+):\$\{(\w+):\?/.exec(url)?.slice(1) ?? []);
    expect(new Set(users.map(([, password]) => password)).size).toBe(urls.length);
    for (const [user] of users) expect(['trellis', 'default', 'operator', 'health']).not.toContain(user);
  });

  it('gives the passwords of those who run the stores to the stores alone', () => {
    for (const name of deployables) {
      const given = JSON.stringify(serviceOf(name).environment);
      for (const password of ['POSTGRES_PASSWORD', '{REDIS_PASSWORD', '{CACHE_REDIS_PASSWORD'])
        expect(given).not.toContain(password);
    }
  });

  it('keeps the stores on a network of their own, with health checks', () => {
    for (const store of ['postgres', 'redis']) {
      expect(serviceOf(store).networks).toEqual(['data']);
      expect(serviceOf(store).healthcheck).toBeDefined();
    }
  });

  it('gives the gateway the room that `npm run gateway` does', async () => {
    const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    expect(serviceOf('gateway').command).toEqual(['node', ...HEAP_FLAGS, 'dist/main.js']);
    for (const name of ['gateway', 'supergraph'])
      expect(scripts[name], name).toMatch(new RegExp(`^exec node ${HEAP_FLAGS.join(' ')} --conditions=`));
  });

  it('gives the gateway the room that docs/operations.md has users give it', async () => {
    const page = await readFile(join(repository, 'docs/operations.md'), 'utf8');
    expect(page).toContain(`\`node ${HEAP_FLAGS.join(' ')} gateway/dist/main.js\``);
  });

  it('makes Redis keep what it was given', () => {
    const command = serviceOf('redis').command?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
  });

  it('has no secret, and no default for one', () => {
    const defaulted = [...text.matchAll(/\$\{(\w+):-/g)].map(([, variable]) => variable);
    expect(defaulted.filter((variable) => /PASSWORD|SECRET|KEY/.test(variable ?? ''))).toEqual([]);
    const literal = /(?:PASSWORD|SECRET|PRIVATE_KEY|REDISCLI_AUTH):\s+(?!\$\{)/;
    expect(text).not.toMatch(literal);
  });

  it('is what Docker Compose accepts', async ({ skip }) => {
    const run = promisify(execFile);
    const version = await run('docker-compose', ['version', '--short']).catch(() => undefined);
    if (!version) skip('docker-compose is not installed here');
    const folder = await mkdtemp(join(tmpdir(), 'compose-file-'));
    const environmentFile = join(folder, '.env');
    const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'\n`);
    await writeFile(environmentFile, lines.join(''));
    const { stdout } = await run('docker-compose', [
      '--env-file',
      environmentFile,
      '-f',
      composeFile,
      'config',
    ]);
    await rm(folder, { recursive: true });
    expect(Object.keys((parse(stdout) as { services: object }).services).toSorted()).toEqual(
      Object.keys(services).toSorted(),
    );
  });
});

describe('Dockerfile', () => {
  it('runs as a user that is not root, with a health check, and without a shell in between', async () => {
    const stages = parseDockerfile(await readFile(join(repository, 'Dockerfile'), 'utf8'));
    const instructions = stages.at(-1)?.instructions ?? [];
    const argumentOf = (keyword: string) => instructions.find((item) => item.keyword === keyword)?.argument;
    expect(argumentOf('USER')).toBe('node');
    expect(argumentOf('HEALTHCHECK')).toContain('/health/ready');
    expect(argumentOf('CMD')).toBe('["node", "dist/main.js"]');
  });

  it('takes no secret as an argument or a variable', async () => {
    const stages = parseDockerfile(await readFile(join(repository, 'Dockerfile'), 'utf8'));
    const set = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword }) => keyword === 'ARG' || keyword === 'ENV')
        .map(({ argument }) => argument),
    );
    expect(set.filter((argument) => /PASSWORD|SECRET|KEY|TOKEN/i.test(argument))).toEqual([]);
  });
});

import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { EXIT_CONFIG, EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choosePorts, type PlatformPorts } from '../harness/platform-process.ts';
import { startProgram, type Ending, type RunningProgram } from '../harness/running-program.ts';

describe('npm start with an environment that can not work', () => {
  let directory: TemporaryDirectory;
  let ports: PlatformPorts;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    ports = await choosePorts();
  });

  afterAll(() => directory.remove());

  it('reports every problem at once, in words, and exits with 78 before anything has started', async () => {
    const { program, ending, dataDirectory } = await start('wrong', {
      GATEWAY_PORT: 'four thousand',
      AUTH_PORT: '99999',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://localhost/trellis',
      ISSUER: 'http://auth.example.com/',
      ACCESS_TOKEN_TTL_S: '1',
      CLIENTS_FILE: '/does/not/exist.json',
    });
    expect([ending.code, ending.leftBehind]).toEqual([EXIT_CONFIG, []]);
    const errors = program.output.all;
    for (const name of ['GATEWAY_PORT', 'AUTH_PORT', 'LOG_LEVEL', 'DATABASE_URL', 'ACCESS_TOKEN_TTL_S'])
      expect(errors).toMatch(new RegExp(`^ +- .*\\b${name}: \\S.*\\.$`, 'm'));
    expect(errors).not.toMatch(/ at .*:\d+|Error:|\[object/);
    expect(program.output.standard).toBe('');
    expect(existsSync(dataDirectory)).toBe(false);
  });

  it('reports contradictions too: a missing clients file, an issuer that is not https', async () => {
    const { program, ending } = await start('contradictory', {
      ISSUER: 'http://auth.example.com/',
      CLIENTS_FILE: '/does/not/exist.json',
    });
    expect(ending.code).toBe(EXIT_CONFIG);
    expect(program.output.all).toMatch(/ISSUER\b.*https/);
    expect(program.output.all).toMatch(/ISSUER\b.*slash/);
    expect(program.output.all).toContain('/does/not/exist.json');
  });

  it('rejects in production what is for development', async () => {
    const { program, ending } = await start('production', { NODE_ENV: 'production' });
    expect(ending.code).toBe(EXIT_CONFIG);
    for (const name of ['REDIS_URL', 'ISSUER', 'KEY_ENCRYPTION_SECRET', 'COOKIE_SECRET'])
      expect(program.output.all).toMatch(new RegExp(`\\b${name}\\b.*is required`));
    const demo = await start('demo', { NODE_ENV: 'production', DEMO_DATA: 'true' });
    expect(demo.program.output.all).toMatch(/DEMO_DATA\b.*rejected in production/);
  });

  it('says which argument it does not know', async () => {
    const { program, ending } = await start('arguments', {}, ['--splitt']);
    expect(ending.code).toBe(EXIT_USAGE);
    expect(program.output.all).toContain('--splitt');
    expect(program.output.all).toContain('Did you mean --split?');
  });

  it('says which ports are taken and how to choose others', async () => {
    const taken = await Promise.all([listen(ports.GATEWAY_PORT), listen(ports.POSTS_PORT)]);
    const { program, ending } = await start('taken', {});
    for (const server of taken) server.close();
    expect([ending.code, ending.leftBehind]).toEqual([1, []]);
    expect(program.output.all).toMatch(new RegExp(`${ports.GATEWAY_PORT} is in use.*GATEWAY_PORT`));
    expect(program.output.all).toMatch(new RegExp(`${ports.POSTS_PORT} is in use.*POSTS_PORT`));
    expect(program.output.all).not.toMatch(/EADDRINUSE| at .*:\d+/);
  });

  it('says that a PostgreSQL that was named does not answer, without its password', async () => {
    const { program, ending } = await start('unreachable', {
      DATABASE_URL: 'postgresql://trellis:s3cr3t-w0rd@127.0.0.1:1/trellis',
    });
    expect(ending.code).not.toBe(0);
    expect(program.output.all).toMatch(/PostgreSQL|database|127\.0\.0\.1:1|ECONNREFUSED/i);
    expect(program.output.all).not.toContain('s3cr3t-w0rd');
    expect(ending.leftBehind).toEqual([]);
  });

  async function start(
    name: string,
    environment: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): Promise<{ program: RunningProgram; ending: Ending; dataDirectory: string }> {
    const dataDirectory = join(directory.path, name);
    const program = startProgram('start', {
      args,
      dataDirectory,
      environment: { ...ports, DATA_DIR: dataDirectory, ...environment },
    });
    return { program, ending: await program.ended(40_000), dataDirectory };
  }
});

describe('npm run gateway', () => {
  it('says what it needs', async () => {
    const program = startProgram('gateway', { args: ['--port', '0'] });
    expect((await program.ended(20_000)).code).toBe(EXIT_USAGE);
    expect(program.output.all).toContain('--supergraph FILE');
  });

  it('reports every problem at once and exits with 78', async () => {
    const program = startProgram('gateway', {
      args: [
        '--supergraph',
        '/does/not/exist.graphql',
        '--port',
        'many',
        '--workers',
        '0',
        '--forward-header',
        'Connection',
      ],
      environment: { TOKEN_ISSUER: 'nowhere', OPERATIONS_PORT: '0' },
    });
    expect((await program.ended(20_000)).code).toBe(EXIT_CONFIG);
    // each by the name that it was given under
    for (const name of ['--port', '--workers', '--forward-header', 'TOKEN_ISSUER'])
      expect(program.output.all).toMatch(new RegExp(`^ +- ${name}: \\S.*\\.$`, 'm'));
  });

  it('says that there is no such supergraph', async () => {
    const program = startProgram('gateway', {
      args: ['--supergraph', '/does/not/exist.graphql', '--port', '0'],
      environment: { OPERATIONS_PORT: '0' },
    });
    expect((await program.ended(20_000)).code).not.toBe(0);
    expect(program.output.all).toContain('/does/not/exist.graphql');
  });
});

async function listen(port: string): Promise<Server> {
  const server = createServer();
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  return server;
}

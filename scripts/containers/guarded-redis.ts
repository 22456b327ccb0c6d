import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, freePort } from '@trellis/testkit';
import { repository } from '../programs/run-program.ts';
import { generateSecrets } from 'trellis/generate-secrets';

/** A redis-server with the users that docker-compose.yml gives it. */
export interface GuardedRedis {
  /** The URL of a user: `gateway`, `auth-server`, `posts`, …, `operator`. */
  urlOf(user: string): string;
  stop(): Promise<void>;
}

/** Whether this machine can start one. */
export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The users of a Redis, as the containers get them. @param kind which Redis of docker-compose.yml */
export function redisUsers(kind: 'state' | 'cache', passwords: Readonly<Record<string, string>>): string {
  const script = join(repository, 'scripts/containers/redis-users.sh');
  const env = { PATH: process.env['PATH'], ...passwords };
  return execFileSync('sh', [script, kind], { env, encoding: 'utf8', stdio: 'pipe' });
}

/** Starts one on a free port of this machine, with its data in a folder that goes with it. */
export async function startGuardedRedis(kind: 'state' | 'cache'): Promise<GuardedRedis> {
  const [port, passwords] = [await freePort(), await generateSecrets()];
  const directory = createTemporaryDirectory();
  const file = join(directory.path, 'users.acl');
  writeFileSync(file, redisUsers(kind, passwords));
  const settings = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    directory.path,
    '--aclfile',
    file,
  ];
  const server = spawn('redis-server', [...settings, '--save', ''], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (output.includes('Ready to accept connections')) break;
  }
  if (!output.includes('Ready to accept connections'))
    throw new Error(`redis-server does not start:\n${output}`);
  server.stdout.resume();
  const variables = variablesOf[kind];
  return {
    urlOf: (user) => `redis://${user}:${passwords[variables[user] ?? '']}@127.0.0.1:${port}`,
    stop: async () => {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
      directory.remove();
    },
  };
}

/** The variables of the users' passwords. */
const variablesOf: Readonly<Record<'state' | 'cache', Readonly<Record<string, string>>>> = {
  state: {
    operator: 'REDIS_PASSWORD',
    'auth-server': 'AUTH_REDIS_PASSWORD',
    gateway: 'GATEWAY_REDIS_PASSWORD',
    users: 'USERS_REDIS_PASSWORD',
    posts: 'POSTS_REDIS_PASSWORD',
    comments: 'COMMENTS_REDIS_PASSWORD',
    search: 'SEARCH_REDIS_PASSWORD',
  },
  cache: { operator: 'CACHE_REDIS_PASSWORD', gateway: 'GATEWAY_CACHE_REDIS_PASSWORD' },
};

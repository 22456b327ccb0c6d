import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, latencyBudgetMs, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { startPlatform, type PlatformProcess } from '../harness/platform-process.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { signIn } from '../harness/sign-in.ts';

interface Overview {
  readonly users: readonly { readonly name: string }[];
  readonly post: { readonly title: string } | null;
}

const DEPLOYABLES = [
  'auth-server',
  'services/users',
  'services/posts',
  'services/comments',
  'services/search',
  'gateway',
];

describe('npm start -- --split', () => {
  let directory: TemporaryDirectory;
  let platform: PlatformProcess;
  let token: string;
  let query: string;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    const dataDirectory = join(directory.path, 'data');
    damageRegistry(dataDirectory);
    platform = await startPlatform({
      dataDirectory,
      args: ['--split'],
    });
    ({ access_token: token } = await signIn(platform.addresses.issuer));
    const { graph } = platform.addresses;
    const response = await askGraph<{ posts: { id: string }[] }>(graph, {
      query: '{ posts(first: 1) { id } }',
      token,
    });
    query = `{ users(limit: 1) { name } post(id: "${dataOf(response).posts[0]?.id}") { title } }`;
  });

  afterAll(() => directory.remove());

  it('runs each deployable in a process of its own', () => {
    for (const deployable of DEPLOYABLES) expect(processOf(deployable)).toHaveLength(1);
  });

  it('gives each an operations port of its own, beginning with the one that is configured', async () => {
    const first = Number(new URL(platform.addresses.operations).port);
    const services = await Promise.all(
      DEPLOYABLES.map(async (_deployable, index) => {
        const series = await readMetrics(`http://127.0.0.1:${first + index}`);
        return series.map(({ labels }) => labels['service']).find((service) => service !== undefined);
      }),
    );
    expect(new Set(services)).toEqual(
      new Set(['auth-server', 'users', 'posts', 'comments', 'search', 'gateway']),
    );
  });

  it('starts with a registry that is damaged, and says so in one sentence', () => {
    const lines = platform.output.standard.split('\n').filter((line) => /registry/i.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/The registry .+ stays as it is, and the platform goes on without it: \S.+/);
  });

  it('serves everything else when a subgraph is killed, and starts it again', async () => {
    const [victim] = processOf('services/posts');
    if (!victim) throw new Error('services/posts does not run.'); // 0 would be the test's own process group
    process.kill(victim.pid, 'SIGKILL');
    const without = await eventually(ask, ({ data }) => data?.post === null);
    expect(without.status).toBe(200);
    expect(without.data?.users).toHaveLength(1);
    expect(without.errors?.map(({ path }) => path)).toEqual([['post']]);
    const again = await eventually(ask, ({ errors }) => errors === undefined);
    expect(again.data?.post?.title).toEqual(expect.any(String));
    expect(processOf('services/posts').map(({ pid }) => pid)).not.toContain(victim.pid);
  });

  it('ends with all its processes within 10 s of SIGTERM', async () => {
    const ending = await platform.stop();
    expect([ending.code, ending.leftBehind]).toEqual([0, []]);
    expect(ending.elapsedMs).toBeLessThan(latencyBudgetMs(10_000));
  });

  function ask(): Promise<GraphResponse<Overview>> {
    return askGraph<Overview>(platform.addresses.graph, { query, token });
  }

  function processOf(deployable: string) {
    return platform
      .processes()
      .filter(({ command }) => programOf(command) === deployable && !command.startsWith('/bin/sh'));
  }
});

/** The folder of what is run, from source or compiled. */
function programOf(command: string): string | undefined {
  const main = /\/(?:src|dist)\/main\.[tj]s$/;
  return main.test(command)
    ? DEPLOYABLES.find((folder) => command.replace(main, '').endsWith(folder))
    : undefined;
}

function damageRegistry(dataDirectory: string): void {
  mkdirSync(join(dataDirectory, 'registry'), { recursive: true });
  writeFileSync(join(dataDirectory, 'registry', 'registry.json'), '{"format":');
}

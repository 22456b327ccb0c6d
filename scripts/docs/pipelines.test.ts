import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { programArguments } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { repository } from '../programs/run-program.ts';

// The commands of examples/pipelines run as they stand, in bash, on a registry in a branch of a git repository. Only two names are
// replaced: `trellis` is the program of this repository, and ./deploy.sh writes down when it was called.

const execute = promisify(execFile);
const folder = join(repository, 'examples/pipelines');
const INSTALL = 'npm install --global trellis';

const texts = z.record(z.string().regex(/^[A-Z_]+$/), z.string());
const setup = z.strictObject({
  uses: z.enum(['actions/checkout@v4', 'actions/setup-node@v4']),
  with: z.strictObject({ 'node-version': z.literal(22) }).optional(),
});
const runStep = z.strictObject({ run: z.string(), env: texts.optional() });
/** What GitHub Actions knows of what is used here; a mistyped key fails. */
const githubWorkflow = z.strictObject({
  name: z.string(),
  on: z
    .record(z.enum(['pull_request', 'push', 'schedule', 'workflow_dispatch']), z.unknown())
    .or(z.unknown()),
  permissions: z.strictObject({ contents: z.literal('read') }),
  concurrency: z.strictObject({ group: z.string() }),
  env: texts,
  jobs: z.record(
    z.string(),
    z.strictObject({
      if: z.string(),
      'runs-on': z.literal('ubuntu-24.04'),
      'timeout-minutes': z.number().max(30),
      environment: z.string().optional(),
      steps: z.array(z.union([setup, runStep])),
    }),
  ),
});
const gitlabJob = z.strictObject({
  stage: z.enum(['test', 'deploy']),
  environment: z.string().optional(),
  resource_group: z.string().optional(),
  rules: z.array(z.strictObject({ if: z.string(), when: z.literal('manual').optional() })),
  script: z.array(z.string()),
  artifacts: z
    .strictObject({ when: z.literal('always'), reports: z.strictObject({ junit: z.string() }) })
    .optional(),
});
/** The same of GitLab. */
const gitlabPipeline = z
  .object({
    image: z.literal('node:22'),
    variables: texts.optional(),
    before_script: z.tuple([z.literal(INSTALL)]),
  })
  .catchall(gitlabJob);

type Jobs = ReadonlyMap<string, readonly string[]>;

/** The commands of each job, less the installation. */
function githubJobs(name: string): { readonly jobs: Jobs; readonly env: Readonly<Record<string, string>> } {
  const { jobs, env } = githubWorkflow.parse(parse(readFileSync(join(folder, name), 'utf8')));
  const commands = Object.entries(jobs).map(([job, { steps }]) => {
    const runs = steps.flatMap((step) => ('run' in step ? [step.run] : []));
    expect(runs[0]).toBe(INSTALL);
    return [job, runs.slice(1).map((run) => run.trim())] as const;
  });
  return { jobs: new Map(commands), env };
}

function gitlabJobs(name: string): { readonly jobs: Jobs; readonly env: Readonly<Record<string, string>> } {
  const {
    image: _image,
    variables = {},
    before_script: _before,
    ...jobs
  } = gitlabPipeline.parse(parse(readFileSync(join(folder, name), 'utf8')));
  const commands = Object.entries(jobs).map(
    ([job, { script }]) => [job, script.map((line) => line.trim())] as const,
  );
  return { jobs: new Map(commands), env: variables };
}

const LINK = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
`;
const USERS = print(gql`
  ${LINK}
  type Query {
    me: User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String
  }
`);
const REVIEWS = print(gql`
  ${LINK}
  type Query {
    reviews: [Review]
  }
  type Review {
    id: ID!
    stars: Int
  }
`);

let work: string;
let shared: Readonly<Record<string, string>>;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'pipelines-'));
  mkdirSync(join(work, 'bin'));
  const program = programArguments(join(repository, 'cli/src/main.ts')).map((argument) => `'${argument}'`);
  write('bin/trellis', `#!/bin/sh\nexec '${process.execPath}' ${program.join(' ')} "$@"\n`);
  write('deploy.sh', '#!/bin/sh\necho deployed >> log\n');
  execFileSync('git', ['init', '--quiet', '--bare', join(work, 'registry.git')]);
  shared = { TRELLIS_REGISTRY: `git+file://${join(work, 'registry.git')}` };
  const keys = JSON.parse(await bash('trellis keys new --json')) as { signingKey: unknown; trust: unknown };
  shared = {
    ...shared,
    TRELLIS_SIGNING_KEY: JSON.stringify(keys.signingKey),
    TRELLIS_REGISTRY_TRUST: JSON.stringify(keys.trust),
  };
  write('users.graphql', USERS);
  await bash(
    'trellis registry init && trellis publish --graph content@staging --subgraph users --schema users.graphql --routing-url http://users.test/graphql',
  );
});
afterAll(() => rmSync(work, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(work, name), text);
  chmodSync(join(work, name), 0o755);
}

/** Standard output; a command that fails throws with both streams. */
async function bash(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { FORCE_COLOR: _color, ...inherited } = process.env;
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => !value.includes('${{')));
  const path = `${join(work, 'bin')}:${inherited['PATH'] ?? ''}`;
  const options = { cwd: work, env: { ...inherited, ...shared, ...given, PATH: path }, timeout: 60_000 };
  return (await execute('bash', ['-c', script], options)).stdout;
}

describe('Pipelines that can be copied', () => {
  it('of GitHub and GitLab run the same commands', () => {
    for (const name of ['subgraph', 'platform']) {
      const [github, gitlab] = [githubJobs(`${name}.github.yml`), gitlabJobs(`${name}.gitlab.yml`)];
      const same = ([job, lines]: readonly [string, readonly string[]]): unknown => [
        job,
        lines.map((line) =>
          line
            .replace('GITHUB_SHA', 'CI_COMMIT_SHA')
            .replace(' --format github', '')
            .replace(' --format junit --output check.xml', ''),
        ),
      ];
      expect([...gitlab.jobs].map(same)).toEqual([...github.jobs].map(same));
    }
  });

  it('check, deploy and publish a subgraph, in the order that the check has proved', async () => {
    const { jobs, env } = githubJobs('subgraph.github.yml');
    const deploy = (): Promise<string> =>
      bash(jobs.get('deploy')?.join('\n') ?? '', { ...env, GITHUB_SHA: 'abc' });
    write('schema.graphql', REVIEWS);
    await bash(jobs.get('check')?.join('\n') ?? '', env);
    const added = await deploy();
    expect(added).toMatch(/published: content@staging 2/);
    expect(readFileSync(join(work, 'log'), 'utf8')).toBe('deployed\n');

    write('schema.graphql', REVIEWS.replace('stars: Int', ''));
    await expect(deploy()).rejects.toMatchObject({
      stdout: expect.stringContaining('Review.stars') as string,
    });
    await expect(bash(jobs.get('check')?.join('\n') ?? '', env)).rejects.toThrow(/Command failed/);
    expect(readFileSync(join(work, 'log'), 'utf8')).toBe('deployed\n');
    write('schema.graphql', REVIEWS);
  }, 120_000);

  it('promote, verify and roll back a graph', async () => {
    const { jobs, env } = githubJobs('platform.github.yml');
    const run = (job: string, more: Readonly<Record<string, string>> = {}): Promise<string> =>
      bash(`set -e\n${jobs.get(job)?.join('\n')}`, { ...env, ...more });
    expect(await run('promote')).toContain('content@production 1');
    await bash(
      'trellis publish --graph content@production --subgraph users --schema users.graphql --routing-url http://other.test/graphql',
    );
    expect(await run('rollback', { SEQUENCE: '1' })).toMatch(/content@production 3: rollback/);
    expect(await run('verify')).toMatch(/content@production 3/);
  }, 120_000);
});

describe('docs/deploy-a-subgraph.md', () => {
  const page = readFileSync(join(repository, 'docs/deploy-a-subgraph.md'), 'utf8');

  it('links to each pipeline, and names no command that they do not run', () => {
    for (const name of ['subgraph.github', 'subgraph.gitlab', 'platform.github', 'platform.gitlab'])
      expect(page).toContain(`(../examples/pipelines/${name}.yml)`);
    const all = ['subgraph.github.yml', 'platform.github.yml'].flatMap((name) => [
      ...githubJobs(name).jobs.values(),
    ]);
    const run = `${all.flat().join('\n')}\ntrellis keys new\ntrellis registry init`;
    for (const [, command = ''] of page.matchAll(/`(trellis [a-z]+(?: [a-z]+)?)/g))
      expect(run).toContain(command);
  });
});

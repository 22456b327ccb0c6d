import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DemoUser } from '../harness/demo-people.ts';
import { root } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { signIn } from '../harness/sign-in.ts';
import { hasTest, type TitledTest } from '../harness/titled-test.ts';
import { claimsOf } from '../harness/token-endpoint.ts';

/** What users, scripts and operators rely on: more may be added, what the file has goes on working. */
interface Surface {
  readonly commands: readonly SurfaceCommand[];
  /** Defaults by variable. */
  readonly ports: Readonly<Record<string, number>>;
  readonly requests: readonly SurfaceRequest[];
  readonly behaviours: readonly { readonly behaviour: string; readonly proofs: readonly TitledTest[] }[];
  readonly accounts: readonly DemoUser[];
  /** Of all accounts. */
  readonly password: string;
}

/** Each has tests that run it; this one starts no program. */
interface SurfaceCommand {
  readonly command: string;
  /** Its heading on the page of commands. */
  readonly page?: string;
  /** What the page has below it. */
  readonly options?: readonly string[];
  /** The line with which CI runs it. */
  readonly ci?: string;
  readonly proofs: readonly TitledTest[];
}

/** To a part of the platform, and what comes back. */
interface SurfaceRequest {
  readonly at: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly type?: string;
  /** Where a browser gets, from the root of the part. */
  readonly location?: string;
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const surface = JSON.parse(read('e2e/surface/surface.json')) as Surface;
const { addresses } = sharedPlatform();
const parts: Readonly<Record<string, string>> = {
  gateway: addresses.gateway,
  'auth-server': addresses.issuer,
  web: addresses.web,
  operations: addresses.operations,
  ...addresses.subgraphs,
};

function missingProofs(proofs: readonly TitledTest[]): readonly TitledTest[] {
  expect(proofs.length).toBeGreaterThan(0);
  return proofs.filter((proof) => !hasTest(proof));
}

describe('What users rely on: commands', () => {
  const { scripts } = JSON.parse(read('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const { bin } = JSON.parse(read('cli/package.json')) as { readonly bin: Readonly<Record<string, string>> };
  const page = read('docs/command-line.md');

  it.each(surface.commands)('$command can be run, and tests run it', ({ command, ci, proofs }) => {
    const [program, ...words] = command.split(' ');
    const name = words.at(program === 'npm' ? -1 : 0) ?? '';
    const found = program === 'npm' ? scripts[name] : bin[name];
    expect(found).toBeDefined();
    expect(missingProofs(proofs)).toEqual([]);
    if (ci !== undefined) expect(read('.ci/run')).toMatch(new RegExp(`^\\s*count \\S+ ${ci}$`, 'm'));
  });

  it.each(surface.commands.filter(({ options }) => options))(
    '$command takes what it took',
    ({ page: heading = '', options = [] }) => {
      const [, section = ''] = page.split(`\n## ${heading}\n`);
      const [usage = ''] = section.split('\n## ');
      expect(options.filter((option) => !usage.includes(option))).toEqual([]);
    },
  );
});

describe('What users rely on: addresses', () => {
  const variables = read('docs/configuration/platform.md');

  it.each(Object.entries(surface.ports))('%s is %i where it is not set', (variable, port) => {
    expect(variables).toMatch(new RegExp(`^\\| \`${variable}\` +\\| \`${port}\` `, 'm'));
  });

  it.each(surface.requests)('$at: $path responds with $status $type', async (request) => {
    const { at, path, status, type, location } = request;
    const { method = 'GET', headers = {}, body = null } = request;
    const response = await fetch(`${parts[at]}${path}`, { method, headers, body, redirect: 'manual' });
    await response.body?.cancel();
    expect(response.status).toBe(status);
    if (type !== undefined) expect(response.headers.get('content-type')).toContain(type);
    if (location === undefined) return;
    const target = new URL(response.headers.get('location') ?? '', parts[at]);
    expect(target.pathname).toBe(location);
  });
});

describe('What users rely on: behaviour', () => {
  it.each(surface.behaviours)('tests show: $behaviour', ({ proofs }) => {
    expect(missingProofs(proofs)).toEqual([]);
  });

  it.each(surface.accounts)('$email signs in, as $role', async (user) => {
    const { access_token: token } = await signIn(addresses.issuer, { user, password: surface.password });
    expect(claimsOf(token)['roles']).toEqual([user.role]);
  });
});

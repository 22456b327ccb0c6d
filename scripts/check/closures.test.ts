import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checks } from '../checks.ts';
import { judgeClosures, productionClosure, readLockfile, type Lockfile } from './closures.ts';

const lock: Lockfile = {
  importers: {
    app: {
      dependencies: {
        '@own/kit': { version: 'link:../packages/kit' },
        web: { version: '1.0.0(peer@3.0.0)' },
        short: { version: 'long-name@2.0.0' },
      },
    },
    'packages/kit': { dependencies: { native: { version: '1.0.0' }, web: { version: '1.0.0(peer@4.0.0)' } } },
    tools: { dependencies: { 'only-for-tools': { version: '1.0.0' } } },
  },
  packages: {
    'native-linux@1.0.0': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
    'native-musl@1.0.0': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'native-mac@1.0.0': { os: ['darwin'], cpu: ['arm64'] },
  },
  snapshots: {
    'web@1.0.0(peer@3.0.0)': { dependencies: { peer: '3.0.0' } },
    'web@1.0.0(peer@4.0.0)': { dependencies: { peer: '4.0.0' } },
    'peer@3.0.0': { dependencies: { web: '1.0.0(peer@3.0.0)' } },
    'peer@4.0.0': {},
    'long-name@2.0.0': {},
    'native@1.0.0': {
      optionalDependencies: { 'native-linux': '1.0.0', 'native-musl': '1.0.0', 'native-mac': '1.0.0' },
    },
    'native-linux@1.0.0': {},
    'native-musl@1.0.0': {},
    'native-mac@1.0.0': {},
    'only-for-tools@1.0.0': {},
  },
};

describe('The production closure', () => {
  it('has each version of a package once, those that own packages bring, and native parts of one platform', () => {
    expect([...productionClosure(lock, 'app')].toSorted()).toEqual([
      'long-name@2.0.0',
      'native-linux@1.0.0',
      'native@1.0.0',
      'peer@3.0.0',
      'peer@4.0.0',
      'web@1.0.0',
    ]);
  });

  it('of a folder that the lock file does not know is an error', () => {
    expect(() => productionClosure(lock, 'attic')).toThrow('pnpm-lock.yaml knows no folder attic.');
  });

  it('of the gateway and of the auth-server is within its bound, and printed by npm run check', async () => {
    const check = checks.find(({ name }) => name === 'production packages');
    expect(await check?.run()).toEqual({
      passed: true,
      output: '',
      figures: expect.stringMatching(/^gateway \d{2,3} of 175, auth-server \d{2,3} of 110$/) as string,
    });
  });

  it('without @apollo/gateway, which is for development', () => {
    const names = [...productionClosure(readLockfile(repository), 'gateway')];
    expect(names).toContain('@apollo/query-planner@2.14.4');
    expect(names.filter((name) => /^@apollo\/(gateway|composition)@/.test(name))).toEqual([]);
  });

  it('beyond its bound fails, and is named by its folder', () => {
    expect(
      judgeClosures([
        { folder: 'small', packages: 3, atMost: 3 },
        { folder: 'large', packages: 4, atMost: 3 },
      ]),
    ).toEqual({
      passed: false,
      output: 'large brings more packages into production than it may.',
      figures: 'small 3 of 3, large 4 of 3',
    });
  });
});

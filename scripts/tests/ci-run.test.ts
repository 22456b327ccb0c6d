import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { findProofs } from '../prove/find-proofs.ts';
import { parseProveCommand } from '../prove/prove-command.ts';

const script = readFileSync(join(repository, '.ci/run'), 'utf8');
/** What makes a test one of Redis itself: all commands compared, or several servers. */
const STARTS_REDIS = /\b(?:startMirroredRedis|startTestRedisCluster|startSentinelRedis)\(/;

/** The places of one of its lists. */
function placesOf(list: string): readonly string[] {
  const [, places = ''] = new RegExp(String.raw`^${list}=\(([^)]*)\)`, 'm').exec(script) ?? [];
  return places.split(/\s+/).filter((place) => place !== '');
}

describe('.ci/run', () => {
  it.each(['postgres_tests', 'redis_tests'])('names existing places in %s, and fails otherwise', (list) => {
    const places = placesOf(list);
    expect(places.length).toBeGreaterThan(4);
    const check = /^require_places\(\) \{.*?^\}/ms.exec(script)?.[0] ?? '';
    const failures = (...checked: readonly string[]): string =>
      execFileSync(
        'bash',
        [
          '-c',
          `names=/dev/null; failed=0; ${check}\nrequire_places "$@"; echo "$failed"`,
          'bash',
          ...checked,
        ],
        {
          cwd: repository,
          encoding: 'utf8',
        },
      );
    expect(failures(...places)).toBe('0\n');
    expect(failures('services', 'auth-server/src/stores')).toMatch(/names auth-server\/src\/stores.*\n1\n$/);
  });

  it('runs each test of the stores on several Redis servers on Valkey too', () => {
    const places = placesOf('redis_tests');
    const missed = ['auth-server', 'gateway', 'packages', 'services']
      .flatMap((folder) => testFilesIn(folder))
      .filter((file) => STARTS_REDIS.test(readFileSync(join(repository, file), 'utf8')))
      .filter((file) => !places.some((place) => file.startsWith(place)));
    expect(missed).toEqual([]);
  });
});

describe('.ci/run, of proofs', () => {
  it('runs each in small, that of the packages among them', () => {
    const [, words = ''] = /^ {2}count \S+ npm run -s prove -- (.+)$/m.exec(script) ?? [];
    const invocation = parseProveCommand(words.replace(/"\$\(.+\)"/, '20').split(' '), findProofs(), 1);
    expect(invocation).toMatchObject({ kind: 'prove', selection: { names: [], size: 'small' } }); // no names: all
    expect(findProofs().map(({ name }) => name)).toContain('packages');
  });
});

function testFilesIn(folder: string): readonly string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : testFilesIn(path);
    return entry.name.endsWith('.test.ts') && dirname(path) !== '.' ? [path] : [];
  });
}

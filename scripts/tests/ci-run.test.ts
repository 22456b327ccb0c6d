import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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

describe('.ci/run, of titles', () => {
  const functions = ['count', 'count_missing_titles'].map(
    (name) => new RegExp(String.raw`^${name}\(\) \{.*?^\}`, 'ms').exec(script)?.[0] ?? '',
  );
  /** Of a program in the place of npm that ends with a status: what was printed, and how many failures were counted. */
  const compare = (revision: string, status: number): string =>
    execFileSync(
      'bash',
      [
        '-c',
        `names=/dev/null; passed=0; failed=0; ${functions.join('\n')}\nPATH="$2:$PATH"; count_missing_titles "$1"; echo "$failed"`,
        'bash',
        revision,
        programs(`#!/bin/sh\necho "$*"\nexit ${status}\n`),
      ],
      { cwd: repository, encoding: 'utf8' },
    );

  it('compares them with those of a revision that the clone has, and counts what is missing as a failure', () => {
    expect(compare('HEAD', 0)).toMatch(/^run -s titles -- --since HEAD\n0\n$/m);
    expect(compare('HEAD', 1)).toMatch(/ended with status 1\.\n1\n$/);
    expect(script).toMatch(/^ {2}count_missing_titles f46a320d$/m);
  });

  it('compares none with those of a revision that a shallow clone does not have', () => {
    const none = '0123456789abcdef0123456789abcdef01234567';
    expect(compare(none, 1)).toBe(`── Titles of tests not compared: this clone has no ${none}.\n0\n`);
  });
});

/** A folder with a program named npm. */
function programs(npm: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 });
  return folder;
}

describe('.ci/run, at its end', () => {
  it('names what failed, with the reasons, and nothing else of the output', () => {
    const count = /^count\(\) \{.*?^\}/ms.exec(script)?.[0] ?? '';
    const output = [
      '  before',
      'Failed: a > b',
      '  expected 1 to be 2',
      'a line',
      '  of it',
      '1 passed, 1 failed',
    ];
    const folder = programs(
      `#!/bin/sh\nprintf '%s\\n' ${output.map((line) => `'${line}'`).join(' ')}\nexit 1\n`,
    );
    const named = execFileSync(
      'bash',
      [
        '-c',
        `names=$(mktemp); passed=0; failed=0; ${count}\nPATH="$1:$PATH"; count 1m npm >/dev/null; cat "$names"; rm "$names"; echo "$passed and $failed"`,
        'bash',
        folder,
      ],
      { encoding: 'utf8' },
    );
    expect(named).toBe('Failed: a > b\n  expected 1 to be 2\n1 and 1\n');
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

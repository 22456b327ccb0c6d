import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventKey, redisNames } from './redis-names.ts';

const repository = new URL('../../../', import.meta.url);

/** Files of what ships, with their texts. */
const sources = ['auth-server', 'gateway', 'cli', 'packages', 'services']
  .flatMap((folder) =>
    // with their types, links are not followed: those of `node_modules` lead from package to package, on and on
    readdirSync(new URL(`${folder}/`, repository), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(fileURLToPath(repository), join(entry.parentPath, entry.name))),
  )
  .filter(
    (path) => path.endsWith('.ts') && !/\.test\.ts$|(^|\/)(node_modules|dist|testing|proofs)\//.test(path),
  )
  .map((path) => [path, readFileSync(new URL(path, repository), 'utf8')] as const);

describe('A name by which programs meet in Redis', () => {
  it.each([...Object.values(redisNames), eventKey('', '').slice(0, 16)])('is written once: %s', (name) => {
    const writers = sources.filter(([, text]) =>
      [`'${name}`, `\`${name}`].some((literal) => text.includes(literal)),
    );
    const others = writers.map(([path]) => path).filter((path) => !NOT_ABOUT_REDIS.has(path));
    expect(others).toEqual(['packages/subgraph-protocol/src/redis-names.ts']);
  });
});

/** The word "revocations" as the name of a connection. */
const NOT_ABOUT_REDIS = new Set(['gateway/src/app/redis-resources.ts']);

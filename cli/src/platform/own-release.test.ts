import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeOwnRelease } from './own-release.ts';
import { readPlatformConfig } from './platform-config.ts';

const ports = { AUTH: 1, USERS: 2, POSTS: 3, COMMENTS: 4, SEARCH: 5, GATEWAY: 6, WEB: 7, DOCS: 8 };
const describeIn = (environment: Readonly<Record<string, string>>) =>
  describeOwnRelease(readPlatformConfig(environment), environment, ports);

describe('What the platform publishes of itself', () => {
  it('are its four subgraphs, with the schemas that they serve, where they listen', () => {
    const { subgraphs } = describeIn({ DATA_DIR: '/data' });
    expect(subgraphs.map(({ name, routingUrl }) => [name, routingUrl])).toEqual([
      ['users', 'http://localhost:2/graphql'],
      ['posts', 'http://localhost:3/graphql'],
      ['comments', 'http://localhost:4/graphql'],
      ['search', 'http://localhost:5/graphql'],
    ]);
    for (const { name, sdl, version } of subgraphs) {
      const service = new URL(`../../../services/${name}/`, import.meta.url);
      expect(sdl).toBe(readFileSync(new URL('src/schema.graphql', service), 'utf8'));
      expect(version).toMatch(/^\d+\.\d+\.\d+/);
    }
  });

  it('is signed in development by a key of the data directory, and not checked', () => {
    expect(describeIn({ DATA_DIR: '/data', TRELLIS_SIGNING_KEY: '{}' })).toMatchObject({
      dataDirectory: '/data',
      graph: 'content@development',
      signingKey: undefined,
      isChecked: false,
    });
  });

  it('is signed in production by the key that is given, and checked', () => {
    expect(describeIn({ NODE_ENV: 'production', TRELLIS_SIGNING_KEY: '{}' })).toMatchObject({
      graph: 'content@production',
      signingKey: '{}',
      isChecked: true,
    });
  });
});

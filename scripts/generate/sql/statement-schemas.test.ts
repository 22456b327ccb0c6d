import { expect, it } from 'vitest';
import { schemaOf } from './statement-schemas.ts';

it.each([
  ['services/posts', 'services/posts/src/post-store.ts', 'posts'],
  ['packages/events', 'packages/events/src/outbox.ts', 'libraries'],
  ['auth-server', 'auth-server/src/mail/mail-store.ts', 'auth-server'],
  ['cli', 'cli/src/registry-server/audit-log.ts', 'registry'],
  ['cli', 'cli/src/recorded/usage-tables.ts', 'recorded_usage'],
  ['cli', 'cli/src/platform/external-stores.ts', 'cli'],
])('statements of %s are prepared with the tables of their part: %s', (folder, file, schema) => {
  expect(schemaOf(folder, file)).toBe(schema);
});

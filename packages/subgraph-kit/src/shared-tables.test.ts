import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** All migrations of a service, one text. */
function migrationsOf(service: string): string {
  const folder = `services/${service}/migrations/`;
  if (!existsSync(new URL(folder, root))) return '';
  return readdirSync(new URL(folder, root))
    .map((file) => read(folder + file))
    .join('\n');
}

const services = readdirSync(new URL('services/', root)).map((name) => [name, migrationsOf(name)] as const);

describe.each([
  ['idempotent_answer', 'packages/subgraph-kit/sql/idempotent-answer.sql'],
  ['outbox', 'packages/events/sql/outbox.sql'],
  ['event_cursor', 'packages/events/sql/consumer.sql'],
])('The table %s', (table, file) => {
  const owners = services.filter(([, text]) => text.includes(`CREATE TABLE ${table} (`));

  it('is used by services', () => {
    expect(owners.length).toBeGreaterThan(1);
  });

  it.each(owners)('of %s is the one that the packages expect', (_service, text) => {
    expect(text).toContain(read(file).trimEnd());
  });
});

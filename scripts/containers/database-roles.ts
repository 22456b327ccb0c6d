import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../programs/run-program.ts';
import { generateSecrets } from 'trellis/generate-secrets';

/** The services that have a role, by the schema that it owns. */
const services = ['auth', 'users', 'posts', 'comments', 'search'] as const;

/** One of them. */
export type RoleService = (typeof services)[number];

/** Whether this machine has a psql that can run the roles' script: 15 or later. */
export function hasPsql(): boolean {
  try {
    const version = execFileSync('psql', ['--version'], { encoding: 'utf8' });
    return Number(/(\d+)/.exec(version)?.[1]) >= 15;
  } catch {
    return false;
  }
}

/**
 * Makes the roles of docker-compose.yml in a database, as its container does.
 *
 * @param superuserUrl the database, as a superuser
 * @returns the URL of each service's role
 */
export async function makeDatabaseRoles(
  superuserUrl: string,
): Promise<Readonly<Record<RoleService, string>>> {
  const passwords = await generateSecrets();
  const script = join(repository, 'scripts/containers/postgres-roles.sql');
  execFileSync('psql', ['--no-psqlrc', '--quiet', '--dbname', superuserUrl, '--file', script], {
    env: { PATH: process.env['PATH'], ...passwords },
    stdio: 'pipe',
  });
  const entries = services.map((service) => {
    const url = new URL(superuserUrl);
    url.username = `trellis_${service}`;
    url.password = passwords[`${service.toUpperCase()}_DATABASE_PASSWORD`] ?? '';
    return [service, url.href] as const;
  });
  return Object.fromEntries(entries) as Record<RoleService, string>; // one entry each
}

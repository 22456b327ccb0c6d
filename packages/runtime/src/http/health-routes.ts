import type { FastifyInstance } from 'fastify';

/** Resolves when the thing can serve; rejects, or stays silent past the deadline, when it can't. */
export type ReadinessCheck = () => Promise<void>;

const CHECK_DEADLINE_MS = 2_000;

/**
 * `GET /health/live` responds with 200 while the process runs. `GET /health/ready` responds with 200 when every check passes and the
 * server is not draining, else 503 with the names of what failed.
 *
 * @param details further members of the response of a server that is ready
 */
export function addHealthRoutes(
  server: FastifyInstance,
  checks: Readonly<Record<string, ReadinessCheck>>,
  details: () => Readonly<Record<string, string>> = () => ({}),
): void {
  let draining = false;
  server.addHook('preClose', async () => {
    draining = true;
  });
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    const failed = draining ? ['draining'] : await failedChecks(checks);
    reply.status(failed.length === 0 ? 200 : 503).header('cache-control', 'no-store');
    return failed.length === 0 ? { status: 'ready', ...details() } : { status: 'unavailable', failed };
  });
}

async function failedChecks(checks: Readonly<Record<string, ReadinessCheck>>): Promise<string[]> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await passes(check)) ? undefined : name)),
  );
  return outcomes.filter((name) => name !== undefined);
}

async function passes(check: ReadinessCheck): Promise<boolean> {
  const checked = Promise.resolve()
    .then(check)
    .then(
      () => true,
      () => false,
    );
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_DEADLINE_MS);
  });
  return Promise.race([checked, deadline]).finally(() => clearTimeout(timer));
}

import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  createTemporaryDirectory,
  createTestDatabase,
  createTestUserContext,
  freePort,
  startTestRedis,
  proof,
} from '@trellis/testkit';
import {
  buildImage,
  prepareBuild,
  readRecipe,
  type ImageRecipe,
} from '../../scripts/containers/image-build.ts';
import { startImage } from '../../scripts/containers/image-process.ts';
import { repository } from '../../scripts/programs/run-program.ts';
import { generateSecrets } from 'trellis/generate-secrets';

const deployables = {
  small: ['gateway', 'auth-server'],
  full: ['gateway', 'auth-server', 'users', 'posts', 'comments', 'search'],
} as const;

/** Stores that a deployable may ask for. */
interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** Builds what the Dockerfile builds and runs what it would run. */
proof({
  name: 'container-images',
  description: 'What the Dockerfile puts into an image serves, is found healthy, and ends by SIGTERM.',
  run: async ({ size }) => {
    const directory = createTemporaryDirectory();
    const database = await createTestDatabase();
    const redis = await startTestRedis();
    const stores = { databaseUrl: database.connectionString, redisUrl: redis.url };
    try {
      const recipe = await readRecipe();
      await prepareBuild(recipe, directory.path);
      const statuses: Record<string, string> = {};
      for (const deployable of deployables[size])
        statuses[deployable] = await tryImage(recipe, directory.path, deployable, stores);
      return { passed: Object.values(statuses).every((status) => status === 'good'), figures: statuses };
    } finally {
      await redis.stop();
      await database.drop();
      directory.remove();
    }
  },
});

async function tryImage(
  recipe: ImageRecipe,
  folder: string,
  deployable: string,
  stores: Stores,
): Promise<string> {
  const content = await buildImage(recipe, folder, deployable);
  const environment = await environmentFor(deployable, stores);
  const running = await startImage(recipe.final, content, await freePort(), environment);
  const healthy = await running.checkHealth();
  const command = deployable === 'auth-server' ? await running.run(['clients', 'list']) : 0;
  const ended = await running.stop();
  const gone = await running.checkHealth();
  if (hasDemoData(content)) return 'carries demo data';
  if (healthy === 0 && command === 0 && ended === 0 && gone === 1) return 'good';
  return `health check ${healthy}, command ${command}, end ${ended}, health check of what has ended ${gone}`;
}

/** Whether the image holds the demo accounts, wherever pnpm has put them. */
function hasDemoData(content: string): boolean {
  return readdirSync(content, { recursive: true, encoding: 'utf8' }).some(
    (path) => basename(path) === 'demo-data', // the package; the auth-server has code that would load it
  );
}

async function environmentFor(
  deployable: string,
  { databaseUrl, redisUrl }: Stores,
): Promise<Readonly<Record<string, string>>> {
  const secrets = await generateSecrets();
  const { KEY_ENCRYPTION_SECRET = '', COOKIE_SECRET = '', USER_CONTEXT_PRIVATE_KEY = '' } = secrets;
  switch (deployable) {
    case 'gateway':
      return { SUPERGRAPH: join(repository, 'graph', 'supergraph.graphql'), USER_CONTEXT_PRIVATE_KEY };
    case 'auth-server':
      return {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        ISSUER: 'http://localhost:4001',
        KEY_ENCRYPTION_SECRET,
        COOKIE_SECRET,
      };
    default: {
      const { jwks } = await createTestUserContext();
      return { DATABASE_URL: databaseUrl, USER_CONTEXT_JWKS: JSON.stringify(jwks) };
    }
  }
}

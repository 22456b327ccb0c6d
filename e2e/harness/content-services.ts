import { generateServiceKey, publicServiceKey } from '@trellis/service-calls';
import { createTestUserContext, type TestUserContext } from '@trellis/testkit';
import { freePorts } from './free-ports.ts';
import { createServiceInstance, type ServiceInstance } from './service-instance.ts';

/** The services whose events others consume, or that consume them. */
export type ContentService = 'posts' | 'comments' | 'search';

/** Several processes of each service over one database and one Redis, asked past the gateway with contexts signed here. */
export interface ContentServices {
  readonly instances: Readonly<Record<ContentService, readonly ServiceInstance[]>>;
  readonly all: readonly ServiceInstance[];
  readonly keys: TestUserContext;
  /** Starts all at the same time. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What {@link createContentServices} needs to know. */
export interface ContentServicesOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Processes of each service. */
  readonly replicas: number;
  readonly logDirectory: string;
}

const services: readonly ContentService[] = ['posts', 'comments', 'search'];
/** Connections for requests: the processes share one PostgreSQL with others. */
const POOL_SIZE = 5;

/** Prepares the processes; none runs yet. */
export async function createContentServices(options: ContentServicesOptions): Promise<ContentServices> {
  const keys = await createTestUserContext();
  const serviceKeys = await Promise.all(services.map(generateServiceKey));
  const ports = await freePorts(services.length * options.replicas * 2);
  const shared = {
    LOG_LEVEL: 'warn',
    DATABASE_URL: options.databaseUrl,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    REDIS_URL: options.redisUrl,
    USER_CONTEXT_JWKS: JSON.stringify(keys.jwks),
    SERVICE_JWKS: JSON.stringify({ keys: serviceKeys.map(publicServiceKey) }),
  };
  const portOf = (index: number, replica: number): number => ports[index * options.replicas + replica] ?? 0;
  const instancesOf = (service: ContentService, index: number): readonly ServiceInstance[] =>
    Array.from({ length: options.replicas }, (_, replica) =>
      createServiceInstance({
        name: `${service}-${replica}`,
        directory: `services/${service}`,
        port: portOf(index, replica),
        operationsPort: portOf(index + services.length, replica),
        logDirectory: options.logDirectory,
        environment: {
          ...shared,
          SERVICE_PRIVATE_KEY: JSON.stringify(serviceKeys[index]),
          POSTS_URL: `http://127.0.0.1:${portOf(0, replica)}`,
          COMMENTS_URL: `http://127.0.0.1:${portOf(1, replica)}`,
        },
      }),
    );
  const instances = {
    posts: instancesOf('posts', 0),
    comments: instancesOf('comments', 1),
    search: instancesOf('search', 2),
  };
  const all = Object.values(instances).flat();
  return {
    instances,
    all,
    keys,
    start: async () => void (await Promise.all(all.map((instance) => instance.start()))),
    stop: async () => void (await Promise.all(all.map((instance) => instance.stop()))),
  };
}

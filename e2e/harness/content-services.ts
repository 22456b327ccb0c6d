import { generateServiceKey, publicServiceKey } from '@trellis/subgraph-protocol';
import { createTestUserContext, freePorts, type TestUserContext } from '@trellis/testkit';
import { createServiceInstance, type ServiceInstance } from './service-instance.ts';

/** The services of the content graph, in the order of their addresses. */
export const contentServices = ['users', 'posts', 'comments', 'search'] as const;

/** One of {@link contentServices}. */
export type ContentService = (typeof contentServices)[number];

/** Something that each service has its own of. */
export type ByService<Value> = Readonly<Record<ContentService, Value>>;

/** The processes of each service over its database and one Redis, asked past the gateway with contexts signed here. */
export interface ContentServices {
  readonly instances: ByService<readonly ServiceInstance[]>;
  readonly all: readonly ServiceInstance[];
  readonly keys: TestUserContext;
  /** Starts all at the same time. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What {@link createContentServices} needs to know. */
export interface ContentServicesOptions {
  readonly databaseUrls: ByService<string>;
  readonly redisUrl: string;
  /** Processes of each service. */
  readonly replicas: number;
  readonly logDirectory: string;
}

/** Connections for requests: the processes share one PostgreSQL with others. */
const POOL_SIZE = 5;

/** Prepares the processes; none runs yet. */
export async function createContentServices(options: ContentServicesOptions): Promise<ContentServices> {
  const keys = await createTestUserContext();
  const serviceKeys = await Promise.all(contentServices.map(generateServiceKey));
  const ports = await freePorts(contentServices.length * options.replicas * 2);
  const shared = {
    LOG_LEVEL: 'warn',
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
        operationsPort: portOf(index + contentServices.length, replica),
        logDirectory: options.logDirectory,
        environment: {
          ...shared,
          DATABASE_URL: options.databaseUrls[service],
          SERVICE_PRIVATE_KEY: JSON.stringify(serviceKeys[index]),
          USERS_URL: `http://127.0.0.1:${portOf(0, replica)}`,
          POSTS_URL: `http://127.0.0.1:${portOf(1, replica)}`,
          COMMENTS_URL: `http://127.0.0.1:${portOf(2, replica)}`,
        },
      }),
    );
  const instances = byService(instancesOf);
  const all = Object.values(instances).flat();
  return {
    instances,
    all,
    keys,
    start: async () => void (await Promise.all(all.map((instance) => instance.start()))),
    stop: async () => void (await Promise.all(all.map((instance) => instance.stop()))),
  };
}

/** What is made for each service. */
export function byService<Value>(make: (service: ContentService, index: number) => Value): ByService<Value> {
  const entries = contentServices.map((service, index) => [service, make(service, index)] as const);
  return Object.fromEntries(entries) as ByService<Value>; // one entry for each
}

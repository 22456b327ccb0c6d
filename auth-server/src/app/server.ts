import cookie from '@fastify/cookie';
import { createHttpServer, type Logger, type ReadinessCheck } from '@trellis/runtime';
import type { FastifyInstance } from 'fastify';
import { createErrorHandler, writeJsonError } from '../http/error-handler.ts';
import { limitRequests } from '../http/request-limits.ts';
import { acceptFormsOnly } from '../http/request-parameters.ts';
import { addAccountRoutes } from '../routes/account.ts';
import { addAdminRoutes } from '../routes/admin/index.ts';
import { addAuthorizeRoutes } from '../routes/authorize.ts';
import { addConsoleRoutes } from '../routes/console/index.ts';
import { addConsentRoutes } from '../routes/consent.ts';
import { addDeviceAuthorizationRoute } from '../routes/device-authorization.ts';
import { addDeviceRoutes } from '../routes/device.ts';
import { addAuthorizationServerMetadataRoute, addOpenidConfigurationRoute } from '../routes/discovery.ts';
import { addJwksRoute } from '../routes/jwks.ts';
import { budgetOf } from '../routes/endpoint-budgets.ts';
import { addIntrospectRoute } from '../routes/introspect.ts';
import { addLinkRoutes } from '../routes/link.ts';
import { addLoginRoutes } from '../routes/login.ts';
import { addLogoutRoutes } from '../routes/logout.ts';
import { addMailRoutes } from '../routes/mail-pages.ts';
import { createPageErrorWriter } from '../routes/page-errors.ts';
import { addHomeRoute } from '../routes/home.ts';
import { addImageRoutes } from '../routes/images.ts';
import { decorateWithTexts } from '../http/texts-for.ts';
import { OAuthError } from '../errors.ts';
import { addPushedAuthorizationRoute } from '../routes/pushed-authorization.ts';
import { limitConnections } from '../http/limit-connections.ts';
import { paths } from '../paths.ts';
import { addRegistrationRoute } from '../routes/register.ts';
import { addRegistrationManagementRoute } from '../routes/registration-management.ts';
import { addRevokeRoute } from '../routes/revoke.ts';
import { addTokenRoute } from '../routes/token.ts';
import { addUserinfoRoute } from '../routes/userinfo.ts';
import type { Features } from './features.ts';

/** What the server is built from. */
export interface ServerDependencies {
  readonly features: Features;
  readonly logger: Logger;
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
  /** Addresses of proxies whose forwarding headers are trusted; none by default. */
  readonly trustedProxies?: readonly string[];
  /** Of clients to this process. @default 16384 */
  readonly maxConnections?: number;
  /** Certificate and key, for native TLS. */
  readonly https?: { readonly cert: Buffer; readonly key: Buffer };
}

/** Largest form, bytes. */
const MAX_BODY_BYTES = 65_536;

/** Pages, in which errors are shown to users. */
const pageRoutes = [
  addHomeRoute,
  addAuthorizeRoutes,
  addLoginRoutes,
  addConsentRoutes,
  addDeviceRoutes,
  addLogoutRoutes,
  addAccountRoutes,
  addLinkRoutes,
  addMailRoutes,
  addConsoleRoutes,
];

/** Endpoints that clients call, with errors in JSON. */
const clientRoutes = [
  addImageRoutes,
  addTokenRoute,
  addPushedAuthorizationRoute,
  addDeviceAuthorizationRoute,
  addUserinfoRoute,
  addRevokeRoute,
  addIntrospectRoute,
  addJwksRoute,
  addOpenidConfigurationRoute,
];

/** The auth-server's HTTP side, which does not listen yet. */
export async function buildServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { features, logger, readiness, trustedProxies = [], https } = dependencies;
  const { maxConnections = 16_384 } = dependencies;
  const { issuer } = features.settings;
  const server = createHttpServer({
    logger,
    readiness,
    maxBodyBytes: MAX_BODY_BYTES,
    fastify: {
      trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
      exposeHeadRoutes: false,
      // Parameters are read from the raw query, strictly; see request-parameters.ts.
      routerOptions: { querystringParser: () => ({}) },
      ...(https && { https }),
    },
  });
  const onRejected = (): void => features.metrics.errors.inc({ error: 'too_many_connections' });
  limitConnections(server.server, { maxConnections, trustedProxies, onRejected }, https !== undefined);
  const isHttps = issuer.startsWith('https:');
  acceptFormsOnly(server);
  const issuerPath = pathOf(issuer);
  limitRequests(server, features.requestLimits, (method, url) =>
    budgetOf(method, belowIssuer(url, issuerPath)),
  );
  addSecurityHeaders(server, isHttps);
  observeDurations(server, features);
  decorateWithTexts(server, features.chooseTexts);
  addNotFoundHandler(server, features);
  server.setErrorHandler(createErrorHandler(features.metrics, writeJsonError));
  await server.register(async (scope) => addRoutes(scope, features), {
    prefix: issuerPath,
  });
  addAuthorizationServerMetadataRoute(server, features);
  return server;
}

async function addRoutes(server: FastifyInstance, features: Features): Promise<void> {
  for (const add of clientRoutes) add(server, features);
  const { adminAudience, registrationToken } = features.settings;
  if (adminAudience !== undefined)
    await server.register(async (scope) => addAdminRoutes(scope, features), { prefix: paths.admin });
  if (registrationToken !== undefined)
    await server.register(async (scope) => {
      addRegistrationRoute(scope, features, registrationToken);
      addRegistrationManagementRoute(scope, features);
    });
  await server.register(async (pages) => {
    await pages.register(cookie);
    pages.setErrorHandler(createErrorHandler(features.metrics, createPageErrorWriter(features)));
    for (const add of pageRoutes) add(pages, features);
  });
}

/** Nothing at an address is a page for users, and JSON for programs. */
function addNotFoundHandler(server: FastifyInstance, features: Features): void {
  const showPage = createErrorHandler(features.metrics, createPageErrorWriter(features));
  server.setNotFoundHandler((request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.status(404).send({ error: 'not_found' });
    return showPage(new OAuthError('not_found', 'There is nothing at this address.'), request, reply);
  });
}

/** The issuer's own path, without a slash at its end; mostly none. */
function pathOf(issuer: string): string {
  return new URL(issuer).pathname.replace(/\/$/, '');
}

/** RFC 8414 §3.1 has the issuer's path at the end of one address, all others have it before. */
function belowIssuer(url: string, issuerPath: string): string {
  if (issuerPath === '') return url;
  if (url === issuerPath) return paths.home;
  return url.startsWith(`${issuerPath}/`) ? url.slice(issuerPath.length) : url.replace(issuerPath, '');
}

function addSecurityHeaders(server: FastifyInstance, isHttps: boolean): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    if (isHttps) reply.header('strict-transport-security', 'max-age=31536000');
    done();
  });
}

type Observer = ReturnType<Features['metrics']['requestDuration']['labels']>;

function observeDurations(server: FastifyInstance, { metrics }: Pick<Features, 'metrics'>): void {
  const observerOf = rememberObservers(metrics);
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    observerOf(route, Math.floor(reply.statusCode / 100)).observe(reply.elapsedTime / 1000);
    done();
  });
}

/** Labels cost more than to observe: of each route there are few, and routes are fixed. */
function rememberObservers({
  requestDuration,
}: Features['metrics']): (route: string, statusClass: number) => Observer {
  const byRoute = new Map<string, Observer[]>();
  return (route, statusClass) => {
    const observers = byRoute.get(route) ?? [];
    byRoute.set(route, observers);
    return (observers[statusClass] ??= requestDuration.labels({ route, status: `${statusClass}xx` }));
  };
}

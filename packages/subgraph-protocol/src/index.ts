export {
  badUserInput,
  clientError,
  forbidden,
  graphErrorCodes,
  unauthenticated,
  type ClientErrorOptions,
  type GraphErrorCode,
  type GraphErrorDescription,
} from './errors/index.ts';
export { createUserContextSigner, type UserContextSigner } from './user-context/sign-user-context.ts';
export {
  createUserContextVerifier,
  type DeveloperKeys,
  type UserContextVerifier,
} from './user-context/verify-user-context.ts';
export {
  EVENT_ID_EXTENSION,
  LAST_EVENT_ID_EXTENSION,
  readEventId,
  readLastEventId,
  readSubscribeHeader,
  SUBSCRIBE_HEADERS_EXTENSION,
} from './subscribe-headers.ts';
export { IDEMPOTENCY_KEY } from './idempotency-key.ts';
export { INTROSPECTION_SECRET_HEADER } from './introspection-secret.ts';
export {
  InvalidUserContext,
  ROLE_POLICY_PREFIX,
  USER_CONTEXT_HEADER,
  type Role,
  type User,
  type UserContext,
} from './user-context/user-context.ts';
export { requireService, type ServiceGuard } from './service-calls/require-service.ts';
export {
  createServiceClient,
  ServiceCallFailed,
  type ServiceClient,
  type ServiceClientOptions,
} from './service-calls/service-client.ts';
export { generateServiceKey, publicServiceKey } from './service-calls/service-key.ts';
export {
  createServiceTokenSigner,
  createServiceTokenVerifier,
  type ServiceTokenSigner,
  type ServiceTokenVerifier,
} from './service-calls/service-token.ts';
export { eventKey, eventStreamName, redisNames } from './redis-names.ts';
export { createActivityStream, type ActivityBatch, type ActivityStream } from './activity-stream.ts';

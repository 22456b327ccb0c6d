export { createUserContextSigner, type UserContextSigner } from './sign-user-context.ts';
export { createUserContextVerifier, type UserContextVerifier } from './verify-user-context.ts';
export {
  EVENT_ID_EXTENSION,
  LAST_EVENT_ID_EXTENSION,
  readEventId,
  readLastEventId,
  readSubscribeHeader,
  SUBSCRIBE_HEADERS_EXTENSION,
} from './subscribe-headers.ts';
export {
  InvalidUserContext,
  USER_CONTEXT_HEADER,
  type Role,
  type User,
  type UserContext,
} from './user-context.ts';

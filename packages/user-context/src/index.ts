export { createUserContextSigner, type UserContextSigner } from './sign-user-context.ts';
export { createUserContextVerifier, type UserContextVerifier } from './verify-user-context.ts';
export {
  InvalidUserContext,
  USER_CONTEXT_HEADER,
  type Role,
  type User,
  type UserContext,
} from './user-context.ts';

export { graphErrorCodes, type GraphErrorCode, type GraphErrorDescription } from './graph-error-codes.ts';
export {
  badUserInput,
  clientError,
  forbidden,
  unauthenticated,
  type ClientErrorOptions,
} from './client-error.ts';

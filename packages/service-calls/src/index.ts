export { requireService, type ServiceGuard } from './require-service.ts';
export {
  createServiceClient,
  ServiceCallFailed,
  type ServiceClient,
  type ServiceClientOptions,
} from './service-client.ts';
export { generateServiceKey, publicServiceKey } from './service-key.ts';
export {
  createServiceTokenSigner,
  createServiceTokenVerifier,
  type ServiceTokenSigner,
  type ServiceTokenVerifier,
} from './service-token.ts';

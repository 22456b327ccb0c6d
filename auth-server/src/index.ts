export { authServer } from './app/auth-server.ts';
export type { AuthServerConfig } from './app/auth-server-config.ts';
export { environmentTable, readAuthServerConfig } from './app/config.ts';
export { describeApi as describeAdminApi } from './routes/admin/describe-api.ts';
export * as lifeCycle from './administration/what-ends-what.ts';
export { oauthErrors, type OAuthErrorCode, type OAuthErrorDescription } from './errors.ts';
export { buildServer, type ServerDependencies } from './app/server.ts';
export {
  commandNames,
  readAuthServerCall,
  runAuthServerCommand,
  type CommandStreams,
} from './commands/index.ts';
export { fillPasswordFilter } from './passwords/password-filter.ts';

export { EmbeddedPostgresError } from '@trellis/dev-stores';
export { openAuthServerStores, type AuthServerStores } from './auth-server-stores.ts';
export { openContentDatabases, type ContentDatabases } from './content-databases.ts';
export { StoreUnavailable } from './given-stores.ts';
export { environmentTable } from './platform-config.ts';
export { readPlatformFile, type PlatformFile } from './platform-file.ts';
export { PortInUse } from './ports.ts';
export { startPlatform, type Platform, type PlatformOptions } from './start-platform.ts';

export { configSchema, readGatewayConfig, type GatewayConfig } from './config/config.ts';
export { gatewayErrorCodes, type GatewayErrorCode, type GatewayErrorDescription } from './errors.ts';
export { gateway } from './app/gateway.ts';
export { stages, type Stage, type StageName } from './pipeline/stages.ts';
export { settingsSchema, type GatewaySettings } from './settings/settings.ts';

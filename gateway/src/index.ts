export { configSchema, readGatewayConfig, type GatewayConfig } from './config.ts';
export { gatewayErrorCodes, type GatewayErrorCode, type GatewayErrorDescription } from './errors.ts';
export { gateway } from './gateway.ts';
export { settingsSchema, type GatewaySettings } from './settings/settings.ts';

export { environmentTable, readGatewayConfig, type GatewayConfig } from './config/config.ts';
export { gatewayErrorCodes, type GatewayErrorCode, type GatewayErrorDescription } from './errors.ts';
export { gateway } from './app/gateway.ts';
export { stages, type Stage, type StageName } from './pipeline/stages.ts';
export { documentedSettings, type DocumentedSetting } from './settings/describe-setting.ts';
export { tokenProfiles, type TokenProfile } from './identity/token-profiles.ts';
export { limitCatalogue, type CataloguedLimit } from './settings/limit-catalogue.ts';
export { buildClientSchema } from './supergraph/build-supergraph.ts';
export { settingsSchema, settingTable, type GatewaySettings } from './settings/settings.ts';

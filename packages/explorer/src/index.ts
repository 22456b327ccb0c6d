export { AssetsMissing, loadExplorer, type AssetFile, type ExplorerAssets } from './load-explorer.ts';
export type { ExplorerSettings, ExampleOperation } from './explorer-settings.ts';

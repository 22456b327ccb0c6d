export type { SharingCaller } from './callers-of-networks.ts';
export {
  testShares,
  testTurns,
  type OpenResource,
  type OpenTurns,
  type SharedResource,
  type SharedTurns,
} from './shares-by-network.ts';
export { filesWith } from './files-with.ts';
export { testKeysByAddress, type AddressRules, type AllowedFiles } from './keys-by-address.ts';

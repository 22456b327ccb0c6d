export { appendAbort, type StoppedCanary } from './append-abort.ts';
export { appendRecord, type Appended, type AppendOptions, type NextRecord } from './append-record.ts';
export { digestOf, MAX_BLOB_BYTES, referenceOf, type BlobReference } from './blob.ts';
export { formatLogName, isLogPart, parseLogName, type LogName } from './log-name.ts';
export { openRegistry, type RegistryCredentials } from './open-registry.ts';
export { keyIdOf, publicKeys, TrustedKeys, type PublicKey } from './public-key.ts';
export {
  canonicalContract,
  declaredContracts,
  findContract,
  hasServedText,
  isContractName,
  sentContracts,
  servedText,
  type DeclaredContract,
  type PublishedContract,
} from './published-contract.ts';
export {
  blobsOfRelease,
  decodeRelease,
  encodeRelease,
  isSubgraphName,
  readRelease,
  type PublishedRelease,
  type PublishedSubgraph,
  type SubgraphRouting,
} from './published-release.ts';
export {
  createRecordSigner,
  createRecordSigners,
  generateRecordKey,
  trustIn,
  type PrivateKey,
  type RecordSigner,
  type RecordSigners,
} from './record-signer.ts';
export { RegistryError, registryErrors, type RegistryErrorCode } from './registry-error.ts';
export {
  decodeRecord,
  type RecordAction,
  type RecordedApproval,
  type RegistryRecord,
  type RoutingOverride,
} from './registry-record.ts';
export { MAX_RECORD_BYTES, MAX_SEQUENCE, type RegistryStore, type StoredBlob } from './registry-store.ts';
export { HttpStore, type HttpStoreOptions } from './stores/http-store.ts';
export { FolderStore, type FolderStoreOptions } from './stores/folder-store.ts';
export {
  registryAuthorization,
  type Authorize,
  type RegistryTokenVariables,
} from './stores/registry-authorization.ts';
export { readTextBlob, writeTextBlob } from './text-blobs.ts';
export {
  assertDeclarable,
  declaredVariantShape,
  MAX_VARIANTS,
  PREVIEW_TOKEN_TYPE,
  type DeclaredVariant,
  type Variant,
  type VariantRule,
} from './variant.ts';
export {
  verifyAlone,
  verifyLog,
  verifyNext,
  type VerifiedHead,
  type VerifyLogOptions,
} from './verify-log.ts';
export { verifyRecord, type VerifiedRecord } from './verify-record.ts';

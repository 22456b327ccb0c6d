import { own } from '@trellis/runtime/own-property';
import { RegistryError, type RegistryErrorCode } from '../registry-error.ts';

const NO_LINKS =
  'The file system has no hard links, which a registry needs. Use another folder, a git repository or a server.';
const NO_MARK = 'It is no registry. Make one with: trellis registry init';

const byCode: Readonly<Record<string, readonly [code: RegistryErrorCode, message: string]>> = {
  ENOENT: ['NO_REGISTRY', NO_MARK],
  ENOTDIR: ['NO_REGISTRY', 'It is no folder.'],
  EACCES: ['STORE_READ_ONLY', 'The permission is missing.'],
  EROFS: ['STORE_READ_ONLY', 'The file system is read-only.'],
  ENOSPC: ['STORE_FULL', 'The disk is full.'],
  EDQUOT: ['STORE_FULL', 'The quota is used up.'],
  EPERM: ['STORE_UNSUITABLE', NO_LINKS],
  ENOTSUP: ['STORE_UNSUITABLE', NO_LINKS],
  EOPNOTSUPP: ['STORE_UNSUITABLE', NO_LINKS],
  ENOSYS: ['STORE_UNSUITABLE', NO_LINKS],
  EISDIR: ['STORE_UNSUITABLE', NO_LINKS], // link(2) on Windows, of FAT and exFAT
  EMLINK: ['STORE_UNSUITABLE', NO_LINKS],
  EXDEV: ['STORE_UNSUITABLE', 'Its folders are on different file systems.'],
};

/** What is said of a folder without the mark of a registry. */
export function notARegistry(folder: string): RegistryError {
  return new RegistryError('NO_REGISTRY', `The registry ${folder}: ${NO_MARK}`);
}

/** What a file system's error means for a registry. */
export function describeFileError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const [code, message] = own(byCode, error.code) ?? [
    'STORE_UNAVAILABLE' as const,
    'The file system failed.',
  ];
  return new RegistryError(code, `The registry ${folder}: ${message} (${error.message})`, { cause: error });
}

import type { Logger } from '@trellis/runtime';
import { watchFile, type StampedFile } from '@trellis/runtime/watch-file';
import type { IssuerRegistry } from '../issuers/issuer-registry.ts';
import type { IssuerRules } from '../issuers/trusted-issuer.ts';
import { readTrustedIssuersFile } from '../issuers/trusted-issuers-file.ts';

/**
 * Takes trusted issuers over when their file changes. One with problems changes nothing, and the log has them.
 *
 * @param file as it was before the registry's issuers were read
 * @returns a function that ends the watch
 */
export function followIssuers(
  file: StampedFile,
  rules: IssuerRules,
  registry: IssuerRegistry,
  logger: Logger,
): () => void {
  return watchFile(file, () => {
    const { issuers, problems } = readTrustedIssuersFile(file.path, rules);
    if (problems.length > 0) {
      logger.warn({ problems }, 'trusted issuers reload failed; keeping the current ones');
      return;
    }
    registry.replace(issuers);
    logger.info({ issuers: issuers.map(({ issuer }) => issuer) }, 'trusted issuers reloaded');
  });
}

import { readFileSync } from 'node:fs';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Logger } from '@trellis/runtime';
import { stampFile, watchFile, type StampedFile } from '@trellis/runtime/watch-file';

/** A certificate chain and its key, in PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Where they are. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate, and its files as they were before it was read. */
export interface StampedCertificate {
  readonly certificate: Certificate;
  readonly files: readonly StampedFile[];
}

/** Reads a certificate that {@link followCertificate} is to follow. @throws as {@link readCertificate} */
export function readStampedCertificate(files: CertificateFiles): StampedCertificate {
  const stamped = [files.certFile, files.keyFile].map(stampFile);
  return { certificate: readCertificate(files), files: stamped };
}

/** Reads a certificate. @throws Error when a file is missing, or the key is of another certificate */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const certificate = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  createSecureContext(certificate);
  return certificate;
}

/**
 * Puts a new certificate to use when its files change; connections that are open keep the old one. Files that don't fit
 * together, as in the moment between writing two of them, change nothing.
 *
 * @param since the files as they were before what the server has was read
 * @returns a function that ends the watch
 */
export function followCertificate(
  server: HttpsServer,
  files: CertificateFiles,
  since: readonly StampedFile[],
  logger: Logger,
): () => void {
  const reload = (): void => {
    try {
      server.setSecureContext(readCertificate(files));
      logger.info('TLS certificate reloaded');
    } catch (error) {
      logger.warn({ err: error }, 'TLS certificate reload failed; keeping the current one');
    }
  };
  const stops = since.map((file) => watchFile(file, reload));
  return () => {
    for (const stop of stops) stop();
  };
}

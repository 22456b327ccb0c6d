import { readFileSync } from 'node:fs';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Logger } from '@trellis/runtime';
import { watchFile } from '@trellis/runtime/watch-file';

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
 * @returns a function that ends the watch
 */
export function followCertificate(server: HttpsServer, files: CertificateFiles, logger: Logger): () => void {
  const reload = (): void => {
    try {
      server.setSecureContext(readCertificate(files));
      logger.info('TLS certificate reloaded');
    } catch (error) {
      logger.warn({ err: error }, 'TLS certificate reload failed; keeping the current one');
    }
  };
  const stops = [files.certFile, files.keyFile].map((path) => watchFile(path, reload));
  return () => {
    for (const stop of stops) stop();
  };
}

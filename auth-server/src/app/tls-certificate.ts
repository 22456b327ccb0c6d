import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Logger } from '@trellis/runtime';

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

/** Milliseconds between two looks at the files. Polling also sees what a mounted secret replaces by a link. */
const INTERVAL_MS = 1_000;

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
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) watchFile(path, { interval: INTERVAL_MS, persistent: false }, reload);
  return () => {
    for (const path of paths) unwatchFile(path, reload);
  };
}

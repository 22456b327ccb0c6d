import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate with its key, both as PEM and as files. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** What a certificate says. */
export interface CertificateSubject {
  /** As in `DNS:subgraph.test` or `IP:127.0.0.1`. @default IP:127.0.0.1 */
  readonly name?: string;
  /** From now. @default 2 */
  readonly days?: number;
  /** As openssl reads it: `/C=DE/O=Example/CN=client`. @default the label as its CN */
  readonly subject?: string;
  /** More extensions, a line each. @default none */
  readonly extensions?: string;
}

/** An authority that the test trusts, or does not. */
export interface TestAuthority extends TestCertificate {
  issue(label: string, subject?: CertificateSubject): TestCertificate;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority with openssl, its files in a folder. */
export function createAuthority(folder: string, label = 'authority'): TestAuthority {
  const files = filesOf(folder, label);
  const { certificateFile, keyFile } = files;
  openssl(
    'req',
    '-x509',
    ...NEW_KEY,
    '-keyout',
    keyFile,
    '-out',
    certificateFile,
    '-days',
    '2',
    '-subj',
    `/CN=${label}`,
  );
  return {
    ...contentsOf(files),
    issue: (name, subject) => issue({ folder, authority: files, label: name }, subject),
  };
}

interface Issuing {
  readonly folder: string;
  readonly authority: Files;
  readonly label: string;
}

function issue(
  { folder, authority, label }: Issuing,
  {
    name = 'IP:127.0.0.1',
    days = 2,
    subject = `/CN=${label}`,
    extensions: more = '',
  }: CertificateSubject = {},
): TestCertificate {
  const files = filesOf(folder, label);
  const request = join(folder, `${label}.csr`);
  const extensions = join(folder, `${label}.ext`);
  writeFileSync(extensions, `subjectAltName=${name}\n${more}\n`);
  openssl('req', ...NEW_KEY, '-keyout', files.keyFile, '-out', request, '-utf8', '-subj', subject);
  const { certificateFile, keyFile } = authority;
  const by = ['-CA', certificateFile, '-CAkey', keyFile, '-CAcreateserial'];
  const made = ['-out', files.certificateFile, '-days', String(days), '-extfile', extensions];
  openssl('x509', '-req', '-in', request, ...by, ...made);
  return contentsOf(files);
}

type Files = Pick<TestCertificate, 'certificateFile' | 'keyFile'>;

function filesOf(folder: string, label: string): Files {
  return { certificateFile: join(folder, `${label}.pem`), keyFile: join(folder, `${label}-key.pem`) };
}

function contentsOf(files: Files): TestCertificate {
  const { certificateFile, keyFile } = files;
  return { ...files, certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

function openssl(...command: readonly string[]): void {
  execFileSync('openssl', command, { stdio: 'pipe' });
}

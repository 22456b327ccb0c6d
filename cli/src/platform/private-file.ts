import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';

/** Writes JSON that its owner alone may read; a concurrent reader sees the old content or the new, never half of it. */
export function writePrivateFile(file: string, content: unknown): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

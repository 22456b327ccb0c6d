import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trellis } from './run-command.ts';

/** A folder for files and for lists of operations, and what `trellis operations` says of them. */
export class OperationsFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'trellis-lists-'));
  /** Where lists are published to. */
  readonly lists: string = join(this.path, 'lists');
  /** Of the last command. */
  output = '';
  errors = '';

  /** Runs `trellis operations …`. @returns its exit status */
  async operations(...args: readonly string[]): Promise<number> {
    const { status, out, error } = await trellis('operations', ...args);
    [this.output, this.errors] = [out, error];
    return status;
  }

  /** Writes a file. @param content as JSON, unless it is a text */
  file(name: string, content: unknown): string {
    const path = join(this.path, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    return path;
  }

  /** Writes operations by id, as Relay does. */
  relay(texts: Readonly<Record<string, string>>): string {
    return this.file('queries.json', texts);
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
